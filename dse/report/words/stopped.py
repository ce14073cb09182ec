"""What is said of a search that was stopped, in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.search.account.stopping import BUDGET
from dse.units import format_number, with_unit

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["describe_stopped", "found_and_possible", "open_text", "proved_text", "why_stopped"]


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
    if certificate.gap["cover"] is None:
        lines.append('no bound yet: with --budget "60 s" the search goes on so that there is one')
    return lines
