"""Measured figures of real machines beside what the model gives, and beside what one constant gives.

``dse validate machines`` takes the machines that come with the project, ``--file`` another table of the same columns,
with the same constants. A figure of the training half is *fitted*; it still fails outside the acceptance.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dse.authoring.claims import Claim, Comparison, Listing
from dse.errors import InputError
from dse.models.machines.catalogue import Machine, catalogue, read_machines
from dse.models.machines.comparison import Answer, Summary, Target, answers, summaries, targets
from dse.models.machines.figures import FIGURES
from dse.units import with_unit

__all__ = ["claims", "comparison"]


def claims() -> list[Claim]:
    """Return every measured figure of the machines that come with the project, with what the model gives."""
    return [_claim(answer) for answer in answers(catalogue())]


def comparison(file: Path | None = None) -> Comparison:
    """Compare every machine of a table.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/machines/systems.csv``, or its name in ``spaces``. Default: that one.

    Raises
    ------
    InputError
        What is wrong with the table, or that none of its machines has a figure with all that is needed to compute it.
    """
    machines = catalogue() if file is None else _machines(file)
    found = answers(machines)
    if all(answer.error is None for answer in found):
        why = "; ".join(dict.fromkeys(f"{answer.figure.title} {answer.note}" for answer in found))
        raise InputError(f"no figure of any machine can be compared: {why}", file=file)
    summed = summaries(found)
    hoped = targets(summed)
    checked = tuple(_claim(answer) for answer in found)
    listings = (*_machine_tables(found, checked), _summary_table(summed), _target_table(hoped))
    notes = [f"{a.machine.name}, {a.figure.title}: {a.note}" for a in found if a.note and a.note != "not published"]
    details = {
        "file": "spaces/machines/systems.csv" if file is None else str(file),
        "machines": _by_machine(machines, found, checked),
        "summaries": [_summed(one) for one in summed],
        "targets": [_hoped(one) for one in hoped],
    }
    return Comparison(checked, details, listings, (*notes, *_unpublished(found)))


def _machines(file: Path) -> Sequence[Machine]:
    inside = Path(str(files("dse.spaces"))) / file
    return read_machines(inside if not file.exists() and inside.is_file() else file, name=str(file))


def _claim(answer: Answer) -> Claim:
    figure = answer.figure
    common: dict[str, Any] = {
        "model": "machines",
        "claim": f"{answer.machine.name}: {figure.title}",
        "source": answer.machine.source or "the table gives none",
        "published": answer.published,
        "computed": answer.computed,
        "unit": figure.unit,
        "note": answer.note,
    }
    if answer.computed is None or answer.published is None:
        return Claim(**common, kind="not checkable")
    kind: Any = "fitted" if answer.half == "training" else "check"
    if kind == "fitted" and not answer.note:
        common["note"] = "of the half of the machines that the constants were fitted on"
    if figure.name == "hpcg":  # between half and twice: the smaller is at least half of the larger
        return Claim(**common, kind=kind, relative_tolerance=0.5)
    return Claim(**common, kind=kind, absolute_tolerance=answer.tolerance * answer.published)


def _machine_tables(found: Sequence[Answer], checked: Sequence[Claim]) -> list[Listing]:
    headings = ("machine", "half", "published", "computed", "error", "naive", "error", "status")
    result = []
    for figure in FIGURES:
        rows = [
            (
                answer.machine.name,
                answer.half,
                with_unit(answer.published, figure.unit),
                with_unit(answer.computed, figure.unit),
                _percent(answer.error),
                with_unit(answer.naive, figure.unit),
                _percent(answer.naive_error),
                claim.status,
            )
            for answer, claim in zip(found, checked, strict=True)
            if answer.figure is figure and answer.error is not None
        ]
        if rows:
            title = f"{figure.title}; naive: {figure.law}"
            result.append(Listing(title, headings, tuple(rows), right=(2, 3, 4, 5, 6)))
    return result


def _summary_table(summed: Sequence[Summary]) -> Listing:
    headings = ("figure", "machines", "", "mean error", "naive", "worst", "of", "rank correlation")
    rows = [
        (
            one.figure.title,
            one.group,
            str(one.machines),
            _percent(one.mean, sign=False),
            _percent(one.naive_mean, sign=False),
            _percent(one.worst, sign=False),
            one.worst_machine,
            _number(one.rank_correlation),
        )
        for one in summed
    ]
    return Listing("Errors", headings, tuple(rows), right=(2, 3, 4, 5, 7))


def _target_table(hoped: Sequence[Target]) -> Listing:
    rows = []
    for one in hoped:
        least = one.what == "rank correlation"
        show = _number if least else lambda value: _percent(value, sign=False)
        reached = "unknown" if one.reached is None else "reached" if one.reached else "NOT reached"
        rows.append(
            (one.figure.title, one.what, f"{'≥' if least else '≤'} {show(one.limit)}", show(one.found), reached)
        )
    return Listing("Targets beyond the acceptance", ("figure", "what", "limit", "found", ""), tuple(rows), right=(2, 3))


def _unpublished(found: Sequence[Answer]) -> list[str]:
    result = []
    for figure in FIGURES:
        names = [a.machine.name for a in found if a.figure is figure and a.note == "not published"]
        if names:
            result.append(f"{figure.title} not published: {', '.join(names)}")
    return result


def _by_machine(machines: Sequence[Machine], found: Sequence[Answer], checked: Sequence[Claim]) -> list[dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {machine.name: {"name": machine.name} for machine in machines}
    for answer, claim in zip(found, checked, strict=True):
        record = result[answer.machine.name]
        record["half"] = answer.half
        record[answer.figure.name] = {
            "published": answer.published,
            "computed": answer.computed,
            "error": answer.error,
            "baseline": answer.naive,
            "baseline_error": answer.naive_error,
            "unit": answer.figure.unit,
            "status": claim.status,
            "note": answer.note,
        }
    return list(result.values())


def _summed(one: Summary) -> dict[str, Any]:
    return {
        "figure": one.figure.name,
        "group": one.group,
        "machines": one.machines,
        "mean_error": one.mean,
        "worst_error": one.worst,
        "worst_machine": one.worst_machine,
        "rank_correlation": one.rank_correlation,
        "baseline_mean_error": one.naive_mean,
        "baseline_worst_error": one.naive_worst,
        "baseline_constant": one.naive_constant,
        "baseline_law": one.figure.law,
    }


def _hoped(one: Target) -> dict[str, Any]:
    return {
        "figure": one.figure.name,
        "target": one.what,
        "limit": one.limit,
        "found": one.found,
        "reached": one.reached,
    }


def _percent(value: float | None, *, sign: bool = True) -> str:
    if value is None:
        return "–"
    return f"{100 * value:+.1f} %" if sign else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
