"""What a frontier has to spare: how near its designs are to each limit, and how many stand at the edge of an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dse.authoring.declare.declaration import RelativeError
from dse.evaluation.problem import Constraint, Problem, System
from dse.graph.expression import Node
from dse.run.disk.manifest import AxisEdge, LimitMargin, Margins
from dse.study.build.declarations import Declarations
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LOOKED_AT", "frontier_margins", "published_error", "share_spared"]

LOOKED_AT = 4096  # designs of a long frontier, evenly over its rows
_EDGE = 0.1  # of the designs


def frontier_margins(problem: Problem, declarations: Declarations, frontier: pd.DataFrame) -> Margins:
    """Return the margins of a frontier.

    Of a limit ``left <= right`` what is spared is (right - left) over the side that is a constant, else over the
    larger. It is compared with the published relative error of the limited quantity, where its model states one. Of a
    long frontier `LOOKED_AT` designs are evaluated, evenly over its rows.

    Parameters
    ----------
    problem : Problem
    declarations : Declarations
        For limits that nature sets: nobody offers less than one of a thing.
    frontier : DataFrame
        With the columns ``design`` and those of its axes.
    """
    if not len(frontier):
        return Margins(looked_at=0, limits=[], edges=[])
    rows = np.unique(np.linspace(0, len(frontier) - 1, min(len(frontier), LOOKED_AT)).round().astype(np.int64))
    limits = list(_limits(problem, frontier, rows))
    return Margins(looked_at=len(rows), limits=limits, edges=list(_edges(problem, declarations, frontier)))


def _limits(problem: Problem, frontier: pd.DataFrame, rows: np.ndarray) -> Iterator[LimitMargin]:
    numbers = frontier["design"].to_numpy(dtype=np.int64)[rows]
    spared: dict[str, np.ndarray] = {}
    errors: dict[str, RelativeError] = {}
    constant: dict[str, bool] = {}
    for record in problem.quantities(numbers):
        system, here = problem.systems[record["product"]], record["positions"]
        for constraint in system.constraints:
            share = share_spared(constraint, record["values"], len(here))
            if share is None or constraint.expression.sides is None:
                continue
            left, _, right = constraint.expression.sides
            constant[constraint.text] = left.is_constant or right.is_constant
            spared.setdefault(constraint.text, np.full(len(rows), np.nan))[here] = share
            for side in (left, right):
                error = published_error(system, side.name)
                if error is not None and error.mean > getattr(errors.get(constraint.text), "mean", 0.0):
                    errors[constraint.text] = error
    for text, shares in spared.items():
        known = np.flatnonzero(np.isfinite(shares))
        if not len(known):
            continue
        least = int(known[np.argmin(shares[known])])
        error = errors.get(text)
        yield LimitMargin(
            limit=text,
            row=int(rows[least]),
            spare=float(shares[least]),
            constant=constant[text],
            error=None if error is None else error.mean,
            within_error=0 if error is None else int((shares[known] < error.mean).sum()),
        )


def share_spared(constraint: Constraint, values: dict[str, object], count: int) -> np.ndarray | None:
    """Return by which share of a limit some designs meet it (negative: miss it); None where it bounds nothing."""
    sides = constraint.expression.sides
    if sides is None or sides[1][0] not in "<>":
        return None
    left, relation, right = sides
    low, high = (_numbers(side, values, count) for side in (left, right))
    scale = np.abs(high if right.is_constant else low if left.is_constant else np.maximum(abs(low), abs(high)))
    with np.errstate(all="ignore"):
        return np.asarray((high - low if relation[0] == "<" else low - high) / scale)


def _numbers(side: Node, values: dict, count: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(side.compute(values), dtype=float).reshape(-1), count)


def published_error(system: System, name: str) -> RelativeError | None:
    """Return the published error of a quantity in a system; None where the model that gives it states none."""
    function = system.graph.providers.get(name)
    error = None if function is None else function.error
    return error if error is None or isinstance(error, RelativeError) else error.get(name)


def _edges(problem: Problem, declarations: Declarations, frontier: pd.DataFrame) -> Iterator[AxisEdge]:
    """Return the ends of axes of numbers at which a tenth of the designs or more stand, unless nature sets them."""
    offered: dict[str, list[np.ndarray]] = {}
    units: dict[str, str] = {}
    for product in problem.space.products:
        for axis in product.axes:
            names = [axis.name] if not axis.is_part else [] if axis.enumerated is None else [*axis.columns]
            for name in names:
                if name in frontier.columns and axis.units[name] != TEXT:
                    offered.setdefault(name, []).append(axis.columns[name])
                    units[name] = axis.units[name]
    for name, columns in offered.items():
        every = np.concatenate([np.asarray(column, dtype=float) for column in columns])
        values = frontier[name].to_numpy(dtype=float)
        declared = declarations.of_input(name)
        for end, extreme, limit in (
            ("least", every.min(), getattr(declared, "minimum", None)),
            ("most", every.max(), getattr(declared, "maximum", None)),
        ):
            at_whole_minimum = end == "least" and extreme == 1.0 and getattr(declared, "integer", False)
            count = int((values == extreme).sum())
            if (
                every.min() < every.max()
                and not (at_whole_minimum or extreme == limit)
                and count >= max(1.0, _EDGE * len(values))
            ):
                yield AxisEdge(axis=name, end=end, value=float(extreme), unit=units[name], designs=count)
