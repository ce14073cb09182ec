"""One measured value as a reader finds it, and the checks that a single value must pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from dse.errors import InputError, refuse_control, shown
from dse.units import base_unit, factor, never_negative

__all__ = [
    "LARGEST_FILE",
    "MOST_ROWS",
    "REMARKS",
    "WHOLE",
    "Row",
    "in_si",
    "number_of",
    "parameter_value",
    "split_heading",
]

LARGEST_FILE = 50_000_000
"""Most bytes of a file, unpacked."""
MOST_ROWS = 500_000

WHOLE = ("p", "P", "processes", "ranks", "tasks", "nodes", "threads", "cores")
"""Parameters that count something."""

REMARKS = ("source", "scope", "synthetic", "confidence", "validation", "note")
"""Columns of texts beside measured values, as tables of parts have them; of all but the first three nothing is kept."""

_SUFFIXES = frozenset(
    (
        *("s", "ms", "us", "ns", "min", "J", "kJ", "MJ", "kWh", "MWh", "W", "kW", "MW", "Hz", "GHz", "B", "kB", "MB"),
        *("GB", "KiB", "MiB", "GiB", "percent"),
    )
)


@dataclass(frozen=True)
class Row:
    """One measured value.

    Attributes
    ----------
    place : str
        Where it stands: "line 3".
    metric : str
    parameters : mapping of str to float
    value : float
        In `unit`, as written.
    unit : str
        Empty where the file has none.
    application, region : str
        Empty: the whole of it.
    repetition : int or None
    rank : int or None
        The process it was measured on; None for the run as a whole.
    litmus : bool
        Whether the region is one whose growth is known exactly.
    remarks : mapping of str to str
        What the row says of itself, by `REMARKS`.
    """

    place: str
    metric: str
    parameters: Mapping[str, float]
    value: float
    unit: str = ""
    application: str = ""
    region: str = ""
    repetition: int | None = None
    rank: int | None = None
    litmus: bool = False
    remarks: Mapping[str, str] = field(default_factory=dict)
    file: str = field(default="", compare=False)


def number_of(cell: object, key: str, file: str) -> float:
    """Return the finite number a cell holds.

    Raises
    ------
    InputError
        Nothing, another text, NaN or infinite.
    """
    if isinstance(cell, bool):
        raise InputError(shown(cell), file=file, key=key, allowed="a number")
    if isinstance(cell, str):
        refuse_control(cell.strip(), file=file, key=key)
    try:
        number = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        fault = "is empty" if cell is None or cell == "" else f"{shown(cell)} is no number"
        raise InputError(fault, file=file, key=key, allowed="a number") from None
    if not math.isfinite(number):
        raise InputError(f"{number} is not finite", file=file, key=key, allowed="a finite number")
    return number


def parameter_value(name: str, cell: object, key: str, file: str) -> float:
    """Return the value of a parameter: above 0, whole where it counts something."""
    value = number_of(cell, key, file)
    if value <= 0:
        raise InputError(f"{name} = {value:g}", file=file, key=key, allowed="a number above 0")
    if name in WHOLE and not value.is_integer():
        raise InputError(f"{name} = {value:g} is not whole", file=file, key=key, allowed="a whole number")
    return value


def split_heading(heading: str) -> tuple[str, str]:
    """Return the name and the unit of a heading: "time [s]", "time (s)" or "time_s"; without one the unit is empty.

    Examples
    --------
    >>> split_heading("time [ms]"), split_heading("energy_kWh"), split_heading("problem_size")
    (('time', 'ms'), ('energy', 'kWh'), ('problem_size', ''))
    """
    text = heading.strip()
    for left, right in ("[]", "()"):
        if text.endswith(right) and left in text:
            name, _, unit = text[:-1].partition(left)
            if name.strip():
                return name.strip(), unit.strip()
    name, _, unit = text.rpartition("_")
    return (name, unit) if name and unit in _SUFFIXES else (text, "")


def in_si(value: float, unit: str, key: str, file: str, *, idle: bool = False) -> tuple[float, str]:
    """Return a value in SI and its unit; a unit that counts is ``1``. A rank may be `idle`, and its time 0.

    Raises
    ------
    InputError
        An unknown unit; a negative value of what cannot be; a time of zero.
    """
    try:
        base = base_unit(unit or "1")
        scaled = value * factor(unit or "1", base)
    except InputError as error:
        raise error.within(file=file, key=key) from None
    if scaled < 0 and never_negative(base):
        raise InputError(f"{value:g} {unit} is negative", file=file, key=key, allowed="a value of 0 or more")
    if scaled == 0 and base == "s" and not idle:
        raise InputError("a time of 0", file=file, key=key, allowed="a time above 0; leave out what was not measured")
    return scaled, base
