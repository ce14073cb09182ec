"""Equal threads of a recorded profile as one class with members: counts are means, rounded down.

Two classes of one role are alike when their instructions differ by less than 1 %, and so does each class of the mix, in
instructions. Rounding down keeps every rule of a profile (parts are no more than the whole); the instructions are the
sum of the rounded classes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.profile import CLASSES
from dse.models.workload.profile.strides import STRIDES, mean_shares

__all__ = ["joined_mean", "with_alike_joined"]

_ALIKE = 0.01


def with_alike_joined(document: dict[str, Any]) -> dict[str, Any]:
    """Return a profile document in which classes that are alike are one, named after the first of them.

    Parameters
    ----------
    document : dict
        As `dse.models.workload.record.recorded.recorded_profile` returns it.
    """
    groups: list[list[dict[str, Any]]] = []
    for item in document["classes"]:
        like = next((group for group in groups if _alike(group[0], item)), None)
        if like is None:
            groups.append([item])
        else:
            like.append(item)
    joined = {**document, "classes": [joined_mean(group) for group in groups]}
    checked_document(joined)
    return joined


def _alike(first: dict[str, Any], other: dict[str, Any]) -> bool:
    pairs = [(first["instructions"], other["instructions"])] + [(first["mix"][k], other["mix"][k]) for k in CLASSES]
    return first["role"] == other["role"] and all(abs(a - b) <= _ALIKE * max(a, b) for a, b in pairs)


def joined_mean(group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of recorded threads as one class that stands for them; heat maps are left out of a mean."""
    first, members = group[0], len(group)
    if members == 1:
        return first
    mix = {part: sum(item["mix"][part] for item in group) // members for part in first["mix"]}
    instructions = sum(mix[name] for name in CLASSES)
    made = {
        "name": first["name"],
        "members": members,
        "role": first["role"],
        "instructions": instructions,
        "mix": mix,
        "vectors": _rows(group, "vectors", ("class", "length", "bits")),
        "ilp": [_window(entries, instructions, mix) for entries in _shared(group, "ilp", ("window", "order"))],
        "data_reuse": [_reuse(entries) for entries in _shared(group, "data_reuse", ("line_bytes",))],
        "inst_reuse": [_reuse(entries) for entries in _shared(group, "inst_reuse", ("line_instructions",))],
        "memory_entropy": _curve([item["memory_entropy"] for item in group]),
        "external_calls": _table([item["external_calls"] for item in group]),
        "openmp_calls": _table([item["openmp_calls"] for item in group]),
    }
    if all("footprint_bytes" in item for item in group):
        made["footprint_bytes"] = sum(item["footprint_bytes"] for item in group) // members
    if all("registers" in item for item in group):
        made["registers"] = _table([item["registers"] for item in group], zeros=True)
    if all("branch" in item for item in group):
        made["branch"] = _branch([item["branch"] for item in group])
    if any("comm" in item for item in group):
        made["comm"] = _communication([item.get("comm", {}) for item in group])
    return made


def _table(tables: Sequence[dict[str, int]], zeros: bool = False) -> dict[str, int]:
    names = dict.fromkeys(name for table in tables for name in table)
    means = {name: sum(table.get(name, 0) for table in tables) // len(tables) for name in names}
    return {name: count for name, count in means.items() if count or zeros}


def _rows(group: Sequence[dict[str, Any]], key: str, by: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the means of rows of counts; a row that a member lacks is zero there."""
    sums: dict[tuple[Any, ...], dict[str, int]] = {}
    for item in group:
        for row in item.get(key, []):
            held = sums.setdefault(tuple(row[name] for name in by), defaultdict(int))
            for name in row.keys() - set(by):
                held[name] += row[name]
    means = [
        {**dict(zip(by, cell, strict=True)), **{name: total // len(group) for name, total in held.items()}}
        for cell, held in sums.items()
    ]
    return [row for row in means if any(row[name] for name in row.keys() - set(by))]


def _shared(group: Sequence[dict[str, Any]], key: str, by: tuple[str, ...]) -> list[list[dict[str, Any]]]:
    """Return what all members measured, matched by its parameters."""
    rows_of_all = []
    for entry in group[0][key]:
        rows = [[row for row in item[key] if all(row.get(name) == entry.get(name) for name in by)] for item in group]
        if all(rows):
            rows_of_all.append([row[0] for row in rows])
    return rows_of_all


def _window(entries: list[dict[str, Any]], instructions: int, mix: dict[str, int]) -> dict[str, Any]:
    most = {
        "span": instructions,
        "span_mem": mix["load"] + mix["store"],
        "span_int": mix["int"] + mix["addr"],
        "span_control": mix["control"],
        "span_fp": mix["fp"],
    }
    spans = {
        name: min(max(sum(entry[name] for entry in entries) // len(entries), 1), limit) for name, limit in most.items()
    }
    return {**entries[0], **spans}


def _reuse(entries: list[dict[str, Any]]) -> dict[str, Any]:
    counts: dict[int, int] = defaultdict(int)
    for entry in entries:
        for upper, count in entry["histogram"]:
            counts[upper] += count
    references = sum(entry["references"] for entry in entries) // len(entries)
    own = {key: value for key, value in entries[0].items() if key not in STRIDES}
    return {
        **own,
        "references": references,
        "histogram": [[upper, counts[upper] // len(entries)] for upper in sorted(counts)],
        **mean_shares(entries),
    }


def _curve(curves: Sequence[Sequence[tuple[int, float]]]) -> list[list[Any]]:
    tables = [dict(curve) for curve in curves]
    return [[at, sum(t[at] for t in tables) / len(tables)] for at in tables[0] if all(at in t for t in tables)]


def _branch(entries: list[dict[str, Any]]) -> dict[str, Any]:
    made = {
        "events": sum(entry["events"] for entry in entries) // len(entries),
        "conditional_only": entries[0]["conditional_only"],
        "entropy": _curve([entry["entropy"] for entry in entries]),
        "linear_entropy": _curve([entry["linear_entropy"] for entry in entries]),
    }
    tables = _shared(entries, "max_outcome", ("history", "table", "rule"))
    made["max_outcome"] = [
        {**rows[0], "miss_rate": sum(row["miss_rate"] for row in rows) / len(rows)} for rows in tables
    ]
    if all("tool_miss_rate" in entry for entry in entries):
        made["tool_miss_rate"] = sum(entry["tool_miss_rate"] for entry in entries) / len(entries)
    return made


def _communication(entries: list[dict[str, Any]]) -> dict[str, Any]:
    members = len(entries)
    calls = [entry.get("collectives", {}) for entry in entries]
    means = {
        name: _table(
            [{key: held or 0 for key, held in calls_of.get(name, {}).items()} for calls_of in calls], zeros=True
        )
        for name in dict.fromkeys(name for calls_of in calls for name in calls_of)
    }
    collectives = {name: mean for name, mean in means.items() if mean["count"]}
    made: dict[str, Any] = {"collectives": collectives}
    p2p = [entry["p2p"] for entry in entries if "p2p" in entry]
    if p2p:
        totals = ("messages", "bytes", "sent_messages", "sent_bytes")
        counts = {name: sum(messages[name] for messages in p2p) // members for name in totals}
        peers = {
            name: sorted(_rows([*p2p, *[{}] * (members - len(p2p))], name, ("offset",)), key=lambda row: row["offset"])
            for name in ("peers", "sent_peers")
        }
        sizes = _sizes([messages["sizes"] for messages in p2p], members)
        if sizes:
            counts |= {"sent_messages": sum(n for _, n, _ in sizes), "sent_bytes": sum(held for _, _, held in sizes)}
        made["p2p"] = {**counts, **peers, "sizes": sizes}
    return made


def _sizes(tables: Sequence[list[list[int]]], members: int) -> list[list[int]]:
    uppers = sorted({upper for table in tables for upper, _, _ in table})
    bins, below = [], -1
    for upper in uppers:
        rows = [row for table in tables for row in table if row[0] == upper]
        messages, held = (sum(row[column] for row in rows) // members for column in (1, 2))
        if messages:
            bins.append([upper, messages, min(max(held, messages * (below + 1)), messages * upper)])
            below = upper
    return bins
