"""Designs as genomes: the alternative, and one whole number per axis of the longest alternative.

A gene stands for the same place among the axes in every alternative, never for one axis of one of them: so a genome
has as many genes as the longest alternative has axes, however many alternatives there are. Where the axes at a place
are of different lengths, its gene runs over a common range and is scaled to each: what is half-way along one axis is
half-way along the other when the alternative changes.
"""

from __future__ import annotations

import numpy as np

from dse.space.design_space import Space

__all__ = ["Genome"]

_SCALED = 1024


class Genome:
    """The genes of the designs of a space.

    Attributes
    ----------
    ranges : (1 + longest,) ndarray of int64
        How many values each gene has: that of the alternative first, then one per place among the axes.
    counts : (alternatives, longest) ndarray of int64
        Rows of the axis at each place; 1 where an alternative has none.
    """

    def __init__(self, space: Space) -> None:
        longest = max(len(product.axes) for product in space.products)
        self.counts = np.ones((len(space.products), longest), dtype=np.int64)
        self._strides = np.zeros_like(self.counts)
        for index, product in enumerate(space.products):
            self.counts[index, : len(product.axes)] = product.shape
            self._strides[index, : len(product.axes)] = product.strides
        self._offsets = np.array(space.offsets, dtype=np.int64)
        most = self.counts.max(axis=0, initial=1)
        alike = np.where(self._strides > 0, self.counts == most, True).all(axis=0)
        self.ranges = np.concatenate([[len(space.products)], np.where(alike, most, np.maximum(most, _SCALED))])

    def random(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Return random genomes, (count, genes): every alternative is as likely as every other."""
        return rng.integers(0, self.ranges, (count, len(self.ranges)), dtype=np.int64)

    def rows(self, genes: np.ndarray) -> np.ndarray:
        """Return the row of the axis at each place, (n, longest)."""
        result: np.ndarray = genes[:, 1:] * self.counts[genes[:, 0]] // self.ranges[1:]
        return result

    def decode(self, genes: np.ndarray) -> np.ndarray:
        """Return the design numbers of genomes, (n,)."""
        chosen = genes[:, 0]
        return np.asarray(self._offsets[chosen] + (self.rows(genes) * self._strides[chosen]).sum(axis=1))

    def encode(self, numbers: np.ndarray) -> np.ndarray:
        """Return genomes of designs, (n, genes); genes that stand for no axis are 0."""
        chosen = np.searchsorted(self._offsets, numbers, side="right") - 1
        strides, counts = self._strides[chosen], self.counts[chosen]
        local = (numbers - self._offsets[chosen])[:, None]
        rows = np.where(strides > 0, local // np.maximum(strides, 1) % counts, 0)
        return np.concatenate([chosen[:, None], self._genes(rows, counts)], axis=1)

    def mutate(self, genes: np.ndarray, rng: np.random.Generator, changes: float = 1.5) -> np.ndarray:
        """Return genomes of which `changes` genes are changed on average, those with one value aside.

        Half of the changes give a gene a random value; half of them go one row of its axis up or down.
        """
        chosen = genes[:, 0]
        alive = np.concatenate([np.full((len(genes), 1), self.ranges[0] > 1), self.counts[chosen] > 1], axis=1)
        share = changes / np.maximum(1, alive.sum(axis=1, keepdims=True))
        changed = alive & (rng.random(genes.shape) < share)
        drawn = rng.random(genes.shape) < 0.5
        anew = self.random(len(genes), rng)
        step = rng.integers(0, 2, genes.shape) * 2 - 1
        counts = self.counts[chosen]
        rows = np.clip(self.rows(genes) + step[:, 1:], 0, counts - 1)
        other = np.clip(chosen + step[:, 0], 0, self.ranges[0] - 1)
        near = np.concatenate([other[:, None], self._genes(rows, counts)], axis=1)
        return np.where(changed, np.where(drawn, anew, near), genes)

    def _genes(self, rows: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the genes in the middle of those that stand for rows of axes with some counts."""
        result: np.ndarray = -(-rows * self.ranges[1:] // counts) + (self.ranges[1:] // counts - 1) // 2
        return result
