"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, workers end, the exit code tells which it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["INTERRUPTED", "TERMINATED", "Stops", "nothing_is_kept", "terminated_like_interrupted"]

INTERRUPTED, TERMINATED = 130, 143


class Stops:
    """What has asked a command to stop."""

    terminated = False

    @property
    def nothing_kept(self) -> bool:
        """Whether what was stopped cannot be gone on with."""
        return bool(_NOTHING_KEPT)

    @property
    def code(self) -> int:
        """The exit code."""
        return TERMINATED if self.terminated else INTERRUPTED


_NOTHING_KEPT: list[bool] = []  # typer passes no more than an exit code on from a command that is interrupted


@contextmanager
def nothing_is_kept(applies: bool) -> Iterator[None]:
    """Let it be known, should this be interrupted, whether nothing of it is kept."""
    _NOTHING_KEPT[:] = [True] * applies
    yield
    _NOTHING_KEPT.clear()


@contextmanager
def terminated_like_interrupted() -> Iterator[Stops]:
    """Raise KeyboardInterrupt at SIGTERM too, unless whoever started the command has it ignored or handled."""
    stops = Stops()
    _NOTHING_KEPT.clear()
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield stops
        return

    def stop(*_: object) -> None:
        again, stops.terminated = stops.terminated, True
        if not again:  # the second must not break into what the first has begun to tidy up
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        yield stops
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
