"""Searches that grow in one respect at a time: what a decade more costs, and where it breaks first. SYNTHETIC spaces.

Each search is a process of its own, of 60 processor seconds at most; steps after one that did not end are not tried.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.machine import Failed, answer_within, peak_mib
from benchmarks.report import Column, Section, mebibytes, number, seconds
from benchmarks.search_spaces import axis_of, coupled, function_of, problem_of, separable
from dse.evaluation.problem import Problem
from dse.search.driver import search
from dse.search.plan.strategy import SearchOptions

__all__ = ["KINDS", "measured", "run"]

_LONGEST = 60  # processor seconds of one search


def alternatives(count: int) -> Problem:
    """Return so many alternatives of 1,000 designs, of other values each."""
    rng = np.random.default_rng(count)
    products = [[axis_of(name, **{name: np.sort(rng.uniform(1, 10, 10))}) for name in "abc"] for _ in range(count)]
    functions = [
        function_of("time", "a b c", lambda a, b, c: 10 / a + 7 / b + 3 / c),
        function_of("cost", "a b c", lambda a, b, c: a * a + b + c),
    ]
    return problem_of(products, functions, ["time", "cost"])


def objectives(count: int) -> Problem:
    """Return 160,000 designs of four axes, and so many objectives that each weigh the axes in their own way."""
    rng = np.random.default_rng(count)
    names = ("a", "b", "c", "d")
    axes = [axis_of(name, **{name: np.sort(rng.uniform(1, 10, 20))}) for name in names]
    weights = rng.uniform(-1, 1, (count, 4))

    def weighed(own: np.ndarray) -> Callable[..., Any]:
        return lambda a, b, c, d: 50 + own[0] * a + own[1] * b + own[2] * c + own[3] * d

    targets = [f"goal_{place}" for place in range(count)]
    functions = [function_of(name, " ".join(names), weighed(own)) for name, own in zip(targets, weights, strict=True)]
    return problem_of([axes], functions, targets)


def frontier(count: int) -> Problem:
    """Return ten times so many designs, of which so many are on the frontier."""
    axes = [axis_of("a", a=np.linspace(1, 2, count)), axis_of("b", b=np.arange(10))]
    functions = [
        function_of("time", "a b", lambda a, b: 1 / a + b),
        function_of("cost", "a b", lambda a, b: a * a + b),
    ]
    return problem_of([axes], functions, ["time", "cost"])


def functions_in_a_chain(count: int) -> Problem:
    """Return 10,000 designs, and so many functions of which each reads the one before it."""
    axes = [axis_of("a", a=np.linspace(1, 2, 100)), axis_of("b", b=np.linspace(1, 2, 100))]
    chain = [function_of("link_0", "a b", lambda a, b: a + b)]
    chain += [function_of(f"link_{k}", f"link_{k - 1}", lambda before: before + 1.0) for k in range(1, count)]
    chain.append(function_of("cost", "a b", lambda a, b: 3 / a + 2 / b))
    return problem_of([axes], chain, [f"link_{count - 1}", "cost"])


KINDS: dict[str, tuple[str, Callable[[int], Problem], tuple[int, ...]]] = {
    "separable": (
        "values of 6 axes that only add up",
        lambda rows: separable(6, rows),
        (10, 32, 100, 316, 1000),
    ),
    "coupled": ("values of 6 axes that all objectives mix", coupled, (6, 12, 24, 48)),
    "alternatives": ("alternatives of 1,000 designs", alternatives, (10, 100, 1_000, 10_000)),
    "objectives": ("objectives over 160,000 designs", objectives, (2, 3, 4, 5, 6)),
    "frontier": ("designs on the frontier, of ten times as many", frontier, (1_000, 10_000, 100_000, 1_000_000)),
    "axes": ("axes of 2 values that only add up", lambda count: separable(count, 2), (5, 10, 20, 40, 60)),
    "functions": ("functions in a chain", functions_in_a_chain, (10, 100, 1_000, 5_000)),
}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Grow each kind until a search does not end."""
    rows = []
    for kind, (label, _, steps) in KINDS.items():
        for step in steps if designs == "full" else steps[:2]:
            tell(f"{step:,} {label}")
            rows.append(measured(kind, step))
            if rows[-1]["cpu_seconds"] is None:
                break
    return Section(
        "growth",
        "Searches that grow in one respect at a time: whole processes, processor seconds; spaces are SYNTHETIC",
        [
            Column("step", "so many", number),
            Column("label", "of"),
            Column("designs", "designs", number),
            Column("frontier", "on the frontier", lambda value: "–" if value is None else f"{value:,}"),
            Column("method", "method"),
            Column("cpu_seconds", "processor", seconds),
            Column("peak_mib", "peak MiB", mebibytes),
        ],
        rows,
        notes=[f"{row['step']:,} {row['label']}: {row['fault']}" for row in rows if row["fault"]],
    )


def measured(kind: str, step: int, limit: int = _LONGEST) -> dict[str, Any]:
    """Search one space in a process of its own, for at most `limit` processor seconds."""
    row: dict[str, Any] = {"kind": kind, "step": step, "label": KINDS[kind][0], "fault": f"did not end in {limit} s"}
    try:
        record = answer_within(limit, "benchmarks.kinds_of_growth", kind, str(step))
    except Failed as error:
        record, row["fault"] = None, str(error).splitlines()[-1]
    if record is None:
        return row | dict.fromkeys(("cpu_seconds", "peak_mib", "frontier", "designs", "method"))
    return row | record | {"fault": ""}


def main() -> None:
    """Search one space in this process and print a record."""
    kind, step = sys.argv[1], int(sys.argv[2])
    problem = KINDS[kind][1](step)
    found = search(problem, SearchOptions())
    record = {
        "cpu_seconds": time.process_time(),
        "peak_mib": peak_mib(),
        "designs": problem.space.size,
        "frontier": len(found.numbers),
        "method": found.certificate.method,
        "exact": found.certificate.exact,
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
