"""Searches of 10^10 to 10^14 designs, each in a process of its own: its processor seconds and its most memory.

Everything counts: the start of Python, the study, planning, the search. ``python -m benchmarks.search '{"space": …}'``
is one such process; it ends at a limit of processor seconds, and then says only that.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from benchmarks.machine import Failed, answer_within, peak_mib, require
from benchmarks.report import Column, Section, Target, mebibytes, number, seconds
from benchmarks.search_spaces import (
    coupled,
    exascale,
    exascale_fine,
    finer_many_cores,
    known_frontier,
    known_sharing,
    separable,
    sharing,
    training,
)
from dse.api import Study
from dse.evaluation.problem import Problem
from dse.search.account.tolerance import Tolerance
from dse.search.driver import SearchOptions, search

__all__ = ["run"]


class Space(NamedTuple):
    """A space to be searched.

    Attributes
    ----------
    label : str
    make : callable
        Gives the problem.
    seconds : float
        Processor seconds wanted.
    mebibytes : float or None
        Memory wanted.
    known : callable or None
        Gives the objective vectors that are to be found.
    tolerance : float or None
        Relative, of all objectives.
    """

    label: str
    make: Callable[[], Problem]
    seconds: float
    mebibytes: float | None = None
    known: Callable[[], np.ndarray] | None = None
    tolerance: float | None = None


def _study(name: str) -> Callable[[], Problem]:
    return lambda: Study.load(name).problem()


SPACES = {
    "exascale-law": Space("study exascale-law", _study("exascale-law"), 5.0, 300.0),
    "exascale": Space("study exascale", _study("exascale"), 4.0, 250.0),
    "exascale-fine": Space("study exascale-fine", _study("exascale-fine"), 10.0, 300.0),
    "exascale-earlier": Space("exascale before boards", exascale, 4.0, 250.0),
    "exascale-fine-earlier": Space("exascale-fine before boards", exascale_fine, 10.0, 300.0),
    "sums": Space(
        "two sums of 7 parts in one function each", lambda: separable(7, 100), 5.0, None, lambda: known_frontier(7, 100)
    ),
    "maximum": Space(
        "a maximum and two sums of 6 parts, the same",
        lambda: separable(6, 160, most=True),
        5.0,
        None,
        lambda: known_frontier(6, 160, most=True),
    ),
    "sharing": Space(
        "four parts that share two axes", lambda: sharing(1_200), 20.0, None, lambda: known_sharing(1_200)
    ),
    "many-core-finer": Space("exascale before boards, many cores only, finer still", finer_many_cores, 120.0),
    "training-5": Space("training of a large model, within 5 %", training, 10.0, tolerance=0.05),
    "training-1": Space("training of a large model, within 1 %", training, 20.0, tolerance=0.01),
    "training": Space("training of a large model, exact", training, 75.0, 300.0),
    "training-cosmic": Space("study training-cosmic", _study("training-cosmic"), 35.0, 350.0),
    "training-exascale": Space("study training-exascale", _study("training-exascale"), 8.0),
    "coupled": Space("six axes that all objectives mix", lambda: coupled(48), 20.0, 400.0),
    "coupled-5": Space("the same, finer, within 5 %", lambda: coupled(96), 20.0, tolerance=0.05),
    "small-sums": Space("two sums of 4 parts", lambda: separable(4, 20), 5.0, None, lambda: known_frontier(4, 20)),
}
CHOSEN = {"full": [name for name in SPACES if name != "small-sums"], "small": ["exascale-law", "small-sums"]}
_PATIENCE = 1.5  # times the seconds wanted, after which a search is ended


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search each space once."""
    rows = []
    for name in CHOSEN[designs]:
        tell(SPACES[name].label)
        rows.append(measured(name))
    return section(rows)


def measured(name: str, limit: float | None = None) -> dict[str, Any]:
    """Search a space in a process of its own, for at most `limit` processor seconds; return what it told."""
    space = SPACES[name]
    limit = limit or _PATIENCE * space.seconds + 5.0
    row: dict[str, Any] = {"name": name, "label": space.label, "wanted": space.seconds, "limit": limit}
    try:
        record = answer_within(limit, "benchmarks.search", json.dumps({"space": name}))
    except Failed as error:
        raise RuntimeError(f"{name} failed:\n{error}") from None
    return row | (record or {"cpu_seconds": None, "peak_mib": None, "frontier": None, "designs": None})


def section(rows: list[dict[str, Any]]) -> Section:
    """Return what was measured beside what is wanted; what did not finish is a target that was not reached."""
    targets = []
    for row in rows:
        space = SPACES[row["name"]]
        finished = row["cpu_seconds"] is not None
        targets.append(Target(space.label, row["cpu_seconds"] if finished else inf, space.seconds, "s", False))
        if space.mebibytes is not None and finished:
            targets.append(Target(f"{space.label}, memory", row["peak_mib"], space.mebibytes, "MiB", False))
    right = [row["label"] for row in rows if row.get("known")]
    unfinished = [f"{row['label']}: not finished in {row['limit']:.0f} s" for row in rows if row["cpu_seconds"] is None]
    return Section(
        "search",
        "Searches at scale: whole processes, processor seconds; spaces beside studies are SYNTHETIC",
        [
            Column("label", "space"),
            Column("designs", "designs", number),
            Column("frontier", "on the frontier", lambda value: "–" if value is None else f"{value:,}"),
            Column("load_seconds", "until there is a problem", seconds),
            Column("cpu_seconds", "processor", seconds),
            Column("wanted", "wanted", seconds),
            Column("peak_mib", "peak MiB", mebibytes),
        ],
        rows,
        targets,
        [f"{label}: the vectors found part after part" for label in right],
        unfinished,
    )


def main() -> None:
    """Search one space in this process and print a record."""
    space = SPACES[json.loads(sys.argv[1])["space"]]
    problem = space.make()
    loaded = time.process_time()
    tolerance = None
    if space.tolerance:
        names = tuple(objective.quantity for objective in problem.objectives)
        tolerance = Tolerance(names, ("relative",) * len(names), (space.tolerance,) * len(names))
    found = search(problem, SearchOptions(tolerance=tolerance))
    record = {
        "cpu_seconds": time.process_time(),
        "load_seconds": loaded,
        "peak_mib": peak_mib(),
        "designs": problem.space.size,
        "frontier": len(found.numbers),
        "evaluated": int(found.certificate.evaluated),
        "exact": found.certificate.exact,
        "known": space.known is not None,
        "tolerance": space.tolerance,
    }
    if space.known is not None:
        require(np.array_equal(np.unique(found.values, axis=0), space.known()), f"the frontier of {space.label}")
    print(json.dumps(record))


if __name__ == "__main__":
    main()
