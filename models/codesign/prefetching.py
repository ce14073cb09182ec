"""Prefetching, as a component: what hardware that follows streams hides of the latencies of levels 2, 3 and memory.

The slot ``prefetching`` takes ``none`` (the published model: every line that is missed is waited for) or ``streams``. A
program that walks through memory misses half as often with lines twice as long; one that jumps misses as often. So the
share of the misses of a level that streams make is, from the curves for lines of 64 and 128 B,

    coverage = min(1, max(0, 2 (1 - m128 / m64)))

with m the misses of what lies above it (ours, a wager). A covered miss is as late as the level above. Both components
are a bracket: on one machine it held in 8 of 12 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.errors import InputError
from dse.models.codesign.points import each_point
from dse.models.processor.caches.caches import prefetched_latency
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of

__all__ = ["LINES", "coverage"]

LINES = (64.0, 128.0)
_WAGER = "ours: streams miss half as often with lines of 128 B as with lines of 64 B (a wager)"
_NONE: dict[str, Any] = {"slot": "prefetching", "provider": "none", "default": True}
_STREAMS: dict[str, Any] = {"slot": "prefetching", "provider": "streams"}


def coverage(misses_64: np.ndarray | float, misses_128: np.ndarray | float) -> np.ndarray:
    """Return the share of the misses of a level that streams make.

    Parameters
    ----------
    misses_64, misses_128 : float or array
        Share of the references that what lies above the level misses with lines of 64 and of 128 B.

    Examples
    --------
    >>> round(float(coverage(0.0843939, 0.0478846)), 6)
    0.865211
    """
    misses = np.greater(misses_64, 0.0)
    ratio = np.divide(misses_128, np.where(misses, misses_64, 1.0))
    return np.where(misses, np.minimum(1.0, np.maximum(0.0, 2.0 * (1.0 - ratio))), 0.0)


@quantities(
    gives={"prefetch_coverage_l2": "1", "prefetch_coverage_l3": "1", "prefetch_coverage_dram": "1"},
    source=_WAGER,
    points_only=True,
    **_STREAMS,
)
def coverages(profile, vector_width, l1_size, l2_size, l3_share, run_processes, problem_size, problem_size_2):
    """Share of the misses of level 1, level 2 and level 3 that streams make."""
    point = (run_processes, problem_size, problem_size_2)
    return each_point((profile,), point, _coverages, vector_width, l1_size, l2_size, l3_share)


@once_per_combination
def _coverages(profile, vector_width, l1_size, l2_size, l3_share):
    lines = {reuse.line for reuse in profile.only.data_reuse}
    if not {*map(int, LINES)} <= lines:
        raise InputError(
            f"'{profile.name}' has no reuse distances with lines of 64 and 128 B",
            key="use.prefetching",
            allowed='"none", or a profile recorded with --lines 64,128',
        )
    reuse = reuse_of(profile, vector_width)
    shares, before = [], dict.fromkeys(LINES, 1.0)
    for size in (l1_size, l2_size, l3_share):
        # A level that is missing, or smaller than those above, leaves what they miss.
        before = {line: np.minimum(before[line], 1.0 - level_hits(reuse, size, line)) for line in LINES}
        shares.append(coverage(before[64.0], before[128.0]))
    return tuple(shares)


@quantity(
    unit="1",
    name="l2_latency_cycles",
    source="the published model: no prefetching",
    beside=("streams",),
    **_NONE,
)
def waited_level_2(l2_latency_alone):
    """Cycles of an access that level 2 answers."""
    return l2_latency_alone * 1.0


@quantity(unit="1", name="l3_latency_cycles", source="the published model: no prefetching", **_NONE)
def waited_level_3(l3_latency_alone):
    """Cycles of an access that level 3 answers."""
    return l3_latency_alone * 1.0


@quantity(unit="1", name="dram_latency_cycles", source="the published model: no prefetching", **_NONE)
def waited_memory(dram_latency_alone):
    """Cycles of an access that the memory answers."""
    return dram_latency_alone * 1.0


@quantity(unit="1", name="l2_latency_cycles", source=_WAGER, beside=("none",), **_STREAMS)
def streamed_level_2(l2_latency_alone, l1_latency_cycles, prefetch_coverage_l2):
    """Cycles of an access that level 2 answers, less what prefetching hides."""
    return prefetched_latency(l2_latency_alone, l1_latency_cycles, prefetch_coverage_l2, np.inf)


@quantity(unit="1", name="l3_latency_cycles", source=_WAGER, **_STREAMS)
def streamed_level_3(l3_latency_alone, l2_latency_cycles, l1_latency_cycles, l2_size, prefetch_coverage_l3):
    """Cycles of an access that level 3 answers, less what prefetching hides."""
    above = np.where(np.greater(l2_size, 0.0), l2_latency_cycles, l1_latency_cycles)
    return prefetched_latency(l3_latency_alone, above, prefetch_coverage_l3, np.inf)


@quantity(unit="1", name="dram_latency_cycles", source=_WAGER, **_STREAMS)
def streamed_memory(
    dram_latency_alone,
    l3_latency_cycles,
    l2_latency_cycles,
    l1_latency_cycles,
    l2_size,
    l3_size,
    prefetch_coverage_dram,
):
    """Cycles of an access that the memory answers, less what prefetching hides."""
    private = np.where(np.greater(l2_size, 0.0), l2_latency_cycles, l1_latency_cycles)
    above = np.where(np.greater(l3_size, 0.0), l3_latency_cycles, private)
    return prefetched_latency(dram_latency_alone, above, prefetch_coverage_dram, np.inf)
