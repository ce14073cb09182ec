"""Designs that differ in one axis at most from some designs."""

from __future__ import annotations

import numpy as np

from dse.space.design_space import Space

__all__ = ["one_step_neighbours", "random_steps", "steps_from"]

_THIRD = 0.5  # how probably a third axis differs, too


def one_step_neighbours(space: Space, numbers: np.ndarray) -> np.ndarray:
    """Return some designs and all that differ from one of them in one axis, in rising order."""
    parts = [numbers]
    for index, here in space.by_product(numbers):
        parts.append(steps_from(space, index, numbers[here]).reshape(-1))
    return np.unique(np.concatenate(parts))


def random_steps(space: Space, index: int, numbers: np.ndarray, each: int, rng: np.random.Generator) -> np.ndarray:
    """Return some designs at random that differ from each of some of a product, (k,), in two axes or three: (k, c)."""
    product = space.products[index]
    places = np.array([place for place, count in enumerate(product.shape) if count > 1])
    if len(places) < 2:
        return np.empty((len(numbers), 0), dtype=np.int64)
    rows, shape = np.stack(space.decode(index, numbers), axis=1), np.array(product.shape)
    strides = np.array(product.strides, dtype=np.int64)
    several = rng.random((len(numbers), each, len(places))).argsort(axis=2)[:, :, :3]
    moved = np.repeat(numbers[:, None], each, axis=1)
    for step in range(several.shape[2]):
        chosen = places[several[:, :, step]]
        change = (rng.integers(0, shape[chosen]) - np.take_along_axis(rows, chosen, axis=1)) * strides[chosen]
        moved += np.where((step < 2) | (rng.random(chosen.shape) < _THIRD), change, 0)
    return moved


def steps_from(space: Space, index: int, numbers: np.ndarray) -> np.ndarray:
    """Return what differs in one axis from each of some designs of a product, (k,), and itself: (k, c)."""
    product = space.products[index]
    steps = [
        numbers[:, None] + (np.arange(count) - row[:, None]) * stride
        for row, stride, count in zip(space.decode(index, numbers), product.strides, product.shape, strict=True)
    ]
    return np.concatenate([numbers[:, None], *steps], axis=1)
