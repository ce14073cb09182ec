"""The method that `auto` takes beside the others, on every study that comes with the project.

A process per study loads it and forks once for each method; what counts is the search, not the study's making. Every
search has a limit of processor seconds, so that the table ends within minutes: another method has what `auto` took, a
quarter more and a second, as one that needs longer is not the better choice, however long that is.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypedDict

from benchmarks.machine import answer_within
from benchmarks.report import Column, Section, Target, number, ratio, seconds
from dse import Study
from dse.evaluation.problem import Problem
from dse.search.driver import search
from dse.search.plan.strategy import SearchOptions
from dse.study.file.headings import bundled_studies

__all__ = ["Searched", "run", "searched"]

METHODS = ("auto", "exhaustive", "bundles", "groups")
_LONGEST = 45.0  # processor seconds of a search by `auto`
_SHARE, _MORE = 1.25, 1.0  # of what auto took, and seconds, that another method has
_TOLD_APART = 0.05  # seconds: shorter differences are a matter of the clock
_AGAIN = 1.0  # seconds of a search up to which it is done once more: the first has what is loaded late
_LOOKED_AT = 200_000_000  # designs up to which all are looked at one by one
_LOADING = 60.0  # processor seconds for making a study
_WORSE = 1.1  # times the best, at most


class Searched(TypedDict):
    """What came of a search: nothing but the limit where it was cut."""

    limit: float
    cpu_seconds: float | None
    method: str | None


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search every study by every method."""
    names = sorted(bundled_studies()) if designs == "full" else ["hybrid-arm-bt", "ska-correlator"]

    def row(name: str) -> dict[str, Any]:
        record = answer_within(_LOADING, "benchmarks.methods", name) or {"designs": 0, "searches": {}}
        tell(name)
        return _row(name, record["designs"], record["searches"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [*pool.map(row, names)]
    compared = [entry for entry in rows if entry["over_best"] is not None]
    return Section(
        "methods",
        "What auto takes, beside the other methods: processor seconds of the search",
        [
            Column("study", "study"),
            Column("designs", "designs", number),
            Column("taken", "auto takes"),
            *(Column(method, method) for method in METHODS),
            Column("over_best", "auto / best", _or_dash(ratio)),
            Column("over_worst", "auto / worst", _or_dash(ratio)),
        ],
        rows,
        [Target(entry["study"], entry["over_best"], _WORSE, "times the best", False) for entry in compared],
        [],
        [
            f">: cut at so many processor seconds: {_LONGEST:g} of auto, {_SHARE:g} times what auto took and {_MORE:g} "
            "of another",
            f"–: more than {_LOOKED_AT:,} designs to look at, or auto was cut",
            f"ratios: of times to {_TOLD_APART:g} s",
        ],
    )


def _row(name: str, designs: int, searches: dict[str, Searched]) -> dict[str, Any]:
    auto = searches.get("auto")
    row: dict[str, Any] = {"study": name, "designs": designs, "taken": (auto and auto["method"]) or "–"}
    row |= {method: _text(searches.get(method)) for method in METHODS}
    others = [own["cpu_seconds"] for method, own in searches.items() if method != "auto"]
    ended = [taken for taken in others if taken is not None]
    row["over_best"] = row["over_worst"] = None
    if auto is not None and auto["cpu_seconds"] is not None and others:
        # One that was cut is no better than auto, and who is worst is not known.
        row["over_best"] = _over(auto["cpu_seconds"], min(ended)) if ended else 1.0
        row["over_worst"] = _over(auto["cpu_seconds"], max(ended)) if len(ended) == len(others) else None
    return row


def _over(own: float, other: float) -> float:
    """Return how many times as long one search takes as another, of times that can be told apart."""
    return (own + _TOLD_APART) / (other + _TOLD_APART)


def _text(record: Searched | None) -> str:
    if record is None:
        return "–"
    return f"> {record['limit']:g} s" if record["cpu_seconds"] is None else seconds(record["cpu_seconds"])


def _or_dash(write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "–" if value is None else write(value)


def searched(problem: Callable[[], Problem], method: str, limit: float) -> Searched:
    """Search in a fork of this process, which ends at so many processor seconds (whole ones count)."""
    limit = math.ceil(limit)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            record = _in_this_process(problem, method, limit)
            os.write(write, json.dumps(record).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else Searched(limit=limit, cpu_seconds=None, method=None)


def _in_this_process(problem: Callable[[], Problem], method: str, limit: float) -> Searched:
    least, taken = math.inf, ""
    for _ in range(2):
        made = problem()
        begun = time.process_time()
        taken = search(made, SearchOptions(method)).certificate.method
        least = min(least, time.process_time() - begun)
        if least > _AGAIN:
            break
    return Searched(limit=limit, cpu_seconds=least, method=taken)


def main() -> None:
    """Search one study by each method and print a record."""
    study = Study.load(sys.argv[1])
    size = study.problem().space.size
    searches = {"auto": searched(study.problem, "auto", _LONGEST)}
    taken = searches["auto"]["cpu_seconds"]
    for method in METHODS[1:]:
        if taken is not None and not (method == "exhaustive" and size > _LOOKED_AT):
            searches[method] = searched(study.problem, method, _SHARE * taken + _MORE)
    print(json.dumps({"designs": size, "searches": searches}))


if __name__ == "__main__":
    main()
