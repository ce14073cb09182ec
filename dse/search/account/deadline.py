"""A deadline: work that is worth doing only if it ends in time stops itself, and says what it would have taken."""

from __future__ import annotations

import time

__all__ = ["Deadline", "Late"]

_WAITING = 4.0  # seconds of the clock that count as one of the processor, where something waits


class Late(Exception):
    """The time is over, or will not do; `seconds` is what was expected of all of it, where that is known."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("not in time")
        self.seconds = seconds


class Deadline:
    """So many seconds of the processor from now: how busy the computer is changes nothing.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun, self._begun_to_wait = time.process_time(), time.perf_counter()

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        waited = time.perf_counter() - self._begun_to_wait
        return max(time.process_time() - self._begun, waited / _WAITING)

    def check(self, expected: float = 0.0) -> None:
        """Raise `Late` where the time is over, or where what comes next is expected to take more than is left."""
        passed = self.passed
        if passed + expected > self.seconds:
            raise Late(passed + expected if expected else None)
