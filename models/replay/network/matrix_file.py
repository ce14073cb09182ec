"""Traffic matrices from files: a table of numbers, or the sends of a trace."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from dse.errors import InputError, shown
from dse.models.replay.formats.files import read_trace
from dse.models.replay.network.patterns import traffic_of_matrix
from dse.models.replay.network.traffic import MOST_RANKS_OF_A_MATRIX, Traffic, traffic_of

__all__ = ["read_traffic"]

_LARGEST_FILE = 512 * 1024**2


def read_traffic(path: str) -> Traffic:
    """Return the traffic of a CSV file of numbers alone, row = source, or that of a trace.

    Raises
    ------
    InputError
        A file that cannot be read, a cell that is no number, rows of different lengths.
    """
    place = Path(path)
    if place.suffix.casefold() != ".csv" or not place.is_file():
        return traffic_of(read_trace(path))
    with place.open(encoding="utf-8", errors="replace", newline="") as lines:
        first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if "rank" in [cell.strip() for cell in first.split(",")]:
        return traffic_of(read_trace(path))
    if place.stat().st_size > _LARGEST_FILE:
        raise InputError(f"has {place.stat().st_size:,} bytes", file=place, allowed=f"at most {_LARGEST_FILE:,}")
    try:
        return traffic_of_matrix(_numbers(place))
    except InputError as error:
        raise error.within(file=place) from None


def _numbers(place: Path) -> np.ndarray:
    rows: list[list[float]] = []
    with place.open(encoding="utf-8", errors="replace", newline="") as lines:
        for cells in csv.reader(line for line in lines if not line.startswith("#")):
            if not cells:
                continue
            if len(rows) == MOST_RANKS_OF_A_MATRIX:
                raise InputError("more rows", allowed=f"at most {MOST_RANKS_OF_A_MATRIX:,}")
            rows.append([_number(cell, len(rows), column) for column, cell in enumerate(cells)])
            if len(rows[-1]) != len(rows[0]):
                raise InputError(f"{len(rows[-1])} cells", key=f"row {len(rows) - 1}", allowed=f"{len(rows[0])}")
    if not rows:
        raise InputError("is empty", allowed="as many columns as rows")
    return np.array(rows)


def _number(cell: str, row: int, column: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(shown(cell), key=f"row {row} column {column}", allowed="a number of bytes") from None
