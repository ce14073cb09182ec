"""Explaining one design: where its time and power go, what binds, what a step would change, every number's source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.analysis.bottlenecks import achieved_rate, rate_axes, rate_bounds
from dse.analysis.sensitivity import sensitivities
from dse.evaluation.problem import Problem
from dse.run.manifest import outside_validity
from dse.search.pareto import to_minimise
from dse.space.axes import Axis, with_confidence
from dse.space.product import Space

if TYPE_CHECKING:
    import pandas as pd

    from dse.study.study import Study

__all__ = ["explain_design", "explain_reference", "explain_values"]


def explain_design(study: Study, number: int, *, frontier: pd.DataFrame | None = None) -> dict[str, Any]:
    """Explain a design of a study's space.

    Parameters
    ----------
    study : Study
    number : int
        Design number.
    frontier : DataFrame, optional
        The frontier, to tell whether the design is on it and which of its designs beats it.

    Returns
    -------
    dict
        ``design``, ``parameters``, ``objectives``, ``breakdowns`` (of every quantity that is a sum), ``bounds`` (of
        every quantity that is a maximum: which part binds, how far the others are from it), ``rates`` (of every
        quantity whose reciprocal has a name, such as instructions per cycle: what is achieved, what each bound allows,
        infinite where it sets no limit, and which bounds bind), ``constraints`` with their slack, ``neighbours``,
        ``sensitivities`` (what a percent more of each input would change, `dse.analysis.sensitivity.sensitivities`),
        ``dominated_by``, ``extrapolated``, ``numbers`` (every quantity with value, unit,
        source), ``tree`` (of each objective, the same numbers as they need each other, down to the inputs).
    """
    problem = study.compiled
    index, rows = problem.space.rows_of(number)
    system, product = problem.systems[index], problem.space.products[index]
    neighbours = _neighbour_numbers(problem, number, index, rows)
    records = problem.quantities([number, *(n for _, _, n in neighbours)])
    (record,) = [r for r in records if r["product"] == index]
    values = {name: _entry(value, 0) for name, value in record["values"].items() if isinstance(value, np.ndarray)}
    units = system.graph.units
    described = []
    for position, (axis, row, other) in enumerate(neighbours, start=1):
        changed = {o.quantity: _entry(record["values"][o.quantity], position) for o in problem.objectives}
        met = all(bool(_entry(record["values"][c.quantity], position)) for c in system.constraints)
        described.append(
            {
                "axis": axis.name,
                "value": axis.label(row),
                **({"confidence": axis.confidence(row)} if axis.confidences else {}),
                "design": other,
                "feasible": met,
                "objectives": changed,
                "change": {name: _ratio(value, values[name]) for name, value in changed.items()},
            }
        )
    outside = outside_validity(study, index, {n: np.asarray(v) for n, v in values.items()}, 1)[0]
    listing = _numbers(product, system, values, rows)
    on_frontier, dominating = _dominating(problem, number, values, frontier)
    return {
        "study": study.name,
        "design": number,
        "parameters": problem.space.parameters(number),
        "on_frontier": on_frontier,
        "feasible": all(bool(values[c.quantity]) for c in system.constraints),
        "objectives": [
            {"quantity": o.quantity, "sense": o.sense, "value": values[o.quantity], "unit": units[o.quantity]}
            for o in problem.objectives
        ],
        "breakdowns": _parts(system.graph, values, "sum_of"),
        "bounds": [_with_distances(item) for item in _parts(system.graph, values, "max_of")],
        "rates": _rates(system.graph, values),
        "constraints": [_slack(c, record["values"], values) for c in system.constraints],
        "neighbours": described,
        "sensitivities": sensitivities(study, number),
        "dominated_by": dominating,
        "extrapolated": outside,
        "synthetic": study.synthetic,
        "numbers": [row for row in listing if row["name"] in values],
        "tree": _tree([o.quantity for o in problem.objectives], listing),
    }


def explain_reference(study: Study, name: str, *, frontier: pd.DataFrame | None = None) -> dict[str, Any]:
    """Explain a system beside the space, as `explain_design` does a design; it has no neighbours.

    Returns
    -------
    dict
        As of a design, with ``reference`` (its name) instead of a design number, ``measured`` (figures that were
        measured) and ``lacking`` (quantities that are not known, and why). What is not known is None.
    """
    found = study.reference(name)
    system, product, values = found.group.system, found.group.product, found.values
    _, rows = Space((product,)).rows_of(found.number)
    objectives = study.compiled.objectives
    known = {constraint.text: constraint for constraint in system.constraints}
    complete = all(o.quantity in values for o in objectives)
    listing = _numbers(product, system, values, rows)
    return {
        "study": study.name,
        "design": None,
        "reference": found.name,
        "parameters": found.parameters,
        "on_frontier": None,
        "feasible": found.feasible,
        "objectives": [
            {"quantity": o.quantity, "sense": o.sense, "value": values.get(o.quantity), "unit": study.units[o.quantity]}
            for o in objectives
        ],
        "measured": [{"quantity": one, "unit": study.units[one], **told} for one, told in found.measured.items()],
        "lacking": found.lacking,
        "breakdowns": _parts(system.graph, values, "sum_of"),
        "bounds": [_with_distances(item) for item in _parts(system.graph, values, "max_of")],
        "rates": _rates(system.graph, values),
        "constraints": [
            {"text": text, "met": None}
            if met is None
            else _slack(known[text], found.arrays, {**values, known[text].quantity: met})
            for text, met in found.constraints.items()
        ],
        "neighbours": [],
        "sensitivities": [],
        "dominated_by": _dominating(study.compiled, -1, values, frontier)[1] if complete else [],
        "extrapolated": found.extrapolated,
        "synthetic": found.synthetic,
        "numbers": [row for row in listing if row["name"] in values],
        "tree": _tree([o.quantity for o in objectives if o.quantity in system.graph.units], listing),
    }


def explain_values(
    study: Study, values: Mapping[str, Any], alternative: str | None
) -> tuple[list[dict[str, Any]], bool]:
    """Return the breakdowns of a system that was evaluated by itself, and whether it meets the constraints."""
    names = [product.name for product in study.space.products]
    index = names.index(alternative) if alternative is not None else 0
    system = study.compiled.systems[index]
    met = all(bool(values[constraint.quantity]) for constraint in system.constraints)
    return _parts(system.graph, values, "sum_of"), met


def _entry(value: Any, position: int) -> Any:
    flat = np.asarray(value).reshape(-1)
    item = flat[position if len(flat) > 1 else 0]
    return item.item() if isinstance(item, np.generic) else item


def _ratio(value: float, base: float) -> float | None:
    return value / base - 1.0 if base else None


def _neighbour_numbers(problem: Problem, number: int, index: int, rows: tuple[int, ...]) -> list[tuple[Axis, int, int]]:
    product = problem.space.products[index]
    found = []
    for position, axis in enumerate(product.axes):
        for step in (-1, 1):
            row = rows[position] + step
            if 0 <= row < len(axis):
                found.append((axis, row, number + step * product.strides[position]))
    return found


def _parts(graph: Any, values: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return every quantity that is the sum, or the maximum, of others, with its parts, largest first."""
    found = []
    for function in graph.functions:
        names = getattr(function, kind)
        (name,) = list(function.gives)[:1]
        if not names or any(one not in values for one in (name, *names)):
            continue
        whole = values[name]
        parts = [
            {"quantity": part, "value": values[part], "share": values[part] / whole if whole else None}
            for part in names
        ]
        parts.sort(key=lambda part: -part["value"])
        found.append({"quantity": name, "value": whole, "unit": graph.units[name], "parts": parts})
    return found[::-1]


def _with_distances(item: dict[str, Any]) -> dict[str, Any]:
    """Return a maximum whose parts tell whether they bind, and how far below the binding one they are."""
    whole = item["value"]
    parts = [
        {
            **part,
            "binds": part["value"] == whole,
            "distance": whole - part["value"],
            "relative_distance": (whole - part["value"]) / abs(whole) if whole else None,
        }
        for part in item["parts"]
    ]
    return {**item, "parts": parts}


def _rates(graph: Any, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every axis of rates: what is achieved, and what each bound allows, the tightest first."""
    found = []
    for axis in rate_axes(graph):
        if any(one not in values for name, parts in axis.maxima for one in (axis.achieved, name, *parts)):
            continue
        bounds = rate_bounds(axis, values)
        found.append(
            {
                "rate": axis.rate,
                "unit": axis.unit,
                "quantity": axis.achieved,
                "achieved": achieved_rate(axis, values),
                "maxima": [name for name, _ in axis.maxima],
                "binding": [bound.quantity for bound in bounds if bound.binds],
                "bounds": [bound._asdict() for bound in bounds],
            }
        )
    return found


def _slack(constraint: Any, arrays: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a constraint with its two sides and how far the design is from breaking it."""
    told: dict[str, Any] = {"text": constraint.text, "met": bool(values[constraint.quantity])}
    if constraint.expression.sides is not None:
        left, relation, right = constraint.expression.sides
        if left.unit not in ("bool", "text"):
            first = {name: np.asarray(arrays[name]).reshape(-1)[:1] for name in constraint.expression.needs}
            low, high = _entry(left.compute(first), 0), _entry(right.compute(first), 0)
            unit = right.unit if left.is_zero else left.unit
            told |= {"left": low, "relation": relation, "right": high, "unit": unit}
            if relation in ("<=", "<", ">=", ">"):
                slack = high - low if relation in ("<=", "<") else low - high
                told |= {"slack": slack, "relative_slack": slack / abs(high) if high else None}
    return told


def _dominating(
    problem: Problem, number: int, values: Mapping[str, Any], frontier: pd.DataFrame | None
) -> tuple[bool | None, list[dict[str, Any]]]:
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
    return False, [
        {
            "row": int(row),
            "design": int(frontier["design"].iloc[row]),
            "parameters": problem.space.parameters(int(frontier["design"].iloc[row])),
            "objectives": {name: float(frontier[name].iloc[row]) for name in names},
        }
        for row in order
    ]


def _numbers(product: Any, system: Any, values: Mapping[str, Any], rows: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return every quantity in the order of the graph with value (a table has none), unit, needs and source."""
    chosen = {column: (axis, r) for axis, r in zip(product.axes, rows, strict=True) for column in axis.columns}
    told = []
    for row in system.graph.listing():
        if row["name"].startswith("constraint_"):
            continue
        source = row["source"]
        if row["name"] in chosen and chosen[row["name"]][0].is_part:
            axis, part = chosen[row["name"]]
            source = with_confidence(f"{axis.source}: {axis.sources[part]}", axis.confidence(part))
        told.append({**row, "source": source, "value": values.get(row["name"])})
    return told


def _tree(objectives: Sequence[str], listing: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the tree below each objective: what it needs, what that needs, down to the inputs.

    A quantity that is needed in several places is laid out in the first; the others say ``shared``.
    """
    known = {row["name"]: row for row in listing}
    laid_out: set[str] = set()

    def node(name: str) -> dict[str, Any]:
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
