"""Other multi-objective optimisers beside `evolve` and the exact search: what they find in the same processor time.

All evaluate designs by this project's evaluator, many at once where they can. `evolve` runs until it ends by itself;
each other gets the processor seconds it took. pymoo as it comes: real numbers from 0 to 1 per axis and for the
alternative, its own crossover and mutation, limits as the summed amount they are missed by. Optuna, where it is
installed, the same from trial to trial.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.machine import timed
from benchmarks.report import Column, Section, number, seconds
from dse.api import Study
from dse.evaluation.problem import Problem
from dse.search.driver import search
from dse.search.evolve.evolve import evolve
from dse.search.evolve.genome import Genome
from dse.search.frontier.pareto import nondominated
from dse.search.start.visited import Visited
from dse.study.file.headings import bundled_studies

__all__ = ["run", "scores"]

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


def _evaluated(problem: Problem, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points (0 where infeasible) and by how much limits are missed."""
    visited = Visited(problem)
    visited.look(numbers)
    points, amounts = visited.known(numbers)
    return np.where(amounts[:, None] > 0, 0.0, points), amounts


def _pymoo(problem: Problem, budget: float, make: Callable[[int], Any]) -> Found:
    """Run an algorithm of pymoo generation by generation until the time is used up; return its last population."""
    from pymoo.core.problem import Problem as PymooProblem
    from pymoo.core.termination import NoTermination

    begun, genome, evaluated = time.process_time(), Genome(problem.space), 0

    class Vectorised(PymooProblem):
        def _evaluate(self, x: np.ndarray, out: dict[str, Any], *_: Any, **__: Any) -> None:
            nonlocal evaluated
            evaluated += len(x)
            points, amounts = _evaluated(problem, genome.decode(_genes(genome, x)))
            out["F"], out["G"] = points, amounts[:, None]

    count = len(problem.objectives)
    algorithm = make(count)
    algorithm.setup(
        Vectorised(n_var=len(genome.ranges), n_obj=count, n_ieq_constr=1, xl=0.0, xu=1.0),
        termination=NoTermination(),
        seed=problem.seed,
    )
    while time.process_time() - begun < budget:
        algorithm.next()
    last = algorithm.pop
    feasible = last.get("CV").reshape(-1) == 0
    return _best(last.get("F")[feasible], genome.decode(_genes(genome, last.get("X")[feasible])), evaluated)


def _genes(genome: Genome, x: np.ndarray) -> np.ndarray:
    return np.minimum((x * genome.ranges).astype(np.int64), genome.ranges - 1)


def _best(points: np.ndarray, numbers: np.ndarray, evaluated: int) -> Found:
    if not len(points):
        return points, numbers, evaluated
    mask = nondominated(points)
    return points[mask], numbers[mask], evaluated


def _nsga2(population: int) -> Callable[[int], Any]:
    def make(_: int) -> Any:
        from pymoo.algorithms.moo.nsga2 import NSGA2

        return NSGA2(pop_size=population)

    return make


def _nsga3(objectives: int) -> Any:
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.util.ref_dirs import get_reference_directions

    return NSGA3(get_reference_directions("das-dennis", objectives, n_partitions=99 if objectives == 2 else 23))


def _optuna(problem: Problem, budget: float) -> Found:
    """Ask and tell Optuna's NSGA-II trial by trial, one whole number per axis of the longest alternative."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    begun, genome = time.process_time(), Genome(problem.space)
    sampler = optuna.samplers.NSGAIISampler(
        seed=problem.seed, constraints_func=lambda trial: (trial.user_attrs["missed"],)
    )
    study = optuna.create_study(directions=["minimize"] * len(problem.objectives), sampler=sampler)
    found: list[tuple[np.ndarray, int]] = []
    evaluated = 0
    while time.process_time() - begun < budget:
        trial = study.ask()
        genes = [trial.suggest_int(str(place), 0, int(most) - 1) for place, most in enumerate(genome.ranges)]
        numbers = genome.decode(np.array([genes], dtype=np.int64))
        points, amounts = _evaluated(problem, numbers)
        evaluated += 1
        trial.set_user_attr("missed", float(amounts[0]))
        study.tell(trial, points[0].tolist())
        if amounts[0] == 0:
            found.append((points[0], int(numbers[0])))
    every = np.array([point for point, _ in found]).reshape(-1, len(problem.objectives))
    return _best(every, np.array([number for _, number in found], dtype=np.int64), evaluated)


METHODS: dict[str, Callable[[Problem, float], Found]] = {
    "pymoo NSGA-II, 200": lambda problem, budget: _pymoo(problem, budget, _nsga2(200)),
    "pymoo NSGA-II, 1,000": lambda problem, budget: _pymoo(problem, budget, _nsga2(1_000)),
    "pymoo NSGA-III": lambda problem, budget: _pymoo(problem, budget, _nsga3),
    "Optuna NSGA-II": _optuna,
}
