"""Clocks of ranks that disagree: times moved forward, no further than that a message arrives after it was sent.

The controlled logical clock (Rabenseifner 1997; Becker et al. 2009), with intervals between events kept whole: a
receive that ended before its send began is moved behind it, and what follows on its rank by as much.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.event_columns import GROUP_TAG
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import IRECV, OPERATIONS
from dse.units import with_unit

__all__ = ["MOST_ROUNDS", "with_causal_clocks"]

MOST_ROUNDS = 1000
"""Most times that moves are handed on from rank to rank."""

_ALL_WAIT = ("barrier", "allreduce", "allgather", "alltoall", "reduce_scatter")


def with_causal_clocks(trace: Trace, tick: float = 0.0) -> Trace:
    """Return a trace in which no receive ends before its send begins.

    Parameters
    ----------
    trace : Trace
        With measured times; another is returned as it is.
    tick : float
        Of the clock [s]: what is wrong by two of them was rounded.

    Returns
    -------
    Trace
        The same trace where all holds already; else with moved `enter` and `exit`, and a warning that says how many
        messages were wrong and by how much at most. `seconds` of computes stay as they were measured.

    Raises
    ------
    InputError
        Clocks that no move makes right: a circle of messages, each received before it was sent.
    """
    if not trace.is_measured or trace.one_sided.size:
        return trace
    sends = trace.sends
    sends = sends[trace.tag[sends] & GROUP_TAG == 0]  # when messages of a group's operation pass, nobody measured
    ended = trace.partner[sends]
    made, closed = trace.requests
    receives = trace.kind[made] == IRECV
    completion = np.arange(trace.events)
    completion[made[receives]] = closed[receives]
    ended = completion[ended]
    members = trace.collectives.members
    together = np.isin(trace.collectives.operation, [OPERATIONS.index(name) for name in _ALL_WAIT])
    groups = members[together]
    late = trace.enter[sends] - trace.exit[ended]
    wrong = int((late > 0.0).sum())
    early = (trace.enter[groups].max(axis=1, initial=-np.inf)[:, None] - trace.exit[groups]) if len(groups) else None
    most = max(float(late.max(initial=0.0)), float(early.max(initial=0.0)) if early is not None else 0.0)
    if most <= 2.0 * tick:
        return trace
    moves = _moves(trace, sends, ended, groups)
    enter, leave = trace.enter + moves[0::2], trace.exit + moves[1::2]
    text = (
        f"the clocks of the ranks disagree: {wrong:,} of {len(sends):,} messages end before they begin, by up to "
        f"{with_unit(most, 's')}; times moved forward by up to {with_unit(float(moves.max()), 's')}, as far as "
        "messages and collective operations need it (controlled logical clock)"
    )
    return replace(trace, enter=enter, exit=leave, warnings=(*trace.warnings, text), graphs={})


def _moves(trace: Trace, source: np.ndarray, ended: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return by how much each enter (even places) and exit (odd places) is moved [s]."""
    times = np.empty(2 * trace.events)
    times[0::2], times[1::2] = trace.enter, trace.exit
    rank = np.repeat(trace.rank, 2)
    move = np.zeros(len(times))
    for _ in range(MOST_ROUNDS):
        needed = move.copy()
        begun = times[2 * source] + move[2 * source]
        np.maximum.at(needed, 2 * ended + 1, begun - times[2 * ended + 1])
        if len(groups):
            latest = (times[2 * groups] + move[2 * groups]).max(axis=1)
            np.maximum.at(needed, 2 * groups + 1, latest[:, None] - times[2 * groups + 1])
        handed = _running_maximum(needed, rank)
        if float((handed - move).max(initial=0.0)) <= 1e-12 * max(float(np.abs(times).max(initial=0.0)), 1e-3):
            return handed
        move = handed
    raise InputError(
        "the clocks of the ranks disagree so that no move of times puts every receive after its send",
        allowed="times of one clock, or of clocks that were compared",
    )


def _running_maximum(values: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return the largest value so far of each rank, whose values stand together."""
    result = np.empty_like(values)
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(rank)) + 1, [len(rank)]])
    for first, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        np.maximum.accumulate(values[first:end], out=result[first:end])
    return result
