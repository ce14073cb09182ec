"""Nearest neighbours on a periodic grid that is cut into tiles, one tile per hardware block.

After Anghel 2017, Section 5.6 (two dimensions: Eqs. 5.62 to 5.66, Tables 5.5 to 5.7); any number of dimensions is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Tiling", "neighbour_flows", "tiling", "travelling_fraction"]


class Tiling(NamedTuple):
    """A grid of processes cut into tiles.

    Attributes
    ----------
    volume : ndarray
        Processes of a tile.
    faces : tuple of ndarray
        Processes on one side of a tile, by dimension.
    counts : tuple of ndarray
        Tiles along each dimension.
    leaving : ndarray
        Flows that leave a tile.
    """

    volume: Any
    faces: tuple[Any, ...]
    counts: tuple[Any, ...]
    leaving: Any


def tiling(grid: Sequence[Any], tile: Sequence[Any]) -> Tiling:
    """Return faces, counts and leaving flows of a tile that divides the grid."""
    volume = prod(tile)
    faces = tuple(volume / side for side in tile)
    counts = tuple(length / side for length, side in zip(grid, tile, strict=True))
    leaving = sum(2.0 * face * np.greater(count, 1) for face, count in zip(faces, counts, strict=True))
    return Tiling(volume, faces, counts, leaving)


def neighbour_flows(grid: Sequence[Any]) -> int:
    """Return the flows each process sends: two per dimension."""
    return 2 * len(grid)


def travelling_fraction(grid: Sequence[Any]) -> Any:
    """Return how many flows per process have another process as destination: two per dimension longer than 1."""
    return sum(2.0 * np.greater(length, 1) for length in grid)
