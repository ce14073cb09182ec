"""Labelled stems on one axis: where each stands, so that every label has room to the right of its stem.

Drawn with the lowest value at the top, a label meets no other one and no stem: those of its row that pass it stand to
its left. Lengths are in any unit (characters of a terminal, pixels of a page).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["SPREAD", "StemAxis", "stem_axis"]

SPREAD = 10.0
"""Values that spread further than by this factor stand on a logarithmic axis."""


class StemAxis(NamedTuple):
    """An axis of a length; `start` stands at 0 and `scale` is the length of a decade (logarithmic) or of 1 (linear)."""

    length: float
    start: float
    scale: float
    logarithmic: bool

    def place(self, value: float) -> float:
        """Return where a value stands; what is below the axis (0 on a logarithmic one), at its start."""
        if not self.logarithmic:
            return self.scale * (value - self.start)
        return self.scale * math.log10(value / self.start) if value > self.start else 0.0

    def ticks(self, width: Callable[[float], float]) -> list[float]:
        """Return round values along the axis whose labels, of this width each, do not meet."""
        end = self.length / self.scale
        for ticks in _decades(self.start, end) if self.logarithmic else _steps(self.start, end):
            places = [self.place(tick) for tick in ticks]
            half = [width(tick) / 2 for tick in ticks]
            gaps = zip(places, places[1:], half, half[1:], strict=False)
            if all(right - left >= before + after for left, right, before, after in gaps):
                return ticks
        return []


def stem_axis(
    values: Sequence[float],
    labels: Sequence[float],
    length: float,
    *,
    logarithmic: bool | None = None,
    below: float = 1.0,
) -> StemAxis:
    """Return the axis on which labelled stems have the most room.

    Parameters
    ----------
    values : sequence of float
        Finite, not negative.
    labels : sequence of float
        Length of each label, its distance to the stem included.
    length : float
        Of the axis.
    logarithmic : bool, optional
        By default where the positive values spread by more than `SPREAD`.
    below : float
        A logarithmic axis starts at the least positive value divided by this.
    """
    positive = [value for value in values if value > 0]
    least, most = min(positive, default=1.0), max(positive, default=1.0)
    log = most > SPREAD * least if logarithmic is None else logarithmic
    axis = StemAxis(length, least / below if log else 0.0, 1.0, log)
    places = [axis.place(value) for value in values]
    # At least a decade on the whole axis, so that values that are nearly alike are seen to be so.
    longest = length if log else length / most
    room = [(length - label) / place for place, label in zip(places, labels, strict=True) if place > 0]
    # Labels that leave no room run over the end, but the stems keep a quarter of the axis.
    least_scale = 0.25 * length / max(places) if max(places, default=0.0) > 0 else longest
    return axis._replace(scale=max(min([longest, *room]), min(least_scale, longest)))


def _decades(start: float, decades: float) -> list[list[float]]:
    """Return ticks of a logarithmic axis, the closest first: 1, 2, 5 of each decade, then every n-th decade."""
    end = math.log10(start) + decades
    first, last = math.floor(math.log10(start)), math.ceil(end)
    closest = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]
    coarser = (range(first - first % step, last + 1, step) for step in (1, 2, 3, 5, 10, 20, 50, 100))
    series = [closest, *([float(f"1e{power}") for power in powers] for powers in coarser)]
    return [[tick for tick in ticks if tick >= start and math.log10(tick) <= end] for ticks in series]


def _steps(start: float, reach: float) -> list[list[float]]:
    """Return ticks of a linear axis from 0, the closest first: steps of 1, 2 or 5 times a power of ten."""
    power = math.floor(math.log10(reach)) - 1
    steps = [(digit, power + k) for k in range(3) for digit in (1, 2, 5)]
    return [[float(f"{digit * n}e{p}") for n in range(math.floor(reach / (digit * 10.0**p)) + 1)] for digit, p in steps]
