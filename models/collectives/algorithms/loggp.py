"""The parameters of a network in the LogGP model, what a message costs in it, and networks that come with it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.errors import InputError, shown

__all__ = ["INFINIBAND", "INFINIBAND_AS_PRINTED", "NETWORKS", "RDMA", "LogGP", "Steps", "network", "steps"]


@dataclass(frozen=True, eq=False)
class LogGP:
    """A network and its interfaces; every value is a number or an array that broadcasts with the others.

    A message of s bytes takes ``latency + overhead + s byte_time + receiver_overhead``. It occupies its sender for
    ``max(overhead, gap) + s byte_time``: overhead and the time of its bytes are serial. Sends of a process are serial,
    sends and receives of one process overlap, and local copies are free.

    Attributes
    ----------
    latency : float or ndarray
        L, of the wire and the switches [s].
    overhead : float or ndarray
        o, once per send [s].
    receiver_overhead : float or ndarray, optional
        Once per receive [s], at most `overhead`; 0 for remote direct memory access. Default: `overhead`.
    gap : float or ndarray
        g, the least time between the starts of two sends [s]; at most ``latency + overhead + receiver_overhead``.
    byte_time : float or ndarray
        G [s/B].
    message_energy, byte_energy : float or ndarray
        Dynamic energy of a message [J] and of a byte [J/B].
    static_power : float or ndarray
        Of one network interface [W].
    descriptor_size : float or ndarray
        Memory of one offloaded send [B].
    reduction_time : float or ndarray
        Of combining two operands, per byte [s/B].

    Raises
    ------
    InputError
        A value is negative or not finite, or beyond one of the limits above.
    """

    latency: Any = 6e-6
    overhead: Any = 4.7e-6
    receiver_overhead: Any = None
    gap: Any = 0.0
    byte_time: Any = 0.73e-9
    message_energy: Any = 16.5e-9
    byte_energy: Any = 8.1e-12
    static_power: Any = 0.5
    descriptor_size: Any = 32.0
    reduction_time: Any = 0.0

    def __post_init__(self) -> None:
        if self.receiver_overhead is None:
            object.__setattr__(self, "receiver_overhead", self.overhead)
        for field in fields(self):
            value = _numbers(getattr(self, field.name), f"network.{field.name}")
            wrong = ~(np.isfinite(value) & (value >= 0))
            if wrong.any():
                raise InputError(shown(value[wrong][0]), key=f"network.{field.name}", allowed="a finite number >= 0")
            object.__setattr__(self, field.name, value)
        above = np.greater(*np.broadcast_arrays(self.receiver_overhead, self.overhead))
        if above.any():
            value = np.broadcast_to(np.asarray(self.receiver_overhead), above.shape)[above][0]
            raise InputError(
                shown(value), key="network.receiver_overhead", allowed="at most the overhead, or receives would queue"
            )
        longest = np.asarray(self.latency) + np.asarray(self.overhead) + np.asarray(self.receiver_overhead)
        gap, longest = np.broadcast_arrays(np.asarray(self.gap), longest)
        if (gap > longest).any():
            raise InputError(
                shown(gap[gap > longest][0]),
                key="network.gap",
                allowed=f"at most latency + overhead + receiver_overhead ({longest[gap > longest][0]:.6g} s)",
            )

    def with_(self, **values: npt.ArrayLike) -> LogGP:
        """Return the network with other values; without a `receiver_overhead` it stays what it is."""
        names = [field.name for field in fields(self)]
        for name in values:
            if name not in names:
                raise InputError(
                    f"'{name}' is no parameter", key="network", allowed=names, wrong=name, candidates=names
                )
        return replace(self, **values)

    @property
    def message_time(self) -> np.ndarray:
        """Time of an empty message, L + o + receiver_overhead [s]."""
        total: np.ndarray = np.asarray(self.latency) + np.asarray(self.overhead) + np.asarray(self.receiver_overhead)
        return total


def _numbers(value: npt.ArrayLike, key: str) -> np.ndarray:
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "fiu":
            raise TypeError
        return numbers.astype(float)
    except (TypeError, ValueError):
        raise InputError(shown(value), key=key, allowed="a number, or an array of numbers") from None


class Steps(NamedTuple):
    """What the closed forms are made of.

    Attributes
    ----------
    start : ndarray
        The part of a sender's time that no byte adds to, max(o, g) [s].
    hop : ndarray
        From the end of a send to the end of its receive, L + receiver_overhead (less what a gap beyond the overhead
        lets the message run ahead) [s].
    byte : ndarray
        Time of a byte, G [s/B].
    """

    start: np.ndarray
    hop: np.ndarray
    byte: np.ndarray


def steps(net: LogGP) -> Steps:
    """Return what one send occupies and how long the rest of it takes: T_message = (start + s byte) + hop."""
    start: np.ndarray = np.maximum(net.overhead, net.gap)
    hop: np.ndarray = np.asarray(net.latency) + np.asarray(net.receiver_overhead) - (start - np.asarray(net.overhead))
    return Steps(start, np.maximum(hop, 0.0), np.asarray(net.byte_time))


INFINIBAND = LogGP()
"""InfiniBand and MPI as measured by Hoefler and Moor 2014, Section 4.2, with 16.5 nJ and 8.1 pJ/B (see the next)."""

INFINIBAND_AS_PRINTED = LogGP(message_energy=16.5e-12, byte_energy=8.1e-9)
"""The same with energies as printed (16.5 pJ per message, 8.1 nJ per byte), against their derivation."""

RDMA = LogGP(receiver_overhead=0.0)
"""The same, by puts: nothing is charged at the destination (Hoefler and Moor 2014, Section 2)."""

NETWORKS = {"infiniband": INFINIBAND, "infiniband-as-printed": INFINIBAND_AS_PRINTED, "rdma": RDMA}
"""Networks by name. Source of all: Hoefler and Moor 2014, Section 4.2."""


def network(given: LogGP | str) -> LogGP:
    """Return a network by its name, or the one that is given."""
    if isinstance(given, LogGP):
        return given
    if isinstance(given, str) and given in NETWORKS:
        return NETWORKS[given]
    if not isinstance(given, str):
        raise InputError(shown(given), key="network", allowed=f"a LogGP, or a name of one: {', '.join(NETWORKS)}")
    raise InputError(
        f"there is no network '{given}'", key="network", allowed=list(NETWORKS), wrong=str(given), candidates=NETWORKS
    )
