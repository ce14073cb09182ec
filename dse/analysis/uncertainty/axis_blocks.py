"""Blocks of axes: what alternatives share of their designs, so that parts of some are tried in others.

    fabric, cards        every alternative has them           a block each
    shape                alternatives of one network          a block
    process, cores, …    those of one kind of node            a block, with memory, which two kinds of node have

A block is a set of axes that the same alternatives have, rows and all; one whose alternatives are among those of
another, that not all have, is one with it. An axis that all have is a block of its own. Designs that differ in
several axes at once often consist of blocks that are known from other designs.
"""

from __future__ import annotations

from math import prod

import numpy as np

from dse.space.axes import Axis
from dse.space.design_space import Space

__all__ = ["AxisBlocks"]

_WIDE, _SMALL, _BESIDE = 100, 300, 3  # known rows of large blocks, all rows of small ones, and what is beside them
_LONG = 100  # rows of a block, and of what is beside it
_MOST = 40  # rows of a block that are combined: those of the designs nearest the best
_COMBINED = 200_000  # designs of a product that are combined at most: of many blocks fewer rows of each

Signature = tuple[tuple[int, ...], str]
"""Which products have a block, and, where all have it, which axis it is."""


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
        self.known: dict[int, np.ndarray] = {}
        for index, here in space.by_product(numbers):
            self.known[index] = numbers[here][np.argsort(gaps[here], kind="stable")]
            decoded = space.decode(index, numbers[here])
            for signature, places in self.blocks[index].items():
                rows.setdefault(signature, []).append(np.stack([decoded[place] for place in places], axis=1))
                nearness.setdefault(signature, []).append(gaps[here])
        self.rows = {
            signature: _nearest(np.concatenate(own), np.concatenate(nearness[signature]))
            for signature, own in rows.items()
        }

    def combined(self, index: int) -> np.ndarray:
        """Return designs of a product that consist of known blocks; none where one of its blocks is not known.

        Each block in turn that not all alternatives have, with what is beside it in known designs: so both lists can be
        long. Where there is no such block, or no design is known, every combination of few rows of each.
        """
        own = [signature for signature in self.blocks[index] if not signature[1] and signature in self.rows]
        if own and index in self.known:
            made = []
            for signature in own:
                known = self.known[index]
                beside = np.unique(known - self._part(signature, index, known, index), return_index=True)
                nearest = beside[0][np.argsort(beside[1], kind="stable")[:_LONG]]
                rows = self.rows[signature][:_LONG] @ self._strides(index, signature)
                made.append((nearest[:, None] + rows).reshape(-1))
            made.append(self._widely(index, own))
            return np.unique(np.concatenate(made))
        numbers = np.array([self.space.offsets[index]], dtype=np.int64)
        most = self._most(index)
        for signature in self.blocks[index]:
            if signature not in self.rows:
                return np.empty(0, dtype=np.int64)
            part = self.rows[signature][:most] @ self._strides(index, signature)
            numbers = (numbers[:, None] + part[None]).reshape(-1)
        return np.unique(numbers)

    def crossed(self, index: int, numbers: np.ndarray, into: int, rng: np.random.Generator, each: int) -> np.ndarray:
        """Return, for each of some designs of a product, (k,), what is made of it in a product, (k, c).

        Some designs that are known there, at random for each, get a block of it, each in turn that both products have
        and not all; in its own product it gets theirs, too.
        """
        made = [np.empty((len(numbers), 0), dtype=np.int64)]
        if into in self.known:
            known = rng.choice(self.known[into], (len(numbers), each))
            for signature in self.blocks[into]:
                if signature in self.blocks[index] and not signature[1]:
                    own = self._part(signature, index, numbers, into)[:, None]
                    other = self._part(signature, into, known.reshape(-1), into).reshape(known.shape)
                    made.append(known - other + own)
                    if into == index:
                        made.append(numbers[:, None] - own + other)
        return np.concatenate(made, axis=1)

    def _widely(self, index: int, own: list[Signature]) -> np.ndarray:
        """Return combinations of all rows of the small blocks and known rows of the large ones, with few beside them."""
        numbers = np.array([0], dtype=np.int64)
        beside = self.known[index]
        for signature in own:
            beside = beside - self._part(signature, index, beside, index)
            shape = [self.space.products[index].shape[place] for place in self.blocks[index][signature]]
            rows = self.rows[signature][:_WIDE]
            if prod(shape) <= _SMALL:
                rows = np.stack(np.unravel_index(np.arange(prod(shape)), shape), axis=1)
            numbers = (numbers[:, None] + rows @ self._strides(index, signature)).reshape(-1)
        different, first = np.unique(beside, return_index=True)
        nearest = different[np.argsort(first, kind="stable")[:_BESIDE]]
        return np.asarray((nearest[:, None] + numbers[: _COMBINED // max(1, len(nearest))]).reshape(-1))

    def _part(self, signature: Signature, index: int, numbers: np.ndarray, into: int) -> np.ndarray:
        """Return what a block of designs of a product adds to the number of a design of a product."""
        decoded = self.space.decode(index, numbers)
        rows = np.stack([decoded[place] for place in self.blocks[index][signature]], axis=1)
        return np.asarray(rows @ self._strides(into, signature))

    def _strides(self, index: int, signature: Signature) -> np.ndarray:
        strides = self.space.products[index].strides
        return np.array([strides[place] for place in self.blocks[index][signature]], dtype=np.int64)

    def _most(self, index: int) -> int:
        """Return how many rows of each block of a product are combined at most."""
        known = [len(self.rows.get(signature, ())) for signature in self.blocks[index]]
        fitting = (most for most in range(_MOST, 1, -1) if prod(min(most, count) for count in known) <= _COMBINED)
        return next(fitting, 1)


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
            own = tuple(having[identity])
            apart.setdefault((own, identity[0] if len(own) == len(space.products) else ""), []).append(place)
        joined: dict[Signature, list[int]] = {}
        for signature in sorted(apart, key=lambda signature: (len(signature[0]), signature)):
            into = next(
                (other for other in joined if not signature[1] and set(other[0]) < set(signature[0])), signature
            )
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
    chosen: np.ndarray = different[np.argsort(least, kind="stable")[:_LONG]]
    return chosen
