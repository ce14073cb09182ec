"""The systems beside the space on the page: what the plot and the panel say of each, and a table of them all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from dse.analysis.explain.explain import explain_reference
from dse.analysis.explain.explanation import Explanation
from dse.evaluation.reference_records import ReferenceRecord, reasons_text
from dse.report.charts.shown_column import Shown, shown_column, spelled
from dse.report.html.tags import Html, join, table, tag
from dse.units import TEXT, display_unit, format_number, percent_text, relative_change

if TYPE_CHECKING:
    from dse.run.disk.manifest import ReferenceTable
    from dse.run.result.run import Run
    from dse.study.study import Study

__all__ = ["ReferenceView", "collect_references", "references_section"]

STACK_BYTES = 400_000  # breakdowns of references come with the page when they need no more


class ReferenceStack(TypedDict):
    """A sum ("sum") or maximum ("max") of a system, with the values of its parts by name."""

    quantity: str
    unit: str
    value: float
    kind: str
    parts: dict[str, float]


class ReferenceView(NamedTuple):
    """A system beside the space.

    Attributes
    ----------
    record : dict
        As the run keeps it (`dse.evaluation.reference_systems.ReferenceSystem.record`).
    notes : tuple of str
        What is not computed of it, and why.
    stacks : tuple of ReferenceStack
        What its sums and maxima consist of.
    units : dict of str to str
        SI unit of what is known of it.
    """

    record: ReferenceRecord
    notes: tuple[str, ...]
    stacks: tuple[ReferenceStack, ...]
    units: Mapping[str, str]


def collect_references(run: Run, study: Study | None) -> tuple[ReferenceView, ...]:
    """Return the systems beside the space; without their breakdowns where there is no room, or no study any more."""
    quantities = _quantities(run)
    stacks: list[tuple[ReferenceStack, ...]] = [() for _ in run.references]
    if study is not None:
        known = [explain_reference(study.compiled, study.reference(reference["name"])) for reference in run.references]
        parts_of = [tuple(_stacks(explanation)) for explanation in known]
        if len(json.dumps(parts_of)) <= STACK_BYTES:
            stacks = parts_of
    return tuple(
        ReferenceView(
            record,
            tuple(reasons_text(record, quantities)),
            parts,
            {name: run.units.get(name, TEXT) for name in (*record["values"], *record["measured"])},
        )
        for record, parts in zip(run.references, stacks, strict=True)
    )


def _quantities(run: Run) -> list[str]:
    """Return what is shown of every reference: objectives, what else the study shows, and what was measured."""
    measured = [name for record in run.references for name in record["measured"]]
    return list(dict.fromkeys([*(o["quantity"] for o in run.objectives), *run.manifest.also, *measured]))


def _stacks(explanation: Explanation) -> Iterator[ReferenceStack]:
    for kind, items in (("sum", explanation.breakdowns), ("max", explanation.bounds)):
        for item in items:
            yield {
                "quantity": item["quantity"],
                "unit": item["unit"],
                "value": item["value"],
                "kind": kind,
                "parts": {part["quantity"]: part["value"] for part in item["parts"]},
            }


# ---- the table ------------------------------------------------------------------------------------------------------


def references_section(run: Run) -> Iterator[Html]:
    """Return the section with the table; nothing where the study has no references."""
    if not run.references:
        return
    yield tag("h2", "Beside the space")
    for group in run.manifest.reference_groups:
        yield tag("p", _group_text(group), class_="note")
    columns = [_column(run, name) for name in _quantities(run)]
    senses = {o["quantity"] for o in run.objectives}
    headings = [run.manifest.reference_groups[0].name if len(_groups(run)) == 1 else "reference"]
    headings += [column.title for column in columns]
    headings += ["parameters", *(["constraints"] if run.manifest.constraints else []), "source and remarks"]
    rows = []
    for place, record in enumerate(run.references):
        name = tag("button", record["name"], type="button", class_="link", data_reference=place)
        cells: list[str] = [name, *(_cell(record, column, column.name in senses) for column in columns)]
        given = {key: value for key, value in record["parameters"].items() if value != record["name"]}
        cells.append(", ".join(f"{run.label(key)} {value}".replace(" ", "\u00a0") for key, value in given.items()))
        if run.manifest.constraints:
            cells.append(_constraints(record))
        cells.append(_remarks(record, [column.name for column in columns]))
        rows.append(cells)
    yield tag("div", table(headings, rows, numeric=range(1, len(columns) + 1)), class_="references")


def _groups(run: Run) -> list[str]:
    return list(dict.fromkeys(record["reference"] for record in run.references))


def _group_text(group: ReferenceTable) -> str:
    count = group.systems
    known = "all" if group.evaluated == count else format_number(group.evaluated)
    words = f"{group.name}: {group.description or 'systems that are no designs of the space'}. "
    words += f"{known} of {format_number(count)} have every objective, computed as that of a design is."
    if group.measured:
        words += f" Measured beside it: {', '.join(group.measured)}."
    for item in group.assumptions:
        scale, unit = display_unit(item.unit, abs(float(item.value)))
        words += f" Assumed for these alone: {item.name} {spelled(float(item.value), scale, unit)} ({item.source})."
    return words


def _column(run: Run, name: str) -> Shown:
    """Return how a quantity is written: as in the frontier, where it has one."""
    if name in run.frontier.columns and len(run.frontier):
        return shown_column(run, name)
    unit = run.units.get(name, TEXT)
    values = [record["values"].get(name, record["measured"].get(name, {}).get("value")) for record in run.references]
    numbers = [abs(value) for value in values if isinstance(value, (int, float))]
    if unit == TEXT:
        return Shown(name, 1.0, "", False, run.label(name))
    return Shown(name, *display_unit(unit, max(numbers, default=0.0)), True, run.label(name))


def _cell(record: ReferenceRecord, column: Shown, objective: bool) -> str:
    value, measured = record["values"].get(column.name), record["measured"].get(column.name)
    text = "–" if value is None else spelled(value, column.scale)
    figure = tag("b", text) if objective else text
    if measured is None:
        return figure
    source = f"{measured['column']}: {measured['source']}"
    lines = [figure, tag("div", f"measured {spelled(measured['value'], column.scale)}", class_="quiet", title=source)]
    if isinstance(value, (int, float)) and measured["value"]:
        change = relative_change(value, measured["value"]) or 0.0
        off = percent_text(change, sign=True).replace(" %", "\u00a0%").replace("-", "−")
        lines.append(tag("div", f"computed {off}", class_="quiet"))
    return join(lines, "")


def _constraints(record: ReferenceRecord) -> str:
    broken = [tag("li", tag("code", item["text"])) for item in record["constraints"] if item["met"] is False]
    if broken:
        return join([tag("span", "breaks", class_="bad"), tag("ul", *broken)], "")
    return "met" if record["feasible"] else "not known"


def _remarks(record: ReferenceRecord, quantities: Sequence[str]) -> Html:
    remarks: list[str] = [record["source"]] if record["source"] else []
    remarks += [tag("div", line, class_="warn") for line in reasons_text(record, quantities)]
    if record["extrapolated"]:
        remarks.append(tag("div", f"extrapolated in {', '.join(record['extrapolated'])}", class_="warn"))
    if record["synthetic"]:
        remarks.append(tag("div", f"synthetic, no real system ({', '.join(record['synthetic'])})", class_="warn"))
    return join(remarks, "")
