"""The accuracy table of the guide, made of what `dse validate` counts: written there, with ``--print`` printed.

Published figures come first. What this project derived or simulated itself stands apart: agreement with that shows that
formulas were programmed as they were meant.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dse.authoring.library.claims import counts_by_whose, validations

PAGE = Path(__file__).parents[1] / "guide/accuracy.md"
HEAD = "| family | source |"
STATUSES = ("pass", "fitted", "deviation", "miss", "not checkable")


def table(page: str) -> str:
    """Return the table, the sources of families as they stand in a page."""
    rows = (line.strip("|").split("|") for line in _standing(page).splitlines()[2:])
    sources = {cells[0].strip(): cells[1].strip() for cells in rows}
    heads = ["family", "source", "published: pass", *STATUSES[1:], "derived or simulated here: pass", "other", "fail"]
    lines = [f"| {' | '.join(heads)} |", f"|---|---|{'--:|' * (len(heads) - 2)}"]
    sums = [0] * (len(heads) - 2)
    for family, module in sorted(validations().items()):
        figures = counts_of(module.claims())
        sums = [one + other for one, other in zip(sums, figures, strict=True)]
        lines.append(f"| {family} | {sources.get(family, '')} | {' | '.join(map(str, figures))} |")
    lines.append(f"| **all** |  | {' | '.join(map(str, sums))} |")
    return "\n".join(lines)


def counts_of(claims: list) -> list[int]:
    """Return the figures of a row: published ones by status, then those of our own, then what fails of both."""
    by = counts_by_whose(claims)
    ours = {status: by["derived here"][status] + by["simulated here"][status] for status in by["published"]}
    other = sum(ours[status] for status in STATUSES[1:])
    return [
        *(by["published"][status] for status in STATUSES),
        ours["pass"],
        other,
        by["published"]["fail"] + ours["fail"],
    ]


def _standing(page: str) -> str:
    start = page.index(HEAD)
    return page[start:].partition("\n\n")[0]


def main() -> int:
    """Write the table into the guide, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--print", action="store_true", help="print it instead")
    given = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if given.print:
        print(table(page))
    else:
        PAGE.write_text(page.replace(_standing(page), table(page)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
