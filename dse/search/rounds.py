"""A search in rounds, which can be stopped at any time with a bound on what it has missed.

One pool of boxes for all alternatives, best bounds first, instead of depth first (`dse.search.share`). With a tolerance
the top boxes are dealt by their numbers to 64 shares, each of which knows the seeds and itself: so what is found does
not depend on how often the search was stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dse.search.archive import Archive
from dse.search.exhaustive import ExhaustiveProduct
from dse.search.gap import Left, least_bounds
from dse.search.pool import Factory, rounds_on_processes
from dse.search.prefilter import Prefilter
from dse.search.product import ChunkResult
from dse.search.progress import EXCLUDING, SEARCHING, Progress
from dse.search.share import Share, ShareState, inner
from dse.search.share_work import made_share, restored_share
from dse.search.stopping import INTERRUPT, Stop
from dse.search.totals import Totals
from dse.search.worker import Chunk, Worker

__all__ = ["SHARES", "KeptRounds", "RoundsLedger", "left_unprepared", "rest_of_pieces", "search_by_rounds"]

SHARES = 64
"""Into how many shares a search with a tolerance is dealt."""

_TOGETHER = 2.0  # seconds that processes search before they are asked again
_BETWEEN = 5.0  # seconds from one time the open boxes are stored to the next


@dataclass
class KeptRounds:
    """A search in rounds as it is stored.

    Attributes
    ----------
    stage : int
        The stage that is searched.
    points, numbers : ndarray
        What was found beside the shares: seeds and the stages before.
    counts : list of (int, ChunkResult)
        Of what was searched before the shares were dealt, by product.
    shares : list of ShareState, or None
        None where the stage has not begun.
    """

    stage: int
    points: np.ndarray
    numbers: np.ndarray
    counts: list[tuple[int, ChunkResult]] = field(default_factory=list)
    shares: list[ShareState] | None = None


class RoundsLedger(Protocol):
    """Where a search in rounds is kept."""

    def load(self, chunk: Chunk) -> ChunkResult | None:
        """Return a finished chunk of a search that was begun depth first."""

    def load_rounds(self) -> KeptRounds | None:
        """Return what was stored last."""

    def store_rounds(self, kept: KeptRounds) -> None:
        """Store the search as it is, in one piece."""


def search_by_rounds(
    worker: Worker,
    stages: Sequence[Sequence[int]],
    archive: Archive,
    totals: Totals,
    *,
    ledger: RoundsLedger | None,
    told: Progress,
    stop: Stop,
    clock: Callable[[], float] = time.monotonic,
    factory: Factory | None = None,
    jobs: int = 1,
) -> tuple[str | None, Left | None]:
    """Search the products of a problem in rounds.

    Parameters
    ----------
    worker : Worker
    stages : sequence of sequence of int
        The products in the order they are searched.
    archive : Archive
        What is found is put there.
    totals : Totals
        And here what was counted.
    ledger : RoundsLedger, optional
        The search goes on where that was, and is stored there every 5 s.
    told : Progress
    stop : Stop
        Looked at after every round and stage: one round is done at least, whatever the time.

    factory, jobs : optional
        Makes the problem in other processes, and how many of them search.

    Returns
    -------
    (stopped, left)
        Why the search was stopped, and what is open then; nothing where it has ended.
    """
    search = _Rounds(worker, archive, totals, ledger, told, stop, clock, factory, jobs)
    kept = ledger.load_rounds() if ledger is not None else None
    if kept is not None:
        search.go_on(kept)
    for place in range(kept.stage if kept is not None else 0, len(stages)):
        own = kept.shares if kept is not None and kept.stage == place else None
        stopped = search.stage(place, stages, own)
        if stopped is not None:
            return stopped, search.left(stages[place:])
        if place + 1 < len(stages) and (stopped := stop.reason) is not None:
            return stopped, search.left(stages[place + 1 :])
    return None, None


class _Rounds:
    def __init__(
        self,
        worker: Worker,
        archive: Archive,
        totals: Totals,
        ledger: RoundsLedger | None,
        told: Progress,
        stop: Stop,
        clock: Callable[[], float],
        factory: Factory | None,
        jobs: int,
    ) -> None:
        self.factory, self.jobs = factory, jobs if factory is not None else 1
        self.worker, self.archive, self.totals, self.ledger = worker, archive, totals, ledger
        self.told, self.stop, self.clock = told, stop, clock
        self.counts: list[tuple[int, ChunkResult]] = []
        self.shares: list[Share] = []

    def go_on(self, kept: KeptRounds) -> None:
        """Take over what was stored of what came before the shares."""
        self.archive.add(kept.points, kept.numbers, merged=True)
        for product, result in kept.counts:
            self._count(product, result)
            self.told.decided(result.evaluated + result.excluded)

    def stage(self, place: int, stages: Sequence[Sequence[int]], kept: list[ShareState] | None) -> str | None:
        """Search the products of one stage; return why that was stopped."""
        worker = self.worker
        try:
            for before in stages[:place]:
                for index in before:
                    worker.search(index)
            if kept is None:
                worker.sample(stages[place], self.archive.result() if len(self.archive.result()[1]) else None)
            self.shares = self._begun(stages[place]) if kept is None else self._restored(stages[place], kept)
        except KeyboardInterrupt:
            if not self.stop.interruptible or kept is not None or not len(self.archive.result()[1]):
                raise
            self.stop.interrupted, self.shares = True, []
            if self.ledger is not None:
                self._store(place, None)
            return INTERRUPT
        self.told.phase(SEARCHING if worker.method_of(stages[place]) == "exhaustive" else EXCLUDING)
        with self.stop.heard():
            elsewhere = self.factory is not None and self.jobs > 1 and len(self.shares) > 1
            stopped = self._searched_elsewhere(place, stages[place]) if elsewhere else self._searched(place)
        for share in self.shares:
            self.archive.add(*share.frontier, merged=True)
            for product, result in share.results().items():
                self._count(product, result)
        if stopped is None:
            self.shares = []
            if self.ledger is not None:
                self._store(place + 1, None)
        return stopped

    def _searched(self, place: int) -> str | None:
        """Do rounds, share after share, until nothing is open or somebody asks to stop."""
        stored, waiting = self.clock(), [share for share in self.shares if not share.ended]
        while waiting:
            share = waiting.pop(0)
            share.round()
            if not share.ended:
                waiting.append(share)
            self.told.found(len(share.archive.numbers))
            stopped = self.stop.reason if waiting else None
            if self.ledger is not None and (stopped is not None or self.clock() - stored >= _BETWEEN):
                self._store(place, [share.state() for share in self.shares])
                stored = self.clock()
            if stopped is not None:
                return stopped
        return None

    def _searched_elsewhere(self, place: int, stage: Sequence[int]) -> str | None:
        """Let several processes do rounds of some shares each, for a while, again and again."""
        assert self.factory is not None
        worker, stopped = self.worker, None
        stored, states = self.clock(), [share.state(bounds=True) for share in self.shares]
        with rounds_on_processes(self.factory, worker.strategy, worker.seeds, stage, self.jobs) as rounds:
            while waiting := [number for number, state in enumerate(states) if not state.ended]:
                groups = [waiting[first :: self.jobs] for first in range(min(self.jobs, len(waiting)))]
                tasks = [[states[number] for number in group] for group in groups]
                seconds = max(0.0, min(_TOGETHER, self.stop.left))
                try:
                    every = rounds(tasks, len(states), seconds)
                except Exception:
                    # Whoever asked this process to stop may have asked its workers too, which then are gone.
                    if self.stop.reason != INTERRUPT:
                        raise
                    every = tasks
                for group, done in zip(groups, every, strict=True):
                    for number, state in zip(group, done, strict=True):
                        self.told.decided(state.decided - states[number].decided)
                        states[number] = state
                if worker.strategy.tolerance is None:
                    self._exchange(states)
                stopped = self.stop.reason if any(not state.ended for state in states) else None
                if self.ledger is not None and (stopped is not None or self.clock() - stored >= _BETWEEN):
                    self._store(place, states)
                    stored = self.clock()
                if stopped is not None:
                    break
        self.shares = [restored_share(worker, stage, len(states), state) for state in states]
        return stopped

    def _exchange(self, states: Sequence[ShareState]) -> None:
        """Give every share what all have found: with no tolerance the order is free."""
        count = len(self.worker.problem.objectives)
        every = Archive(count, Prefilter(count))
        for state in states:
            every.add(state.points, state.numbers)
        points, numbers = every.result()
        for state in states:
            state.points, state.numbers = points, numbers
        self.told.joined(len(numbers))

    def _begun(self, stage: Sequence[int]) -> list[Share]:
        """Deal the top boxes and the blocks of the products to shares, but for chunks that are done."""
        worker = self.worker
        if worker.seeds is not None:
            self.archive.add(*worker.seeds)  # whatever becomes of them in a share, what they cover stays covered
        missing = {}
        for index in stage:
            search = worker.search(index)
            done = []
            for piece in range(len(search)):
                result = self.ledger.load((index, piece)) if self.ledger is not None else None
                if result is not None:
                    done.append(piece)
                    self.archive.add(result.points, result.numbers, merged=True)
                    self._count(index, result)
                    self.told.decided(result.designs)
            missing[index] = rest_of_pieces(search.pieces, done)
        count = SHARES if worker.strategy.tolerance is not None else self.jobs
        shares = [made_share(worker, stage, count, None, self.told.decided) for _ in range(count)]
        for index, ranges in missing.items():
            blocks = isinstance(inner(worker.search(index)), ExhaustiveProduct)
            for start, stop in ranges:
                cuts = [start + (stop - start) * number // count for number in range(count + 1)]
                for number, share in enumerate(shares):
                    if blocks:
                        share.begin(index, cuts[number], cuts[number + 1])
                    else:
                        share.begin(index, start + (number - start) % count, stop, count)
        return shares

    def _restored(self, stage: Sequence[int], kept: list[ShareState]) -> list[Share]:
        shares = []
        for state in kept:
            shares.append(restored_share(self.worker, stage, len(kept), state, self.told.decided))
            self.told.decided(state.decided)
        return shares

    def _count(self, product: int, result: ChunkResult) -> None:
        self.counts.append((product, result))
        self.totals.add(result, (product, 0))

    def _store(self, place: int, shares: list[ShareState] | None) -> None:
        assert self.ledger is not None
        self.ledger.store_rounds(KeptRounds(place, *self.archive.result(), list(self.counts), shares))

    def left(self, stages: Sequence[Sequence[int]]) -> Left:
        """Return what is open: of the stage that was stopped, and of those that come after it."""
        boxes, designs, bounded = 0, 0, True
        for share in self.shares:
            boxes += len(share.pool) + sum(stop - start for _, start, stop in share.blocks)
            designs += share.designs_left()
            bounded = bounded and not share.blocks
        after = stages[1:] if self.shares else stages
        waiting = [index for stage in after for index in stage]
        left = left_unprepared(self.worker, waiting)
        if waiting or not bounded:
            return Left(boxes + left.boxes, designs + left.designs, None)
        lower = least_bounds(self._bounds(), len(self.worker.problem.objectives))
        return Left(boxes, designs, lower)

    def _bounds(self) -> Iterator[np.ndarray]:
        for share in self.shares:
            for some in share.pool:
                yield some.lower


def left_unprepared(worker: Worker, products: Sequence[int]) -> Left:
    """Return what is open of products that were not begun: nothing is known of them."""
    prepared = worker.prepared
    sizes = [
        prepared[index].designs if index in prepared else worker.problem.space.products[index].size
        for index in products
    ]
    return Left(len(products), sum(sizes), None)


def rest_of_pieces(pieces: Sequence[tuple[int, int]], done: Sequence[int]) -> list[tuple[int, int]]:
    """Return what some pieces leave of a range, those beside each other as one."""
    finished = set(done)
    ranges: list[tuple[int, int]] = []
    for place, (start, stop) in enumerate(pieces):
        if place in finished:
            continue
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], stop)
        else:
            ranges.append((start, stop))
    return ranges
