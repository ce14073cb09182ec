"""Numbers of several systems as bars: one quantity of all of them, and what a sum consists of, on one scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dse.analysis.compare.compared_systems import ComparedSystem
from dse.analysis.explain.explanation import Breakdown
from dse.report.html.tags import Html, join, tag
from dse.study.build.labels import label_of
from dse.units import percent_text, with_unit

__all__ = ["Figure", "bars", "mini_bar", "ratio_text", "stacks"]

_COLOURS = 8  # of parts; from there on they come again, hatched
_LABELLED = 0.03  # share of the scale from which on a part is labelled, where it is wide enough on the screen


class Figure(NamedTuple):
    """The value of a quantity for a system: the number, None where it is not known, how it is written and known."""

    system: str
    value: float | None
    text: str
    how: str = ""


def bars(title: str, sense: str, figures: Sequence[Figure]) -> Html:
    """Return one quantity of all systems as a table with bars from zero; the first system is what they are told in.

    Parameters
    ----------
    title : str
    sense : {"min", "max", ""}
        Which direction is better; empty for what is no objective.
    figures : sequence of Figure
    """
    low, high = _range([figure.value for figure in figures])
    base = figures[0].value
    rows = []
    for place, figure in enumerate(figures):
        bar = tag("span", _bar(figure.value, low, high), class_="track-bar", aria_hidden="true")
        content = [figure.text, *([f" ({figure.how})"] if figure.how else [])]
        ratio = tag("span", "the first" if len(figures) > 1 else "", class_="quiet")
        if place:
            ratio = _ratio(figure.value, base, sense)
        cells = [tag("td", bar), tag("td", *content, class_="n"), tag("td", ratio, class_="n")]
        rows.append(tag("tr", tag("th", figure.system, scope="row"), *cells, class_=None if place else "base"))
    better = {"min": "lower is better", "max": "higher is better", "": ""}[sense]
    caption = tag("caption", tag("b", title), *([" ", tag("small", better)] if better else []))
    return tag("table", caption, tag("tbody", *rows), class_="bars")


def mini_bar(value: object, values: Sequence[object]) -> Html:
    """Return a thin bar for a cell of a table, on the scale of a row; nothing where the value is no number."""
    numbers = [
        number if isinstance(number, (int, float)) and not isinstance(number, bool) else None for number in values
    ]
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    low, high = _range(numbers)
    bar = _bar(number, low, high)
    return tag("span", bar, class_="mini-bar", aria_hidden="true") if bar else Html("")


def _range(values: Sequence[float | None]) -> tuple[float, float]:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return min(0.0, *known, 0.0), max(0.0, *known, 0.0)


def _bar(value: float | None, low: float, high: float) -> Html:
    if not value or not math.isfinite(value):
        return Html("")
    left, right = (100 * (end - low) / (high - low) for end in (min(value, 0.0), max(value, 0.0)))
    return tag("i", "", style=f"left:{left:.2f}%;width:{right - left:.2f}%")


def ratio_text(value: object, base: object) -> str:
    """Write a value in parts of the first one; one that only looks the same says so."""
    if not isinstance(value, (int, float)) or not isinstance(base, (int, float)):
        return ""
    if isinstance(value, bool) or not base or not math.isfinite(value / base):
        return ""
    text = f"{value / base:.3g}"
    return f"{'≈' if text == '1' and value != base else ''}{text}×"


def _ratio(value: float | None, base: float | None, sense: str) -> Html:
    text = ratio_text(value, base)
    if not text or value is None or base is None:
        return Html("")
    if not sense or value == base:
        return tag("span", text)
    better = (value < base) == (sense == "min")
    return tag("span", text, " better" if better else " worse", class_="better" if better else "worse")


# ---- what a sum consists of -----------------------------------------------------------------------------------------


def stacks(candidates: Sequence[ComparedSystem], whole: str, labels: Mapping[str, str]) -> Iterator[Html]:
    """Return one sum of all systems: stacked bars on a common scale, and a table of the parts beside them."""
    items = [(c.name, item) for c in candidates for item in c.breakdowns if item["quantity"] == whole]
    if not items:
        return
    parts = list(dict.fromkeys(part["quantity"] for _, item in items for part in item["parts"]))
    largest = max(sum(max(part["value"], 0.0) for part in item["parts"]) for _, item in items) or 1.0
    yield tag("h3", f"{label_of(labels, whole)}: where it goes")
    lines = []
    for name, item in items:
        value_of = {part["quantity"]: part for part in item["parts"]}
        pieces = []
        for place, part in enumerate(parts):
            if part not in value_of or value_of[part]["value"] <= 0:
                continue
            width, share = value_of[part]["value"] / largest, value_of[part]["share"]
            share_text = percent_text(share) if share is not None else ""
            pieces.append(
                tag(
                    "i",
                    tag("b", share_text) if width >= _LABELLED else "",
                    class_=_look(place),
                    style=f"{_tint(place)};width:{100 * width:.3f}%",
                    title=f"{label_of(labels, part)} {with_unit(value_of[part]['value'], item['unit'])}, {share_text}",
                )
            )
        words = ", ".join(
            f"{label_of(labels, part)} {percent_text(value_of[part]['share'] or 0.0)}"
            for part in parts
            if part in value_of
        )
        bar = tag("div", *pieces, class_="stack", role="img", aria_label=f"{name}: {words}")
        cells = [tag("td", bar), tag("td", with_unit(item["value"], item["unit"]), class_="n")]
        lines.append(tag("tr", tag("th", name, scope="row"), *cells))
    yield tag("div", tag("table", tag("tbody", *lines), class_="bars stacked"), class_="sums")
    yield _parts_table(parts, items, labels)


def _parts_table(parts: Sequence[str], items: Sequence[tuple[str, Breakdown]], labels: Mapping[str, str]) -> Html:
    head = [tag("th", "part", scope="col"), *(tag("th", name, scope="col", class_="n") for name, _ in items)]
    rows = []
    for place, part in enumerate(parts):
        swatch = tag("i", "", class_=f"swatch {_look(place)}", style=_tint(place))
        cells = []
        for _, item in items:
            entry = next((entry for entry in item["parts"] if entry["quantity"] == part), None)
            if entry is None:
                cells.append(tag("td", "–", class_="n"))
                continue
            share = (
                tag("span", f" {percent_text(entry['share'])}", class_="quiet") if entry["share"] is not None else ""
            )
            cells.append(tag("td", with_unit(entry["value"], item["unit"]), share, class_="n"))
        rows.append(tag("tr", tag("th", join([swatch, label_of(labels, part)], ""), scope="row"), *cells))
    shown = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows))
    return tag("div", shown, class_="scroll parts", tabindex=0)


def _look(place: int) -> str:
    return f"part-{place % _COLOURS}{' again' if place >= _COLOURS else ''}"


def _tint(place: int) -> str:
    return f"--tint:var(--part-{place % _COLOURS})"
