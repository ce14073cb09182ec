"""Progress: how many designs are decided, and what a search is at.

A design is decided once: when it is evaluated, excluded by a bound, or pruned with a row of a group.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CHECKING", "CLOSING", "EVOLVING", "EXCLUDING", "PRUNING", "SEARCHING", "TABLES", "WRITING", "Progress"]

TABLES = "making tables"
PRUNING = "pruning groups"
EXCLUDING = "excluding by bounds"
SEARCHING = "searching"
EVOLVING = "breeding generations"
CLOSING = "closing the frontier"
CHECKING = "checking"
WRITING = "writing"


class Progress:
    """Tells others how a search goes on.

    Parameters
    ----------
    told : callable, optional
        Called with (designs decided, frontier designs found so far).
    named : callable, optional
        Called with the name of each phase, as it begins.
    """

    def __init__(
        self, told: Callable[[int, int], None] | None = None, named: Callable[[str], None] | None = None
    ) -> None:
        self._told, self._named = told, named
        self._now = ""
        self.done = self._of_all = self._of_chunk = 0

    def decided(self, designs: int) -> None:
        """Take note of designs that were evaluated, excluded or pruned."""
        self.done += designs
        if self._told is not None:
            self._told(self.done, max(self._of_all, self._of_chunk))

    def found(self, designs: int) -> None:
        """Take note of the frontier of the chunk that is searched, which may be the whole space."""
        self._of_chunk = designs
        self.decided(0)

    def joined(self, designs: int) -> None:
        """Take note of the frontier of all chunks that are done."""
        self._of_all = designs

    def phase(self, name: str) -> None:
        """Begin a phase."""
        if name != self._now:
            self._now = name
            if self._named is not None:
                self._named(name)
