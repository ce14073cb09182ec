"""Other multi-objective optimisers beside `evolve` and the exact search: what they find in the same processor time.

All evaluate designs by this project's evaluator, many at once where they can, none twice. `evolve` runs until it ends
by itself; each other gets the processor seconds it took, an archive of everything it looked at, and objectives as
logarithms, and each is tried with closing too: a third of the time goes to the neighbours of its archive. pymoo as it
comes: real numbers from 0 to 1 per axis and for the alternative, its own crossover and mutation, limits as the summed
amount they are missed by. Optuna, where it is installed, the same from trial to trial.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.machine import timed
from benchmarks.report import Column, Section, number, seconds
from dse.api import Study
from dse.evaluation.problem import Problem
from dse.search.driver import search
from dse.search.evolve.evolve import evolve
from dse.search.evolve.genome import Genome
from dse.search.start.closure import close
from dse.search.start.visited import Visited
from dse.study.file.headings import bundled_studies

__all__ = ["run", "scores"]

_LEAST = 1e-30  # stands for 0, which has no logarithm
_CLOSING = 1 / 3  # of the time, where an archive is closed
_AT_ONCE, _DRAWN = 5_000, 2_000  # designs between two looks at the clock

Found = tuple[np.ndarray, np.ndarray, int]
"""Points to be minimised, design numbers, and how many designs were evaluated."""


def many_cores() -> Problem:
    """Return the many-core alternatives of the study exascale: random designs meet its limits hardly ever."""
    file = bundled_studies()["exascale"]
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    del document["space"]["choices"]["node"]["accelerated"], document["references"], document["labels"]
    document["name"] = "many-core"
    return Study(document, folder=file.parent).problem()


CASES: dict[str, Callable[[], Problem]] = {
    "topology-break-even": lambda: Study.load("topology-break-even").problem(),
    "exascale": lambda: Study.load("exascale").problem(),
    "exascale, many cores only": many_cores,
}
CHOSEN = {"full": [*CASES], "small": ["topology-break-even"]}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search every case by every method."""
    rows, notes = [], []
    for name in CHOSEN[designs]:
        problem = CASES[name]()
        tell(f"{name}: exact search")
        exact, _, cpu = timed(lambda: search(problem))  # noqa: B023
        front = exact.values * problem.signs
        first = {"case": name, "method": "exact search", "cpu_seconds": cpu, "evaluated": exact.certificate.evaluated}
        rows.append({**first, **scores(front, front)})
        tell(f"{name}: evolve")
        ours, _, budget = timed(lambda: evolve(problem))  # noqa: B023
        account = {"case": name, "method": "evolve", "cpu_seconds": budget, "evaluated": ours.account.evaluations}
        rows.append({**account, **scores(ours.points, front)})
        for method, work in METHODS.items():
            tell(f"{name}: {method}")
            try:
                (points, _, evaluated), _, cpu = timed(lambda: work(problem, budget))  # noqa: B023
            except ModuleNotFoundError as missing:
                notes.append(f"{method} was left out: {missing.name} is not installed")
                continue
            row = {"case": name, "method": method, "cpu_seconds": cpu, "evaluated": evaluated}
            rows.append({**row, **scores(points, front)})
    notes.append("precision: share of the vectors returned that are on the frontier; recall: share of it that is found")
    return Section(
        "peers",
        "Other optimisers in the processor time of evolve, beside the exact frontier",
        [
            Column("case", "case"),
            Column("method", "method"),
            Column("cpu_seconds", "processor", seconds),
            Column("evaluated", "evaluated", number),
            Column("returned", "returned"),
            Column("precision", "precision", "{:.2f}".format),
            Column("recall", "recall", "{:.2f}".format),
            Column("hypervolume", "hypervolume", "{:.4f}".format),
        ],
        rows,
        notes=list(dict.fromkeys(notes)),
    )


def scores(points: np.ndarray, front: np.ndarray) -> dict[str, float]:
    """Return how good returned points are beside the whole frontier, all to be minimised; equal vectors count once.

    Hypervolumes are measured from a tenth of its width beyond the worst of the frontier, and told as the share of its.
    """
    import moocore

    front, found = np.unique(front, axis=0), np.unique(points, axis=0)
    hit = (found[:, None] == front[None]).all(axis=2).any(axis=1).sum() if len(found) else 0
    beyond = front.max(axis=0) + 0.1 * np.maximum(np.ptp(front, axis=0), 1e-12 * np.abs(front).max(axis=0))
    whole = moocore.hypervolume(front, ref=beyond)
    own = moocore.hypervolume(found, ref=beyond) if len(found) else 0.0
    return {
        "returned": len(found),
        "precision": hit / len(found) if len(found) else 0.0,
        "recall": hit / len(front),
        "hypervolume": float(own / whole),
    }


class Peer:
    """What every peer is given: an archive of all it looked at, no design evaluated twice, objectives as logarithms.

    Parameters
    ----------
    problem : Problem
    budget : float
        Processor seconds from now on.
    closed : bool
        Whether the last third of them goes to all designs that differ in one axis from one of the archive.
    """

    def __init__(self, problem: Problem, budget: float, *, closed: bool = False) -> None:
        self.problem, self._begun, self._budget, self._closed = problem, time.process_time(), budget, closed
        self.visited = Visited(problem)

    @property
    def goes_on(self) -> bool:
        """Whether the peer's own search has time left."""
        return time.process_time() - self._begun < self._budget * (1.0 - _CLOSING * self._closed)

    def evaluated(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points (0 where infeasible) and by how much limits are missed."""
        self.visited.look(numbers)
        points, amounts = self.visited.known(numbers)
        sizes = np.abs(points)
        logarithms = self.problem.signs * np.log(np.where(sizes > 0, sizes, _LEAST))
        return np.where(amounts[:, None] > 0, 0.0, logarithms), amounts

    def found(self) -> Found:
        """Close the archive if that is asked for, and return it."""
        done = np.empty(0, dtype=np.int64)
        while self._closed and time.process_time() - self._begun < self._budget:
            done = close(self.visited, done, most=_AT_ONCE)
            if np.isin(self.visited.archive.result()[1], done).all():
                break
        points, numbers = self.visited.archive.result()
        return points, numbers, len(self.visited.numbers)


def _pymoo(problem: Problem, budget: float, make: Callable[[int], Any], *, closed: bool = False) -> Found:
    """Run an algorithm of pymoo generation by generation until the time is used up."""
    from pymoo.core.problem import Problem as PymooProblem
    from pymoo.core.termination import NoTermination

    peer, genome = Peer(problem, budget, closed=closed), Genome(problem.space)

    class Vectorised(PymooProblem):
        def _evaluate(self, x: np.ndarray, out: dict[str, Any], *_: Any, **__: Any) -> None:
            points, amounts = peer.evaluated(genome.decode(_genes(genome, x)))
            out["F"], out["G"] = points, amounts[:, None]

    count = len(problem.objectives)
    algorithm = make(count)
    algorithm.setup(
        Vectorised(n_var=len(genome.ranges), n_obj=count, n_ieq_constr=1, xl=0.0, xu=1.0),
        termination=NoTermination(),
        seed=problem.seed,
    )
    while peer.goes_on:
        algorithm.next()
    return peer.found()


def _genes(genome: Genome, x: np.ndarray) -> np.ndarray:
    return np.minimum((x * genome.ranges).astype(np.int64), genome.ranges - 1)


def _nsga2(population: int) -> Callable[[int], Any]:
    def make(_: int) -> Any:
        from pymoo.algorithms.moo.nsga2 import NSGA2

        return NSGA2(pop_size=population)

    return make


def _nsga3(objectives: int) -> Any:
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.util.ref_dirs import get_reference_directions

    return NSGA3(get_reference_directions("das-dennis", objectives, n_partitions=99 if objectives == 2 else 23))


def _random(problem: Problem, budget: float, *, closed: bool = False) -> Found:
    """Look at random designs: an alternative by chance, then a design of it."""
    peer, rng = Peer(problem, budget, closed=closed), np.random.default_rng(problem.seed)
    sizes = np.array([product.size for product in problem.space.products])
    offsets = np.array(problem.space.offsets[: len(sizes)])
    while peer.goes_on and peer.visited.left:
        chosen = rng.integers(len(sizes), size=_DRAWN)
        peer.evaluated(offsets[chosen] + rng.integers(sizes[chosen]))
    return peer.found()


def _optuna(problem: Problem, budget: float, *, closed: bool = False) -> Found:
    """Ask and tell Optuna's NSGA-II trial by trial, one whole number per axis of the longest alternative."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    peer, genome = Peer(problem, budget, closed=closed), Genome(problem.space)
    sampler = optuna.samplers.NSGAIISampler(
        seed=problem.seed, constraints_func=lambda trial: (trial.user_attrs["missed"],)
    )
    study = optuna.create_study(directions=["minimize"] * len(problem.objectives), sampler=sampler)
    while peer.goes_on:
        trial = study.ask()
        genes = [trial.suggest_int(str(place), 0, int(most) - 1) for place, most in enumerate(genome.ranges)]
        points, amounts = peer.evaluated(genome.decode(np.array([genes], dtype=np.int64)))
        trial.set_user_attr("missed", float(amounts[0]))
        study.tell(trial, points[0].tolist())
    return peer.found()


_ALONE: dict[str, Callable[..., Found]] = {
    "random designs": _random,
    "pymoo NSGA-II, 200": lambda problem, budget, **closed: _pymoo(problem, budget, _nsga2(200), **closed),
    "pymoo NSGA-II, 1,000": lambda problem, budget, **closed: _pymoo(problem, budget, _nsga2(1_000), **closed),
    "pymoo NSGA-III": lambda problem, budget, **closed: _pymoo(problem, budget, _nsga3, **closed),
    "Optuna NSGA-II": _optuna,
}
METHODS: dict[str, Callable[[Problem, float], Found]] = {
    **_ALONE,
    **{f"{name}, closed": partial(method, closed=True) for name, method in _ALONE.items()},
}
"""Each with an archive of all it looked at, alone and with a third of the time for closing that."""
