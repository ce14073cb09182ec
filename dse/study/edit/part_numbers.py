"""A variant in which one row of a part has another number than its catalogue: what a device costs or draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dse.errors import InputError
from dse.space.axes import Axis
from dse.study.build.axes import rows_of_part
from dse.study.file.reading import TomlTable
from dse.study.file.schema import AxisSpec
from dse.units import TEXT

__all__ = ["PartAxis", "refuse_column", "set_part_number"]

_PROPOSED = 3  # rows whose column is named


@dataclass(frozen=True)
class PartAxis:
    """An axis of parts in the document of a study: its key and name, what it says, the table it stands in, its rows."""

    key: str
    name: str
    spec: AxisSpec
    holder: TomlTable
    axis: Axis

    @property
    def numbers(self) -> list[str]:
        """The columns that hold numbers."""
        return [name for name in self.axis.columns if self.axis.units.get(name) != TEXT]


def set_part_number(axes: Iterable[PartAxis], column: str, part: str, value: object, option: str) -> dict[str, str]:
    """Give a row of parts another number, in every axis that has both; return which key the option changed.

    Raises
    ------
    InputError
        No such column, no such part.
    """
    places: dict[str, str] = {}
    columns: dict[str, None] = {}
    missing: list[InputError] = []
    for own in axes:
        columns |= dict.fromkeys(own.numbers)
        if column not in own.numbers:
            continue
        try:
            rows_of_part(own.axis, part)
        except InputError as error:
            missing.append(error)
            continue
        written = own.spec.model_dump(exclude_unset=True)
        before = written.get("set", {})
        own.holder[own.name] = {**written, "set": {**before, column: {**before.get(column, {}), part: value}}}
        places[own.key] = option
    if places:
        return places
    for fault in [*(near for near in missing if near.nearest), *missing][:1]:
        raise fault.within(key=option)
    known = list(columns)
    raise InputError(
        f"no part has a number '{column}'", key=option, allowed=known or "none", wrong=column, candidates=known
    )


def refuse_column(axes: Iterable[PartAxis], name: str, option: str) -> None:
    """Refuse a name that is a column of parts, of which each row has its own number."""
    rows = [
        f"{name}[{own.axis.label(row)}]"
        for own in axes
        if name in own.numbers
        for row in range(min(len(own.axis), _PROPOSED))
    ]
    if rows:
        raise InputError(
            f"'{name}' is a column of parts, so each has its own", key=option, allowed=list(dict.fromkeys(rows))
        )
