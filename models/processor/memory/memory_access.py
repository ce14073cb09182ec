"""Where the accesses of a thread end, as quantities: hit fractions, accesses per level, latencies in cycles.

Anghel 2017, Section 4.2 (Eqs. 4.2 to 4.4) and the published tool, corrected: exact counts, per-level inclusion, hit
fractions that do not fall from level to level, latencies of level 3 and of the memory fixed in time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.models.processor.caches.caches import curve_for, level_reach
from dse.models.processor.program.behaviour import CORRECTED
from dse.models.processor.program.events import Reuse, data_curves
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of
from dse.models.sources import ANGHEL_2017

__all__ = ["answered"]

_HITS = f"{ANGHEL_2017}, Eq. 4.2 and Section 3.3.3 (least recently used), exact counts"
_ONE: dict[str, Any] = {"slot": "programs", "provider": "one", "default": True}


@quantity(unit="1", name="threads_per_core", source="one thread per core", **_ONE)
def threads_of_one_per_core(threads, cores):
    """Threads of the program per core."""
    return threads / cores


@quantity(unit="1", source="one thread per core", valid={"threads_per_core": (0.0, 1.0)}, **_ONE)
def running_threads(threads, cores, threads_per_core):
    """Threads that run at the same time: one per core at most; the time of those that wait is not modelled."""
    return np.minimum(threads, cores)


@quantity(unit="B", source=f"{ANGHEL_2017}, Section 4.2.3: equal threads share level 3 equally", **_ONE)
def l3_share(l3_size, running_threads):
    """Level 3 that one thread has."""
    return l3_size / running_threads


@quantity(
    unit="B/s", source=f"{ANGHEL_2017}, Section 4.2.3: equal threads share the memory's bandwidth equally", **_ONE
)
def dram_bandwidth_share(dram_bandwidth, running_threads):
    """Bandwidth of the memory that one thread has."""
    return dram_bandwidth / running_threads


@quantity(unit="1", source="ours: distances count lines, so other lines have other distances", points_only=True)
@once_per_combination
def line_mismatch(profile, cache_line):
    """How many times longer or shorter the lines of the caches are than the nearest ones of the profile."""
    sizes = np.asarray(cache_line, dtype=float)
    curves = data_curves(profile.only, CORRECTED)
    nearest = np.array([curve_for(curves, size).line_bytes for size in sizes.ravel().tolist()]).reshape(sizes.shape)
    return np.maximum(sizes / nearest, nearest / sizes)


def answered(
    reuse: Reuse, size: np.ndarray, reach: np.ndarray, line_bytes: np.ndarray, lines_per_set: np.ndarray
) -> np.ndarray:
    """Return the share of the accesses that a level answers with what it adds to; 0 where there is none."""
    return np.where(np.greater(size, 0.0), level_hits(reuse, reach, line_bytes, lines_per_set), 0.0)


@once_per_combination
def _answered(profile, vector_width, size, size_above, exclusive, cache_line, lines_per_set):
    reach = level_reach(size, size_above, exclusive)
    return answered(reuse_of(profile, vector_width), size, reach, cache_line, lines_per_set)


@quantity(unit="1", source=_HITS, valid={"line_mismatch": (1.0, 1.0)}, points_only=True)
def l1_hit_fraction(profile, vector_width, l1_size, cache_line, l1_lines_per_set, line_mismatch):
    """Share of the accesses that level 1 answers."""
    return _answered(profile, vector_width, l1_size, 0.0, 0.0, cache_line, l1_lines_per_set)


@quantity(unit="1", source=_HITS, points_only=True)
def l2_hit_fraction(
    profile, vector_width, l1_size, l2_size, l2_exclusive, l1_hit_fraction, cache_line, l2_lines_per_set
):
    """Share of the accesses that the levels up to 2 answer."""
    in_both = _answered(profile, vector_width, l2_size, l1_size, l2_exclusive, cache_line, l2_lines_per_set)
    return np.maximum(in_both, l1_hit_fraction)


@quantity(unit="1", source="ours: a level 3 smaller than the levels above holds little that they do not")
def l3_share_over_private(l3_share, l1_size, l2_size):
    """Level 3 of a thread over the caches of its core; 1 where there is no level 3."""
    return np.where(np.greater(l3_share, 0.0), l3_share / (l1_size + l2_size), 1.0)


@quantity(unit="1", source=_HITS, valid={"l3_share_over_private": (1.0, np.inf)}, points_only=True)
def l3_hit_fraction(
    profile, vector_width, l3_share, l2_hit_fraction, cache_line, l3_lines_per_set, l3_share_over_private
):
    """Share of the accesses that the levels up to 3 answer."""
    in_both = _answered(profile, vector_width, l3_share, 0.0, 0.0, cache_line, l3_lines_per_set)
    return np.maximum(in_both, l2_hit_fraction)


@quantities(
    gives={"l2_accesses": "1", "l3_accesses": "1", "dram_accesses": "1"},
    source=f"{ANGHEL_2017}, Section 4.2.1",
)
def accesses(memory_fraction, l1_hit_fraction, l2_hit_fraction, l3_hit_fraction):
    """Accesses per instruction that arrive at level 2, at level 3 and at the memory."""
    return (
        memory_fraction * (1.0 - l1_hit_fraction),
        memory_fraction * (1.0 - l2_hit_fraction),
        memory_fraction * (1.0 - l3_hit_fraction),
    )


@quantities(gives={"l1_hits": "1", "l2_hits": "1", "l3_hits": "1"}, source=f"{ANGHEL_2017}, Section 4.2.1")
def hits(memory_fraction, l2_accesses, l3_accesses, dram_accesses):
    """Accesses per instruction that each level answers."""
    return (
        np.maximum(memory_fraction - l2_accesses, 0.0),
        np.maximum(l2_accesses - l3_accesses, 0.0),
        np.maximum(l3_accesses - dram_accesses, 0.0),
    )


@quantity(
    unit="1", source=f"{ANGHEL_2017}, Table 4.2: latencies are from the core, so none is below that of a level above"
)
def latency_out_of_order(
    l1_latency_cycles, l2_latency_cycles, l3_latency_cycles, dram_latency, frequency, l2_size, l3_size
):
    """Cycles by which a level is later than one below it: latencies given as increments, or a clock too slow for them.

    At a slow clock, a level whose latency is a time may come out before one whose latency is cycles.
    """
    second = np.where(np.greater(l2_size, 0.0), l2_latency_cycles, l1_latency_cycles)
    third = np.where(np.greater(l3_size, 0.0), l3_latency_cycles, second)
    later = np.maximum(np.maximum(l1_latency_cycles - second, second - third), third - dram_latency * frequency)
    return np.maximum(later, 0.0)


@quantity(
    unit="1", source=f"{ANGHEL_2017}, Table 4.2 at a fixed time (corrected: the printed cycles do not follow the clock)"
)
def l3_latency_cycles(l3_latency, frequency):
    """Cycles of an access that level 3 answers."""
    return l3_latency * frequency
