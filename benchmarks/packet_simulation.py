"""Bandwidths of networks beside packets that are simulated and what no routing exceeds; the cost of simulating."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from benchmarks.machine import require
from benchmarks.packets.cases import SIZES, cases_of
from benchmarks.packets.evidence import EVERY, Evidence, flows_of, rows, simulated, tables_for
from benchmarks.packets.plain import simulate_plainly
from benchmarks.report import Column, Section, number, seconds

WANTED = {"full": EVERY, "small": (str(SIZES[0]),)}
"""About so many nodes, machines in the ranges of the published accuracies, and those of a study of 4,096 nodes."""
TIMED = ("full-mesh", "fat-tree-2-level", "torus", "hyperx", "dragonfly")
MILLION = 1e6


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Simulate every shipped topology under every shipped pattern, and time some of it beside a plain Python loop."""
    evidence = []
    for row in rows(WANTED[designs]):
        tell(f"{row.component}, {row.pattern}, {row.nodes:,} nodes")
        evidence.append(row)
    times = [timed(component) for component in TIMED]
    packets, taken = sum(row.packets for row in evidence), sum(row.seconds for row in evidence)
    bounded = sum(row.bound is not None for row in evidence)
    return Section(
        "packets",
        "Bandwidth of a node by the model, by packets simulated (credits, virtual cut-through, input queues, links of "
        "7 GB/s), and by the best routing",
        [
            Column("label", "topology, pattern"),
            Column("nodes", "nodes", number),
            Column("model", "model GB/s", _gigabytes),
            Column("simulated", "simulated", _gigabytes),
            Column("oldest_first", "oldest first", _gigabytes),
            Column("bound", "bound", _gigabytes),
            Column("error", "model off by", lambda value: f"{100 * value:+.1f} %"),
            Column("each", "per 10^6 packets", seconds),
        ],
        [_shown(row) for row in evidence],
        [],
        [
            f"bound >= model and bound >= simulated in all {bounded} cases with a bound",
            *(f"{line['label']}: compiled and plain loop give the same, packet by packet" for line in times),
        ],
        [
            f"{packets:,} packets in {taken:.0f} s of processor time: {taken / packets * MILLION:.1f} s per 10^6",
            *(
                f"{line['label']}: {line['compiled']:.2f} s per 10^6 packets, a plain loop {line['plain']:.0f} s "
                f"({line['plain'] / line['compiled']:.0f} times)"
                for line in times
            ),
        ],
    )


def timed(component: str) -> dict[str, Any]:
    """Time the shift by half of a machine of 64 nodes, compiled and as a plain loop, once they are the same."""
    wanted = (case for case in cases_of(SIZES[0]) if (case.component, case.key) == (component, "shift"))
    case = list(wanted)[1]
    tables, flows = tables_for(case), flows_of(case)
    simulated(case, 1.0)
    before = process_time()
    quick = simulated(case, 1.0)
    between = process_time()
    plain = simulate_plainly(tables, flows)
    after = process_time()
    require(quick == plain, f"{component}: {quick} and {plain}")
    return {
        "label": f"{component}, {case.nodes} nodes",
        "compiled": (between - before) / quick.packets * MILLION,
        "plain": (after - between) / plain.packets * MILLION,
    }


def _shown(row: Evidence) -> dict[str, Any]:
    options = f" ({row.options})" if row.options else ""
    return {
        "label": f"{row.component} {row.sizes}, {row.pattern}{options}",
        "nodes": row.nodes,
        "model": row.model,
        "simulated": row.simulated,
        "oldest_first": row.oldest_first,
        "bound": row.bound,
        "error": row.error,
        "each": row.seconds / row.packets * MILLION,
    }


def _gigabytes(value: float | None) -> str:
    return "" if value is None else f"{value / 1e9:.3f}"
