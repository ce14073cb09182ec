"""What a search may use: processes, a cluster, a ledger and time; and who is told how it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dse.search.account.progress import Progress
from dse.search.account.stopping import Stop
from dse.search.schedule.ledger import Ledger
from dse.search.schedule.workers import Factory, Workers

__all__ = ["Resources"]


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What a search may use.

    Attributes
    ----------
    factory : Factory or None
        Makes the problem in other processes; without one there are none.
    workers : Workers or None
        Those of a cluster.
    ledger : Ledger or None
        Keeps what is finished.
    stop : Stop
        Tells when to stop before the end.
    progress : Progress
    kept : frozenset of int
        Products whose tables are kept when their search has ended.
    clock : callable
        Gives the seconds that pass, between one time that open boxes are stored and the next.
    """

    stop: Stop
    progress: Progress
    factory: Factory | None = None
    workers: Workers | None = None
    ledger: Ledger | None = None
    kept: frozenset[int] = frozenset()
    clock: Callable[[], float] = time.monotonic

    def processes(self, wanted: int, most: int | None = None) -> int:
        """Return how many processes run side by side, of so many that are wanted and can have something to do."""
        if self.factory is None:
            return 1
        return wanted if most is None else min(wanted, most)
