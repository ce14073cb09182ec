"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, workers end, the exit code tells which it was.

A search is asked to stop by the first signal, and ends its round; the second one ends the command at once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dse.search.account.stopping import signals_ask

if TYPE_CHECKING:
    from dse.search.account.stopping import Stop

__all__ = [
    "INTERRUPTED",
    "TERMINATED",
    "Asked",
    "NothingKept",
    "Stops",
    "asks_to_stop",
    "nothing_is_kept",
    "terminated_like_interrupted",
]

INTERRUPTED, TERMINATED = 130, 143


class Stops:
    """What has asked a command to stop."""

    terminated = False

    @property
    def code(self) -> int:
        """The exit code."""
        return TERMINATED if self.terminated else INTERRUPTED


class NothingKept(BaseException):
    """Interrupted, and what was interrupted cannot be gone on with.

    It is no KeyboardInterrupt, of which typer passes on no more than an exit code.
    """


@contextmanager
def nothing_is_kept(applies: bool) -> Iterator[None]:
    """Where it applies, raise `NothingKept` for an interrupt."""
    try:
        yield
    except KeyboardInterrupt:
        if applies:
            raise NothingKept from None
        raise


@contextmanager
def terminated_like_interrupted() -> Iterator[Stops]:
    """Raise KeyboardInterrupt at SIGTERM too, unless whoever started the command has it ignored or handled."""
    stops = Stops()
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


class Asked:
    """Whether a signal has asked a search to stop, and the exit code that follows."""

    code: int | None = None


@contextmanager
def asks_to_stop(stop: Stop) -> Iterator[Asked]:
    """Let the first Ctrl-C or SIGTERM ask a search to stop where it listens; else, and the second time, as before."""
    asked = Asked()
    codes = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}

    def ask(number: signal.Signals, ends_round: bool) -> None:
        asked.code = codes[number]
        if ends_round:
            sys.stderr.write("\nstopping at the end of this round; once more ends at once\n")
            sys.stderr.flush()

    with signals_ask(stop, ask):
        yield asked
