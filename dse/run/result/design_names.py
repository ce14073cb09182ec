"""Names of the designs of a frontier: ``A1``, ``A2``, … in the order of the first objective, the best first.

Of designs that are equal in it the other objectives decide, in their order, and then the row. A name holds within a
run; the row of the table and the number of the space stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.errors import InputError

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["name_of", "names_of", "row_named"]

_NAME = re.compile(r"\s*[Aa]([1-9][0-9]{0,8})\s*")
_ROW = re.compile(r"\s*([0-9]{1,9})\s*")


def name_of(run: Run, row: int) -> str:
    """Return the name of a row of the frontier."""
    return f"A{int(run.ranks[row]) + 1}"


def names_of(run: Run, rows: Sequence[int]) -> list[str]:
    """Return the names of rows of the frontier."""
    return [name_of(run, row) for row in rows]


def row_named(run: Run, text: str, key: str | None = None) -> int:
    """Return the row of the frontier that a person means, by its name or by its number.

    Parameters
    ----------
    run : Run
    text : str
        ``"A3"``, or ``"2"``: row 2.
    key : str, optional
        The option it was given with, for the message.

    Raises
    ------
    InputError
        No such design.
    """
    count = len(run.frontier)
    named, row = _NAME.fullmatch(text), _ROW.fullmatch(text)
    if named is not None and int(named[1]) <= count:
        return int(np.flatnonzero(run.ranks == int(named[1]) - 1)[0])
    if row is not None and int(row[1]) < count:
        return int(row[1])
    if not count:
        raise InputError("the frontier has no designs", key=key, file=run.folder)
    rows = f", or row {'0' if count == 1 else f'0 to {count - 1}'}"
    if key == "--design" and row is not None:
        rows += f"; --number {row[1]} for the design of that number"
    raise InputError(
        f"the frontier has no {'row' if row is not None else 'design'} {text.strip()}",
        key=key,
        file=run.folder,
        allowed=f"{'A1' if count == 1 else f'A1 to A{count}'}{rows}",
    )
