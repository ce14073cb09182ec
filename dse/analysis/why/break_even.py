"""At which value of a number a part of a space would be on the frontier: by a proof and bisection, else by a scan.

Where the signs prove that a number, moved in one direction, makes no objective of the part worse and breaks none of
its limits, and it reaches nothing but the part, membership cannot end once it has begun in that direction: bisection
finds the one value. Else values are scanned, and every change that is seen is narrowed: between scanned values there
may be others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TypedDict

import numpy as np

from dse.analysis.sweep.bisection import narrowed
from dse.analysis.why.distance import beaten, distance
from dse.analysis.why.parameter_place import ParameterPlace
from dse.analysis.why.space_part import Own, SpacePart, complement_of, own_frontier
from dse.arithmetic.monotonicity import FALLS, FREE, RISES, Signed
from dse.arithmetic.ranges import Range
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.graph.graph import call
from dse.search.driver import search
from dse.search.proof.monotone import Monotonicity

__all__ = ["BreakEven", "break_even", "proved_direction"]

REACH = 10.0  # the value is looked for from a tenth to ten times of what it is
SCANNED = 33
_CLOSE = 1e-6


@dataclass(frozen=True)
class Membership:
    """Whether the part is on the frontier at a value, with which design, and by what factor it misses it."""

    value: float
    design: int | None
    factor: float | None = None

    @property
    def on(self) -> bool:
        """Whether it is."""
        return self.design is not None


class BreakEvenRecord(TypedDict):
    """A `BreakEven` as plain values."""

    parameter: str
    unit: str
    present: float
    value: float | None
    change: float | None
    proved: bool
    design: int | None
    factor: float | None
    intervals: list[list[float]]
    low: float
    high: float
    stays: list[float] | None
    searches: int
    why_not_proved: str


@dataclass(frozen=True)
class BreakEven:
    """The value nearest to the present one at which some design of the part is on the frontier.

    Where it is on the frontier at the present one, that is the value, and `stays` says how far it stays there.

    Attributes
    ----------
    parameter, unit : str
    present : float
        SI.
    value : float or None
        SI; None where none was found within `low` to `high`.
    proved : bool
        Whether signs prove that there is no other change; else values were scanned.
    design : int or None
        The design that enters.
    factor : float or None
        Where none was found: the factor that is left at the best value that was tried.
    intervals : list of (float, float)
        Where the part is on the frontier, as far as it was seen.
    low, high : float
        What was looked through.
    searches : int
    why_not : str
        What prevented a proof.
    """

    parameter: str
    unit: str
    present: float
    value: float | None
    proved: bool
    design: int | None
    low: float
    high: float
    searches: int
    factor: float | None = None
    intervals: Sequence[tuple[float, float]] = field(default_factory=list)
    why_not: str = ""

    @property
    def change(self) -> float | None:
        """By what share of its size the value differs from the present one."""
        return None if self.value is None else self.share(self.value)

    def share(self, value: float) -> float:
        """Return by what share of its size some value differs from the present one."""
        return (value - self.present) / abs(self.present)

    @property
    def stays(self) -> tuple[float, float] | None:
        """The values around the present one at which the part is on the frontier; None where it is not there."""
        around = (interval for interval in self.intervals if interval[0] <= self.present <= interval[1])
        return next(around, None)

    def as_dict(self) -> BreakEvenRecord:
        """Return it as plain values."""
        return {
            "parameter": self.parameter,
            "unit": self.unit,
            "present": self.present,
            "value": self.value,
            "change": self.change,
            "proved": self.proved,
            "design": self.design,
            "factor": self.factor,
            "intervals": [list(interval) for interval in self.intervals],
            "low": self.low,
            "high": self.high,
            "stays": None if self.stays is None else list(self.stays),
            "searches": self.searches,
            "why_not_proved": self.why_not,
        }


def break_even(
    part: SpacePart, place: ParameterPlace, progress: Callable[[str, int, int], None] | None = None
) -> BreakEven:
    """Find the value of a number nearest to the present one at which a part is on the frontier, or no longer is.

    Parameters
    ----------
    part : SpacePart
    place : ParameterPlace
    progress : callable, optional
        Called with ("searches", how many are done, of about how many).

    Raises
    ------
    InputError
        The number is 0, of which no multiple is another value; or it cannot reach the part.
    """
    if not set(place.products) & set(part.rows):
        raise InputError(f"it reaches no objective of '{part.text}'", key=f"--parameter {place.name}")
    if place.value == 0:
        raise InputError(
            "is 0, of which no multiple is another value", key=f"--parameter {place.name}", allowed="a number above 0"
        )
    ends = sorted((place.value / REACH, place.value * REACH))
    low, high = _allowed(place, ends[0]), _allowed(place, ends[1])
    finder = _Finder(part, place, progress)
    here = finder.at(place.value)
    towards, why_not = 0, f"{place.name} reaches other designs too"
    if finder.fixed:
        towards, why_not = proved_direction(part, place, low, high)
    if towards:
        end, other = (high, low) if towards > 0 else (low, high)
        finder.total = 24
        last = finder.at(other if here.on else end)
        if here.on:
            first = last if last.on else finder.narrowed(last, here)
            return finder.answer(here, low, high, proved=True, intervals=[_stretch(first.value, end)])
        if not last.on:
            return finder.answer(last, low, high, proved=True)
        first = finder.narrowed(here, last)
        return finder.answer(first, low, high, proved=True, intervals=[_stretch(first.value, end)])
    return replace(finder.scanned(here, low, high), why_not=why_not)


def _stretch(value: float, other: float) -> tuple[float, float]:
    return min(value, other), max(value, other)


def _allowed(place: ParameterPlace, end: float) -> float:
    """Return an end of what is looked through, moved towards the present value until it is meaningful."""
    value = float(round(end)) if place.whole else end
    if place.allows(value):
        return value
    inside, outside = place.value, value
    for _ in range(60):
        middle = (inside + outside) / 2
        middle = float(round(middle)) if place.whole else middle
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if place.allows(middle) else (inside, middle)
    return inside


class _Finder:
    """Searches of a part, and of what it is compared with, at values of a number."""

    def __init__(
        self, part: SpacePart, place: ParameterPlace, progress: Callable[[str, int, int], None] | None
    ) -> None:
        self.part, self.place, self.progress = part, place, progress
        self.rest = complement_of(part)
        self.searches, self.total = 0, SCANNED + 20
        reaches_rest = self.rest is None or self._reaches(self.rest)
        self.fixed = not reaches_rest

    def _reaches(self, rest: SpacePart) -> bool:
        if self.place.part is None:
            return bool(set(self.place.products) & set(rest.rows))
        axis, label = self.place.part
        own = [
            product_axis
            for product in rest.problem.space.products
            for product_axis in product.axes
            if product_axis.name == axis
        ]
        return any(label in (product_axis.labels or ()) for product_axis in own)

    @cached_property
    def _frontier_of_rest(self) -> np.ndarray:
        assert self.rest is not None
        return self._values_of(self.rest.problem)

    def _values_of(self, problem: Problem) -> np.ndarray:
        self._count()
        result = search(problem)
        return np.asarray(result.values, dtype=float).reshape(len(result.numbers), len(problem.objectives))

    def _count(self) -> None:
        self.searches += 1
        if self.progress is not None:
            self.progress("searches", self.searches, max(self.searches, self.total))

    def at(self, value: float) -> Membership:
        """Return whether the part is on the frontier at a value."""
        whole = self.place.put(self.part.whole, value)
        self._count()
        own: Own = own_frontier(self.part, self.part.restricted(whole))
        if self.fixed:
            beside = self._frontier_of_rest
        elif self.rest is None:
            beside = self._values_of(whole)
        else:
            beside = self._values_of(self.rest.restricted(whole))
        if not len(own.numbers):
            return Membership(value, None)
        objectives = self.part.whole.objectives
        free = np.flatnonzero(~beaten(own.values, beside, objectives))
        if len(free):
            return Membership(value, int(own.numbers[free].min()), 1.0)
        return Membership(value, None, distance(own.values, own.numbers, beside, objectives)["factor"])

    def narrowed(self, off: Membership, on: Membership) -> Membership:
        """Return the first value, from `off` to `on`, at which the part is on the frontier."""
        positive = off.value > 0 and on.value > 0
        _, first = narrowed(
            off,
            on,
            self.at,
            lambda left, other: left.on == other.on,
            close=_CLOSE,
            whole=self.place.whole,
            geometric=positive and not self.place.whole,
        )
        return first

    def scanned(self, here: Membership, low: float, high: float) -> BreakEven:
        """Scan values, and narrow every change."""
        both = np.geomspace if low > 0 or high < 0 else np.linspace
        values = {float(round(v)) if self.place.whole else float(v) for v in both(low, high, SCANNED)}
        values = {value for value in values if low <= value <= high}
        memberships = {here.value: here} | {value: self.at(value) for value in sorted(values)}
        rising = [memberships[value] for value in sorted(memberships)]
        intervals: list[tuple[float, float]] = []
        edges: list[Membership] = []
        begin: Membership | None = rising[0] if rising[0].on else None
        for before, other in pairwise(rising):
            if before.on != other.on:
                off, on = (before, other) if other.on else (other, before)
                edge = self.narrowed(off, on)
                edges.append(edge)
                if other.on:
                    begin = edge
                else:
                    assert begin is not None
                    intervals.append((begin.value, edge.value))
                    begin = None
        if begin is not None:
            intervals.append((begin.value, rising[-1].value))
        every = [*edges, *(member for member in rising if member.on)]
        if not every:
            known = [member for member in rising if member.factor is not None]
            best = min(known, key=lambda member: float(member.factor or 0)) if known else here
            return self.answer(best, low, high, proved=False)
        nearest = min(every, key=lambda member: abs(np.log(abs(member.value / here.value))))
        return self.answer(nearest, low, high, proved=False, intervals=intervals)

    def answer(
        self,
        member: Membership,
        low: float,
        high: float,
        *,
        proved: bool,
        intervals: Sequence[tuple[float, float]] = (),
    ) -> BreakEven:
        """Return what was found."""
        return BreakEven(
            self.place.name,
            self.place.unit,
            self.place.value,
            member.value if member.on else None,
            proved,
            member.design,
            low,
            high,
            self.searches,
            None if member.on else member.factor,
            list(intervals),
        )


def proved_direction(part: SpacePart, place: ParameterPlace, low: float, high: float) -> tuple[int, str]:
    """Return the direction in which a number makes no objective of a part worse and breaks no limit of it.

    Returns
    -------
    direction : {1, -1, 0}
        Upwards, downwards; 0 where signs prove neither.
    why_not : str
        What prevented a proof.
    """
    directions = {RISES, FALLS}
    for index in range(len(part.problem.space.products)):
        try:
            directions &= _signs(part.problem, index, place, low, high)
        except (InputError, ModelError) as error:
            return 0, str(error)
    if len(directions) == 2:
        return 0, "nothing of the part depends on it"
    if not directions:
        return 0, "it makes some objective or limit of the part better and another worse, or nothing is known of one"
    return directions.pop(), ""


def _signs(problem: Problem, index: int, place: ParameterPlace, low: float, high: float) -> set[int]:
    """Return the directions that never harm the designs of a product.

    Raises
    ------
    InputError, ModelError
        A function has no form for signs.
    """
    graph, constraints = problem.systems[index].graph, problem.systems[index].constraints
    if place.quantity not in graph.inputs:
        return {RISES, FALLS}
    known = Monotonicity(problem, index)
    own = known.hulls[place.quantity]  # other parts of the same axis stay where they are
    assert isinstance(own, Range)
    seed = Signed(Range(np.minimum(own.low, low), np.maximum(own.high, high)), [RISES])
    values: dict[str, object] = {name: Signed(bounds, [FREE]) for name, bounds in known.hulls.items()}
    values |= {**known.constants, place.quantity: seed}
    moved = {place.quantity}
    with np.errstate(all="ignore"):
        for position in known.positions:
            function = known.graph.functions[position]
            if not moved.isdisjoint(function.needs):
                if position in known.on_points:
                    raise ModelError(f"{function.label} computes with integers, of which no sign is known")
                values.update(call(function, values))
                moved.update(function.gives)
    directions = {RISES, FALLS}
    for objective in problem.objectives:
        directions &= _good(values[objective.quantity], falling_is_good=objective.sense == "min")
    for constraint in constraints:
        directions &= _good(values[constraint.quantity], falling_is_good=False)
    return directions


def _good(value: object, *, falling_is_good: bool) -> set[int]:
    """Return the directions of the number in which a value does not get worse."""
    sign = int(value.signs[0]) if isinstance(value, Signed) else FREE
    if sign == FREE:
        return {RISES, FALLS}
    if sign not in (RISES, FALLS):
        return set()
    return {FALLS if (sign == RISES) == falling_is_good else RISES}
