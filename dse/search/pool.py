"""Chunks on several processes. Each worker process makes the problem anew and keeps its tables between chunks."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from dse.authoring.prints import prints_marked
from dse.authoring.watch import calls_watched
from dse.evaluation.problem import Problem
from dse.search.product import ChunkResult
from dse.search.strategy import Strategy
from dse.search.worker import Chunk, Seeds, Worker

__all__ = ["Factory", "run_on_processes"]


class Factory(Protocol):
    """Something that can be sent to another process and makes the problem there."""

    def problem(self) -> Problem:
        """Return the problem."""


_WORKERS: dict[tuple[int, int], Worker] = {}
_SEARCHES = itertools.count()


def run_on_processes(
    factory: Factory, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], jobs: int
) -> Iterator[tuple[Chunk, ChunkResult]]:
    """Search chunks on several processes; results come in the order of the chunks."""
    import joblib

    search = (os.getpid(), next(_SEARCHES))
    tasks = (joblib.delayed(_run)(search, factory, strategy, seeds, chunk) for chunk in chunks)
    with joblib.Parallel(n_jobs=jobs, backend="loky", return_as="generator", pre_dispatch="2*n_jobs") as pool:
        with _without_interrupts():
            results = pool(tasks)
        yield from zip(chunks, results, strict=True)


def _run(search: tuple[int, int], factory: Factory, strategy: Strategy, seeds: Seeds, chunk: Chunk) -> ChunkResult:
    with prints_marked(), calls_watched():
        if search not in _WORKERS:
            _WORKERS.clear()
            _WORKERS[search] = Worker(factory.problem(), strategy, seeds)
        return _WORKERS[search].run(chunk)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers start: they inherit that, so that the parent alone answers it later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
