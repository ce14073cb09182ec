"""Process grids and their mapping: grids that are nearly square, and the tiles that the fewest flows leave."""

from __future__ import annotations

from functools import lru_cache
from math import prod

__all__ = ["best_tiles", "fitting_tiles", "most_square"]


@lru_cache(maxsize=65_536)
def most_square(processes: int, dimensions: int) -> tuple[int, ...]:
    """Return the grid of so many processes with the smallest sum of sides, the longest side first.

    Of equal sums it is the one whose longest side is shortest.

    Examples
    --------
    >>> most_square(4096, 2), most_square(4096, 3), most_square(24, 3)
    ((64, 64), (16, 16, 16), (4, 3, 2))
    """
    return min(_grids(processes, dimensions, processes), key=lambda sides: (sum(sides), sides))


def _grids(processes: int, dimensions: int, longest: int) -> list[tuple[int, ...]]:
    if dimensions == 1:
        return [(processes,)] if processes <= longest else []
    return [
        (side, *rest)
        for side in _divisors(processes)
        if side <= longest and side**dimensions >= processes
        for rest in _grids(processes // side, dimensions - 1, side)
    ]


@lru_cache(maxsize=65_536)
def _divisors(number: int) -> tuple[int, ...]:
    low = [divisor for divisor in range(1, int(number**0.5) + 1) if number % divisor == 0]
    return tuple(low + [number // divisor for divisor in reversed(low) if divisor * divisor != number])


def fitting_tiles(outer: tuple[int, ...], volume: int) -> list[tuple[int, ...]]:
    """Return all tiles of a volume whose sides divide those of the outer one."""
    if len(outer) == 1:
        return [(volume,)] if outer[0] % volume == 0 else []
    return [
        (side, *rest)
        for side in _divisors(outer[0])
        if volume % side == 0
        for rest in fitting_tiles(outer[1:], volume // side)
    ]


def _leaving(grid: tuple[int, ...], tile: tuple[int, ...]) -> int:
    volume = prod(tile)
    return sum(volume // side for side, length in zip(tile, grid, strict=True) if length > side)


@lru_cache(maxsize=65_536)
def best_tiles(grid: tuple[int, ...], blocks: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
    """Return the nested tiles, the outer first, that the fewest flows leave.

    Parameters
    ----------
    grid : tuple of int
        Sides of the process grid.
    blocks : tuple of int
        Nodes of the hardware blocks, the outer first.

    Returns
    -------
    tuple of tuple of int or None
        None when no tile of the wanted volume divides the grid. The outer tile is chosen first among those that leave
        room for an inner one, then the inner; of equals the one with the longest first sides.
    """
    if len(blocks) == 1:
        tiles = fitting_tiles(grid, blocks[0])
        return (min(tiles, key=lambda tile: (_leaving(grid, tile), [-side for side in tile])),) if tiles else None
    pairs = [(outer, inner) for outer in fitting_tiles(grid, blocks[0]) for inner in fitting_tiles(outer, blocks[1])]
    if not pairs:
        return None
    return min(
        pairs,
        key=lambda pair: (
            _leaving(grid, pair[0]),
            _leaving(grid, pair[1]),
            [[-side for side in tile] for tile in pair],
        ),
    )
