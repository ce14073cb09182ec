"""Explaining one design: where its time and power go, what binds, what a step would change, every number's source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dse.analysis.explain.bottlenecks import achieved_rate, rate_axes, rate_bounds
from dse.analysis.explain.explanation import (
    Breakdown,
    ConstraintSlack,
    Dominating,
    Explanation,
    Neighbour,
    Number,
    Part,
    RateBounds,
    TreeNode,
)
from dse.analysis.explain.sensitivity import sensitivities
from dse.authoring.picture import draw
from dse.evaluation.problem import Constraint, Problem, System
from dse.evaluation.reference_systems import ReferenceSystem
from dse.graph.graph import Graph
from dse.run.result.ranks import ranks_of
from dse.search.frontier.pareto import to_minimise
from dse.space.axes import Axis, with_confidence
from dse.space.design_space import Product, Space
from dse.study.build.declarations import Declarations
from dse.units import relative_change

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["breakdowns_of", "explain_design", "explain_reference", "explain_values"]


def explain_design(
    problem: Problem,
    declarations: Declarations,
    number: int,
    *,
    study: str = "",
    frontier: pd.DataFrame | None = None,
) -> Explanation:
    """Explain a design of a space.

    Parameters
    ----------
    problem : Problem
    declarations : Declarations
        Of its models.
    number : int
        Design number.
    study : str
        Name of the study.
    frontier : DataFrame, optional
        The frontier, to tell whether the design is on it and which of its designs beats it.
    """
    index, rows = problem.space.rows_of(number)
    system, product = problem.systems[index], problem.space.products[index]
    steps = _steps(problem, number, index, rows)
    records = problem.quantities([number, *(step.design for step in steps)])
    (record,) = [r for r in records if r["product"] == index]
    values = {name: _entry(value, 0) for name, value in record["values"].items() if isinstance(value, np.ndarray)}
    units = system.graph.units
    listing = _numbers(product, system, values, rows)
    on_frontier, dominating = _dominating(problem, number, values, frontier)
    return Explanation(
        study=study,
        design=number,
        parameters=problem.space.parameters(number),
        on_frontier=on_frontier,
        feasible=all(bool(values[c.quantity]) for c in system.constraints),
        objectives=[
            {"quantity": o.quantity, "sense": o.sense, "value": values[o.quantity], "unit": units[o.quantity]}
            for o in problem.objectives
        ],
        breakdowns=_parts(system.graph, values, "sum_of"),
        bounds=[_with_distances(whole) for whole in _parts(system.graph, values, "max_of")],
        rates=_rates(system.graph, values),
        constraints=[_slack(c, record["values"], values) for c in system.constraints],
        neighbours=[
            _neighbour(step, position, problem, system, record["values"])
            for position, step in enumerate(steps, start=1)
        ],
        sensitivities=sensitivities(problem, declarations, number),
        dominated_by=dominating,
        extrapolated=problem.outside_validity(index, {n: np.asarray(v) for n, v in values.items()}, 1).of(0),
        synthetic=problem.synthetic,
        numbers=[row for row in listing if row["name"] in values],
        tree=_tree([o.quantity for o in problem.objectives], listing),
        validation=problem.space.validation(number),
        account=[*_account(system.graph, record["values"], values)],
    )


def _account(graph: Graph, given: Mapping[str, object], values: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of pictures that explain a design; `given` has its tables too."""
    tables = {name: value for name, value in given.items() if not isinstance(value, np.ndarray)}
    for picture in graph.pictures:
        if picture.explains:
            yield from draw(picture, {**tables, **values}).description.splitlines()


def explain_reference(
    problem: Problem, reference: ReferenceSystem, *, study: str = "", frontier: pd.DataFrame | None = None
) -> Explanation:
    """Explain a system beside the space, as `explain_design` does a design.

    It has no neighbours and no sensitivities. What is not known is None.
    """
    system, product, values = reference.group.system, reference.group.product, reference.values
    _, rows = Space((product,)).rows_of(reference.number)
    objectives, units = problem.objectives, problem.units
    known = {constraint.text: constraint for constraint in system.constraints}
    complete = all(o.quantity in values for o in objectives)
    listing = _numbers(product, system, values, rows)
    return Explanation(
        study=study,
        design=None,
        reference=reference.name,
        parameters=dict(reference.parameters),
        on_frontier=None,
        feasible=reference.feasible,
        objectives=[
            {"quantity": o.quantity, "sense": o.sense, "value": values.get(o.quantity), "unit": units[o.quantity]}
            for o in objectives
        ],
        measured=[
            {
                "quantity": quantity,
                "unit": units[quantity],
                "value": figure["value"],
                "column": figure["column"],
                "source": figure["source"],
            }
            for quantity, figure in reference.measured.items()
        ],
        lacking=reference.lacking,
        breakdowns=_parts(system.graph, values, "sum_of"),
        bounds=[_with_distances(whole) for whole in _parts(system.graph, values, "max_of")],
        rates=_rates(system.graph, values),
        constraints=[
            {"text": text, "met": None}
            if met is None
            else _slack(known[text], reference.arrays, {**values, known[text].quantity: met})
            for text, met in reference.constraints.items()
        ],
        neighbours=[],
        sensitivities=[],
        dominated_by=_dominating(problem, -1, values, frontier)[1] if complete else [],
        extrapolated=reference.extrapolated,
        synthetic=reference.synthetic,
        numbers=[row for row in listing if row["name"] in values],
        tree=_tree([o.quantity for o in objectives if o.quantity in system.graph.units], listing),
        validation=reference.validation,
    )


def explain_values(
    problem: Problem, values: Mapping[str, object], alternative: str | None
) -> tuple[list[Breakdown], bool]:
    """Return the breakdowns of a system that was evaluated by itself, and whether it meets the constraints."""
    names = [product.name for product in problem.space.products]
    index = names.index(alternative) if alternative is not None else 0
    system = problem.systems[index]
    met = all(bool(values[constraint.quantity]) for constraint in system.constraints)
    return _parts(system.graph, values, "sum_of"), met


def breakdowns_of(problem: Problem, number: int) -> list[Breakdown]:
    """Return every quantity of a design that is the sum of others, with its parts, largest first."""
    (record,) = problem.quantities([number])
    values = {name: _entry(value, 0) for name, value in record["values"].items() if isinstance(value, np.ndarray)}
    return _parts(problem.systems[record["product"]].graph, values, "sum_of")


class _Step(NamedTuple):
    """One step along an axis: the row it leads to, and the design there."""

    axis: Axis
    row: int
    design: int


def _neighbour(step: _Step, position: int, problem: Problem, system: System, arrays: Mapping[str, object]) -> Neighbour:
    """Return a neighbour, whose values stand at a position of the arrays; the design itself is at 0."""
    names = [objective.quantity for objective in problem.objectives]
    neighbour: Neighbour = {
        "axis": step.axis.name,
        "value": step.axis.label(step.row),
        "design": step.design,
        "feasible": all(bool(_entry(arrays[c.quantity], position)) for c in system.constraints),
        "objectives": {name: _entry(arrays[name], position) for name in names},
        "change": {name: relative_change(_entry(arrays[name], position), _entry(arrays[name], 0)) for name in names},
    }
    if step.axis.confidences:
        neighbour["confidence"] = step.axis.confidence(step.row)
    return neighbour


def _entry(value: object, position: int) -> Any:
    flat = np.asarray(value).reshape(-1)
    item = flat[position if len(flat) > 1 else 0]
    return item.item() if isinstance(item, np.generic) else item


def _steps(problem: Problem, number: int, index: int, rows: tuple[int, ...]) -> list[_Step]:
    product = problem.space.products[index]
    steps = []
    for position, axis in enumerate(product.axes):
        for step in (-1, 1):
            row = rows[position] + step
            if 0 <= row < len(axis):
                steps.append(_Step(axis, row, number + step * product.strides[position]))
    return steps


def _parts(graph: Graph, values: Mapping[str, Any], kind: str) -> list[Breakdown]:
    """Return every quantity that is the sum, or the maximum, of others, with its parts, largest first."""
    breakdowns: list[Breakdown] = []
    for function in graph.functions:
        names: tuple[str, ...] = getattr(function, kind)
        (name,) = list(function.gives)[:1]
        if not names or any(part not in values for part in (name, *names)):
            continue
        whole = values[name]
        parts: list[Part] = [
            {"quantity": part, "value": values[part], "share": values[part] / whole if whole else None}
            for part in names
        ]
        parts.sort(key=lambda part: -part["value"])
        breakdowns.append({"quantity": name, "value": whole, "unit": graph.units[name], "parts": parts})
    return breakdowns[::-1]


def _with_distances(item: Breakdown) -> Breakdown:
    """Return a maximum whose parts tell whether they bind, and how far below the binding one they are."""
    whole = item["value"]
    parts: list[Part] = [
        {
            **part,
            "binds": part["value"] == whole,
            "distance": whole - part["value"],
            "relative_distance": (whole - part["value"]) / abs(whole) if whole else None,
        }
        for part in item["parts"]
    ]
    return {**item, "parts": parts}


def _rates(graph: Graph, values: Mapping[str, Any]) -> list[RateBounds]:
    """Return every axis of rates: what is achieved, and what each bound allows, the tightest first."""
    rates: list[RateBounds] = []
    for axis in rate_axes(graph):
        if any(part not in values for name, parts in axis.maxima for part in (axis.achieved, name, *parts)):
            continue
        bounds = rate_bounds(axis, values)
        rates.append(
            {
                "rate": axis.rate,
                "unit": axis.unit,
                "quantity": axis.achieved,
                "achieved": achieved_rate(axis, values),
                "maxima": [name for name, _ in axis.maxima],
                "binding": [bound.quantity for bound in bounds if bound.binds],
                "bounds": [
                    {
                        "quantity": bound.quantity,
                        "value": bound.value,
                        "of": bound.of,
                        "binds": bound.binds,
                        "contains": bound.contains,
                    }
                    for bound in bounds
                ],
            }
        )
    return rates


def _slack(constraint: Constraint, arrays: Mapping[str, object], values: Mapping[str, object]) -> ConstraintSlack:
    """Return a constraint with its two sides and how far the design is from breaking it."""
    slack: ConstraintSlack = {"text": constraint.text, "met": bool(values[constraint.quantity])}
    if constraint.required_by:
        slack["required_by"] = constraint.required_by
    if constraint.expression.sides is not None:
        left, relation, right = constraint.expression.sides
        if left.unit not in ("bool", "text"):
            first = {name: np.asarray(arrays[name]).reshape(-1)[:1] for name in constraint.expression.needs}
            low, high = _entry(left.compute(first), 0), _entry(right.compute(first), 0)
            unit = right.unit if left.is_zero else left.unit
            slack |= {"left": low, "relation": relation, "right": high, "unit": unit}
            if relation in ("<=", "<", ">=", ">"):
                room = high - low if relation in ("<=", "<") else low - high
                slack |= {"slack": room, "relative_slack": room / abs(high) if high else None}
    return slack


def _dominating(
    problem: Problem, number: int, values: Mapping[str, object], frontier: pd.DataFrame | None
) -> tuple[bool | None, list[Dominating]]:
    """Tell whether a design is on the frontier, else which of its designs beat it, the nearest first."""
    if frontier is None or not len(frontier):
        return None, []
    if (frontier["design"] == number).any():
        return True, []
    names = [o.quantity for o in problem.objectives]
    senses = [o.sense for o in problem.objectives]
    points = to_minimise(frontier[names].to_numpy(dtype=float), senses)
    here = to_minimise(np.array([[values[name] for name in names]], dtype=float), senses)[0]
    better = np.all(points <= here, axis=1) & np.any(points < here, axis=1)
    scale = np.maximum(np.abs(here), 1e-300)
    distance = np.max(np.abs(points - here) / scale, axis=1)
    order = [row for row in np.argsort(distance, kind="stable") if better[row]][:3]
    ranks = ranks_of(frontier, list(zip(names, senses, strict=True)))
    return False, [
        {
            "row": int(row),
            "name": f"A{ranks[row] + 1}",
            "design": int(frontier["design"].iloc[row]),
            "parameters": problem.space.parameters(int(frontier["design"].iloc[row])),
            "objectives": {name: float(frontier[name].iloc[row]) for name in names},
        }
        for row in order
    ]


def _numbers(product: Product, system: System, values: Mapping[str, Any], rows: tuple[int, ...]) -> list[Number]:
    """Return every quantity in the order of the graph with value (a table has none), unit, needs and source."""
    chosen = {column: (axis, r) for axis, r in zip(product.axes, rows, strict=True) for column in axis.columns}
    numbers: list[Number] = []
    for row in system.graph.listing():
        if row["name"].startswith("constraint_"):
            continue
        source = row["source"]
        if row["name"] in chosen and chosen[row["name"]][0].is_part:
            axis, part = chosen[row["name"]]
            source = with_confidence(f"{axis.source}: {axis.sources[part]}", axis.confidence(part))
        numbers.append({**row, "source": source, "value": values.get(row["name"])})
    return numbers


def _tree(objectives: Sequence[str], listing: Sequence[Number]) -> list[TreeNode]:
    """Return the tree below each objective: what it needs, what that needs, down to the inputs.

    A quantity that is needed in several places is laid out in the first; the others say ``shared``.
    """
    known = {row["name"]: row for row in listing}
    laid_out: set[str] = set()

    def node(name: str) -> TreeNode:
        row = known[name]
        shared = name in laid_out and bool(row["needs"])
        laid_out.add(name)
        return {
            "quantity": name,
            "value": row["value"],
            "unit": row["unit"],
            "from": row["from"],
            "source": row["source"],
            "shared": shared,
            "needs": [] if shared else [node(need) for need in row["needs"]],
        }

    return [node(name) for name in objectives]
