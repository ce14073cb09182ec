"""Axes of a design space: lists of values, and parts and shapes whose rows bring several quantities at once."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from dse.arithmetic.exact_floats import LARGEST_INTEGER, as_float64
from dse.authoring.declare.enumerations import Enumerated, Enumeration
from dse.authoring.table import RESERVED, Table
from dse.authoring.watch.validation import refuse_faulty_validation
from dse.errors import InputError, ModelError, one_of
from dse.units import TEXT, display_unit, parse_quantity

__all__ = ["Axis", "enumerated_axis", "linspace_axis", "part_axis", "powers_of_two_axis", "range_axis", "values_axis"]
__all__ += ["with_confidence"]

_T = TypeVar("_T")
_LARGEST = 10_000_000
_ROUNDINGS = 4  # in the last place, of a unit, a product and a sum
_PROPOSED = 20_000  # labels among which the nearest to a wrong one is looked for


@dataclass(frozen=True, eq=False)
class Axis:
    """One choice of a design.

    Attributes
    ----------
    name : str
        Name of the choice; of its quantity too, unless it is a part axis.
    columns : dict of str to ndarray
        The quantities a choice brings, SI floats (or texts), all of the same length.
    units : dict of str to str
    labels : tuple of str, optional
        How the rows of a part axis are called.
    source : str
        Where the values come from.
    sources, confidences : tuple of str
        Of each row of a part axis; no confidences where the catalogue has no such column.
    validations : tuple of str
        How well the law each part is used with held for real machines; empty where the catalogue has no such column.
    synthetic_rows : tuple of bool
        Which rows of a part axis are marked synthetic; empty where the catalogue has no such column.
    enumerated : Enumerated, optional
        What an enumeration considered, kept and refused to make the rows.
    joined : str
        What the rows of another catalogue are named by whose columns each row has too ("device" of boards); it is what
        the validations are of.
    parts : tuple of str
        With `joined`, the row of that catalogue that each row has.

    Raises
    ------
    InputError
        A column of numbers that do not become float64 without loss.
    """

    name: str
    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    source: str
    labels: tuple[str, ...] | None = None
    sources: tuple[str, ...] = ()
    synthetic_rows: tuple[bool, ...] = ()
    confidences: tuple[str, ...] = ()
    validations: tuple[str, ...] = ()
    enumerated: Enumerated | None = None
    joined: str = ""
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make every column of numbers float64, which is all that model functions and searches meet."""
        columns = {
            name: values if self.units.get(name) == TEXT else _column(name, values)
            for name, values in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)

    def __len__(self) -> int:
        return len(self.labels) if self.labels is not None else len(next(iter(self.columns.values())))

    @property
    def is_part(self) -> bool:
        """Whether each row is a part with several columns."""
        return self.labels is not None

    @property
    def synthetic(self) -> bool:
        """Whether any row is marked synthetic."""
        return any(self.synthetic_rows)

    @property
    def confidence_name(self) -> str:
        """What the confidence of the chosen part is called beside it: "switch_confidence"."""
        return f"{self.name}_confidence"

    def confidence(self, row: int) -> str:
        """Return how sure the figures of a part are, empty where the catalogue does not say."""
        return self.confidences[row] if self.confidences else ""

    @property
    def validation_name(self) -> str:
        """What the validation of the chosen part is called in tables: "switch_validation"."""
        return f"{self.name}_validation"

    def validation(self, row: int) -> str:
        """Return how well the law of a part held for real machines, empty where the catalogue does not say."""
        return self.validations[row] if self.validations else ""

    def label(self, row: int) -> str:
        """Return what a person reads for a row: the part's name, or the value with its unit."""
        if self.labels is not None:
            return self.labels[row]
        unit = self.units[self.name]
        value = self.columns[self.name][row]
        if unit == TEXT:
            return str(value)
        scale, shown = display_unit(unit, float(value))
        return f"{value / scale:.12g} {shown}".strip()

    def row_of(self, value: object) -> int:
        """Return the row of a label or a value with its unit.

        Raises
        ------
        InputError
            A value the axis does not have.
        """
        names = [self.label(row) for row in range(len(self))]
        if self.labels is not None or self.units[self.name] == TEXT:
            wanted = self._label_of(str(value))
            if wanted in names:
                return names.index(wanted)
            raise InputError(
                f"'{self.name}' has no '{value}'",
                allowed=one_of(names),
                wrong=str(value),
                candidates=names if len(names) <= _PROPOSED else (),
            )
        number = parse_quantity(value, self.units[self.name])
        hits = np.flatnonzero(np.isclose(self.columns[self.name], number, rtol=1e-12, atol=0.0))
        if not len(hits):
            raise InputError(f"'{self.name}' has no value {value}", allowed=one_of(names))
        return int(hits[0])

    def _label_of(self, name: str) -> str:
        """Return the label that a short name stands for; else what was given."""
        rows = self.enumerated
        if rows is None or rows.naming is None or name in rows.labels:
            return name
        short = rows.short_names(range(rows.kept))
        return rows.labels[short.index(name)] if name in short else name

    @property
    def validated(self) -> str:
        """What the parts with validations are called by: the axis, or the column that joins a catalogue."""
        return self.joined or self.name

    def names(self, name: str) -> list[str] | None:
        """Return what each row is called by a name: the label by that of the axis, the text by that of a column.

        None where it is neither. Rows may share a text: boards of one device.
        """
        if name == self.name:
            return [self.label(row) for row in range(len(self))]
        if name and name == self.joined:
            return list(self.parts)
        return None

    def rows_named(self, name: str, value: object) -> list[int]:
        """Return the rows that have a label, a value or a text.

        Raises
        ------
        InputError
            None has it.
        """
        texts = self.names(name) if name != self.name else None
        if texts is None:
            return [self.row_of(value)]
        rows = [row for row, text in enumerate(texts) if text == str(value)]
        if not rows:
            known = list(dict.fromkeys(texts))
            raise InputError(f"'{name}' has no '{value}'", allowed=one_of(known), wrong=str(value), candidates=known)
        return rows

    def only(self, row: int) -> Axis:
        """Return the axis with one row."""
        return self.with_rows([row])

    def with_rows(self, rows: Sequence[int]) -> Axis:
        """Return the axis with some of its rows."""
        whole = np.asarray(rows, dtype=np.int64)

        def kept(texts: tuple[_T, ...]) -> tuple[_T, ...]:
            return tuple(texts[row] for row in rows) if texts else texts

        return replace(
            self,
            columns={name: values[whole] for name, values in self.columns.items()},
            labels=None if self.labels is None else kept(self.labels),
            sources=kept(self.sources),
            synthetic_rows=kept(self.synthetic_rows),
            confidences=kept(self.confidences),
            validations=kept(self.validations),
            parts=kept(self.parts),
        )


def _column(name: str, values: np.ndarray) -> np.ndarray:
    try:
        return as_float64(values)
    except ValueError as error:
        raise InputError(f"the column '{name}' {error}", allowed="numbers that are float64") from None


def values_axis(name: str, values: Sequence[object], unit: str, source: str = "study") -> Axis:
    """Make an axis of listed values: numbers with units, or texts when `unit` is ``"text"``."""
    if not values:
        raise InputError("the axis has no values", allowed="at least one value")
    if unit == TEXT:
        array = np.array([str(value) for value in values], dtype=object)
    else:
        array = np.empty(len(values))
        for position, value in enumerate(values):
            try:
                array[position] = _exact(value, unit)
            except InputError as error:
                raise error.within(key=f"values[{position}]") from None
    _, first, counts = np.unique(array, return_index=True, return_counts=True)
    if counts.max() > 1:
        raise InputError(f"the value {values[first[counts.argmax()]]} stands twice", allowed="each value once")
    return Axis(name, {name: array}, {name: unit}, source)


def range_axis(name: str, first: object, last: object, step: object, unit: str, source: str = "study") -> Axis:
    """Make an axis from `first` to `last` inclusive in steps."""
    low, high = _exact(first, unit), _exact(last, unit)
    width = _exact(step, unit) if step is not None else None
    if width is None:
        if unit != "1":
            raise InputError("a range of a quantity with a unit needs a step", allowed="{ range = [a, b], step = c }")
        width = 1.0
    if not width > 0:
        raise InputError(f"the step is {step}", allowed="a step > 0")
    if low > high:
        raise InputError(f"the range runs downwards: {first} to {last}", allowed="first <= last")
    steps = (high - low) / width * (1 + 1e-12) + 1e-9
    count = math.floor(min(steps, 1e18)) + 1
    _refuse_long(count)
    if max(abs(low), abs(high)) > LARGEST_INTEGER and (unit == "1" or width <= np.spacing(max(abs(low), abs(high)))):
        raise InputError(
            f"the range from {first} to {last} has values beyond 2**53, where not every whole number is a float64",
            allowed="up to 9007199254740992, or { values = [...] }",
        )
    array = _as_written(low + width * np.arange(count), whole=low.is_integer() and width.is_integer())
    if not (np.diff(array) > 0).all():
        raise InputError(f"the step {step} is too small to tell the values apart", allowed="a larger step")
    return Axis(name, {name: array}, {name: unit}, source)


def powers_of_two_axis(name: str, first: object, last: object, unit: str, source: str = "study") -> Axis:
    """Make an axis of the powers of two from `first` to `last` inclusive."""
    low, high = parse_quantity(first, unit), parse_quantity(last, unit)
    if low > high:
        raise InputError(f"the range runs downwards: {first} to {last}", allowed="first <= last")
    for value, written in ((low, first), (high, last)):
        if value <= 0 or math.frexp(value)[0] != 0.5:
            raise InputError(f"{written} is no power of two", allowed="1, 2, 4, 8, …")
    begin, end = math.frexp(low)[1] - 1, math.frexp(high)[1] - 1
    array = np.array([2.0**exponent for exponent in range(begin, end + 1)])
    return Axis(name, {name: array}, {name: unit}, source)


def linspace_axis(name: str, first: object, last: object, count: int, unit: str, source: str = "study") -> Axis:
    """Make an axis of `count` evenly spaced values from `first` to `last` inclusive."""
    low, high = parse_quantity(first, unit), parse_quantity(last, unit)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"the number of points is {count!r}", allowed="a whole number >= 1")
    if low > high or (low == high and count > 1):
        raise InputError(f"the range does not run upwards: {first} to {last}", allowed="first < last")
    _refuse_long(count)
    array = _as_written(np.linspace(low, high, count))
    if not (np.diff(array) > 0).all():
        raise InputError(f"{count} points from {first} to {last} cannot be told apart", allowed="fewer points")
    return Axis(name, {name: array}, {name: unit}, source)


def _as_written(values: np.ndarray, *, whole: bool = False) -> np.ndarray:
    """Return computed values as a person would write them, 1.2 for 1.0 + 2 * 0.1: with 15 digits, where these tell all.

    Values stay as computed where they are whole numbers (exact up to 2**53), where ends or steps need more digits.
    """
    if whole and np.abs(values).max() <= LARGEST_INTEGER:
        return values
    rounded = np.array([float(f"{value:.15g}") for value in values])
    ends, around = values[[0, -1]], np.spacing(np.abs(values).max())
    same_ends = (np.abs(rounded[[0, -1]] - ends) <= _ROUNDINGS * around).all()
    first = rounded[0] == values[0] or abs(rounded[0] - values[0]) <= np.spacing(abs(values[0]))
    return rounded if first and same_ends and (np.diff(rounded) > 0).all() else values


def _exact(value: object, unit: str) -> float:
    """Read a quantity; refuse an integer that no float64 is."""
    if isinstance(value, int) and not isinstance(value, bool) and unit == "1":
        try:
            as_float64(value)
        except ValueError as error:
            raise InputError(f"the value {error}", allowed="up to 9007199254740992, or a number with a point") from None
    return parse_quantity(value, unit)


def _refuse_long(count: int) -> None:
    if count > _LARGEST:
        raise InputError(f"the axis has {count} values", allowed=f"at most {_LARGEST}")


def part_axis(name: str, table: Table, label: str | None = None) -> Axis:
    """Make an axis of the rows of a catalogue: each row brings all its columns."""
    columns = {column: values for column, values in table.columns.items() if column not in RESERVED}
    units = {column: table.units[column] for column in columns}
    if label is None:
        texts = [column for column, unit in units.items() if unit == TEXT]
        label = "name" if "name" in texts else texts[0] if len(texts) == 1 else None
        if label is None:
            raise InputError("a part axis needs to know what its rows are called", key="label", allowed=sorted(units))
    labels = tuple(str(cell) for cell in table[label])
    if not all(text.strip() for text in labels):
        raise InputError(
            f"a row has no text in the column '{label}'", file=table.name, allowed="a label that names one row"
        )
    twice = [text for text, count in Counter(labels).items() if count > 1]
    if twice:
        raise InputError(
            f"'{min(twice)}' stands twice in the column '{label}'",
            file=table.name,
            allowed="a label that names one row",
        )
    sources = tuple(table.columns["source"]) if "source" in table.columns else (f"file {table.name}",) * len(table)
    confidences = tuple(cell or "not stated" for cell in table.columns.get("confidence", ()))
    synthetic = tuple(cell == "yes" for cell in table.columns.get("synthetic", ()))
    validations = tuple(table.columns.get("validation", ()))
    for line, text in zip(table.lines, validations, strict=False):
        try:
            refuse_faulty_validation(text)
        except InputError as error:
            raise error.within(file=table.name, key=f"line {line}, column 'validation'") from None
    return Axis(name, columns, units, table.name, labels, sources, synthetic, confidences, validations)


def enumerated_axis(
    name: str,
    enumeration: Enumeration,
    given: Mapping[str, object],
    written: str,
    units: Mapping[str, str],
    *,
    empty: bool = False,
) -> Axis:
    """Make an axis of the shapes an enumeration finds.

    Parameters
    ----------
    name : str
    enumeration : Enumeration
    given : dict
        Its options.
    written : str
        How the study names it.
    units : dict of str to str
        Units of the quantities the models declare.
    empty : bool
        Whether figures may be missing (NaN).

    Raises
    ------
    ModelError
        A column that no model declares.
    """
    rows = enumeration.rows(given, empty=empty)
    for column in rows.columns:
        if column not in units:
            raise ModelError(
                f"{enumeration.label} gives '{column}', which no model of the study declares as a parameter with a unit"
            )
        if units[column] == TEXT:
            raise ModelError(f"{enumeration.label} gives numbers for '{column}', which is declared a text")
    options = ", ".join(
        f"{option} = {json.dumps(value, ensure_ascii=False, default=str)}" for option, value in given.items()
    )
    return Axis(
        name,
        rows.columns,
        {column: units[column] for column in rows.columns},
        f"{written} ({options})",
        tuple(rows.labels),
        tuple(rows.sources) or (enumeration.source,) * rows.kept,
        confidences=tuple(cell or "not stated" for cell in rows.confidences),
        validations=tuple(rows.validations),
        enumerated=rows,
        joined=rows.joined,
        parts=tuple(rows.parts),
    )


def with_confidence(label: str, confidence: str) -> str:
    """Return what a person reads of a part, with how sure its figures are."""
    return f"{label} (confidence: {confidence})" if confidence else label
