"""Processes that are forked from the one that planned a search: its study, tables and proofs are theirs at once.

Processes that begin anew (`dse.search.schedule.pool`) read the study again, and make tables and reductions again, which
takes as long as many a search. A fork copies nothing until it is written to. Linux alone forks safely, and only where
no other threads may hold a lock at that moment; elsewhere processes begin anew.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from dse.authoring.watch.prints import prints_marked
from dse.authoring.watch.watch import calls_watched
from dse.search.account.elapsed import elapsed
from dse.search.account.stopping import without_interrupts, workers_lost
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Chunk, Seeds, Worker
from dse.search.schedule.pool import die_with
from dse.search.schedule.workers import Finished

__all__ = ["ForkedProcesses", "ForkedWhenItLasts", "forks_safely"]

_OURS = "dse-"  # begins the names of threads that draw progress and watch models: they hold no lock that a fork takes
_AHEAD = 8  # chunks for each process that wait for it, so that none waits for others when one chunk takes long
_ALONE = 1.0  # seconds of a search before processes are begun

_PLANNED: list[Worker] = []  # what a fork inherits; nothing while none is made


def forks_safely() -> bool:
    """Return whether this process can be forked: on Linux, from its main thread, with no threads of others."""
    main = threading.main_thread()
    return (
        sys.platform == "linux"
        and threading.current_thread() is main
        and all(thread is main or thread.name.startswith(_OURS) for thread in threading.enumerate())
    )


class ForkedProcesses:
    """Runs chunks on several processes that are forked from this one.

    Parameters
    ----------
    worker : Worker
        That planned the search. Its strategy and seeds are those of the chunks.
    count : int
    """

    def __init__(self, worker: Worker, count: int) -> None:
        self._worker, self.count = worker, count

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks (`dse.search.schedule.workers.Workers.map`).

        Raises
        ------
        ClusterError
            A process was ended from outside: what is finished is kept.
        """
        before = {child.pid for child in multiprocessing.active_children()}
        waiting: deque[tuple[Chunk, Future[ChunkResult]]] = deque()
        missing, ended = iter(chunks), False
        pool = self._forked(next(missing), waiting)
        forked = [child for child in multiprocessing.active_children() if child.pid not in before]
        try:
            for chunk in missing:
                if len(waiting) >= (1 + _AHEAD) * self.count:
                    yield self._next(waiting, finished)
                waiting.append((chunk, pool.submit(_run, chunk)))
            while waiting:
                yield self._next(waiting, finished)
            ended = True
        finally:
            pool.shutdown(wait=ended, cancel_futures=True)
            if not ended:  # what is under way is given up
                for child in forked:
                    child.terminate()

    def _forked(self, first: Chunk, waiting: deque[tuple[Chunk, Future[ChunkResult]]]) -> ProcessPoolExecutor:
        """Begin all processes, which is when they take over what is planned, with a first chunk."""
        context = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin, initargs=(os.getpid(),))
        _PLANNED.append(self._worker)
        try:
            with without_interrupts(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of threads: `forks_safely` has looked
                waiting.append((first, pool.submit(_run, first)))
        finally:
            _PLANNED.pop()
        return pool

    def _next(self, waiting: deque[tuple[Chunk, Future[ChunkResult]]], finished: Finished) -> tuple[Chunk, ChunkResult]:
        chunk, future = waiting.popleft()
        try:
            result = future.result()
        except BrokenProcessPool:
            raise workers_lost("a process of the search was ended from outside, or ran out of memory") from None
        finished(chunk, result)
        return chunk, result


class ForkedWhenItLasts:
    """Runs chunks here at first, and on several processes what has not ended after a while.

    Of most large spaces the plan takes longer than the search: processes that share a second of it cost as much as they
    save, and hold memory of their own.

    Parameters
    ----------
    worker : Worker
        As of `ForkedProcesses`.
    most : int
        Processes, where they are begun.

    Attributes
    ----------
    count : int
        How many processes took part so far.
    """

    def __init__(self, worker: Worker, most: int) -> None:
        self._worker, self._most, self.count = worker, most, 1

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks (`dse.search.schedule.workers.Workers.map`); raises what `ForkedProcesses.map` does."""
        passed = elapsed()
        for place, chunk in enumerate(chunks):
            if passed() >= _ALONE and len(chunks) - place > 1:
                self.count = min(self._most, len(chunks) - place)
                yield from ForkedProcesses(self._worker, self.count).map(strategy, seeds, chunks[place:], finished)
                return
            result = self._worker.run(chunk)
            finished(chunk, result)
            yield chunk, result


def _begin(parent: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(parent)


def _run(chunk: Chunk) -> ChunkResult:
    with prints_marked(), calls_watched():
        return _PLANNED[0].run(chunk)
