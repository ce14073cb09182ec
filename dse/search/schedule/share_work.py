"""Shares of a search in rounds as a worker makes them, in this process or in another one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from dse.search.plan.worker import Worker
from dse.search.proof.evidence import KEPT
from dse.search.schedule.share import Share, ShareState

__all__ = ["done_for", "made_share", "restored_share"]

_ENTRIES = 65_536  # of the filter of each share: it is made anew after every round


def made_share(
    worker: Worker,
    stage: Sequence[int],
    count: int,
    start: tuple[np.ndarray, np.ndarray] | None,
    tick: Callable[[int], None] | None = None,
) -> Share:
    """Return one of `count` shares of some products, with nothing open; it starts from the seeds by default."""
    searches = {index: worker.search(index) for index in stage}
    largest = max(searches.values(), key=lambda search: search.designs)
    entries = _ENTRIES if worker.strategy.tolerance is not None else None
    archive = largest.new_archive(worker.seeds if start is None else start, entries, quiet=True)
    return Share(searches, archive, tick, evidence=-(-KEPT // count))


def restored_share(
    worker: Worker,
    stage: Sequence[int],
    count: int,
    state: ShareState,
    tick: Callable[[int], None] | None = None,
) -> Share:
    """Return one of `count` shares as it was."""
    share = made_share(worker, stage, count, (state.points, state.numbers), tick)
    share.restore(state)
    return share


def done_for(
    worker: Worker, stage: Sequence[int], states: Sequence[ShareState], count: int, seconds: float
) -> list[ShareState]:
    """Do rounds of some of `count` shares for some time, one of them at least."""
    end = time.monotonic() + seconds
    shares = [restored_share(worker, stage, count, state) for state in states]
    for share in shares:
        share.hurried = (lambda: time.monotonic() >= end) if worker.strategy.tolerance is None else None
    waiting = [share for share in shares if not share.ended]
    while waiting:
        share = waiting.pop(0)
        share.round()
        if not share.ended:
            waiting.append(share)
        if time.monotonic() >= end:
            break
    return [share.state(bounds=True) for share in shares]
