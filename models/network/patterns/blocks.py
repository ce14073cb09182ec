"""Flows that leave aligned blocks of nodes: all that a fat tree, and a full mesh, needs to know of a permutation.

Shift after Anghel 2017, Eqs. 5.54 and 5.60, corrected for steps that wrap around; the other permutations are the
thesis' future work, with closed forms of our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["PERMUTATIONS", "Leaving", "leaving", "shift_step", "travelling"]

PERMUTATIONS = ("shift", "complement", "transpose", "bit-reversal", "butterfly", "exchange", "tornado")
"""Patterns with one flow per node."""


class Leaving(NamedTuple):
    """Flows that leave blocks: the most that leave one block, and all that leave their block."""

    largest: Any
    total: Any


def shift_step(pattern: str, nodes: Any, options: Mapping[str, Any]) -> Any:
    """Return the step of a shift modulo the number of nodes; tornado is a shift by almost half of the nodes."""
    step = np.ceil(nodes / 2.0) - 1.0 if pattern == "tornado" else options["step"]
    return np.mod(step, nodes)


def travelling(pattern: str, nodes: Any, options: Mapping[str, Any]) -> Any:
    """Return the number of flows whose destination is another node."""
    if pattern in ("shift", "tornado"):
        return np.where(shift_step(pattern, nodes, options) == 0, 0.0, nodes)
    if pattern == "exchange":
        return nodes * 1.0
    if pattern == "complement":
        return nodes - np.mod(nodes, 2.0)
    if pattern == "transpose":
        return nodes - np.sqrt(nodes)
    if pattern == "bit-reversal":
        return nodes - _palindromes(nodes)
    return np.where(nodes >= 4, nodes / 2.0, 0.0)


def leaving(pattern: str, block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    """Return the flows that leave aligned blocks.

    Parameters
    ----------
    pattern : str
        One of `PERMUTATIONS`.
    block, nodes : array_like
        Nodes of a block, and of the machine; the block divides the machine.
    options : mapping
        ``step`` of a shift, ``exchange_bit`` of an exchange.

    Returns
    -------
    Leaving
        NaN where there is no closed form (transpose of blocks that neither divide the row nor are made of whole rows).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        leaves = _LEAVING[pattern](block, nodes, options)
    whole = np.equal(block, nodes)
    return Leaving(np.where(whole, 0.0, leaves.largest), np.where(whole, 0.0, leaves.total))


def _shift(pattern: str) -> Any:
    def of(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
        step = shift_step(pattern, nodes, options)
        largest = np.minimum(block, np.minimum(step, nodes - step))
        return Leaving(largest, largest * nodes / block)

    return of


def _complement(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    # With an odd number of blocks the middle one keeps its flows.
    return Leaving(block * 1.0, nodes - np.where(np.mod(nodes / block, 2.0) == 1, block, 0.0))


def _transpose(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    side = np.sqrt(nodes)
    part_of_row = (block <= side) & (np.mod(side, block) == 0)
    whole_rows = (block >= side) & (np.mod(block, side) == 0)
    largest = np.where(block < side, block, block - block * block / nodes)
    total = np.where(block < side, nodes - side, nodes - block)
    known = part_of_row | whole_rows
    return Leaving(np.where(known, largest, np.nan), np.where(known, total, np.nan))


def _bit_reversal(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    wide = block * block >= nodes
    largest = np.where(
        wide, block - block * block / nodes, np.where(2.0 * block * block == nodes, block - 1.0, block * 1.0)
    )
    return Leaving(largest, np.where(wide, nodes - block, nodes - _palindromes(nodes)))


def _palindromes(nodes: Any) -> Any:
    return 2.0 ** np.ceil(np.log2(nodes) / 2.0)


def _butterfly(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    enough = np.greater_equal(nodes, 4)
    largest = np.where(enough, np.where(np.equal(block, 1), 1.0, block / 2.0), 0.0)
    return Leaving(largest, np.where(enough, nodes / 2.0, 0.0))


def _exchange(block: Any, nodes: Any, options: Mapping[str, Any]) -> Leaving:
    # Partners stand side by side in blocks of twice their distance: all of a block leave it, or none.
    out = np.greater_equal(2.0 ** options["exchange_bit"], block)
    return Leaving(np.where(out, block, 0.0), np.where(out, nodes, 0.0))


_LEAVING = {
    "shift": _shift("shift"),
    "tornado": _shift("tornado"),
    "complement": _complement,
    "transpose": _transpose,
    "bit-reversal": _bit_reversal,
    "butterfly": _butterfly,
    "exchange": _exchange,
}
