"""The frontier as a table that knows its units and shows them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from dse.units import TEXT, display_unit, format_number

__all__ = ["Frontier"]

_SHOWN = 20


class Frontier(pd.DataFrame):
    """A pandas table of designs; ``units`` has the SI unit of each column.

    In a notebook it shows its values with readable units, the first twenty rows.
    """

    @property
    def _constructor(self) -> Callable[..., Frontier]:
        return Frontier

    @property
    def units(self) -> dict[str, str]:
        """SI unit by column."""
        return dict(self.attrs.get("units", {}))

    def _repr_html_(self) -> str:
        heads, columns = ["<th></th>"], []
        for name in self.columns:
            unit, cells = _cells(self[name], self.units.get(name, TEXT))
            heads.append(f"<th>{escape(str(name))}{f' [{escape(unit)}]' if unit else ''}</th>")
            columns.append(cells)
        rows = [
            f"<tr><th>{index}</th>" + "".join(f"<td>{escape(column[index])}</td>" for column in columns) + "</tr>"
            for index in range(min(_SHOWN, len(self)))
        ]
        more = f"<p>… {len(self) - _SHOWN} more rows</p>" if len(self) > _SHOWN else ""
        return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _cells(values: Any, unit: str) -> tuple[str, list[str]]:
    """Return the unit a column is shown in and the texts of its first rows."""
    head = values.iloc[:_SHOWN]
    if unit == TEXT or not pd.api.types.is_numeric_dtype(values):
        return "", [str(value) for value in head]
    finite = values[np.isfinite(values)]
    scale, written = display_unit(unit, float(finite.abs().max()) if len(finite) else 0.0)
    return written, ["–" if not np.isfinite(value) else format_number(value / scale) for value in head]


def summary_html(text: str, frontier: Frontier) -> str:
    """Return the account of a run and its frontier for a notebook."""
    return f"<pre>{escape(text)}</pre>{frontier._repr_html_()}"
