"""Designs thinned within rows: those that share all their unknowns are compared among themselves at some values.

A *row* holds the designs of one device, say, where every device has unknowns of its own; all of them, where there are
shared unknowns only. The quantities of limits that an unknown reaches count as objectives, so that one that is left
meets every limit that one it replaced meets. A design may be missed that another of its row beats at every value that
was looked at and not between them.

Nothing is missed where the comparison is *proved*: no design has errors of its own, and every objective and limit of a
row is x f^p, with one p for all of them and x free of the factor f (`dse.arithmetic.homogeneity`). Then designs compare
at one value as they do at all. Rounding may move what a factor reaches, so values nearer than 1e-12 are not told apart
there, unless they are made of the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.homogeneity import Degree, Logarithm
from dse.arithmetic.ranges import Range
from dse.errors import InputError, ModelError
from dse.evaluation.affected import AffectedDesigns, affected_designs
from dse.evaluation.problem import Constraint
from dse.evaluation.product_evaluator import bounds_of
from dse.evaluation.unknowns import UncertainProblem
from dse.graph.expression import Node
from dse.graph.graph import call
from dse.search.account.deadline import Deadline
from dse.search.frontier.dominance import dominated_by
from dse.search.frontier.pareto import nondominated
from dse.search.uncertain.classes import numbered, row_codes, same_numbers

__all__ = ["proved_rows", "rows_kept"]

_DRAWN = 16
_NEAR = 1e-12  # relative: what rounding may move


class _Column(NamedTuple):
    """What designs are compared by, less being better: an objective, or a side of a limit that an unknown reaches."""

    key: tuple[int, int]
    needs: tuple[str, ...]
    node: Node | str
    sign: float

    def of(self, values: Mapping[str, Operand]) -> Operand:
        if isinstance(self.node, str):
            return values[self.node]
        value = self.node.compute(values)
        assert not isinstance(value, str)
        return value


def rows_kept(unknown: UncertainProblem, numbers: np.ndarray, deadline: Deadline | None = None) -> np.ndarray:
    """Mark the designs that no other of their row beats at some value that is looked at.

    Parameters
    ----------
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Every possible design.
    deadline : Deadline, optional
        After which no further values are looked at; the nominal ones and the ends are in any case.
    """
    designs = affected_designs(unknown, numbers)
    can = _can(designs, len(numbers))
    codes = numbered(_row_columns(unknown, designs, len(numbers)), len(numbers))
    groups = [np.flatnonzero((codes == code) & can) for code in np.unique(codes[can])]
    keep = np.zeros(len(numbers), dtype=bool)
    for place, ends in enumerate(_values(unknown)):
        if place > 2 and deadline is not None and deadline.passed > deadline.seconds:
            break
        low, high = _table(unknown, designs, len(numbers), [_drawn(own, ends) for own in designs])
        for group in groups:
            left = group[~keep[group]]
            strong = np.ascontiguousarray(high[group])
            keep[left] |= ~dominated_by(low[left], strong[nondominated(_finite(strong))])
    return keep


def proved_rows(unknown: UncertainProblem, numbers: np.ndarray) -> tuple[np.ndarray, bool]:
    """Mark the designs that are left when those are taken out that another of their row beats at every value.

    Parameters
    ----------
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
        Every possible design: those that are left hold every possible one, too.

    Returns
    -------
    (mask, whole)
        Whether all of them could be compared.
    """
    keep = np.ones(len(numbers), dtype=bool)
    if any(entry.scope == "design" for entry in unknown.unknowns) or not len(numbers):
        return keep, False
    designs = affected_designs(unknown, numbers)
    degrees = np.full(len(numbers), -1)
    known: dict[tuple, int] = {}
    for own in designs:
        powers = _powers(unknown, own)
        if powers is not None:
            degrees[own.positions] = known.setdefault(powers, len(known))
    if not known:
        return keep, False
    can = _can(designs, len(numbers))
    codes = numbered([*_row_columns(unknown, designs, len(numbers)), degrees], len(numbers))
    values, _ = _table(unknown, designs, len(numbers), [_drawn(own, {}) for own in designs])
    classes = _classes(unknown, designs, len(numbers))
    for code in np.unique(codes[can & (degrees >= 0)]):
        group = np.flatnonzero((codes == code) & can)
        ranks = [_ranks(values[group, column], classes[group, column]) for column in range(values.shape[1])]
        low, high = (np.stack([rank[end] for rank in ranks], axis=1) for end in (0, 1))
        keep[group] = ~dominated_by(low, high[nondominated(np.ascontiguousarray(high))])
    return keep & can, bool((degrees >= 0).all())


def _can(designs: Sequence[AffectedDesigns], count: int) -> np.ndarray:
    can = np.zeros(count, dtype=bool)
    for own in designs:
        can[own.positions] = own.bounds(own.whole())[2][:, 0]
    return can


def _row_columns(unknown: UncertainProblem, designs: Sequence[AffectedDesigns], count: int) -> list[np.ndarray]:
    axes = dict.fromkeys(entry.axis for entry in unknown.unknowns if entry.scope == "each")
    return [row_codes(designs, axis, count) for axis in axes]


def _values(unknown: UncertainProblem) -> Iterator[dict[int, float]]:
    """Yield shares of the intervals, by place: nothing (nominal), all ends, each end alone, then some between."""
    places = [at for at, entry in enumerate(unknown.unknowns) if entry.scope != "design"]
    yield {}
    if not places:
        return
    yield dict.fromkeys(places, 0.0)
    yield dict.fromkeys(places, 1.0)
    if len(places) > 1:
        for at in places:
            for end in (0.0, 1.0):
                yield {**dict.fromkeys(places, 1.0 - end), at: end}
    shares = {at: (np.random.default_rng([at, 5]).permutation(_DRAWN) + 0.5) / _DRAWN for at in places}
    for k in range(_DRAWN):
        yield {at: float(shares[at][k]) for at in places}


def _drawn(own: AffectedDesigns, shares: Mapping[int, float]) -> dict[int, Operand]:
    """Return the unknowns of some designs at shares of their intervals; errors of single designs stay ranges."""
    drawn: dict[int, Operand] = {}
    for at, entry in enumerate(own.unknown.unknowns):
        if entry.scope == "design":
            drawn[at] = Range(np.array([[entry.low]]), np.array([[entry.high]]))
        elif at not in shares:
            drawn[at] = np.array([[0.0 if entry.relative else entry.nominal]])
        else:
            low, high = np.array([[entry.low]]), np.array([[entry.high]])
            if entry.scope == "each":
                low, high = own.row_interval(at)
            drawn[at] = low + (high - low) * shares[at]
    return drawn


def _columns(unknown: UncertainProblem, own: AffectedDesigns) -> list[_Column]:
    """Return what designs of a product are compared by."""
    objectives = [
        _Column((-1, place), (objective.quantity,), objective.quantity, objective.sign)
        for place, objective in enumerate(unknown.problem.objectives)
    ]
    changed = {name for function in own.again for name in function.gives} | set(unknown.entering(own.index))
    sides: list[_Column] = []
    for constraint in unknown.problem.systems[own.index].constraints:
        if not changed.isdisjoint(constraint.expression.needs):
            sides += _sides(constraint)
    return [*objectives, *sides]


def _sides(constraint: Constraint) -> Iterator[_Column]:
    """Yield the sides of a limit, each with the sign by which less is better; what is no bound has to be equal."""
    expression = constraint.expression
    sides, needs = expression.sides, expression.needs
    if sides is None or sides[1][0] not in "<>":
        for place, need in enumerate(needs):
            yield _Column((constraint.place, 2 * place + 2), (need,), need, 1.0)
            yield _Column((constraint.place, 2 * place + 3), (need,), need, -1.0)
        return
    less = 1.0 if sides[1][0] == "<" else -1.0
    for place, (side, sign) in enumerate(((sides[0], less), (sides[2], -less))):
        if not side.is_constant:
            yield _Column((constraint.place, place), needs, side, sign)


def _table(
    unknown: UncertainProblem, designs: Sequence[AffectedDesigns], count: int, drawn: Sequence[dict[int, Operand]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return bounds of all columns, (n, c); a limit that an alternative does not have is met by as much as can be."""
    keys = _keys(unknown, designs)
    low, high = np.full((count, len(keys)), -np.inf), np.full((count, len(keys)), -np.inf)
    for own, values_of in zip(designs, drawn, strict=True):
        values = own.values(values_of)
        with np.errstate(all="ignore"):
            for column in _columns(unknown, own):
                least, most = bounds_of(column.of(values))
                ends = (least, most) if column.sign > 0 else (-most, -least)
                for table, end, unbounded in ((low, ends[0], -np.inf), (high, ends[1], np.inf)):
                    flat = np.broadcast_to(np.asarray(end, dtype=float).reshape(-1), (len(own),))
                    table[own.positions, keys[column.key]] = np.where(np.isnan(flat), unbounded, flat)
    return low, high


def _keys(unknown: UncertainProblem, designs: Sequence[AffectedDesigns]) -> dict[tuple[int, int], int]:
    keys = dict.fromkeys(column.key for own in designs for column in _columns(unknown, own))
    return {key: place for place, key in enumerate(keys)}


def _finite(points: np.ndarray) -> np.ndarray:
    """Return points of which infinite ones are larger, or less, than all others."""
    return np.nan_to_num(points, nan=np.finfo(float).max)


def _powers(unknown: UncertainProblem, own: AffectedDesigns) -> tuple | None:
    """Return by which power of each unknown every column grows; None where any is no power of one."""
    entering = unknown.entering(own.index)
    columns, powers = _columns(unknown, own), []
    wanted = own.graph.below([need for column in columns for need in column.needs])
    for name, places in entering.items():
        total = [unknown.unknowns[at] for at in places]
        least = 1.0 + sum(entry.low * entry.weight for entry in total) if total[0].relative else total[0].low
        if any(entry.rows for entry in total):
            least = 1.0 + sum(
                min([entry.low, *(low for low, _ in entry.rows.values())]) * entry.weight for entry in total
            )
        if not least > 0.0:
            return None
        values = dict(own.base)
        values.update({other: Degree(1.0 if other == name else 0.0) for other in entering})
        try:
            with np.errstate(all="ignore"):
                for function in own.again:
                    if not wanted.isdisjoint(function.gives):
                        values.update(call(function, values))
                degrees = [column.of(values) for column in columns]
        except (ModelError, InputError, TypeError):
            return None
        if any(isinstance(degree, Logarithm) for degree in degrees):
            return None
        keyed = zip(columns, degrees, strict=True)
        powers.append(tuple((column.key, getattr(degree, "degree", 0.0)) for column, degree in keyed))
    return tuple(powers)


def _classes(unknown: UncertainProblem, designs: Sequence[AffectedDesigns], count: int) -> np.ndarray:
    """Return classes of designs that have a column from the same numbers; -2 where no unknown reaches it."""
    keys = _keys(unknown, designs)
    classes = np.full((count, len(keys)), -2)
    for key, place in keys.items():
        reaching = []
        for own in designs:
            column = next((entry for entry in _columns(unknown, own) if entry.key == key), None)
            changed = {name for function in own.again for name in function.gives} | set(unknown.entering(own.index))
            if column is not None and any(need in changed for need in column.needs):
                reaching.append((own, column.needs, np.zeros(len(own), dtype=np.int64)))
        if reaching:
            classes[:, place] = same_numbers(reaching, count)
    return classes


def _ranks(values: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of ranks: of values that no unknown reaches as they are, else with near ones not told apart."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    size = np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
    with np.errstate(invalid="ignore"):
        apart = ordered[1:] - ordered[:-1]
    moved = (classes[order][1:] != -2) | (classes[order][:-1] != -2)
    step = np.where(moved & np.isfinite(size), apart > _NEAR * size, ordered[1:] > ordered[:-1])
    ranks = np.empty(len(values))
    ranks[order] = np.r_[0.0, np.cumsum(step)]
    mixed = np.zeros(int(ranks.max(initial=0.0)) + 1, dtype=bool)
    kind = np.full(len(mixed), -3)
    whole = ranks.astype(np.int64)
    np.maximum.at(kind, whole, classes)
    mixed[whole[classes != kind[whole]]] = True
    # Members of one class, or none that an unknown reaches: equal at every value.
    unsure = mixed[whole] | (kind[whole] == -1)
    return ranks - 0.25 * unsure, ranks + 0.25 * unsure
