"""What is said of a search that was stopped, in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.search.account.stopping import BUDGET
from dse.units import format_number, with_unit

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = [
    "begun_text",
    "describe_stopped",
    "found_and_possible",
    "open_text",
    "proved_text",
    "waiting_text",
    "why_stopped",
]

_NAMED = 4  # alternatives that wait


def why_stopped(run: Run) -> str:
    """Say what stopped the search, and how it goes on; nothing where it has ended."""
    certificate = run.manifest.certificate
    if certificate.gap is None:
        return ""
    if certificate.stopped == BUDGET:
        return "stopped by its budget, so that how far it came depends on the machine; the same command goes on"
    return "interrupted; the same command goes on"


def open_text(run: Run) -> str:
    """Say how much of the space is open."""
    gap = run.manifest.certificate.gap
    if gap is None:
        return "nothing"
    n, remaining = format_number, gap["open"]
    pieces = f"{n(remaining['boxes'])} {'piece' if remaining['boxes'] == 1 else 'pieces'}"
    return f"{n(100 * remaining['share'], 3)} % of the space: {n(remaining['designs'])} designs in {pieces}"


def found_and_possible(run: Run) -> list[tuple[str, str]]:
    """Return for each objective the best that was found, and what no design of the space beats."""
    gap = run.manifest.certificate.gap
    bounds = gap["objectives"] if gap is not None else {}
    lines = []
    for objective in run.objectives:
        name, unit = objective["quantity"], objective["unit"]
        own = bounds.get(name, {"found": None, "possible": None})
        best, possible = own["found"], own["possible"]
        words = f"{'nothing' if best is None else with_unit(best, unit)} found"
        if possible is not None:
            side = "above" if objective["sense"] == "max" else "below"
            words += f", no design {side} {with_unit(possible, unit)}"
        lines.append((run.label(name), words))
    return lines


def proved_text(run: Run) -> str:
    """Say how many designs are certainly on the frontier; nothing where none is known to be."""
    gap = run.manifest.certificate.gap
    if gap is None or not gap["proved"]:
        return ""
    proved = gap["proved"]
    return f"{format_number(len(proved))} of {format_number(len(run.frontier))} designs, whatever else there is"


def describe_stopped(run: Run) -> list[str]:
    """Return the lines of a search that was stopped; none where it has ended."""
    certificate = run.manifest.certificate
    if certificate.gap is None:
        return []
    lines = [why_stopped(run), f"open: {open_text(run)}"]
    lines += [f"{label}: {words}" for label, words in found_and_possible(run)]
    if (proved := proved_text(run)) != "":
        lines.append(f"certainly on the frontier: {proved}")
    if waiting := waiting_text(run):
        lines.append(f"no bound yet: {waiting}")
        if begun := begun_text(run):
            lines.append(f"in those that were begun: {begun}")
    elif certificate.gap["cover"] is None:
        lines.append('no bound yet: with --budget "60 s" the search goes on so that there is one')
    return lines


def waiting_text(run: Run) -> str:
    """Say which alternatives were not begun, so that nothing is known of them; nothing where all were."""
    gap = run.manifest.certificate.gap
    names = gap.get("waiting", []) if gap is not None else []
    if not names:
        return ""
    listed = ", ".join(names[:_NAMED]) + (f", … {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    kind = "1 alternative waits" if len(names) == 1 else f"{format_number(len(names))} alternatives wait"
    return f"{kind}, and nothing is known of {'it' if len(names) == 1 else 'them'} ({listed})"


def begun_text(run: Run) -> str:
    """Say what no design of the alternatives that were begun beats; nothing where no bound of them is known."""
    gap = run.manifest.certificate.gap
    bounds = gap.get("begun", {}) if gap is not None else {}
    words = []
    for objective in run.objectives:
        bound = bounds.get(objective["quantity"])
        if bound is not None:
            side = "above" if objective["sense"] == "max" else "below"
            words.append(f"{run.label(objective['quantity'])} {side} {with_unit(bound, objective['unit'])}")
    return f"no design has {', '.join(words)}" if words else ""
