"""Record `profiler/examples/graph500.c` and print it beside the published profile of Graph 500, as a table.

From the root of a clone, with clang: `.venv/bin/python docs/scripts/graph500_profiles.py` (about two minutes;
`--scale 8` for a try). Both profiles are read as `dse profile show --json` prints them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DSE = Path(sys.executable).parent / "dse"
PUBLISHED = "graph500-seq-csr"
WINDOW = 54
LARGEST_CACHE = 2**20  # bytes; nearly everything fits into larger ones

COMPILER = "LLVM 3.4 against the clang here: fewer compares, conversions and branches today"
PROGRAM = "our own program: its generator, sorting and validation are not the reference's"
GRAPH = "the same graph, searches and validation: what leaves a cache is alike"
HITS = "references to what was just used, which the reference has more of"
BRANCHES = "the loop over the neighbours decides both; the rest of the branches is each program's own"
FREE = "follows from the mix and from how a turn of the inner loop is compiled"
REASONS = {
    "instructions": f"{PROGRAM}; {COMPILER}",
    "load": "as many loads, of fewer instructions",
    "store": PROGRAM,
    "addr": "loads without an index need no address of their own",
    "int": COMPILER,
    "int_mul": "random numbers: splitmix64 here, a multiple recursive generator there",
    "int_div": "random numbers: one remainder per number drawn from a range here, modular arithmetic there",
    "fp": "the Kronecker generator draws numbers from 0 to 1 here, integers there",
    "control": COMPILER,
    "other": "select: what a compiler makes of short conditions",
    "vector_move": "which loops were vectorised",
}


def shown(profile: str | Path) -> dict:
    """Return what `dse profile show --json` prints of a profile."""
    told = subprocess.run([DSE, "profile", "show", profile, "--json"], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


def recorded(folder: Path, scale: int) -> dict:
    """Build the program, record it exactly and return its profile as shown."""
    compilers = subprocess.run([DSE, "profile", "compiler"], check=True, capture_output=True, text=True).stdout.strip()
    environment = {**os.environ, "PATH": f"{compilers}:{os.environ['PATH']}"}
    source = ROOT / "profiler" / "examples" / "graph500.c"
    subprocess.run(["dse-cc", "-O3", source, "-o", folder / "graph500"], check=True, env=environment)
    record = [DSE, "profile", "record", "-o", folder / "graph500.json", "--sample", "none", "--lines", "64"]
    record += ["--windows", f"{WINDOW},inf", "--", folder / "graph500", str(scale), "16", "64"]
    subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
    return shown(folder / "graph500.json")


def metrics(profile: dict) -> Iterator[tuple[str, float, str]]:
    """Yield name, value and reason of each metric of the only process."""
    (process,) = profile["classes"]
    yield "instructions", process["instructions"], REASONS["instructions"]
    for row in process["mix"]:
        if row["class"] in REASONS:
            yield f"{row['class']}, of all instructions", row["fraction"], REASONS[row["class"]]
    for row in process["ilp"]:
        yield f"parallelism, window {row['window']}", row["ilp"], FREE
        if row["window"] == WINDOW:
            for kind, value in row["own"].items():
                yield f"parallelism of {kind} alone, window {WINDOW}", value, FREE
    for row in process["data_reuse"]:
        if row["line_bytes"] == 64:
            yield "references", row["references"], HITS
            yield "lines touched first, of all references", row["cold_fraction"], "fewer references"
            for hit in row["hits"]:
                if hit["bytes"] <= LARGEST_CACHE:
                    beyond = row["references"] * (1.0 - hit["hit_fraction"])
                    yield f"references that miss {hit['bytes']:,} B", beyond, GRAPH
    for history, bits in process["branch"]["entropy"]:
        if history in (4, 8, 11, 15, 28):
            yield f"entropy of branches, {history} outcomes known", bits, BRANCHES


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=15)
    scale = parser.parse_args().scale
    with tempfile.TemporaryDirectory() as folder:
        ours = {name: (value, reason) for name, value, reason in metrics(recorded(Path(folder), scale))}
    published = {name: value for name, value, _ in metrics(shown(PUBLISHED))}
    print("| metric | recorded | published | difference | likely reason |\n|---|---:|---:|---:|---|")
    for name, (value, reason) in ours.items():
        other = published.get(name)
        if other is None:
            continue
        far = f"{100 * (value / other - 1):+.1f} %" if other else "-"
        print(f"| {name} | {value:.4g} | {other:.4g} | {far} | {reason} |")


if __name__ == "__main__":
    main()
