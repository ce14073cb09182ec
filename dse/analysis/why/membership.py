"""What decides whether a design is near the frontier, and what it costs to do without a value.

A design is *within* a tolerance r of the frontier when some design of the frontier, worsened by r in every objective,
is no better than it in any: d_i <= (1 + r) f_i for all i (`dse.search.account.tolerance`). Whether it is so is 1 or 0
for each design, and the total effects of axes on that say what decides it; main effects are small, as only combinations
do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np

from dse.analysis.why.space_values import long_axis, slabs
from dse.analysis.why.variance_shares import VarianceShares
from dse.evaluation.problem import Problem
from dse.search.account.tolerance import Tolerance
from dse.search.frontier.pareto import nondominated

__all__ = ["WITHIN", "Membership", "Value", "membership"]

WITHIN = 0.10
_LARGEST = 3_000_000  # designs of an alternative that are compared with the frontier
_COMPARISONS = 3e9
_AT_ONCE = 4_000_000


class Value(TypedDict):
    """One value of an axis: how much of the frontier has it, and what it costs to do without it."""

    share: float
    regret: float | None
    exact: bool


class MembershipRecord(TypedDict):
    """A `Membership` as plain values."""

    within: float
    effects: dict[str, dict[str, dict[str, float]]]
    near: dict[str, float]
    values: dict[str, dict[str, Value]]
    left_out: dict[str, str]


@dataclass(frozen=True)
class Membership:
    """What decides membership.

    Attributes
    ----------
    within : float
    effects : dict
        By alternative and axis: main and total effect on being within it.
    near : dict of str to float
        By alternative: the share of its designs that are within it.
    values : dict
        By axis (or "alternative") and value: share of the frontier that has it, and the regret of forbidding it: the
        least r such that the frontier without it covers every design of the frontier, each objective worsened by r.
        None where nothing is left. ``exact``: whether what would enter then was looked for; else it may be less.
    left_out : dict of str to str
        Alternatives that were not looked at, and why.
    """

    within: float
    effects: Mapping[str, Mapping[str, Mapping[str, float]]]
    near: Mapping[str, float]
    values: Mapping[str, Mapping[str, Value]]
    left_out: Mapping[str, str]

    def as_dict(self) -> MembershipRecord:
        """Return it as plain values."""
        return {
            "within": self.within,
            "effects": {name: {axis: dict(own) for axis, own in axes.items()} for name, axes in self.effects.items()},
            "near": dict(self.near),
            "values": {axis: {name: {**own} for name, own in values.items()} for axis, values in self.values.items()},
            "left_out": dict(self.left_out),
        }


def membership(problem: Problem, numbers: np.ndarray, values: np.ndarray, within: float = WITHIN) -> Membership:
    """Return what decides whether designs are near the frontier.

    Parameters
    ----------
    problem : Problem
    numbers : (m,) ndarray of int64
        Designs of the frontier, which is exact.
    values : (m, objectives) ndarray
        As the models give them.
    within : float
        The tolerance.
    """
    signs = problem.signs
    frontier = values * signs
    count = len(problem.objectives)
    names = tuple(objective.quantity for objective in problem.objectives)
    tolerance = Tolerance(names, ("relative",) * count, (within,) * count)
    limits = tolerance.shift(frontier) if len(frontier) else frontier
    groups = _groups(problem, numbers)
    effects: dict[str, dict[str, dict[str, float]]] = {}
    near: dict[str, float] = {}
    left_out: dict[str, str] = {}
    entering: list[list[np.ndarray]] = [[] for _ in groups]
    for index, product in enumerate(problem.space.products):
        if product.size > _LARGEST or product.size * max(1, len(frontier)) > _COMPARISONS:
            left_out[product.name] = f"its {product.size} designs are too many to compare with the frontier one by one"
            continue
        long = long_axis(product)
        others = [place for place in range(len(product.shape)) if place != long]
        order = [long, *others]
        shares = VarianceShares(tuple(product.shape[place] for place in order) or (1,))
        for slab in slabs(problem, index):
            shape = slab.feasible.shape
            points = slab.values.reshape(count, -1).T * signs
            feasible = slab.feasible.reshape(-1) & np.isfinite(points).all(axis=1)
            is_near = np.zeros(len(points), dtype=bool)
            rows = np.flatnonzero(feasible)
            is_near[rows] = _any_no_worse_than(points[rows], limits)
            shares.add(slab.begin, slab.end, is_near.reshape(shape).astype(float))
            numbers_here = slab.numbers.reshape(-1)[rows]
            _note_entering(problem, index, points[rows], numbers_here, frontier, groups, entering)
        near[product.name] = float(shares.all.mean)
        effects[product.name] = {
            axis.name: {"main": shares.main(order.index(place)), "total": shares.total(order.index(place))}
            for place, axis in enumerate(product.axes)
            if len(axis) > 1
        }
    by_value: dict[str, dict[str, Value]] = {}
    for place, (name, value, mask) in enumerate(groups):
        rest = frontier[~mask]
        if not left_out and entering[place]:
            more = np.concatenate(entering[place])
            rest = np.concatenate([rest, more[nondominated(more)]])
        regret = _cover(frontier, rest)
        share = float(mask.mean()) if len(mask) else 0.0
        by_value.setdefault(name, {})[value] = {"share": share, "regret": regret, "exact": not left_out}
    return Membership(within, effects, near, by_value, left_out)


class _Group(NamedTuple):
    """A value that some designs of the frontier have: its axis, and which."""

    axis: str
    value: str
    mask: np.ndarray


def _groups(problem: Problem, numbers: np.ndarray) -> list[_Group]:
    """Return the values that designs of the frontier have."""
    named = [problem.space.parameters(int(number)) for number in numbers]
    confidences = {axis.confidence_name for product in problem.space.products for axis in product.axes}
    keys = dict.fromkeys(key for own in named for key in own if key not in confidences)
    groups = []
    for key in keys:
        several = {own.get(key) for own in named}
        lengths = [len(axis) for product in problem.space.products for axis in product.axes if axis.name == key]
        if key != "alternative" and (not lengths or max(lengths) == 1):
            continue
        for value in sorted(value for value in several if value is not None):
            groups.append(_Group(key, value, np.array([own.get(key) == value for own in named])))
    return groups


def _any_no_worse_than(points: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Tell which points are no worse than some limit in every objective."""
    inside_any = np.zeros(len(points), dtype=bool)
    each = max(1, _AT_ONCE // max(1, len(limits)))
    for begin in range(0, len(points), each):
        piece = points[begin : begin + each]
        inside = np.ones((len(piece), len(limits)), dtype=bool)
        for place in range(limits.shape[1] if limits.ndim == 2 else 0):
            inside &= piece[:, None, place] <= limits[None, :, place]
        inside_any[begin : begin + each] = inside.any(axis=1)
    return inside_any


def _note_entering(
    problem: Problem,
    index: int,
    points: np.ndarray,
    numbers: np.ndarray,
    frontier: np.ndarray,
    groups: Sequence[_Group],
    entering: list[list[np.ndarray]],
) -> None:
    """Note the designs of a product that only designs with a value beat, and that do not have it: they may enter."""
    if not len(frontier) or not groups:
        return
    product = problem.space.products[index]
    places = {axis.name: place for place, axis in enumerate(product.axes)}
    without = np.array([~group.mask for group in groups], dtype=np.float32)
    each = max(1, _AT_ONCE // len(frontier))
    for begin in range(0, len(points), each):
        piece = points[begin : begin + each]
        no_worse = np.ones((len(piece), len(frontier)), dtype=bool)
        better = np.zeros_like(no_worse)
        for place in range(frontier.shape[1]):
            no_worse &= frontier[None, :, place] <= piece[:, None, place]
            better |= frontier[None, :, place] < piece[:, None, place]
        beats = (no_worse & better).astype(np.float32)
        beaten = np.asarray(beats.any(axis=1))
        free = (beats @ without.T == 0) & beaten[:, None]  # nothing without the value beats it
        rows = problem.space.decode(index, numbers[begin : begin + each])
        for group, chosen, entries in zip(groups, free.T, entering, strict=True):
            if group.axis in places:
                axis = product.axes[places[group.axis]]
                having = np.flatnonzero([axis.label(row) == group.value for row in range(len(axis))])
                chosen = chosen & ~np.isin(rows[places[group.axis]], having)
            elif product.name == group.value:
                continue
            if chosen.any():
                kept = piece[chosen]
                entries.append(kept[nondominated(kept)])


def _cover(frontier: np.ndarray, rest: np.ndarray) -> float | None:
    """Return the least r such that each design of the frontier has one of the rest worse by no more than r."""
    if not len(rest):
        return None
    if not len(frontier):
        return 0.0
    worst = 0.0
    for design in frontier:
        with np.errstate(divide="ignore", invalid="ignore"):
            # As `Tolerance.shift`: times 1 + r above 0, over 1 + r below; of 0 no share is another value.
            ratio = np.where(
                design > 0, rest / design, np.where(design < 0, design / rest, np.where(rest > 0, np.inf, 1.0))
            )
            ratio = np.where((design < 0) & (rest >= 0), np.inf, ratio)
        worst = max(worst, float(np.maximum(ratio - 1.0, 0.0).max(axis=1).min()))
    return worst
