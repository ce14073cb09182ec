"""The page of a run: one HTML file that needs nothing else, neither a network nor a server.

Texts of a study (its question, part labels, constraints, sources) may hold anything. `tag` escapes all that is not
`Html` already, and the page allows only its own scripts to run, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.errors import InputError
from dse.report.figure import Shown, axis_names, front_figure, front_view, shown_column, spelled
from dse.run.folder import FRONTIER, REPORT, RunFolder
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    import pandas as pd

    from dse.run import Run

__all__ = ["write_report"]

_ROWS = 2_000
_METHODS = {
    "exhaustive": "exhaustive: every design is evaluated",
    "bundles": "bundles: designs that are alike are bounded together, and skipped where the bound is beaten",
}
_UNCOUNTED = "not counted: bounds exclude designs without looking at each (count_infeasible = true counts them)"


def write_report(run: Run, path: str | Path | None = None) -> Path:
    """Write the page of a run.

    Parameters
    ----------
    run : Run
    path : path, optional
        The file to write. Default: ``report.html`` in the run's folder.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        No path for a run without a folder, or a file that cannot be written.
    """
    if path is None and run.folder is None:
        raise InputError(
            "the run is not in a folder, so the page needs a path", allowed='write_report(run, "page.html")'
        )
    target = Path(path) if path is not None else Path(str(run.folder)) / REPORT
    return RunFolder(target.parent).write_text(target.name, _page(run))


def _page(run: Run) -> str:
    text = files("dse.report").joinpath("page.html").read_text(encoding="utf-8")
    figure, plotly, note = "null", "", ""
    if len(run.frontier):
        from plotly.offline import get_plotlyjs

        view = front_view(run)
        figure, note, plotly = front_figure(view).to_json(), view.note, _lines(get_plotlyjs())
    scripts = [script.replace("$plotly", plotly) for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)]
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'"
    parts = {
        "policy": policy,
        "title": _escaped(f"{run.name}: frontier"),
        "header": _join(_header(run)),
        "main": _join(_main(run, note)),
        "figure": _json(figure),
        "plotly": plotly,
    }
    return Template(text).substitute(parts)


def _lines(script: str) -> str:
    return script.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads it before it takes the hash


def _json(text: str) -> str:
    """Write JSON so that it can stand in a script element: no tag, no comment, no line separator."""
    text = json.dumps(json.loads(text), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# ---- HTML -----------------------------------------------------------------------------------------------------------


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _escaped(text: Any) -> Html:
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def _join(pieces: Iterable[Any], between: str = "\n") -> Html:
    return Html(_escaped(between).join(_escaped(piece) for piece in pieces))


def tag(name: str, *content: Any, **attributes: Any) -> Html:
    """Return an element; content and attributes are escaped, attributes that are None left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{_join(content, '')}</{name}>")


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]], numeric: Sequence[int] = ()) -> Html:
    kind = ["n" if column in numeric else None for column in range(len(headings))]
    head = tag("tr", *(tag("th", text, class_=k) for text, k in zip(headings, kind, strict=True)))
    body = (tag("tr", *(tag("td", text, class_=k) for text, k in zip(row, kind, strict=True))) for row in rows)
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll")


def _list(items: Mapping[str, Any]) -> Html:
    return tag("dl", *(_join([tag("dt", key), tag("dd", value)], "") for key, value in items.items()))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{format_number(number)} {one if number == 1 else many or one + 's'}"


# ---- the top --------------------------------------------------------------------------------------------------------


def _header(run: Run) -> Iterator[Html]:
    manifest = run.manifest
    yield tag("h1", run.name)
    if manifest["question"]:
        yield tag("p", manifest["question"], class_="question")
    if manifest["synthetic"]:
        told = f"Not measured, so no result to quote: {', '.join(manifest['synthetic'])}"
        yield tag("div", tag("strong", "SYNTHETIC DATA"), told, class_="banner", role="note")
    for warning in manifest["certificate"]["warnings"]:
        yield tag("div", warning, class_="banner", role="note")
    yield tag("p", _answer(run), class_="answer")
    yield _facts(run)


def _answer(run: Run) -> Html:
    """Answer the question in one sentence: the best of each objective, and the design that has it."""
    if not len(run.frontier):
        return _escaped(f"None of the {_count(run.manifest['space']['designs'], 'design')} meets all constraints.")
    found = "" if run.exact else " found"
    clauses = []
    for objective in run.objectives:
        name, lowest = objective["quantity"], objective["sense"] == "min"
        values = run.frontier[name]
        row = int(values.argmin() if lowest else values.argmax())
        shown = shown_column(run, name)
        best = tag("b", spelled(values.iloc[row], shown.scale, shown.unit).replace(" ", "\u00a0"))
        words = f"the {'lowest' if lowest else 'highest'} {name}{found} is "
        clauses.append(_join([words, best, ", by ", _design(run, row, detailed=len(run.objectives) <= 3)], ""))
    sentence = _join(clauses, "; ")
    return Html(sentence[:1].upper() + sentence[1:] + ".")


def _design(run: Run, row: int, *, detailed: bool) -> str:
    """Name the design in a row of the frontier, and say how many others have the same objectives."""
    frame = run.frontier
    text = f"design {format_number(frame['design'].iloc[row])}"
    if detailed:
        told = []
        for name in axis_names(run):
            shown, value = shown_column(run, name), frame[name].iloc[row]
            if value != "" and value == value:
                label = spelled(value, shown.scale, shown.unit, given=True)
                label = label.replace(" ", "\u00a0") if shown.numeric else label
                told.append(label if name == "alternative" else f"{name} {label}")
        text += f" ({', '.join(told)})"
    objectives = frame[[objective["quantity"] for objective in run.objectives]].to_numpy()
    equal = int((objectives == objectives[row]).all(axis=1).sum()) - 1
    return text + (f" and {_count(equal, 'equal design')}" if equal else "")


def _facts(run: Run) -> Html:
    certificate, rows = run.manifest["certificate"], len(run.frontier)
    feasible = certificate["feasible"]
    facts = [
        (format_number(certificate["designs"]), "designs in the space"),
        ("not counted" if feasible is None else format_number(feasible), "meet all constraints"),
        (format_number(rows), "on the frontier" if run.exact else "best found"),
        ("exact" if run.exact else "not exact", "holds for the whole space" if run.exact else "there may be better"),
    ]
    if not run.manifest["constraints"]:
        del facts[1]
    return tag("ul", *(tag("li", tag("b", value), tag("span", text)) for value, text in facts), class_="facts")


# ---- the sections ---------------------------------------------------------------------------------------------------


def _main(run: Run, note: str) -> Iterator[Html]:
    if len(run.frontier):
        yield tag("h2", "The frontier" if run.exact else "The best designs found")
        yield tag("div", tag("noscript", "The figure needs JavaScript."), id="plot")
        yield tag("p", note, class_="note")
        yield from _frontier(run)
    else:
        yield tag("h2", "Nothing is feasible")
        yield tag("p", "So there is no frontier. Designs each constraint rejects (one design may break several):")
        yield _rejected(run)
    yield tag("h2", "How far it can be trusted")
    yield _certificate(run)
    yield tag("h2", "The space")
    yield from _space(run)
    yield tag("h2", "What it rests on")
    yield from _basis(run)
    yield tag("h2", "The run")
    yield from _origin(run)


def _frontier(run: Run) -> Iterator[Html]:
    """The frontier as a table; a click on a heading sorts it."""
    frame = run.frontier.iloc[:_ROWS]
    marked = bool((frame["extrapolated"] != "").any())
    first = ["design", *(objective["quantity"] for objective in run.objectives)]
    names = [*first, *(name for name in frame.columns if name not in first and (name != "extrapolated" or marked))]
    docs = {item["quantity"]: item["doc"] for item in run.manifest["sources"]}
    goals = {objective["quantity"]: f"{objective['sense']}imise" for objective in run.objectives}
    headings, columns = [], []
    for name in names:
        shown = shown_column(run, name)
        unit = tag("span", f" [{shown.unit}]", class_="unit") if shown.unit else ""
        goal = tag("span", f" {goals[name]}", class_="goal") if name in goals else ""
        button = tag("button", tag("span", name, class_="name"), unit, goal, type="button")
        kind = "n" if shown.numeric else None
        headings.append(tag("th", button, scope="col", class_=kind, title=docs.get(name) or None))
        columns.append(_cells(frame[name], shown))
    outside = (frame["extrapolated"] != "").to_numpy()
    rows = (
        tag("tr", *cells, class_="outside" if out else None)
        for out, cells in zip(outside, zip(*columns, strict=True), strict=True)
    )
    table = tag("table", tag("thead", tag("tr", *headings)), tag("tbody", _join(rows)))
    yield tag("div", table, id="frontier", class_="scroll")
    if marked:
        told = "* extrapolated: the quantities named in the last column lie outside the range a model was validated on."
        yield tag("p", told, class_="note")
    more = len(run.frontier) - len(frame)
    if more:
        place = (
            f"{run.folder / FRONTIER}" if run.folder is not None else f"Run.frontier; {FRONTIER} of a run with a folder"
        )
        yield tag(
            "p", f"The first {format_number(_ROWS)} rows; {format_number(more)} more are in {place}.", class_="note"
        )


def _cells(column: pd.Series, shown: Shown) -> list[Html]:
    if not shown.numeric:
        return [tag("td", "–" if text == "" and shown.name != "extrapolated" else text, data_v=text) for text in column]
    texts = column_texts(column.to_numpy(dtype=float) / shown.scale)
    raw = (
        "" if math.isnan(value) else repr(float(value)).replace("inf", "Infinity") for value in column
    )  # for JavaScript
    return [tag("td", text, class_="n", data_v=value) for text, value in zip(texts, raw, strict=True)]


def column_texts(values: np.ndarray) -> list[str]:
    """Write the numbers of a column with the same decimals: four digits of the smallest, no common zeros at the end."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    whole = bool((sizes == np.round(sizes)).all())
    if not len(sizes) or whole or sizes.max() >= 1e6 or sizes.max() > 1e4 * sizes.min() or sizes.min() < 1e-3:
        return [spelled(value) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(sizes.min())))
    texts = [
        f"{value:,.{decimals}f}".replace(",", "\u202f") if np.isfinite(value) else spelled(value) for value in values
    ]
    spare = min((len(text) - len(text.rstrip("0")) for text in texts if "." in text), default=0)
    return [text[: len(text) - spare].rstrip(".") if spare and "." in text else text for text in texts]


def _certificate(run: Run) -> Html:
    certificate = run.manifest["certificate"]
    designs, feasible = certificate["designs"], certificate["feasible"]
    every = _count(designs, "design")

    def part(number: int) -> str:
        return f"{format_number(number)} ({format_number(100 * number / designs, 3)} %)" if designs else "0"

    if run.exact:
        end = "none beats a design shown here" if len(run.frontier) else "none meets all constraints"
        exact = f"Yes: each of the {every} was evaluated or excluded by a proven bound, and {end}."
    else:
        exact = f"No: these are the best designs found among the {every}; others may beat them."
    items: dict[str, Any] = {
        "Exact": exact,
        "Method": _METHODS.get(certificate["method"], certificate["method"]),
        "Why this method": certificate["reason"] or "–",
        "Designs": format_number(designs),
        "Evaluated": part(certificate["evaluated"]),
        "Excluded by bound": part(certificate["excluded_by_bound"]),
        "Feasible": _UNCOUNTED if feasible is None else part(feasible),
        "Infeasible": _rejected(run),
        "Equal designs": certificate["ties"],
        "Extrapolated": f"{format_number(run.manifest['frontier']['extrapolated'])} of"
        f" {format_number(len(run.frontier))} on the frontier: outside the range a model was validated on",
        "Warnings": tag("ul", *(tag("li", text) for text in certificate["warnings"]))
        if certificate["warnings"]
        else "none",
    }
    return _list(items)


def _rejected(run: Run) -> Any:
    constraints, counts = run.manifest["constraints"], run.manifest["certificate"]["infeasible"]
    if not constraints:
        return "the study has no constraints"
    if counts is None:
        told = [_join([tag("code", text), ": not counted"], "") for text in constraints]
    else:
        told = [_join([tag("code", text), f": {_count(counts.get(text, 0), 'design')}"], "") for text in constraints]
    return tag("ul", *(tag("li", item) for item in told))


def _space(run: Run) -> Iterator[Html]:
    space = run.manifest["space"]
    alternatives = space["alternatives"]
    several = f" in {_count(len(alternatives), 'alternative')}" if len(alternatives) > 1 else ""
    yield tag("p", f"{_count(space['designs'], 'design')}{several}.")
    head = tag("tr", *(tag("th", text) for text in ("axis", "values", "what they are", "from")))
    bodies = []
    for product in alternatives:
        rows = []
        told = [f"{name} = {_with_unit(item['value'], item['unit'])}" for name, item in product["set"].items()]
        told += [f"{slot}: {component}" for slot, component in product["components"].items()]
        if product["name"] or told:
            title = f"{product['name'] or 'all designs'}: {_count(product['designs'], 'design')}"
            rows.append(tag("tr", tag("th", "; ".join([title, *told]), colspan=4), class_="group"))
        for axis in product["axes"]:
            cells = (axis["name"], format_number(axis["values"]), ", ".join(axis["shown"]), axis["source"])
            rows.append(tag("tr", *(tag("td", cell) for cell in cells)))
        bodies.append(tag("tbody", *rows))
    yield tag("div", tag("table", tag("thead", head), *bodies), class_="scroll")
    yield tag("h3", "Constraints")
    if run.manifest["constraints"]:
        yield tag("ul", *(tag("li", tag("code", text)) for text in run.manifest["constraints"]))
    else:
        yield tag("p", "None.")


def _basis(run: Run) -> Iterator[Html]:
    manifest = run.manifest
    if manifest["source"]:
        yield tag("p", f"The study: {manifest['source']}")
    yield tag("h3", "Components")
    if manifest["components"]:
        rows = [(c["slot"], c["component"], "the study" if c["chosen"] else "default") for c in manifest["components"]]
        yield _table(("slot", "component", "chosen by"), rows)
    else:
        yield tag("p", "No slot with a choice.")
    yield tag("h3", "Assumptions")
    if manifest["assumptions"]:
        values = [
            (a["name"], _with_unit(a["value"], a["unit"]), a["doc"], a["source"]) for a in manifest["assumptions"]
        ]
        yield _table(("assumption", "value", "meaning", "source"), values, numeric=(1,))
    else:
        yield tag("p", "None.")
    hidden = {f"constraint_{number}" for number in range(len(manifest["constraints"]))}
    found = [s for s in manifest["sources"] if s["quantity"] not in hidden]
    texts = [(s["quantity"], "" if s["unit"] == "1" else s["unit"], s["doc"], s["from"], s["source"]) for s in found]
    yield tag("h3", "Sources")
    table = _table(("quantity", "unit", "meaning", "from", "source"), texts)
    yield tag("details", tag("summary", f"{_count(len(texts), 'formula or input', 'formulas and inputs')}"), table)


def _with_unit(value: Any, unit: str) -> str:
    if isinstance(value, str) or unit == TEXT:
        return str(value)
    scale, unit = display_unit(unit, abs(float(value)))
    return spelled(float(value), scale, unit)


def _origin(run: Run) -> Iterator[Html]:
    manifest = run.manifest
    timings, options = manifest["timings"], manifest["options"]
    speed = timings["designs_per_second"]
    took = spelled(timings["search_seconds"], *display_unit("s", timings["search_seconds"]))
    if speed:
        took += f", {format_number(float(f'{speed:.3g}'))} designs/s"
    yield _list(
        {
            "Search": f"{took}, {_count(timings['jobs'], 'process', 'processes')}",
            "Options": ", ".join(f"{key} = {str(value).lower()}" for key, value in options.items()),
            "Seed": manifest["seed"],
            "Versions": ", ".join(f"{name} {number}" for name, number in manifest["versions"].items()),
            "Study file": manifest["study_file"] or "made from objects",
            "Folder": run.folder.resolve() if run.folder is not None else "in memory",
        }
    )
    hashes = _list({name: tag("code", digest) for name, digest in manifest["hashes"].items()})
    yield tag("details", tag("summary", "Hashes (SHA-256) of the study, its models and its tables"), hashes)
    yield tag("details", tag("summary", "The study as it was run"), tag("pre", manifest["study_text"]))
