"""A search in rounds, which can be stopped at any time with a bound on what it has missed.

One pool of boxes for all alternatives, best bounds first, instead of depth first (`dse.search.schedule.share`). With a
tolerance the top boxes are dealt by their numbers to 64 shares, each of which knows the seeds and itself: so what is
found does not depend on how often the search was stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dse.search.account.progress import EXCLUDING, SEARCHING
from dse.search.account.stopping import INTERRUPT
from dse.search.bundles.design_search import ChunkResult
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.search.schedule.gap import Remaining, least_bounds
from dse.search.schedule.ledger import KeptRounds
from dse.search.schedule.pool import rounds_on_processes
from dse.search.schedule.resources import Resources
from dse.search.schedule.search_account import SearchAccount
from dse.search.schedule.share import Share, ShareState
from dse.search.schedule.share_work import made_share, restored_share

__all__ = ["SHARES", "rest_of_pieces", "search_by_rounds"]

SHARES = 64
"""Into how many shares a search with a tolerance is dealt."""

_TOGETHER = 1.0  # seconds that processes search before they are asked again
_BETWEEN = 5.0  # seconds from one time the open boxes are stored to the next


def search_by_rounds(account: SearchAccount, stages: Sequence[Sequence[int]], resources: Resources) -> None:
    """Search the products of a problem in rounds, and write into the account what comes of it.

    Parameters
    ----------
    account : SearchAccount
        So many of its `jobs` search, where the resources can make the problem in other processes.
    stages : sequence of sequence of int
        The products in the order they are searched.
    resources : Resources
        The search goes on where the ledger was, and is stored there every 5 s. It is asked after every round and stage
        whether to stop: one round is done at least, whatever the time.
    """
    search = _Rounds(account, resources)
    kept = resources.ledger.load_rounds() if resources.ledger is not None else None
    if kept is not None:
        search.go_on(kept)
        if kept.stage == len(stages):  # it ended, and whoever wrote down what was found did not
            search.prepare(stages)
    for place in range(kept.stage if kept is not None else 0, len(stages)):
        own = kept.shares if kept is not None and kept.stage == place else None
        account.stopped, after = search.stage(place, stages, own), stages[place:]
        if account.stopped is None and place + 1 < len(stages):
            account.stopped, after = resources.stop.reason, stages[place + 1 :]
        if account.stopped is not None:
            account.remaining = search.remaining(after)
            return


class _Rounds:
    def __init__(self, account: SearchAccount, resources: Resources) -> None:
        self.account, self.resources = account, resources
        self.worker, self.archive, self.jobs = account.worker, account.archive, account.jobs
        self.ledger, self.progress, self.stop = resources.ledger, resources.progress, resources.stop
        self.counts: list[tuple[int, ChunkResult]] = []
        self.shares: list[Share] = []

    def go_on(self, kept: KeptRounds) -> None:
        """Take over what was stored of what came before the shares."""
        self.worker.strategy = replace(self.worker.strategy, single_rows=kept.single_rows)
        self.archive.add(kept.points, kept.numbers, merged=True)
        for product, result in kept.counts:
            self._count(product, result)
            self.progress.decided(result.evaluated + result.excluded)

    def prepare(self, stages: Sequence[Sequence[int]]) -> None:
        """Prepare products of stages that have ended: the account is made of them too."""
        for stage in stages:
            for index in stage:
                self.worker.search(index)

    def stage(self, place: int, stages: Sequence[Sequence[int]], kept: list[ShareState] | None) -> str | None:
        """Search the products of one stage; return why that was stopped."""
        worker, known = self.worker, self.archive.result()
        with self.stop.preparing(lambda: kept is None and len(self.archive.result()[1]) > 0) as cut:
            self.prepare(stages[:place])
            if kept is None:
                worker.sample(stages[place], known if len(known[1]) else None)
            self.shares = self._begun(stages[place]) if kept is None else self._restored(stages[place], kept)
        if cut.short:
            self.shares = []
            if self.ledger is not None:
                self._store(place, None)
            return INTERRUPT
        self.progress.phase(SEARCHING if worker.method_of(stages[place]) == "exhaustive" else EXCLUDING)
        with self.stop.heard():
            elsewhere = self.resources.factory is not None and self.jobs > 1 and len(self.shares) > 1
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
        clock = self.resources.clock
        stored, waiting = clock(), [share for share in self.shares if not share.ended]
        if self.worker.strategy.tolerance is None:  # else what is found would depend on when it was stopped
            for share in waiting:
                share.hurried = lambda: self.stop.reason is not None
        while waiting:
            share = waiting.pop(0)
            share.round()
            if not share.ended:
                waiting.append(share)
            self.progress.chunk_frontier(len(share.archive.numbers))
            stopped = self.stop.reason if waiting else None
            if self.ledger is not None and (stopped is not None or clock() - stored >= _BETWEEN):
                self._store(place, [share.state() for share in self.shares])
                stored = clock()
            if stopped is not None:
                return stopped
        return None

    def _searched_elsewhere(self, place: int, stage: Sequence[int]) -> str | None:
        """Let several processes do rounds of some shares each, for a while, again and again."""
        factory, clock = self.resources.factory, self.resources.clock
        assert factory is not None
        worker, stopped = self.worker, None
        stored, states = clock(), [share.state(bounds=True) for share in self.shares]
        with rounds_on_processes(factory, worker.strategy, worker.seeds, stage, self.jobs) as rounds:
            while waiting := [number for number, state in enumerate(states) if not state.ended]:
                groups = [waiting[first :: self.jobs] for first in range(min(self.jobs, len(waiting)))]
                tasks = [[states[number] for number in group] for group in groups]
                seconds = max(0.0, min(_TOGETHER, self.stop.remaining))
                every = tasks
                with self.stop.bearing_losses():
                    every = rounds(tasks, len(states), seconds)
                for group, done in zip(groups, every, strict=True):
                    for number, state in zip(group, done, strict=True):
                        self.progress.decided(state.decided - states[number].decided)
                        states[number] = state
                if worker.strategy.tolerance is None:
                    self._exchange(states)
                stopped = self.stop.reason if any(not state.ended for state in states) else None
                if self.ledger is not None and (stopped is not None or clock() - stored >= _BETWEEN):
                    self._store(place, states)
                    stored = clock()
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
        self.progress.joined_frontier(len(numbers))

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
                    self.progress.decided(result.designs)
            missing[index] = rest_of_pieces(search.pieces, done)
        count = SHARES if worker.strategy.tolerance is not None else self.jobs
        shares = [made_share(worker, stage, count, None, self.progress.decided) for _ in range(count)]
        for index, ranges in missing.items():
            blocks = worker.search(index).by_blocks is not None
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
            shares.append(restored_share(self.worker, stage, len(kept), state, self.progress.decided))
            self.progress.decided(state.decided)
        return shares

    def _count(self, product: int, result: ChunkResult) -> None:
        self.counts.append((product, result))
        self.account.totals.add(result, (product, 0))

    def _store(self, place: int, shares: list[ShareState] | None) -> None:
        assert self.ledger is not None
        single_rows = self.worker.strategy.single_rows
        self.ledger.store_rounds(KeptRounds(place, *self.archive.result(), list(self.counts), shares, single_rows))

    def remaining(self, stages: Sequence[Sequence[int]]) -> Remaining:
        """Return what is open: of the stage that was stopped, and of those that come after it."""
        boxes, designs, bounded = 0, 0, True
        for share in self.shares:
            boxes += len(share.pool) + sum(stop - start for _, start, stop in share.blocks)
            designs += share.designs_left()
            bounded = bounded and not share.blocks
        after = stages[1:] if self.shares else stages
        waiting = [index for stage in after for index in stage]
        unprepared = self.account.unprepared(waiting)
        lower = least_bounds(self._bounds(), len(self.worker.problem.objectives)) if bounded else None
        if waiting:
            return Remaining(boxes + unprepared.boxes, designs + unprepared.designs, None, waiting, lower)
        return Remaining(boxes, designs, lower)

    def _bounds(self) -> Iterator[np.ndarray]:
        for share in self.shares:
            for boxes in share.pool:
                yield boxes.lower


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
