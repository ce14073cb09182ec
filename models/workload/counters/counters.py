"""Hardware counters: what ``perf stat -x,``, LIKWID and PAPI count of a program that a profile can take over.

Taken over is what is the program's own (`counter_events`): instructions, loads, stores, branches, floating-point
instructions. Cycles, misses of caches and of predictors are the machine's that ran it, and no part of a profile.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.errors import InputError, one_of, shown
from dse.models.workload.counters.events import EVENTS, is_of_the_machine, parts_counted
from dse.models.workload.profile.reading import read_json

__all__ = ["Counters", "read_counters"]

_UNCOUNTED = ("<not supported>", "<not counted>")
_ALLOWED = (
    "what `perf stat -x, -o FILE` (without -A and -I), `likwid-perfctr -o FILE.csv` or the high-level interface of "
    "PAPI writes"
)
_COUNT = re.compile(r"<[^>]*>|[\d.,]+")
_EVENT = re.compile(r"[A-Za-z][^;|\t,]*")
_OF_A_UNIT = re.compile(r"(\w*)/([^/]+)/\w*")  # cpu_core/instructions/u, as hybrid processors have it
_ONE_THREAD = 1.1  # processors kept busy, up to which a program counts as one thread
_UNEQUAL = 1.1  # most / least instructions of a thread


@dataclass(frozen=True)
class Counters:
    """What was counted, of one of `threads` equal threads.

    Attributes
    ----------
    tool : str
    counts : dict of str to int
        By part of a profile (`EVENTS`): the mean over the threads.
    threads : int
    together : bool
        Whether the tool counted all threads in one sum, which is shared out equally here.
    unused, unknown : tuple of str
        Events of the machine, which are no part of a profile; and events that are not understood.
    remarks : tuple of str
        What weakens the counts.
    """

    tool: str
    counts: Mapping[str, int]
    threads: int = 1
    together: bool = False
    unused: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def read_counters(path: Path, threads: int | None = None) -> Counters:
    """Read the counts of a program.

    Parameters
    ----------
    path : path
    threads : int, optional
        How many equal threads or processes perf counted together: each gets its share.

    Raises
    ------
    InputError
        No such file, another format, no instructions, parts that are more than the whole, or several threads in one sum
        without a word on how many.
    """
    try:
        counters = _papi(path) if path.suffix == ".json" else _of_text(path, threads)
    except InputError as error:
        raise error.within(file=path) from None
    if not counters.counts.get("instructions"):
        raise InputError("counts no instructions", file=path, allowed=f"one of {one_of(EVENTS['instructions'])}")
    parts = sum(count for part, count in counters.counts.items() if part != "instructions")
    if parts > counters.counts["instructions"]:
        raise InputError(
            f"{' + '.join(part for part in counters.counts if part != 'instructions')} is {parts}",
            file=path,
            allowed=f"at most {counters.counts['instructions']}, the instructions: count the events in one run",
        )
    if threads is not None and threads != counters.threads:
        raise InputError(
            f"{threads}, but {path} tells {counters.threads} apart",
            key="--threads",
            allowed="to leave it out: it is for perf",
        )
    return counters


def _of_text(path: Path, threads: int | None) -> Counters:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError("no such file") from None
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read as text", allowed=_ALLOWED) from None
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if any(line.startswith("TABLE,") for line in lines):
        return _likwid([row for row in csv.reader(lines) if row])
    separator = _separator(lines)
    rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    if separator != ",":  # then a language may write its decimals with a comma
        rows = [[cell.replace(",", ".") if place != 2 else cell for place, cell in enumerate(row)] for row in rows]
    return _perf(rows, threads)


def _separator(lines: list[str]) -> str:
    """Return what stands between the cells: `perf stat -x` takes any sign."""
    for separator in (",", ";", "|", "\t", ":", " "):
        for line in lines:
            cells = line.split(separator)
            if len(cells) > 2 and _COUNT.fullmatch(cells[0]) and _EVENT.fullmatch(cells[2]):
                return separator
    return ","


def _perf(rows: list[list[str]], threads: int | None) -> Counters:
    """Read lines of value, unit, event, perhaps a deviation, time counted, share of the time it was counted in."""
    counts: dict[str, dict[str, float]] = {}
    remarks, busy = [], None
    for row in rows:
        if len(row) < 3 or not row[2]:
            if len(row) > 4 and not row[0]:  # a line that only derives a figure from those above
                continue
            raise InputError(f"{shown(','.join(row))} is no line of a counter", allowed=_ALLOWED)
        unit, event = _event(row[2])
        if row[0] in _UNCOUNTED:
            remarks.append(f"{row[2] if unit else event} was {row[0].strip('<>')}")
            continue
        cells = row[:3] + row[4:] if len(row) > 3 and row[3].endswith("%") else row  # of perf stat -r
        own = counts.setdefault(event, {})
        if unit in own:
            if not is_of_the_machine(event):
                remarks.append(f"{event} was counted twice, the first is taken")
            continue
        own[unit] = _number(cells[0], event)
        if "CPUs utilized" in cells[4:]:
            busy = _number(cells[cells.index("CPUs utilized") - 1], "CPUs utilized")
        if len(cells) > 4 and cells[4] and _number(cells[4], event) < 100 and not is_of_the_machine(event):
            remarks.append(f"{event} was counted {cells[4]} % of the time: perf scaled it up to the whole")
    if threads is None and busy is not None and busy > _ONE_THREAD:
        raise InputError(
            f"the program kept {busy:g} processors busy, and its counts are those of all threads together",
            allowed="--threads N with the number of its equal threads or processes; --threads 1 takes the sum for one",
        )
    if threads is None and busy is None:
        remarks.append("how many threads ran is not said (no task-clock): taken as one; otherwise --threads N")
    return _joined("perf stat", {e: [sum(own.values())] for e, own in counts.items()}, remarks, threads)


def _event(text: str) -> tuple[str, str]:
    """Return the unit that counted, where it is named, and the event without modifiers such as ":u"."""
    match = _OF_A_UNIT.fullmatch(text)
    return (match[1], match[2]) if match else ("", re.sub(r":[a-zA-Z]+$", "", text))


def _likwid(rows: list[list[str]]) -> Counters:
    """Read the tables of raw events: event, counter, a count per hardware thread; with markers, of all regions."""
    regions: dict[str, dict[str, list[float]]] = {}
    raw, threads, region = False, 0, ""
    for row in rows:
        if row[0] == "TABLE":
            title, threads = " ".join(row[1:3]), 0
            raw = "Raw" in title and "stat" not in title.casefold()
            region = row[1].removeprefix("Region ") if len(row) > 1 and row[1].startswith("Region ") else ""
        elif raw and row[0] == "Event":
            threads = sum(bool(cell) for cell in row[2:])
        elif raw and threads:
            values = [0.0 if cell == "-" else _number(cell, row[0]) for cell in row[2 : 2 + threads]]
            regions.setdefault(region, {}).setdefault(row[0], values)
    remarks = []
    if len(regions) > 1:
        remarks.append(f"the sum of the regions {one_of(regions)}; a region inside another counts twice")
    totals: dict[str, list[float]] = {}
    for events in regions.values():
        for event, values in events.items():
            before = totals.get(event, [0.0] * len(values))
            if len(before) != len(values):
                raise InputError(f"'{event}' has {len(before)} threads in one region and {len(values)} in another")
            totals[event] = [count + other for count, other in zip(before, values, strict=True)]
    return _joined("LIKWID", totals, remarks)


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
    return _joined("PAPI", totals, [])


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


def _joined(tool: str, counts: Mapping[str, list[float]], remarks: list[str], shares: int | None = None) -> Counters:
    """Return the counts of one thread; `shares` of perf: by how many the sum is divided."""
    threads = max((len(values) for values in counts.values()), default=1)
    parts, known, notes = parts_counted({event: sum(values) for event, values in counts.items()})
    rest = [event for event in counts if event not in known]
    first = [f"the mean of {threads} threads, taken as equal"] if threads > 1 else []
    for event in EVENTS["instructions"] if threads > 1 else ():
        own = next((values for name, values in counts.items() if name.casefold() == event), [])
        if own and max(own) > _UNEQUAL * min(own):
            differ = f"although their instructions differ, from {min(own):.0f} to {max(own):.0f}"
            first = [f"the mean of {threads} threads, taken as equal {differ}"]
    if shares is not None and shares > 1:
        first = [f"counted of {shares} threads together: each has an equal share"]
    divisor = threads if shares is None else shares
    return Counters(
        tool,
        {part: round(count / divisor) for part, count in parts.items()},
        divisor,
        divisor > 1 and shares is not None,
        tuple(event for event in rest if is_of_the_machine(event)),
        tuple(event for event in rest if not is_of_the_machine(event)),
        (*first, *notes, *remarks),
    )
