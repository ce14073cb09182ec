"""Tables of parts, measurements and operating points: CSV files with a unit in each heading and a source per row.

A heading is ``name [unit]``, or a bare name for a count or a text. Lines that start with ``#`` are remarks.
``source``, ``confidence``, ``validation`` (texts) and ``synthetic`` (yes/no) are columns with a meaning.
A number may be written as a fraction (``-2/3``). A cell without a number is an error unless the reader allows it.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import overload

import numpy as np

from dse.arithmetic.duals import Dual, Mark, of_two_sides, plain
from dse.arithmetic.duck_array import Operand
from dse.authoring.declare.declaration import Column
from dse.errors import InputError, one_of, shown
from dse.units import base_unit, convert, factor, parse_quantity, same_dimension, unit_of

__all__ = ["Table", "read_table"]

_HEADING = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[\s*([^\]]+?)\s*\])?\s*\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FRACTION = re.compile(r"[-+]?\d+/\d+\Z")
_WRITTEN = re.compile(r"[-+]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)\Z", re.ASCII)
_SEPARATORS = {";": "semicolons", "\t": "tabs"}
RESERVED = ("source", "confidence", "validation", "synthetic", "note")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a file: columns as SI floats or texts.

    Attributes
    ----------
    name : str
        The file as the study names it.
    columns : dict of str to ndarray
        Float columns in SI, text columns as objects.
    units : dict of str to str
        SI unit by column; ``"text"`` for texts.
    lines : ndarray of int
        Line of each row in the file.
    sha256 : str
        Of the file's bytes.
    """

    name: str
    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    lines: np.ndarray
    sha256: str
    where_clause: Mapping[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, column: str) -> np.ndarray:
        try:
            return self.columns[column]
        except KeyError:
            raise InputError(
                f"no column '{column}'",
                file=self.name,
                wrong=column,
                candidates=self.columns,
                allowed=list(self.columns),
            ) from None

    @property
    def synthetic(self) -> bool:
        """Whether any row is marked synthetic."""
        return "synthetic" in self.columns and bool(np.any(self.columns["synthetic"] == "yes"))

    @property
    def sources(self) -> list[str]:
        """The sources of the rows, each once."""
        return list(dict.fromkeys(self.columns["source"])) if "source" in self.columns else [f"file {self.name}"]

    def rows(self, mask: np.ndarray, where_clause: Mapping[str, object] | None = None) -> Table:
        """Return the rows a mask or an index array selects."""
        columns = {name: values[mask] for name, values in self.columns.items()}
        clause = {**self.where_clause, **(where_clause or {})}
        return Table(self.name, columns, self.units, self.lines[mask], self.sha256, clause)

    def where(self, **wanted: object) -> Table:
        """Return the rows whose columns have the wanted values (a list means any of them)."""
        mask = np.ones(len(self), dtype=bool)
        for column, value in wanted.items():
            values = self[column]
            listed = value if isinstance(value, (list, tuple)) else [value]
            options = [self._as_cell(column, option) for option in listed]
            for option in options:
                if not np.any(values == option):
                    present = [str(cell) for cell in dict.fromkeys(values.tolist())]
                    raise InputError(
                        f"no row with {column} = {option!r}",
                        file=self.name,
                        allowed=one_of(present),
                        wrong=str(option),
                        candidates=present,
                    )
            mask &= np.isin(values, options) if values.dtype != object else np.array([v in options for v in values])
        if not mask.any():
            clause = ", ".join(f"{column} = {value!r}" for column, value in wanted.items())
            raise InputError(f"no row with {clause}", file=self.name)
        return self.rows(mask, wanted)

    def _as_cell(self, column: str, value: object) -> str | float:
        if self.units[column] == "text":
            return str(value)

        return parse_quantity(value, self.units[column])

    @overload
    def interpolate(self, column: str, **at: np.ndarray) -> np.ndarray: ...
    @overload
    def interpolate(self, column: str, **at: Operand) -> np.ndarray | Dual: ...
    def interpolate(self, column: str, **at: Operand) -> np.ndarray | Dual:
        """Interpolate a column linearly in one or two others; outside their range is an error.

        Parameters
        ----------
        column : str
            What is interpolated.
        **at : ndarray or Dual
            One or two columns that span a full grid, with the points wanted (arrays that broadcast).

        Returns
        -------
        ndarray or Dual
            Of the broadcast shape of the points. A point of the grid gives the tabulated value itself. The derivative
            there is that of the stretch above (below, at the upper end); at a single level it is not known.

        Raises
        ------
        InputError
            A point outside the tabulated range, or rows that are no full grid.
        """
        if not 1 <= len(at) <= 2:
            raise TypeError(f"interpolate takes one or two columns, got {list(at)}")
        names = list(at)
        levels = [np.unique(self[name]) for name in names]
        grid = np.full([len(level) for level in levels], np.nan)
        position = tuple(np.searchsorted(level, self[name]) for level, name in zip(levels, names, strict=True))
        if len(set(zip(*(p.tolist() for p in position), strict=True))) != len(self) or grid.size != len(self):
            raise InputError(
                f"the rows are no full grid over {' × '.join(names)} (or one stands twice)", file=self.name
            )
        grid[position] = self[column]
        corners: list[_Corner] = []
        for level, name in zip(levels, names, strict=True):
            points = np.asarray(plain(at[name]), dtype=float)
            self._refuse_outside(name, level, points)
            if len(level) == 1:
                corners.append((np.zeros(points.shape, dtype=int), None))
                continue
            low = np.clip(np.searchsorted(level, points, side="right") - 1, 0, len(level) - 2)
            corners.append((low, (points - level[low]) / (level[low + 1] - level[low])))
        low, weight = corners[0]
        if len(corners) == 1:
            result = _between(grid, low, weight)
        else:
            low2, weight2 = corners[1]
            result = _between(grid, low, weight, low2)
            if weight2 is not None:
                above = _between(grid, low, weight, low2 + 1)
                straight = result * (1 - weight2) + above * weight2
                result = np.where(weight2 == 0, result, np.where(weight2 == 1, above, straight))
        if any(isinstance(points, Dual) for points in at.values()):
            return _with_slopes(result, grid, levels, corners, list(at.values()))
        return result

    def _refuse_outside(self, name: str, level: np.ndarray, points: np.ndarray) -> None:
        outside = ~((points >= level[0]) & (points <= level[-1]))
        if outside.any():
            unit = "" if self.units[name] == "1" else f" {self.units[name]}"
            raise InputError(
                f"'{name}' = {points[outside].flat[0]:g}{unit} is outside the table",
                file=self.name,
                allowed=f"{level[0]:g} to {level[-1]:g}{unit} (no extrapolation)",
            )


_Corner = tuple[np.ndarray, np.ndarray | None]
"""Along one column, the level below each point and the share of the way to the next; no share at a single level."""


def _between(grid: np.ndarray, low: np.ndarray, weight: np.ndarray | None, *rest: np.ndarray) -> np.ndarray:
    first: np.ndarray = grid[(low, *rest)]
    if weight is None:
        return first
    second = grid[(low + 1, *rest)]
    result: np.ndarray = np.where(
        weight == 0, first, np.where(weight == 1, second, first * (1 - weight) + second * weight)
    )
    return result


def _with_slopes(
    result: np.ndarray,
    grid: np.ndarray,
    levels: Sequence[np.ndarray],
    corners: Sequence[_Corner],
    operands: Sequence[Operand],
) -> Dual:
    """Return an interpolated value with the derivatives of the stretches it lies on."""
    above: list[np.ndarray] = []
    below: list[np.ndarray] = []
    marks: np.ndarray | np.uint8 = np.uint8(0)
    for axis, (level, (low, _), operand) in enumerate(zip(levels, corners, operands, strict=True)):
        if len(level) == 1:
            above.append(np.full(low.shape, np.nan))
            below.append(above[-1])
            continue
        widths = np.diff(level).reshape([-1 if position == axis else 1 for position in range(grid.ndim)])
        rises = np.diff(grid, axis=axis) / widths
        slope, before = (_along(rises, axis, cell, corners) for cell in (low, np.maximum(low - 1, 0)))
        above.append(slope)
        below.append(slope)
        if isinstance(operand, Dual):
            points = operand.value
            end = (points == level[0]) | (points == level[-1])
            below[-1] = np.where((points == level[low]) & ~end, before, slope)
            varies = operand.derivative != 0
            marks = marks | (np.asarray(end)[..., None] & varies) * np.uint8(Mark.ONE_SIDED)
    return of_two_sides(result, operands, above, below, marks)


def _along(rises: np.ndarray, axis: int, cell: np.ndarray, corners: Sequence[_Corner]) -> np.ndarray:
    """Return the slope along an axis in a cell, between its values on both sides of the other axis if there is one."""
    if len(corners) == 1:
        slope: np.ndarray = rises[cell]
        return slope
    other, weight = corners[1 - axis]
    sides = (other, other + (weight is not None))
    first, second = (rises[(cell, side) if axis == 0 else (side, cell)] for side in sides)
    slope = first if weight is None else first * (1 - weight) + second * weight
    return slope


def read_table(
    path: Path,
    *,
    columns: Mapping[str, Column] | None = None,
    name: str | None = None,
    synthetic: bool | None = None,
    empty: bool = False,
) -> Table:
    """Read a CSV file.

    Parameters
    ----------
    path : Path
        The file.
    columns : dict of str to Column, optional
        The columns that must be there, with the units they are converted to. Others are kept.
    name : str, optional
        How messages call the file. Default: its path.
    synthetic : bool, optional
        Overrides the column ``synthetic``.
    empty : bool
        Whether a cell of numbers may be empty; it is NaN then.

    Returns
    -------
    Table
    """
    label = name or str(path)
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", file=label) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=label) from None
    lines = [
        (number, line)
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1)
        if line.strip() and line[0] != "#"
    ]
    if len(lines) < 2:
        raise InputError("has no rows (a heading line and at least one row are needed)", file=label)
    for number, line in lines:
        control = _CONTROL.search(line)
        if control is not None:
            around = shown(line[max(0, control.start() - 20) :])
            raise InputError(
                f"line {number} has the control character U+{ord(control[0]):04X}: {around}",
                file=label,
                allowed="text that can be printed",
            )
    headings, *records = [_split(number, line, label) for number, line in lines]
    for sign, word in _SEPARATORS.items():
        if len(headings) == 1 and sign in headings[0]:
            raise InputError(
                f"line {lines[0][0]}: separated by {word}?", file=label, allowed="cells separated by commas"
            )
    numbers = np.array([number for number, _ in lines[1:]])
    for number, record in zip(numbers, records, strict=True):
        if len(record) != len(headings):
            raise InputError(f"line {number} has {len(record)} cells, the heading {len(headings)}", file=label)
    wanted = dict(columns or {})
    values: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for index, heading in enumerate(headings):
        cells = [record[index].strip() for record in records]
        column, written = _heading(heading, wanted, label)
        if column in values:
            raise InputError(f"the column '{column}' stands twice", file=label)
        target = wanted[column].unit if column in wanted else None
        values[column], units[column] = _cells(cells, column, written, target, numbers, label, empty)
    for column, declared in wanted.items():
        if column not in values and not declared.optional:
            raise InputError(
                f"the column '{column}' is missing", file=label, allowed=[_title(n, c) for n, c in wanted.items()]
            )
    if synthetic is not None:
        values["synthetic"] = np.array(["yes" if synthetic else "no"] * len(records), dtype=object)
        units["synthetic"] = "text"
    return Table(label, values, units, numbers, hashlib.sha256(data).hexdigest())


def _split(number: int, line: str, label: str) -> list[str]:
    """Return the cells of a line."""
    if "\0" in line:
        raise InputError(f"line {number} has the control character U+0000", file=label)
    try:
        return next(csv.reader([line]))
    except csv.Error:
        most = f"at most {csv.field_size_limit()} characters"
        raise InputError(f"line {number} has a cell that is too long", file=label, allowed=most) from None


def _title(name: str, column: Column) -> str:
    return name if column.unit in ("1", "text") else f"{name} [{column.unit}]"


def _heading(heading: str, wanted: Mapping[str, Column], label: str) -> tuple[str, str]:
    match = _HEADING.match(heading)
    if not match:
        raise InputError(f"the heading '{heading}' is not 'name' or 'name [unit]'", file=label)
    name, unit = match[1], match[2] or ""
    for column, declared in wanted.items():
        if name in declared.aliases:
            return column, unit or declared.aliases[name]
    return name, unit


def _cells(
    cells: Sequence[str], column: str, written: str, target: str | None, lines: np.ndarray, label: str, empty: bool
) -> tuple[np.ndarray, str]:
    if column in RESERVED and (written or target not in (None, "text")):
        raise InputError(
            f"the column '{column}' is a text with a meaning of its own, and a number here",
            file=label,
            allowed=f"the heading '{column}' alone, and another name for a quantity",
        )
    if column in RESERVED or target == "text":
        return np.array(cells, dtype=object), "text"
    blank = [empty and not cell for cell in cells]
    numbers = [np.nan if none else _number(cell) for none, cell in zip(blank, cells, strict=True)]
    if target is None and not written and (all(blank) or any(number is None for number in numbers)):
        return np.array(cells, dtype=object), "text"
    for number, cell, line, none in zip(numbers, cells, lines, blank, strict=True):
        if number is None or not (none or np.isfinite(number)):
            _refuse_unit(cell, f"line {line}, column '{column}'", column, label)
            raise InputError(f"line {line}, column '{column}': '{cell}' is not a finite number", file=label)
        if not none and not _WRITTEN.match(cell):  # Python reads more: 1_000, and the digits of every script
            raise InputError(
                f"line {line}, column '{column}': '{cell}' is not written as a number",
                file=label,
                allowed="digits 0 to 9, such as 1000, 2.5e9 or 1/3",
            )
    unit = written or "1"
    if target is None:
        try:
            target = base_unit(unit)
        except InputError as error:
            raise error.within(file=label, key=f"column '{column}'") from None
    try:
        factor(unit, target)
    except InputError as error:
        raise error.within(file=label, key=f"column '{column}'") from None
    assert same_dimension(unit, target)
    return np.array([convert(float(number), unit, target) for number in numbers if number is not None]), target


def _refuse_unit(cell: str, place: str, column: str, label: str) -> None:
    """Refuse a cell that is a number with a unit, which stands in the heading."""
    unit = unit_of(cell)
    if not unit:
        return
    try:
        base_unit(unit)
    except InputError:
        return
    heading = f"{column} [{unit}]"
    raise InputError(f"{place}: '{cell}' has a unit, which belongs into the heading", file=label, allowed=heading)


def _number(cell: str) -> float | None:
    try:
        if _FRACTION.match(cell):
            return float(Fraction(cell))
        return float(cell)
    except (ValueError, ZeroDivisionError):
        return None
