"""The metrics of a process: every figure of its profile that a law can be fitted to, under a key.

A key is a tuple that begins with the table of the profile: ``("mix", "load")``, ``("ilp", 54, "ooo", "mem")``,
``("data_reuse", 64, "beyond", 1024)``. What stays out: what a tool printed beside its counts, heat maps, and messages
by partner (their number is the number of processes).
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from dse.models.workload.extrapolation.reuse_curves import curve
from dse.models.workload.profile.parallelism import TYPES
from dse.models.workload.profile.profile import CLASSES, PARTS, Communication, ProcessClass

__all__ = ["Key", "absent_is_none", "bounds_of", "metrics", "name_of", "unit_of"]

Key: TypeAlias = tuple[Any, ...]


def metrics(item: ProcessClass) -> dict[Key, float]:
    """Return the metrics of a process."""
    values: dict[Key, float] = {("mix", name): float(item.mix[name]) for name in (*CLASSES, *PARTS)}
    for vector in item.vectors:
        values["vectors", vector.of, vector.length, vector.bits] = float(vector.count)
    for entry in item.windows:
        counts = item.type_counts
        values["ilp", entry.window, entry.order, "all"] = entry.ilp(counts)
        for kind in TYPES:
            if entry.spans.get(kind):
                values["ilp", entry.window, entry.order, kind] = entry.ilp(counts, kind)
    for table, histograms in (("data_reuse", item.data_reuse), ("inst_reuse", item.inst_reuse)):
        for histogram in histograms:
            values |= {(table, histogram.line, *key): value for key, value in curve(histogram).items()}
    if item.branch is not None:
        values["branch", "events"] = float(item.branch.events)
        for kind in ("entropy", "linear_entropy"):
            values |= {("branch", kind, history): value for history, value in getattr(item.branch, kind)}
        for outcome in item.branch.max_outcome:
            values["branch", "max_outcome", outcome.history, outcome.table, outcome.rule] = outcome.miss_rate
        if item.branch.tool_miss_rate is not None:
            values["branch", "tool_miss_rate"] = item.branch.tool_miss_rate
    if item.registers is not None:
        values |= {("registers", name): float(value) for name, value in vars(item.registers).items()}
    if item.footprint_bytes is not None:
        values["footprint_bytes",] = float(item.footprint_bytes)
    if item.comm is not None:
        values |= _communication(item.comm)
    for table in ("external_calls", "openmp_calls"):
        values |= {(table, name): float(count) for name, count in getattr(item, table).items()}
    return values


def _communication(comm: Communication) -> dict[Key, float]:
    values: dict[Key, float] = {}
    if comm.p2p is not None:
        for name in ("messages", "bytes", "sent_messages", "sent_bytes"):
            value = getattr(comm.p2p, name)
            if value is not None:
                values["comm", "p2p", name] = float(value)
    for name, operation in comm.collectives.items():
        for part in ("count", "bytes"):
            value = getattr(operation, part)
            if value is not None:
                values["comm", "collectives", name, part] = float(value)
    return values


def absent_is_none(key: Key) -> bool:
    """Whether a process without the metric has none of it, rather than that it was not measured."""
    return key[0] in ("vectors", "external_calls", "openmp_calls")


def unit_of(key: Key) -> str:
    """Return the unit of a metric."""
    return "B" if key[-1] in ("bytes", "sent_bytes", "footprint_bytes") else "1"


def bounds_of(key: Key) -> tuple[float, float]:
    """Return what a metric can be."""
    if key[0] == "ilp":
        return 1.0, float(key[1]) if key[3] == "all" else math.inf
    share = key[0] == "branch" and key[1] != "events"
    share = share or (key[0] in ("data_reuse", "inst_reuse") and key[2] == "beyond")
    return 0.0, 1.0 if share else math.inf


def name_of(key: Key) -> str:
    """Write a key."""
    table, *rest = key
    if table == "vectors":
        of, length, bits = rest
        return f"vectors.{of}.{length}x{bits}"
    if table == "ilp":
        window, order, kind = rest
        size = "inf" if math.isinf(window) else f"{window:.0f}"
        return f"ilp[{size}{', in order' if order == 'in' else ''}]" + ("" if kind == "all" else f".{kind}")
    if table in ("data_reuse", "inst_reuse"):
        line, what, *distance = rest
        place = f"{table}[{'address' if line is None else line}].{what}"
        return place + (f"[{distance[0]}]" if distance else "")
    if table == "branch" and len(rest) > 1:
        kind, history, *of = rest
        return f"branch.{kind}[{', '.join(str(part) for part in (history, *of) if part not in (None, ''))}]"
    return ".".join(map(str, key))
