"""Blocks of axes: what alternatives share of their designs, so that parts of some are tried in others.

    fabric, cards        every alternative has them           a block
    shape                alternatives of one network          a block
    process, cores, …    those of one kind of node            a block, with memory, which two kinds of node have

A block is a set of axes that the same alternatives have, rows and all; one whose alternatives are among those of
another, that not all have, is one with it. Designs that differ in several axes at once often consist of blocks that are
known from other designs.
"""

from __future__ import annotations

import numpy as np

from dse.space.axes import Axis
from dse.space.design_space import Space

__all__ = ["AxisBlocks"]

_MOST = 40  # rows of a block that are combined: those of the designs nearest the best
_COMBINED = 200_000  # designs of a product that are combined at most: of many blocks fewer rows of each

Signature = tuple[int, ...]


class AxisBlocks:
    """The blocks of designs, by how near the best these are.

    Parameters
    ----------
    space : Space
    numbers : (n,) ndarray of int64
    gaps : (n,) ndarray
        How far each is from the best.
    """

    def __init__(self, space: Space, numbers: np.ndarray, gaps: np.ndarray) -> None:
        self.space = space
        self.blocks = _blocks(space)
        rows: dict[Signature, list[np.ndarray]] = {}
        nearness: dict[Signature, list[np.ndarray]] = {}
        for index, here in space.by_product(numbers):
            decoded = space.decode(index, numbers[here])
            for signature, places in self.blocks[index].items():
                rows.setdefault(signature, []).append(np.stack([decoded[place] for place in places], axis=1))
                nearness.setdefault(signature, []).append(gaps[here])
        self.rows = {
            signature: _nearest(np.concatenate(own), np.concatenate(nearness[signature]))
            for signature, own in rows.items()
        }

    def combined(self, index: int) -> np.ndarray:
        """Return the designs of a product that consist of known blocks; none where one of its blocks is not known."""
        product, numbers = self.space.products[index], np.array([self.space.offsets[index]], dtype=np.int64)
        most = max(1, int(_COMBINED ** (1.0 / max(1, len(self.blocks[index])))))
        for signature, places in self.blocks[index].items():
            if signature not in self.rows:
                return np.empty(0, dtype=np.int64)
            strides = np.array([product.strides[place] for place in places], dtype=np.int64)
            numbers = (numbers[:, None] + (self.rows[signature][:most] @ strides)[None]).reshape(-1)
        return np.unique(numbers)


def _blocks(space: Space) -> list[dict[Signature, list[int]]]:
    """Return the places of the axes of each product, by block; axes of a block are in the same order in all."""
    having: dict[tuple[str, ...], list[int]] = {}
    for index, product in enumerate(space.products):
        for axis in product.axes:
            having.setdefault(_identity(axis), []).append(index)
    blocks = []
    for product in space.products:
        apart: dict[Signature, list[int]] = {}
        for identity, place in sorted((_identity(axis), place) for place, axis in enumerate(product.axes)):
            apart.setdefault(tuple(having[identity]), []).append(place)
        joined: dict[Signature, list[int]] = {}
        for signature in sorted(apart, key=lambda signature: (len(signature), signature)):
            shared = len(signature) == len(space.products)
            into = next((other for other in joined if not shared and set(other) < set(signature)), signature)
            joined.setdefault(into, []).extend(apart[signature])
        blocks.append(joined)
    return blocks


def _identity(axis: Axis) -> tuple[str, ...]:
    return (axis.name, *(axis.label(row) for row in range(len(axis))))


def _nearest(rows: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Return the different rows of a block, at most so many, those of the nearest designs first."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    least = np.full(len(different), np.inf)
    np.minimum.at(least, which.reshape(-1), gaps)
    chosen: np.ndarray = different[np.argsort(least, kind="stable")[:_MOST]]
    return chosen
