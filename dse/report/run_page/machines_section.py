"""The section "Measured systems beside it": what each says of the answer, and what would change that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.report.html.tags import Html, table, tag
from dse.report.words.falsification import VERDICT_HEADINGS, falsification_lines, verdict_rows
from dse.run.result.falsification_account import read_falsification

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["machines_list", "machines_section"]


def machines_section(run: Run) -> Iterator[Html]:
    """Return the section; nothing where nothing is stored of the run."""
    account = read_falsification(run)
    if account is None or not account.systems:
        return
    yield tag("h2", "Measured systems beside it")
    yield tag("ul", *(tag("li", f"{line}.") for line in falsification_lines(account, run.label)))
    yield tag(
        "details",
        tag("summary", "Every system and its verdict"),
        table([*VERDICT_HEADINGS], verdict_rows(account, run.label), numeric=[3, 4, 5]),
        tag(
            "p",
            "e: how far the frontier's nearest design is behind the system as measured, brought within the limits at "
            "that scale, in the objective that tells most; above 1 it would be on the frontier.",
            class_="note",
        ),
        class_="part",
    )


def machines_list(run: Run) -> Iterator[Html]:
    """Return the same for a notebook, without the table."""
    account = read_falsification(run)
    if account is not None and account.systems:
        yield tag("p", "Measured systems beside it:")
        yield tag("ul", *(tag("li", line) for line in falsification_lines(account, run.label)))
