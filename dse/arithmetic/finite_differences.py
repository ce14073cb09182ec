"""Difference quotients of one function: for what has no form for dual numbers, such as a lookup in a table.

Both sides are asked, each at several distances, so that a bend, a jump or a staircase is told from a slope. All points
of all arguments go to the function together, as a list of designs; where it refuses, its parts go apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.arithmetic.duals import Mark
from dse.errors import InputError, ModelError

__all__ = ["Point", "Quotient", "evaluated_at", "quotients", "quotients_along"]

# Shares of the argument. The least is above the 1e-6 within which lookups take a value for a tabulated one.
_DISTANCES = (2.0**-15, 2.0**-17, 2.0**-19)
_COARSE = 2.0**-7
_SHARES = (*(share for distance in _DISTANCES for share in (distance, distance / 2.0)), _COARSE)
_NEAREST = 2 * len(_DISTANCES) - 2  # of the shares, the larger of the closest pair
_FIRST = (0, 1, len(_SHARES) - 1)  # those that are asked in any case: where they settle, closer ones change nothing
_CLOSER = tuple(place for place in range(len(_SHARES)) if place not in _FIRST)
_SETTLED, _SAME, _FLOOR = 1e-2, 1e-4, 1e-6

Evaluate = Callable[[Mapping[str, Any]], Mapping[str, npt.ArrayLike]]
Answer = dict[str, np.ndarray] | InputError | ModelError
"""The results at a point, or why there are none."""


class Point(NamedTuple):
    """Where to evaluate: one argument has another value."""

    argument: str
    value: np.ndarray


class Quotient(NamedTuple):
    """A derivative (NaN where there is none), its `Mark`, why there is none, and those of either side."""

    slope: np.ndarray
    marks: np.ndarray
    reason: str
    above: np.ndarray
    below: np.ndarray


class _Side(NamedTuple):
    slopes: dict[str, np.ndarray]
    steps: dict[str, np.ndarray]
    refusal: str


def evaluated_at(
    evaluate: Evaluate, values: Mapping[str, object], points: Sequence[Point], names: Sequence[str]
) -> list[Answer]:
    """Evaluate at several points, with as few calls as refusals allow.

    Parameters
    ----------
    evaluate : callable
        Returns results by name for values by name, which are arrays along one axis (or of one entry) and other objects;
        each entry of a result depends on the entries at its place alone. An `InputError` or `ModelError` says that
        values are not allowed.
    values : dict of str to object
        What holds but for the point: arrays that broadcast against each other, and other objects.
    points : sequence of Point
        Neighbours should be alike: where points are refused, each half is tried by itself.
    names : sequence of str
        The results wanted; those that are no numbers stay out.

    Returns
    -------
    list of (dict of str to ndarray, or error)
        Of each point.
    """
    if not points:
        return []
    try:
        return _at_once(evaluate, values, points, names)
    except (InputError, ModelError) as error:
        if len(points) == 1:
            return [error]
        half = len(points) // 2
        return [
            answer for half in (points[:half], points[half:]) for answer in evaluated_at(evaluate, values, half, names)
        ]


def _at_once(
    evaluate: Evaluate, values: Mapping[str, object], points: Sequence[Point], names: Sequence[str]
) -> list[Answer]:
    results = evaluate(_list_of_designs(values, points))
    shape = (len(points), *_shape(values))
    at_points = {
        name: np.broadcast_to(np.reshape(results[name], -1), np.prod(shape, dtype=int)).reshape(shape) for name in names
    }
    return [{name: result[place] for name, result in at_points.items()} for place in range(len(points))]


def _shape(values: Mapping[str, object]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(value.shape for value in values.values() if isinstance(value, np.ndarray)))


def _list_of_designs(values: Mapping[str, object], points: Sequence[Point]) -> dict[str, object]:
    """Return values along one axis, one point after the other."""
    shape = _shape(values)
    size, listed = int(np.prod(shape)), dict(values)
    own: dict[str, list[tuple[int, np.ndarray]]] = {}
    for place, point in enumerate(points):
        own.setdefault(point.argument, []).append((place, point.value))
    for name, value in values.items():
        if name in own:
            flat = np.broadcast_to(np.asarray(value), shape).reshape(-1)
            kind = np.result_type(flat, *(there for _, there in own[name]))
            listed[name] = column = np.tile(flat.astype(kind, copy=False), len(points))
            for place, there in own[name]:
                column.reshape(len(points), size)[place] = np.broadcast_to(there, shape).reshape(-1)
        elif isinstance(value, np.ndarray):
            several = value.size > 1
            listed[name] = np.tile(np.broadcast_to(value, shape).reshape(-1), len(points)) if several else value
    return listed


def quotients(
    evaluate: Evaluate, values: Mapping[str, object], arguments: Sequence[str], base: Mapping[str, np.ndarray]
) -> dict[str, dict[str, Quotient]]:
    """Return the derivatives of the results of a function with respect to some of its arguments.

    Parameters
    ----------
    evaluate, values
        As of `evaluated_at`.
    arguments : sequence of str
        Each is varied by shares of itself; where it is 0, by shares of 1.
    base : dict of str to ndarray
        The results at `values`.

    Returns
    -------
    dict of str to dict of str to Quotient
        By argument and result: the mean of both sides where they agree; else that of the upper side, or of the only
        side there is, marked one-sided, beside those of both. What jumps, or changes over larger distances only, is
        marked as steps.
    """
    places = {argument: np.asarray(values[argument], dtype=float) for argument in arguments}
    sides = [(argument, x, sign * _scale(x)) for argument, x in places.items() for sign in (1.0, -1.0)]
    points = [[Point(argument, x + scale * share) for share in _SHARES] for argument, x, scale in sides]
    here = {name: np.broadcast_to(value, _shape(values)) for name, value in base.items()}
    asked = _of_sides(evaluate, values, points, list(base))
    each_side = [
        _side(_at_shares(own, answers), x, here, scale)
        for own, answers, (_, x, scale) in zip(points, asked, sides, strict=True)
    ]
    unsettled = [
        place
        for place, answers in enumerate(asked)
        if len(answers) < len(_SHARES) and any(np.isnan(slope).any() for slope in each_side[place].slopes.values())
    ]
    closer = [points[place][share] for place in unsettled for share in _CLOSER]
    answers_closer = iter(evaluated_at(evaluate, values, closer, list(base)))
    for place in unsettled:
        answers = asked[place] | {share: next(answers_closer) for share in _CLOSER}
        _, x, scale = sides[place]
        each_side[place] = _side(_at_shares(points[place], answers), x, here, scale)
    return {
        argument: {
            name: _of_both(each_side[2 * at], each_side[2 * at + 1], name, x, value) for name, value in here.items()
        }
        for at, (argument, x) in enumerate(places.items())
    }


def _at_shares(points: Sequence[Point], answers: Mapping[int, Answer]) -> list[tuple[Point, Answer]]:
    """Return the points of a side that were asked, in the order of their shares, each with its answer."""
    return [(points[share], answers[share]) for share in sorted(answers)]


def _of_sides(
    evaluate: Evaluate, values: Mapping[str, object], sides: Sequence[Sequence[Point]], names: Sequence[str]
) -> list[dict[int, Answer]]:
    """Evaluate at the first points of each side, all at once where none is refused, else side by side.

    What is refused as near as `_NEAREST` is not asked farther off: a whole number has no side, and neither has an end.
    What is accepted farther off and not nearer has its answers all the same, by the place of the share.
    """
    if not sides:
        return []
    try:
        firsts = iter(_at_once(evaluate, values, [side[share] for side in sides for share in _FIRST], names))
        return [{share: next(firsts) for share in _FIRST} for _ in sides]
    except (InputError, ModelError):
        pass
    answers: list[dict[int, Answer]] = []
    for side in sides:
        try:
            own = _at_once(evaluate, values, [side[share] for share in _FIRST], names)
            answers.append(dict(zip(_FIRST, own, strict=True)))
        except (InputError, ModelError):
            (nearest,) = evaluated_at(evaluate, values, [side[_NEAREST]], names)
            refused = not isinstance(nearest, dict)
            every = [nearest] * len(side) if refused else evaluated_at(evaluate, values, side, names)
            answers.append(dict(enumerate(every)))
    return answers


def quotients_along(
    evaluate: Evaluate,
    values: Mapping[str, object],
    directions: Sequence[Mapping[str, np.ndarray]],
    base: Mapping[str, np.ndarray],
) -> list[dict[str, Quotient]]:
    """Return the derivatives of the results of a function as several arguments move together.

    Parameters
    ----------
    evaluate, values, base
        As of `quotients`.
    directions : sequence of dict of str to ndarray
        How fast each argument moves.

    Returns
    -------
    list of dict of str to Quotient
        By direction and result.
    """
    steps = {}
    for place, speeds in enumerate(directions):
        with np.errstate(divide="ignore"):  # what does not move may go any way
            ways = [_scale(np.asarray(values[name], dtype=float)) / np.abs(speed) for name, speed in speeds.items()]
        steps[f"along {place}"] = reduce(np.minimum, ways)

    def moved(asked: Mapping[str, object]) -> Mapping[str, npt.ArrayLike]:
        there = {name: asked[name] for name in values}
        for (along, step), speeds in zip(steps.items(), directions, strict=True):
            shift = np.asarray(asked[along])
            for name, speed in speeds.items():
                there[name] = np.asarray(there[name]) + shift * np.resize(step * speed, shift.size)
        return evaluate(there)

    nowhere = {along: np.zeros(step.shape) for along, step in steps.items()}
    moving = quotients(moved, {**values, **nowhere}, list(steps), base)
    return [
        {
            name: Quotient(
                quotient.slope / step, quotient.marks, quotient.reason, quotient.above / step, quotient.below / step
            )
            for name, quotient in moving[along].items()
        }
        for along, step in steps.items()
    ]


def _scale(x: np.ndarray) -> np.ndarray:
    return np.where(x == 0, 1.0, np.abs(x))


def _of_both(above: _Side, below: _Side, name: str, x: np.ndarray, value: np.ndarray) -> Quotient:
    up, down = above.slopes[name], below.slopes[name]
    larger = np.maximum(np.abs(up), np.abs(down))
    smooth = np.abs(up - down) <= _SAME * larger + _FLOOR * np.abs(value) / _scale(x)
    mean = (up + down) / 2.0
    slope = np.where(smooth, mean, np.where(np.isnan(up), down, up))
    steps = above.steps[name] | below.steps[name]
    marks = Mark.NUMERIC | np.where(smooth, 0, Mark.ONE_SIDED) | np.where(steps, Mark.STEPS, 0)
    reason = ""
    if np.isnan(slope).any():
        reason = above.refusal or below.refusal or "it jumps here"
    return Quotient(slope, marks, reason, np.where(smooth, mean, up), np.where(smooth, mean, down))


def _side(
    answers: Sequence[tuple[Point, Answer]], x: np.ndarray, base: Mapping[str, np.ndarray], scale: np.ndarray
) -> _Side:
    """Return the slopes on one side, NaN where they do not settle as the distance shrinks."""
    if all(isinstance(answer, dict) and _unchanged(answer, base) for _, answer in answers):
        # As the general case has it, much sooner: of many arguments of a function most change nothing.
        nothing = {name: np.zeros(value.shape) for name, value in base.items()}
        return _Side(nothing, {name: np.full(value.shape, False) for name, value in base.items()}, "")
    slopes = {name: np.full(value.shape, np.nan) for name, value in base.items()}
    steps = {name: np.full(value.shape, False) for name, value in base.items()}
    refusal = ""
    answered = False
    *close, coarse = answers
    for pair in zip(close[::2], close[1::2], strict=True):
        refused = [str(answer) for _, answer in pair if not isinstance(answer, dict)]
        if refused:
            refusal = refused[0]
            continue
        results = [(point.value, answer) for point, answer in pair if isinstance(answer, dict)]
        for name, value in base.items():
            far, near = ((answer[name] - value) / (there - x) for there, answer in results)
            tolerance = _SETTLED * np.maximum(np.abs(far), np.abs(near)) + _FLOOR * np.abs(value / scale)
            settled = np.isnan(slopes[name]) & (np.abs(near - far) <= tolerance)
            slopes[name] = np.where(settled, 2.0 * near - far, slopes[name])
            steps[name] |= settled & answered
        answered = True
    if answered:
        for name in base:
            steps[name] |= np.isnan(slopes[name])
        _mark_coarse_steps(*coarse, base, x, slopes, steps)
    return _Side(slopes, steps, "" if answered else refusal)


def _unchanged(answer: Mapping[str, np.ndarray], base: Mapping[str, np.ndarray]) -> bool:
    return all(np.array_equal(answer[name], value) for name, value in base.items())


def _mark_coarse_steps(
    point: Point,
    answer: Answer,
    base: Mapping[str, np.ndarray],
    x: np.ndarray,
    slopes: Mapping[str, np.ndarray],
    steps: dict[str, np.ndarray],
) -> None:
    """Mark what is flat nearby and changes farther off."""
    if not isinstance(answer, dict):
        return
    for name, value in base.items():
        change = np.abs(answer[name] - value)
        flat = np.abs(slopes[name] * (point.value - x)) < 1e-3 * change
        steps[name] |= flat & (change > 1e-9 * np.abs(value))
