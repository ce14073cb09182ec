"""What a benchmark found, on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

QUIET = 0.1


class Target(NamedTuple):
    """A target of the project: what, the value measured, the value wanted, and whether more is better."""

    what: str
    value: float
    wanted: float
    unit: str
    more: bool = True

    @property
    def factor(self) -> float:
        """How many times better than wanted (below 1: not reached)."""
        return self.value / self.wanted if self.more else self.wanted / max(self.value, 1e-9)

    @property
    def reached(self) -> bool:
        return self.factor >= 1.0


class Column(NamedTuple):
    """A column of a table: key of the records, heading, and how a value is written."""

    key: str
    heading: str
    write: Callable[[Any], str] = str


@dataclass
class Section:
    """One benchmark: a table, targets, what was asserted first, and notes."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: list[dict[str, Any]]
    targets: list[Target] = field(default_factory=list)
    asserted: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    other_cores: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "rows": self.rows,
            "targets": [{**t._asdict(), "factor": t.factor, "reached": t.reached} for t in self.targets],
            "asserted": self.asserted,
            "notes": self.notes,
            "other_cores": self.other_cores,
        }


def number(value: float | None) -> str:
    """Write a number with three digits and a prefix: 68.4 M."""
    if value is None:
        return "–"
    if value == inf:
        return "∞"
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g}{prefix}" if value / factor < 999.5 else f"{value / factor:.0f}{prefix}"
    return f"{value:.3g}"


def seconds(value: float | None) -> str:
    """Write seconds with three digits."""
    if value is None:
        return "–"
    if value < 1e-6:
        return f"{value * 1e9:.3g} ns"
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    if value < 1.0:
        return f"{value * 1e3:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"


def ratio(value: float | None) -> str:
    """Write a ratio: 17 x."""
    if value is None:
        return "–"
    return f"{value:.0f} x" if value >= 99.5 else f"{value:.2g} x"


def mebibytes(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def show(section: Section, console: Console) -> None:
    """Print a section."""
    table = Table(title=section.title, title_justify="left", title_style="bold")
    for index, column in enumerate(section.columns):
        table.add_column(column.heading, justify="left" if index == 0 else "right")
    for row in section.rows:
        table.add_row(*(column.write(row.get(column.key)) for column in section.columns))
    console.print(table)
    if section.targets:
        goals = Table(show_header=True, box=None, pad_edge=False)
        for heading in ("target", "wanted", "measured", "", "factor"):
            goals.add_column(heading, justify="left" if heading in ("target", "") else "right")
        for target in section.targets:
            sign = "≥" if target.more else "<"
            verdict = "[green]reached[/]" if target.reached else "[red]not reached[/]"
            wanted, value = (f"{number(one)} {target.unit}".strip() for one in (target.wanted, target.value))
            goals.add_row(target.what, f"{sign} {wanted}", value, verdict, f"{target.factor:.2g}")
        console.print(goals)
    for text in section.asserted:
        console.print(f"equal  {text}", style="dim", highlight=False)
    for text in section.notes:
        console.print(f"note   {text}", style="dim", highlight=False)
    if section.other_cores is not None and section.other_cores > QUIET:
        text = f"busy   other work used {section.other_cores:.2f} cores meanwhile: times are too long, ratios shaky"
        console.print(text, style="yellow", highlight=False)
    console.print()
