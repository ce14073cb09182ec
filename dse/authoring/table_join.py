"""Rows of one catalogue with those of another that they name: boards, with the devices that are on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.authoring.table import Table
from dse.errors import InputError
from dse.units import TEXT

__all__ = ["joined"]

_NAME = "name"
_BOTH = ("source", "confidence")  # of both rows, one after the other


def joined(table: Table, column: str, other: Table) -> Table:
    """Return a table with the columns of the row of another one that each of its rows names.

    Columns that both have are those of `table`; of sources and confidences both are kept.

    Parameters
    ----------
    table : Table
    column : str
        The column of `table` that names rows.
    other : Table
        Whose column ``name`` is meant.

    Raises
    ------
    InputError
        No such column of texts, or a name that `other` has not.
    """
    if table.units.get(column) != TEXT:
        texts = [name for name, unit in table.units.items() if unit == TEXT]
        raise InputError(
            f"no column '{column}' of texts", file=table.name, allowed=texts, wrong=column, candidates=texts
        )
    names = [str(name) for name in other[_NAME]]
    for line, wanted in zip(table.lines, table[column], strict=True):
        if str(wanted) not in names:
            raise InputError(
                f"'{wanted}' is no row of {other.name}",
                file=table.name,
                key=f"line {line}, column '{column}'",
                allowed=names,
                wrong=str(wanted),
                candidates=names,
            )
    rows = np.array([names.index(str(wanted)) for wanted in table[column]])
    columns, units = dict(table.columns), dict(table.units)
    for name, values in other.columns.items():
        if name not in columns:
            columns[name], units[name] = values[rows], other.units[name]
    for name in _BOTH:
        if name in table.columns and name in other.columns:
            pairs = zip(table.columns[name], other.columns[name][rows], table[column], strict=True)
            columns[name] = np.array([_with(own, named, part) for own, named, part in pairs], dtype=object)
    return replace(table, columns=columns, units=units)


def _with(own: object, named: object, part: object) -> str:
    return f"{own}; {part}: {named}" if str(named) else str(own)
