"""From metrics back to a process of a profile: whole counts whose sums agree, curves that do not cross."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dse.errors import InputError
from dse.models.workload.extrapolation.metrics import Key, metrics, name_of
from dse.models.workload.extrapolation.reuse_curves import histogram_document, tail_of
from dse.models.workload.profile.parallelism import TYPES
from dse.models.workload.profile.profile import CLASSES, PARTS, ProcessClass

__all__ = ["class_document", "dropped"]

_LARGEST = 2**63 - 1
_TOLD = 0.01
"""Changes by more than this share of a metric are told."""


def class_document(
    values: Mapping[Key, float], examples: Sequence[ProcessClass], *, name: str, members: int
) -> tuple[dict[str, Any], list[str]]:
    """Return the document of a process with given metrics.

    Parameters
    ----------
    values : mapping
        As `metrics` gives them; those of the instruction mix are all there.
    examples : sequence of ProcessClass
        Processes the values come from.
    name : str
    members : int

    Returns
    -------
    dict
        A class of a profile document.
    list of str
        What had to be changed by more than 1 % to be consistent, and what has no data.
    """
    changed: list[str] = []
    mix, instructions = _mix(values, changed)
    document: dict[str, Any] = {
        "name": name,
        "members": members,
        "role": examples[0].role,
        "instructions": instructions,
        "mix": mix,
        "vectors": _vectors(values, mix, changed),
        "ilp": _windows(values, mix, instructions, changed),
    }
    for table, unit in (("data_reuse", "line_bytes"), ("inst_reuse", "line_instructions")):
        document[table] = _reuse(values, table, unit, examples, changed)
    branch = _branch(values, examples)
    if branch is not None:
        document["branch"] = branch
    if ("registers", "reads") in values and ("registers", "writes") in values:
        document["registers"] = {part: _count(values, ("registers", part)) for part in ("reads", "writes")}
    if ("footprint_bytes",) in values:
        document["footprint_bytes"] = _count(values, ("footprint_bytes",))
    communication = _communication(values, examples)
    if communication:
        document["comm"] = communication
    for table in ("external_calls", "openmp_calls"):
        calls = {key[1]: _count(values, key) for key in values if key[0] == table}
        if calls:
            document[table] = calls
    return document, changed


def dropped(examples: Sequence[ProcessClass], kept: Sequence[Key]) -> list[str]:
    """Return what the processes have that has no law: metrics not in all of them, and what is never extrapolated."""
    names = {name_of(key) for item in examples for key in metrics(item) if key not in kept and "beyond" not in key}
    for feature, has in (
        ("heatmap", lambda item: item.heatmap is not None),
        ("address_map", lambda item: item.address_map is not None),
        ("comm.p2p.peers", lambda item: item.comm and item.comm.p2p and item.comm.p2p.peers),
        ("comm.p2p.sizes", lambda item: item.comm and item.comm.p2p and item.comm.p2p.sizes),
        ("data_reuse[…].covered", lambda item: any(histogram.covered for histogram in item.data_reuse)),
        ("ilp[…].printed", lambda item: any(entry.reference for entry in item.windows)),
    ):
        if any(has(item) for item in examples):
            names.add(feature)
    return sorted(names)


def _count(values: Mapping[Key, float], key: Key) -> int:
    value = values[key]
    if not (math.isfinite(value) and value <= _LARGEST):
        raise InputError(f"{name_of(key)} would be {value:.3g}", allowed=f"at most {_LARGEST} (2^63 - 1) in a profile")
    return max(0, math.floor(value + 0.5))


def _mix(values: Mapping[Key, float], changed: list[str]) -> tuple[dict[str, int], int]:
    mix = {name: _count(values, ("mix", name)) for name in (*CLASSES, *PARTS)}
    if not sum(mix[name] for name in CLASSES):
        raise InputError("the laws foretell no instructions at all at the target")
    for part, whole in PARTS.items():  # int_arith stands before its parts
        _reduce(mix, part, mix[whole], f"mix.{part}", whole, changed)
    for whole, parts in (("int_arith", ("int_mul", "int_div")), ("fp", ("fp_mul", "fp_div"))):
        total = sum(mix[part] for part in parts)
        if total > mix[whole]:
            before = dict(mix)
            mix[parts[0]] = mix[parts[0]] * mix[whole] // total
            _reduce(mix, parts[1], mix[whole] - mix[parts[0]], f"mix.{parts[1]}", whole, [])
            _tell(f"mix.{' + '.join(parts)}", total, before[whole], f"no more than {whole}", changed)
    return mix, sum(mix[name] for name in CLASSES)


def _reduce(counts: dict[Any, int], name: Any, most: int, counted: str, whole: str, changed: list[str]) -> None:
    if counts[name] > most:
        _tell(counted, counts[name], most, f"no more than {whole}", changed)
        counts[name] = most


def _tell(name: str, foretold: float, taken: float, why: str, changed: list[str]) -> None:
    if abs(foretold - taken) > _TOLD * abs(foretold):
        changed.append(f"{name}: {foretold:.4g} foretold, {taken:.4g} taken: {why}")


def _vectors(values: Mapping[Key, float], mix: Mapping[str, int], changed: list[str]) -> list[dict[str, Any]]:
    cells = {key[1:]: _count(values, key) for key in values if key[0] == "vectors"}
    for of in (*CLASSES, *PARTS):  # wholes before their parts
        mine = [cell for cell in cells if cell[0] == of]
        if of in PARTS:
            for cell in mine:
                whole = cells.get((PARTS[of], *cell[1:]), 0)
                _reduce(cells, cell, whole, name_of(("vectors", *cell)), PARTS[of], changed)
        total = sum(cells[cell] for cell in mine)
        if total > mix[of]:
            _tell(f"vectors.{of}", total, mix[of], f"no more than mix.{of}", changed)
            for cell in mine:
                cells[cell] = cells[cell] * mix[of] // total
    # Taking from a whole may leave one of its parts with more.
    for cell in cells:
        if cell[0] in PARTS:
            cells[cell] = min(cells[cell], cells.get((PARTS[cell[0]], *cell[1:]), 0))
    return [
        {"class": of, "length": length, "bits": bits, "count": count}
        for (of, length, bits), count in cells.items()
        if count
    ]


def _windows(
    values: Mapping[Key, float], mix: Mapping[str, int], instructions: int, changed: list[str]
) -> list[dict[str, Any]]:
    of_type = {"mem": mix["load"] + mix["store"], "int": mix["int"] + mix["addr"]}
    of_type |= {"control": mix["control"], "fp": mix["fp"]}
    windows, reached = [], {"ooo": 1.0, "in": 1.0}
    for window, order in sorted({key[1:3] for key in values if key[0] == "ilp"}):
        key = ("ilp", window, order, "all")
        if key not in values:
            continue
        reached[order] = max(reached[order], min(values[key], window))
        _tell(name_of(key), values[key], reached[order], "no less than with a smaller window", changed)
        entry: dict[str, Any] = {"window": "inf" if math.isinf(window) else int(window), "order": order}
        entry["span"] = _span(instructions, reached[order])
        for kind in TYPES:
            if not of_type[kind]:
                entry[f"span_{kind}"] = 0
            elif (*key[:3], kind) in values:
                entry[f"span_{kind}"] = _span(of_type[kind], values[*key[:3], kind])
        windows.append(entry)
    return windows


def _span(count: int, parallelism: float) -> int:
    return min(count, max(1, math.floor(count / max(parallelism, 1.0) + 0.5)))


def _reuse(
    values: Mapping[Key, float], table: str, unit: str, examples: Sequence[ProcessClass], changed: list[str]
) -> list[dict[str, Any]]:
    documents = []
    for line in dict.fromkeys(key[1] for key in values if key[0] == table):
        of_line = {key[2:]: value for key, value in values.items() if key[:2] == (table, line)}
        if ("references",) not in of_line or ("first_touches",) not in of_line:
            continue
        histograms = [histogram for item in examples for histogram in getattr(item, table) if histogram.line == line]
        counted = all(histogram.counts is not None for histogram in histograms)
        entry, unseen = histogram_document(of_line, [tail_of(histogram) for histogram in histograms], counted=counted)
        if unseen > _TOLD:
            changed.append(
                f"{table}[{'address' if line is None else line}]: {100 * unseen:.2g} % of the references have reuse "
                "distances beyond those of every run"
            )
        documents.append({unit: "address" if line is None else line, **entry})
    return documents


def _branch(values: Mapping[Key, float], examples: Sequence[ProcessClass]) -> dict[str, Any] | None:
    branches = [item.branch for item in examples]
    first = branches[0]
    if first is None or ("branch", "events") not in values:
        return None
    branch: dict[str, Any] = {
        "events": _count(values, ("branch", "events")),
        "conditional_only": first.conditional_only,
    }
    for kind in ("entropy", "linear_entropy"):
        points, least = [], 1.0
        for history in sorted(key[2] for key in values if key[:2] == ("branch", kind)):
            # More history never makes the next outcome harder to tell.
            least = min(least, max(0.0, values["branch", kind, history]))
            points.append([history, least])
        if points:
            branch[kind] = points
    outcomes = []
    for key in values:
        if key[:2] == ("branch", "max_outcome"):
            outcome: dict[str, Any] = {"history": key[2], "rule": key[4], "miss_rate": min(1.0, max(0.0, values[key]))}
            outcomes.append(outcome | ({} if key[3] is None else {"table": key[3]}))
    unlimited = {
        (outcome["history"], outcome["rule"]): outcome["miss_rate"] for outcome in outcomes if "table" not in outcome
    }
    for each in outcomes:  # a larger table never misses more
        each["miss_rate"] = max(each["miss_rate"], unlimited.get((each["history"], each["rule"]), 0.0))
    if outcomes:
        branch["max_outcome"] = outcomes
    if ("branch", "tool_miss_rate") in values:
        branch["tool_miss_rate"] = min(1.0, max(0.0, values["branch", "tool_miss_rate"]))
    return branch


def _communication(values: Mapping[Key, float], examples: Sequence[ProcessClass]) -> dict[str, Any]:
    communication: dict[str, Any] = {}
    p2p = {key[2]: _count(values, key) for key in values if key[:2] == ("comm", "p2p")}
    if {"messages", "bytes"} <= set(p2p):
        communication["p2p"] = dict(p2p)
        patterns = {item.comm.p2p.pattern if item.comm and item.comm.p2p else None for item in examples}
        if len(patterns) == 1 and None not in patterns:
            communication["p2p"]["pattern"] = patterns.pop()
    collectives: dict[str, dict[str, int]] = {}
    for key in values:
        if key[:2] == ("comm", "collectives"):
            collectives.setdefault(key[2], {})[key[3]] = _count(values, key)
    if collectives:
        communication["collectives"] = collectives
    return communication
