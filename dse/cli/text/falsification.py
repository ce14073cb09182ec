"""What measured systems say of the answer of a run, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.text.output import say
from dse.report.words.falsification import falsification_lines, withdrawn_line

if TYPE_CHECKING:
    from pathlib import Path

    from dse.api import Run
    from dse.run.result.falsification_account import FalsificationAccount

__all__ = ["falsify", "print_falsification"]


def falsify(run: Run, measured: Path | None) -> FalsificationAccount | None:
    """Hold the measured systems of a study, and of a file, against a run; None where the study has none.

    Raises
    ------
    InputError
        A file is given, and the study does not say of what classes its references are, or what is wrong with it.
    """
    from dse.analysis.falsify.falsify import has_classes

    if measured is None and (not len(run.frontier) or not has_classes(run.study)):
        return None
    return run.falsify(measured)


def print_falsification(run: Run) -> None:
    """Print what is stored with a run of the systems beside it; nothing where nothing is."""
    from dse.run.result.falsification_account import read_falsification

    account = read_falsification(run)
    if account is None or not account.systems:
        return
    taken_back = withdrawn_line(account)
    if taken_back:
        say(f"WITHDRAWN: {taken_back}", style="bold")
    say("measured systems beside it:")
    for line in falsification_lines(account):
        say(f"  {line}")
