"""Heat maps of a program as pictures beside the designs that run it: of studies whose profile has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dse.authoring.picture import Box, Drawing, Kind, Shape, Text, picture
from dse.models.workload.locality.address_view import address_view, coarser
from dse.models.workload.locality.locality_map import locality_view, measured_map
from dse.models.workload.locality.summary import size
from dse.models.workload.profile.profile import ProcessClass, WorkloadProfile
from dse.units import format_number

__all__ = ["draw_accesses_of_program", "draw_locality_of_program"]

_ROWS, _COLUMNS = 32, 40
_LEFT, _CELL_WIDTH, _CELL_HEIGHT, _FOOT = 110.0, 12.0, 9.0, 30.0
_STEPS = ("faint", "light", "strong", "most")
_TONES = ("rule", "yellow", "orange", "red")


def _only(profile: Any) -> ProcessClass | None:
    return profile.classes[0] if isinstance(profile, WorkloadProfile) and len(profile.classes) == 1 else None


def _has_addresses(profile: Any = None) -> bool:
    item = _only(profile)
    return item is not None and item.address_map is not None and bool(item.address_map.first_bytes)


def _has_locality(profile: Any = None) -> bool:
    item = _only(profile)
    return item is not None and measured_map(item) is not None


@picture(title="Where and when the program accesses memory", when=_has_addresses)
def draw_accesses_of_program(profile: Any = None) -> Drawing:
    """Accesses by address, the lowest first, and by time to the right; the stronger, the more (by their logarithm)."""
    view = coarser(address_view(profile.only.address_map), _ROWS, _COLUMNS)
    labels = [f"{first:#x}" for first in view.first_bytes.tolist()]
    sizes = f"rows of {size(view.row_bytes)}, columns of {format_number(view.column_accesses)} accesses"
    caption = f"{profile.name}: {format_number(int(view.counts.sum()))} accesses, {sizes}"
    return _map(np.log1p(view.counts), labels, "accesses of the program, in their order", caption, "accesses")


@picture(title="How far apart the program accesses memory", when=_has_locality)
def draw_locality_of_program(profile: Any = None) -> Drawing:
    """Probability that the access t later lies s bytes away (Anghel 2017, Section 3.3.3): s upwards, t to the right."""
    view = locality_view(profile.only.heatmap)
    rows = np.array_split(np.arange(len(view.offsets)), min(_ROWS, len(view.offsets)))
    columns = np.array_split(np.arange(len(view.lags)), min(_COLUMNS, len(view.lags)))
    cells = np.array([[view.p[np.ix_(row, column)].max() for column in columns] for row in rows])[::-1]
    labels = [f"{view.offsets[row[0]]} to {view.offsets[row[-1]]} B" for row in rows][::-1]
    largest = "; ".join(f"{s} B after {t}: {format_number(p)}" for s, t, p in view.largest(3))
    caption = f"{profile.name}: largest probability of each cell; {largest}"
    first, last = view.lags[0], view.lags[-1]
    return _map(cells, labels, f"accesses later, {first} to {last}", caption, "probability")


def _map(cells: np.ndarray, labels: list[str], below: str, caption: str, what: str) -> Drawing:
    most = float(cells.max()) or 1.0
    step = np.ceil(cells / most * len(_STEPS)).astype(int)
    kinds = {
        name: Kind(tone, f"{what}: {name}", soft=name == "faint") for name, tone in zip(_STEPS, _TONES, strict=True)
    } | {"words": Kind("ink")}
    shapes = [*_cells(step), *_words(labels)]
    width, height = _LEFT + cells.shape[1] * _CELL_WIDTH + 10.0, cells.shape[0] * _CELL_HEIGHT + _FOOT
    shapes.append(Text(_LEFT, height - 8.0, below, "words", anchor="start"))
    return Drawing(max(width, 320.0), height, tuple(shapes), kinds, caption, caption)


def _cells(step: np.ndarray) -> Iterator[Shape]:
    for row, column in zip(*np.nonzero(step), strict=True):
        x, y = _LEFT + (column + 0.5) * _CELL_WIDTH, (row + 0.5) * _CELL_HEIGHT
        yield Box(float(x), float(y), _CELL_WIDTH - 1.0, _CELL_HEIGHT - 1.0, _STEPS[step[row, column] - 1])


def _words(labels: list[str]) -> Iterator[Shape]:
    every = -(-len(labels) // 8)
    for row in range(0, len(labels), every):
        yield Text(_LEFT - 6.0, (row + 0.5) * _CELL_HEIGHT + 4.0, labels[row], "words", anchor="end")
