"""Pages that were made, kept while the runs they are of stay as they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from pathlib import Path

from dse.live.run_state import state_of

__all__ = ["PageCache"]

_MOST = 60_000_000  # characters in all


class PageCache:
    """Pages by the runs they show; those that were asked for longest ago go first."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, str] = OrderedDict()

    def key(self, root: Path, runs: Sequence[str]) -> Hashable:
        """Return what a page is known by: its runs, and the state of their folders."""
        return tuple((run, state_of(root / run) if run else ()) for run in runs)

    def get(self, key: Hashable) -> str | None:
        """Return a page that was kept."""
        if key in self._pages:
            self._pages.move_to_end(key)
        return self._pages.get(key)

    def keep(self, key: Hashable, page: str) -> None:
        """Keep a page, and forget others where there are too many."""
        self._pages[key] = page
        while len(self._pages) > 1 and sum(map(len, self._pages.values())) > _MOST:
            self._pages.popitem(last=False)
