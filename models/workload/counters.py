"""Hardware counters: what ``perf stat -x,``, LIKWID and PAPI count of a program that a profile can take over.

Taken over is what is the program's own: instructions, loads, stores, branches, floating-point instructions. Cycles,
misses of caches and of predictors are the machine's that ran it, and no part of a profile.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.errors import InputError, one_of, shown
from dse.models.workload.reading import read_json

__all__ = ["EVENTS", "Counters", "read_counters"]

EVENTS: Mapping[str, tuple[str, ...]] = {
    "instructions": ("instructions", "inst_retired.any", "instr_retired_any", "papi_tot_ins"),
    "load": ("mem_inst_retired.all_loads", "mem_inst_retired_all_loads", "papi_ld_ins"),
    "store": ("mem_inst_retired.all_stores", "mem_inst_retired_all_stores", "papi_sr_ins"),
    "control": (
        "branches",
        "branch-instructions",
        "br_inst_retired.all_branches",
        "br_inst_retired_all_branches",
        "papi_br_ins",
    ),
    "fp": ("papi_fp_ins",),
}
"""The events that count a part of a profile, in lower case."""

_PARTS = {event: part for part, events in EVENTS.items() for event in events}
_UNCOUNTED = ("<not supported>", "<not counted>")
_ALLOWED = "what `perf stat -x, -o FILE`, `likwid-perfctr -o FILE.csv` or the high-level interface of PAPI writes"


@dataclass(frozen=True)
class Counters:
    """What was counted, of one of `threads` equal threads.

    Attributes
    ----------
    tool : str
    counts : dict of str to int
        By part of a profile (`EVENTS`): the mean over the threads.
    threads : int
    unused : tuple of str
        Events that are no part of a profile.
    remarks : tuple of str
        What weakens the counts.
    """

    tool: str
    counts: Mapping[str, int]
    threads: int = 1
    unused: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def read_counters(path: Path) -> Counters:
    """Read the counts of a program.

    Raises
    ------
    InputError
        No such file, another format, no instructions, or parts that are more than the whole.
    """
    try:
        found = _papi(path) if path.suffix == ".json" else _of_text(path)
    except InputError as error:
        raise error.within(file=path) from None
    if not found.counts.get("instructions"):
        raise InputError("counts no instructions", file=path, allowed=f"one of {one_of(EVENTS['instructions'])}")
    parts = sum(count for part, count in found.counts.items() if part != "instructions")
    if parts > found.counts["instructions"]:
        raise InputError(
            f"{' + '.join(part for part in found.counts if part != 'instructions')} is {parts}",
            file=path,
            allowed=f"at most {found.counts['instructions']}, the instructions: count the events in one run",
        )
    return found


def _of_text(path: Path) -> Counters:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError("no such file") from None
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read as text", allowed=_ALLOWED) from None
    rows = [row for row in csv.reader(line for line in lines if line.strip() and not line.startswith("#")) if row]
    if any(row[0] == "TABLE" for row in rows):
        return _likwid(rows)
    return _perf(rows)


def _perf(rows: list[list[str]]) -> Counters:
    """Read lines of value, unit, event, time counted, share of the time it was counted in."""
    counts: list[tuple[str, list[float]]] = []
    remarks = []
    for row in rows:
        if len(row) < 3 or not row[2]:
            raise InputError(f"{shown(','.join(row))} is no line of a counter", allowed=_ALLOWED)
        event = re.sub(r":[a-zA-Z]+$", "", row[2])
        if row[0] in _UNCOUNTED:
            remarks.append(f"{event} was {row[0].strip('<>')}")
            continue
        counts.append((event, [_number(row[0], event)]))
        if len(row) > 4 and row[4] and _number(row[4], event) < 100 and event.casefold() in _PARTS:
            remarks.append(f"{event} was counted {row[4]} % of the time and scaled up")
    return _joined("perf stat", counts, remarks)


def _likwid(rows: list[list[str]]) -> Counters:
    """Read the tables of raw events: event, counter, a count per hardware thread."""
    counts, raw, threads = [], False, 0
    for row in rows:
        if row[0] == "TABLE":
            raw = len(row) > 1 and "Raw" in row[1] and "STAT" not in row[1]
        elif raw and row[0] == "Event":
            threads = sum(bool(cell) for cell in row[2:])
        elif raw and threads:
            counts.append((row[0], [_number(cell, row[0]) for cell in row[2 : 2 + threads] if cell != "-"]))
    return _joined("LIKWID", counts, [])


def _papi(path: Path) -> Counters:
    """Read the outermost regions of all threads."""
    document = read_json(path)
    threads = document.get("threads") if isinstance(document, dict) else None
    if not isinstance(threads, (dict, list)) or not threads:
        raise InputError("has no 'threads'", allowed=_ALLOWED)
    totals: dict[str, list[float]] = {}
    for thread in threads.values() if isinstance(threads, dict) else threads:
        own: dict[str, float] = {}
        for event, count in _regions(thread):
            own[event] = own.get(event, 0.0) + count
        for event, count in own.items():
            totals.setdefault(event, []).append(count)
    return _joined("PAPI", [*totals.items()], [])


def _regions(thread: Any) -> Iterator[tuple[str, float]]:
    regions = thread.get("regions") if isinstance(thread, dict) else None
    for region in regions.values() if isinstance(regions, dict) else regions or []:
        if not isinstance(region, dict):
            raise InputError("has a region that is no table", key="threads", allowed=_ALLOWED)
        if str(region.get("parent_region_id", "-1")) == "-1":
            for event, count in region.items():
                value = count.get("total") if isinstance(count, dict) else count
                if event.startswith("PAPI_") and value is not None:
                    yield event, _number(value, event)


def _number(text: Any, event: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value < 2**63:
        raise InputError(f"{shown(text)} is no count of '{event}'", allowed="a number >= 0")
    return value


def _joined(tool: str, counts: list[tuple[str, list[float]]], remarks: list[str]) -> Counters:
    threads = max((len(values) for _, values in counts), default=1)
    found: dict[str, int] = {}
    unused = []
    for event, values in counts:
        part = _PARTS.get(event.casefold())
        if part is None:
            unused.append(event)
        elif part not in found:
            found[part] = round(sum(values) / threads)
    told = [f"the mean of {threads} threads, taken as equal"] if threads > 1 else []
    return Counters(tool, found, threads, tuple(dict.fromkeys(unused)), (*told, *remarks))
