"""Several processes of this computer, which run chunks, or evaluate designs for a search by generations.

Each makes the problem anew, and keeps it and its tables until the search ends.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from dse.authoring.watch.prints import prints_marked
from dse.authoring.watch.watch import calls_watched
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.search.account.stopping import without_interrupts
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Chunk, Seeds, Worker
from dse.search.schedule.share import ShareState
from dse.search.schedule.share_work import done_for
from dse.search.schedule.workers import Factory, Finished
from dse.search.start.visited import Looked, look_at

__all__ = ["Processes", "die_with", "evaluating_processes", "rounds_on_processes"]


_WORKERS: dict[tuple[int, int], Worker] = {}
_PROBLEMS: dict[tuple[int, int], Problem] = {}
_SEARCHES = itertools.count()
_LOOKS = 0.5  # seconds between two looks of a worker for its parent
_PARTS = 4  # of the designs of a generation for each process, so that none waits long for the others
_FEWEST = 2  # designs of a part: of a single one arrays may be summed in another order


class Processes:
    """Runs chunks on several processes of this computer.

    Parameters
    ----------
    factory : Factory
        Makes the problem in each of them.
    count : int
    """

    def __init__(self, factory: Factory, count: int) -> None:
        self._factory, self.count = factory, count

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks (`dse.search.schedule.workers.Workers.map`)."""
        import joblib

        search = (os.getpid(), next(_SEARCHES))
        tasks = (joblib.delayed(_run)(search, self._factory, strategy, seeds, chunk) for chunk in chunks)
        own = {"initializer": die_with, "initargs": (os.getpid(),)}
        pool = joblib.Parallel(n_jobs=self.count, backend="loky", return_as="generator", pre_dispatch="2*n_jobs", **own)
        with pool:
            with without_interrupts():
                results = pool(tasks)
            try:
                for chunk, result in zip(chunks, results, strict=True):
                    finished(chunk, result)
                    yield chunk, result
            finally:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a search that is stopped gives up the chunks in flight
                    results.close()


@contextmanager
def evaluating_processes(factory: Factory, count: int) -> Iterator[Callable[[np.ndarray], Looked]]:
    """Begin processes that evaluate designs, and end them.

    Parameters
    ----------
    factory : Factory
    count : int

    Yields
    ------
    callable
        Does what `dse.search.start.visited.look_at` does: a design has the same values whatever stands beside it.
    """
    import joblib

    search = (os.getpid(), next(_SEARCHES))
    own = {"initializer": die_with, "initargs": (os.getpid(),)}
    with joblib.Parallel(n_jobs=count, backend="loky", return_as="generator", pre_dispatch="all", **own) as pool:

        def evaluate(numbers: np.ndarray) -> Looked:
            parts = np.array_split(numbers, max(1, min(_PARTS * count, len(numbers) // _FEWEST)))
            with without_interrupts():
                tasks = pool(joblib.delayed(_look)(search, factory, part) for part in parts)
            looked: list[Looked] = []
            for answer in [*tasks]:
                if isinstance(answer, Exception):  # that of the first design, whichever process was quicker
                    raise answer
                looked.append(answer)
            points, amounts, not_finite = zip(*looked, strict=True)
            return np.concatenate(points), np.concatenate(amounts), sum(not_finite)

        yield evaluate


def _look(search: tuple[int, int], factory: Factory, numbers: np.ndarray) -> Looked | Exception:
    with prints_marked(), calls_watched():
        if search not in _PROBLEMS:
            _PROBLEMS.clear()
            _PROBLEMS[search] = factory.problem()
        try:
            return look_at(_PROBLEMS[search], numbers)
        except (InputError, ModelError) as fault:
            return fault


@contextmanager
def rounds_on_processes(
    factory: Factory, strategy: Strategy, seeds: Seeds, stage: Sequence[int], jobs: int
) -> Iterator[Callable[[Sequence[Sequence[ShareState]], int, float], list[list[ShareState]]]]:
    """Give what lets several processes do rounds of some of so many shares each, for so many seconds."""
    import joblib

    search = (os.getpid(), next(_SEARCHES))
    own = {"initializer": die_with, "initargs": (os.getpid(),)}
    with joblib.Parallel(n_jobs=jobs, backend="loky", **own) as pool:

        def rounds(tasks: Sequence[Sequence[ShareState]], count: int, seconds: float) -> list[list[ShareState]]:
            given = (search, factory, strategy, seeds, list(stage))
            return list(pool(joblib.delayed(_rounds)(*given, task, count, seconds) for task in tasks))

        with without_interrupts():
            pool(joblib.delayed(os.getpid)() for _ in range(jobs))
        yield rounds


def _rounds(
    search: tuple[int, int],
    factory: Factory,
    strategy: Strategy,
    seeds: Seeds,
    stage: Sequence[int],
    states: Sequence[ShareState],
    count: int,
    seconds: float,
) -> list[ShareState]:
    with prints_marked(), calls_watched():
        return done_for(_worker(search, factory, strategy, seeds), stage, states, count, seconds)


def _worker(search: tuple[int, int], factory: Factory, strategy: Strategy, seeds: Seeds) -> Worker:
    """Return the worker of a search in this process, made when it is first needed."""
    if search not in _WORKERS:
        _WORKERS.clear()
        _WORKERS[search] = Worker(factory.problem(), strategy, seeds)
    return _WORKERS[search]


def _run(search: tuple[int, int], factory: Factory, strategy: Strategy, seeds: Seeds, chunk: Chunk) -> ChunkResult:
    with prints_marked(), calls_watched():
        return _worker(search, factory, strategy, seeds).run(chunk)


def die_with(parent: int) -> None:
    """End this worker when its parent is gone, however it went: else it waits for work, and holds its output open.

    A signal at the death of the parent (``PR_SET_PDEATHSIG``) would come when the thread ends that began the worker.
    """

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS)
        os._exit(1)

    threading.Thread(target=look, name="dies with its parent", daemon=True).start()
