"""Events of a task as they are made, kind by kind, and put into the order of its program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.models.replay.trace.columns import NONE

__all__ = ["COLUMNS", "EventRows", "Regions"]

_Value = np.ndarray | float | int

COLUMNS: dict[str, type[np.generic]] = {
    "rank": np.int32,
    "kind": np.int8,
    "seconds": np.float64,
    "peer": np.int32,
    "bytes": np.float64,
    "tag": np.int64,
    "request": np.int64,
    "operation": np.int8,
    "enter": np.float64,
    "exit": np.float64,
    "region": np.int32,
}
"""As `dse.models.replay.trace.coded.trace_of_codes` takes them."""


class Regions:
    """Names of regions and their numbers."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """Return the number of a region; NONE of one without a name."""
        return self._codes.setdefault(name, len(self._codes)) if name else NONE

    @property
    def names(self) -> Sequence[str]:
        """In the order of their numbers."""
        return list(self._codes)


class EventRows:
    """Events of one task, each with the call it is of, its step there, and its order in the step."""

    def __init__(self) -> None:
        self._parts: list[
            tuple[np.ndarray, dict[str, _Value], np.ndarray | int, np.ndarray | int, np.ndarray | bool]
        ] = []

    def add(
        self,
        call: np.ndarray,
        step: np.ndarray | int,
        order: np.ndarray | int,
        kind: np.ndarray | int,
        *,
        seconds: _Value = 0.0,
        peer: _Value = NONE,
        held: _Value = 0.0,
        tag: _Value = 0,
        request: _Value = NONE,
        operation: _Value = NONE,
        enter: _Value = np.nan,
        leave: _Value = np.nan,
        region: _Value = NONE,
        spread: np.ndarray | bool = False,
    ) -> None:
        """Add events of calls; of those with `spread` the first of a call has its whole time, the others its end."""
        values: dict[str, _Value] = {"kind": kind, "seconds": seconds, "peer": peer, "bytes": held, "tag": tag}
        values |= {"request": request, "operation": operation, "enter": enter, "exit": leave, "region": region}
        self._parts.append((call, values, step, order, spread))

    def columns(self, rank: int, begin: np.ndarray, end: np.ndarray) -> dict[str, np.ndarray]:
        """Return the columns in program order; `begin` and `end` of each call [s]."""
        call = np.concatenate([part[0] for part in self._parts])
        step, place, spread = (
            np.concatenate([np.broadcast_to(np.asarray(part[of]), len(part[0])) for part in self._parts])
            for of in (2, 3, 4)
        )
        order = np.lexsort((place, step, call))
        columns = {"rank": np.full(len(order), rank, dtype=np.int32)}
        for name, of_type in COLUMNS.items():
            if name != "rank":
                whole = [
                    np.broadcast_to(np.asarray(part[1][name], dtype=of_type), len(part[0])) for part in self._parts
                ]
                columns[name] = np.concatenate(whole)[order]
        call, step, spread = call[order], step[order], spread[order].astype(bool)
        follows = np.zeros(len(call), dtype=bool)
        follows[1:] = (call[1:] == call[:-1]) & spread[:-1]
        owner = call[spread]
        columns["enter"][spread] = np.where(follows[spread], end[owner], begin[owner])
        columns["exit"][spread] = end[owner]
        return columns
