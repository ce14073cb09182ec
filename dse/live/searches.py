"""Searches of a server: each in a process of its own, watched by any number of listeners, stopped by who began it."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import JsonValue

from dse.errors import InputError
from dse.live.asked import AskSearch, Event
from dse.live.workers import Worker, Workers
from dse.run.disk.folder import MANIFEST

__all__ = ["Search", "Searches"]

_MOST = 4  # that go on at once
_KEPT = 100  # that have ended, whose state is still told
_GRACE = 3.0  # seconds that a search has to stop where nobody wants its answer, or it was asked twice
_HEARTBEAT = 10.0
_LIGHT = 1_000_000_000  # bytes of memory up to which a process is asked again


class Search:
    """A search that goes on, or has ended.

    Attributes
    ----------
    number : str
        What it is called by in addresses.
    state : dict
        What listeners are told: ``status`` is "begins", "searches", "stops", "done", "stopped", "refused" or "failed".
    tabs : set of str
        The tabs of a browser that want its answer.
    """

    def __init__(self, job: AskSearch, tab: str) -> None:
        self.number, self.job, self.tabs = secrets.token_urlsafe(9), job, {tab}
        self.state: Event = {"search": self.number, "study": job.study, "status": "begins", "since": time.time()}
        self.changes = 0
        self._changed = asyncio.Event()
        self.worker: Worker | None = None
        self.wanted = True

    @property
    def ended(self) -> bool:
        """Whether nothing more will be told."""
        return self.state["status"] in ("done", "stopped", "refused", "failed")

    def tell(self, **news: JsonValue) -> None:
        """Change the state, and wake the listeners."""
        self.state |= news
        self.changes += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def listen(self) -> AsyncIterator[str]:
        """Yield the state as server-sent events, when it has changed: who is slow misses steps, never the end."""
        seen = -1
        while True:
            if self.changes != seen:
                seen, ended = self.changes, self.ended
                yield f"data: {json.dumps(self.state)}\n\n"
                if ended:
                    return
                continue  # it may have changed while that was read
            try:
                async with asyncio.timeout(_HEARTBEAT):
                    await self._changed.wait()
            except TimeoutError:
                yield ": still here\n\n"

    def stop(self) -> None:
        """Ask it to stop with what it has found; the second time: at once, by force if it takes too long."""
        if self.ended:
            return
        again = self.state["status"] == "stops"
        if not again:
            self.tell(status="stops")
        if self.worker is not None:
            self.worker.interrupt()
            if again:
                asyncio.get_running_loop().call_later(_GRACE, self.end)

    def end(self) -> None:
        """End it at once, if it goes on: what it has finished is in its ledger."""
        if self.worker is not None:
            self.worker.kill()


class Searches:
    """The searches of a server.

    Parameters
    ----------
    workers : Workers
    root : Path
        The folder that the workers work in.
    """

    def __init__(self, workers: Workers, root: Path) -> None:
        self._workers, self._root = workers, root
        self._every: dict[str, Search] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._beginning = asyncio.Lock()

    def __getitem__(self, number: str) -> Search:
        return self._every[number]

    @property
    def going_on(self) -> list[Search]:
        """Those that have not ended."""
        return [search for search in self._every.values() if not search.ended]

    def begin(self, job: AskSearch, tab: str) -> Search:
        """Begin a search for a tab, and stop the one that it waited for; the same search is joined, not begun twice.

        Raises
        ------
        InputError
            Too many go on.
        """
        for other in self.going_on:
            if tab in other.tabs and other.job != job:
                self._leave(other, tab)
        for other in self.going_on:
            if other.job == job and other.state["status"] != "stops":
                other.tabs.add(tab)
                return other
        wanted = [search for search in self.going_on if search.wanted]
        if len(wanted) >= _MOST:
            raise InputError(f"{len(wanted)} searches go on", allowed=f"at most {_MOST}: stop one, or wait for it")
        search = Search(job, tab)
        self._every[search.number] = search
        for old in [own for own in self._every.values() if own.ended][:-_KEPT]:
            del self._every[old.number]
        task = asyncio.create_task(self._carry_out(search))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return search

    def _leave(self, search: Search, tab: str) -> None:
        """Stop a search that no tab waits for any more: by a signal, then by force."""
        search.tabs.discard(tab)
        if search.tabs or not search.wanted:
            return
        search.wanted = False
        search.stop()
        asyncio.get_running_loop().call_later(_GRACE, search.end)

    async def _carry_out(self, search: Search) -> None:
        try:
            await self._done(search)
        except OSError as error:
            search.tell(status="failed", error={"message": f"no process can be begun: {error.strerror}"})

    async def _done(self, search: Search) -> None:
        async with self._beginning:  # of twenty changes in a row only those that are still wanted get a process
            worker = await self._workers.take() if search.state["status"] == "begins" else None
            if worker is not None:
                await asyncio.shield(worker.ready)
        if worker is None or search.state["status"] != "begins":
            if worker is not None:
                self._workers.give_back(worker)
            search.tell(status="stopped", error={"message": "stopped before it began"})
            return
        light = False
        try:
            search.worker = worker
            search.tell(status="searches")
            async for event in worker.events(search.job):
                self._take(search, event)
                peak = event.get("peak")
                light = isinstance(peak, int) and peak < _LIGHT
        finally:
            search.worker = None
            if not search.ended:
                search.tell(status="failed", error={"message": "the server ends"})
            self._tidy(search)
            await self._workers.release(worker, again=light and search.state["status"] in ("done", "refused"))

    def _take(self, search: Search, event: Event) -> None:
        kind, stopping = event["event"], search.state["status"] == "stops"
        if kind in ("begun", "progress"):
            search.tell(**{name: value for name, value in event.items() if name != "event"})
        elif kind == "done":
            result = event["result"]
            stopped = isinstance(result, dict) and bool(result.get("stopped"))
            search.tell(status="stopped" if stopped else "done", run=result)
        elif stopping:
            search.tell(status="stopped", error=event["error"])
        else:
            search.tell(status=str(kind), error=event["error"])

    def _tidy(self, search: Search) -> None:
        """Remove the folder of a search that nobody waited for and that found nothing, if it was new."""
        folder = self._root / str(search.state.get("folder", ""))
        unwanted = not search.wanted and search.state.get("new") is True
        if unwanted and folder.is_dir() and not (folder / MANIFEST).is_file():
            shutil.rmtree(folder, ignore_errors=True)

    async def close(self) -> None:
        """Let what goes on stop with what it has; what does not is in its ledger."""
        for search in self.going_on:
            search.stop()
        if self._tasks:
            await asyncio.wait([*self._tasks], timeout=_GRACE)
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
