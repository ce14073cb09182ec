"""Seconds of programs, measured beside computed: none, streams and strides on a machine that was measured by itself.

Everything stands in ``benchmarks/program-times``: laws of five MPI programs from runs of at most an eighth of the cells
(``dse profile record --lines 64,128,4096``, ``dse profile fit``), the machine by ``dse profile machine``, and processor
time outside MPI of each rank at the sizes asked, least of several runs. Nothing was fitted to a time; fft was written
after the model was done. Ranks beyond the cores take turns: each has of level 3 and memory what one of two has.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Column, Section, Target, seconds
from dse.api import Study

FOLDER = Path(__file__).parent / "program-times"
COMPONENTS = ("none", "streams", "strides")
WIDTHS: Mapping[str, Any] = {
    **{"issue_width": 12, "dispatch_width": 6, "integer_units": 5, "float_units": 3, "memory_units": 4},
    **{"control_units": 2, "vector_units": 3, "vector_width": 128, "integer_latency": 1, "front_end_stages": 12},
    **{"reorder_buffer": 512, "issue_queue": 128, "miss_registers": 16, "nodes_per_switch": 1, "dimension_1": 1},
}
"""What no microbenchmark tells: widths and queues of the core, as its maker describes such cores."""


def percent(value: float) -> str:
    return f"{100 * value:+.0f} %"


def _study(program: str, size: float, ranks: int, component: str) -> Study:
    machine = json.loads((FOLDER / "machine.json").read_text(encoding="utf-8"))
    taken = dict(machine["study"]["set"])
    turns = max(1.0, ranks / taken.pop("cores"))
    level_3 = float(taken.pop("l3_size").split()[0]) * turns
    memory = machine["figures"]["dram_bandwidth"]["value"] * taken.pop("dram_units") * turns
    del taken["dram_unit_bandwidth"], taken["tlb_miss_cost"]
    use = {**machine["study"]["use"], "page_costs": "measured", "prefetching": component}
    document = {
        "name": "machine",
        "models": ["codesign"],
        "objectives": [{"minimize": "compute_time"}],
        "use": {**use, "topology": "hyperx", "node_ranks": "given"},
        "tables": {"profile": {"file": f"{program}.laws.json"}, "machine": {"file": "machine.json"}},
        "set": {
            **taken,
            **WIDTHS,
            **{"cores": max(ranks, machine["cores"]), "l3_size": f"{level_3:g} KiB", "problem_size": size},
            **{"dram_units": 1, "dram_unit_bandwidth": f"{memory:g} B/s"},
        },
        "space": {"axes": {"processes_per_node": {"values": [ranks]}}},
    }
    return Study(document, folder=FOLDER)


def computed(program: str, size: float, ranks: int, component: str) -> dict[str, float]:
    """Return the quantities of a program on the machine that are one number."""
    values = _study(program, size, ranks, component).compiled.quantities([0])[0]["values"]
    numbers = {name: np.asarray(value) for name, value in values.items()}
    return {name: float(value.ravel()[0]) for name, value in numbers.items() if value.dtype.kind == "f"}


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    places = [np.argsort(np.argsort(column)) for column in (first, second)]
    return float(np.corrcoef(*places)[0, 1])


def run(designs: str, say: Callable[[str], None]) -> Section:
    """Compute every row that was measured."""
    rows = []
    with (FOLDER / "measured.csv").open(encoding="utf-8") as stream:
        measured = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    for entry in measured:
        program, size, ranks = entry["program"], float(entry["size"]), int(entry["ranks"])
        say(f"{program} {size:g} at {ranks} ranks")
        took = float(entry["outside_least [s]"])
        found = {name: computed(program, size, ranks, name) for name in COMPONENTS}
        times = {name: values["compute_time"] for name, values in found.items()}
        errors = {f"{name}_error": time / took - 1.0 for name, time in times.items()}
        own = found["strides"]
        of_row = {"program": program, "size": size, "ranks": ranks, "measured": took}
        rows.append({**of_row, **times, **errors, **_terms(own)})
    targets = []
    for name in COMPONENTS:
        for label, kept in (("12 rows", ("cg", "jacobi", "search")), ("all rows", None)):
            chosen = [row for row in rows if kept is None or row["program"] in kept]
            took, time = (np.array([row[key] for row in chosen]) for key in ("measured", name))
            mean = float(np.mean(np.abs(time / took - 1.0)))
            targets.append(Target(f"{name}, mean error, {label}", 100.0 * mean, 25.0, "%", more=False))
            targets.append(Target(f"{name}, correlation of ranks, {label}", _rank_correlation(took, time), 0.95, "1"))
    return Section(
        name="program-times",
        title="seconds of a rank outside MPI, measured beside computed",
        columns=[
            *(Column("program", "program"), Column("size", "size", "{:g}".format), Column("ranks", "ranks")),
            Column("measured", "measured", seconds),
            *(Column(name, name, seconds) for name in COMPONENTS),
            *(Column(f"{name}_error", "", percent) for name in COMPONENTS),
            *(Column(name, name, percent) for name in TERMS),
        ],
        rows=rows,
        targets=targets,
        notes=["Parts of the time with strides; bandwidth is what lies beyond window and stalls."],
    )


TERMS = ("window", "stalls", "bandwidth", "branches", "faults", "walks")


def _terms(values: Mapping[str, float]) -> dict[str, float]:
    """Return the parts of the time with strides: what `dse explain` tells of a design."""
    per_cycle = values["instructions"] / values["frequency"] / values["compute_time"] * values["rank_imbalance"]
    window = values["full_window_cycles"]
    stalls = values["issue_queue_stalls"] + values["reorder_buffer_stalls"]
    parts = {
        **{"window": window, "stalls": stalls, "bandwidth": max(0.0, values["steady_cycles"] - window - stalls)},
        "branches": values["cycles_per_instruction"] - values["steady_cycles"],
    }
    shares = {name: cycles * per_cycle for name, cycles in parts.items()}
    pages = {"faults": values["page_fault_time"], "walks": values["translation_time"]}
    return {**shares, **{name: time / values["compute_time"] for name, time in pages.items()}}
