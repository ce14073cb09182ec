"""Break-evens of one number at values of another: the line between where a part is on the frontier and where not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from dse.analysis.why.break_even import REACH, BreakEven, BreakEvenRecord, break_even
from dse.analysis.why.parameter_place import ParameterPlace
from dse.analysis.why.space_part import SpacePart
from dse.errors import InputError

__all__ = ["BreakEvenMap", "break_even_map"]

ROWS = 17
_LARGEST = 10_000_000  # designs of a part that is searched so often
_SEARCHES = 30  # of a row, about


class BreakEvenRow(TypedDict):
    """A value of the first number, and the break-even of the second there."""

    value: float
    break_even: BreakEvenRecord


class BreakEvenMapRecord(TypedDict):
    """A `BreakEvenMap` as plain values."""

    parameter: str
    unit: str
    present: float
    other: str
    rows: list[BreakEvenRow]


@dataclass(frozen=True)
class BreakEvenMap:
    """Break-evens of a number, `other`, at values of `parameter` (SI)."""

    parameter: str
    unit: str
    present: float
    other: str
    rows: Sequence[tuple[float, BreakEven]]

    def as_dict(self) -> BreakEvenMapRecord:
        """Return it as plain values."""
        return {
            "parameter": self.parameter,
            "unit": self.unit,
            "present": self.present,
            "other": self.other,
            "rows": [{"value": value, "break_even": answer.as_dict()} for value, answer in self.rows],
        }


def break_even_map(
    part: SpacePart,
    first: ParameterPlace,
    second: ParameterPlace,
    *,
    rows: int = ROWS,
    progress: Callable[[str, int, int], None] | None = None,
) -> BreakEvenMap:
    """Find the break-even of the second number at values of the first, from a tenth to ten times of what it is.

    Parameters
    ----------
    part : SpacePart
    first, second : ParameterPlace
    rows : int
        Values of the first.
    progress : callable, optional
        Called with ("rows", how many are done, of how many).

    Raises
    ------
    InputError
        One number twice, one that is 0, or a part too large to be searched so often.
    """
    if first.name == second.name:
        raise InputError(f"'{first.name}' stands twice", key="--parameter", allowed="two numbers")
    if part.size > _LARGEST:
        raise InputError(
            f"the part has {part.size} designs, and would be searched about {rows * _SEARCHES} times",
            key="--parameter",
            allowed=f"one number, or a part of up to {_LARGEST} designs",
        )
    if first.value == 0:
        key = f"--parameter {first.name}"
        raise InputError("is 0, of which no multiple is another value", key=key, allowed="a number above 0")
    values = [first.value * float(factor) for factor in np.geomspace(1 / REACH, REACH, rows)]
    if first.whole:
        values = sorted({float(round(value)) for value in values})
    values = [value for value in values if first.allows(value)]
    answers = []
    for value in values:
        whole = first.put(part.whole, value)
        answers.append((value, break_even(replace(part, whole=whole), second)))
        if progress is not None:
            progress("rows", len(answers), len(values))
    return BreakEvenMap(first.name, first.unit, first.value, second.name, answers)
