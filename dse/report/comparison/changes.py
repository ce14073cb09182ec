"""What changed between two runs on the page of their comparison: designs that entered, left and moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dse.analysis.compare.comparison import Comparison
from dse.report.comparison.bars import ratio_text
from dse.report.html.tags import Html, join, table, tag
from dse.study.build.labels import label_of
from dse.units import TEXT, with_unit

__all__ = ["changes_section"]

_Design = Mapping[str, str | float]


def changes_section(comparison: Comparison, labels: Mapping[str, str]) -> Iterator[Html]:
    """Return the section; nothing where the comparison is not of two runs."""
    changes = comparison.changes
    if changes is None:
        return
    units = changes["units"]
    yield tag("h2", "From the first run to the second")
    yield tag("p", comparison.counts_text() + ".")
    if changes["changed_inputs"]:
        yield tag("p", f"Changed: {', '.join(changes['changed_inputs'])}.")
    if changes["study_diff"]:
        yield tag("pre", "\n".join(changes["study_diff"]), tabindex=0)
    listed: list[tuple[str, _Design]] = [("entered", design) for design in changes["entered"]]
    listed += [("left", design) for design in changes["left"]]
    if listed:
        yield tag("h3", "Entered and left the frontier")
        yield _designs(listed, units, labels)
        counts = {"entered": changes["entered_count"], "left": changes["left_count"]}
        held = {kind: sum(change == kind for change, _ in listed) for kind in counts}
        for kind, count in counts.items():
            if count > held[kind]:
                yield tag("p", f"{count - held[kind]} more {kind}.", class_="note")
    if changes["moved"]:
        yield tag("h3", "On both frontiers, with other figures")
        names = list(changes["moved"][0]["after"])
        columns = list(dict.fromkeys(key for moved in changes["moved"] for key in moved["parameters"]))
        rows = [
            [
                *(_text(moved["parameters"].get(key), key, units) for key in columns),
                *(_from_to(moved["before"][key], moved["after"][key], key, units) for key in names),
            ]
            for moved in changes["moved"]
        ]
        yield table(
            [label_of(labels, key) for key in (*columns, *names)], rows, range(len(columns), len(columns) + len(names))
        )
        if (more := changes["moved_count"] - len(rows)) > 0:
            yield tag("p", f"{more} more moved.", class_="note")


def _designs(listed: Sequence[tuple[str, _Design]], units: Mapping[str, str], labels: Mapping[str, str]) -> Html:
    """Return a table of designs; what is the same for all of them stands below, once."""
    keys = list(dict.fromkeys(key for _, design in listed for key in design))
    common = [
        key for key in keys if len(listed) > 1 and all(design.get(key) == listed[0][1].get(key) for _, design in listed)
    ]
    columns = [key for key in keys if key not in common]
    numeric = [place for place, key in enumerate(columns, 1) if units.get(key, TEXT) != TEXT]
    rows = [
        [tag("span", kind, class_=kind), *(_text(design.get(key), key, units) for key in columns)]
        for kind, design in listed
    ]
    shown = table(["change", *(label_of(labels, key) for key in columns)], rows, numeric)
    if not common:
        return shown
    same = ", ".join(f"{label_of(labels, key)} {_text(listed[0][1][key], key, units)}" for key in common)
    return join([shown, tag("p", f"All of these: {same}.", class_="note")])


def _text(value: str | float | None, key: str, units: Mapping[str, str]) -> str:
    return "–" if value is None else with_unit(value, units.get(key, TEXT))


def _from_to(before: str | float, after: str | float, key: str, units: Mapping[str, str]) -> str:
    if before == after:
        return _text(after, key, units)
    ratio = ratio_text(after, before)
    return f"{_text(before, key, units)} → {_text(after, key, units)}{f' ({ratio})' if ratio else ''}"
