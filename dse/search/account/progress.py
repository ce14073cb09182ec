"""Progress: how many designs are decided, what a search is at, and who listens to it.

A design is decided once: when it is evaluated, excluded by a bound, or pruned with a row of a group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dse.search.account.certificate import Certificate
from dse.search.account.estimate import Estimate

__all__ = [
    "CHECKING",
    "CLOSING",
    "EVOLVING",
    "EXCLUDING",
    "HOW_SURE",
    "PRUNING",
    "SEARCHING",
    "TABLES",
    "WRITING",
    "Callbacks",
    "Progress",
    "SearchListener",
    "Silent",
]

TABLES = "making tables"
PRUNING = "pruning groups"
EXCLUDING = "excluding by bounds"
SEARCHING = "searching"
EVOLVING = "breeding generations"
CLOSING = "closing the frontier"
CHECKING = "checking"
WRITING = "writing"
HOW_SURE = "how sure"


class SearchListener(Protocol):
    """Whoever wants to know how a search goes on; it is called by the process that began the search."""

    @property
    def wants_estimate(self) -> bool:
        """Whether `estimated` is to be called: to know what a search will take costs part of a second."""

    def started(self, designs: int) -> None:
        """A space of so many designs is searched from now on."""

    def phase(self, name: str) -> None:
        """Another phase begins, such as making tables or searching."""

    def decided(self, designs: int) -> None:
        """So many designs are decided so far, in all."""

    def frontier_grew(self, designs: int) -> None:
        """The frontier found so far has another length; it may be shorter, as one design can beat many."""

    def estimated(self, estimate: Estimate) -> None:
        """All is planned, and this is what the search is expected to take."""

    def ended(self, certificate: Certificate) -> None:
        """The search has ended, or was stopped, with this certificate."""


class Silent:
    """A listener that does nothing, and what others are made from."""

    wants_estimate = False

    def started(self, designs: int) -> None:
        """Do nothing."""

    def phase(self, name: str) -> None:
        """Do nothing."""

    def decided(self, designs: int) -> None:
        """Do nothing."""

    def frontier_grew(self, designs: int) -> None:
        """Do nothing."""

    def estimated(self, estimate: Estimate) -> None:
        """Do nothing."""

    def ended(self, certificate: Certificate) -> None:
        """Do nothing."""


class Callbacks(Silent):
    """A listener made of functions.

    Parameters
    ----------
    progress : callable, optional
        Called with (designs decided, frontier designs found so far).
    phase : callable, optional
        Called with the name of each phase, as it begins.
    estimated : callable, optional
        Called with what the search is expected to take.
    """

    def __init__(
        self,
        progress: Callable[[int, int], None] | None = None,
        phase: Callable[[str], None] | None = None,
        estimated: Callable[[Estimate], None] | None = None,
    ) -> None:
        self._progress, self._phase, self._estimated = progress, phase, estimated
        self._frontier = 0
        self.wants_estimate = estimated is not None

    def phase(self, name: str) -> None:
        """Pass it on."""
        if self._phase is not None:
            self._phase(name)

    def decided(self, designs: int) -> None:
        """Pass it on, with the length of the frontier."""
        if self._progress is not None:
            self._progress(designs, self._frontier)

    def frontier_grew(self, designs: int) -> None:
        """Take note of it, for the next call."""
        self._frontier = designs

    def estimated(self, estimate: Estimate) -> None:
        """Pass it on."""
        if self._estimated is not None:
            self._estimated(estimate)


class Progress:
    """Adds up what the parts of a search have decided, and tells a listener.

    Parameters
    ----------
    listener : SearchListener, optional
    """

    def __init__(self, listener: SearchListener | None = None) -> None:
        self.listener: SearchListener = Silent() if listener is None else listener
        self._phase = ""
        self._frontier = self._of_all = self._of_chunk = 0
        self.done = 0

    def decided(self, designs: int) -> None:
        """Take note of designs that were evaluated, excluded or pruned."""
        self.done += designs
        frontier = max(self._of_all, self._of_chunk)
        if frontier != self._frontier:
            self._frontier = frontier
            self.listener.frontier_grew(frontier)
        self.listener.decided(self.done)

    def chunk_frontier(self, designs: int) -> None:
        """Take note of the frontier of the chunk that is searched, which may be the whole space."""
        self._of_chunk = designs
        self.decided(0)

    def joined_frontier(self, designs: int) -> None:
        """Take note of the frontier of all chunks that are done."""
        self._of_all = designs

    def phase(self, name: str) -> None:
        """Begin a phase."""
        if name != self._phase:
            self._phase = name
            self.listener.phase(name)
