"""How far columns of a catalogue may be off, by part: what a file of errors beside the catalogue says.

Beside ``spaces/training/devices.csv`` stands ``device-errors.csv``: a row for each quantity and part, ``*`` for all
parts that are not named. Of a part with few measured runs, or with none of its own, less is known, and it is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath

import numpy as np

from dse.authoring.table import read_table
from dse.evaluation.unknowns import Unknown
from dse.space.axes import Axis
from dse.space.design_space import Space

__all__ = ["FEW", "errors_file", "part_errors"]

FEW = 5
"""Measured runs or machines, below which a law is called one of few."""

_OTHERS = "*"


def part_errors(space: Space) -> list[Unknown]:
    """Return an unknown for each part axis and column whose catalogue has a file of errors beside it.

    Parameters
    ----------
    space : Space
    """
    axes: dict[str, list[Axis]] = {}
    for product in space.products:
        for axis in product.axes:
            if axis.is_part:
                axes.setdefault(axis.name, []).append(axis)
    unknowns = []
    for name, own in axes.items():
        file = errors_file(own[0].source)
        if file is not None:
            unknowns += _unknowns(name, own, file)
    return unknowns


def errors_file(catalogue: str) -> Path | None:
    """Return the file of errors beside a catalogue of the library; None where there is none."""
    place = PurePosixPath(catalogue)
    if place.suffix != ".csv" or place.is_absolute() or ".." in place.parts:
        return None
    stem = place.stem.removesuffix("s")
    path = Path(str(files("dse.spaces"))) / place.with_name(f"{stem}-errors.csv")
    return path if path.is_file() else None


def _unknowns(name: str, axes: Sequence[Axis], file: Path) -> list[Unknown]:
    table = read_table(file, name=f"{file.parent.name}/{file.name}")
    rows: dict[str, dict[str, tuple[float, float, int, str]]] = {}
    cells = (table[name].tolist() for name in ("quantity", "name", "low", "high", "runs", "source"))
    for quantity, part, low, high, runs, source in zip(*cells, strict=True):
        rows.setdefault(str(quantity), {})[str(part)] = (float(low), float(high), int(runs), str(source))
    unknowns = []
    for quantity, own in rows.items():
        # A figure of 0 says that the part has no such thing, of which nothing can be off.
        labels = dict.fromkeys(
            axis.label(int(row))
            for axis in axes
            if quantity in axis.columns
            for row in np.flatnonzero(axis.columns[quantity] != 0.0)
        )
        known = {label: own.get(label, own.get(_OTHERS)) for label in labels}
        if any(cell is not None for cell in known.values()):
            unknowns.append(_unknown(quantity, name, known, table.name))
    return unknowns


def _unknown(quantity: str, axis: str, cells: Mapping[str, tuple[float, float, int, str] | None], file: str) -> Unknown:
    known = {label: cell for label, cell in cells.items() if cell is not None}
    rows = {label: (cell[0], cell[1]) for label, cell in known.items()}
    source = next(iter(known.values()))[3]
    return Unknown(
        quantity,
        0.0,
        0.0,
        scope="each",
        axis=axis,
        rows=rows,
        few={label: cell[2] for label, cell in known.items() if cell[2] < FEW},
        source=f"{file}: {source}",
    )
