"""What the page says in words and tables: the answer at the top, and the account of the run at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.authoring.watch.validation import HEADING
from dse.report.charts.shown_column import spelled
from dse.report.html.tags import Html, definitions, join, table, tag
from dse.report.run_page.answer_section import answer_section
from dse.report.run_page.decision_section import decision_section
from dse.report.run_page.shortlist_table import short_list_section
from dse.report.words.answer import answer_of
from dse.report.words.stopped import begun_text, found_and_possible, open_text, proved_text, waiting_text, why_stopped
from dse.report.words.validated_parts import validated_parts
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    from dse.report.record.view import PageView
    from dse.report.words.answer import Answer
    from dse.run.result.run import Run

__all__ = ["account", "header", "in_words", "rejected"]

_METHODS = {
    "exhaustive": "exhaustive: every design is evaluated",
    "bundles": "bundles: designs that are alike are bounded together, and skipped where the bound is beaten",
    "groups": "groups: choices that others beat, whatever the rest of the design is, are left out first",
    "evolve": "evolve: generations of designs are bred; what was looked at and is beaten by none is shown",
}
_MILLION = 1_000_000
_UNCOUNTED = "not counted: bounds exclude designs without looking at each (count_infeasible = true counts them)"


def _count(number: int, single: str, many: str | None = None) -> str:
    return f"{format_number(number)} {single if number == 1 else many or single + 's'}"


# ---- the top --------------------------------------------------------------------------------------------------------


def header(run: Run, view: PageView) -> Iterator[Html]:
    """Return the top of the page: question, warnings, how many designs there are, and what is decided."""
    manifest = run.manifest
    yield tag("h1", run.name)
    if manifest.question:
        yield tag("p", manifest.question, class_="question")
    if run.derived_from is not None:
        yield tag("p", run.derived_from.as_text(), class_="source")
    if manifest.synthetic:
        which = f"Not measured, so no result to quote: {', '.join(manifest.synthetic)}"
        yield tag("div", tag("strong", "SYNTHETIC DATA"), which, class_="banner", role="note")
    for line in (*run.strangers, *run.changes):
        yield tag("div", line, class_="banner minor", role="note")
    answer = answer_of(run)
    for own in answer.withdrawn if answer is not None else ():
        yield tag("p", tag("b", f"{own.about[:1].upper()}{own.about[1:]}: {own.text}."), class_="withdrawn")
    yield tag("div", tag("p", _answer(run), class_="answer"), *_weakening(answer), class_="lead")
    if len(run.frontier):
        lines = zip(view.short.list.lines, view.short.rows, strict=True)
        yield from decision_section(run, {line.row: row for line, row in lines if line.row >= 0})


def _weakening(answer: Answer | None) -> Iterator[Html]:
    """Say how much speaks against the answer, with a link to it."""
    if answer is not None and answer.weakened_by:
        about = dict.fromkeys(sentence.about for sentence in answer.weakened_by)
        yield tag("p", "What weakens it: ", tag("a", ", ".join(about), href="#more-words"), class_="note")


def in_words(run: Run, view: PageView) -> Iterator[Html]:
    """Return the answer in sentences, how many designs there are, and the short list."""
    answer = answer_of(run)
    if run.manifest.source:
        yield tag("p", run.manifest.source, class_="source")
    if answer is not None:
        said_below = len(validated_parts(run).lines) == 1 and _validation(run)  # by the sentence below, for all designs
        yield answer_section(answer, leave_out=("real machines",) if said_below else ())
    validation = _validation(run)
    yield tag("div", *([tag("p", validation, class_="held-by")] if validation else []), _facts(run), class_="lead")
    if len(run.frontier):
        yield short_list_section(run, view.short)


def _answer(run: Run) -> str:
    """Say in one sentence how many designs are left of how many."""
    rows, designs = len(run.frontier), run.manifest.space.designs
    if not rows and run.stopped:
        return f"Of {_count(designs, 'design')} none is found yet that meets all constraints: {run.headline}."
    if not rows:
        return f"None of the {_count(designs, 'design')} meets all constraints."
    every = format_number(designs) if designs < _MILLION else f"{designs:.1e}".replace("e+", "e").replace("e0", "e")
    every += " design" if designs == 1 else " designs"
    if run.manifest.certificate.gap is not None:
        return f"Of {every} {format_number(rows)} are the best found so far; {run.headline}."
    if run.within:
        return (
            f"Of {every} {format_number(rows)} stand for all: {run.headline} of each that meets all constraints there "
            "is one of them."
        )
    if run.promises_all and not run.exact:
        return f"Of {every} {format_number(rows)} {'is' if rows == 1 else 'are'} on the frontier: {run.headline}."
    if not run.exact:
        headline = run.headline
        return f"Of {every} {format_number(rows)} are the best found; others may beat them: {headline}."
    return f"Of {every} {format_number(rows)} {'is' if rows == 1 else 'are'} on the frontier; it is exact."


def _validation(run: Run) -> str:
    """Say how well the laws of the parts held for real machines, where each design of the frontier has such a part."""
    lines, without = validated_parts(run)
    if without or not lines:
        return ""
    if len(lines) == 1:
        return f"{HEADING.capitalize()}: {lines[0].rstrip('.')}."
    return "Each has a part whose catalogue says how well its law held for real machines: see below."


def _facts(run: Run) -> Html:
    certificate, rows = run.manifest.certificate, len(run.frontier)
    feasible = certificate.feasible
    facts = [
        (format_number(certificate.designs), "designs in the space"),
        (format_number(feasible or 0), "meet all constraints"),
        (format_number(rows), _shown_are(run)),
        (run.headline, _worth(run)),
    ]
    if not run.manifest.constraints or feasible is None:
        del facts[1]
    return tag("ul", *(tag("li", tag("b", value), tag("span", text)) for value, text in facts), class_="facts")


def _worth(run: Run) -> str:
    if run.exact or run.within:
        return "holds for the whole space"
    return "not searched here" if run.promises_all else "there may be better"


def _shown_are(run: Run) -> str:
    if run.exact:
        return "on the frontier"
    if run.manifest.certificate.gap is not None:
        return "best found so far"
    return "designs stand for all" if run.within else "best found"


# ---- the sections ---------------------------------------------------------------------------------------------------


def account(run: Run) -> Iterator[Html]:
    """Return what stands at the end, folded: certificate, space, constraints, components, sources, versions.

    A table of contents leads to the parts.
    """
    parts = {
        "trust": ("How far it can be trusted", [_certificate(run)]),
        "space": ("The space", [*_space(run)]),
        "basis": ("What it rests on", [*_basis(run)]),
        "run": ("The run", [*_origin(run)]),
    }
    links = (tag("li", tag("a", heading, href=f"#{name}")) for name, (heading, _) in parts.items())
    yield tag("nav", tag("ul", *links), class_="contents", aria_label="More about this run")
    for name, (heading, pieces) in parts.items():
        yield tag("details", tag("summary", tag("h2", heading)), *pieces, class_="part", id=name)


def _left(run: Run) -> dict[str, object]:
    """Return what a search that was stopped has left."""
    if run.manifest.certificate.gap is None:
        return {}
    accounts = found_and_possible(run)
    waiting, begun = waiting_text(run), begun_text(run)
    return {
        "Open": open_text(run),
        **({"Not begun": f"{waiting}. In those that were begun {begun}." if begun else waiting} if waiting else {}),
        "Found and possible": tag("ul", *(tag("li", f"{label}: {words}") for label, words in accounts)),
        "Certainly on the frontier": proved_text(run) or "–",
    }


def _certificate(run: Run) -> Html:
    certificate = run.manifest.certificate
    designs, feasible = certificate.designs, certificate.feasible
    every = _count(designs, "design")

    def part(number: int) -> str:
        return f"{format_number(number)} ({format_number(100 * number / designs, 3)} %)" if designs else "0"

    if run.exact:
        end = "none beats a design shown here" if len(run.frontier) else "none meets all constraints"
        how = "evaluated, pruned by a proof or excluded" if certificate.groups else "evaluated or excluded"
        exact = f"Yes: each of the {every} was {how} by a proven bound, and {end}."
    elif run.promises_all:
        exact = f"Not known here: {run.headline}. The study, run here, tells."
    elif certificate.gap is not None:
        exact = f"No, {run.headline}. The search was {why_stopped(run)}."
    elif certificate.tolerance:
        exact = (
            f"No, {run.headline}: for each of the {every} that meets all constraints, one shown here is no more than "
            "that worse in any objective. That is proved; designs that are a little better may be left out."
        )
    else:
        headline = run.headline
        exact = f"No: these are the best designs found among the {every}; others may beat them, {headline}."
    warnings = [*certificate.warnings, *run.manifest.warnings]
    items: dict[str, object] = {
        "Exact": exact,
        "Method": _METHODS.get(certificate.method, certificate.method),
        "Why this method": certificate.reason or "–",
        **({"How it went": certificate.evolution.as_text} if certificate.evolution is not None else {}),
        **_left(run),
        "Designs": format_number(designs),
        "Evaluated": part(certificate.evaluated),
        "Excluded by bound": part(certificate.excluded_by_bound),
        **_groups(run),
        "Feasible": _UNCOUNTED if feasible is None else part(feasible),
        "Infeasible": rejected(run),
        "Equal designs": certificate.ties,
        "Checked": certificate.checked_text or "–",
        "Extrapolated": f"{format_number(run.manifest.frontier.extrapolated)} of"
        f" {format_number(len(run.frontier))} on the frontier: outside the range a model was validated on",
        "Numeric": _numeric(run),
        "Warnings": tag("ul", *(tag("li", text) for text in warnings)) if warnings else "none",
    }
    return definitions(items)


def _groups(run: Run) -> dict[str, str]:
    """Say what was pruned by group, and what kept more from being pruned."""
    certificate = run.manifest.certificate
    if not certificate.groups:
        return {}
    return {
        "Pruned by group": format_number(certificate.pruned_by_group),
        "Groups": tag("ul", *(tag("li", text) for text in certificate.groups)),
        "Not pruned by": tag("ul", *(tag("li", text) for text in certificate.not_pruned)),
    }


def _numeric(run: Run) -> str:
    """Say for which designs of the frontier a quantity has no closed form."""
    counts = {name: count for name, count in run.manifest.frontier.numeric.items() if count}
    if not counts:
        return "none: every quantity on the frontier has a closed form"
    rows = format_number(len(run.frontier))
    marked = run.manifest.frontier.marked
    lines = [
        f"{format_number(count)} of {rows} on the frontier"
        + (f" {marked[name]} ({name})" if name in marked else f": {name} is 1")
        for name, count in counts.items()
    ]
    return tag("ul", *(tag("li", text) for text in lines))


def rejected(run: Run) -> Html:
    """Return the constraints with the number of designs that violate each."""
    constraints, counts = run.manifest.constraints, run.manifest.certificate.infeasible
    if not constraints:
        return Html("the study has no constraints")
    lines = []
    for text in constraints:
        count = "not counted" if counts is None else _count(counts.get(text, 0), "design")
        lines.append(join([tag("code", text), f"{_by(run, text)}: {count}"], ""))
    return tag("ul", *(tag("li", line) for line in lines))


def _by(run: Run, text: str) -> str:
    """Say which requirement of a model a constraint is."""
    name = run.manifest.required_by.get(text)
    return f" (required by {name})" if name else ""


def _space(run: Run) -> Iterator[Html]:
    space = run.manifest.space
    alternatives = space.alternatives
    several = f" in {_count(len(alternatives), 'alternative')}" if len(alternatives) > 1 else ""
    yield tag("p", f"{_count(space.designs, 'design')}{several}.")
    head = tag("tr", *(tag("th", text) for text in ("axis", "values", "what they are", "from")))
    bodies = []
    for product in alternatives:
        rows = []
        fixed = [f"{name} = {_with_unit(item.value, item.unit)}" for name, item in product.set.items()]
        fixed += [f"{slot}: {component}" for slot, component in product.components.items()]
        if product.name or fixed:
            title = f"{product.name or 'all designs'}: {_count(product.designs, 'design')}"
            rows.append(tag("tr", tag("th", "; ".join([title, *fixed]), colspan=4), class_="group"))
        for axis in product.axes:
            words = [axis.shown_values]
            if axis.enumerated is not None:
                words.append(tag("div", axis.enumerated_text, class_="quiet"))
            cells = (axis.name, format_number(axis.values), join(words, ""), axis.source)
            rows.append(tag("tr", *(tag("td", cell) for cell in cells)))
        bodies.append(tag("tbody", *rows))
    yield tag("div", tag("table", tag("thead", head), *bodies), class_="scroll", tabindex=0)
    yield tag("h3", "Constraints")
    if run.manifest.constraints:
        lines = [join([tag("code", text), _by(run, text)], "") for text in run.manifest.constraints]
        yield tag("ul", *(tag("li", line) for line in lines))
    else:
        yield tag("p", "None.")
    if run.manifest.requirements:
        yield tag("h3", "Requirements of the models")
        yield tag("ul", *(tag("li", item.text) for item in run.manifest.requirements))


def _basis(run: Run) -> Iterator[Html]:
    manifest = run.manifest
    if manifest.source:
        yield tag("p", f"The study: {manifest.source}")
    yield tag("h3", "Components")
    if manifest.components:
        rows = [(c.slot, c.component, "the study" if c.chosen else "default") for c in manifest.components]
        yield table(("slot", "component", "chosen by"), rows)
    else:
        yield tag("p", "No slot with a choice.")
    yield tag("h3", "Assumptions")
    if manifest.assumptions:
        values = [(a.name, _with_unit(a.value, a.unit), a.doc, a.source) for a in manifest.assumptions]
        yield table(("assumption", "value", "meaning", "source"), values, numeric=(1,))
    else:
        yield tag("p", "None.")
    hidden = {f"constraint_{number}" for number in range(len(manifest.constraints))}
    given = [s for s in manifest.sources if s.quantity not in hidden]
    texts = [(s.quantity, "" if s.unit == "1" else s.unit, s.doc, s.origin, s.source) for s in given]
    yield tag("h3", "Sources")
    listed = table(("quantity", "unit", "meaning", "from", "source"), texts)
    yield tag("details", tag("summary", f"{_count(len(texts), 'formula or input', 'formulas and inputs')}"), listed)


def _with_unit(value: str | float, unit: str) -> str:
    if isinstance(value, str) or unit == TEXT:
        return str(value)
    scale, unit = display_unit(unit, abs(float(value)))
    return spelled(float(value), scale, unit)


def _origin(run: Run) -> Iterator[Html]:
    manifest = run.manifest
    timings, options = manifest.timings, manifest.options
    speed = timings.designs_per_second
    took = spelled(timings.search_seconds, *display_unit("s", timings.search_seconds))
    if speed:
        took += f", {format_number(float(f'{speed:.3g}'))} designs/s"
    yield definitions(
        {
            "Search": f"{took}, {_count(timings.jobs, 'process', 'processes')}",
            "Options": ", ".join(f"{key} = {str(value).lower()}" for key, value in options.as_dict().items()),
            "Seed": manifest.seed,
            "Versions": ", ".join(f"{name} {number}" for name, number in manifest.versions.items()),
            "Study file": manifest.study_file or "made from objects",
            "Folder": run.folder.resolve() if run.folder is not None else "in memory",
        }
    )
    hashes = definitions({name: tag("code", digest) for name, digest in manifest.hashes.items()})
    yield tag("details", tag("summary", "Hashes (SHA-256) of the study, its models and its tables"), hashes)
    yield tag("details", tag("summary", "The study as it was run"), tag("pre", manifest.study_text, tabindex=0))
