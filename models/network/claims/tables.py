"""Reading the published figures, which stand in CSV files beside this module."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["number", "rows_of", "sizes_of"]


def rows_of(file: str) -> list[dict[str, str]]:
    """Return the rows of a file of this folder by heading."""
    with (Path(__file__).parent / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


_SIZES = ("p", "d", "a", "w0", "w1", "w2", "m1", "m2", "m3")


def sizes_of(row: Mapping[str, str]) -> dict[str, Any]:
    """Return the sizes of a network by symbol; those of the dimensions of a grid stand as "4x4x8"."""
    given = {name: row[name] for name in _SIZES if row[name]}
    return {
        name: tuple(int(side) for side in text.split("x")) if name == "d" else int(text) for name, text in given.items()
    }


def number(text: str) -> Any:
    """Return a number, a whole one as a whole number; None where nothing stands."""
    if not text:
        return None
    return int(text) if text.isdecimal() else float(text)
