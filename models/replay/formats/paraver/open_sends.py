"""Which call completes a send that does not block: Paraver has no record of it, so by its number or by a rule."""

from __future__ import annotations

import numpy as np

__all__ = ["completed_by_number", "completed_by_rule"]


def completed_by_number(
    sends: np.ndarray, start: np.ndarray, waits: np.ndarray, time: np.ndarray, number: np.ndarray
) -> np.ndarray:
    """Return the call that completes each send, or -1: the next wait that names the same request.

    Parameters
    ----------
    sends : ndarray of int
        The call of each send, of one task.
    start : ndarray of int, (calls,)
    waits : ndarray of int
        Calls that wait.
    time, number : ndarray of int
        Of the records that name a request, each at the begin of a call.
    """
    if not len(sends) or not len(time):
        return np.full(len(sends), -1, dtype=np.int64)
    place = np.searchsorted(time, start[sends])
    named = place < len(time)
    named[named] = time[place[named]] == start[sends[named]]
    of_send = np.where(named, number[np.minimum(place, len(number) - 1)], -1)
    at = np.searchsorted(start[waits], time)
    in_wait = at < len(waits)
    in_wait[in_wait] = start[waits[at[in_wait]]] == time[in_wait]
    values, code = np.unique(number[in_wait], return_inverse=True)
    calls = len(start) + 1
    keys = np.sort(code * calls + waits[at[in_wait]])
    where = np.searchsorted(values, of_send)
    known = named & (where < len(values))
    known[known] = values[where[known]] == of_send[known]
    following = np.searchsorted(keys, where * calls + sends, side="right")
    known &= following < len(keys)
    known[known] = keys[following[known]] // calls == where[known]
    completed = np.full(len(sends), -1, dtype=np.int64)
    completed[known] = keys[following[known]] % calls
    return completed


def completed_by_rule(sends: np.ndarray, waits: np.ndarray, waits_for_all: np.ndarray) -> np.ndarray:
    """Return the call that completes each send, or -1: each wait the oldest that is open, a waitall all of them.

    Parameters
    ----------
    sends : ndarray of int
        The call of each send, of one task, in order.
    waits, waits_for_all : ndarray of int
        Calls that wait for one request and complete no receive, and for all; in order.

    Notes
    -----
    Between two waitalls the sends are a queue. The k-th wait that finds one takes the k-th; a wait finds one where
    more sends than waits that found one stand before it, which the running least of their difference says.

    Examples
    --------
    >>> completed_by_rule(np.array([0, 2, 5]), np.array([1, 4, 6]), np.array([3])).tolist()
    [1, 3, 6]
    """
    call = np.concatenate([sends, waits])
    is_send = np.arange(len(call)) < len(sends)
    order = np.argsort(call, kind="stable")
    section = np.searchsorted(waits_for_all, call[order])
    begins = np.searchsorted(section, section)
    height = np.cumsum(np.where(is_send[order], 1, -1))
    before = np.append(0, height)[:-1]
    base = before[begins] if len(begins) else before
    shift = (2 * len(call) + 1) * section
    least = np.minimum.accumulate(height - base - shift) + shift if len(call) else height
    queue = height - base - np.minimum(0, least)
    waiting = np.append(0, queue)[:-1]
    waiting[begins == np.arange(len(begins))] = 0
    finds = ~is_send[order] & (waiting > 0)
    sent = is_send[order]
    completed = np.full(len(sends), -1, dtype=np.int64)
    of_send = section[sent]
    later = of_send < len(waits_for_all)
    completed[later] = waits_for_all[of_send[later]]
    # The k-th send of a section and the k-th wait that finds one: both are in order, section by section.
    rank_of_send = np.arange(len(of_send)) - np.searchsorted(of_send, of_send)
    of_wait = section[finds]
    first = np.searchsorted(of_wait, of_send)
    place = first + rank_of_send
    taken = place < np.searchsorted(of_wait, of_send, side="right")
    completed[taken] = call[order][finds][place[taken]]
    return completed
