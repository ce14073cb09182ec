"""The fastest way to pass one message on whole: the generalised Fibonacci tree, a lower bound for all trees."""

from __future__ import annotations

import numpy as np

from dse.models.collectives.algorithms.geometry import ceil_log2
from dse.models.collectives.algorithms.loggp import LogGP, steps
from dse.models.collectives.algorithms.parts import Parts, only

__all__ = ["fibonacci", "informed"]

_HALVINGS = 52  # to the last place of a time
_PLENTY = 2.0**42


def informed(time: np.ndarray, ratio: np.ndarray, hops: int) -> np.ndarray:
    """Return how many processes have the message by a time, N(t) = sum_j C(floor(t - j r), j).

    Parameters
    ----------
    time, ratio : ndarray
        t and r = b/a, both in units of a, the time between two sends of a process.
    hops : int
        Terms j = 0 … hops are counted.

    Returns
    -------
    ndarray of float
        Exact up to 2^42; larger numbers are only known to be larger.
    """
    hop = np.arange(hops + 1.0)
    left = np.floor(np.asarray(time)[..., None] - hop * np.asarray(ratio)[..., None])
    term = np.where(left >= 0, 1.0, 0.0)
    for taken in range(hops):
        factor = np.maximum(left - taken, 0.0)
        # Multiplied before it is divided: below the limit every product is a whole number that float64 holds.
        term = np.where(hop > taken, np.minimum(term * factor / (taken + 1.0), _PLENTY), term)
    total: np.ndarray = term.sum(axis=-1)
    return total


def fibonacci(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Every process that has the message sends it on, without a pause: T = the P-th smallest i a + j b.

    That is the smallest t with N(t) >= P (`informed`), found by halving. Where sends take no time (a = 0), it is one
    hop. The root sends as long as a message can still come in time: floor((T - b)/a) messages.
    """
    start, hop, byte = steps(net)
    send = start + size * byte
    processes, send, hop = np.broadcast_arrays(processes, send, hop)
    busy = send > 0
    per_send = np.where(busy, send, 1.0)
    ratio = hop / per_send
    rounds = ceil_log2(processes)
    most = int(rounds.max(initial=0))
    # A binomial tree is never faster; nor is a hop and a send for everyone.
    high = np.minimum(rounds * (1.0 + ratio), np.maximum(processes - 1.0, 0.0) + ratio)
    low = np.zeros(high.shape)
    high = high * (1.0 + 4e-16)
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2.0
        enough = informed(middle, ratio, most) >= processes
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    others = processes - 1.0
    root = np.floor((high - ratio) * (1.0 + 1e-12) + 1e-9)
    time = np.where(busy, high * per_send, hop)
    sends = np.where(busy, np.minimum(np.maximum(root, 1.0), others), others)
    return only(processes, Parts(time, others, others * size, sends))
