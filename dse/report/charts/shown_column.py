"""A column of a run as a chart or a table shows it: on a scale, with its unit, and each value as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.units import TEXT, beside, display_unit, format_number

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["Shown", "shown_column", "spelled"]


class Shown(NamedTuple):
    """A column of the frontier as people read it; ``values / scale`` is in `unit`."""

    name: str
    scale: float
    unit: str
    numeric: bool
    label: str

    @property
    def title(self) -> str:
        """Label with the unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


def shown_column(run: Run, name: str) -> Shown:
    """Return the one display unit of a column of the frontier: that of its largest value."""
    column = run.frontier[name]
    unit = run.frontier.attrs.get("units", {}).get(name) or run.units.get(name, "1")
    if column.dtype.kind not in "biuf" or unit == TEXT:
        return Shown(name, 1.0, "", False, run.label(name))
    values = np.abs(column.to_numpy(dtype=float))
    values = values[np.isfinite(values)]
    scale, unit = display_unit(unit, float(values.max()) if len(values) else 0.0)
    return Shown(name, scale, unit, True, run.label(name))


def spelled(value: str | float, scale: float = 1.0, unit: str = "", *, given: bool = False, digits: int = 4) -> str:
    """Write one value with its unit; what is missing is a dash, and a given value has no zeros at its end."""
    if isinstance(value, str):
        return value
    if not np.isfinite(value):
        return "–" if np.isnan(value) else ("∞" if value > 0 else "-∞")
    text = format_number(value / scale, digits)
    if given and "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    energy = "" if given else beside(value / scale, unit, digits)
    return f"{text} {unit} ({energy})" if energy else f"{text} {unit}".rstrip()
