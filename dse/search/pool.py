"""Chunks on several processes. Each worker process makes the problem anew and keeps its tables between chunks."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from dse.authoring.prints import prints_marked
from dse.authoring.watch import calls_watched
from dse.evaluation.problem import Problem
from dse.search.product import ChunkResult
from dse.search.strategy import Strategy
from dse.search.worker import Chunk, Seeds, Worker
from dse.search.workers import Finished

__all__ = ["Factory", "Processes"]


class Factory(Protocol):
    """Something that can be sent to another process and makes the problem there."""

    def problem(self) -> Problem:
        """Return the problem."""


_WORKERS: dict[tuple[int, int], Worker] = {}
_SEARCHES = itertools.count()
_LOOKS = 0.5  # seconds between two looks of a worker for its parent


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
        """Run chunks (`dse.search.workers.Workers.map`)."""
        import joblib

        search = (os.getpid(), next(_SEARCHES))
        tasks = (joblib.delayed(_run)(search, self._factory, strategy, seeds, chunk) for chunk in chunks)
        own = {"initializer": _die_with, "initargs": (os.getpid(),)}
        pool = joblib.Parallel(n_jobs=self.count, backend="loky", return_as="generator", pre_dispatch="2*n_jobs", **own)
        with pool:
            with _without_interrupts():
                results = pool(tasks)
            for chunk, result in zip(chunks, results, strict=True):
                finished(chunk, result)
                yield chunk, result


def _run(search: tuple[int, int], factory: Factory, strategy: Strategy, seeds: Seeds, chunk: Chunk) -> ChunkResult:
    with prints_marked(), calls_watched():
        if search not in _WORKERS:
            _WORKERS.clear()
            _WORKERS[search] = Worker(factory.problem(), strategy, seeds)
        return _WORKERS[search].run(chunk)


def _die_with(parent: int) -> None:
    """End this worker when its parent is gone, however it went: else it waits for work, and holds its output open.

    A signal at the death of the parent (``PR_SET_PDEATHSIG``) would come when the thread ends that began the worker.
    """

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS)
        os._exit(1)

    threading.Thread(target=look, name="dies with its parent", daemon=True).start()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers start: they inherit that, so that the parent alone answers it later.

    A handler of SIGTERM, which they do not inherit, is called when they have started.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    ending = signal.getsignal(signal.SIGTERM)
    asked: list[int] = []
    if callable(ending):
        signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if callable(ending):
            signal.signal(signal.SIGTERM, ending)
            if asked:
                signal.raise_signal(signal.SIGTERM)
