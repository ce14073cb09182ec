"""Metrics of small traces by definition: instruction-level parallelism, reuse distances and heat maps.

These are the definitions behind the figures of a profile (Anghel 2017, Section 3.3), for tests, documentation and short
traces of one's own; a real profile comes from a profiling tool.

A trace of instructions is a sequence of the positions of each instruction's producers: registers it reads, the last
store to an address it loads. A trace of accesses is a sequence of byte addresses.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.profile.parallelism import IlpWindow
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["COLD", "heat_map", "issue_cycles", "measure_ilp", "reuse_distances", "reuse_histogram", "spans_by_type"]

COLD = -1
"""Distance of a first touch."""


def issue_cycles(
    producers: Sequence[Sequence[int]],
    *,
    window: int | None = None,
    in_order: bool = False,
    serial: Sequence[bool] | None = None,
) -> np.ndarray:
    """Return the cycle in which each instruction issues on the ideal machine.

    Parameters
    ----------
    producers : sequence of sequence of int
        For each instruction the positions of those it depends on, all earlier.
    window : int, optional
        Entries of the issue queue, which are filled in program order and left in any order; None: unbounded.
    in_order : bool
        Whether no instruction issues before an earlier one.
    serial : sequence of bool, optional
        Instructions that issue in order among themselves, at most one per cycle: control instructions on the BASE
        machine of Lam and Wilson 1992.

    Raises
    ------
    InputError
        A window without entries, or a producer that is not earlier.
    """
    if window is not None and window < 1:
        raise InputError(f"window = {window}", allowed="a whole number >= 1, or None")
    cycles = np.zeros(len(producers), dtype=np.int64)
    waiting: list[int] = []
    now = latest = 0
    last_serial = -1
    for place, sources in enumerate(producers):
        while window is not None and len(waiting) >= window:
            now = max(now, waiting[0])
            while waiting and waiting[0] <= now:
                heapq.heappop(waiting)
            now += 1
        cycle = now
        for source in sources:
            if not 0 <= source < place:
                raise InputError(f"instruction {place} depends on {source}", allowed=f"0 to {place - 1}")
            cycle = max(cycle, int(cycles[source]) + 1)
        if in_order:
            cycle = max(cycle, latest)
        if serial is not None and serial[place]:
            cycle = max(cycle, last_serial + 1)
            last_serial = cycle
        cycles[place] = cycle
        latest = max(latest, cycle)
        if window is not None:
            heapq.heappush(waiting, cycle)
    return cycles


def spans_by_type(cycles: Sequence[int] | np.ndarray, types: Sequence[str]) -> dict[str, int]:
    """Return how often an instruction of each type issued later than all earlier ones of the type."""
    spans: Counter[str] = Counter()
    latest: dict[str, int] = {}
    for cycle, name in zip(cycles, types, strict=True):
        if cycle > latest.get(name, -1):
            latest[name] = int(cycle)
            spans[name] += 1
    return dict(spans)


def measure_ilp(
    producers: Sequence[Sequence[int]],
    types: Sequence[str] | None = None,
    *,
    window: int | None = None,
    in_order: bool = False,
    serial: Sequence[bool] | None = None,
) -> IlpWindow:
    """Return the spans of a trace, as a profile holds them; the arguments are those of `issue_cycles`."""
    cycles = issue_cycles(producers, window=window, in_order=in_order, serial=serial)
    return IlpWindow(
        window=np.inf if window is None else window,
        order="in" if in_order else "ooo",
        span=int(cycles.max(initial=-1)) + 1,
        spans={} if types is None else spans_by_type(cycles, types),
    )


def reuse_distances(addresses: Sequence[int] | np.ndarray, line_bytes: int = 1) -> np.ndarray:
    """Return for each access the distinct other lines touched since the last access to its line, or `COLD`.

    An access counts for the line of its first byte alone. O(n log n), by a tree of sums over the latest touches.
    """
    lines = np.asarray(addresses, dtype=np.int64) // line_bytes
    count = len(lines)
    tree = np.zeros(count + 1, dtype=np.int64)

    def add(place: int, value: int) -> None:
        place += 1
        while place <= count:
            tree[place] += value
            place += place & -place

    def upto(place: int) -> int:
        total, place = 0, place + 1
        while place:
            total += int(tree[place])
            place -= place & -place
        return total

    last: dict[int, int] = {}
    distances = np.full(count, COLD, dtype=np.int64)
    for place, line in enumerate(lines.tolist()):
        before = last.get(line)
        if before is not None:
            distances[place] = len(last) - upto(before)
            add(before, -1)
        add(place, 1)
        last[line] = place
    return distances


def reuse_histogram(addresses: Sequence[int] | np.ndarray, line_bytes: int) -> ReuseHistogram:
    """Return the reuse distances of a trace in the bins of a profile: 0, 1, (1, 2], (2, 4], (4, 8] and so on."""
    bins = Counter(_bin(int(d)) for d in reuse_distances(addresses, line_bytes) if d != COLD)
    distances = tuple(sorted(bins))
    return ReuseHistogram(line_bytes, len(addresses), distances, tuple(bins[d] for d in distances))


def _bin(distance: int) -> int:
    return distance if distance < 2 else 1 << (distance - 1).bit_length()


def heat_map(
    addresses: Sequence[int] | np.ndarray,
    sizes: Sequence[int] | np.ndarray | int,
    offsets: Sequence[int] | np.ndarray,
    lags: Sequence[int] | np.ndarray,
    *,
    as_printed: bool = False,
) -> np.ndarray:
    """Return the probability that an access touches a byte at an offset from an access some accesses earlier.

    Parameters
    ----------
    addresses, sizes : sequence of int
        First byte and bytes of each access.
    offsets : sequence of int
        Bytes between the two.
    lags : sequence of int
        Accesses between the two, at least 1.
    as_printed : bool
        Count ranges that only touch each other too, as the inequalities of Anghel 2017, Eq. 3.2 do.

    Returns
    -------
    ndarray
        A row per lag and a column per offset.
    """
    first = np.asarray(addresses, dtype=np.int64)
    size = np.broadcast_to(np.asarray(sizes, dtype=np.int64), first.shape)
    shift = np.asarray(offsets, dtype=np.int64)
    shares = np.zeros((len(lags), len(shift)))
    for row, lag in enumerate(lags):
        if not 1 <= lag < len(first):
            raise InputError(f"lag {lag}", allowed=f"1 to {len(first) - 1}")
        shares[row] = _share(first[:-lag], size[:-lag], first[lag:], size[lag:], shift, as_printed)
    return shares


def _share(a1: np.ndarray, n1: np.ndarray, a2: np.ndarray, n2: np.ndarray, shift: np.ndarray, closed: bool) -> Any:
    """Return for each shift s the share of pairs where [a1 + s, a1 + s + n1) meets [a2, a2 + n2)."""
    low, high = np.sort(a2 - a1 - n1), np.sort(a2 + n2 - a1)  # they meet for low < s < high, or low <= s <= high
    begun = np.searchsorted(low, shift, side="right" if closed else "left")
    ended = np.searchsorted(high, shift, side="left" if closed else "right")
    return (begun - ended) / len(a1)
