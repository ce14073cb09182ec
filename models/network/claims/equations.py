"""The printed bandwidths of the patterns uniform and shift (Anghel 2017, Sections 5.4 and 5.5) beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.claims.printed_formula import GIGA, Case, Corner, Printed

__all__ = ["equation_claims"]

Sizes = Sequence[int]


def equation_claims() -> list[Claim]:
    """Return a few claims for every printed equation of Sections 5.4 and 5.5."""
    return [claim for printed in (*_uniform(), *_shift()) for claim in printed.claims()]


# ---- the equations as they stand -------------------------------------------------------------------------------------


def eq_5_8(a: int, p: int, b0: float, b1: float) -> float:
    """Full mesh, uniform."""
    return min(b0, b1 * a / p)


def eq_5_13(m1: int, m2: int, w0: int, w1: int, b0: float, b1: float) -> float:
    """Fat tree of two levels, uniform."""
    return min(b0 * w0, b1 * w1 / (m1 * (1 - 1 / m2)))


def eq_5_19(m1: int, m2: int, m3: int, w0: int, w1: int, w2: int, b0: float, b1: float, b2: float) -> float:
    """Fat tree of three levels, uniform."""
    return min(b0 * w0, b1 * w1 / (m1 * (1 - 1 / (m2 * m3))), b2 * w1 * w2 / (m1 * m2 * (1 - 1 / m3)))


def eq_5_34(p: int, d: Sizes, b0: float, b: Sequence[float]) -> float:
    """Torus of any number of dimensions, uniform; Eqs. 5.25, 5.31 and 5.33 are this for one, two and three."""
    return min(b0, *(2 * link * size / (p * floor(size / 2) * ceil(size / 2)) for size, link in zip(d, b, strict=True)))


def eq_5_41(p: int, d: Sizes, b0: float, b: Sequence[float]) -> float:
    """HyperX of two dimensions, uniform."""
    (d1, d2), (b1, b2) = d, b
    return min(b0, b1 * d1 / p, b2 * d2 / p)


def eq_5_50(a: int, p: int, b0: float, b1: float, step: int) -> float:
    """Full mesh, shift."""
    if step < p:
        return min(b0, b1 / step)
    rest = step % p
    return min(b0, b1 / p) if rest == 0 else min(b0, b1 / rest, b1 / (p - rest))


def eq_5_54(m1: int, m2: int, w0: int, w1: int, b0: float, b1: float, step: int) -> float:
    """Fat tree of two levels, shift."""
    return min(b0, b1 * w1 / step) if step < m1 else min(b0, b1 * w1 / m1)


def eq_5_60(m1: int, m2: int, m3: int, w0: int, w1: int, w2: int, b0: float, b1: float, b2: float, step: int) -> float:
    """Fat tree of three levels, shift."""
    if step < m1:
        return min(b0, b1 * w1 / step, b2 * w1 * w2 / step)
    if step < m1 * m2:
        return min(b0, b1 * w1 / m1, b2 * w1 * w2 / step)
    return min(b0, b1 * w1 / m1, b2 * w1 * w2 / (m1 * m2))


# ---- cases -----------------------------------------------------------------------------------------------------------


def _mesh(a: int, p: int, b0: float, b1: float, **options: Any) -> Case:
    return Case({"a": a, "p": p, "b0": b0 * GIGA, "b1": b1 * GIGA}, options)


def _tree_2(m1: int, m2: int, w0: int, w1: int, b0: float, b1: float, **options: Any) -> Case:
    return Case({"m1": m1, "m2": m2, "w0": w0, "w1": w1, "b0": b0 * GIGA, "b1": b1 * GIGA}, options)


def _tree_3(m: Sizes, w: Sizes, b: Sequence[float], **options: Any) -> Case:
    sizes = {f"m{i + 1}": size for i, size in enumerate(m)} | {f"w{i}": count for i, count in enumerate(w)}
    return Case(sizes | {f"b{i}": speed * GIGA for i, speed in enumerate(b)}, options)


def _grid(p: int, d: Sizes, b0: float, b: Sequence[float]) -> Case:
    return Case({"p": p, "d": d, "b0": b0 * GIGA, "b": tuple(speed * GIGA for speed in b)})


_NO_LINKS = "there are no such links, so no term of them"
_WRAPS = "near the end of the machine the flows that wrap around stay where they are"
_NOBODY = "a shift by all nodes: every node sends to itself"
_PARALLEL = "the w0 parallel links of a node are left out; Eqs. 5.13 and 5.19 have them"


def _uniform() -> tuple[Printed, ...]:
    return (
        Printed(
            "Eq. 5.8",
            "full mesh, uniform",
            "full-mesh",
            "uniform",
            eq_5_8,
            (_mesh(6, 10, 7, 7), _mesh(6, 10, 7, 2), _mesh(16, 4, 5, 5)),
            (Corner("one switch (p 10; 7 and 2 GB/s)", _mesh(1, 10, 7, 2), _NO_LINKS),),
        ),
        Printed(
            "Eq. 5.13",
            "2-level fat tree, uniform",
            "fat-tree-2-level",
            "uniform",
            eq_5_13,
            (_tree_2(16, 8, 1, 4, 7, 7), _tree_2(25, 42, 1, 39, 7, 7), _tree_2(2, 4, 2, 8, 3, 7)),
        ),
        Printed(
            "Eq. 5.19",
            "3-level fat tree, uniform",
            "fat-tree-3-level",
            "uniform",
            eq_5_19,
            (_tree_3((8, 4, 4), (1, 4, 2), (7, 7, 7)), _tree_3((18, 10, 6), (2, 39, 6), (7, 7, 2))),
        ),
        Printed(
            "Eq. 5.34",
            "torus of 1, 2, 3 and 5 dimensions, uniform",
            "torus",
            "uniform",
            eq_5_34,
            (
                _grid(2, (6,), 70, (2,)),
                _grid(2, (5, 3), 7, (2, 3)),
                _grid(1, (4, 4, 4), 7, (2, 2, 2)),
                _grid(1, (16, 16, 8, 8, 16), 5, (5, 5, 5, 5, 5)),
            ),
        ),
        Printed(
            "Eq. 5.41",
            "2-D HyperX, uniform",
            "hyperx",
            "uniform",
            eq_5_41,
            (_grid(4, (4, 3), 7, (5, 5)), _grid(64, (64, 64), 5, (5, 5)), _grid(256, (32, 32), 5, (5, 5))),
            (Corner("one switch along Y (p 4, 4×1; 7 and 5 GB/s)", _grid(4, (4, 1), 7, (5, 5)), _NO_LINKS),),
        ),
    )


def _shift() -> tuple[Printed, ...]:
    wide, subtrees = ((8, 4, 4), (1, 4, 2), (7, 7, 7)), ((4, 4, 4), (2, 8, 8), (1, 7, 7))
    return (
        Printed(
            "Eq. 5.50",
            "full mesh, shift",
            "full-mesh",
            "shift",
            eq_5_50,
            tuple(_mesh(6, 10, 7, 7, step=step) for step in (4, 10, 23, 50)),
            (
                Corner("step 57 of 60 (p 10; 7 GB/s)", _mesh(6, 10, 7, 7, step=57), _WRAPS),
                Corner("step 60 of 60 (p 10; 7 GB/s)", _mesh(6, 10, 7, 7, step=60), _NOBODY),
            ),
        ),
        Printed(
            "Eq. 5.54",
            "2-level fat tree, shift",
            "fat-tree-2-level",
            "shift",
            eq_5_54,
            tuple(_tree_2(16, 8, 1, 4, 7, 7, step=step) for step in (5, 16, 40, 112)),
            (
                Corner("step 123 of 128 (m 16, 8; w1 4; 7 GB/s)", _tree_2(16, 8, 1, 4, 7, 7, step=123), _WRAPS),
                Corner("w0 = 2 (m 16, 8; w1 32; 1 and 7 GB/s)", _tree_2(16, 8, 2, 32, 1, 7, step=5), _PARALLEL),
            ),
        ),
        Printed(
            "Eq. 5.60",
            "3-level fat tree, shift",
            "fat-tree-3-level",
            "shift",
            eq_5_60,
            tuple(_tree_3(*wide, step=step) for step in (5, 8, 20, 32, 96)),
            (
                Corner("step 118 of 128 (m 8, 4, 4; w 1, 4, 2; 7 GB/s)", _tree_3(*wide, step=118), _WRAPS),
                Corner("w0 = 2 (m 4, 4, 4; w 2, 8, 8; 1 and 7 GB/s)", _tree_3(*subtrees, step=3), _PARALLEL),
            ),
        ),
    )
