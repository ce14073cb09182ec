"""Kernels of graphics processors from counters: CSV of Nsight Compute and of rocprof, a row for each kernel.

Operations count fused multiply-adds twice. Names of counters are those of the tools' documentation, recalled and not
tried on a device; of rocprof, an access to the first level counts as 64 bytes and a request to the second as 128, as on
CDNA 2. What a tool did not record is refused by the name of the counter: a kernel without its bytes has no roofline.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

from dse.errors import InputError, shown

__all__ = ["KERNEL_COLUMNS", "is_kernel_table", "kernel_rows", "read_kernels"]

KERNEL_COLUMNS = (
    *("name", "kernel_double_operations [flop]", "kernel_single_operations [flop]", "kernel_half_operations [flop]"),
    *("kernel_level_1_bytes [B]", "kernel_level_2_bytes [B]", "kernel_memory_bytes [B]", "kernel_occupancy"),
    *("launches", "measured_seconds [s]", "source"),
)
"""Columns of a table of kernels, as a study takes it for a part axis."""

_MOST_ROWS = 5_000_000
_NSIGHT = "smsp__sass_thread_inst_executed_op_"
_PRECISIONS = {"double": "d", "single": "f", "half": "h"}
_BYTES = {"level_1": "l1tex__t_bytes.sum", "level_2": "lts__t_bytes.sum", "memory": "dram__bytes.sum"}
_TIME, _OCCUPANCY = "gpu__time_duration.sum", "sm__warps_active.avg.pct_of_peak_sustained_active"
_UNITS = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "inst": 1.0, "%": 0.01, "": 1.0}
_UNITS |= {
    "nsecond": 1e-9,
    "usecond": 1e-6,
    "msecond": 1e-3,
    "second": 1.0,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
}
_BITS = {"double": "64", "single": "32", "half": "16"}
_LANES = 64.0
"""Lanes of a wave, which rocprof counts instructions of."""


def is_kernel_table(text: str) -> bool:
    """Return whether a text is CSV of Nsight Compute or rocprof."""
    head = text[:65536]
    return ("Kernel Name" in head and "gpu__time_duration" in text) or (
        "KernelName" in head and "SQ_INSTS_VALU" in head
    )


def read_kernels(text: str, name: str) -> list[dict[str, Any]]:
    """Read the kernels of a table, launches of one name added up.

    Parameters
    ----------
    text : str
        ``ncu --csv`` with a row for each metric (``--page details`` or raw), or ``rocprof`` with a column for each.
    name : str
        Of the file, for messages.

    Returns
    -------
    list of dict
        Rows with the columns `KERNEL_COLUMNS`: sums over the launches, occupancy weighed by time.

    Raises
    ------
    InputError
        A counter that is missing, a value that is no number, an unknown unit.
    """
    lines = text.splitlines()
    begin = next((place for place, line in enumerate(lines) if "Kernel Name" in line or "KernelName" in line), None)
    if begin is None:
        raise InputError("has no column of kernels", file=name, allowed="CSV of ncu or rocprof")
    rows = csv.DictReader(io.StringIO("\n".join(lines[begin:])))
    launches = _nsight(rows, name) if "Kernel Name" in lines[begin] else _rocprof(rows, name)
    kernels: dict[str, dict[str, Any]] = {}
    for kernel, values in launches:
        held = kernels.setdefault(kernel, dict.fromkeys(values, 0.0) | {"launches": 0, "weight": 0.0})
        for key, value in values.items():
            held[key] += value * values["seconds"] if key == "occupancy" else value
        held["launches"] += 1
        held["weight"] += values["seconds"]
    if not kernels:
        raise InputError("has no kernels", file=name)
    return [_row(kernel, held, name) for kernel, held in kernels.items()]


def kernel_rows(kernels: list[dict[str, Any]]) -> str:
    """Return kernels as the text of a CSV file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, KERNEL_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(kernels)
    return out.getvalue()


def _row(kernel: str, held: Mapping[str, Any], name: str) -> dict[str, Any]:
    occupancy = held["occupancy"] / held["weight"] if held["weight"] > 0.0 else 0.0
    if not 0.0 < occupancy <= 1.0:
        raise InputError(f"occupancy is {occupancy:.6g}", file=name, key=kernel, allowed="above 0, at most 1")
    return {
        "name": kernel,
        **{f"kernel_{precision}_operations [flop]": held[precision] for precision in _PRECISIONS},
        **{f"kernel_{level}_bytes [B]": held[level] for level in _BYTES},
        "kernel_occupancy": occupancy,
        "launches": held["launches"],
        "measured_seconds [s]": held["seconds"],
        "source": f"counters of {name}",
    }


def _nsight(rows: csv.DictReader[str], name: str) -> list[tuple[str, dict[str, float]]]:
    launches: dict[str, tuple[str, dict[str, float]]] = {}
    for number, row in enumerate(rows):
        if number > _MOST_ROWS:
            raise InputError(f"more than {_MOST_ROWS:,} rows", file=name)
        metric = row.get("Metric Name")
        if not metric:
            if "Metric Name" not in (rows.fieldnames or ()):
                raise InputError("has no column 'Metric Name'", file=name, allowed="ncu --csv --page details")
            continue
        unit = (row.get("Metric Unit") or "").strip()
        counted = metric in (*_BYTES.values(), _TIME, _OCCUPANCY) or metric.startswith(_NSIGHT)
        if not counted:
            continue
        if unit not in _UNITS:
            raise InputError(f"unit {shown(unit)} of {metric}", file=name, allowed=list(_UNITS))
        _, values = launches.setdefault(str(row.get("ID")), (str(row["Kernel Name"]), {}))
        values[metric] = _number(row.get("Metric Value"), metric, name) * _UNITS[unit]
    return [(kernel, _of_nsight(values, kernel, name)) for kernel, values in launches.values()]


def _of_nsight(values: Mapping[str, float], kernel: str, name: str) -> dict[str, float]:
    def value(metric: str) -> float:
        if metric not in values:
            raise InputError(f"no counter {metric}", file=name, key=kernel, allowed=f"ncu --metrics {metric},...")
        return values[metric]

    operations = {
        precision: value(f"{_NSIGHT}{letter}add_pred_on.sum")
        + value(f"{_NSIGHT}{letter}mul_pred_on.sum")
        + 2.0 * value(f"{_NSIGHT}{letter}fma_pred_on.sum")
        for precision, letter in _PRECISIONS.items()
    }
    moved = {level: value(metric) for level, metric in _BYTES.items()}
    return {**operations, **moved, "occupancy": value(_OCCUPANCY), "seconds": value(_TIME)}


def _rocprof(rows: csv.DictReader[str], name: str) -> list[tuple[str, dict[str, float]]]:
    launches = []
    for number, row in enumerate(rows):
        if number > _MOST_ROWS:
            raise InputError(f"more than {_MOST_ROWS:,} rows", file=name)
        launches.append((str(row["KernelName"]), _of_rocprof(row, name)))
    return launches


def _of_rocprof(row: Mapping[str, str | None], name: str) -> dict[str, float]:
    kernel = str(row["KernelName"])

    def value(counter: str) -> float:
        if row.get(counter) in (None, ""):
            raise InputError(f"no counter {counter}", file=name, key=kernel, allowed=f"pmc: {counter}")
        return _number(row[counter], counter, name)

    operations = {
        precision: _LANES
        * (
            value(f"SQ_INSTS_VALU_ADD_F{bits}")
            + value(f"SQ_INSTS_VALU_MUL_F{bits}")
            + 2.0 * value(f"SQ_INSTS_VALU_FMA_F{bits}")
        )
        for precision, bits in _BITS.items()
    }
    reads, short = value("TCC_EA_RDREQ_sum"), value("TCC_EA_RDREQ_32B_sum")
    writes, long = value("TCC_EA_WRREQ_sum"), value("TCC_EA_WRREQ_64B_sum")
    memory = 64.0 * (reads - short) + 32.0 * short + 64.0 * long + 32.0 * (writes - long)
    moved = {"level_1": 64.0 * value("TCP_TOTAL_CACHE_ACCESSES_sum"), "level_2": 128.0 * value("TCC_REQ_sum")}
    seconds = value("DurationNs") if "DurationNs" in row else value("EndNs") - value("BeginNs")
    occupancy = value("OccupancyPercent") * 0.01
    return {**operations, **moved, "memory": memory, "occupancy": occupancy, "seconds": seconds * 1e-9}


def _number(text: str | None, counter: str, name: str) -> float:
    try:
        number = float((text or "").replace(",", ""))
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise InputError(f"{counter} is {shown(text)}", file=name, allowed="a number >= 0")
    return number
