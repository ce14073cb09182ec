"""The method that `auto` takes beside the others, on every study that comes with the project.

Each search is a process of its own; what counts is the search, not the study's making. Another method has as many
processor seconds as the process of `auto` took, and five: one that needs more is not the best, however much it needs.
Where `auto` takes very long, the others are not tried.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.machine import Failed, answer_within
from benchmarks.report import Column, Section, number, ratio, seconds
from dse import Study
from dse.search.driver import search
from dse.search.plan.strategy import SearchOptions
from dse.study.file.headings import bundled_studies

__all__ = ["run"]

METHODS = ("auto", "exhaustive", "bundles", "groups")
_TOLD_APART = 0.01  # seconds: shorter ones are a matter of the clock
_LONGEST = 60  # processor seconds of one process
_COMPARED = 30.0  # processor seconds of the process of `auto` up to which other methods are tried
_MORE = 5.0  # seconds that another method has beside those of `auto`
_LOOKED_AT = 200_000_000  # designs up to which all are looked at one by one


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search every study by every method."""
    names = sorted(bundled_studies()) if designs == "full" else ["hybrid-arm-bt", "ska-correlator"]
    rows = []
    for name in names:
        tell(name)
        auto = measured(name, "auto", _LONGEST)
        row: dict[str, Any] = {"study": name, "taken": auto.get("method"), "designs": auto.get("designs")}
        row["auto"] = auto.get("cpu_seconds")
        taken = auto.get("process_seconds", _LONGEST)
        for method in METHODS[1:]:
            large = method == "exhaustive" and auto.get("designs", 0) > _LOOKED_AT
            record = {} if large or taken > _COMPARED else measured(name, method, round(taken + _MORE))
            row[method] = record.get("cpu_seconds")
        others = [row[method] for method in METHODS[1:] if row[method] is not None]
        row["over"] = (
            max(row["auto"], _TOLD_APART) / max(min(others), _TOLD_APART)
            if others and row["auto"] is not None
            else None
        )
        rows.append(row)
    return Section(
        "methods",
        "What auto takes, beside the other methods: processor seconds of the search",
        [
            Column("study", "study"),
            Column("designs", "designs", _or_dash(number)),
            Column("taken", "auto takes", _or_dash(str)),
            *(Column(method, method, _or_dash(seconds)) for method in METHODS),
            Column("over", "auto / best", _or_dash(ratio)),
        ],
        rows,
        notes=[
            f"–: not tried (more than {_LOOKED_AT:,} designs to look at, or {_COMPARED:g} s of auto), or not done in "
            f"the processor seconds that the whole process of auto took, and {_MORE:g} s",
        ],
    )


def _or_dash(write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "–" if value is None else write(value)


def measured(name: str, method: str, limit: int) -> dict[str, Any]:
    """Search a study by a method in a process of its own; nothing where it did not end in so many processor seconds."""
    try:
        return answer_within(limit, "benchmarks.methods", name, method) or {}
    except Failed:
        return {}


def main() -> None:
    """Search one study by one method in this process and print a record."""
    name, method = sys.argv[1:]
    problem = Study.load(name).problem()
    record: dict[str, Any] = {"designs": problem.space.size}
    for _ in range(2):  # the first has what is loaded late
        begun = time.process_time()
        certificate = search(problem, SearchOptions(method)).certificate
        record |= {"cpu_seconds": time.process_time() - begun, "method": certificate.method}
        if record["cpu_seconds"] > 2.0:
            break
        problem = Study.load(name).problem()
    print(json.dumps(record | {"process_seconds": time.process_time()}))


if __name__ == "__main__":
    main()
