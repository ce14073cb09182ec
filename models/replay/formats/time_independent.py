"""Time-independent traces of SimGrid: one action per line, ``0 send 1 0 1e6``, as ``smpirun -trace-ti`` writes them.

Grammar after SimGrid's replay (``src/smpi/internals/smpi_replay.cpp``), forms without tags too. Only the world
communicator is replayed; roots of operations are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from dse.errors import InputError, nearest, shown
from dse.models.replay.formats.action_lines import ACTIONS, SKIPPED, ActionLine, Actions
from dse.models.replay.formats.header import header_of
from dse.models.replay.trace.assembling import assembled
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import KINDS, OPERATIONS

__all__ = ["checked_rate", "read_time_independent"]


def read_time_independent(
    texts: list[tuple[str, str]],
    *,
    flop_rate: float | None = None,
    type_sizes: Mapping[int, float] | None = None,
    named: str = "",
) -> Trace:
    """Read a trace from text, of one file or of one for each rank.

    Parameters
    ----------
    texts : list of (str, str)
        As of `dse.models.replay.formats.text_files.texts_of`.
    flop_rate, type_sizes
        As for `dse.models.replay.read_trace`.
    named : str
        What the trace is called where its text says nothing.
    """
    lines = [line for file, text in texts for line in _lines(text, file)]
    if not lines:
        raise InputError("no actions", allowed="lines such as '0 send 1 0 1000'")
    ranks = 1 + max(_rank(line) for line in lines)
    if ranks > len(lines):
        raise InputError(
            f"a rank is {ranks - 1}, and there are {len(lines)} actions", allowed="ranks from 0 to the last"
        )
    actions = Actions(ranks, checked_rate(flop_rate), type_sizes or {})
    for line in lines:
        name = line.words[1].casefold() if len(line.words) > 1 else ""
        action = ACTIONS.get(name)
        if action is not None:
            action(actions, line)
        elif name not in SKIPPED:
            known = [*ACTIONS, *SKIPPED]
            fault = f"{shown(line.words[1])} is no action" if name else "a rank without an action"
            raise InputError(fault, key=line.place, allowed=known, wrong=name, candidates=known)
        elif name == "comm_split":
            actions.tell("comm_split: only the world communicator is replayed")
    actions.close_what_is_open()
    kinds, operations = np.array(KINDS, dtype=object), np.array([*OPERATIONS, ""], dtype=object)
    if not actions.kind:
        raise InputError("no events", allowed="actions such as compute, send and recv")
    columns = {
        "rank": np.array(actions.rank, dtype=np.int64),
        "kind": kinds[np.array(actions.kind)],
        "seconds": np.array(actions.seconds),
        "peer": np.array(actions.peer, dtype=np.int64),
        "bytes": np.array(actions.bytes),
        "tag": np.array(actions.tag, dtype=np.int64),
        "request": np.array(actions.request, dtype=np.int64),
        "op": operations[np.array(actions.operation)],
    }
    return assembled(columns, header_of(texts[0][1].encode())[0], actions.warnings, named=named)


def _lines(text: str, file: str) -> Iterator[ActionLine]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield ActionLine(words, file, number)


def _rank(line: ActionLine) -> int:
    text = line.words[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        hint = nearest(text.casefold(), ACTIONS)
        advice = f"; an action such as '0 {hint} …'" if hint else ""
        raise InputError(shown(text), key=line.place, allowed=f"a rank at the beginning of the line{advice}")
    return int(text)


def checked_rate(rate: float | None) -> float | None:
    """Return the flops per second of a rank; refuses what is no number above 0."""
    if rate is not None and not (np.isfinite(rate) and rate > 0.0):
        raise InputError(shown(rate), key="flop_rate", allowed="flops per second > 0")
    return rate
