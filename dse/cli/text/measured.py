"""Measurements beside what is computed, on the terminal: rows, statistics, the worst, what must be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.text.output import say, table
from dse.report.words.measured import describe_worst, row_cells, row_headings, row_name, statistics_rows
from dse.units import format_number

if TYPE_CHECKING:
    from dse.analysis.measured.results import ComparedQuantity, MeasuredComparison

__all__ = ["print_comparison"]

_ROWS, _REFUSED = 40, 10


def print_comparison(comparison: MeasuredComparison) -> None:
    """Print a comparison: of each quantity its rows, its statistics and its worst rows; then what is to be noted."""
    for quantity in comparison.quantities.values():
        _print_quantity(comparison, quantity)
    for row in comparison.not_comparable[:_REFUSED]:
        say(f"row {row['row']} cannot be compared: {row['reason']}", style="yellow")
    if (more := len(comparison.not_comparable) - _REFUSED) > 0:
        say(f"… {format_number(more)} more rows cannot be compared: --json has all", style="yellow")
    for note in comparison.notes:
        say(f"· {note}")
    if comparison.synthetic:
        say(f"SYNTHETIC data in the models, not measurements: {', '.join(comparison.synthetic)}", style="bold yellow")
    for fault in comparison.faults:
        say(fault, style="bold red")
    if comparison.passed:
        say("every limit is kept")


def _print_quantity(comparison: MeasuredComparison, quantity: ComparedQuantity) -> None:
    headings = row_headings(comparison)
    rows = [row_cells(comparison, quantity, row) for row in quantity.rows[:_ROWS]]
    right = [headings.index(name) for name in ("measured", "computed", "error")]
    label = comparison.labels.get(quantity.name, quantity.name)
    table(headings, rows, right=right, title=label)
    if (more := len(quantity.rows) - _ROWS) > 0:
        say(f"… {format_number(more)} more rows: --csv FILE or --json has all")
    columns = {"all": quantity.statistics, **quantity.groups}
    for variant, other in comparison.variants.items():
        if quantity.name in other.quantities:
            columns[variant] = other.quantities[quantity.name].statistics
    say()
    table(["statistic", *columns], statistics_rows(columns), right=range(1, len(columns) + 1))
    if worst := describe_worst(comparison, quantity):
        say("largest errors:")
        for line in worst:
            say(f"  {line}")
    if quantity.fitted:
        say(f"used for fitting, and in no statistic: {', '.join(row_name(comparison, row) for row in quantity.fitted)}")
    for note in quantity.notes:
        say(note, style="yellow")
    say()
