"""What ends a search before it is done, all of it: a budget, Ctrl-C, SIGTERM, and workers that are lost.

    budget               between two rounds: `Stop.reason`
    Ctrl-C, SIGTERM      the first one, while the search listens: at the end of the round (`signals_ask`, `Stop.heard`)
                         while tables are made: with what was found before, if anything was (`Stop.preparing`)
                         otherwise, and the second one: at once, by a KeyboardInterrupt that nobody here catches
    workers that end     a fault (of a cluster `workers_lost`), unless the search was asked to stop: then they were
                         asked as well (`Stop.bearing_losses`), and while they start they are not (`without_interrupts`)

What a search that was stopped has is in the ledger, so that the same call goes on.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dse.errors import ClusterError, InputError
from dse.units import parse_quantity

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["BUDGET", "INTERRUPT", "KEY", "UNLIMITED", "Cut", "Stop", "parse_budget"]
__all__ += ["signals_ask", "without_interrupts", "workers_lost"]

BUDGET, INTERRUPT = "budget", "interrupt"
KEY = "search.budget"
UNLIMITED = "none"
"""The budget of a search that goes on to its end whatever the study asks for."""

_EXAMPLE = '"60 s", "10 min"; "none" for a search without one'


class Cut:
    """Whether something was cut short, and the search is to end with what it has."""

    short = False


class Stop:
    """Tells a search, between two of its rounds, whether it is to stop.

    Parameters
    ----------
    budget : float, optional
        Seconds from now.
    clock : callable, optional
        Gives the seconds that pass.

    Attributes
    ----------
    interrupted : bool
        Set by whoever asks the search to stop.
    listening : bool
        Whether the search will look at `interrupted` soon: else nothing but an exception stops it.
    interruptible : bool
        Whether a KeyboardInterrupt while nothing listens is to end the search with what it has, if it has anything.
    """

    def __init__(self, budget: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end: float | None = None
        self.interrupted = self.listening = self.interruptible = False
        self.within(budget)

    def within(self, budget: float | None) -> None:
        """Stop when so many seconds have passed from now."""
        self._end = None if budget is None else self._clock() + budget

    @property
    def reason(self) -> str | None:
        """Why to stop; nothing where it is to go on."""
        if self.interrupted:
            return INTERRUPT
        return BUDGET if self._end is not None and self._clock() >= self._end else None

    @property
    def remaining(self) -> float:
        """The seconds that remain."""
        return float("inf") if self._end is None else self._end - self._clock()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While this lasts, `interrupted` is looked at soon."""
        before, self.listening = self.listening, True
        try:
            yield
        finally:
            self.listening = before

    @contextmanager
    def preparing(self, has_any: Callable[[], bool]) -> Iterator[Cut]:
        """While tables are made an interrupt ends the search with what it has, where it `has_any` design by then."""
        cut = Cut()
        try:
            yield cut
        except KeyboardInterrupt:
            if not self.interruptible or not has_any():
                raise
            self.interrupted = cut.short = True

    @contextmanager
    def bearing_losses(self, *, elsewhere: bool = True) -> Iterator[Cut]:
        """While pieces run `elsewhere`: whoever asked this process to stop may have asked its workers too.

        They are gone then, and what they say of it is no fault.
        """
        cut = Cut()
        try:
            yield cut
        except Exception:
            if self.reason != INTERRUPT or not elsewhere:
                raise
            cut.short = True


def workers_lost(problem: str) -> ClusterError:
    """Return what ends a search whose workers are lost: what is finished is kept."""
    error = ClusterError(problem)
    error.interrupted = True
    return error


@contextmanager
def signals_ask(stop: Stop, asked: Callable[[signal.Signals, bool], None]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM ask a search to stop where it listens; else, and the second time, as before.

    Parameters
    ----------
    stop : Stop
    asked : callable
        Called with each signal, and whether the search ends its round because of it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    again = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal again
        ends_round, again = stop.listening and not again, True
        stop.interrupted = stop.interrupted or ends_round
        asked(signal.Signals(number), ends_round)
        if ends_round:
            return
        old = before[signal.Signals(number)]
        if callable(old):
            old(number, frame)

    taken = [number for number, old in before.items() if callable(old)]
    for number in taken:
        signal.signal(number, ask)
    stop.interruptible = True
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers start: they inherit that, so that the parent alone answers it later.

    A handler of SIGTERM, which they do not inherit, is called when they have started.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    ending = signal.getsignal(signal.SIGTERM)
    asked: list[int] = []
    if callable(ending):
        signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if callable(ending):
            signal.signal(signal.SIGTERM, ending)
            if asked:
                signal.raise_signal(signal.SIGTERM)


def parse_budget(given: object) -> float | None:
    """Return a budget in seconds.

    Parameters
    ----------
    given : str, int, float or None
        A time with its unit, or "none"; a number is one of seconds.

    Raises
    ------
    InputError
        No time, or none that is above 0.

    Examples
    --------
    >>> parse_budget("2 min")
    120.0
    """
    if given is None or given == UNLIMITED:
        return None
    if isinstance(given, bool) or not isinstance(given, (str, int, float)):
        raise InputError(f"{given!r} is no time", key=KEY, allowed=_EXAMPLE)
    try:
        seconds = parse_quantity(given, "s") if isinstance(given, str) else float(given)
    except InputError as error:
        raise InputError(error.problem, key=KEY, allowed=_EXAMPLE) from None
    if not 0 < seconds < float("inf"):
        raise InputError(f"'{given}' is no time that a search can take", key=KEY, allowed=_EXAMPLE)
    return float(seconds)
