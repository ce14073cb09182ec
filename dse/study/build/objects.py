"""Studies from Python objects: what is written in Python, as the document that a study file holds.

    Study(
        name="mine",
        functions=[run_time, power],
        axes={"nodes": range(1, 129), "frequency": linspace("1 GHz", "3 GHz", 21)},
        objectives=[minimize("run_time"), minimize("power")],
        constraints=["power <= 40 kW"],
    )

The keywords are the keys of a study file (`dse.study.file.schema`); those of ``[space]`` stand beside the others.
Messages name the keyword.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TypedDict, cast

import numpy as np

from dse.errors import InputError
from dse.study.file.schema import StudySpec

__all__ = ["StudyKeys", "alternative", "document_of", "enumerated", "in_python", "linspace", "maximize", "minimize"]
__all__ += ["part", "powers_of_two", "range_of", "values"]

Axis = Mapping[str, object] | Sequence[object] | np.ndarray
"""An axis: of one of the functions below, or its values."""

_OF_SPACE = ("axes", "alternatives", "choices", "exclude")
_SPACE = re.compile(r"space\.(?=(?:" + "|".join(_OF_SPACE) + r")\b)")


class AxisKeys(TypedDict, total=False):
    """What a study file says of an axis: one of the kinds, and what they have in common."""

    values: Sequence[float | str]
    range: Sequence[float | str]
    step: float | str
    linspace: Sequence[float | str | int]
    powers_of_two: Sequence[float | str]
    part: str
    enumerate: str
    given: Mapping[str, object]
    where: Mapping[str, object]
    label: str
    unit: str
    only: Sequence[str]
    without: Sequence[float | str]


class AlternativeKeys(TypedDict, total=False):
    """What an alternative, or a member of a choice, has beside what is common."""

    description: str
    axes: Mapping[str, Axis]
    set: Mapping[str, float | str]
    use: Mapping[str, str]
    tables: Mapping[str, str | Mapping[str, object]]


class StudyKeys(TypedDict, total=False):
    """The keywords of a study that is made of objects, beside its models and functions.

    Attributes
    ----------
    name : str
        Its name, which is that of its run folder too.
    question, source : str
        What it asks; which publication it reproduces.
    axes : dict
        By name: `values`, `range_of`, `linspace`, `powers_of_two`, `part`, `enumerated`, a list, an array, or a range
        of Python, whose end is left out as ever.
    alternatives : dict
        By name: `alternative`.
    choices : dict
        By the name of a choice and of a member: `alternative`.
    exclude : list of str
        Which combinations of members there are not.
    objectives : list
        `minimize` and `maximize`.
    constraints, also, lift : list of str
        Conditions a design meets; quantities shown beside the objectives; requirements that do not hold.
    quantities : dict
        Expressions by name.
    set, use : dict
        Values of parameters and assumptions; the component that fills a slot.
    tables : dict
        By name: a file, or a dict with ``file`` and ``where``.
    labels : dict
        What people read instead of the names of quantities.
    index, references, search, uncertain, trust : dict
        As in a study file.
    """

    name: str
    question: str
    source: str
    axes: Mapping[str, Axis]
    alternatives: Mapping[str, Mapping[str, object]]
    choices: Mapping[str, Mapping[str, Mapping[str, object]]]
    exclude: Sequence[str]
    objectives: Sequence[Mapping[str, str]]
    constraints: Sequence[str]
    also: Sequence[str]
    lift: Sequence[str]
    quantities: Mapping[str, str | Mapping[str, object]]
    set: Mapping[str, float | str]
    use: Mapping[str, str]
    tables: Mapping[str, str | Mapping[str, object]]
    labels: Mapping[str, str]
    index: Mapping[str, Mapping[str, Mapping[str, object]]]
    references: Mapping[str, Mapping[str, object]]
    search: Mapping[str, object]
    uncertain: Mapping[str, Mapping[str, object]]
    trust: Mapping[str, object]


def values(*given: float | str, unit: str | None = None, without: Sequence[float | str] = ()) -> AxisKeys:
    """Return an axis of some values: ``values("1 GHz", "2 GHz")`` or ``values(1, 2, unit="GHz")``."""
    return _axis(values=list(given), unit=unit, without=without)


def range_of(
    first: float | str,
    last: float | str,
    step: float | str | None = None,
    *,
    unit: str | None = None,
    without: Sequence[float | str] = (),
) -> AxisKeys:
    """Return an axis from the first to the last value in steps: ``range_of("1 GHz", "3 GHz", "0.1 GHz")``."""
    return _axis(range=[first, last], step=step, unit=unit, without=without)


def linspace(
    first: float | str, last: float | str, count: int, *, unit: str | None = None, without: Sequence[float | str] = ()
) -> AxisKeys:
    """Return an axis of so many values at equal distances, the first and the last among them."""
    return _axis(linspace=[first, last, count], unit=unit, without=without)


def powers_of_two(
    first: float | str, last: float | str, *, unit: str | None = None, without: Sequence[float | str] = ()
) -> AxisKeys:
    """Return an axis of the powers of two from the first to the last value."""
    return _axis(powers_of_two=[first, last], unit=unit, without=without)


def part(
    file: str | PurePath,
    *,
    where: Mapping[str, object] | None = None,
    label: str | None = None,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
) -> AxisKeys:
    """Return an axis of the parts in a catalogue: ``part("network/fabrics.csv", where={"lanes": 4})``."""
    return _axis(part=str(file), where=where, label=label, only=only, without=without)


def enumerated(enumeration: str, *, only: Sequence[str] = (), without: Sequence[str] = (), **given: object) -> AxisKeys:
    """Return an axis of the shapes an enumeration lists: ``enumerated("network.torus", nodes=4096)``."""
    return _axis(enumerate=enumeration, given=given, only=only, without=without)


def minimize(quantity: str) -> dict[str, str]:
    """Return an objective: the least of a quantity."""
    return {"minimize": quantity}


def maximize(quantity: str) -> dict[str, str]:
    """Return an objective: the most of a quantity."""
    return {"maximize": quantity}


def alternative(
    *,
    axes: Mapping[str, Axis] | None = None,
    set: Mapping[str, float | str] | None = None,
    use: Mapping[str, str] | None = None,
    tables: Mapping[str, str | Mapping[str, object]] | None = None,
    description: str = "",
) -> AlternativeKeys:
    """Return an alternative of the space, or a member of a choice: what it has beside what is common."""
    given = _given(description=description, axes=axes, set=set, use=use, tables=tables)
    return cast("AlternativeKeys", given)


def _axis(**keys: object) -> AxisKeys:
    return cast("AxisKeys", _given(**keys))


def _given(**keys: object) -> dict[str, object]:
    """Return what was given of some keys; a list is, though it may be empty."""
    empty = {key for key, value in keys.items() if isinstance(value, (str, tuple, dict)) and not value}
    return {key: value for key, value in keys.items() if value is not None and key not in empty}


def document_of(keys: Mapping[str, object]) -> dict[str, object]:
    """Return the document of a study from its keywords.

    Raises
    ------
    InputError
        A keyword that is missing or unknown, a value that no file could hold.
    """
    given = {key: value for key, value in keys.items() if value is not None}
    known = [key for key in (*StudySpec.model_fields, *_OF_SPACE, "functions", "inputs") if key != "space"]
    for key in given:
        if key not in known:
            raise InputError(f"unknown keyword '{key}'", allowed=known, wrong=key, candidates=known)
    for key in ("name", "objectives"):
        if key not in given:
            example = {"name": "Study(name='mine', …)", "objectives": "objectives=[minimize('run_time')]"}
            raise InputError("is missing", key=key, allowed=example[key])
    space: dict[str, object] = {}
    for key in _OF_SPACE:
        if key in given:
            space[key] = given.pop(key)
    document: dict[str, object] = {**given, "space": space}
    for holder, place in _holders(document, space):
        axes, tables = holder.get("axes"), holder.get("tables")
        if isinstance(axes, Mapping):
            holder["axes"] = {name: _of_axis(axis, f"{place}axes.{name}") for name, axis in axes.items()}
        if isinstance(tables, Mapping):
            holder["tables"] = {
                name: {"file": str(table)} if isinstance(table, (str, PurePath)) else table
                for name, table in tables.items()
            }
    return _plain_table(document, "")


def _holders(document: dict[str, object], space: dict[str, object]) -> list[tuple[dict[str, object], str]]:
    """Return the tables that may hold axes and tables, copied into the document, each with its place."""
    holders = [(document, ""), (space, "")]

    def copied(holder: dict[str, object], key: str, place: str, depth: int) -> None:
        written = holder.get(key)
        if not isinstance(written, Mapping):
            return
        members = holder[key] = dict(written)
        for name, own in written.items():
            if not isinstance(own, Mapping):
                continue
            if depth:
                copied(members, name, f"{place}{key}.", depth - 1)
            else:
                members[name] = member = dict(own)
                holders.append((member, f"{place}{key}.{name}."))

    copied(space, "alternatives", "", 0)
    copied(space, "choices", "", 1)
    copied(document, "references", "", 0)
    copied(document, "index", "", 1)
    return holders


def _of_axis(axis: object, place: str) -> object:
    """Return what a study file says of an axis that may be a list, an array or a range of Python."""
    if isinstance(axis, range):
        if not len(axis):
            raise InputError(f"{axis!r} is empty", key=place, allowed="at least one value")
        if axis.step < 0:
            return {"values": list(axis)}
        return {"range": [axis[0], axis[-1]], **({"step": axis.step} if axis.step != 1 else {})}
    if isinstance(axis, (list, tuple, np.ndarray)):
        return {"values": list(axis)}
    if isinstance(axis, (int, float, str, np.generic)) and not isinstance(axis, (bool, np.bool_)):
        return {"values": [axis]}
    return axis


def _plain_table(table: Mapping[str, object], place: str) -> dict[str, object]:
    plain = {}
    for key, item in table.items():
        if not isinstance(key, str):
            raise InputError(f"the key {key!r} is no text", key=place or None, allowed="a name in quotes")
        if item is not None:
            plain[key] = _plain(item, f"{place}.{key}" if place else key)
    return plain


def _plain(value: object, place: str) -> object:
    """Return a value as a study file holds it: Python's own numbers, texts, lists and dicts."""
    if isinstance(value, Mapping):
        return _plain_table(value, place)
    if isinstance(value, (list, tuple, range, np.ndarray)):
        return [_plain(item, f"{place}[{position}]") for position, item in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, PurePath):
        return value.as_posix()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise InputError(
        f"a {type(value).__name__} stands there",
        key=_SPACE.sub("", place),
        allowed="a number, a text, a list or a dict",
    )


def in_python(error: InputError) -> InputError:
    """Return an error of a study made of objects with the keyword its key stands for."""
    if error.key:
        error.key = _SPACE.sub("", error.key)
        error.within()
    return error
