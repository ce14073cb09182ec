"""Writes the rates of the simulation on the published grids to spaces/slower: some minutes.

``.venv/bin/python tests/models/slower/record_simulation.py`` (seeds are fixed, so the file does not change.)
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import event_simulation

FILE = Path(__file__).parents[3] / "spaces" / "slower" / "simulated-rates.csv"
CORES = (1, 2, 4, 8, 16, 32)
OVERHEADS = (1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
LATENCIES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
SHARES = (0.01, 0.02, 0.04, 0.08, 0.12, 0.16)
INSTRUCTIONS = 6_000_000


def cases():
    """Return (set, p, latency, overhead, tasks, cores) of every case."""
    yield from (("overhead", 0.08, 8192, o, 64, n) for o in OVERHEADS for n in CORES)
    yield from (("tasks", 0.08, 8192, 16, 2**k, n) for k in range(9) for n in CORES)
    yield from (("latency", 0.08, latency, 16, m, n) for m in (8, 64) for latency in LATENCIES for n in CORES)
    yield from (("mix", p, latency, 16, 2**k, 1) for latency in (64, 1024, 8192) for p in SHARES for k in range(8))


def main():
    """Simulate every case and its blocking counterpart, each of these once."""
    rows, blocking = [], {}
    for number, (name, p, latency, overhead, tasks, cores) in enumerate(cases()):
        options = {"instructions": INSTRUCTIONS, "seed": number}
        one = (p, latency, cores)
        if one not in blocking:
            blocking[one] = event_simulation.node_rate(p, 0.32 - p, latency, 0, 1, cores, blocking=True, **options)
        rate = event_simulation.node_rate(p, 0.32 - p, latency, overhead, tasks, cores, **options)
        rows.append((name, p, latency, overhead, tasks, cores, f"{rate:.6g}", f"{blocking[one]:.6g}", "own simulation"))
    with FILE.open("w", encoding="utf-8", newline="") as lines:
        lines.write("# Own simulation, instruction by instruction (tests/models/slower/record_simulation.py), ")
        lines.write("of the published grids.\n# Rates in instructions per register operation of the node; ")
        lines.write("6 million instructions each, so 0.5 to 1 % of noise.\n")
        table = csv.writer(lines, lineterminator="\n")
        names = (
            "set",
            "network_fraction",
            "latency",
            "overhead",
            "tasks",
            "cores",
            "node_rate",
            "blocking_rate",
            "source",
        )
        table.writerow(names)
        table.writerows(rows)


if __name__ == "__main__":
    main()
