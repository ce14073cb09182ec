"""Search without a bound: generations of designs, and an exact archive of all that were looked at.

For what has no form for ranges and is too large to be tabulated. NSGA-II proposes designs; every feasible one goes to
the archive that exact searches have, too; every some generations the archive is closed along single axes
(`dse.search.start.closure`). What is found is the frontier of the designs that were looked at. How far that of the
space is away nobody knows.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.search.account.certificate import NOTHING_NEW, Evolution
from dse.search.account.progress import CLOSING, EVOLVING, Progress
from dse.search.account.stopping import Stop
from dse.search.evolve.genome import Genome
from dse.search.start.closure import close
from dse.search.start.visited import Looked, Visited

__all__ = ["Evolved", "evolve", "evolve_seconds", "taken_over", "usual_evaluations", "whole_seconds"]
__all__ += ["worthwhile_processes"]

_POPULATION = 1_000
_SLOW_POPULATION = 200
_SLOW = 1e-3  # seconds of a design
_TIMED = 64  # designs that tell how slow one is
_EVERY = 20  # generations between two looks at how the frontier grows
_GROWTH = 1e-4
_RESTARTS = 3
_CLOSED_AT_ONCE = 50_000  # designs of a closure before the last one
_LEAST_POPULATION = 20
_GENERATIONS = 20  # at least, where evaluations are few
_BEYOND = 1.1  # the reference of the hypervolume, times the worst of the archive
_TINY = 1e-300
_FLOOR = 1e-6  # of the least value of the first feasible designs: what is below counts as that in a logarithm
_MEASURED = 2_000  # points of a hypervolume of four objectives and more, evenly over the archive
_PER_DESIGN = 1e-4  # seconds NSGA-II takes for a design, beside its evaluation


@dataclass(frozen=True)
class Evolved:
    """What was found: points to be minimised, design numbers in rising order, and the account."""

    points: np.ndarray
    numbers: np.ndarray
    account: Evolution


def evolve(
    problem: Problem,
    evaluations: int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    look_at: Callable[[np.ndarray], Looked] | None = None,
) -> Evolved:
    """Look for good designs by generations.

    Parameters
    ----------
    problem : Problem
    evaluations : int, optional
        The most designs that are evaluated. It ends before when three restarts have brought nothing, or when the
        frontier has not changed for as many evaluations as it took, a restart among them.
    progress : Progress, optional
    stop : Stop, optional
        Looked at between generations; how far the search has come by then depends on the machine.
    look_at : callable, optional
        Evaluates designs, in several processes perhaps; what is bred of them is bred here.

    Notes
    -----
    Of one study and one seed the same comes in every run, unless a design takes about a millisecond: then the clock
    decides how many make a generation, and the account says how many it were.
    """
    progress = progress or Progress()
    search = _Search(problem, evaluations, progress, stop or Stop(), look_at)
    with search.stop.heard():
        search.run()
    points, numbers = search.visited.archive.result()
    return Evolved(points, numbers, search.account())


def taken_over(problem: Problem, numbers: np.ndarray, better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and numbers of a frontier with designs that beat some of it, closed along single axes again."""
    visited = Visited(problem)
    visited.look(np.union1d(numbers, better))
    close(visited, numbers, _CLOSED_AT_ONCE)
    return visited.archive.result()


def evolve_seconds(problem: Problem, evaluations: int | None, jobs: int = 0) -> tuple[float, int, int]:
    """Return about how long it takes, how many designs were evaluated to know, and how many processes take part.

    Parameters
    ----------
    problem : Problem
    evaluations : int or None
    jobs : int
        Processes; 0 as of `worthwhile_processes`.
    """
    each = _seconds_of_a_design(problem, np.random.default_rng(problem.seed))
    processes = jobs or _worthwhile(each)
    population = _SLOW_POPULATION if each > _SLOW else _POPULATION
    designs = usual_evaluations(problem.space.size, evaluations, population)
    return (each / processes + _PER_DESIGN) * designs, _TIMED, processes


def whole_seconds(problem: Problem, seconds: float, evaluations: int | None) -> float:
    """Return about how long it would take to look at every design, of what `evolve_seconds` says of some."""
    designs = usual_evaluations(problem.space.size, evaluations)
    return max(0.0, seconds / designs - _PER_DESIGN) * problem.space.size


def worthwhile_processes(problem: Problem) -> int:
    """Return one process where a design is evaluated in less than a millisecond, else one per processor."""
    return _worthwhile(_seconds_of_a_design(problem, np.random.default_rng(problem.seed)))


def _worthwhile(seconds: float) -> int:
    return (os.cpu_count() or 1) if seconds > _SLOW else 1


def usual_evaluations(size: int, evaluations: int | None, population: int = _POPULATION) -> int:
    """Return about how many designs of a space of some size are evaluated: if nothing new comes, as many as these."""
    return min(evaluations or population * _EVERY * (2 + _RESTARTS), size)


@dataclass
class _Growth:
    """How the frontier grows: the hypervolume of its logarithms, and while there is none, the least violation."""

    problem: Problem
    trace: list[float] = field(default_factory=list)
    reference: np.ndarray | None = None
    least: float = np.inf
    floors: np.ndarray | None = None

    def begin(self, points: np.ndarray) -> None:
        """Settle, with the first feasible designs, which objectives are compared by logarithms: positive ones."""
        if self.floors is None and len(points):
            least = (points * self.problem.signs).min(axis=0)
            self.floors = np.where(least > 0, np.maximum(least * _FLOOR, _TINY), np.nan)

    def scaled(self, points: np.ndarray) -> np.ndarray:
        """Return points with the logarithms of objectives that were positive at first."""
        if self.floors is None:
            return points
        columns = []
        for values, sign, floor in zip(points.T, self.problem.signs, self.floors, strict=True):
            columns.append(values if np.isnan(floor) else sign * np.log(np.maximum(sign * values, floor)))
        return np.stack(columns, axis=1)

    def stands(self, visited: Visited) -> bool:
        """Take note of where the search is; return whether it has hardly grown since the last time."""
        points = visited.archive.result()[0]
        if not len(points):
            before, self.least = self.least, float(visited.amounts.min(initial=np.inf))
            self.trace.append(0.0)
            return not self.least < before * (1.0 - _GROWTH)
        self.begin(points)
        scaled = self.scaled(points)
        first = self.reference is None
        if self.floors is not None and self.reference is None:
            worst = scaled.max(axis=0)
            beyond = np.where(worst != 0.0, (_BEYOND - 1.0) * np.abs(worst), 1.0)
            self.reference = worst + np.where(np.isnan(self.floors), beyond, np.log(_BEYOND))
        assert self.reference is not None
        before = self.trace[-1] if self.trace else 0.0
        self.trace.append(_hypervolume(scaled, self.reference))
        return not first and self.trace[-1] <= before * (1.0 + _GROWTH)


class _Search:
    """One search: its designs, its restarts, and when it ends."""

    def __init__(
        self,
        problem: Problem,
        evaluations: int | None,
        progress: Progress,
        stop: Stop,
        look_at: Callable[[np.ndarray], Looked] | None,
    ) -> None:
        self.problem, self.progress, self.stop = problem, progress, stop
        self.rng = np.random.default_rng([problem.seed, 2])
        self.genome = Genome(problem.space)
        # A part is left for closing the frontier in the end.
        self.limit = None if evaluations is None else min(evaluations, problem.space.size)
        self.visited = Visited(problem, self.limit, progress.decided, look_at)
        self.bred_to = self.visited.limit if self.limit is None else self.limit - self.limit // 4
        self.growth = _Growth(problem)
        self.closed = np.empty(0, dtype=np.int64)
        self.population = self._population()
        self.generations = self.restarts = 0
        self.ended = ""
        self.frontier = np.empty(0, dtype=np.int64)
        self.last_new = 0  # designs that were looked at when the frontier changed last

    def run(self) -> None:
        """Breed and restart until the end, then close the frontier."""
        first = self.genome.random(self.population, self.rng)
        while not self.ended:
            self._breed(first)
            if not self.ended and self.restarts == _RESTARTS:
                self.ended = "restarts"
            if not self.ended:
                self.restarts += 1
                first = self._second_start()
        self.progress.phase(CLOSING)
        if self.stop.reason is None:
            self.closed = close(self.visited, self.closed)
        self.growth.stands(self.visited)  # the trace ends with what is returned

    def account(self) -> Evolution:
        """Return the account of what was done."""
        frontier = self.visited.archive.result()[1]
        return Evolution(
            evaluations=len(self.visited.numbers),
            generations=self.generations,
            restarts=self.restarts,
            population=self.population,
            hypervolume=tuple(self.growth.trace),
            seed=self.problem.seed,
            ended=self.ended,
            closed=bool(np.isin(frontier, self.closed).all()),
            not_finite=self.visited.not_finite,
        )

    def _population(self) -> int:
        size = _POPULATION
        if self.limit is None or self.limit >= _SLOW_POPULATION * _GENERATIONS:
            slow = _seconds_of_a_design(self.problem, np.random.default_rng(self.problem.seed)) > _SLOW
            size = _SLOW_POPULATION if slow else _POPULATION
        few = self.visited.limit // _GENERATIONS
        return max(2, min(size, max(_LEAST_POPULATION, few), self.problem.space.size))

    def _breed(self, first: np.ndarray) -> None:
        """Go from generation to generation until the frontier hardly grows, or the evaluations are used up."""
        from dse.search.evolve.genetic_operators import Generations

        seed = int(self.rng.integers(2**31))
        bred = Generations(self.genome, len(self.problem.objectives), first, self.population, seed)
        own = 0
        while True:
            self.progress.phase(EVOLVING)
            genes = bred.ask()
            if genes is not None:
                numbers = self.genome.decode(genes)
                whole = self.visited.look(numbers)
                self.generations += 1
                own += 1
                if not whole or len(self.visited.numbers) >= self.bred_to:
                    self.ended = "evaluations" if self.limit is not None else "every design"
                    return
                points, amounts = self.visited.known(numbers)
                self.growth.begin(points[amounts == 0.0])
                scaled = np.where(amounts[:, None] > 0.0, 0.0, self.growth.scaled(points))
                bred.tell(scaled, amounts)
                if (stopped := self.stop.reason) is not None or self._nothing_new():
                    self.ended = stopped or NOTHING_NEW
                    return
            if genes is None or own % _EVERY == 0:
                self.progress.phase(CLOSING)
                self.closed = close(self.visited, self.closed, _CLOSED_AT_ONCE)
                self.progress.chunk_frontier(len(self.visited.archive.numbers))
                if self.growth.stands(self.visited) or genes is None:
                    return

    def _nothing_new(self) -> bool:
        """Tell whether the frontier has not changed for as long as it took to come by it, a restart among that."""
        frontier, looked_at = self.visited.archive.result()[1], len(self.visited.numbers)
        if not np.array_equal(frontier, self.frontier):
            self.frontier, self.last_new = frontier, looked_at
        since = looked_at - self.last_new
        return self.restarts > 0 and len(frontier) > 0 and since >= max(self.last_new, _EVERY * self.population)

    def _second_start(self) -> np.ndarray:
        """Return half of a population from the archive, where that has as many, and the rest at random."""
        frontier = self.visited.archive.result()[1]
        half = self.population // 2
        if len(frontier) > half:
            frontier = np.sort(self.rng.choice(frontier, half, replace=False))
        fresh = self.genome.random(self.population - len(frontier), self.rng)
        return np.concatenate([self.genome.encode(frontier), fresh])


def _hypervolume(points: np.ndarray, reference: np.ndarray) -> float:
    """Return the volume between points to be minimised and a reference."""
    if points.shape[1] == 1:
        return float(max(0.0, reference[0] - points.min()))
    import moocore

    if points.shape[1] > 3 and len(points) > _MEASURED:
        points = points[np.linspace(0, len(points) - 1, _MEASURED).round().astype(np.int64)]
    return float(moocore.hypervolume(points, ref=reference))


def _seconds_of_a_design(problem: Problem, rng: np.random.Generator) -> float:
    """Return how long a design of the largest alternative takes, from some that are evaluated together."""
    sizes = [product.size for product in problem.space.products]
    index = max(range(len(sizes)), key=lambda place: sizes[place])
    product, system = problem.space.products[index], problem.systems[index]
    wanted = [*(o.quantity for o in problem.objectives), *(c.quantity for c in system.constraints)]
    taken = 0.0
    for designs in (1, _TIMED):  # the first call may load what later ones find
        rows = [rng.integers(0, count, designs) for count in product.shape]
        begun = time.perf_counter()
        with np.errstate(all="ignore"):
            system.graph.evaluate(flat_inputs(system.graph, product, system.assumptions, rows), wanted)
        taken = (time.perf_counter() - begun) / designs
        if taken > 100 * _SLOW:
            break
    return taken
