"""How well laws held for real machines, in the terminal: a line for each part that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dse.authoring.watch.validation import HEADING
from dse.cli.later import later
from dse.cli.text.output import say
from dse.units import format_number

if TYPE_CHECKING:
    from dse.api import Run
    from dse.report.words.shortlist import roles_of
    from dse.report.words.validated_parts import validated_parts
else:
    (roles_of,) = later("dse.report.words.shortlist", "roles_of")
    (validated_parts,) = later("dse.report.words.validated_parts", "validated_parts")

__all__ = ["print_validation", "print_validation_of_frontier"]


def print_validation(lines: Sequence[str]) -> None:
    """Print lines such as "device MI300A: 2 machines, …", each once, under what they are; nothing where none is."""
    if lines:
        say(f"{HEADING}:")
    for line in dict.fromkeys(lines):
        say(f"  {line}")


def print_validation_of_frontier(run: Run, *, every: bool) -> None:
    """Print the parts of the best designs and the knee, or of `every` design, and how many designs have none."""
    validated = validated_parts(run)
    if not validated.lines:
        return
    best = [role.row for role in roles_of(run)]
    listed = validated.lines if every else validated_parts(run, best).lines
    say(f"{HEADING}{'' if validated.without else ' (every design of the frontier has such a part)'}:")
    for line in listed:
        say(f"  {line}")
    more = len(validated.lines) - len(listed)
    if more:
        parts = "part" if more == 1 else "parts"
        say(f"  … {format_number(more)} more {parts} on the frontier: dse show {run.folder or run.name} --all")
    if validated.without:
        count = format_number(len(run.frontier))
        say(f"  {format_number(validated.without)} of {count} designs of the frontier have no such part")
