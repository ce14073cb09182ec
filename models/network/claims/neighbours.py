"""The printed bandwidths of neighbours on a grid (Anghel 2017, Tables 5.5 to 5.8) beside ours, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.claims.printed_formula import GIGA, Case, Corner, Printed

__all__ = ["neighbour_claims"]

Sides = tuple[int, int]


def neighbour_claims() -> list[Claim]:
    """Return a few claims for every table of Section 5.6."""
    tables = (_mesh(), _tree_2(), _tree_3(), _hyperx())
    return [claim for printed in tables for claim in printed.claims()]


# ---- the tables as they stand ----------------------------------------------------------------------------------------


def table_5_5(a: int, p: int, b0: float, b1: float, grid: Sides, tiles: Sequence[Sides]) -> float:
    """Full mesh. The last line is in the text of Section 5.6.2 only."""
    (big_1, big_2), ((d1, d2),) = grid, tiles
    rows = {
        (">", ">"): (b1 / d1, b1 / d2),
        ("=", ">"): (b1 / d1, b1 / (2 * d2)),
        (">", "="): (b1 / (2 * d1), b1 / d2),
        ("=", "="): (b1 / (2 * d1), b1 / (2 * d2)),
        ("1", ">"): (b1 / d1,),
        (">", "1"): (b1 / d2,),
        ("=", "1"): (b1 / (2 * d2),),
        ("1", "="): (b1 / (2 * d2),),
    }
    return 4 * min(b0 / 4, *rows[_beside_two(big_1, d1), _beside_two(big_2, d2)])


def _beside_two(length: int, side: int) -> str:
    return "1" if length == side else "=" if length == 2 * side else ">"


def table_5_6(m1: int, m2: int, w0: int, w1: int, b0: float, b1: float, grid: Sides, tiles: Sequence[Sides]) -> float:
    """Fat tree of two levels."""
    (big_1, big_2), ((d1, d2),) = grid, tiles
    if big_1 >= 2 * d1 and big_2 >= 2 * d2:
        return 4 * min(b0 / 4, b1 * w1 / (2 * (d1 + d2)))
    if big_2 >= 2 * d2:
        return 4 * min(b0 / 4, b1 * w1 / (2 * d1))
    if big_1 >= 2 * d1:
        return 4 * min(b0 / 4, b1 * w1 / (2 * d2))
    return 4 * (b0 / 4)


def table_5_7(
    m1: int,
    m2: int,
    m3: int,
    w0: int,
    w1: int,
    w2: int,
    b0: float,
    b1: float,
    b2: float,
    grid: Sides,
    tiles: Sequence[Sides],
) -> float:
    """Fat tree of three levels."""
    (o1, o2), (i1, i2) = tiles
    a, b, x, y = grid[0] // o1, grid[1] // o2, o1 // i1, o2 // i2
    both = b1 * w1 / (2 * (i1 + i2))
    if a >= 2 and b >= 2:
        return 4 * min(b0 / 4, both, b2 * w1 * w2 / (2 * (o1 + i2)))
    if a == 1 and b >= 2 and x >= 2:
        return 4 * min(b0 / 4, both, b2 * w1 * w2 / (2 * o1))
    if a == 1 and b >= 2 and y >= 2:
        return 4 * min(b0 / 4, b1 * w1 / (2 * i1), b2 * w1 * w2 / (2 * o1))
    if a >= 2 and b == 1 and y >= 2:
        return 4 * min(b0 / 4, both, b2 * w1 * w2 / (2 * o2))
    return 4 * min(b0 / 4, b1 * w1 / (2 * i2), b2 * w1 * w2 / (2 * o2))


def table_5_8(p: int, d: Sides, b0: float, b: tuple[float, float], grid: Sides) -> float:
    """HyperX of two dimensions, D2 > 2."""
    b1, b2 = b
    m = grid[0] // p
    k = d[0] // m
    rows = {
        (1, 3): (b1 / p, 2 * b2 / p),
        (1, 1): (b2 / p,),
        (1, 2): (b1 / (2 * p), 2 * b2 / p),
        (2, 3): (b1 / 2, b1 / p, 2 * b2 / p),
        (2, 1): (b1 / 2, b2 / p),
        (2, 2): (b1 / (2 * p), 2 * b2 / p),
        (3, 3): (b1 / p, 2 * b2 / p),
        (3, 1): (b1, b2 / p),
        (3, 2): (b1 / (2 * p), 2 * b2 / p),
    }
    return 4 * min(b0 / 4, *rows[min(m, 3), min(k, 3)])


# ---- cases -----------------------------------------------------------------------------------------------------------


def _case(sizes: dict[str, Any], bandwidths: dict[str, Any], grid: Sides, *tiles: Sides) -> Case:
    speeds = {
        name: tuple(side_bandwidth * GIGA for side_bandwidth in value) if isinstance(value, tuple) else value * GIGA
        for name, value in bandwidths.items()
    }
    return Case({**sizes, **speeds}, {"grid": grid, "tiles": tiles} if tiles else {"grid": grid})


_PARALLEL = "the w0 parallel links of a node are left out"


def _mesh() -> Printed:
    def of(grid: Sides, tile: Sides = (5, 2)) -> Case:
        p = tile[0] * tile[1]
        return _case({"a": grid[0] * grid[1] // p, "p": p}, {"b0": 70, "b1": 7}, grid, tile)

    rows = ((15, 6), (10, 6), (15, 4), (10, 4), (5, 6), (15, 2), (10, 2))
    note = "the table has no such row; Section 5.6.2 prints b1/(2 d2) where the North and South links take 2 d1 flows"
    corner = Corner("D1 = d1 and D2 = 2 d2 (tile 5×2; b1 7 GB/s)", of((5, 4)), note)
    return Printed(
        "Table 5.5",
        "full mesh, neighbours",
        "full-mesh",
        "nearest-neighbour",
        table_5_5,
        tuple(of(grid) for grid in rows),
        (corner,),
    )


def _tree_2() -> Printed:
    def of(grid: Sides, tile: Sides = (4, 4), w0: int = 1, b0: float = 70, b1: float = 7) -> Case:
        m1 = tile[0] * tile[1]
        sizes = {"m1": m1, "m2": grid[0] * grid[1] // m1, "w0": w0, "w1": 4}
        return _case(sizes, {"b0": b0, "b1": b1}, grid, tile)

    corner = Corner("w0 = 2 (tile 4×4; 1 and 7 GB/s)", of((16, 8), w0=2, b0=1, b1=70), _PARALLEL)
    return Printed(
        "Table 5.6",
        "2-level fat tree, neighbours",
        "fat-tree-2-level",
        "nearest-neighbour",
        table_5_6,
        (of((16, 8)), of((4, 32)), of((32, 4)), of((4, 4)), of((16, 8), (8, 2))),
        (corner,),
    )


def _tree_3() -> Printed:
    def of(grid: Sides, outer: Sides, inner: Sides, w0: int = 1, b0: float = 70, b2: float = 7) -> Case:
        m1, below = inner[0] * inner[1], outer[0] * outer[1]
        sizes = {"m1": m1, "m2": below // m1, "m3": grid[0] * grid[1] // below, "w0": w0, "w1": 2, "w2": 1}
        return _case(sizes, {"b0": b0, "b1": 7, "b2": b2}, grid, outer, inner)

    note = "names d2 of the inner tile where d2 of the outer one is meant, as in Eq. 5.66"
    return Printed(
        "Table 5.7",
        "3-level fat tree, neighbours",
        "fat-tree-3-level",
        "nearest-neighbour",
        table_5_7,
        (
            of((16, 8), (8, 4), (4, 2), b2=70),
            of((8, 16), (8, 4), (4, 2)),
            of((8, 16), (8, 4), (4, 4)),
            of((8, 16), (8, 4), (8, 2)),
            of((16, 4), (8, 4), (4, 2)),
            of((16, 4), (8, 4), (4, 4)),
        ),
        (
            Corner("row 1 (16×8, tiles 8×4 and 4×2; w 1, 2, 1; 7 GB/s)", of((16, 8), (8, 4), (4, 2)), note),
            Corner(
                "w0 = 2 (16×4, tiles 8×4 and 4×2; b0 0.5 GB/s)", of((16, 4), (8, 4), (4, 2), w0=2, b0=0.5), _PARALLEL
            ),
        ),
    )


def _hyperx() -> Printed:
    def of(p: int, d: Sides, grid: Sides, b: tuple[float, float] = (5, 1)) -> Case:
        return _case({"p": p, "d": d}, {"b0": 70, "b": b}, grid)

    rows = (
        of(2, (4, 3), (2, 12)),
        of(2, (1, 3), (2, 3)),
        of(2, (2, 3), (2, 6), (1, 5)),
        of(1, (8, 3), (2, 12), (1, 5)),
        of(1, (2, 3), (2, 3), (1, 5)),
        of(2, (4, 3), (4, 6), (1, 5)),
        of(2, (9, 3), (6, 9), (1, 5)),
        of(2, (3, 3), (6, 3)),
        of(2, (6, 3), (6, 6), (1, 5)),
    )
    shared = "with d2 = 2 North and South share the Y link: b2/p, not 2 b2/p"
    return Printed(
        "Table 5.8",
        "2-D HyperX, neighbours",
        "hyperx",
        "nearest-neighbour",
        table_5_8,
        rows,
        (
            Corner("d2 = 2 (p 2, 6×2; 5 and 1 GB/s; 4×6)", of(2, (6, 2), (4, 6)), shared),
            Corner(
                "d2 = 1 (p 2, 6×1; 5 and 1 GB/s; 4×3)",
                of(2, (6, 1), (4, 3)),
                "with d2 = 1 there are no Y links, so no term of them",
            ),
        ),
    )
