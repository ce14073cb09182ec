"""Statistics and rows of a comparison with measurements, in words: the same on screen and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dse.units import TEXT, format_number, with_unit

if TYPE_CHECKING:
    from dse.analysis.measured.results import ComparedQuantity, ComparedRow, MeasuredComparison
    from dse.analysis.measured.statistics import Statistics

__all__ = ["describe_worst", "row_cells", "row_headings", "row_name", "statistics_rows"]

_NONE = "–"
_INPUTS = 4  # inputs that a table shows beside the name
_KEYS = (
    ("spearman", "correlation of the ranks", ""),
    ("mean_absolute_percentage_error", "mean error", " %"),
    ("bias", "bias", " %"),
    ("error_standard_deviation", "standard deviation of the error", " %"),
    ("absolute_error_standard_deviation", "standard deviation of its size", " %"),
    ("median_absolute_percentage_error", "median error", " %"),
    ("mean_accuracy", "accuracy, mean", " %"),
    ("max_accuracy", "accuracy, most", " %"),
    ("min_accuracy", "accuracy, least", " %"),
    ("geometric_mean_ratio", "computed / measured, geometric mean", ""),
    ("pearson", "correlation", ""),
    ("pearson_log", "correlation of the logarithms", ""),
    ("mape_after_scaling", "mean error after scaling", " %"),
)


def statistics_rows(columns: Mapping[str, Statistics]) -> list[list[str]]:
    """Return a row for each statistic, a cell for each column: how many rows first, then the order, then errors."""
    statistics = list(columns.values())
    rows = [["rows compared", *(str(column["n"]) for column in statistics)]]
    for key, words, unit in _KEYS:
        rows.append([words, *(_figure(column[key], unit) for column in statistics)])  # type: ignore[literal-required]
    for share in dict.fromkeys(share for column in statistics for share in column["within"]):
        cells = [_share(column, share) for column in statistics]
        rows.append([f"within {100 * float(share):.6g} %", *cells])
    return rows


def _figure(value: float | None, unit: str) -> str:
    return _NONE if value is None else f"{value:.4g}{unit}" if unit else f"{value:.4f}"


def _share(statistics: Statistics, share: str) -> str:
    if share not in statistics["within"]:
        return _NONE
    rows = statistics["n"] - statistics["without_error"]
    return f"{round(statistics['within'][share] * rows)} of {rows}"


def row_headings(comparison: MeasuredComparison) -> list[str]:
    """Return the headings of a table of rows."""
    named = any(row.name for quantity in comparison.quantities.values() for row in quantity.rows)
    grouped = any(quantity.groups for quantity in comparison.quantities.values())
    inputs = comparison.varied[:_INPUTS]
    return ["row", *(["name"] if named else []), *(["group"] if grouped else []), *inputs, *_VALUES]


_VALUES = ("measured", "computed", "error", "")


def row_cells(
    comparison: MeasuredComparison, compared: ComparedQuantity, row: ComparedRow, *, fitted: bool = False
) -> list[str]:
    """Return the cells of a row below `row_headings`."""
    headings = row_headings(comparison)
    cells = [str(row.row)]
    cells += [row.name] if "name" in headings else []
    cells += [row.group] if "group" in headings else []
    cells += [_input(comparison, row, name) for name in comparison.varied[:_INPUTS]]
    spread = f" ± {with_unit(row.standard_deviation, compared.unit)}" if row.standard_deviation is not None else ""
    measured = with_unit(row.measured, compared.unit) + spread
    error = _NONE if row.error is None else f"{100 * row.error:+.2f} %"
    return [*cells, measured, with_unit(row.computed, compared.unit), error, marks(row, fitted=fitted)]


def _input(comparison: MeasuredComparison, row: ComparedRow, name: str) -> str:
    if name not in row.inputs:
        return ""
    value = row.inputs[name]
    return with_unit(value, TEXT if isinstance(value, str) else comparison.units.get(name, "1"))


def marks(row: ComparedRow, *, fitted: bool = False) -> str:
    """Return what must be known of a row beside its error."""
    said = ["fitted"] if fitted else []
    z = row.deviations
    if z is not None and abs(z) <= 2:
        said.append("within the spread")
    if row.repeats > 1:
        said.append(f"{format_number(row.repeats)} measurements")
    said += [f"extrapolated: {', '.join(row.extrapolated)}"] if row.extrapolated else []
    said += [f"outside: {', '.join(row.outside)}"] if row.outside else []
    said += [f"breaks {text}" for text in row.broken]
    return "; ".join(said)


def row_name(comparison: MeasuredComparison, row: ComparedRow) -> str:
    """Return what a row is called: its name, or what it sets."""
    if row.name:
        return row.name
    names = [name for name in comparison.varied if name in row.inputs][:_INPUTS]
    inputs = ", ".join(f"{name} = {_input(comparison, row, name)}" for name in names)
    return f"row {row.row}" + (f" ({inputs})" if inputs else "")


def describe_worst(comparison: MeasuredComparison, quantity: ComparedQuantity) -> Sequence[str]:
    """Return a line for each of the worst rows: its error, and the largest parts of what is computed of it."""
    lines = []
    for row in quantity.worst():
        parts = ", ".join(f"{name} {with_unit(value, quantity.unit)}" for name, value in row.contributions)
        of = f"; computed of {parts}" if parts else ""
        lines.append(f"{row_name(comparison, row)}: {100 * (row.error or 0):+.2f} %{of}")
    return lines
