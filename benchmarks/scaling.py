"""One process and two: seconds, and the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.machine import require, rounds
from benchmarks.report import Column, Section, mebibytes, number, ratio, seconds

# method, node values by size: each node value adds 9.83e6 designs
SEARCHES = {
    "full": [("exhaustive", 70), ("bundles", 102), ("bundles", 1_020)],
    "small": [("exhaustive", 5), ("bundles", 20)],
}
REPEATS = 3


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search with one and with two processes, in turn."""
    orders: dict[str, dict[str, Any]] = {
        f"{method} {node_values} {jobs}": {
            "variant": "searched",
            "method": method,
            "node_values": node_values,
            "jobs": jobs,
        }
        for method, node_values in SEARCHES[designs]
        for jobs in (1, 2)
    }
    samples = rounds(orders, REPEATS, tell)
    rows = []
    for method, node_values in SEARCHES[designs]:
        one, two = (samples[f"{method} {node_values} {jobs}"] for jobs in (1, 2))
        require(one.answer == two.answer, f"frontiers and counts of one and two processes, {method}")
        rows.append(
            {
                "label": {"exhaustive": "plain streamed", "bundles": "bundles"}[method],
                "designs": one.answer["designs"],
                "frontier": one.answer["frontier"],
                "one": one.typical,
                "two": two.typical,
                "all_one": one.seconds,
                "all_two": two.seconds,
                "speedup": one.typical / two.typical,
                "peak_mib": max(one.peak_mib),
            }
        )
    return Section(
        "scaling",
        f"One and two processes, SYNTHETIC space; medians of {REPEATS}",
        [
            Column("label", "search"),
            Column("designs", "designs", number),
            Column("frontier", "on the frontier", number),
            Column("one", "1 process", seconds),
            Column("two", "2 processes", seconds),
            Column("speedup", "speed-up", ratio),
            Column("peak_mib", "peak MiB (1)", mebibytes),
        ],
        rows,
        [],
        ["frontiers of one and of two processes: the same bytes; as many designs evaluated"],
        ["the start of the processes, and the model made anew in each of them, are counted"],
    )
