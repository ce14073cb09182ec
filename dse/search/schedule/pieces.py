"""A search that goes from piece to piece, depth first: here, on several processes, or on a cluster.

The pieces depend on the space alone, and those of a stage all start from the same first frontier. So the result, and
every count, is the same for any number of processes and after any interruption.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from functools import partial

from dse.errors import InputError, ModelError
from dse.search.account.progress import EXCLUDING, SEARCHING, Progress
from dse.search.account.stopping import INTERRUPT
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.estimate import estimate_searches
from dse.search.plan.strategy import SearchOptions, worthwhile_jobs
from dse.search.plan.worker import Chunk
from dse.search.schedule.forks import ForkedProcesses, ForkedWhenItLasts, forks_safely
from dse.search.schedule.gap import Remaining
from dse.search.schedule.ledger import Ledger
from dse.search.schedule.pool import Processes
from dse.search.schedule.resources import Resources
from dse.search.schedule.search_account import SearchAccount
from dse.search.schedule.workers import ThisProcess, Workers

__all__ = ["search_by_pieces"]

_ESTIMATED_FROM = 1_000_000


def search_by_pieces(
    account: SearchAccount, stages: Sequence[Sequence[int]], options: SearchOptions, resources: Resources
) -> None:
    """Search the products of a problem stage by stage, and write into the account what comes of it."""
    search = _Pieces(account, stages, options, resources)
    for place, stage in enumerate(stages):
        chunks = search.begun(place)
        if account.stopped is None:
            jobs = search.jobs(place, len(chunks))
            missing = search.missing(chunks)
            search.tell_estimate(place, missing)
            search.run(place, missing, jobs)
        if account.stopped is not None:
            return
        account.worker.end(stage)


class _Pieces:
    """The pieces of all stages, on their way from the plan to the account."""

    def __init__(
        self, account: SearchAccount, stages: Sequence[Sequence[int]], options: SearchOptions, resources: Resources
    ) -> None:
        self.account, self.stages, self.options, self.resources = account, stages, options, resources
        self.worker, self.archive, self.totals = account.worker, account.archive, account.totals
        self.progress, self.stop = resources.progress, resources.stop

    def begun(self, place: int) -> list[Chunk]:
        """Make what a stage starts from, and return its pieces; none where that was interrupted."""
        worker, stage = self.worker, self.stages[place]
        known = self.archive.result()
        with self.stop.preparing(lambda: len(known[1]) > 0) as cut:
            worker.sample(stage, known if len(known[1]) else None)
        if cut.short:
            self.account.stopped = INTERRUPT
            self.account.remaining = self.account.unprepared(
                [index for after in self.stages[place:] for index in after]
            )
            return []
        if worker.strategy.tolerance is not None and worker.seeds is not None:
            self.archive.add(*worker.seeds)  # whatever becomes of them in a piece, what they cover stays covered
        chunks = worker.chunks(stage)
        self.account.chunks += len(chunks)
        return chunks

    def jobs(self, place: int, chunks: int) -> int:
        """Return how many processes of this computer a stage may have."""
        return self.resources.processes(self.options.jobs or self._worthwhile(place), chunks)

    def _worthwhile(self, place: int) -> int:
        """Return how many processes a stage pays for by its size."""
        sizes = [self.worker.problem.space.products[index].size for index in self.stages[place]]
        return worthwhile_jobs(self.worker.method_of(self.stages[place]), sum(sizes))

    def missing(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Take over what the ledger has, and return the pieces that it has not."""
        ledger, missing = self.resources.ledger, []
        for chunk in chunks:
            kept = ledger.load(chunk) if ledger is not None else None
            if kept is None:
                missing.append(chunk)
            else:
                self._add(chunk, kept)
                self.progress.decided(kept.designs)
        return missing

    def tell_estimate(self, place: int, missing: Sequence[Chunk]) -> None:
        """Tell what the search is expected to take, when the last stage is planned and the space is not small."""
        listener, size = self.progress.listener, self.worker.problem.space.size
        if listener.wants_estimate and missing and place + 1 == len(self.stages) and size >= _ESTIMATED_FROM:
            with contextlib.suppress(InputError, ModelError):  # the search will meet the fault, and tell it
                listener.estimated(estimate_searches(self.worker, self.options))

    def run(self, place: int, missing: Sequence[Chunk], jobs: int) -> None:
        """Run pieces in their order, until they have ended or somebody asks to stop."""
        worker, stop = self.worker, self.stop
        method = worker.method_of(self.stages[place])
        self.progress.phase(SEARCHING if method == "exhaustive" else EXCLUDING)
        running = self._workers(place, len(missing), jobs)
        here = isinstance(running, ThisProcess)
        finished = partial(_finished, self.resources.ledger, None if here else self.progress)
        results = running.map(worker.strategy, worker.seeds, missing, finished)
        done, stopped = 0, None
        with stop.heard():
            with stop.bearing_losses(elsewhere=not here) as cut:
                for done, (chunk, result) in enumerate(results, 1):
                    self._add(chunk, result)
                    last = done == len(missing) and place + 1 == len(self.stages)
                    stopped = None if last else stop.reason
                    if stopped is not None:
                        if isinstance(results, Generator):
                            results.close()
                        break
            self.account.jobs = max(self.account.jobs, running.count)
            stopped = INTERRUPT if cut.short else stopped
            if stopped is not None:
                self.account.stopped = stopped
                self.account.remaining = self._remaining(place, len(missing) - done)

    def _workers(self, place: int, missing: int, jobs: int) -> Workers:
        resources = self.resources
        if missing > 1 and resources.workers is not None:
            return resources.workers
        if missing > 1 and resources.factory is not None and jobs > 1:
            if not forks_safely():
                return Processes(resources.factory, jobs)
            bounded = self.worker.method_of(self.stages[place]) != "exhaustive"
            waits = bounded and self._worthwhile(place) == 1
            return ForkedWhenItLasts(self.worker, jobs) if waits else ForkedProcesses(self.worker, jobs)
        return ThisProcess(self.worker, self.progress)

    def _add(self, chunk: Chunk, result: ChunkResult) -> None:
        self.totals.add(result, chunk)
        self.archive.add(result.points, result.numbers, merged=True)
        self.progress.joined_frontier(len(self.archive.numbers))

    def _remaining(self, place: int, pieces: int) -> Remaining:
        """Return what is open, of which a search that goes from piece to piece has no bound."""
        decided = self.totals.evaluated + self.totals.excluded + self.account.pruned
        after = [index for stage in self.stages[place + 1 :] for index in stage]
        return Remaining(pieces + len(after), self.worker.problem.space.size - decided, None, after)


def _finished(ledger: Ledger | None, progress: Progress | None, chunk: Chunk, result: ChunkResult) -> None:
    """Keep a piece that is finished, and tell of one that was run elsewhere: this process tells as it goes."""
    if ledger is not None:
        ledger.store(chunk, result)
    if progress is not None:
        progress.decided(result.designs)
