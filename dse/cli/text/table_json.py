"""A table as JSON, a list of one object per row, written a piece at a time: a long frontier is never there twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rows_as_json"]

_PIECE = 20_000


def rows_as_json(frame: pd.DataFrame, margin: str = " ") -> Iterator[str]:
    """Yield the pieces of a list of rows, as `json.dumps` writes the plain values of each with an indent of 1.

    Parameters
    ----------
    frame : DataFrame
        Numbers, truth values, texts, and dictionaries of texts; what is not finite or missing becomes null.
    margin : str
        What stands before the line on which the list begins.
    """
    if not len(frame):
        yield "[]"
        return
    keys = [f"{margin}  {json.dumps(str(name)).replace('%', '%%')}: %s" for name in frame.columns]
    row = f"\n{margin} {{\n" + ",\n".join(keys) + f"\n{margin} }}"
    for begin in range(0, len(frame), _PIECE):
        piece = frame.iloc[begin : begin + _PIECE]
        cells = zip(*(_cells(piece[name], f"{margin}  ") for name in frame.columns), strict=True)
        yield "," if begin else "["
        yield ",".join([row % cell for cell in cells])
    yield f"\n{margin}]"


def _cells(column: pd.Series, margin: str) -> list[str]:
    """Return the values of a column as JSON; `margin` stands before the lines of a dictionary."""
    from dse.analysis.choose.pick import plain

    values = column.tolist()
    if column.dtype.kind in "iu":
        return list(map(str, values))
    if column.dtype.kind == "f":
        return ["null" if value - value != 0.0 else repr(value) for value in values]
    if any(isinstance(value, dict) for value in values):
        written = {id(value): json.dumps(value, indent=1).replace("\n", f"\n{margin}") for value in values}
        return [written[id(value)] for value in values]
    texts = {value: json.dumps(value) for value in {value for value in values if isinstance(value, str)}}
    return [texts[value] if isinstance(value, str) else json.dumps(plain(value)) for value in values]
