"""The processor model three ways: a study (SYNTHETIC nodes, Graph 500 profile), `predict`, and the C of processor.c.

The node has no power yet: `node_budget`, an expression of the study and of processor.c, stands where it will be.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import flat
from benchmarks.machine import require
from benchmarks.native import compiled_library, fields, pointer
from dse import Study
from dse.evaluation import flat_inputs
from dse.graph import call
from dse.models.processor import predict
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.processor.program import reuse_of
from dse.problem import Problem

SOURCE = Path(__file__).with_name("processor.c")
PROFILE = "profiles/graph500-seq-csr.json"
FLAGS = ("-O3", "-march=native")
OBJECTIVES = ("time_per_run", "node_budget", "dram_traffic")
OWN = {
    "time_per_run": "run_time / running_threads",
    "node_budget": (
        "running_threads * ((1 + 0.15 * issue_width + 0.004 * reorder_buffer + 0.02 * miss_registers"
        " + 0.1 * memory_units + vector_width / 256) * (frequency / 2 GHz) + (l1_size + l2_size) / 1 MB)"
        " + l3_size / 4 MB + dram_bandwidth / 20 GB/s + 100 ns / dram_latency"
    ),
}
"""Quantities that the study adds: time of a run when each thread makes its own, and what a node costs (SYNTHETIC)."""

FIXED = {
    "cores": 64,
    "issue_queue": 54,  # that of the profile
    "l1_latency_cycles": 4,
    "l2_latency_cycles": 14,
    "l3_latency": "18 ns",
    "l1_bandwidth": "160 GB/s",
    "l3_bandwidth": "40 GB/s",
}
AXES: dict[str, dict[str, Any]] = {
    "core": {"part": "processor-cores.csv"},
    "frequency": {"values": [f"{1.2 + 0.2 * k:.1f} GHz" for k in range(13)]},
    "miss_registers": {"values": [4, 8, 12, 16, 24]},
    "threads": {"values": [1, 8, 16, 32, 48, 64]},
    "vector_width": {"values": [128, 256, 512]},
    "memory_units": {"values": [1, 2, 3]},
    "l1_size": {"values": ["32 KiB", "48 KiB"]},
    "l2_size": {"values": ["256 KiB", "512 KiB", "1 MiB", "2 MiB"]},
    "l3_size": {"values": ["16 MiB", "32 MiB", "64 MiB", "128 MiB", "256 MiB"]},
    "dram_latency": {"values": ["60 ns", "80 ns", "100 ns"]},
    "dram_bandwidth": {"values": ["50 GB/s", "100 GB/s", "200 GB/s", "400 GB/s"]},
}


def problem(most: int = 0, objectives: int = len(OBJECTIVES)) -> Problem:
    """Return the problem with the first objectives; `most` values on each axis where given (else 10^7 designs)."""
    document = {
        "name": "processors",
        "models": ["processor"],
        "quantities": OWN,
        "objectives": [{"minimize": name} for name in OBJECTIVES],
        "tables": {"profile": {"file": PROFILE}},
        "set": FIXED,
        "space": {"axes": AXES},
    }
    full = Study(document, folder=Path(__file__).parent).compiled
    whole = Problem(full.space, full.systems, full.objectives[:objectives])
    return flat.thinned(whole, most) if most else whole


def predicted(problem: Problem, numbers: np.ndarray) -> dict[str, Any]:
    """Evaluate designs with `predict`, and on its results what the study adds."""
    (product,), (system,) = problem.space.products, problem.systems
    values = flat_inputs(system.graph, product, system.assumptions, np.unravel_index(numbers, product.shape))
    machine = {PARAMETER_OF[name]: _plain(value) for name, value in values.items() if name in PARAMETER_OF}
    machine |= {f"{level}_line_bytes": _plain(values["cache_line"]) for level in ("l1", "l2", "l3")}
    found = predict(values["profile"], machine, threads=values["threads"])
    values |= {"running_threads": found.threads, "run_time": found.seconds, "cycles_per_instruction": found.cpi}
    values["dram_traffic"] = found.total_dram_bytes_per_second
    for name in OWN:
        values |= call(system.graph.providers[name], values)
    return values


def _plain(value: Any) -> Any:
    """Return a constant as a number, so that it is checked and used once and not as an array of one."""
    return value if value.size > 1 else value.reshape(())


def _inputs() -> tuple[str, ...]:
    (names,) = re.findall(r"enum inputs \{([^}]*)\}", SOURCE.read_text())
    return tuple(name.strip().lower() for name in names.split(",") if name.strip() != "INPUTS")


INPUTS = _inputs()
RATES = fields(SOURCE, "rates")
QUANTITIES = fields(SOURCE, "quantities")


class _Space(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("axes", "points")] + [
        (name, ctypes.c_void_p)
        for name in ("counts", "first", "input", "start", "values", "fixed", "programs", "lines", "hits")
    ]


class ProcessorLoop:
    """The compiled loop, for one problem."""

    def __init__(self, library: Path, problem: Problem) -> None:
        self.library = ctypes.CDLL(str(library))
        (product,), (system,) = problem.space.products, problem.systems
        constants = {**system.assumptions, **product.fixed}
        widths = product.axis("vector_width").columns["vector_width"]
        columns = [
            dict(axis.columns) | ({"program": np.arange(len(axis))} if axis.name == "vector_width" else {})
            for axis in product.axes
        ]
        given = {name for one in columns for name in one} | set(constants)
        require(given.issuperset(INPUTS), f"inputs of C and study: {sorted(set(INPUTS) - given)} missing")
        fixed = np.array([constants.get(name, np.nan) for name in INPUTS], dtype=float)
        first, inputs, start = [0], [], [0]
        values: list[np.ndarray] = []
        for one in columns:
            for position, name in enumerate(INPUTS):
                if name in one:
                    inputs.append(position)
                    values.append(one[name].astype(float))
                    start.append(start[-1] + len(values[-1]))
            first.append(len(inputs))
        profile: Any = product.tables["profile"]
        curves = [reuse_of(profile, width).curves[0][0] for width in widths]
        stride = product.strides[product.axes.index(product.axis("vector_width"))]
        programs = flat.all_quantities(problem, np.arange(len(widths)) * stride)
        whole = {"counts": product.shape, "first": first, "input": inputs, "start": start}
        numbers = {
            "values": np.concatenate(values),
            "fixed": fixed,
            "programs": np.stack([np.broadcast_to(programs[name], len(widths)) for name in RATES], axis=1),
            "lines": [curve.lines for curve in curves],
            "hits": [curve.hits for curve in curves],
        }
        self.arrays = {name: np.ascontiguousarray(one, dtype=np.int64) for name, one in whole.items()}
        self.arrays |= {name: np.ascontiguousarray(one, dtype=float) for name, one in numbers.items()}
        pointers = {name: pointer(one) for name, one in self.arrays.items()}
        self.space = _Space(axes=len(product.axes), points=len(curves[0].lines), **pointers)

    def quantities(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """Return every quantity of listed designs."""
        numbers = np.ascontiguousarray(numbers, dtype=np.int64)
        out = np.empty((len(numbers), len(QUANTITIES)))
        count = ctypes.c_int64(len(numbers))
        self.library.all_quantities(ctypes.byref(self.space), pointer(numbers), count, pointer(out))
        return dict(zip(QUANTITIES, out.T, strict=True))

    def sums(self, first: int, designs: int) -> np.ndarray:
        """Evaluate a range of designs and return the sums of the objectives."""
        out = np.empty(len(OBJECTIVES))
        bounds = ctypes.c_int64(first), ctypes.c_int64(designs)
        self.library.sum_objectives(ctypes.byref(self.space), *bounds, pointer(out))
        return out


def build(folder: Path) -> Path | None:
    """Compile the loop; None without a compiler."""
    return compiled_library(folder, FLAGS, SOURCE) or compiled_library(folder, FLAGS[:1], SOURCE)
