"""Closing a frontier: all values of one axis at a time for each of its designs, until nothing new comes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dse.search.start.visited import Visited

__all__ = ["close"]

_AT_ONCE = 65_536  # designs of one look


def close(visited: Visited, closed: np.ndarray, most: int | None = None) -> np.ndarray:
    """Look at every design that differs in one axis from one of the frontier, until the frontier stays as it is.

    Parameters
    ----------
    visited : Visited
        The designs that were looked at, with the frontier among them.
    closed : ndarray of int64
        Designs whose neighbours along all axes were looked at before, in rising order.
    most : int, optional
        Evaluated designs after which no further round is begun.

    Returns
    -------
    ndarray of int64
        Designs whose neighbours were all looked at. The frontier is closed when all of it is among them.
    """
    begun = len(visited.numbers)
    while True:
        frontier = visited.archive.result()[1]
        todo = frontier[~np.isin(frontier, closed, assume_unique=True)]
        if not len(todo) or not visited.left or (most is not None and len(visited.numbers) - begun >= most):
            return closed
        for near, done in _responses(visited, todo):
            if not visited.look(near):
                return closed
            closed = np.union1d(closed, done)
            if most is not None and len(visited.numbers) - begun >= most:
                break


def _responses(visited: Visited, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield designs that differ in one axis from some designs, with those of which all such have then been yielded."""
    space = visited.problem.space
    for index, here in space.by_product(numbers):
        product, own = space.products[index], numbers[here]
        each = max(1, sum(product.shape))
        while len(own):
            step = max(1, min(_AT_ONCE, visited.left) // each)  # few at a time, so that the last ones fit
            piece, own = own[:step], own[step:]
            rows = space.decode(index, piece)
            moved = [
                (piece[:, None] + (np.arange(count) - row[:, None]) * stride).reshape(-1)
                for row, stride, count in zip(rows, product.strides, product.shape, strict=True)
            ]
            yield np.concatenate([piece, *moved]), piece
