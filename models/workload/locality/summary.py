"""A profile in numbers for people: what its terminal tables, its JSON and its page show."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.locality.locality_map import locality_view, measured_map
from dse.models.workload.profile.collective_calls import plain_operation
from dse.models.workload.profile.parallelism import TYPES
from dse.models.workload.profile.profile import CLASSES, PARTS, ProcessClass, WorkloadProfile
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["address_map_summary", "heat_map_summary", "size", "summary", "thread_classes_summary"]

_MOST_THREADS = 4096
_SMALLEST_CACHE, _LARGEST_CACHE = 2**10, 2**26
_ORDER = [name for whole in CLASSES for name in (whole, *(part for part in PARTS if part.split("_")[0] == whole))]


def size(number: float) -> str:
    """Write a number of bytes in powers of 1024."""
    for power, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if number >= power:
            return f"{number / power:.4g} {unit}"
    return f"{number:.4g} B"


def summary(profile: WorkloadProfile, correlation: float | None = None) -> dict[str, Any]:
    """Return a profile's fractions, parallelism, hit fractions and entropies, in SI.

    Parameters
    ----------
    profile : WorkloadProfile
    correlation : float, optional
        Least correlation of threads of a class.
    """
    return {
        "name": profile.name,
        "source": profile.source,
        "licence": profile.licence,
        "notes": profile.notes,
        "synthetic": profile.synthetic,
        "file": profile.file,
        "sha256": profile.sha256,
        "application": {"name": profile.application.name, "parameters": dict(profile.application.parameters)},
        "run": {name: value for name, value in vars(profile.run).items() if value},
        "warnings": list(profile.warnings),
        "extrapolation": None if profile.extrapolation is None else asdict(profile.extrapolation),
        "classes": [_class(item) for item in profile.classes],
        "thread_classes": thread_classes_summary(profile, correlation),
    }


def thread_classes_summary(profile: WorkloadProfile, threshold: float | None = None) -> dict[str, Any] | None:
    """Return the classes of threads by the correlation of their reuse distances.

    Parameters
    ----------
    profile : WorkloadProfile
    threshold : float, optional
        Least correlation within a class.

    Returns
    -------
    dict or None
        None of a profile of one class or of very many, of one that was not recorded by dse, and where the reuse
        distances have no size of line in common.
    """
    if not 2 <= len(profile.classes) <= _MOST_THREADS or profile.run.tool != "dse profile record":
        return None
    from dse.models.workload.profile.thread_classes import THRESHOLD, thread_classes

    try:
        classes = thread_classes(profile.classes, THRESHOLD if threshold is None else threshold)
    except InputError:
        if threshold is not None:
            raise
        return None
    rows = []
    for label in range(classes.count):
        mine = classes.members(label)
        others = [place for place in range(len(classes.names)) if place not in mine]
        within = classes.correlation[np.ix_(mine, mine)]
        rows.append(
            {
                "threads": [classes.names[place] for place in mine],
                "within": float(within.min()) if len(mine) > 1 else None,
                "to_others": float(classes.correlation[np.ix_(mine, others)].max()) if others else None,
            }
        )
    compared = {"threshold": classes.threshold, "line_bytes": classes.line_bytes, "classes": rows}
    return {**compared, "names": list(classes.names), "correlation": classes.correlation.tolist()}


def _class(item: ProcessClass) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": item.name,
        "members": item.members,
        "role": item.role,
        "instructions": item.instructions,
        "mix": [_mix(item, name) for name in _ORDER],
        "ilp": [_ilp(item, place) for place in range(len(item.windows))],
        "data_reuse": [_hits(histogram) for histogram in item.data_reuse],
        "inst_reuse": [_inst(histogram) for histogram in item.inst_reuse],
        "footprint_bytes": item.footprint_bytes,
        "memory_entropy": [list(point) for point in item.memory_entropy],
        "registers": None if item.registers is None else dict(vars(item.registers)),
        "heatmap": heat_map_summary(item),
        "address_map": address_map_summary(item),
        "branch": None,
        "comm": None,
        "external_calls": dict(item.external_calls),
        "openmp_calls": dict(item.openmp_calls),
    }
    if item.branch is not None:
        document["branch"] = {
            "events": item.branch.events,
            "conditional_only": item.branch.conditional_only,
            "entropy": [list(point) for point in item.branch.entropy],
            "linear_entropy": [list(point) for point in item.branch.linear_entropy],
            "max_outcome": [dict(vars(outcome)) for outcome in item.branch.max_outcome],
            "tool_miss_rate": item.branch.tool_miss_rate,
        }
    if item.comm is not None:
        p2p = item.comm.p2p
        document["comm"] = {
            "p2p": None if p2p is None else {"messages": p2p.messages, "bytes": p2p.bytes, "peers": len(p2p.peers)},
            "collectives": {
                name: {**vars(calls), "counted_as": plain_operation(name)}
                for name, calls in item.comm.collectives.items()
            },
        }
    return document


def heat_map_summary(item: ProcessClass, variant: str = "pdf:pdf") -> dict[str, Any] | None:
    """Return the size of the heat map of a class and its largest cells; None where it has no map."""
    heatmap = measured_map(item)
    if heatmap is None:
        return None
    view = locality_view(heatmap, variant)
    size_told = {"variant": variant, "offsets": len(view.offsets), "lags": len(view.lags), "unit": view.unit}
    return {**size_told, "largest": [{"s_bytes": s, "t": t, "p": p} for s, t, p in view.largest()]}


def address_map_summary(item: ProcessClass) -> dict[str, Any] | None:
    """Return the size of the accesses by address and time of a class; None where it has none."""
    held = item.address_map
    if held is None:
        return None
    sizes = {name: getattr(held, name) for name in ("accesses", "row_bytes", "column_accesses")}
    return {**sizes, "rows": len(held.first_bytes), "columns": len(held.counts[0]) if held.counts else 0}


def _mix(item: ProcessClass, name: str) -> dict[str, Any]:
    return {
        "class": name,
        "part_of": PARTS.get(name),
        "count": item.count(name),
        "fraction": item.fraction(name),
        "vector_fraction": item.vector_count(name) / item.instructions,
    }


def _ilp(item: ProcessClass, place: int) -> dict[str, Any]:
    entry, counts = item.windows[place], item.type_counts
    return {
        "window": "inf" if math.isinf(entry.window) else entry.window,
        "order": entry.order,
        "ilp": entry.ilp(counts),
        "own": {name: entry.ilp(counts, name) for name in TYPES if name in entry.spans},
        "common": {name: counts[name] / entry.span for name in TYPES},
    }


def _hits(histogram: ReuseHistogram) -> dict[str, Any]:
    document: dict[str, Any] = {
        "line_bytes": histogram.line,
        "references": histogram.references,
        "cold_fraction": histogram.cold_fraction,
        "hits": [],
    }
    if histogram.line is not None and histogram.distances:
        capacity, most = _SMALLEST_CACHE, max(_LARGEST_CACHE, 2 * histogram.line * (histogram.distances[-1] + 1))
        while capacity <= most:
            lines = capacity // histogram.line
            document["hits"].append(
                {
                    "bytes": capacity,
                    "hit_fraction": float(histogram.hit_fraction(lines)),
                    "hit_fraction_reference": float(histogram.hit_fraction(lines, "reference")),
                }
            )
            capacity *= 2
    return document


def _inst(histogram: ReuseHistogram) -> dict[str, Any]:
    return {
        "line_instructions": histogram.line,
        "references": histogram.references,
        "cold_fraction": histogram.cold_fraction,
    }
