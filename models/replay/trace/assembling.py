"""A trace from columns, or from rows of Python, in any order of the ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dse.errors import InputError, nearest, refuse_control, shown
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COLLECTIVE, COMPUTE, IRECV, ISEND, KINDS, OPERATIONS, RECV, SEND
from dse.models.workload.profile.collective_calls import plain_operation

__all__ = ["COLUMNS", "HEADER", "MOST_EVENTS", "assembled", "trace_of_rows"]

COLUMNS = ("rank", "kind", "seconds", "peer", "bytes", "tag", "request", "op", "enter", "exit", "region")
"""Columns of a table of events, in the order they are written."""

HEADER = ("name", "source", "licence", "synthetic", "clock")
"""What a trace may say of itself."""

MOST_EVENTS = 50_000_000
"""Most events of a trace; they take about 5 GB."""

_WHOLE = ("rank", "peer", "tag", "request")
_ABSENT: dict[str, float] = {"seconds": 0.0, "bytes": 0.0, "enter": np.nan, "exit": np.nan}
_NO_NUMBER = {"rank": NONE, "peer": NONE, "tag": 0, "request": NONE}


def trace_of_rows(rows: Iterable[Mapping[str, Any]], **header: Any) -> Trace:
    """Return a trace of events given as mappings.

    Parameters
    ----------
    rows : iterable of mapping
        Events with the keys `COLUMNS`: ``{"rank": 0, "kind": "send", "peer": 1, "bytes": 1000}``. Those of a rank in
        program order; keys that an event does not need may be left out.
    **header
        Of `HEADER`: name, source, licence, synthetic, clock.

    Raises
    ------
    InputError
        An unknown key or kind, a value that is none, and all that `dse.models.replay.trace.events.Trace.checked`
        refuses.

    Examples
    --------
    >>> trace_of_rows([{"rank": 0, "kind": "send", "peer": 1, "bytes": 8}, {"rank": 1, "kind": "recv", "peer": 0}])
    <Trace '': 2 ranks, 2 events>
    """
    given = [dict(row) for row in rows]
    for number, row in enumerate(given):
        for name in row:
            if name not in COLUMNS:
                raise InputError(
                    f"unknown key '{name}'", key=f"row {number}", allowed=COLUMNS, wrong=str(name), candidates=COLUMNS
                )
    columns = {name: [_plain(row.get(name)) for row in given] for name in COLUMNS}
    return assembled({name: _column(name, values) for name, values in columns.items()}, header)


def _plain(value: Any) -> Any:
    return None if value is None or value == "" or (isinstance(value, float) and np.isnan(value)) else value


def _column(name: str, values: list[Any]) -> np.ndarray:
    if name in ("kind", "op", "region"):
        return np.array(["" if cell is None else str(cell) for cell in values], dtype=object)
    absent = np.nan if name in _ABSENT else _NO_NUMBER[name]
    column = np.empty(len(values))
    for number, cell in enumerate(values):
        if cell is not None and (isinstance(cell, (bool, str)) or not isinstance(cell, (int, float, np.number))):
            raise InputError(shown(cell), key=f"row {number}: {name}", allowed="a number")
        column[number] = absent if cell is None else float(cell)
    return column


def assembled(
    columns: Mapping[str, np.ndarray], header: Mapping[str, Any], warnings: Iterable[str] = (), *, named: str = ""
) -> Trace:
    """Return a trace of columns, rows of the ranks mixed, and check it.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Some of `COLUMNS`; numbers, NaN where a cell is empty, and texts as arrays of str.
    header : mapping
        Some of `HEADER`.
    warnings : iterable of str
    named : str
        What it is called where the header says nothing.
    """
    refuse_control(header)
    for name in header:
        if name not in HEADER:
            raise InputError(f"unknown key '{name}'", allowed=HEADER, wrong=str(name), candidates=HEADER)
    count = len(columns["rank"])
    if not count:
        raise InputError("no events", allowed="at least one event of each rank")
    if count > MOST_EVENTS:
        raise InputError(f"{count:,} events", allowed=f"at most {MOST_EVENTS:,}")
    numbers = {name: _whole(name, columns[name]) if name in columns else _nothing(name, count) for name in _WHOLE}
    first = _first(numbers["rank"])
    order = np.argsort(numbers["rank"], kind="stable")
    floats = {
        name: np.full(count, absent) if name not in columns else _filled(np.asarray(columns[name], dtype=float), absent)
        for name, absent in _ABSENT.items()
    }
    kind = _coded("kind", columns["kind"], KINDS, order, first)
    operation = _operations(columns.get("op"), count, order, first)
    barrier = (kind == COLLECTIVE) & (operation == OPERATIONS.index("barrier"))
    floats["seconds"] = np.where(kind == COMPUTE, _given(columns, "seconds", count), 0.0)
    # What is sent must be said; a receive may leave open what comes.
    says = ((kind == SEND) | (kind == ISEND) | (kind == COLLECTIVE)) & ~barrier
    receives = (kind == RECV) | (kind == IRECV) | (kind > COLLECTIVE)
    floats["bytes"] = np.where(says, _given(columns, "bytes", count), np.where(receives, floats["bytes"], 0.0))
    region, regions = _regions(columns.get("region"), count)
    labels = {name: str(header.get(name) or "") for name in ("name", "source", "licence", "clock")}
    return Trace(
        first=first,
        kind=kind[order],
        seconds=floats["seconds"][order],
        peer=numbers["peer"][order],
        bytes=floats["bytes"][order],
        tag=numbers["tag"][order],
        request=numbers["request"][order],
        operation=operation[order],
        enter=floats["enter"][order],
        exit=floats["exit"][order],
        region=region[order],
        regions=regions,
        name=labels["name"] or named,
        source=labels["source"],
        licence=labels["licence"],
        clock=labels["clock"],
        synthetic=_is_true(header.get("synthetic", False)),
        warnings=tuple(warnings),
    ).checked()


def _given(columns: Mapping[str, np.ndarray], name: str, count: int) -> np.ndarray:
    """Return a column of numbers, NaN where it has none."""
    return np.asarray(columns[name], dtype=float) if name in columns else np.full(count, np.nan)


def _nothing(name: str, count: int) -> np.ndarray:
    return np.full(count, _NO_NUMBER[name], dtype=np.int64)


def _filled(values: np.ndarray, absent: float) -> np.ndarray:
    return values if np.isnan(absent) else np.where(np.isnan(values), absent, values)


def _whole(name: str, values: np.ndarray) -> np.ndarray:
    numbers = np.asarray(values)
    below = np.flatnonzero(numbers < 0) if name == "rank" else np.array([], dtype=int)
    if below.size:  # before what is missing gets a number
        row = int(below[0])
        raise InputError(f"{numbers[row]:.12g}", key=f"row {row}: rank", allowed="a whole number >= 0")
    if numbers.dtype.kind not in "iu":
        wrong = ~np.isnan(numbers) & ~((numbers == np.floor(numbers)) & (np.abs(numbers) < 2.0**53))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(shown(numbers[row]), key=f"row {row}: {name}", allowed="a whole number")
        numbers = np.where(np.isnan(numbers), _NO_NUMBER[name], numbers)
    return numbers.astype(np.int64)


def _first(rank: np.ndarray) -> np.ndarray:
    if (rank < 0).any():
        row = int(np.flatnonzero(rank < 0)[0])
        raise InputError("missing", key=f"row {row}: rank", allowed="a whole number >= 0")
    most = int(rank.max())
    present = np.unique(rank)
    if len(present) != most + 1:
        absent = int(np.argmax(present != np.arange(len(present))))
        raise InputError(f"rank {absent} has no events, and rank {most} has", allowed="all ranks from 0 to the last")
    return np.concatenate([[0], np.cumsum(np.bincount(rank))]).astype(np.int64)


def _codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different texts of a column, and which of them each row has."""
    import pandas as pd

    codes, different = pd.factorize(np.asarray(values, dtype=object))
    return np.asarray(different, dtype=object), codes


def _coded(name: str, values: np.ndarray, known: tuple[str, ...], order: np.ndarray, first: np.ndarray) -> np.ndarray:
    different, codes = _codes(values)
    table = np.empty(len(different), dtype=np.int8)
    for position, text in enumerate(different.tolist()):
        if text not in known:
            number = int(np.flatnonzero(codes[order] == position)[0])
            rank = int(np.searchsorted(first, number, side="right")) - 1
            close = "collective" if name == "kind" and plain_operation(text) else nearest(text, known)
            fault = f"{name} is {shown(text)}" if text else f"{name} is missing"
            hint = f"; did you mean '{close}'?" if close else ""
            raise InputError(
                fault, key=f"rank {rank} event {number - int(first[rank])}", allowed=", ".join(known) + hint
            )
        table[position] = known.index(text)
    result: np.ndarray = table[codes]
    return result


def _operations(values: np.ndarray | None, count: int, order: np.ndarray, first: np.ndarray) -> np.ndarray:
    if values is None:
        return np.full(count, NONE, dtype=np.int8)
    different, codes = _codes(values)
    plain = np.array([plain_operation(text) or text if text else "" for text in different.tolist()], dtype=object)
    return _coded("op", plain[codes], ("", *OPERATIONS), order, first) - 1


def _regions(values: np.ndarray | None, count: int) -> tuple[np.ndarray, tuple[str, ...]]:
    if values is None:
        return np.full(count, NONE, dtype=np.int32), ()
    different, codes = _codes(values)
    texts = different.tolist()
    refuse_control([text for text in texts if text], key="region")
    kept = [text for text in texts if text]
    table = np.array([kept.index(text) if text else NONE for text in texts], dtype=np.int32)
    return table[codes], tuple(kept)


def _is_true(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).strip().casefold() in ("true", "yes", "1"):
        return True
    if str(value).strip().casefold() in ("false", "no", "0", ""):
        return False
    raise InputError(shown(value), key="synthetic", allowed="true or false")
