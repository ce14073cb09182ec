"""The description of a machine from its microbenchmarks, ``dse-machine/1``: what a study sets, with all spreads.

Each figure is that of its least time, the machine least disturbed, as measured times of programs are the least of some
runs; the median and the greatest stand beside it. A level of the caches answers at the
working sets that lie well inside it and well outside what is above:

============ ==================================================
level 1      up to half of it
level 2      from twice level 1 to half of level 2
level 3      from four times level 2 to a quarter of level 3
the memory   from twice level 3
============ ==================================================

Where a level has no such working set the nearest that was measured stands in, and the description says so. Bandwidths
are those of two streams that are read and one that is written, counted in bytes the program touches: a model that
counts missed lines and not what is written back needs that. They are of one core; that of the memory is taken as so
much for each core.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.documents.stored_json import validated, write_new
from dse.models.workload.machine.microbenchmarks import Beside, Samples
from dse.models.workload.profile.reading import read_json

__all__ = [
    "MACHINE_SCHEMA",
    "MachineDescription",
    "cache_sizes",
    "described",
    "read_machine",
    "study_lines",
    "write_machine",
]

MACHINE_SCHEMA = "dse-machine/1"

_CACHES = {"l1": "LEVEL1_DCACHE_SIZE", "l2": "LEVEL2_CACHE_SIZE", "l3": "LEVEL3_CACHE_SIZE"}
_KIB = 1024
_CHAINS = {
    "integer_multiply_latency": "integer_multiply_chain",
    "integer_divide_latency": "integer_divide_chain",
    "float_latency": "float_add_chain",
    "float_multiply_latency": "float_multiply_chain",
    "float_divide_latency": "float_divide_chain",
}
_Above = Annotated[float, Field(gt=0)]
_PAGE = 4096
_TLB_PAGES = 2048  # as codesign.page_costs assumes


def cache_sizes() -> dict[str, int]:
    """Return the sizes of the caches as the system tells them [B]; 0 where there is none.

    Raises
    ------
    InputError
        A system that does not tell the size of level 1.
    """
    sizes = dict.fromkeys(_CACHES, 0)
    for place in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((place / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if f"l{level}" in sizes and kind != "Instruction" and size.endswith("K"):
            sizes[f"l{level}"] = int(size[:-1]) * _KIB
    getconf = shutil.which("getconf")
    if not sizes["l1"] and getconf:
        for level, name in _CACHES.items():
            text = subprocess.run([getconf, name], capture_output=True, text=True, check=False).stdout.strip()
            sizes[level] = int(text) if text.isdecimal() else 0
    if not sizes["l1"]:
        raise InputError("the system does not tell the sizes of its caches", allowed="Linux with /sys or getconf")
    return sizes


class _Figures:
    def __init__(self, samples: Samples) -> None:
        self.samples, self.notes = samples, list[str]()

    def sets(self, name: str) -> list[int]:
        return sorted(working_set for benchmark, working_set in self.samples if benchmark == name)

    def within(self, name: str, least: float, most: float, level: str) -> list[int]:
        """Return the working sets of a level; the nearest one where none lies inside."""
        every = self.sets(name)
        if not every:
            raise InputError(f"the microbenchmarks have no '{name}'", allowed="more seconds")
        inside = [working_set for working_set in every if least <= working_set <= most]
        if inside:
            return inside
        nearest = min(every, key=lambda working_set: min(abs(working_set - least), abs(working_set - most)))
        self.notes.append(f"{name}: no working set is of {level} alone; that of {nearest} B stands in")
        return [nearest]

    def figure(
        self, name: str, sets: Sequence[int], unit: str, *, per_second: bool = False, over: float = 1.0
    ) -> dict[str, Any]:
        times = [time / over for working_set in sets for time in self.samples[name, working_set]]
        values = [1.0 / time for time in times] if per_second else times
        undisturbed = max(values) if per_second else min(values)
        return {
            **{"value": undisturbed, "unit": unit, "median": median(values)},
            **{"least": min(values), "largest": max(values)},
            **{"times": len(values), "benchmark": name, "working_sets": list(sets)},
        }


def described(
    samples: Samples, caches: Mapping[str, int], cores: int, before: Beside, after: Beside, *, name: str = ""
) -> dict[str, Any]:
    """Return the description of a machine.

    Parameters
    ----------
    samples : dict
        As `run_microbenchmarks` gives them.
    caches : mapping of str to int
        Sizes of level 1, 2 and 3 [B], 0 where there is none.
    cores : int
    before, after : Beside
        What ran before and after.
    name : str, optional
        Of the machine.

    Raises
    ------
    InputError
        Benchmarks that are missing.
    """
    made = _Figures(samples)
    level_1, level_2, level_3 = caches["l1"], caches["l2"], caches["l3"]
    private = level_2 or level_1
    places = {
        "l1": (0.0, level_1 / 2.0, "level 1"),
        "l2": (2.0 * level_1, level_2 / 2.0, "level 2"),
        "l3": (4.0 * private, level_3 / 4.0, "level 3"),
        "dram": (2.0 * max(level_3, private), float("inf"), "the memory"),
    }
    cycle = made.figure("cycle", [0], "s")
    clock = made.figure("cycle", [0], "Hz", per_second=True)
    figures = {"frequency": clock}
    for level, place in places.items():
        if level in caches and not caches[level]:
            continue
        sets = made.within("latency", *place)
        figures[f"{level}_latency"] = made.figure("latency", sets, "s")
        sets = made.within("triad", *place)
        figures[f"{level}_bandwidth"] = made.figure("triad", sets, "B/s", per_second=True)
        figures[f"{level}_read_bandwidth"] = made.figure("read", sets, "B/s", per_second=True)
    for quantity, benchmark in _CHAINS.items():
        figures[quantity] = made.figure(benchmark, [0], "1", over=cycle["value"])
    for kind in ("float", "integer"):
        benchmark = f"{kind}_multiply_apart"
        figures[f"{kind}_multiplications"] = made.figure(benchmark, [0], "1", per_second=True, over=cycle["value"])
    figures["page_fault_cost"] = made.figure("page_fault", made.sets("page_fault"), "s")
    figures["tlb_miss_cost"] = _walk_cost(made)
    stolen, busy = after.stolen - before.stolen, after.busy - before.busy
    return {
        "schema": MACHINE_SCHEMA,
        "name": name or platform.node(),
        "source": f"measured by dse profile machine, {datetime.now(UTC):%Y-%m-%d}; processor time, least",
        "processor": _processor_name(),
        "cores": cores,
        "caches": dict(caches),
        "figures": figures,
        "curves": {
            benchmark: [
                [working_set, min(samples[benchmark, working_set]), median(samples[benchmark, working_set]),
                 max(samples[benchmark, working_set])]
                for working_set in made.sets(benchmark)
            ]
            for benchmark in dict.fromkeys(benchmark for benchmark, working_set in samples if working_set)
        },
        "beside": {
            "load_before": before.load,
            "load_after": after.load,
            "stolen_share": stolen / busy if busy > 0.0 else 0.0,
            "running": sorted({*before.processes, *after.processes}),
        },
        "notes": made.notes,
        "study": _study(figures, caches, cores),
    }  # fmt: skip


def _walk_cost(made: _Figures) -> dict[str, Any]:
    """Return what a read costs more whose page is not in the table, at the smallest set of four times its pages."""
    large, small = (made.sets(name) for name in ("reads_apart", "reads_apart_small_pages"))
    sets = [working_set for working_set in small if working_set in large and working_set >= 4 * _TLB_PAGES * _PAGE]
    if not sets:
        raise InputError("no working set is larger than the table of translations", allowed="more seconds")
    costs = []
    for working_set in sets:
        missing = 1.0 - _TLB_PAGES * _PAGE / working_set
        fast, slow = (min(made.samples[name, working_set]) for name in ("reads_apart", "reads_apart_small_pages"))
        costs.append(max(0.0, slow - fast) / missing)
    return {
        **{"value": costs[0], "unit": "s", "median": median(costs), "least": min(costs), "largest": max(costs)},
        "times": len(made.samples["reads_apart_small_pages", sets[0]]),
        **{"benchmark": "reads_apart_small_pages less reads_apart", "working_sets": sets},
    }


def _study(figures: Mapping[str, Any], caches: Mapping[str, int], cores: int) -> dict[str, Any]:
    """Return what a study takes: components, and quantities with their units."""

    def rounded(name: str, unit: str, scale: float) -> str:
        return f"{figures[name]['value'] * scale:.4g} {unit}"

    clock = figures["frequency"]["value"]
    own: dict[str, Any] = {"cores": cores, "frequency": rounded("frequency", "GHz", 1e-9)}
    own |= {f"{level}_size": f"{size / 1024:g} KiB" for level, size in caches.items()}
    own["l1_latency_cycles"] = float(f"{figures['l1_latency']['value'] * clock:.3g}")
    own |= {quantity: float(f"{figures[quantity]['value']:.3g}") for quantity in _CHAINS}
    own["dram_latency"] = rounded("dram_latency", "ns", 1e9)
    own["l1_bandwidth"] = rounded("l1_bandwidth", "GB/s", 1e-9)
    own |= {"dram_units": cores, "dram_unit_bandwidth": rounded("dram_bandwidth", "GB/s", 1e-9)}
    own["dram_unit_capacity"] = f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / cores / 2**30:.4g} GiB"
    own["page_fault_cost"] = rounded("page_fault_cost", "ns", 1e9)
    own["tlb_miss_cost"] = rounded("tlb_miss_cost", "ns", 1e9)
    return {"use": {"cache_latency": "machine", "page_costs": "faults", "prefetching": "strides"}, "set": own}


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def study_lines(description: Mapping[str, Any], file: Path) -> list[str]:
    """Return what a study file takes, as its lines of TOML; `file` is the description's own."""
    lines = ["[tables.machine]", f"file = {json.dumps(str(file))}"]
    for table in ("use", "set"):
        lines.append(f"[{table}]")
        values = description["study"][table]
        lines += [f"{name} = {json.dumps(value)}" for name, value in values.items() if name != "tlb_miss_cost"]
    return lines


class _FigureSpec(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)
    value: Annotated[float, Field(ge=0)]
    unit: str
    least: Annotated[float, Field(ge=0)]
    largest: Annotated[float, Field(ge=0)]


_Point = tuple[Annotated[int, Field(gt=0)], _Above, _Above, _Above]


class _MachineSpec(BaseModel):
    # A later version may measure more than this one reads.
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)
    schema_: Literal["dse-machine/1"] = Field(alias="schema")
    name: str
    source: str = ""
    synthetic: bool = False
    cores: Annotated[int, Field(ge=1)]
    caches: dict[str, Annotated[int, Field(ge=0)]]
    figures: dict[str, _FigureSpec]
    curves: dict[str, Annotated[list[_Point], Field(min_length=1)]]


@dataclass(frozen=True, eq=False)
class MachineDescription:
    """A machine as it was measured.

    Attributes
    ----------
    name, source : str
    figures : mapping of str to float
        Those of the least times, in SI units.
    curves : mapping of str to ndarray, shape (points, 2)
        Of each benchmark, working sets [B], rising, and the least time of an operation [s].
    synthetic : bool
        Whether somebody made it up.
    """

    name: str
    source: str
    figures: Mapping[str, float]
    curves: Mapping[str, np.ndarray]
    synthetic: bool = False
    file: str = ""
    sha256: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the figures come from."""
        return (self.source,) if self.source else ()


def read_machine(path: str | os.PathLike[str]) -> MachineDescription:
    """Read a description of a machine, as `described` makes it.

    Raises
    ------
    InputError
        Another schema, or the first fault with its key.
    """
    place = Path(path)
    document = read_json(place)
    given = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(document, dict) or given != MACHINE_SCHEMA:
        raise InputError(f"is {shown(given)}", file=place, key="schema", allowed=MACHINE_SCHEMA)
    refuse_control(document, file=place)
    spec = validated(document, _MachineSpec, file=place, allowed="as dse profile machine writes it")
    for name, points in spec.curves.items():
        sets = [point[0] for point in points]
        if sets != sorted(set(sets)):
            raise InputError("working sets do not rise", file=place, key=f"curves.{name}", allowed="rising bytes")
    if "l1_latency" not in spec.figures:
        raise InputError("is missing", file=place, key="figures.l1_latency", allowed="a figure")
    return MachineDescription(
        name=spec.name,
        source=spec.source,
        synthetic=spec.synthetic,
        figures={name: figure.value for name, figure in spec.figures.items()},
        curves={name: np.array([point[:2] for point in points]) for name, points in spec.curves.items()},
        file=str(place),
        sha256=hashlib.sha256(place.read_bytes()).hexdigest(),
    )


def write_machine(description: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a description; a file that exists is not overwritten."""
    place = Path(path)
    if place.suffix != ".json":
        raise InputError(f"'{path}' does not end in .json", key="--out", allowed="a file name such as mine.json")
    text = json.dumps(description, ensure_ascii=False, indent=1, allow_nan=False)
    write_new(text + "\n", place)
    return place
