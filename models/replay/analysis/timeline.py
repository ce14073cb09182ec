"""What each rank does over time, as pieces that are drawn: computing, calls, waiting, idle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dse.models.replay.analysis.analysis import Analysis
from dse.models.replay.trace.kinds import COMPUTE

__all__ = ["ACTIVITIES", "MOST_PIECES", "MOST_RANKS", "Pieces", "pieces_of"]

ACTIVITIES = ("computing", "calls and network", "waiting", "idle")
MOST_RANKS = 64
MOST_PIECES = 40_000
"""Most pieces of a picture; of a longer run the first part is drawn."""


class Pieces(NamedTuple):
    """Pieces of time, each of one rank.

    Attributes
    ----------
    rank, activity : ndarray of int
        `activity` is an index into `ACTIVITIES`.
    begin, end : ndarray
        Seconds.
    until : float
        Where the picture ends [s]: before the end of the run where there are too many pieces.
    """

    rank: np.ndarray
    activity: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    until: float


def pieces_of(analysis: Analysis, ranks: int = MOST_RANKS) -> Pieces:
    """Return the pieces of the first ranks of a run: of each event what it waits, then the rest."""
    trace = analysis.trace
    shown = int(trace.first[min(ranks, trace.ranks)])
    enter = analysis.entered()[:shown]
    leave = analysis.modes[analysis.times].completion
    assert leave is not None
    whole = float(leave.max())
    last = leave[trace.first[1 : min(ranks, trace.ranks) + 1] - 1]
    leave, waits = leave[:shown], analysis.waits.events[:shown]
    computing = trace.kind[:shown] == COMPUTE
    middle = np.where(computing, enter, np.minimum(enter + waits, leave))
    rank = trace.rank[:shown]
    columns = (
        np.concatenate([rank, rank, np.arange(len(last))]),
        np.concatenate([np.full(shown, 2), np.where(computing, 0, 1), np.full(len(last), 3)]),
        np.concatenate([enter, middle, last]),
        np.concatenate([middle, leave, np.full(len(last), whole)]),
    )
    lasts = columns[3] > columns[2]
    of_rank, activity, begin, end = (column[lasts] for column in columns)
    until = whole
    if len(begin) > MOST_PIECES:
        until = float(np.partition(begin, MOST_PIECES)[MOST_PIECES])
        early = begin < until
        of_rank, activity, begin, end = of_rank[early], activity[early], begin[early], np.minimum(end[early], until)
    return Pieces(of_rank, activity, begin, end, until)
