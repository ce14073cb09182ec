"""What ends a search before it is done: a budget of time, or somebody who asks it to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dse.errors import InputError
from dse.units import parse_quantity

__all__ = ["BUDGET", "INTERRUPT", "KEY", "UNLIMITED", "Stop", "parse_budget"]

BUDGET, INTERRUPT = "budget", "interrupt"
KEY = "search.budget"
UNLIMITED = "none"
"""The budget of a search that goes on to its end whatever the study asks for."""

_EXAMPLE = '"60 s", "10 min"; "none" for a search without one'


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
    def left(self) -> float:
        """The seconds that are left."""
        return float("inf") if self._end is None else self._end - self._clock()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While this lasts, `interrupted` is looked at soon."""
        before, self.listening = self.listening, True
        try:
            yield
        finally:
            self.listening = before


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
