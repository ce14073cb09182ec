"""What a search is expected to take, and how that is said."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypedDict

from dse.units import format_number

__all__ = ["HOPELESS", "LONG", "Estimate", "time_text"]

LONG = 300.0  # seconds
YEAR = 365.25 * 86_400.0
HOPELESS = 30 * 86_400.0
_UNITS = (("years", YEAR), ("days", 86_400.0), ("hours", 3_600.0), ("min", 60.0), ("s", 1.0))


class EstimateRecord(TypedDict):
    """An `Estimate` as plain values."""

    seconds: float
    memory_bytes: float | None
    at_most: bool
    hopeless: bool
    measured_designs: int
    processes: int


@dataclass(frozen=True)
class Estimate:
    """What a search is expected to take.

    Attributes
    ----------
    seconds : float
        Of all processes together side by side; on this computer, as busy as it is now.
    memory : float or None
        Bytes that all processes hold, without the frontier; None where the system does not say.
    at_most : bool
        Whether more than the sample knows of may be excluded or pruned, so that it takes less.
    measured : int
        Designs that were evaluated for it.
    processes : int
    planned : float
        Seconds of them for tables and the like, which every process takes anew.
    fallbacks : tuple of str
        Why alternatives that were planned are not searched as the method would have it.
    chunks : int, optional
        What processes can share; None where nobody counted.
    whole : float, optional
        Seconds of looking at every design, for a search that looks at some.
    """

    seconds: float
    memory: float | None
    at_most: bool
    measured: int
    processes: int
    planned: float = 0.0
    fallbacks: tuple[str, ...] = ()
    chunks: int | None = None
    whole: float | None = None

    @property
    def long(self) -> bool:
        """Whether it takes more than some minutes."""
        return self.seconds >= LONG

    @property
    def hopeless(self) -> bool:
        """Whether it takes more than a month."""
        return self.seconds >= HOPELESS

    def shared_by(self, count: int) -> int:
        """Return how many of some processes have something to do."""
        return count if self.chunks is None else max(1, min(count, self.chunks))

    def with_workers(self, count: int) -> float:
        """Return the seconds it would take with so many processes: tables are made here, and again by all of them."""
        work, sharing = (self.seconds - self.planned) * self.processes, self.shared_by(count)
        return self.planned * (2 if sharing > 1 else 1) + work / sharing

    @property
    def time_text(self) -> str:
        """Seconds, minutes, hours, days or years, to two digits."""
        return time_text(self.seconds)

    @property
    def as_text(self) -> str:
        """Time and memory in a few words."""
        memory = f", {_two_digits(self.memory / 2**20)} MiB" if self.memory is not None else ""
        less = "; bounds or groups may exclude part of it" if self.at_most else ""
        return f"{'at most' if self.at_most else 'about'} {self.time_text}{memory}{less}"

    @property
    def advice(self) -> str:
        """What makes it shorter; nothing where it is not long."""
        if not self.long:
            return ""
        smaller = "a further constraint, fewer values of an axis or a larger step"
        if self.hopeless:
            likely = "hopeless unless groups of axes can be pruned" if self.at_most else "hopeless"
            return f"{likely}: make the space smaller by {smaller}; --method evolve finds good designs without a bound"
        processors = os.cpu_count() or 1
        more = self.processes == 1 < processors and self.shared_by(processors) > 1
        return f"shorter by {smaller}" + (f"; --jobs {processors} takes every processor" if more else "")

    def as_dict(self) -> EstimateRecord:
        """Return it as plain values for JSON."""
        return {
            "seconds": self.seconds,
            "memory_bytes": self.memory,
            "at_most": self.at_most,
            "hopeless": self.hopeless,
            "measured_designs": self.measured,
            "processes": self.processes,
        }


def time_text(seconds: float) -> str:
    """Return seconds, minutes, hours, days or years, to two digits."""
    unit, scale = next((pair for pair in _UNITS if seconds >= 1.5 * pair[1]), _UNITS[-1])
    return f"{_two_digits(max(seconds, 0.1) / scale)} {unit}"


def _two_digits(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:g}" if rounded < 1000 else format_number(rounded)
