"""Designs that differ in one axis at most from some designs."""

from __future__ import annotations

import numpy as np

from dse.space.design_space import Space

__all__ = ["one_step_neighbours"]


def one_step_neighbours(space: Space, numbers: np.ndarray) -> np.ndarray:
    """Return some designs and all that differ from one of them in one axis, in rising order."""
    parts = [numbers]
    for index, here in space.by_product(numbers):
        product, own = space.products[index], numbers[here]
        rows = space.decode(index, own)
        parts += [
            (own[:, None] + (np.arange(count) - row[:, None]) * stride).reshape(-1)
            for row, stride, count in zip(rows, product.strides, product.shape, strict=True)
        ]
    return np.unique(np.concatenate(parts))
