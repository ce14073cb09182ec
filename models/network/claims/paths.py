"""The printed link latencies of a path (Anghel 2017, appendix tables 1 and 3 to 6) beside ours, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, prod
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.claims.printed_formula import NANO, Case, Corner, Printed

__all__ = ["path_claims"]

Sides = tuple[int, int]

_L0, _L1, _L2 = 3 * NANO, 5 * NANO, 11 * NANO


def path_claims() -> list[Claim]:
    """Return a few claims for every row of the appendix tables of latencies."""
    tables = (*_uniform(), _mesh(), _tree_2(), _tree_3(), _hyperx())
    return [claim for printed in tables for claim in printed.claims()]


# ---- table 1, uniform ------------------------------------------------------------------------------------------------


def _table_1_tree_2(m1: int, m2: int, w1: int, l0: float, l1: float) -> float:
    x1 = (m1 - 1) * 2 * l0
    x2 = (m2 - 1) * m1 * (2 * l0 + 2 * l1)
    return (x1 + x2) / (m1 * m2 - 1)


def _table_1_tree_3(m1: int, m2: int, m3: int, w1: int, w2: int, l0: float, l1: float, l2: float) -> float:
    x1 = (m1 - 1) * 2 * l0
    x2 = (m2 - 1) * m1 * (2 * l0 + 2 * l1)
    x3 = m1 * m2 * (m3 - 1) * (2 * l0 + 2 * l1 + 2 * l2)
    return (x1 + x2 + x3) / (m1 * m2 * m3 - 1)


def _table_1_hyperx(p: int, d: Sequence[int], l0: float, l: Sequence[float]) -> float:  # noqa: E741
    (d1, d2), (l1, l2) = d, l
    x1 = (p - 1) * 2 * l0
    x21 = p * (d1 - 1) * (2 * l0 + l1)
    x22 = p * (d2 - 1) * (2 * l0 + l2)
    x23 = p * (d1 - 1) * (d2 - 1) * (2 * l0 + l1 + l2)
    return (x1 + x21 + x22 + x23) / (d1 * d2 * p - 1)


def _table_1_torus(p: int, d: Sequence[int], l0: float, l: Sequence[float]) -> float:  # noqa: E741
    rings = sum(ceil(size / 2) * floor(size / 2) * link / size for size, link in zip(d, l, strict=True))
    return 2 * l0 + rings - 2 * l0 / (p * prod(d))


def _table_1_mesh(a: int, p: int, l0: float, l1: float) -> float:
    x1 = a * p * (p - 1) * 2 * l0
    x2 = a * p * p * (a - 1) * (2 * l0 + l1)
    return (x1 + x2) / (a * p * (a * p - 1))


def _uniform() -> tuple[Printed, ...]:
    two, three = {"l0": _L0, "l1": _L1}, {"l0": _L0, "l1": _L1, "l2": _L2}
    average = "the torus rows average over all nodes, with itself at distance 0; all other rows leave itself out"

    def grid(p: int, *d: int) -> Case:
        return Case({"p": p, "d": d, "l0": _L0, "l": (_L1, _L2, 7 * NANO)[: len(d)]})

    def row(what: str, topology: str, formula: Any, *cases: Case, corners: tuple[Corner, ...] = ()) -> Printed:
        return Printed(
            "Appendix table 1", f"{what}, uniform", topology, "uniform", formula, cases, corners, quantity="latency"
        )

    def torus(what: str, *d: int) -> Corner:
        return Corner(f"{what} (p 1; l0 3, l 5, 11, 7 ns)", grid(1, *d), average)

    return (
        row("2-level fat tree", "fat-tree-2-level", _table_1_tree_2, Case({"m1": 16, "m2": 8, "w1": 4, **two})),
        row(
            "3-level fat tree",
            "fat-tree-3-level",
            _table_1_tree_3,
            Case({"m1": 8, "m2": 4, "m3": 4, "w1": 4, "w2": 2, **three}),
        ),
        row("2-D HyperX", "hyperx", _table_1_hyperx, grid(4, 4, 3), grid(64, 64, 64), grid(1, 4, 2)),
        row("1-D torus", "torus", _table_1_torus, corners=(torus("ring of 4", 4), torus("ring of 5", 5))),
        row("2-D torus", "torus", _table_1_torus, corners=(torus("2×2", 2, 2), torus("4×3", 4, 3))),
        row("3-D torus", "torus", _table_1_torus, corners=(torus("4×4×4", 4, 4, 4),)),
        row("full mesh", "full-mesh", _table_1_mesh, Case({"a": 6, "p": 10, **two}), Case({"a": 16, "p": 1, **two})),
    )


# ---- tables 3 and 4, neighbours on a full mesh and on a 2-level fat tree ---------------------------------------------


def _leaving(grid: Sides, tile: Sides) -> int:
    """Flows that leave a tile, by the rows of tables 3 and 4."""
    d1, d2 = tile
    if d1 == grid[0]:
        return 2 * d1
    if d2 == grid[1]:
        return 2 * d2
    return 2 * d2 + 2 * d1


def _table_3(a: int, p: int, l0: float, l1: float, grid: Sides, tiles: Sequence[Sides]) -> float:
    ((d1, d2),) = tiles
    x1 = _leaving(grid, (d1, d2)) * (2 * l0 + l1)
    x2 = (4 * d1 * d2 - _leaving(grid, (d1, d2))) * 2 * l0
    return (x1 + x2) / (4 * d1 * d2)


def _table_4(m1: int, m2: int, w1: int, l0: float, l1: float, grid: Sides, tiles: Sequence[Sides]) -> float:
    ((d1, d2),) = tiles
    x1 = _leaving(grid, (d1, d2)) * (2 * l0 + 2 * l1)
    x2 = (4 * d1 * d2 - _leaving(grid, (d1, d2))) * 2 * l0
    return (x1 + x2) / (4 * d1 * d2)


_MAPPINGS = ((4, 32), (32, 4), (16, 8))  # tiles of 4×4: D1 = d1, D2 = d2, both larger


def _mesh() -> Printed:
    cases = (Case({"a": 8, "p": 16, "l0": _L0, "l1": _L1}, {"grid": grid, "tiles": ((4, 4),)}) for grid in _MAPPINGS)
    what, pattern = "full mesh, neighbours", "nearest-neighbour"
    return Printed("Appendix table 3", what, "full-mesh", pattern, _table_3, tuple(cases), quantity="latency")


def _tree_2() -> Printed:
    cases = (
        Case({"m1": 16, "m2": 8, "w1": 4, "l0": _L0, "l1": _L1}, {"grid": grid, "tiles": ((4, 4),)})
        for grid in _MAPPINGS
    )
    what, pattern = "2-level fat tree, neighbours", "nearest-neighbour"
    return Printed("Appendix table 4", what, "fat-tree-2-level", pattern, _table_4, tuple(cases), quantity="latency")


# ---- table 5, neighbours on a 3-level fat tree -----------------------------------------------------------------------


def _table_5(
    m1: int,
    m2: int,
    m3: int,
    w1: int,
    w2: int,
    l0: float,
    l1: float,
    l2: float,
    grid: Sides,
    tiles: Sequence[Sides],
) -> float:
    (o1, o2), (i1, i2) = tiles
    if o1 == grid[0]:
        x1 = 2 * i2 * (2 * l0 + 2 * l1 + 2 * l2)
        if i1 == o1:
            x2 = (4 * o1 * o2 - 4 * i1 * i2) * (2 * l0 + 2 * l1)
            x3 = (4 * i1 * i2 - 2 * o1) * 2 * l0
        else:
            x2 = (4 * o1 * o2 - 4 * i1 * i2 + 2 * o1 + 2 * i2 - 2 * o1) * (2 * l0 + 2 * l1)
            x3 = (4 * i1 * i2 - 2 * o1 - 2 * i2) * 2 * l0
    elif o2 == grid[1]:
        x1 = 2 * o2 * (2 * l0 + 2 * l1 + 2 * l2)
        if i2 == o2:
            x2 = (4 * o1 * o2 - 4 * i1 * i2) * (2 * l0 + 2 * l1)
            x3 = (4 * i1 * i2 - 2 * o2) * 2 * l0
        else:
            x2 = (4 * o1 * o2 - 4 * i1 * i2 + 2 * o1 + 2 * i2 - 2 * o2) * (2 * l0 + 2 * l1)
            x3 = (4 * i1 * i2 - 2 * o1 - 2 * i2) * 2 * l0
    else:
        x1 = (2 * o1 + 2 * o2) * (2 * l0 + 2 * l1 + 2 * l2)
        x2 = (4 * o1 * o2 - 4 * i1 * i2 + 2 * o1 + 2 * i2 - 2 * o1 - 2 * o2) * (2 * l0 + 2 * l1)
        x3 = (4 * i1 * i2 - 2 * o1 - 2 * i2) * 2 * l0
    return (x1 + x2 + x3) / (4 * o1 * o2)


def _tree_3() -> Printed:
    def of(grid: Sides, outer: Sides, inner: Sides) -> Case:
        m1, below = prod(inner), prod(outer)
        sizes = {"m1": m1, "m2": below // m1, "m3": prod(grid) // below, "w1": 2, "w2": 2}
        return Case({**sizes, "l0": _L0, "l1": _L1, "l2": _L2}, {"grid": grid, "tiles": (outer, inner)})

    note = "counts traffic inside only one of the switches of a subtree; some x1 name d2 of the inner tile"
    wrong = (
        ("row 1", (8, 16), (8, 4), (8, 2)),
        ("row 2", (8, 16), (8, 4), (4, 4)),
        ("row 3", (16, 4), (8, 4), (4, 4)),
        ("row 4", (16, 8), (4, 8), (2, 2)),
        ("row 5", (16, 16), (4, 4), (4, 2)),
        ("row 5", (16, 16), (4, 8), (2, 2)),
    )
    corners = tuple(
        Corner(f"{row} ({_by(grid)}, tiles {_by(outer)} and {_by(inner)})", of(grid, outer, inner), note)
        for row, grid, outer, inner in wrong
    )
    return Printed(
        "Appendix table 5",
        "3-level fat tree, neighbours",
        "fat-tree-3-level",
        "nearest-neighbour",
        _table_5,
        (of((16, 16), (4, 4), (4, 4)),),
        corners,
        quantity="latency",
    )


def _by(sides: Sides) -> str:
    return "×".join(str(side) for side in sides)


# ---- table 6, neighbours on a 2-D HyperX -----------------------------------------------------------------------------


def _table_6(p: int, d: Sides, l0: float, l: tuple[float, float], grid: Sides) -> float:  # noqa: E741
    m = grid[0] // p
    k = d[0] // m
    l1, l2 = l
    across, along, both = 2 * l0 + l1, 2 * l0 + l2, 2 * l0 + l1 + l2
    if m == 1 and k == 1:
        return (4 * l0 * p * m + along * 2 * p * m) / (2 * p * m + 2 * p * m)
    if m == 1:
        parts = 4 * l0 * k * p * m + across * 2 * p * m + both * 2 * p * m
        flows = 2 * k * p * m + 2 * p * m + 2 * p * m
    elif k == 1:
        parts = 2 * l0 * (2 * p * m - 2 * m) + across * 2 * m + along * 2 * p * m
        return parts / (2 * p * m - 2 * m + 2 * m + 2 * p * m)
    else:
        parts = 2 * l0 * k * (2 * p * m - 2 * m) + across * 2 * k * m + across * 2 * p * m + both * 2 * p * m
        flows = 2 * k * p * m - 2 * k * m + 2 * k * m + 2 * p * m + 2 * p * m
    if k > 2:
        parts += across * (k - 2) * 2 * p * m
        flows += (k - 2) * 2 * p * m
    return parts / flows


def _hyperx() -> Printed:
    def of(d1: int, m: int, p: int = 2, d2: int = 3) -> Case:
        return Case({"p": p, "d": (d1, d2), "l0": _L0, "l": (_L1, _L2)}, {"grid": (m * p, d1 // m * d2)})

    cases = (of(1, 1), of(2, 1), of(4, 1), of(3, 3), of(4, 2), of(6, 2), of(6, 2, d2=2))
    what, pattern = "2-D HyperX, neighbours", "nearest-neighbour"
    return Printed("Appendix table 6", what, "hyperx", pattern, _table_6, cases, quantity="latency")
