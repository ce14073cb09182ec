"""Collective operations of groups that span scale-up domains and the network between them.

Ranks are laid out with tensor parallelism fastest, then context, data (experts inside) and pipeline. A group of n ranks
that are a stride apart has::

    n_i = min(n, max(1, floor(S / stride)))    of them in a scale-up domain of S devices
    n_o = n / n_i                              domains

A gather (or reduce-scatter) of a vector of Z bytes is the all-gather of Bruck within the domain, then between domains
with each device its own card; an all-reduce is two of them, as Rabenseifner's (Hoefler and Moor 2014: latencies for
L + 2o, bytes over bandwidth for s G (P - 1))::

    T_g = Z (1 - 1/n_i)/u + ceil(lg n_i) l_u + (Z/n_i)(1 - 1/n_o)/x + ceil(lg ceil(n_o)) l_x
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["all_to_all_time", "domain", "gather_time", "rounds"]

_POWERS = 2.0 ** np.arange(40)  # a logarithm would have a last bit that depends on the processor


def rounds(members: Any) -> Any:
    """Return ceil(lg n), the rounds of an operation among n members: the powers of two below n, counted."""
    return np.searchsorted(_POWERS, members) * 1.0


def domain(members: Any, stride: Any, scale_up_devices: Any) -> tuple[Any, Any]:
    """Return the members of a group in a scale-up domain, and the domains it spans.

    Parameters
    ----------
    members : array_like
        Ranks of the group, n.
    stride : array_like
        Ranks from one member to the next.
    scale_up_devices : array_like
        Devices of a domain, S.
    """
    inside = np.minimum(members, np.maximum(1.0, np.floor(scale_up_devices / stride)))
    return inside, np.maximum(1.0, members / inside)


def gather_time(
    size: Any,
    members: Any,
    stride: Any,
    scale_up_devices: Any,
    scale_up: tuple[Any, Any],
    scale_out: tuple[Any, Any],
) -> Any:
    """Return the time of an all-gather or a reduce-scatter [s]; 0 for a group of one.

    Parameters
    ----------
    size : array_like
        Bytes of the whole vector, Z.
    members, stride, scale_up_devices : array_like
        As in `domain`.
    scale_up, scale_out : (array_like, array_like)
        Bandwidth of a device [B/s], and time of a round [s], within a domain and between domains.
    """
    inside, domains = domain(members, stride, scale_up_devices)
    within = size * (1.0 - 1.0 / inside) / scale_up[0] + rounds(inside) * scale_up[1]
    between = size / inside * (1.0 - 1.0 / domains) / scale_out[0] + rounds(np.ceil(domains)) * scale_out[1]
    return within + between


def all_to_all_time(
    size: Any,
    members: Any,
    stride: Any,
    scale_up_devices: Any,
    scale_up: tuple[Any, Any],
    scale_out: tuple[Any, Any],
    reach_share: Any = 1.0,
) -> Any:
    """Return the time of an all-to-all [s], both networks at once.

    Parameters
    ----------
    size : array_like
        Bytes that each device sends, Z.
    members, stride, scale_up_devices, scale_up, scale_out
        As in `gather_time`.
    reach_share : array_like
        Share of the bytes between domains that is sent where a token goes to few domains and is spread inside them,
        rho.
    """
    inside, domains = domain(members, stride, scale_up_devices)
    within = size * ((inside - 1.0) / members) / scale_up[0]
    between = reach_share * size * np.maximum(0.0, 1.0 - inside / members) / scale_out[0]
    latency = rounds(inside) * scale_up[1] + rounds(np.ceil(domains)) * scale_out[1]
    return np.maximum(within, between) + latency
