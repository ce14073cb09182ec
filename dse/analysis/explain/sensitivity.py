"""Sensitivities of one design: what a percent more of each of its numbers would change.

The graph is evaluated once on dual numbers, so derivatives run exactly through every function that takes them, with
respect to all inputs at once. Through a function that does not, they run by the difference quotient of that function
alone, and the result says so. Every input is a direction upward and another one downward, so that on a tie or a knot
both sides are told. An effect that comes in steps (whole switches, whole cache lines) has no derivative of use: it is
the change of the whole system over one percent either way, of a whole number over one either way. Where steps have no
effect here, because something else binds, the system a percent away tells whether they have one there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dse.analysis.explain.explanation import Effect, Sensitivity
from dse.arithmetic.duals import Dual, Mark, of_two_sides, plain, undecided
from dse.arithmetic.finite_differences import Point, Quotient, evaluated_at, quotients, quotients_along
from dse.authoring.declare.declaration import Assumption, ModelFunction, Parameter
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import Graph, call
from dse.study.build.declarations import Declarations
from dse.units import TEXT

__all__ = ["differentiated", "sensitivities", "size_of"]

_PERCENT = 0.01
_SAME, _SAME_NUMERIC = 1e-9, 1e-4  # relative difference of two sides that is none
_STRAIGHT = 0.05  # relative difference between a change over a percent and that of the derivative, without steps


class _Origin(NamedTuple):
    """Where a mark comes from: "numeric", "steps", "hidden" or "unknown", the function, and why."""

    kind: str
    function: str
    reason: str = ""


def sensitivities(
    problem: Problem, declarations: Declarations, number: int, quantities: Sequence[str] | None = None
) -> list[Sensitivity]:
    """Return how quantities of a design answer to each of its numbers.

    Parameters
    ----------
    problem : Problem
    declarations : Declarations
        Which inputs take whole numbers only, and their limits.
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

        - ``elasticity``: percent by which the quantity changes as the input rises by one, both of their sizes; None
          where it is not known or one of the two is 0;
        - ``derivative`` dy/dx, and its ``unit``; None where it is not known;
        - ``below``: ``elasticity`` and ``derivative`` as the input falls, where they are others; else None;
        - ``kind``: "exact"; "numeric" (through difference quotients of the functions in ``numeric``); "steps" (the
          change over one percent either way, of a whole number over one, because of the functions in ``steps`` or
          because those in ``unknown`` take whole numbers only); or "unknown";
        - ``one_sided``: on the other side (of a tie, a knot or the end of a table) another one holds (``below``), or
          none is known;
        - ``numeric``, ``steps``, ``unknown``: functions by what they do to the effect; ``reason``: why it is not known.

    Raises
    ------
    InputError
        A quantity that the alternative of the design does not have, or a text.
    """
    index, rows = problem.space.rows_of(number)
    system, product = problem.systems[index], problem.space.products[index]
    graph = system.graph
    wanted = list(quantities) if quantities is not None else [objective.quantity for objective in problem.objectives]
    for name in wanted:
        if graph.units.get(name, TEXT) in (TEXT, "table"):
            known = [quantity for quantity, unit in graph.units.items() if unit not in (TEXT, "table")]
            raise InputError(f"no quantity '{name}' that is a number", allowed=known, wrong=name, candidates=known)
    inputs = flat_inputs(graph, product, system.assumptions, [np.array([row]) for row in rows])
    below = graph.below(wanted)
    names = [name for name in graph.inputs if name in below and graph.units[name] not in (TEXT, "table")]
    with np.errstate(all="ignore"):
        values, origins = differentiated(graph, inputs, names, wanted)
        points = {name: plain(value) for name, value in values.items()}
        declared = {name: declarations.of_input(name) for name in names}
        whole = {name for name, parameter in declared.items() if parameter is not None and parameter.integer}
        reaching = {quantity: graph.below([quantity]) for quantity in wanted}
        reached = {name: [quantity for quantity in wanted if name in reaching[quantity]] for name in names}
        jumping = {
            name: [
                quantity
                for quantity in reached[name]
                if _may_jump(values[quantity], direction, len(names), name in whole)
            ]
            for direction, name in enumerate(names)
        }
        asked = [
            point
            for name in names
            if jumping[name]
            for point in _either_way(name, points[name], declared[name], name in whole)
        ]
        ends = _curves(graph, points, asked, wanted)
        answers: list[Sensitivity] = []
        for direction, name in enumerate(names):
            effects: dict[str, Effect] = {}
            for quantity in reached[name]:
                here = _number(points[name]), _number(points[quantity])
                away = ends.get((name, quantity), []) if quantity in jumping[name] else None
                unit = _per(graph.units[quantity], graph.units[name])
                sides = _sides(values[quantity], direction, len(names), origins[quantity])
                effects[quantity] = _effect(sides, here, away, unit)
            item = graph.inputs[name]
            answers.append(
                {
                    "input": name,
                    "value": _number(points[name]),
                    "unit": item.unit,
                    "from": item.kind,
                    "whole": name in whole,
                    "effects": effects,
                }
            )
    return sorted(answers, key=lambda answer: -max(size_of(effect) for effect in answer["effects"].values()))


def size_of(effect: Effect) -> float:
    """Return the larger size of an effect on its two sides, in percent."""
    below = effect["below"]
    return max(abs(effect["elasticity"] or 0.0), abs(below["elasticity"] or 0.0) if below else 0.0)


def differentiated(
    graph: Graph, inputs: Mapping[str, object], names: Sequence[str], wanted: Iterable[str]
) -> tuple[dict[str, object], dict[str, list[frozenset[_Origin]]]]:
    """Evaluate what some quantities need on dual numbers.

    Parameters
    ----------
    graph : Graph
    inputs : dict of str to ndarray
    names : sequence of str
        The inputs that are directions, in their order: upward, then all of them downward.
    wanted : iterable of str

    Returns
    -------
    values : dict of str to Dual (or ndarray, where nothing varies)
    origins : dict of str to list of frozenset
        By quantity and direction, where the marks of its derivative come from.
    """
    below = graph.below(wanted)
    values: dict[str, object] = {name: inputs[name] for name in graph.inputs if name in below}
    values |= dict(zip(names, _both_ways([inputs[name] for name in names]), strict=True))
    nothing: list[frozenset[_Origin]] = [frozenset()] * (2 * len(names))
    origins = dict.fromkeys(values, nothing)
    along = {name: _along(value) for name, value in values.items() if isinstance(value, Dual)}
    for function in graph.functions:
        if below.isdisjoint(function.gives):
            continue
        results, own = _call(function, values)
        for name, result in results.items():
            values[name] = result
            origins[name] = nothing
            if isinstance(result, Dual):
                along[name] = _along(result)
                needs = {need: (along[need], origins[need]) for need in function.needs if need in along}
                origins[name] = [
                    _origins(function, marked, needs, own.get(name, {}), direction)
                    for direction, marked in enumerate(along[name].kinds)
                ]
    return values, origins


def _both_ways(values: Sequence[Any]) -> list[Dual]:
    """Return arrays as dual numbers, each with a direction upward, and behind those of all with one downward."""
    eye = np.eye(len(values))
    return [Dual(value, row) for value, row in zip(values, np.hstack([eye, -eye]), strict=True)]


def _call(
    function: ModelFunction, values: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, dict[str, Quotient]]]:
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


def _varies(value: object) -> bool:
    return isinstance(value, Dual) and bool(np.any((value.derivative != 0) | (value.marks != 0)))


def _is_number(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


def _on_duals(function: ModelFunction, values: Mapping[str, object]) -> dict[str, Any]:
    """Call a function on dual numbers; comparisons in it that a small change may decide otherwise mark its results."""
    with undecided() as comparisons:
        results = call(function, values)
    for marks in comparisons:
        results = {
            name: Dual(result.value, result.derivative, result.marks | marks) if isinstance(result, Dual) else result
            for name, result in results.items()
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
    above: dict[str, list[np.ndarray]] = {name: [] for name in numbers}
    below: dict[str, list[np.ndarray]] = {name: [] for name in numbers}
    marks: dict[str, Any] = {name: np.uint8(0) for name in numbers}
    by_need: dict[str, dict[str, Quotient]] = {name: {} for name in numbers}
    partials = _partials(function, points, varying, numbers, bool(decided))
    for need in varying:
        operand = values[need]
        moves = (operand.derivative != 0) | ((operand.marks & Mark.STEPS) != 0)
        for name, quotient in partials[need].items():
            above[name].append(quotient.above)
            below[name].append(quotient.below)
            said = quotient.marks[..., None]
            marks[name] = marks[name] | np.where(moves, said, np.where(operand.marks != 0, said & Mark.NUMERIC, 0))
            if np.any(quotient.marks & Mark.NUMERIC):
                by_need[name][need] = quotient
    operands = [values[need] for need in varying]
    results = {
        name: of_two_sides(value, operands, above[name], below[name], marks[name]) for name, value in numbers.items()
    }
    moving = dict(zip(varying, operands, strict=True))
    results = _moved_together(function, points, moving, partials, numbers, results)
    return results if decided else {**base, **results}, by_need


def _moved_together(
    function: ModelFunction,
    points: Mapping[str, object],
    moving: Mapping[str, Dual],
    partials: Mapping[str, Mapping[str, Quotient]],
    base: Mapping[str, np.ndarray],
    results: dict[str, Dual],
) -> dict[str, Dual]:
    """Differentiate anew along the directions in which needs that bend the result move together.

    Of the least of two equal bandwidths, neither has an effect alone, and both together have.
    """
    bent = {name: sum(_bends(operand, partials[need][name]) for need, operand in moving.items()) for name in results}
    tied = {name: np.asarray(several > 1) for name, several in bent.items()}
    asked = [
        direction
        for direction in range(next(iter(moving.values())).directions)
        if any(array[..., direction].any() for array in tied.values())
        and all(np.isfinite(operand.derivative[..., direction]).all() for operand in moving.values())
    ]
    speeds = [{need: operand.derivative[..., direction] for need, operand in moving.items()} for direction in asked]
    along_each = quotients_along(lambda values: call(function, values), points, speeds, base) if asked else []
    for direction, along in zip(asked, along_each, strict=True):
        for name, quotient in along.items():
            result = results[name]
            known = tied[name][..., direction] & ~np.isnan(quotient.above)
            slopes, marks = result.derivative.copy(), result.marks.copy()
            before = result.marks[..., direction] & ~np.uint8(Mark.ONE_SIDED)
            slopes[..., direction] = np.where(known, quotient.above, slopes[..., direction])
            marks[..., direction] = np.where(known, quotient.marks | before, marks[..., direction])
            results[name] = Dual(result.value, slopes, marks)
    return results


def _bends(operand: Dual, quotient: Quotient) -> np.ndarray:
    bend = (quotient.marks & Mark.ONE_SIDED) != 0
    result: np.ndarray = (bend[..., None] & (operand.derivative != 0)).astype(int)
    return result


def _partials(
    function: ModelFunction,
    points: Mapping[str, object],
    needs: Sequence[str],
    base: Mapping[str, np.ndarray],
    decided: bool,
) -> dict[str, dict[str, Quotient]]:
    """Return the derivatives with respect to each need: exact where it alone can be a dual number, else quotients."""
    exact = {need: {} if decided else _exact_partial(function, points, need, base) for need in needs}
    numeric = [need for need, partial in exact.items() if partial is None or len(partial) < len(base)]
    quotient = quotients(lambda values: call(function, values), points, numeric, base)
    partials = {}
    for need, known in exact.items():
        if known is None:
            partials[need] = quotient[need]
        else:
            others = {name: quotient[need][name] for name in base if name not in known}
            partials[need] = {**known, **{name: _unmarked_if_constant(quotient) for name, quotient in others.items()}}
    return partials


def _exact_partial(
    function: ModelFunction, points: Mapping[str, object], need: str, base: Mapping[str, np.ndarray]
) -> dict[str, Quotient] | None:
    """Return the derivatives of the results that come out as dual numbers; None where the function takes none."""
    (seed,) = _both_ways([points[need]])
    try:
        results = _on_duals(function, {**points, need: seed})
    except (InputError, ModelError):
        return None
    duals = {name: results[name] for name in base if isinstance(results[name], Dual)}
    return {
        name: Quotient(dual.derivative[..., 0], marks, "", dual.derivative[..., 0], -dual.derivative[..., 1])
        for name, dual in duals.items()
        for marks in (dual.marks[..., 0] | dual.marks[..., 1],)
    }


def _unmarked_if_constant(quotient: Quotient) -> Quotient:
    return quotient._replace(
        marks=np.where((quotient.slope == 0) & (quotient.marks == Mark.NUMERIC), 0, quotient.marks)
    )


class _Along(NamedTuple):
    """What a dual number says along each direction: the kinds of its marks, and whether it varies."""

    kinds: list[frozenset[str]]
    reaches: list[bool]


def _along(value: Dual) -> _Along:
    slopes, marks = (part.reshape(-1, value.directions) for part in (value.derivative, value.marks))
    joined_marks, known = np.bitwise_or.reduce(marks, axis=0), np.logical_and.reduce(np.isfinite(slopes), axis=0)
    kinds = [_kinds(mark, finite) for mark, finite in zip(joined_marks.tolist(), known.tolist(), strict=True)]
    return _Along(kinds, ((slopes != 0).any(axis=0) | (joined_marks != 0)).tolist())


@cache
def _kinds(marks: int, known: bool) -> frozenset[str]:
    kinds = {"numeric": marks & Mark.NUMERIC, "steps": marks & Mark.STEPS, "hidden": marks & Mark.HIDDEN}
    return frozenset(kind for kind, said in {**kinds, "unknown": not known}.items() if said)


def _origins(
    function: ModelFunction,
    marked: frozenset[str],
    needs: Mapping[str, tuple[_Along, list[frozenset[_Origin]]]],
    own: Mapping[str, Quotient],
    direction: int,
) -> frozenset[_Origin]:
    """Return where the marks of a result along a direction come from."""
    if not marked:
        return frozenset()
    reaching = {need: said.kinds[direction] for need, (said, _) in needs.items() if said.reaches[direction]}
    wanted = marked | ({"steps"} if "hidden" in marked else set())
    origins = {origin for need in reaching for origin in needs[need][1][direction] if origin.kind in wanted}
    before = frozenset[str]().union(*reaching.values())
    asked = [own[need] for need in reaching if need in own]
    if "unknown" in marked - before:
        origins.add(
            _Origin("unknown", function.label, "; ".join(quotient.reason for quotient in asked if quotient.reason))
        )
    if "steps" in marked - before:
        origins.add(_Origin("steps", function.label))
    elif "hidden" in marked - before and "steps" not in before:
        origins.add(_Origin("hidden", function.label))
    if "numeric" in marked and asked:
        origins.add(_Origin("numeric", function.label))
    return frozenset(origins)


def _number(value: object) -> float:
    return float(np.asarray(value, dtype=float).reshape(-1)[0])


class _SideOf(NamedTuple):
    """What the dual numbers tell of an effect as the input rises, or falls."""

    slope: float
    marks: Mark
    origins: frozenset[_Origin]


def _sides(
    value: object, direction: int, inputs: int, origins: Sequence[frozenset[_Origin]]
) -> tuple[_SideOf, _SideOf]:
    """Return both sides of an effect."""
    if not isinstance(value, Dual):
        return _SideOf(0.0, Mark(0), frozenset()), _SideOf(0.0, Mark(0), frozenset())
    above, below = (
        _SideOf(
            sign * _number(value.derivative[..., place]),
            Mark(int(np.bitwise_or.reduce(value.marks[..., place].reshape(-1), initial=0))),
            origins[place],
        )
        for sign, place in ((1.0, direction), (-1.0, direction + inputs))
    )
    return above, below


def _may_jump(value: object, direction: int, inputs: int, whole: bool) -> bool:
    """Tell whether the system a little away is to be asked: of steps, or where only whole numbers are allowed."""
    if not isinstance(value, Dual):
        return False
    kinds = [_along(value).kinds[place] for place in (direction, direction + inputs)]
    return any(reasons & {"steps", "hidden"} for reasons in kinds) or (
        whole and all("unknown" in reasons for reasons in kinds)
    )


def _effect(
    sides: tuple[_SideOf, _SideOf],
    here: tuple[float, float],
    ends: Sequence[tuple[float, float]] | None,
    unit: str,
) -> Effect:
    """Return one effect, with the functions behind its kind; `ends` are points of a system that may jump."""
    known = [side for side in sides if np.isfinite(side.slope)]
    readable = known or list(sides)
    marks = readable[0].marks | readable[-1].marks
    origins = readable[0].origins | readable[-1].origins
    slope, other, one_sided = readable[0].slope, None, len(known) == 1 or bool(marks & Mark.ONE_SIDED)
    kind = "numeric" if marks & Mark.NUMERIC else "exact"
    if len(known) == 2:
        up, down = (side.slope for side in known)
        same = _SAME_NUMERIC if kind == "numeric" else _SAME
        if abs(up - down) > same * max(abs(up), abs(down)):
            other, one_sided = down, True
    x, y = here
    steps = bool(marks & Mark.STEPS)
    if ends is not None:
        finite = [end for end in ends if np.isfinite(end[1])]
        if (
            steps
            or not known
            or (marks & Mark.HIDDEN and _strays(finite, here, (slope, slope if other is None else other)))
        ):
            kind, other = "steps", None
            slope, one_sided = _secant(finite, here)
    settled = bool(np.isfinite(slope) and np.isfinite(y))
    reason = "; ".join(sorted({origin.reason for origin in origins if origin.reason}))
    return {
        "elasticity": _percent(slope, here) if settled else None,
        "derivative": slope if settled else None,
        "below": {"elasticity": _percent(other, here), "derivative": other} if settled and other is not None else None,
        "kind": kind if settled else "unknown",
        "one_sided": one_sided,
        "unit": unit,
        "numeric": _functions(origins, "numeric"),
        "steps": sorted({*_functions(origins, "steps"), *_functions(origins, "hidden")})
        if steps or kind == "steps"
        else [],
        "unknown": _functions(origins, "unknown"),
        "reason": reason if settled or reason else _why_not(x, y, slope, steps),
    }


def _percent(slope: float, here: tuple[float, float]) -> float | None:
    """Return a slope as percent of the size of the result per percent of the size of the input."""
    x, y = here
    return slope * abs(x) / abs(y) if x and y else None


def _why_not(x: float, y: float, slope: float, steps: bool) -> str:
    """Return why an effect is not known where no function says so."""
    if not np.isfinite(y):
        return "the result is not finite"
    if steps:
        return (
            "it is 0, of which a percent is nothing, and its effect comes in steps"
            if x == 0
            else ("its effect comes in steps, and the system a little away is refused")
        )
    return "the curve rises upright here" if np.isinf(slope) else "the system a little away is refused on both sides"


def _strays(ends: Sequence[tuple[float, float]], here: tuple[float, float], slopes: tuple[float, float]) -> bool:
    """Tell whether the system a little away is not where the derivatives lead, by more than a curve bends."""
    x, y = here
    for x_there, y_there in ends:
        step = abs((x_there - x) / x) if x else 1.0
        foreseen, change = slopes[0 if x_there > x else 1] * (x_there - x), y_there - y
        bend = step**2 * abs(y) if foreseen else 1e-9 * abs(y)
        if abs(change - foreseen) > min(0.9, _STRAIGHT + 2.0 * step) * max(abs(change), abs(foreseen)) + bend:
            return True
    return False


def _functions(origins: frozenset[_Origin], kind: str) -> list[str]:
    return sorted({origin.function for origin in origins if origin.kind == kind})


def _secant(ends: Sequence[tuple[float, float]], here: tuple[float, float]) -> tuple[float, bool]:
    """Return the slope between two points, or from here to the only one there is, and whether it is the latter."""
    if not ends:
        return np.nan, True
    (x_up, y_up), (x_down, y_down) = ends[0], ends[1] if len(ends) == 2 else here
    return (y_up - y_down) / (x_up - x_down), len(ends) == 1


def _either_way(name: str, value: Any, declared: Parameter | Assumption | None, whole: bool) -> list[Point]:
    """Return an input one percent up and one percent down (by one, if it is a whole number), where it can be."""
    x = _number(value)
    there = [x + sign if whole else x * (1.0 + sign * _PERCENT) for sign in (1.0, -1.0)]
    return [
        Point(name, np.full(np.shape(value), other))
        for other in there
        if other != x and (declared is None or declared.within(other))
    ]


def _curves(
    graph: Graph, points: Mapping[str, object], asked: Sequence[Point], wanted: Sequence[str]
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Evaluate the system with other values of its inputs.

    Returns
    -------
    dict of (str, str) to list of (float, float)
        By input and quantity: the value of each where the input can have it.
    """

    def evaluate(values: Mapping[str, object]) -> dict[str, Any]:
        evaluated = dict(values)
        changed = {name for name in graph.inputs if name in points and values[name] is not points[name]}
        for function in graph.functions:
            if not changed.isdisjoint(function.needs) and not points.keys().isdisjoint(function.gives):
                results = call(function, evaluated)
                evaluated.update(results)
                changed |= results.keys()
        return evaluated

    curves: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for point, answer in zip(asked, evaluated_at(evaluate, points, asked, wanted), strict=True):
        if isinstance(answer, dict):
            for quantity in wanted:
                pair = _number(point.value), _number(answer[quantity])
                curves.setdefault((point.argument, quantity), []).append(pair)
    return curves


def _per(unit: str, other: str) -> str:
    """Return the unit of a derivative."""
    if other == "1":
        return unit
    return f"{unit}/({other})" if "/" in other or "*" in other else f"{unit}/{other}"
