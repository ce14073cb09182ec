"""The parts of a frontier whose catalogues say how well the laws they are used with held for real machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.authoring.watch.validation import validation_lines

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["ValidatedParts", "validated_parts"]


class ValidatedParts(NamedTuple):
    """What is told of some designs.

    Attributes
    ----------
    lines : tuple of str
        A line for each part, once: "device MI300A: 2 machines, …".
    without : int
        Designs none of whose parts has such a text.
    """

    lines: tuple[str, ...]
    without: int


def validated_parts(run: Run, rows: Sequence[int] | None = None) -> ValidatedParts:
    """Return what is told of the parts in rows of the frontier (default: in all)."""
    frame = run.frontier if rows is None else run.frontier.iloc[list(rows)]
    lines: list[str] = []
    having = np.zeros(len(frame), dtype=bool)
    for axis, column in run.validation_columns.items():
        having |= (frame[column] != "").to_numpy()
        pairs = frame[[axis, column]].drop_duplicates()
        for part, text in pairs.itertuples(index=False, name=None):
            lines += validation_lines({axis: part}, {axis: text} if text else {})
    return ValidatedParts(tuple(lines), int((~having).sum()))
