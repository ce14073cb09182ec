"""Rows of whole runs beside those of processes: the mean of a call path over them, as Extra-P takes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from dse.models.measured_laws.tables.rows import Row
from dse.units import base_unit

__all__ = ["mean_rows"]


def mean_rows(rows: Sequence[Row], files: Collection[str]) -> list[Row]:
    """Return a row of the whole run for each metric and call path that files have of processes alone.

    A time that is 0 on every process, such as what a call path without messages waits for a sender, has no row: it is
    no time that a law could be of.

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
    means = (replace(held[0], rank=None, value=float(np.mean([row.value for row in held]))) for held in groups.values())
    return [row for row in means if row.value != 0.0 or base_unit(row.unit or "1") != "s"]
