"""The processor model with power: a study (SYNTHETIC nodes, Graph 500 profile), and the C of processor.c for it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import flat
from benchmarks.machine import require
from benchmarks.native import compiled_library, fields, pointer
from dse import Study
from dse.evaluation.problem import Problem
from dse.models.processor.program.program import reuse_of

SOURCE = Path(__file__).with_name("processor.c")
PROFILE = "profiles/graph500-seq-csr.json"
FLAGS = ("-O3", "-march=native")
OBJECTIVES = ("time_per_program", "node_power", "chip_area")
OWN = {"threads": "cores", "l1_bandwidth": "64 B * frequency"}
"""Quantities that the study adds: a copy of the program on every core, and a line per cycle from level 1."""

FIXED = {
    "technology": "22 nm",
    "temperature": "360 K",
    "nominal_frequency": "3 GHz",
    "issue_queue": 54,  # that of the profile
    "l3_bandwidth": "40 GB/s",
    "dram_latency": "80 ns",
}
AXES: dict[str, dict[str, Any]] = {
    "core": {"part": "processor-cores.csv"},
    "frequency": {"values": [f"{1.2 + 0.2 * k:.1f} GHz" for k in range(13)]},
    "miss_registers": {"values": [4, 8, 12, 16, 24]},
    "cores": {"values": [4, 8, 12, 16, 24, 32]},
    "vector_width": {"values": [128, 256, 512]},
    "memory_units": {"values": [1, 2, 3]},
    "l2_size": {"values": [f"{256 * k} KiB" for k in range(1, 9)]},
    "l3_size": {"values": ["32 MiB", "64 MiB", "96 MiB", "128 MiB", "256 MiB"]},
    "memory": {
        "part": "processor/dram-types.csv",
        "where": {"name": ["DDR4-3200", "DDR5-4800", "DDR5-6400"]},
    },
    "dram_units": {"values": [1, 2, 4, 8]},
}


def problem(most: int = 0, objectives: int = len(OBJECTIVES)) -> Problem:
    """Return the problem with the first objectives; `most` values on each axis where given (else 10^7 designs)."""
    document = {
        "name": "processors",
        "models": ["processor", "node"],
        "quantities": OWN,
        "objectives": [{"minimize": name} for name in OBJECTIVES],
        "tables": {"profile": {"file": PROFILE}},
        "set": FIXED,
        "space": {"axes": AXES},
    }
    full = Study(document, folder=Path(__file__).parent).compiled
    whole = Problem(full.space, full.systems, full.objectives[:objectives])
    return flat.thinned(whole, most) if most else whole


def _inputs() -> tuple[str, ...]:
    (names,) = re.findall(r"enum inputs \{([^}]*)\}", SOURCE.read_text())
    return tuple(name.strip().lower() for name in names.split(",") if name.strip() != "INPUTS")


INPUTS = _inputs()
QUANTITIES = fields(SOURCE, "quantities")
_CACHE = fields(SOURCE, "cache")
_TABLES = {
    "programs": (("vector_width",), fields(SOURCE, "rates")),
    "cores": (("core", "vector_width"), fields(SOURCE, "core")),
    "l2": (("l2_size",), tuple(f"l2_{name}" for name in _CACHE)),
    "l3": (("l3_size", "cores"), tuple(f"l3_{name}" for name in _CACHE)),
}
"""What is looked up, by the member of the C struct: the axes it depends on, and its quantities."""

_LOOKED_UP = {"frequency": ("voltage",), "l2_size": ("l2_time_difference",), "l3_size": ("l3_time_difference",)}
"""Quantities looked up by one axis, which C takes as further columns of it."""

_ROWS = {"vector_width": "program", "core": "core_row", "l2_size": "l2_row", "l3_size": "l3_row", "cores": "cores_row"}
"""Axes whose row finds a table, by what C calls it."""

_EACH = {
    "router_area": ("on_chip_network_area", "cores"),
    "router_static_power": ("on_chip_network_static_power", "cores"),
    "router_access_energy": ("on_chip_access_energy", "routers_passed"),
    "controller_area": ("memory_interface_area", "memory_controllers"),
    "controller_static_power": ("memory_interface_static_power", "memory_controllers"),
    "controller_power": ("controller_constant_power", "memory_controllers"),
}
"""What one router and one memory controller have, as a quantity over how many there are."""


class _Space(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("axes", "points", "widths", "core_counts")] + [
        (name, ctypes.c_void_p)
        for name in ("counts", "first", "input", "start", "values", "fixed", *_TABLES, "lines", "hits")
    ]


class ProcessorLoop:
    """The compiled loop, for one problem."""

    def __init__(self, library: Path, problem: Problem) -> None:
        self.library = ctypes.CDLL(str(library))
        (product,) = problem.space.products
        whole, numbers = _columns(problem)
        tables = {member: _table(problem, *one) for member, one in _TABLES.items()}
        profile: Any = product.tables["profile"]
        widths = product.axis("vector_width").columns["vector_width"]
        curves = [reuse_of(profile, width).curves[0][0] for width in widths]
        curve = {"lines": [one.lines for one in curves], "hits": [one.hits for one in curves]}
        self.arrays = {name: np.ascontiguousarray(one, dtype=np.int64) for name, one in whole.items()}
        self.arrays |= {
            name: np.ascontiguousarray(one, dtype=float) for name, one in (numbers | tables | curve).items()
        }
        pointers = {name: pointer(one) for name, one in self.arrays.items()}
        counts = {"widths": len(curves), "core_counts": len(product.axis("cores"))}
        self.space = _Space(axes=len(product.axes), points=len(curves[0].lines), **counts, **pointers)

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


def _columns(problem: Problem) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return where the columns of the axes go and where their values start, and these values and the constants."""
    (product,) = problem.space.products
    first, inputs, start = [0], [], [0]
    values: list[np.ndarray] = []
    for axis in product.axes:
        columns: Mapping[str, Any] = dict(axis.columns)
        if axis.name in _LOOKED_UP:
            names = _LOOKED_UP[axis.name]
            columns = {**columns, **dict(zip(names, _table(problem, [axis.name], names).T, strict=True))}
        if axis.name in _ROWS:
            columns = {**columns, _ROWS[axis.name]: np.arange(len(axis))}
        for position, name in enumerate(INPUTS):
            if name in columns:
                inputs.append(position)
                values.append(columns[name].astype(float))
                start.append(start[-1] + len(values[-1]))
        first.append(len(inputs))
    alone = flat.all_quantities(problem, np.zeros(1, dtype=int))
    one = {name: value.item() for name, value in alone.items() if _number(value)}
    constants = one | {name: one[whole] / one[count] for name, (whole, count) in _EACH.items()}
    missing = {name for position, name in enumerate(INPUTS) if position not in inputs} - set(constants)
    require(not missing, f"inputs of C and study: {sorted(missing)} missing")
    fixed = [constants.get(name, np.nan) for name in INPUTS]
    places = {"counts": product.shape, "first": first, "input": inputs, "start": start}
    return places, {"values": np.concatenate(values), "fixed": fixed}


def _number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


def _table(problem: Problem, axes: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """Return quantities for all combinations of the rows of some axes, (combinations, names)."""
    (product,) = problem.space.products
    places = [product.axes.index(product.axis(name)) for name in axes]
    rows = np.indices([product.shape[place] for place in places]).reshape(len(places), -1)
    numbers = sum(row * product.strides[place] for row, place in zip(rows, places, strict=True))
    values = flat.all_quantities(problem, np.asarray(numbers))
    return np.stack([np.broadcast_to(values[name], rows.shape[1]) for name in names], axis=1)


def build(folder: Path) -> Path | None:
    """Compile the loop; None without a compiler."""
    return compiled_library(folder, FLAGS, SOURCE) or compiled_library(folder, FLAGS[:1], SOURCE)
