"""A search on a Dask cluster: ranges of chunks go to its workers, frontiers and counts come back.

Sent with each range are the study as an archive, the strategy and the first frontier of the stage
(`dse.run.execute.cluster_task.Setting`): kilobytes, and no arrays of designs. What comes back goes to the ledger of
this computer as it comes, and into the result in the order of the chunks.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import re
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from dse.errors import ClusterError
from dse.run.disk.study_archive import pack_study
from dse.run.execute.cluster_task import (
    Refusal,
    Searched,
    Setting,
    differences,
    identity,
    search_range,
    unpacked_results,
)
from dse.run.execute.task_sizes import TaskSizes
from dse.search.account.stopping import workers_lost
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Chunk, Seeds
from dse.search.schedule.workers import Finished
from dse.study.study import Study

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Cluster"]

_ADDRESS = re.compile(r"(tcp|tls)://[^/\s]+:\d{1,5}")
_LOGS = ("distributed", "distributed.client", "tornado.application", "asyncio")
_CONNECT = 10.0  # seconds for the scheduler to answer
_WORKERS = 60.0  # seconds for the first worker: a batch system takes tens of them
_RETRIES = 3
_AHEAD = 2  # ranges for each worker, so that none waits for the next
_CLOSE = 5.0
_POLL = 0.02  # seconds between two looks for ranges that have ended, of which every worker has another one
_LOOK = 5.0  # seconds without any before it is looked whether there are workers


class _Completed(Protocol):
    """Ranges that are computed, as they end (`distributed.as_completed`, which has no types)."""

    def add(self, future: Future, /) -> None: ...

    def next_batch(self, *, block: bool) -> list[Future]: ...


class Cluster:
    """The workers of a scheduler that is there already; it is never started nor stopped.

    Parameters
    ----------
    address : str
        ``tcp://host:8786``, or ``tls://`` with the certificates of Dask's configuration.
    study : Study
    tell : callable
        Called with what the user is to know before it happens: what is sent, and to how many.
    ledger : bool
        Whether there is a ledger: what was excluded is sent back for it.

    Attributes
    ----------
    sent, received : int
        Bytes of ranges with their settings, and of results, as they were before Dask wrapped them.
    """

    def __init__(self, address: str, study: Study, tell: Callable[[str], None], *, ledger: bool) -> None:
        self.address, self._study, self._tell, self._ledger = address, study, tell, ledger
        if not _ADDRESS.fullmatch(address):
            raise ClusterError(f"'{address}' is no address of a scheduler", key="cluster", allowed="tcp://HOST:PORT")
        self.sent = self.received = 0
        self._client: Client
        self._levels: dict[str, int] = {}

    def __enter__(self) -> Self:
        try:
            from distributed import Client
        except ImportError:
            ways = "pip install 'dse-frontier[cluster]'"
            raise ClusterError("needs distributed", key="cluster", allowed=ways) from None
        self._quiet(True)
        try:
            self._archive = pack_study(self._study)
            try:
                self._client = Client(self.address, timeout=_CONNECT, set_as_default=False)
            except (OSError, TimeoutError):
                raise ClusterError(
                    f"no scheduler answers at {self.address} within {_CONNECT:g} s",
                    allowed="the address that `dask scheduler` prints",
                ) from None
            try:
                self._meet_workers()
            except BaseException:
                self._close()
                raise
        except BaseException:
            self._quiet(False)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if not isinstance(error, ClusterError):  # what is lost goes on being complained about
            self._quiet(False)

    def _quiet(self, wanted: bool) -> None:
        """Keep Dask from logging what is told in one sentence."""
        for name in _LOGS:
            log = logging.getLogger(name)
            if wanted:
                self._levels[name] = log.level
            log.setLevel(logging.CRITICAL + 1 if wanted else self._levels[name])

    def _close(self) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=_CLOSE)

    @property
    def count(self) -> int:
        """How many workers there are now: each is one process that searches one range at a time."""
        try:
            return max(1, len(self._client.nthreads()))
        except (OSError, TimeoutError) as error:
            raise self._lost(error) from None

    def _meet_workers(self) -> None:
        """Wait for a worker, refuse those of other versions, and say what is sent."""
        client = self._client
        if not client.nthreads():
            self._tell(f"{self.address}: no workers yet, waits {_WORKERS:g} s for the first")
            try:
                client.wait_for_workers(1, timeout=_WORKERS)
            except TimeoutError:
                raise ClusterError(
                    f"{self.address}: the scheduler has no workers",
                    allowed=f"dask worker {self.address} --nworkers N --nthreads 1",
                ) from None
        here, other = identity(), []
        answers = client.run(identity, on_error="return")
        for where, there in sorted(answers.items()):
            if isinstance(there, dict):
                other += differences(here, there, where)
            else:
                other.append(f"dse {here['dse']} here, none on {where} ({type(there).__name__}: {there})")
        if other:
            raise ClusterError(
                f"{self.address}: {'; '.join(other)}", allowed="the same dse, libraries and models everywhere"
            )
        archive = self._archive
        names = f" with {', '.join(archive.names)}" if archive.names else ""
        runs = f"; {', '.join(archive.code)} is run there" if archive.code else ""
        workers = f"{len(answers)} worker{'s' if len(answers) > 1 else ''}"
        self._tell(
            f"{self.address}: sends the study{names} ({len(archive.data)} B, SHA-256 {archive.sha256[:12]}) to "
            f"{workers}{runs}"
        )

    def map(
        self, strategy: Strategy, seeds: Seeds, chunks: Sequence[Chunk], finished: Finished
    ) -> Iterator[tuple[Chunk, ChunkResult]]:
        """Run chunks (`dse.search.schedule.workers.Workers.map`).

        Raises
        ------
        ClusterError
            The scheduler is gone; a range has ended its workers; a worker has other versions.
        """
        from distributed import as_completed

        setting = Setting(
            uuid.uuid4().hex,
            self._archive.data,
            self._archive.sha256,
            self._study.file,
            identity(),
            self._study.hashes(),
            strategy,
            seeds,
            self._ledger,
        )
        waiting = deque(chunks)
        ready: dict[Chunk, ChunkResult] = {}
        sizes = TaskSizes()
        running: dict[Future, list[Chunk]] = {}
        completed = as_completed(loop=self._client.loop)
        try:
            for chunk in chunks:
                while chunk not in ready:
                    self._fill(running, waiting, sizes, setting, completed)
                    for future in self._ended(completed):
                        own = running.pop(future)
                        searched = self._result(future, own)
                        self.received += len(searched.results)
                        sizes.took(len(own), searched.seconds)
                        results = unpacked_results(searched.results)
                        ready |= results
                        for finished_chunk, result in results.items():
                            finished(finished_chunk, result)
                yield chunk, ready.pop(chunk)
        except (OSError, TimeoutError) as error:
            raise self._lost(error) from None
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                self._client.cancel([*running], force=True)

    def _fill(
        self,
        running: dict[Future, list[Chunk]],
        waiting: deque[Chunk],
        sizes: TaskSizes,
        setting: Setting,
        completed: _Completed,
    ) -> None:
        """Give every worker ranges to go on with."""
        workers = self.count
        while waiting and len(running) < _AHEAD * workers:
            size = sizes.next(len(waiting), workers)
            chunks = [waiting.popleft() for _ in range(size)]
            self.sent += len(pickle.dumps((chunks, setting)))
            # The setting goes with every range: as the result of a task workers would ask each other for it, and wait
            # half a minute for one that is gone.
            future = self._client.submit(search_range, chunks, setting, pure=False, retries=_RETRIES)
            running[future] = chunks
            completed.add(future)

    def _ended(self, completed: _Completed) -> list[Future]:
        """Wait for ranges to end, and say so where nobody is left to end one; those that failed come last."""
        alone, looked = False, time.monotonic()
        while not (futures := completed.next_batch(block=False)):
            time.sleep(_POLL)
            if not alone and time.monotonic() - looked >= _LOOK:
                looked, alone = time.monotonic(), not self._client.nthreads()
                if alone:
                    self._tell(f"{self.address}: no workers are left, waits for others; what is finished is kept")
        return sorted(futures, key=lambda future: future.status != "finished")

    def _result(self, future: Future, chunks: Sequence[Chunk]) -> Searched:
        """Return what a range has given.

        Raises
        ------
        ClusterError
            Nothing, and why.
        """
        from distributed import CancelledError, KilledWorker

        if future.status == "error":
            error = future.exception()
            where = self._chunks_text(chunks)
            if isinstance(error, KilledWorker):
                raise workers_lost(
                    f"{self.address}: {where} ended {error.allowed_failures + 1} workers one after another, the last "
                    f"at {error.last_worker.address}: most likely there was not enough memory "
                    "(dask worker --memory-limit)"
                )
            raise workers_lost(f"{self.address}: {where} failed: {type(error).__name__}: {error}")
        try:
            answer = future.result()
        except (CancelledError, OSError, TimeoutError) as error:
            raise self._lost(error) from None
        if isinstance(answer, Refusal):
            if answer.fault is not None:
                raise answer.fault
            raise ClusterError(
                f"{self.address}: {answer.versions}", allowed="the same dse, libraries and models everywhere"
            )
        assert isinstance(answer, Searched)
        return answer

    def _lost(self, error: BaseException) -> ClusterError:
        return workers_lost(f"the connection to the scheduler {self.address} was lost ({type(error).__name__})")

    def _chunks_text(self, chunks: Sequence[Chunk]) -> str:
        """Name a range: the alternative, and which pieces of it."""
        products = self._study.space.products
        ranges = []
        for index in dict.fromkeys(product for product, _ in chunks):
            pieces = [piece for product, piece in chunks if product == index]
            name = f" of '{products[index].name}'" if products[index].name else ""
            ranges.append(f"piece {pieces[0]}{f' to {pieces[-1]}' if len(pieces) > 1 else ''}{name}")
        return ", ".join(ranges)
