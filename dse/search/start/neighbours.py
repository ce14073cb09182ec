"""Designs that differ in one axis at most from some designs."""

from __future__ import annotations

import numpy as np

from dse.space.design_space import Space

__all__ = ["one_step_neighbours", "steps_from"]


def one_step_neighbours(space: Space, numbers: np.ndarray) -> np.ndarray:
    """Return some designs and all that differ from one of them in one axis, in rising order."""
    parts = [numbers]
    for index, here in space.by_product(numbers):
        parts.append(steps_from(space, index, numbers[here]).reshape(-1))
    return np.unique(np.concatenate(parts))


def steps_from(space: Space, index: int, numbers: np.ndarray) -> np.ndarray:
    """Return what differs in one axis from each of some designs of a product, (k,), and itself: (k, c)."""
    product = space.products[index]
    steps = [
        numbers[:, None] + (np.arange(count) - row[:, None]) * stride
        for row, stride, count in zip(space.decode(index, numbers), product.strides, product.shape, strict=True)
    ]
    return np.concatenate([numbers[:, None], *steps], axis=1)
