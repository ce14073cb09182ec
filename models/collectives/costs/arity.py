"""The arity of a k-ary tree that is fastest while the height is taken for a real number: a value to start from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dse.authoring.declare.arguments import Range
from dse.models.collectives.algorithms.loggp import LogGP, network, steps

__all__ = ["continuous_arity", "whole_arity"]

_HALVINGS = 60


def _size(value: npt.ArrayLike) -> np.ndarray:
    return Range(least=0.0).read("message_size", value)


def continuous_arity(message_size: npt.ArrayLike, net: LogGP | str = "infiniband") -> np.ndarray:
    """Return k* where (b + k a)/ln k is least: k (ln k - 1) = r, r = b/a.

    In terms of the Lambert function k* = r / W0(r/e). It rises with the latency and falls with message size and
    overhead, from Euler's e at r = 0. Infinite where sends take no time.

    Parameters
    ----------
    message_size : array_like
        s [B].
    net : LogGP or str
    """
    start, hop, byte = steps(network(net))
    send = np.asarray(start + _size(message_size) * byte)
    ratio = hop / np.where(send > 0, send, 1.0)
    # On a logarithmic scale: at ln k = 1 + ln(1 + r) the left side is beyond r.
    low, high = np.ones(ratio.shape), 1.0 + np.log1p(ratio)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        below = np.exp(middle) * (middle - 1.0) < ratio
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(send > 0, np.exp((low + high) / 2.0), np.inf)


def whole_arity(message_size: npt.ArrayLike, net: LogGP | str = "infiniband") -> np.ndarray:
    """Return the whole number beside k* where (b + k a)/ln k is less.

    Heights are whole numbers, so the fastest arity for a number of processes may be another: `best` looks at all.
    """
    known = network(net)
    start, hop, byte = steps(known)
    send = start + _size(message_size) * byte
    real = continuous_arity(message_size, known)
    low, high = np.maximum(np.floor(real), 2.0), np.maximum(np.ceil(real), 2.0)
    slower = (hop + high * send) / np.log(high) >= (hop + low * send) / np.log(low)
    arity: np.ndarray = np.where(slower, low, high)
    return arity
