"""The check of a frontier before it is shown: random designs and one-step neighbours are thrown at it.

They are evaluated along another path than that of the search: flat arrays of designs, in random order, through the
plain graph; no tables, no ranges, no bundles, no groups. `dse.analysis.verify.attack` throws more of them at a run on
disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dse.errors import ModelError
from dse.evaluation.distinct_rows import DistinctRows
from dse.evaluation.problem import Evaluated, Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.evaluation.row_tables import RowTables
from dse.search.account.certificate import TIES, Certificate, CheckedCounts
from dse.search.account.tolerance import Tolerance
from dse.search.frontier.pareto import nondominated
from dse.search.schedule.gap import relative

__all__ = ["FlatDesigns", "SelfCheck", "check_frontier", "evaluate_flat", "neighbours", "sample_numbers"]
__all__ += ["tolerance_of", "unbeaten"]

_SAMPLE = 100_000
_NEIGHBOURS = 20_000
_RECOMPUTED = 100_000
_PIECE = 32_768
_PAIRS = 1_000_000
_ROUNDING = 1e-12  # between two ways through functions whose last bit may depend on the place (exp, log, powers)
_SAME = 1e-9
_NAMED = 20


@dataclass(frozen=True)
class FlatDesigns:
    """Some designs, evaluated.

    Attributes
    ----------
    numbers : (n,) ndarray of int64
    values : (n, d) ndarray
        The objectives as the models give them.
    violated : (n,) ndarray of int8
        The first constraint that is broken (its place among those of the study), -1 for none.
    """

    numbers: np.ndarray
    values: np.ndarray
    violated: np.ndarray

    @property
    def feasible(self) -> np.ndarray:
        """Where every constraint is met."""
        return np.asarray(self.violated < 0)

    def take(self, chosen: np.ndarray) -> FlatDesigns:
        """Return some of the designs."""
        return FlatDesigns(self.numbers[chosen], self.values[chosen], self.violated[chosen])

    def points(self, problem: Problem) -> np.ndarray:
        """Return the objectives, all to be minimised; refuse a feasible design for which one is not finite."""
        for row in np.flatnonzero(self.feasible & ~np.isfinite(self.values).all(axis=1))[:1]:
            problem.refuse_non_finite(int(self.numbers[row]), "an objective")
        return np.asarray(self.values * problem.signs + 0.0)


@dataclass(frozen=True)
class SelfCheck:
    """What a check found.

    Attributes
    ----------
    counts : CheckedCounts
        For the certificate: designs and neighbours thrown, how many of the designs are feasible, how many of all beat
        the frontier, and the seed.
    faults : tuple of str
        What contradicts the frontier, in words; nothing where it stands.
    sample : FlatDesigns
        The random designs.
    better : (n,) ndarray of int64
        The designs that beat the frontier: a fault only where it promises that there are none.
    """

    counts: CheckedCounts
    faults: tuple[str, ...]
    sample: FlatDesigns
    better: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def sample_numbers(problem: Problem, share: float = 1.0) -> np.ndarray:
    """Return all designs of a small space, or random ones, in rising order; `share` of as many as usual."""
    size, count = problem.space.size, max(1, round(share * _SAMPLE))
    if size <= count:
        return np.arange(size, dtype=np.int64)
    return np.unique(np.random.default_rng(problem.seed).integers(0, size, count, dtype=np.int64))


def evaluate_flat(
    problem: Problem, numbers: np.ndarray, rng: np.random.Generator | None = None, *, once: bool = False
) -> FlatDesigns:
    """Evaluate designs through the plain graph, those of each alternative together.

    Parameters
    ----------
    problem : Problem
    numbers : (n,) ndarray of int64
    rng : Generator, optional
        Gives the order in which they stand beside each other; the result is in the order of `numbers`.
    once : bool
        Call functions once per combination of the rows they depend on, which is sooner, and no check of anything.
    """
    space = problem.space
    values = np.full((len(numbers), len(problem.objectives)), np.nan)
    violated = np.full(len(numbers), -1, dtype=np.int8)
    order = np.argsort(numbers, kind="stable")
    cuts = np.searchsorted(numbers[order], [*space.offsets, space.size])
    for index, (product, system) in enumerate(zip(space.products, problem.systems, strict=True)):
        own = order[cuts[index] : cuts[index + 1]]
        if rng is not None:
            own = rng.permutation(own)
        wanted = [*(o.quantity for o in problem.objectives), *(c.quantity for c in system.constraints)]
        wanted += [name for name in system.graph.unsigned if name in system.graph.units]
        names = list(dict.fromkeys(wanted))
        tables = RowTables(system.graph, product, system.assumptions) if once and len(own) else None
        for begin in range(0, len(own), _PIECE):
            here = own[begin : begin + _PIECE]
            rows = space.decode(index, numbers[here])
            if tables is not None:
                evaluated = DistinctRows(tables, rows).evaluate(range(len(system.graph.functions)), names)
            else:
                with np.errstate(all="ignore"):
                    evaluated = system.graph.evaluate(
                        flat_inputs(system.graph, product, system.assumptions, rows), names
                    )
            for column, objective in enumerate(problem.objectives):
                values[here, column] = np.asarray(evaluated[objective.quantity], dtype=float).reshape(-1)
            for constraint in reversed(system.constraints):
                met = np.broadcast_to(np.asarray(evaluated[constraint.quantity], dtype=bool).reshape(-1), len(here))
                violated[here[~met]] = constraint.place
            record: Evaluated = {"product": index, "positions": here, "values": evaluated}
            problem.refuse_negatives(record, numbers[here], violated[here] < 0)
    return FlatDesigns(numbers, values, violated)


def neighbours(problem: Problem, numbers: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the designs that are one step along one axis away from some designs."""
    for index, product in enumerate(problem.space.products):
        first = problem.space.offsets[index]
        here = numbers[(numbers >= first) & (numbers < first + product.size)]
        if not len(here):
            continue
        for row, stride, count in zip(problem.space.decode(index, here), product.strides, product.shape, strict=True):
            yield here[row > 0] - stride
            yield here[row < count - 1] + stride


def tolerance_of(problem: Problem, certificate: Certificate) -> Tolerance | None:
    """Return the tolerance within which a frontier is one; None where it is exact, or promises nothing."""
    names = [objective.quantity for objective in problem.objectives]
    if certificate.promises_all:
        return None
    if certificate.gap is None:
        return Tolerance.of(certificate.tolerance, names)
    absolute = any("absolute" in given for given in (certificate.tolerance or {}).values())
    cover = certificate.gap["cover"]
    return relative(names, cover) if cover is not None and not absolute else None


def unbeaten(
    problem: Problem,
    frontier: np.ndarray,
    thrown: np.ndarray,
    *,
    ties: bool = True,
    tolerance: Tolerance | None = None,
) -> np.ndarray:
    """Return which of some points no point of a frontier beats, so that they should be on it.

    Parameters
    ----------
    problem : Problem
    frontier, thrown : (n, d) ndarray
        To be minimised.
    ties : bool
        Whether a design that equals one of the frontier should be on it too.
    tolerance : Tolerance, optional
        How much worse one of the frontier may be that stands for a point: then those are returned that it does not
        cover.

    Notes
    -----
    Where a function holds what is not exact to the last bit everywhere (exp, log, powers), a point counts as beaten
    that is behind one of the frontier but for rounding.
    """
    if not len(thrown):
        return np.empty(0, dtype=np.int64)
    if tolerance is not None:
        thrown, ties = tolerance.shift(thrown), False
    own = np.flatnonzero(nondominated(thrown))
    doubtful = own[nondominated(np.concatenate([frontier, thrown[own]]))[len(frontier) :]]
    slack = 0.0 if _exact_to_the_bit(problem) else _ROUNDING
    if ties and not slack:
        return np.union1d(doubtful, _equal(thrown, frontier))
    remaining: np.ndarray = doubtful
    if not len(remaining):
        return remaining
    step = max(1, _PAIRS // len(doubtful))
    for begin in range(0, len(frontier), step):
        points = thrown[remaining]
        limits = points + slack * np.abs(points)
        behind = (frontier[None, begin : begin + step] <= limits[:, None]).all(axis=2)
        remaining = remaining[~behind.any(axis=1)]
        if not len(remaining):
            break
    return remaining


def _equal(thrown: np.ndarray, frontier: np.ndarray) -> np.ndarray:
    """Return which of some points equal one of a frontier; by their bytes, as the search's own filter may lose ties."""
    near = np.flatnonzero(np.isin(thrown[:, 0], frontier[:, 0]))  # whole rows are slow to compare
    others = frontier[np.isin(frontier[:, 0], thrown[near, 0])]
    whole = np.dtype((np.void, thrown.itemsize * thrown.shape[1]))
    rows, known = (np.ascontiguousarray(points).view(whole).reshape(-1) for points in (thrown[near], others))
    return near[np.isin(rows, known)]


def _exact_to_the_bit(problem: Problem) -> bool:
    """Tell whether every function gives a design the same bits wherever it stands in an array."""
    structures = [problem.structure(index) for index in range(len(problem.space.products))]
    return not any(any(structure.inexact) for structure in structures) and not any(
        function.points_only for system in problem.systems for function in system.graph.functions
    )


def check_frontier(
    problem: Problem, numbers: np.ndarray, values: np.ndarray, certificate: Certificate, *, share: float = 1.0
) -> SelfCheck:
    """Throw random designs and one-step neighbours at a frontier, and recompute it.

    Parameters
    ----------
    problem : Problem
    numbers : (n,) ndarray of int64
    values : (n, d) ndarray
        The frontier as the search gave it.
    certificate : Certificate
        What it promises: a frontier that is exact, or within a tolerance. One that promises neither must be feasible,
        recompute and not beat itself.
    share : float
        How much is thrown, of what usually is: the check of a search that was stopped is not to take longer than it.

    Raises
    ------
    ModelError
        It is the model that gives a design another value in other company.
    """
    rng = np.random.default_rng([problem.seed, 1])
    chosen = sample_numbers(problem, share)
    near = _some_neighbours(problem, numbers, rng, max(1, round(share * _NEIGHBOURS)))
    own = numbers if len(numbers) <= _RECOMPUTED else np.sort(rng.choice(numbers, _RECOMPUTED, replace=False))
    every = evaluate_flat(problem, np.unique(np.concatenate([chosen, near, own])), rng)
    sample = every.take(np.searchsorted(every.numbers, chosen))
    frontier = np.asarray(values * problem.signs + 0.0)
    fresh = every.take(np.flatnonzero(every.feasible & ~np.isin(every.numbers, numbers)))
    tolerance = tolerance_of(problem, certificate)
    better = fresh.numbers[
        unbeaten(problem, frontier, fresh.points(problem), ties=certificate.ties == TIES, tolerance=tolerance)
    ]
    contradictions = [*_of_itself(problem, every, numbers, values, frontier)]
    if certificate.promises_all:
        contradictions.append((better, "is feasible and no design of the frontier beats it, but it is not on it"))
    elif tolerance is not None:
        contradictions.append(
            (better, "is feasible and better, by more than the tolerance, than every design of the frontier")
        )
    contradictions += _beyond_possible(problem, fresh, certificate)
    wrong = [(designs, fault) for designs, fault in contradictions if len(designs)]
    if wrong:
        _refuse_changing_values(problem, every, np.unique(np.concatenate([designs[:_NAMED] for designs, _ in wrong])))
    counts: CheckedCounts = {
        "designs": len(chosen),
        "feasible": int(sample.feasible.sum()),
        "neighbours": len(near),
        "better": len(better),
        "seed": problem.seed,
    }
    return SelfCheck(counts, tuple(_fault_text(problem, designs, fault) for designs, fault in wrong), sample, better)


def _of_itself(
    problem: Problem, every: FlatDesigns, numbers: np.ndarray, values: np.ndarray, frontier: np.ndarray
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the designs of a frontier that should not be on it, by fault."""
    at = np.minimum(np.searchsorted(every.numbers, numbers), len(every.numbers) - 1)
    known = every.numbers[at] == numbers
    again = every.take(at[known])
    yield again.numbers[~again.feasible], "is on the frontier and breaks a constraint"
    same = np.isclose(values[known], again.values, rtol=_SAME, atol=0.0).all(axis=1)
    yield again.numbers[~same], "is on the frontier and its objectives do not recompute"
    yield numbers[~nondominated(frontier)], "is on the frontier and another design of it beats it"


def _beyond_possible(
    problem: Problem, fresh: FlatDesigns, certificate: Certificate
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the designs that are better than a search that was stopped says any can be, by objective."""
    for place, (objective, sign) in enumerate(zip(problem.objectives, problem.signs, strict=True)):
        bounds = certificate.gap["objectives"].get(objective.quantity) if certificate.gap is not None else None
        possible = bounds["possible"] if bounds is not None else None
        if possible is not None:
            least = possible * sign - _ROUNDING * abs(possible)
            beyond = fresh.numbers[fresh.values[:, place] * sign < least]
            yield beyond, f"has a better '{objective.quantity}' than the bounds of what is open allow"


def _some_neighbours(problem: Problem, numbers: np.ndarray, rng: np.random.Generator, most: int) -> np.ndarray:
    """Return one-step neighbours of a frontier that are not on it, in rising order: all, or a random part of them."""
    if len(numbers) > most:
        numbers = np.sort(rng.choice(numbers, most, replace=False))
    near = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *neighbours(problem, numbers)]))
    near = near[~np.isin(near, numbers)]
    return near if len(near) <= most else np.sort(rng.choice(near, most, replace=False))


def _refuse_changing_values(problem: Problem, every: FlatDesigns, numbers: np.ndarray) -> None:
    """Refuse a model that gives a design another value alone than beside others: then the search is not at fault."""
    places = np.searchsorted(every.numbers, numbers[:_NAMED])
    for place in places[(places < len(every.numbers))]:
        alone = evaluate_flat(problem, every.numbers[place : place + 1])
        for column, objective in enumerate(problem.objectives):
            beside, again = every.values[place, column], alone.values[0, column]
            if not np.isclose(beside, again, rtol=_ROUNDING, atol=0.0, equal_nan=True):
                raise ModelError(
                    f"'{objective.quantity}' of design {every.numbers[place]} is {beside!r} beside other designs and "
                    f"{again!r} alone: a function it comes from mixes designs, or does not always give the same"
                )


def _fault_text(problem: Problem, numbers: np.ndarray, fault: str) -> str:
    first = int(numbers[0])
    named = ", ".join(f"{name} = {value}" for name, value in problem.space.parameters(first).items())
    more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
    return f"design {first} ({named}) {fault}{more}"
