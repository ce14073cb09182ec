"""What a comparison holds: ratios, distances, and what changed; table, page and JSON are made of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from dse.analysis.compare.compared_systems import ComparedSystem
from dse.authoring.watch.validation import validation_lines
from dse.run.result.notebook_html import html_heading, html_lines, html_table
from dse.units import TEXT, told_apart, with_unit

__all__ = ["Changes", "Comparison", "Distance", "Moved", "Nearest", "RunSummary"]


class RunSummary(TypedDict):
    """One of the runs: its frontier, the best value of each objective (None where there is none), its origin."""

    name: str
    folder: str
    exact: bool
    headline: str
    designs: int
    frontier: int
    best: dict[str, float | None]
    synthetic: list[str]
    derived_from: dict[str, Any] | None


class Nearest(TypedDict):
    """The nearest design of a frontier that dominates a system."""

    row: int
    name: str
    design: int
    objectives: dict[str, float]


class Distance(TypedDict):
    """How far a system is from a frontier: `factor` by which every objective would have to improve to reach it.

    `between`: it beats no design of the frontier and none beats it, and no objective of it is better than all theirs.
    """

    run: str
    factor: float | None
    on_frontier: bool
    between: bool
    dominated_by: Nearest | None


class Moved(TypedDict):
    """A design of both frontiers whose objectives differ."""

    parameters: dict[str, str | float]
    before: dict[str, str | float]
    after: dict[str, str | float]


class Changes(TypedDict):
    """What entered, left and moved between two runs, and what of their inputs changed."""

    units: dict[str, str]
    entered: list[dict[str, str | float]]
    left: list[dict[str, str | float]]
    moved: list[Moved]
    entered_count: int
    left_count: int
    moved_count: int
    stayed_count: int
    changed_inputs: list[str]
    study_diff: list[str]


@dataclass(frozen=True)
class Comparison:
    """Everything a comparison shows; table, page and JSON are made of it.

    Attributes
    ----------
    candidates : list of ComparedSystem
    runs : list of dict
        Name, folder, size of the frontier and best value of each objective.
    objectives : list of dict
        Quantity, sense, unit of the objectives of all runs, each once.
    also : list of dict
        Quantity and unit of what else the runs show, and of what was measured of references.
    ratios : list of dict
        Per candidate, objective to its ratio to the first candidate that has it.
    distances : list of list of dict
        Per candidate and run: ``factor`` by which every objective would have to improve to reach the frontier (1: on
        it, below 1: beyond it), whether the system lies ``between`` its designs, and the nearest dominating design.
    changes : dict or None
        For two runs: designs that entered, left and moved, and what of the study, models and tables changed.
    """

    candidates: list[ComparedSystem]
    runs: list[RunSummary]
    objectives: list[dict[str, str]]
    also: list[dict[str, str]]
    ratios: list[dict[str, float]]
    distances: list[list[Distance | None]]
    changes: Changes | None

    def _repr_html_(self) -> str:
        """Show in a notebook each system by its objectives, beside the first, and how many designs changed."""
        names = [candidate.name for candidate in self.candidates]
        rows = []
        for objective in self.objectives:
            figures = self.figures(objective["quantity"], objective["unit"])
            cells = [" ".join(text for text in (value, ratio, known) if text) for value, ratio, known in figures]
            rows.append([objective["quantity"], *cells])
        runs = [f"{run['name']}: {run['frontier']} designs, {run['headline']}" for run in self.runs]
        changed = [counts] if (counts := self.counts_text()) else []
        notes = [f"{candidate.name}: {candidate.note}" for candidate in self.candidates if candidate.note]
        title = "compared: " + ", ".join(names or [run["name"] for run in self.runs])
        table = html_table(["", *names], rows) if names else ""
        return html_heading(title) + html_lines([*runs, *changed, *notes]) + table

    def counts_text(self) -> str:
        """Return how many designs entered, left, moved and stayed between two runs."""
        changes = self.changes
        if changes is None:
            return ""
        counts = (changes["entered_count"], changes["left_count"], changes["moved_count"], changes["stayed_count"])
        kinds = ("entered", "left", "moved", "stayed")
        return ", ".join(f"{count} {kind}" for count, kind in zip(counts, kinds, strict=True))

    def figures(self, quantity: str, unit: str) -> list[tuple[str, str, str]]:
        """Return, in words, the value of a quantity for each system, its ratio to the first, and how it is known."""
        values = told_apart(
            [candidate.values.get(quantity) for candidate in self.candidates],
            lambda value, digits: with_unit(value, unit, digits),
        )
        return [
            (
                value,
                _times(ratios[quantity], 3) if quantity in ratios else "",
                "measured" if quantity in candidate.measured else "",
            )
            for value, candidate, ratios in zip(values, self.candidates, self.ratios, strict=True)
        ]

    def measured(self, quantity: str, unit: str) -> list[str]:
        """Return, in words, what was measured beside a computed value, for each system; nothing where none was."""
        if not any(quantity in candidate.beside for candidate in self.candidates):
            return []
        measured = [candidate.beside.get(quantity, {}).get("value") for candidate in self.candidates]
        return [with_unit(value, unit) for value in measured]

    def quantities(self) -> dict[str, str]:
        """Return the unit of every quantity that is known of a system."""
        return {
            name: candidate.units.get(name, TEXT)
            for candidate in self.candidates
            for name in candidate.values
            if candidate.units.get(name) != "table"
        }

    def sums(self, every: bool = False) -> list[str]:
        """Return the quantities whose parts are shown: those that are shown themselves, or all, those first."""
        having = dict.fromkeys(item["quantity"] for candidate in self.candidates for item in candidate.breakdowns)
        shown = [entry["quantity"] for entry in (*self.objectives, *self.also) if entry["quantity"] in having]
        return [*shown, *(name for name in having if every and name not in shown)]

    def sources(self) -> list[str]:
        """Return, in words, where measured figures come from."""
        lines = []
        for candidate in self.candidates:
            beside = [figure["source"] for figure in candidate.beside.values()]
            for source in dict.fromkeys([*candidate.measured.values(), *beside]):
                lines.append(f"{candidate.name}: measured figures from {source}")
        return lines

    def validation_lines(self) -> list[str]:
        """Return, in words, how well the laws of the parts of each system held for real machines."""
        return [
            f"{candidate.name}: {line}"
            for candidate in self.candidates
            for line in validation_lines(candidate.parameters, candidate.validation)
        ]

    def distance_rows(self) -> list[list[str]]:
        """Return, in words, how far each system is from each frontier: system, frontier, distance, beaten by."""
        units = {o["quantity"]: o["unit"] for o in self.objectives}
        rows = []
        for candidate, distances in zip(self.candidates, self.distances, strict=True):
            for distance in distances:
                if distance is None:
                    continue
                near = distance["dominated_by"]
                values = (
                    ", ".join(f"{n} {with_unit(v, units[n])}" for n, v in near["objectives"].items()) if near else ""
                )
                beaten = f"{near['name']}: {values}" if near else "nothing"
                if candidate.feasible is False:
                    beaten += " (but it breaks a constraint)"
                rows.append([candidate.name, distance["run"], _place(distance), beaten])
        return rows

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return asdict(self)


def _place(distance: Distance) -> str:
    """Return, in words, where a system lies seen from a frontier."""
    factor = distance["factor"]
    if distance["on_frontier"]:
        return "on it"
    if distance["between"]:
        return "between its designs" + (f" ({_times(factor, 4)})" if factor is not None else "")
    if factor is None:
        return "–"
    if not distance["dominated_by"]:
        return f"beyond it ({_times(factor, 4)})"
    return f"{_times(factor, 4)} away" if factor > 1 else "as good in some objectives, worse in others"


def _times(ratio: float, digits: int) -> str:
    """Write a ratio; one that only looks like 1 says so."""
    text = f"{ratio:.{digits}g}"
    return f"{'≈' if text == '1' and ratio != 1 else ''}{text}×"
