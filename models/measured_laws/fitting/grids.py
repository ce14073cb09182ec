"""Factors that a full grid of runs points to: an array of measurements that is a sum of few products is of low rank.

If ``y = sum_k a_k f_k(n) g_k(p) h_k(e)`` on a grid, the table of y with one row per n has the columns f_k times
numbers, so the f_k lie in the space of its first left singular vectors. Factors near that space are worth a closer
look; which of them it is, the fits decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["grid_shape", "promising"]

_NEAREST = {1: 3, 2: 5, 3: 5}
"""Factors looked at closely, by the rank of the space."""


def grid_shape(sizes: np.ndarray) -> tuple[int, ...] | None:
    """Return the number of values along each axis where the runs, in rising order, are a full grid; else None.

    Parameters
    ----------
    sizes : ndarray, shape (runs, parameters)
    """
    axes = [np.unique(sizes[:, place]) for place in range(sizes.shape[1])]
    shape = tuple(map(len, axes))
    if int(np.prod(shape)) != len(sizes):
        return None
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(sizes.shape)
    return shape if np.array_equal(grid, sizes) else None


def promising(values: np.ndarray, shape: tuple[int, ...], columns: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the indices of the promising factors of each axis.

    Parameters
    ----------
    values : ndarray, shape (runs,)
        All above 0.
    shape : tuple of int
        Values along each axis.
    columns : sequence of ndarray, shape (factors, values along the axis)
    """
    table = values.reshape(shape)
    logs, chosen_factors = np.log(table), []
    scaled, means = logs - logs.mean(), []
    for axis in range(len(shape)):
        others = tuple(other for other in range(len(shape)) if other != axis)
        means.append(logs.mean(axis=others) - logs.mean())
        scaled = scaled - means[axis].reshape([-1 if other == axis else 1 for other in range(len(shape))])
    even = np.exp(scaled)  # relative errors are errors of one size here, and products stay products
    for axis, count in enumerate(shape):
        vectors, _, _ = np.linalg.svd(np.moveaxis(even, axis, 0).reshape(count, -1), full_matrices=False)
        aligned = columns[axis] / np.exp(means[axis])
        lengths = np.linalg.norm(aligned, axis=1, keepdims=True)
        aligned = aligned / np.where(lengths > 0, lengths, 1.0)
        chosen: set[int] = {0}
        for rank, nearest in _NEAREST.items():
            if rank < min(count, vectors.shape[1] + 1):
                inside = np.square(aligned @ vectors[:, :rank]).sum(axis=1)
                chosen.update(np.argsort(-inside, kind="stable")[:nearest].tolist())
        chosen_factors.append(np.array(sorted(chosen)))
    return chosen_factors
