"""Reading the published figures, which stand in CSV files beside this module."""

from __future__ import annotations

import csv
from pathlib import Path

__all__ = ["rows_of"]


def rows_of(file: str) -> list[dict[str, str]]:
    """Return the rows of a file of this folder by heading."""
    with (Path(__file__).parent / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
