"""What the commands on runs say alike: the question, what has changed, what stands in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.later import later
from dse.cli.text.output import say, units_of

if TYPE_CHECKING:
    from dse.analysis.choose.pick import validations_together
    from dse.api import Run
    from dse.report.words.answer import answer_of, nearest_in_words
else:
    (validations_together,) = later("dse.analysis.choose.pick", "validations_together")
    answer_of, nearest_in_words = later("dse.report.words.answer", "answer_of", "nearest_in_words")

__all__ = ["answer_document", "designs_document", "print_changes", "print_headline", "print_nothing_feasible"]


def print_headline(result: Run) -> None:
    """Print name and question of a run, its source, and what it was derived from."""
    say(f"{result.name}: {result.manifest.question}" if result.manifest.question else result.name, style="bold")
    if result.manifest.source:
        say(f"source: {result.manifest.source}")
    if result.derived_from is not None:
        say(result.derived_from.as_text())


def print_nothing_feasible(result: Run) -> None:
    """Print that no design meets every constraint, the nearest miss, and how to find out which excludes how many."""
    certificate = result.manifest.certificate
    if result.stopped:
        say("nothing feasible is found yet: the same command goes on", style="bold")
        return
    say("nothing is feasible: no design meets every constraint", style="bold red")
    if (nearest := nearest_in_words(result)) is not None:
        say(nearest)
    if certificate.infeasible is None:
        say("which constraint excludes how many: run again with --count-infeasible --fresh")


def print_changes(loaded: Run) -> None:
    """Print what is no longer as it was when the run was made, and which of its models are not run here."""
    for line in (*loaded.strangers, *loaded.changes):
        say(line, style="yellow")
    if loaded.unrun_code:
        files = ", ".join(loaded.unrun_code)
        say(f"no seal of this user: model files are not run without --allow-code: {files}", style="yellow")


def answer_document(loaded: Run) -> dict[str, object] | None:
    """Return the answer for JSON."""
    answer = answer_of(loaded)
    return None if answer is None else answer.as_dict()


def designs_document(loaded: Run) -> dict[str, object]:
    """Return the designs of the frontier and the systems beside it for JSON, with the units of both."""
    columns = loaded.validation_columns
    names = {name for record in loaded.references for name in (*record["values"], *record["measured"])}
    units = {name: unit for name, unit in loaded.units.items() if name in names}
    of_designs = units_of(loaded.frontier, loaded.units).items()
    return {
        "frontier": validations_together(loaded.frontier, columns),
        "references": loaded.references,
        "units": {name: unit for name, unit in of_designs if name not in columns.values()} | units,
    }
