"""Rows of whole runs beside those of processes: the mean of a call path over them, as Extra-P takes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from dse.models.measured_laws.tables.rows import Row

__all__ = ["mean_rows"]


def mean_rows(rows: Sequence[Row], files: Collection[str]) -> list[Row]:
    """Return a row of the whole run for each metric and call path that files have of processes alone.

    Parameters
    ----------
    rows : sequence of Row
    files : collection of str
        Files of formats that hold processes and no runs.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.rank is not None and row.file in files:
            at = tuple(sorted(row.parameters.items()))
            groups.setdefault((row.application, row.region, row.metric, at, row.repetition), []).append(row)
    return [replace(held[0], rank=None, value=float(np.mean([row.value for row in held]))) for held in groups.values()]
