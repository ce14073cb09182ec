"""The worker processes of a server: begun before they are needed, asked for jobs, ended with everything they began."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path

from dse.live.asked import Event, Job

__all__ = ["TooSlowError", "Worker", "Workers"]

_LONGEST_LINE = 1 << 28  # characters of an answer; a page has some millions
_AT_ONCE = 3  # short jobs, however many clients ask
_IDLE = 2  # workers that are kept for the next job
_LOG = 20  # lines of the error stream that are kept
_PIPES = 5.0  # seconds: a process that a killed worker had begun elsewhere may hold its pipes for longer


class TooSlowError(Exception):
    """A short job took too long, and its worker was ended."""


class Worker:
    """One process that does jobs, in a session of its own: no signal of a terminal reaches it but through here."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.log: deque[str] = deque(maxlen=_LOG)
        self.interrupted = False
        self._listening = asyncio.create_task(self._listen())
        self.ready = asyncio.create_task(self._event())

    @classmethod
    async def begin(cls, folder: Path, memory: int) -> Worker:
        """Begin a process in a folder, with so many bytes of memory (0: all)."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "dse.live.worker_process",
            str(memory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            cwd=folder,
            env={"ARROW_DEFAULT_MEMORY_POOL": "system", **os.environ},
            start_new_session=True,
        )
        return cls(process)

    async def _listen(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        with contextlib.suppress(ValueError):  # a line without an end
            while line := await stream.readline():
                self.log.append(line.decode("utf-8", "replace").rstrip())

    async def _event(self) -> Event | None:
        stream = self._process.stdout
        assert stream is not None
        line = await stream.readline()
        if not line:
            return None
        event: Event = json.loads(line)
        return event

    async def events(self, job: Job) -> AsyncIterator[Event]:
        """Ask for a job, and yield what is said of it; the last event is "done", "refused" or "failed"."""
        await asyncio.shield(self.ready)
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(ConnectionError):
            stream.write(job.model_dump_json().encode() + b"\n")
            await stream.drain()
        while True:
            event = await self._event()
            if event is None:
                await self._waited()
                yield {"event": "failed", "error": {"message": self._died()}}
                return
            yield event
            if event["event"] in ("done", "refused", "failed"):
                return

    def _died(self) -> str:
        """Say why a process that gave no answer has ended."""
        code = self._process.returncode
        killed = code is not None and code < 0
        how = f"by {signal.Signals(-code).name}" if killed and code is not None else f"with exit code {code}"
        last = f": {self.log[-1]}" if self.log and not killed else ""
        return f"the process that did it ended {how}{last}; what a search has finished is kept"

    @property
    def alive(self) -> bool:
        """Whether it goes on."""
        return self._process.returncode is None

    def interrupt(self) -> None:
        """Ask its search to stop, as Ctrl-C asks ``dse run``; it does no other job, as it may say so after the end."""
        self.interrupted = True
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it at once, and every process that it began."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _waited(self) -> None:
        """Wait for the process, and for its pipes as long as it is worth it: Python waits for both."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PIPES):
                await self._process.wait()

    async def ended(self) -> None:
        """Wait until it has ended."""
        await self._waited()
        self._listening.cancel()
        self.ready.cancel()


class Workers:
    """Worker processes of a server.

    Parameters
    ----------
    folder : Path
        In which they work.
    memory : int
        Bytes each of them may use for data; 0: all.
    """

    def __init__(self, folder: Path, memory: int = 0) -> None:
        self._folder, self._memory = folder, memory
        self._idle: list[Worker] = []
        self._every: set[Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def begin(self) -> None:
        """Have a worker ready."""
        self._idle.append(await self._new())

    async def _new(self) -> Worker:
        worker = await Worker.begin(self._folder, self._memory)
        self._every.add(worker)
        return worker

    async def take(self) -> Worker:
        """Return a worker that does nothing, and let another one begin where it was the last."""
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._every.discard(worker)
        return await self._new()

    def give_back(self, worker: Worker) -> None:
        """Keep a worker for the next job, or end it where enough are kept."""
        if worker.alive and not worker.interrupted and len(self._idle) < _IDLE:
            self._idle.append(worker)
        else:
            self.end(worker)

    def end(self, worker: Worker) -> None:
        """End a worker, and give back its memory."""
        worker.kill()
        self._every.discard(worker)
        ending = asyncio.create_task(worker.ended())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def release(self, worker: Worker, *, again: bool) -> None:
        """Keep a worker that may be asked again, or end it; there is one for the next job either way."""
        if again:
            self.give_back(worker)
        else:
            self.end(worker)
            if not self._idle:
                await self.begin()

    async def answer(self, job: Job, seconds: float) -> Event:
        """Do a short job: its last event, after so many seconds at most."""
        async with self._turns:
            worker = await self.take()
            last: Event = {}
            try:
                async with asyncio.timeout(seconds):
                    async for event in worker.events(job):
                        last = event
            except TimeoutError:
                self.end(worker)
                raise TooSlowError(f"took longer than {seconds:.0f} s") from None
            except BaseException:  # nobody waits for it any more, and what it says next is none of the next job's
                self.end(worker)
                raise
            self.give_back(worker)
            return last

    async def close(self) -> None:
        """End all of them."""
        every = [*self._every]
        for worker in every:
            worker.kill()
        await asyncio.gather(*(worker.ended() for worker in every), *self._ending, return_exceptions=True)
