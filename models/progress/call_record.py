"""Records of communication calls, and what their one-sided operations waited for (Hermanns et al. 2012).

A target moves data only inside its own calls. Of a get, an accumulation, a read-modify-write or a fence to one target,
with e the beginning of that target's first call that ends after the operation began,

    w = clip(e - enter, 0, exit - enter),

and all of it where there is no such call. A put waits for nothing: its own end may come before that of the transfer.
With several targets w is the length of the call less the union of those first calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.tables.text_table import read_text_table

__all__ = ["KINDS", "CallRecord", "read_calls", "record_of_rows", "waits"]

KINDS = ("get", "put", "accumulate", "rmw", "fence", "allfence", "other")
_WAITING = ("get", "accumulate", "rmw", "fence", "allfence")
_LARGEST = 1024 * 1024 * 1024


@dataclass(frozen=True)
class CallRecord:
    """Communication calls of all ranks; every one is a time in which its rank makes progress.

    Attributes
    ----------
    rank : ndarray of int, (calls,)
    enter, exit : ndarray, (calls,)
        On one clock [s]; calls of a rank do not overlap.
    kind : ndarray of int, (calls,)
        Place in `KINDS`.
    targets : tuple of tuple of int
        Of each call; empty for those that wait for nobody.
    region : tuple of str, or ()
    """

    rank: np.ndarray
    enter: np.ndarray
    exit: np.ndarray
    kind: np.ndarray
    targets: tuple[tuple[int, ...], ...]
    region: tuple[str, ...] = ()

    @property
    def ranks(self) -> int:
        """Return how many ranks there are."""
        return int(self.rank.max()) + 1


def record_of_rows(rows: Any) -> CallRecord:
    """Return the record of rows with the columns `rank, enter, exit, kind, targets` (and `region`).

    Parameters
    ----------
    rows : pandas.DataFrame
        `targets`: ranks with blanks between; of an allfence empty for all other ranks.
    """
    for column in ("rank", "enter", "exit", "kind", "targets"):
        if column not in rows:
            raise InputError("is not there", key=column, allowed="columns rank, enter, exit, kind, targets")
    if not len(rows):
        raise InputError("has no calls", allowed="a row at least")
    rank = _whole(rows["rank"], "rank")
    enter, leave = (_times(rows[name], name) for name in ("enter", "exit"))
    kinds = [str(kind).strip() for kind in rows["kind"]]
    for place, kind in enumerate(kinds):
        if kind not in KINDS:
            raise InputError(f"'{kind}' in row {place + 1}", key="kind", allowed=KINDS, wrong=kind, candidates=KINDS)
    _refuse_order(rank, enter, leave)
    count = int(rank.max()) + 1
    targets = tuple(
        _targets(str(text), kind, int(own), count, place + 1)
        for place, (text, kind, own) in enumerate(zip(rows["targets"], kinds, rank, strict=True))
    )
    region = tuple(str(name) for name in rows["region"]) if "region" in rows else ()
    return CallRecord(rank, enter, leave, np.array([KINDS.index(kind) for kind in kinds]), targets, region)


def read_calls(file: Path) -> CallRecord:
    """Read a record of calls (CSV)."""
    rows = read_text_table(file, _LARGEST)
    try:
        return record_of_rows(rows)
    except InputError as error:
        raise error.within(file=file) from None


def waits(record: CallRecord) -> np.ndarray:
    """Return what each call waited for progress [s], in the order of the record; at least that, of several targets."""
    first, order = _by_rank(record)
    starts, ends = record.enter[order], record.exit[order]
    waited = np.zeros(len(record.rank))
    of_kind = np.isin(record.kind, [KINDS.index(kind) for kind in _WAITING])
    many = np.array([len(targets) for targets in record.targets])
    single = np.flatnonzero(of_kind & (many == 1))
    target = np.array([record.targets[place][0] for place in single], dtype=np.int64)
    for rank in np.unique(target):
        calls = slice(first[rank], first[rank + 1])
        own = single[target == rank]
        begins = _first_begin(starts[calls], ends[calls], record.enter[own])[0]
        waited[own] = np.clip(begins - record.enter[own], 0.0, record.exit[own] - record.enter[own])
    for place in np.flatnonzero(of_kind & (many > 1)):
        waited[place] = _of_several(record, int(place), starts, ends, first)
    return waited


def _by_rank(record: CallRecord) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort((record.enter, record.rank))
    return np.searchsorted(record.rank[order], np.arange(record.ranks + 1)), order


def _first_begin(starts: np.ndarray, ends: np.ndarray, enter: Any) -> tuple[Any, Any]:
    """Return begin and end of the first call that ends after `enter`; infinity where none does."""
    place = np.searchsorted(ends, enter, side="right")
    return np.append(starts, np.inf)[place], np.append(ends, np.inf)[place]


def _of_several(record: CallRecord, place: int, starts: np.ndarray, ends: np.ndarray, first: np.ndarray) -> float:
    enter, leave = record.enter[place], record.exit[place]
    pieces = []
    for target in set(record.targets[place]):
        calls = slice(first[target], first[target + 1])
        begin, end = _first_begin(starts[calls], ends[calls], enter)
        begin, end = max(float(begin), enter), min(float(end), leave)
        if begin < end:
            pieces.append((begin, end))
    covered, reached = 0.0, enter
    for begin, end in sorted(pieces):
        covered += max(end - max(begin, reached), 0.0)
        reached = max(reached, end)
    return float(leave - enter - covered)


def _whole(column: Any, key: str) -> np.ndarray:
    values = _times(column, key)
    wrong = np.flatnonzero((values < 0) | (values != np.floor(values)) | (values >= len(values) * 1e6))
    if wrong.size:
        raise InputError(f"{values[wrong[0]]:.12g} in row {wrong[0] + 1}", key=key, allowed="whole numbers from 0")
    return values.astype(np.int64)


def _times(column: Any, key: str) -> np.ndarray:
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise InputError(f"'{column.iloc[wrong[0]]}' in row {wrong[0] + 1}", key=key, allowed="a number in every row")
    return np.asarray(values)


def _refuse_order(rank: np.ndarray, enter: np.ndarray, leave: np.ndarray) -> None:
    wrong = np.flatnonzero(leave < enter)
    if wrong.size:
        raise InputError(f"row {wrong[0] + 1} ends before it begins", key="exit", allowed="enter <= exit")
    order = np.argsort(rank, kind="stable")
    same = rank[order][1:] == rank[order][:-1]
    late = np.flatnonzero(same & (enter[order][1:] < leave[order][:-1]))
    if late.size:
        row, before = order[late[0] + 1], order[late[0]]
        raise InputError(
            f"row {row + 1} of rank {rank[row]} begins at {enter[row]:.12g} s, and its call in row "
            f"{before + 1} ends at {leave[before]:.12g} s",
            key="enter",
            allowed="calls of a rank in order, without overlap; of nested calls the outermost",
        )


def _targets(text: str, kind: str, own: int, count: int, row: int) -> tuple[int, ...]:
    words = text.split()
    if not all(word.isdecimal() and len(word) < 10 for word in words):
        raise InputError(f"{text!r} in row {row}", key="targets", allowed="ranks with blanks between")
    targets = tuple(int(word) for word in words)
    if kind == "allfence" and not targets:
        return tuple(rank for rank in range(count) if rank != own)
    if kind == "other" and targets:
        raise InputError(f"row {row} waits for nobody and has a target", key="targets", allowed="no target of 'other'")
    if kind not in ("other", "allfence") and not targets:
        raise InputError(f"row {row} has no target", key="targets", allowed=f"a rank for a {kind}")
    for rank in targets:
        if rank >= count:
            raise InputError(f"rank {rank} in row {row} has no calls", key="targets", allowed=f"ranks 0 to {count - 1}")
        if rank == own:
            raise InputError(f"row {row}: rank {own} is its own target", key="targets", allowed="another rank")
    return targets
