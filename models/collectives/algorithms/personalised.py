"""Trees that carry a block of its own for every process (scatter; gather in reverse)."""

from __future__ import annotations

import numpy as np

from dse.models.collectives.algorithms.geometry import bits_set, ceil_log2, depths, full_nodes, kary_height, whole_power
from dse.models.collectives.algorithms.loggp import LogGP, steps
from dse.models.collectives.algorithms.parts import Parts, only
from dse.models.collectives.algorithms.trees import flat

__all__ = ["binomial_pers", "flat_pers", "kary_pers"]


def flat_pers(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """The root sends every process its block: as `flat`, T = (P - 1)(o + sG) + b."""
    return flat(processes, size, net)


def kary_pers(processes: np.ndarray, size: np.ndarray, net: LogGP, arity: np.ndarray) -> Parts:
    """A node sends each child the blocks of the tree below it: T(n) = max over children (elapsed + b + T(z)).

    A child with z nodes below it takes o + z sG. At most three sizes of subtrees stand beside each other: full ones of
    height h - 1, one that is not full, full ones of height h - 2. A full tree of height h takes
    h (b + k o) + sG sum_{j=1..h} (h - j + 1) k^j; the worst child of each kind is the last.
    """
    start, hop, byte = steps(net)
    per_block = size * byte
    nodes, whole_arity = np.broadcast_arrays(processes, arity)
    k = whole_arity.astype(float)
    height = kary_height(nodes, whole_arity)
    # Of the levels: k^(h-1) nodes of the last can lie below one child; 1 + ... + k^(h-2) others do.
    most = whole_power(k, np.maximum(height - 1, 0))
    small = full_nodes(k, height - 2)

    def full(levels: np.ndarray, power: np.ndarray) -> np.ndarray:
        """Return the time of a full tree; power is k^(levels + 1)."""
        blocks = k * (power - (levels + 1.0) * k + levels) / ((k - 1.0) * (k - 1.0))
        return np.where(levels > 0, levels * (hop + k * start) + per_block * blocks, 0.0)

    time, before = np.zeros(np.broadcast_shapes(k.shape, hop.shape, per_block.shape)), np.zeros(())
    nodes, going = nodes * 1.0, nodes > 1
    while going.any():
        last = nodes - (small + most)
        large = np.floor(last / most)
        left = last - large * most
        has_rest = left > 0
        to_large = large * (start + (small + most) * per_block)
        reached = before + to_large + hop + full(height - 1, most * k)
        time = np.where(going & (large > 0), np.maximum(time, reached), time)
        to_rest = np.where(has_rest, start + (small + left) * per_block, 0.0)
        behind = k - large - has_rest
        reached = before + to_large + to_rest + behind * (start + small * per_block) + hop + full(height - 2, most)
        time = np.where(going & (behind > 0) & (height > 1), np.maximum(time, reached), time)
        # On to the one subtree that is not full, a level lower.
        going = going & has_rest
        before = np.where(going, before + to_large + to_rest + hop, before)
        time = np.where(going, np.maximum(time, before), time)
        nodes = np.where(going, small + left, nodes)
        going = going & (nodes > 1)
        height, most = height - going, np.where(going, most / k, most)
        small = np.where(going, (small - 1.0) / k, small)
    others = processes - 1.0
    return only(processes, Parts(time, others, size * depths(processes, arity), np.minimum(arity, others)))


def binomial_pers(processes: np.ndarray, size: np.ndarray, net: LogGP) -> Parts:
    """A holder of n ranks sends its first child the blocks of the n - 2^(m-1) it hands on.

    T(n) = o + (n - 2^(m-1)) sG + max(b + T(n - 2^(m-1)), T(2^(m-1))), T(2^j) = j (o + b) + (2^j - 1) sG. Bytes are s
    times the bits set in all ranks: s (P/2) lg P for powers of two.
    """
    start, hop, byte = steps(net)
    per_block = size * byte
    rest, m = processes, ceil_log2(processes)
    time, before = np.zeros(np.broadcast_shapes(processes.shape, per_block.shape, hop.shape)), np.zeros(())
    while (rest > 1).any():
        going = rest > 1
        digits = np.maximum(ceil_log2(rest) - 1, 0)
        handed = np.where(going, rest - (1 << digits), rest)
        send = start + handed * per_block
        kept = digits * (start + hop) + ((1 << digits) - 1.0) * per_block
        time = np.where(going, np.maximum(time, before + send + kept), time)
        before = before + np.where(going, send + hop, 0.0)
        rest = handed
    time = np.maximum(time, before)
    return only(processes, Parts(time, processes - 1.0, size * bits_set(processes), m * 1.0))
