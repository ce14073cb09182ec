"""Sensitivities of one design: what a percent more of each of its numbers would change.

The graph is evaluated once on dual numbers, so derivatives run exactly through every function that takes them, with
respect to all inputs at once. Through a function that does not, they run by the difference quotient of that function
alone, and the result says so. An effect that comes in steps (whole switches, whole cache lines) has no derivative of
use: it is the change of the whole system over one percent either way, of a whole number over one either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dse.declaration import Assumption, ModelFunction, Parameter
from dse.differences import Quotient, quotients
from dse.duals import Dual, Mark, chained, independent, plain, undecided
from dse.errors import InputError, ModelError
from dse.evaluation import flat_inputs
from dse.graph import Graph, call
from dse.units import TEXT

if TYPE_CHECKING:
    from dse.study import Study

__all__ = ["differentiated", "sensitivities"]

_PERCENT = 0.01


class _Origin(NamedTuple):
    """Where a mark comes from: "numeric", "steps" or "unknown", the function, and why."""

    kind: str
    function: str
    reason: str = ""


def sensitivities(study: Study, number: int, quantities: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return how quantities of a design answer to each of its numbers.

    Parameters
    ----------
    study : Study
    number : int
        Design number.
    quantities : sequence of str, optional
        Default: the objectives.

    Returns
    -------
    list of dict
        One per input that is a number (values of axes, columns of parts, values set, assumptions) and that some of the
        quantities depend on, the one with the largest effect first: ``input``, ``value``, ``unit``, ``from``, ``whole``
        (it takes whole numbers only, and is varied as if it did not) and ``effects``, by quantity:

        - ``elasticity``: percent by which the quantity changes per percent of the input, d ln y / d ln x; None where it
          is not known or one of the two is 0;
        - ``derivative`` dy/dx, and its ``unit``; None where it is not known;
        - ``kind``: "exact"; "numeric" (through difference quotients of the functions in ``numeric``); "steps" (the
          change over one percent either way, of a whole number over one, because of the functions in ``steps`` or
          because those in ``unknown`` take whole numbers only); or "unknown";
        - ``one_sided``: on the other side (of a tie, a knot or the end of a table) another one holds, or none is known;
        - ``numeric``, ``steps``, ``unknown``: functions by what they do to the effect; ``reason``: why it is not known.

    Raises
    ------
    InputError
        A quantity that the alternative of the design does not have, or a text.
    """
    problem = study.compiled
    index, rows = problem.space.rows_of(number)
    system, product = problem.systems[index], problem.space.products[index]
    graph = system.graph
    wanted = list(quantities) if quantities is not None else [one.quantity for one in problem.objectives]
    for name in wanted:
        if graph.units.get(name, TEXT) in (TEXT, "table"):
            known = [one for one, unit in graph.units.items() if unit not in (TEXT, "table")]
            raise InputError(f"no quantity '{name}' that is a number", allowed=known, wrong=name, candidates=known)
    inputs = flat_inputs(graph, product, system.assumptions, [np.array([row]) for row in rows])
    below = graph.below(wanted)
    names = [name for name in graph.inputs if name in below and graph.units[name] not in (TEXT, "table")]
    with np.errstate(all="ignore"):
        values, origins = differentiated(graph, inputs, names, wanted)
        points = {name: plain(value) for name, value in values.items()}
        found = []
        for direction, name in enumerate(names):
            reached = [quantity for quantity in wanted if name in graph.below([quantity])]
            declared = study.builder.declared(name)
            whole = isinstance(declared, Parameter) and declared.integer
            jumping = [quantity for quantity in reached if _jumps(values[quantity], direction, whole)]
            ends = _either_way(graph, points, name, declared, whole) if jumping else []
            effects = {}
            for quantity in reached:
                here, *away = [(_number(one[name]), _number(one[quantity])) for one in (points, *ends)]
                effects[quantity] = {
                    **_effect(values[quantity], direction, here, away if quantity in jumping else None),
                    "unit": _per(graph.units[quantity], graph.units[name]),
                    **_reasons(origins[quantity][direction]),
                }
            item = graph.inputs[name]
            found.append(
                {
                    "input": name,
                    "value": _number(points[name]),
                    "unit": item.unit,
                    "from": item.kind,
                    "whole": whole,
                    "effects": effects,
                }
            )
    return sorted(found, key=lambda row: -max(abs(effect["elasticity"] or 0.0) for effect in row["effects"].values()))


def differentiated(
    graph: Graph, inputs: Mapping[str, Any], names: Sequence[str], wanted: Iterable[str]
) -> tuple[dict[str, Any], dict[str, list[frozenset[_Origin]]]]:
    """Evaluate what some quantities need on dual numbers.

    Parameters
    ----------
    graph : Graph
    inputs : dict of str to ndarray
    names : sequence of str
        The inputs that are directions, in their order.
    wanted : iterable of str

    Returns
    -------
    values : dict of str to Dual (or ndarray, where nothing varies)
    origins : dict of str to list of frozenset
        By quantity and direction, where the marks of its derivative come from.
    """
    below = graph.below(wanted)
    values: dict[str, Any] = {name: inputs[name] for name in graph.inputs if name in below}
    values |= dict(zip(names, independent([inputs[name] for name in names]), strict=True))
    nothing: list[frozenset[_Origin]] = [frozenset()] * len(names)
    origins = dict.fromkeys(values, nothing)
    for function in graph.functions:
        if below.isdisjoint(function.gives):
            continue
        results, own = _call(function, values)
        for name, result in results.items():
            values[name] = result
            origins[name] = nothing
            if isinstance(result, Dual):
                needs = {
                    need: (values[need], origins[need]) for need in function.needs if isinstance(values[need], Dual)
                }
                origins[name] = [
                    _origins(function, result, needs, own.get(name, {}), direction) for direction in range(len(names))
                ]
    return values, origins


def _call(function: ModelFunction, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Quotient]]]:
    """Call a function on dual numbers; where it takes none, need by need.

    Returns
    -------
    results : dict of str to Dual or ndarray
    quotients : dict of str to dict of str to Quotient
        By result and need, those that are difference quotients.
    """
    varying = [need for need in dict.fromkeys(function.needs) if _varies(values[need])]
    if not varying:
        return call(function, {need: plain(values[need]) for need in function.needs}), {}
    try:
        results = _on_duals(function, values)
    except (InputError, ModelError):  # whatever a function makes of dual numbers: the arrays below tell its own errors
        return _need_by_need(function, values, varying)
    decided = [name for name, result in results.items() if _is_number(result)]
    if not decided:
        return results, {}
    others, own = _need_by_need(function, values, varying, decided)
    return {**results, **others}, own


def _varies(value: Any) -> bool:
    return isinstance(value, Dual) and bool(np.any((value.derivative != 0) | (value.marks != 0)))


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


def _on_duals(function: ModelFunction, values: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function on dual numbers; a comparison of equals in it makes its results steps."""
    with undecided() as equals:
        results = call(function, values)
    for along in equals:
        steps = along * np.uint8(Mark.STEPS)
        results = {
            name: Dual(one.value, one.derivative, one.marks | steps) if isinstance(one, Dual) else one
            for name, one in results.items()
        }
    return results


def _need_by_need(
    function: ModelFunction, values: Mapping[str, Any], varying: Sequence[str], decided: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, dict[str, Quotient]]]:
    """Differentiate a function with respect to one need after the other.

    Parameters
    ----------
    decided : sequence of str
        Results that dual numbers leave plain, because comparisons alone decide them: only these are wanted, and they
        are exact where they do not change. Default: all results.
    """
    points = {need: plain(values[need]) for need in function.needs}
    base = {name: np.asarray(value) for name, value in call(function, points).items()}
    numbers = {name: base[name] for name in decided or base if _is_number(base[name])}
    slopes: dict[str, list[np.ndarray]] = {name: [] for name in numbers}
    marks: dict[str, Any] = {name: np.uint8(0) for name in numbers}
    found: dict[str, dict[str, Quotient]] = {name: {} for name in numbers}
    for need in varying:
        operand = values[need]
        moves = (operand.derivative != 0) | ((operand.marks & Mark.STEPS) != 0)
        for name, quotient in _partial(function, points, need, numbers, bool(decided)).items():
            slopes[name].append(quotient.slope)
            said = quotient.marks[..., None]
            marks[name] = marks[name] | np.where(moves, said, np.where(operand.marks != 0, said & Mark.NUMERIC, 0))
            if np.any(quotient.marks & Mark.NUMERIC):
                found[name][need] = quotient
    operands = [values[need] for need in varying]
    results = {name: chained(value, operands, slopes[name], marks[name]) for name, value in numbers.items()}
    return results if decided else {**base, **results}, found


def _partial(
    function: ModelFunction, points: Mapping[str, Any], need: str, base: Mapping[str, np.ndarray], decided: bool
) -> dict[str, Quotient]:
    """Return the derivatives with respect to one need: exact where it alone can be a dual number, else a quotient."""
    x = np.asarray(points[need], dtype=float)

    def quotients_of(names: Iterable[str]) -> dict[str, Quotient]:
        return quotients(lambda point: call(function, {**points, need: point}), x, {name: base[name] for name in names})

    exact: dict[str, Quotient] = {}
    if not decided:
        (seed,) = independent([points[need]])
        try:
            results = _on_duals(function, {**points, need: seed})
        except (InputError, ModelError):
            return quotients_of(base)
        duals = {name: results[name] for name in base if isinstance(results[name], Dual)}
        exact = {name: Quotient(one.derivative[..., 0], one.marks[..., 0], "") for name, one in duals.items()}
    others = [name for name in base if name not in exact]
    constant = {
        name: one._replace(marks=np.where((one.slope == 0) & (one.marks == Mark.NUMERIC), 0, one.marks))
        for name, one in (quotients_of(others) if others else {}).items()
    }
    return {**exact, **constant}


def _origins(
    function: ModelFunction,
    result: Dual,
    needs: Mapping[str, tuple[Dual, list[frozenset[_Origin]]]],
    own: Mapping[str, Quotient],
    direction: int,
) -> frozenset[_Origin]:
    """Return where the marks of a result along a direction come from."""
    marked = _kinds(result, direction)
    if not marked:
        return frozenset()
    reaching = {need: value for need, (value, _) in needs.items() if _reaches(value, direction)}
    found = {origin for need in reaching for origin in needs[need][1][direction] if origin.kind in marked}
    before: set[str] = set()
    for value in reaching.values():
        before |= _kinds(value, direction)
    asked = [own[need] for need in reaching if need in own]
    if "unknown" in marked - before:
        found.add(_Origin("unknown", function.label, "; ".join(one.reason for one in asked if one.reason)))
    if "steps" in marked - before:
        found.add(_Origin("steps", function.label))
    if "numeric" in marked and asked:
        found.add(_Origin("numeric", function.label))
    return frozenset(found)


def _reaches(value: Dual, direction: int) -> bool:
    return bool(np.any((value.derivative[..., direction] != 0) | (value.marks[..., direction] != 0)))


def _kinds(value: Dual, direction: int) -> set[str]:
    kinds = set()
    marks = np.bitwise_or.reduce(value.marks[..., direction].reshape(-1), initial=0)
    if marks & Mark.NUMERIC:
        kinds.add("numeric")
    if marks & Mark.STEPS:
        kinds.add("steps")
    if not np.isfinite(value.derivative[..., direction]).all():
        kinds.add("unknown")
    return kinds


def _number(value: Any) -> float:
    return float(np.asarray(value, dtype=float).reshape(-1)[0])


def _jumps(value: Any, direction: int, whole: bool) -> bool:
    """Tell whether an effect is to be read off the system a little away: in steps, or nowhere but at whole numbers."""
    kinds = _kinds(value, direction) if isinstance(value, Dual) else set()
    return "steps" in kinds or (whole and "unknown" in kinds)


def _effect(
    value: Any, direction: int, here: tuple[float, float], ends: Sequence[tuple[float, float]] | None
) -> dict[str, Any]:
    """Return elasticity, derivative and kind of one effect; `ends` are points of a system that jumps."""
    kinds, slope, one_sided = set(), 0.0, False
    if ends is not None:
        slope, one_sided = _secant([end for end in ends if np.isfinite(end[1])], here)
    elif isinstance(value, Dual):
        kinds = _kinds(value, direction)
        slope = _number(value.derivative[..., direction])
        one_sided = bool(int(value.marks[..., direction].reshape(-1)[0]) & Mark.ONE_SIDED)
    told: dict[str, Any] = {"elasticity": None, "derivative": None, "kind": "unknown", "one_sided": one_sided}
    x, y = here
    if np.isfinite(slope) and np.isfinite(y):
        told["elasticity"] = slope * x / y if x and y else None
        told["derivative"] = slope
        told["kind"] = "steps" if ends is not None else "numeric" if "numeric" in kinds else "exact"
    return told


def _secant(ends: Sequence[tuple[float, float]], here: tuple[float, float]) -> tuple[float, bool]:
    """Return the slope between two points, or from here to the only one there is, and whether it is the latter."""
    if not ends:
        return np.nan, True
    (x_up, y_up), (x_down, y_down) = ends[0], ends[1] if len(ends) == 2 else here
    return (y_up - y_down) / (x_up - x_down), len(ends) == 1


def _either_way(
    graph: Graph, points: Mapping[str, Any], name: str, declared: Parameter | Assumption | None, whole: bool
) -> list[dict[str, Any]]:
    """Return the system with an input one percent up and one percent down (by one, if it is a whole number).

    A side where the input cannot be is left out.
    """
    x = _number(points[name])
    found = []
    for sign in (1.0, -1.0):
        there = x + sign if whole else x * (1.0 + sign * _PERCENT)
        if there == x or (declared is not None and _is_beyond(declared, there)):
            continue
        values = {**points, name: np.full_like(points[name], there)}
        changed = {name}
        try:
            for function in graph.functions:
                if not changed.isdisjoint(function.needs) and not points.keys().isdisjoint(function.gives):
                    results = call(function, values)
                    values.update(results)
                    changed |= results.keys()
        except (InputError, ModelError):
            continue
        found.append(values)
    return found


def _is_beyond(declared: Parameter | Assumption, value: float) -> bool:
    low, high, above = declared.minimum, declared.maximum, declared.above
    return bool(
        (low is not None and value < low)
        or (high is not None and value > high)
        or (above is not None and value <= above)
    )


def _reasons(origins: frozenset[_Origin]) -> dict[str, Any]:
    """Return the functions that are the reason for the kind of an effect, and what they say."""
    told: dict[str, Any] = {
        kind: sorted({origin.function for origin in origins if origin.kind == kind})
        for kind in ("numeric", "steps", "unknown")
    }
    told["reason"] = "; ".join(sorted({origin.reason for origin in origins if origin.reason}))
    return told


def _per(unit: str, other: str) -> str:
    """Return the unit of a derivative."""
    if other == "1":
        return unit
    return f"{unit}/({other})" if "/" in other or "*" in other else f"{unit}/{other}"
