"""Trees that pass one message on whole: flat, k-ary, binomial, and the two halves of a split binary tree.

In all formulas a = o + sG is the time a send occupies its sender and b = L + o_r the rest of a hop.
"""

from __future__ import annotations

import numpy as np

from dse.models.collectives.algorithms.geometry import ceil_log2, floor_log2, is_full_binary, kary_path
from dse.models.collectives.algorithms.loggp import LogGP, steps
from dse.models.collectives.algorithms.parts import Parts, only

__all__ = ["binomial", "flat", "kary", "kary_sends", "split_binary"]


def flat(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The root sends to all others in turn: T = (P - 1) a + b."""
    start, hop, byte = steps(net)
    others = processes - 1.0
    return only(processes, Parts(others * (start + size * byte) + hop, others, others * size, others))


def kary(processes: np.ndarray, size: np.ndarray, net: LogGP, arity: np.ndarray) -> Parts:
    """Every node sends to its k children, left to right: T = max(H b + A a, (H - 1)(b + k a)).

    H is the height and A the sends before the worst node of the last level (`kary_path`); the last full level may be
    worse. A full tree takes h (b + k a).
    """
    start, hop, byte = steps(net)
    send = start + size * byte
    height, sends = kary_path(processes, arity)
    time = np.maximum(height * hop + sends * send, (height - 1.0) * (hop + arity * send))
    others = processes - 1.0
    return only(processes, Parts(time, others, others * size, np.minimum(arity, others)))


def kary_sends(processes: np.ndarray, arity: np.ndarray) -> np.ndarray:
    """Sends of the busiest process when each node sends to its children and, the other way, to its parent."""
    others = processes - 1.0
    inner = np.clip(others - arity, 0, arity) + 1.0
    return np.where(others == 0, 0.0, np.maximum(np.minimum(arity, others), inner))


def binomial(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """A holder of n ranks keeps the first 2^(m-1) and hands the others to its first child, m = ceil(lg n).

    T(n) = a + max(b + T(n - 2^(m-1)), (m - 1)(a + b)); m (a + b) for powers of two.
    """
    start, hop, byte = steps(net)
    send = start + size * byte
    rest, m = processes, ceil_log2(processes)
    time, before = np.zeros(np.broadcast_shapes(processes.shape, send.shape, hop.shape)), np.zeros(())
    while (rest > 1).any():
        going = rest > 1
        digits = np.maximum(ceil_log2(rest) - 1, 0)
        time = np.where(going, np.maximum(time, before + send + digits * (send + hop)), time)
        before = before + np.where(going, send + hop, 0.0)
        rest = np.where(going, rest - (1 << digits), rest)
    time = np.maximum(time, before)
    others = processes - 1.0
    return only(processes, Parts(time, others, others * size, m * 1.0))


def split_binary(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """Half of the message goes down each side of a binary tree, then mirror images exchange their halves.

    T = h (b + 2 (o + sG/2)) + (o + sG/2) + b for full trees of height h >= 1; there is no form for others.
    """
    start, hop, byte = steps(net)
    half = start + size / 2.0 * byte
    time = floor_log2(processes) * (hop + 2.0 * half) + half + hop
    others = processes - 1.0
    sends = np.where(processes == 3, 2.0, 3.0)
    return only(processes, Parts(time, 2.0 * others, others * size, sends), is_full_binary(processes))
