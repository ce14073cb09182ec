"""Pipelines: a message cut into N pieces on a chain, a binary tree or two, and the N that costs least.

In all formulas x = o + sG/N, y = o + sG/(2N), b = L + o_r, and h is the height that is named.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.collectives.algorithms.geometry import floor_log2, is_full_binary
from dse.models.collectives.algorithms.loggp import LogGP, steps
from dse.models.collectives.algorithms.parts import Parts, only

__all__ = [
    "PIPELINES",
    "PerPiece",
    "best_pieces",
    "chain",
    "double_tree",
    "double_tree_pipe",
    "pbt",
    "pbt_pers",
]


def chain(processes: np.ndarray, size: np.ndarray, net: LogGP, pieces: np.ndarray) -> Parts:
    """A linear pipeline: T = N x + b + (P - 2)(x + b)."""
    start, hop, byte = steps(net)
    piece = start + size / pieces * byte
    others = processes - 1.0
    time = pieces * piece + hop + (processes - 2.0) * (piece + hop)
    return only(processes, Parts(time, pieces * others, others * size, pieces * 1.0))


def pbt(processes: np.ndarray, size: np.ndarray, net: LogGP, pieces: np.ndarray) -> Parts:
    """A pipelined binary tree: T = 2N x + b + (h - 1)(2x + b), h = floor(lg P).

    Exact for full trees (P = 2^(h+1) - 1), an upper bound for other P. A root with one child sends N pieces, not 2N.
    """
    start, hop, byte = steps(net)
    piece = start + size / pieces * byte
    others, height = processes - 1.0, floor_log2(processes)
    time = 2.0 * pieces * piece + hop + (height - 1.0) * (2.0 * piece + hop)
    return only(processes, Parts(time, pieces * others, others * size, np.minimum(others, 2.0) * pieces))


def double_tree(processes: np.ndarray, size: np.ndarray, net: LogGP, pieces: np.ndarray) -> Parts:
    """Two binary trees of all but the root, which gives each a whole half of the message.

    T = (2o + sG + b) + 2N y + b + (h - 1)(2y + b), h = floor(lg(P - 1)). A lower bound, as the two trees may meet at a
    receiver (at most o_r h more), for powers of two from 4 on; an approximation for other P >= 4.
    """
    start, hop, byte = steps(net)
    piece = start + size / (2.0 * pieces) * byte
    others, height = processes - 1.0, floor_log2(np.maximum(processes - 1, 1))
    halves = 2.0 * start + size * byte + hop
    time = halves + 2.0 * pieces * piece + hop + (height - 1.0) * (2.0 * piece + hop)
    messages = 2.0 + 2.0 * (processes - 2.0) * pieces
    return only(processes, Parts(time, messages, others * size, 2.0 * pieces), processes >= 4)


def double_tree_pipe(processes: np.ndarray, size: np.ndarray, net: LogGP, pieces: np.ndarray) -> Parts:
    """The same with pieces given to both trees in turn: T = 2N y + b + h (2y + b), h = floor(lg(P - 1)).

    A lower bound as `double_tree`. It moves sG once, not twice, at large s.
    """
    start, hop, byte = steps(net)
    piece = start + size / (2.0 * pieces) * byte
    others, height = processes - 1.0, floor_log2(np.maximum(processes - 1, 1))
    time = 2.0 * pieces * piece + hop + height * (2.0 * piece + hop)
    return only(processes, Parts(time, 2.0 * others * pieces, others * size, 2.0 * pieces), processes >= 4)


def pbt_pers(processes: np.ndarray, size: np.ndarray, net: LogGP, pieces: np.ndarray) -> Parts:
    """A pipelined binary tree of blocks, for full trees (P = 2^(h+1) - 1).

    T = 2N (o + (2^h - 1) sG/N) + h b + 2 (o (h - 1) + (sG/N)(2 (2^(h-1) - 1) - (h - 1))).
    """
    start, hop, byte = steps(net)
    height = floor_log2(processes)
    leaves = (1 << height) * 1.0
    per_block = size * byte
    inner = np.maximum(leaves / 2.0, 1.0)
    time = (
        2.0 * pieces * start
        + 2.0 * (leaves - 1.0) * per_block
        + height * hop
        + 2.0 * (start * (height - 1.0) + per_block / pieces * (2.0 * (inner - 1.0) - (height - 1.0)))
    )
    moved = size * ((height - 1.0) * 2.0 * leaves + 2.0)
    parts = Parts(time, pieces * (processes - 1.0), moved, 2.0 * pieces)
    return only(processes, parts, is_full_binary(processes))


class PerPiece(NamedTuple):
    """How a pipeline's time goes with its pieces: T = fixed + starts N start + blocks sG/N.

    Attributes
    ----------
    starts, blocks : ndarray
        Sends of the busiest process per piece; blocks of sG that the last piece is held up by.
    messages : ndarray
        Of all processes, per piece.
    sends : float
        Descriptors per piece.
    """

    starts: float
    blocks: np.ndarray
    messages: np.ndarray
    sends: float


def _chain(processes: np.ndarray) -> PerPiece:
    return PerPiece(1.0, np.maximum(processes - 2.0, 0.0), processes - 1.0, 1.0)


def _pbt(processes: np.ndarray) -> PerPiece:
    return PerPiece(2.0, 2.0 * np.maximum(floor_log2(processes) - 1.0, 0.0), processes - 1.0, 2.0)


def _double_tree(processes: np.ndarray) -> PerPiece:
    height = floor_log2(np.maximum(processes - 1, 1))
    return PerPiece(2.0, np.maximum(height - 1.0, 0.0), 2.0 * np.maximum(processes - 2.0, 0.0), 2.0)


def _double_tree_pipe(processes: np.ndarray) -> PerPiece:
    return PerPiece(2.0, 1.0 * floor_log2(np.maximum(processes - 1, 1)), 2.0 * (processes - 1.0), 2.0)


def _pbt_pers(processes: np.ndarray) -> PerPiece:
    height = floor_log2(processes)
    inner = np.maximum((1 << height) / 2.0, 1.0)
    blocks = 2.0 * np.maximum(2.0 * (inner - 1.0) - (height - 1.0), 0.0)
    return PerPiece(2.0, blocks, processes - 1.0, 2.0)


PIPELINES = {
    "chain": (chain, _chain),
    "pbt": (pbt, _pbt),
    "double_tree": (double_tree, _double_tree),
    "double_tree_pipe": (double_tree_pipe, _double_tree_pipe),
    "pbt_pers": (pbt_pers, _pbt_pers),
}
"""The pipelines, and how each goes with its pieces."""


def best_pieces(
    name: str,
    processes: np.ndarray,
    size: np.ndarray,
    net: LogGP,
    *,
    watts: np.ndarray | float = 0.0,
    joules: np.ndarray | float = 0.0,
    most: np.ndarray | float = np.inf,
    combining: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two whole numbers of pieces beside the least of T, or of T watts + messages joules.

    With time alone N* = sqrt(blocks sG / (starts o)): for the chain sqrt((P - 2) sG / o).

    Parameters
    ----------
    name : str
        A key of `PIPELINES`.
    watts, joules : array_like
        What a second and what a message costs, where energy is to be least; both 0: time is.
    most : array_like
        Pieces that the memory has room for.
    combining : array_like
        Time per byte of combining operands, beside that of sending it.

    Returns
    -------
    ndarray, ndarray
        Floor and ceiling of N*, from 1 to the bytes of the message and to `most`.
    """
    start, _, byte = steps(net)
    pieces = PIPELINES[name][1](processes)
    weight = np.asarray(watts, dtype=float)
    alone = (weight == 0) & (np.asarray(joules) == 0)
    weight = np.where(alone, 1.0, weight)
    each = weight * pieces.starts * start + np.asarray(joules) * pieces.messages
    held = weight * pieces.blocks * size * (byte + np.asarray(combining))
    largest = np.maximum(np.minimum(np.maximum(np.floor(size), 1.0), np.floor(most)), 1.0)
    free = each == 0  # pieces cost nothing: as many as there are bytes
    optimum = np.where(free, np.where(held > 0, largest, 1.0), np.sqrt(held / np.where(free, 1.0, each)))
    low, high = np.floor(optimum), np.ceil(optimum)
    return np.clip(low, 1.0, largest), np.clip(high, 1.0, largest)
