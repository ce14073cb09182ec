"""Waits for progress: by hand, and what was published of large runs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dse.authoring.library.claims import Claim, read_figures
from dse.models.progress.call_record import record_of_rows, waits
from dse.models.progress.expected_wait import expected_wait, least_wait_share

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "progress")
_COLUMNS = ["rank", "enter", "exit", "kind", "targets"]
_TARGET = [(1, 0, 1, "other", ""), (1, 5, 6, "other", ""), (1, 9, 10, "other", "")]
_GETS = [(0, 0.5, 0.8, "get", "1"), (0, 2, 5.5, "get", "1"), (0, 6, 7, "get", "1"), (0, 9.5, 11, "get", "1")]


def claims() -> list[Claim]:
    """Return every figure of waiting for progress, with what the models give."""
    gets = waits(record_of_rows(pd.DataFrame([*_GETS, *_TARGET], columns=_COLUMNS)))
    other = [(2, 3, 4, "other", ""), (2, 7, 9, "other", "")]
    fence = waits(record_of_rows(pd.DataFrame([(0, 2, 8, "allfence", ""), *_TARGET, *other], columns=_COLUMNS)))
    count = 1e4
    expected = tuple(float(count * expected_wait(10.0 / count, 2.5 / count, spread)) for spread in (1.0, 0.0))
    computed = (
        tuple(gets[:4].tolist()),
        float(fence[0]),
        expected,
        tuple(least_wait_share([4, 16, 64]).tolist()),
        59e6 / 11e6,
    )
    checked = [title for title in FIGURES if FIGURES.kind(title) == "check"]
    checkable = [FIGURES.claim(title, value) for title, value in zip(checked, computed, strict=True)]
    return [*checkable, *FIGURES.not_checkable()]
