"""An axis of a chart: where values stand, in which unit they are written, and its round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

from dse.units import display_unit

__all__ = ["ChartAxis", "evener"]

_SPREAD = 10.0  # values that spread further stand on a logarithmic axis
_MARGIN = 0.06  # of the spread, beyond the values


class ChartAxis(NamedTuple):
    """An axis from `low` to `high` (SI), drawn from `begin` to `end`; `scale` is one of `unit` in SI."""

    low: float
    high: float
    begin: float
    end: float
    scale: float
    unit: str
    logarithmic: bool

    @classmethod
    def of(
        cls,
        values: Sequence[float],
        unit: str,
        begin: float,
        end: float,
        *,
        logarithmic: bool | None = None,
        margin: float = _MARGIN,
        zero: bool = False,
    ) -> Self:
        """Return the axis that has some values, with a margin.

        Parameters
        ----------
        values : sequence of float
            Finite, at least one.
        unit : str
            Their SI unit.
        begin, end : float
        logarithmic : bool, optional
            Default: where all are positive and spread far.
        margin : float
            Share of the spread.
        zero : bool
            Whether a linear axis begins at 0.
        """
        low, high = min(values), max(values)
        log = (low > 0 and high > _SPREAD * low and not zero) if logarithmic is None else logarithmic
        scale, written = display_unit(unit, max(abs(low), abs(high)))
        if zero:
            low = min(low, 0.0)
        if log:
            reach = (high / low) ** margin if high > low else 1.1
            low, high = low / reach, high * reach
        else:
            reach = margin * (high - low) if high > low else 0.1 * abs(high) or 1.0
            low, high = (low if zero and low == 0.0 else low - reach), high + reach
        return cls(low, high, begin, end, scale, written, log)

    def place(self, value: float) -> float:
        """Return where a value stands."""
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return round values on the axis, SI, with their texts in its unit; about `most` of them at the most."""
        low, high = self.low / self.scale, self.high / self.scale
        values = _logarithmic(low, high, most) if self.logarithmic else _linear(low, high, most)
        return [(value * self.scale, _text(value)) for value in values]

    @property
    def heading(self) -> str:
        """The unit as it stands behind a name: " [GHz]", or nothing."""
        return f" [{self.unit}]" if self.unit else ""


def evener(values: Sequence[float]) -> bool:
    """Tell whether rising values stand more evenly on a logarithmic axis: whether the widest gap is narrower there."""
    if len(values) < 3 or values[0] <= 0:
        return False
    logs = [math.log(value) for value in values]
    linear = max(b - a for a, b in pairwise(values)) / (values[-1] - values[0])
    return max(b - a for a, b in pairwise(logs)) / (logs[-1] - logs[0]) < 0.99 * linear


def _linear(low: float, high: float, most: int) -> list[float]:
    width = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(width))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= width * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def _logarithmic(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        values = [float(f"{digit}e{power}") for power in powers for digit in digits]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            break
    else:
        values = values[:: math.ceil(len(values) / most)]
    return values if len(values) > 1 else _linear(low, high, most)


def _text(value: float) -> str:
    text = f"{value:.6g}"
    return text if "e" in text or abs(value) < 1e4 else f"{float(text):,.0f}".replace(",", "\u202f")
