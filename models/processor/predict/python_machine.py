"""What a machine in Python has and a study has not, as functions in place of those of the same name.

Lines of a size for each level, a level 3 that holds only what the levels above do not, prefetching, stores, cores of
both orders in one array, mispredictions as the caller says. Studies see none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantities, quantity
from dse.models.processor.caches.caches import level_reach, prefetch_traffic, prefetched_latency
from dse.models.processor.core import stalls, throughput
from dse.models.processor.memory.memory_access import answered
from dse.models.processor.sharing.sharing import loaded_latency

__all__ = ["AHEAD", "EITHER_ORDER", "EVERY_MACHINE", "QUEUEING", "either_order", "latency_in_use", "rewired"]

_SOURCE = "the caller"
EITHER_ORDER = "either"
"""Component of the slot ``core_order`` for arrays of cores of both orders."""


def rewired(function: ModelFunction, **names: str) -> ModelFunction:
    """Return a function that reads other quantities in place of some of its own."""
    return replace(function, needs=tuple(names.get(need, need) for need in function.needs))


# ---- hit fractions ---------------------------------------------------------------------------------------------------


@quantity(unit="1", source=_SOURCE)
def l1_hit_fraction(data_reuse, l1_size, l1_line, l1_lines_per_set):
    """Share of the accesses that level 1 answers."""
    return answered(data_reuse, l1_size, l1_size, l1_line, l1_lines_per_set)


@quantity(unit="1", source=_SOURCE)
def l2_answered(data_reuse, l1_size, l2_size, l2_exclusive, l2_line, l2_lines_per_set):
    """Share of the accesses that level 2 answers with what it adds to; 0 where there is none."""
    return answered(data_reuse, l2_size, level_reach(l2_size, l1_size, l2_exclusive), l2_line, l2_lines_per_set)


@quantity(unit="1", source=_SOURCE)
def l2_hit_fraction(l2_answered, l1_hit_fraction):
    """Share of the accesses that the levels up to 2 answer."""
    return np.maximum(l2_answered, l1_hit_fraction)


@quantity(unit="B", source=_SOURCE)
def private_reach(l1_size, l2_size, l2_exclusive):
    """Bytes that the levels above level 3 hold together."""
    return np.where(np.greater(l2_size, 0.0), level_reach(l2_size, l1_size, l2_exclusive), l1_size)


@quantity(unit="1", source=_SOURCE)
def l3_answered(data_reuse, l3_share, private_reach, l3_exclusive, l3_line, l3_lines_per_set):
    """Share of the accesses that level 3 answers with what it adds to; 0 where there is none."""
    return answered(data_reuse, l3_share, level_reach(l3_share, private_reach, l3_exclusive), l3_line, l3_lines_per_set)


@quantity(unit="1", source=_SOURCE)
def l3_hit_fraction(l3_answered, l2_hit_fraction):
    """Share of the accesses that the levels up to 3 answer."""
    return np.maximum(l3_answered, l2_hit_fraction)


# ---- stores and mispredictions ---------------------------------------------------------------------------------------


@quantity(unit="1", source=_SOURCE)
def l3_requests(l3_accesses):
    """Accesses of level 3, with prefetches: none here."""
    return l3_accesses


@quantity(unit="1", source=_SOURCE)
def lines_missed(dram_accesses):
    """Lines that miss every level, with prefetches: none here."""
    return dram_accesses


_MEMORY_LINES = {"dram_reads": "1", "dram_writes": "1", "dram_requests": "1"}


@quantities(gives=_MEMORY_LINES, source=_SOURCE, slot="write_policy", provider="published")
def missing_stores_write(lines_missed, store_share):
    """Lines read from the memory, written to it, and both: a store that misses is one write."""
    reads, writes = lines_missed * (1.0 - store_share), lines_missed * store_share
    return reads, writes, reads + writes


@quantities(gives=_MEMORY_LINES, source=_SOURCE, slot="write_policy", provider="write_allocate")
def missing_stores_allocate(lines_missed, dram_dirty_fraction):
    """Lines read from the memory, written to it, and both: a miss reads a line, written back if it was changed."""
    reads, writes = lines_missed * 1.0, lines_missed * dram_dirty_fraction
    return reads, writes, reads + writes


@quantity(unit="1", source=_SOURCE)
def branch_refill_cycles(control_fraction, front_end_stages, branch_miss_rate):
    """Cycles per instruction of refilling the front end."""
    return control_fraction * front_end_stages * branch_miss_rate


EVERY_MACHINE = (
    *(l1_hit_fraction, l2_answered, l2_hit_fraction, private_reach, l3_answered, l3_hit_fraction),
    *(l3_requests, lines_missed, missing_stores_write, missing_stores_allocate, branch_refill_cycles),
    rewired(throughput.l3_bandwidth_bound, l3_accesses="l3_requests"),
    rewired(throughput.dram_bandwidth_bound, dram_accesses="dram_requests"),
)


# ---- latency of the memory, and prefetching --------------------------------------------------------------------------


_LATENCY: dict[str, Any] = {"name": "idle_latency", "slot": "dram_queueing", "provider": "none", "default": True}
"""Of what gives the latency of the memory, in place of what does so in a study."""


@quantity(unit="1", source=_SOURCE, name="dram_latency_alone")
def latency_in_use(dram_latency_idle, frequency, dram_utilisation, cache_line, dram_bandwidth):
    """Cycles of an access that the memory answers, with the waiting behind other lines."""
    return loaded_latency(dram_latency_idle, dram_utilisation, cache_line, dram_bandwidth, frequency)


QUEUEING = replace(latency_in_use, gives={"dram_latency_cycles": "1"}, **_LATENCY)
"""The latency of a memory in use where nothing is prefetched."""


@quantity(unit="1", source=_SOURCE)
def l2_latency_cycles(l2_latency_alone, l1_latency_cycles, l2_prefetch_coverage, l2_prefetch_lead):
    """Cycles of an access that level 2 answers, less what prefetching hides."""
    return prefetched_latency(l2_latency_alone, l1_latency_cycles, l2_prefetch_coverage, l2_prefetch_lead)


@quantity(unit="1", source=_SOURCE)
def l3_latency_cycles(l3_latency_alone, l2_latency_cycles, l3_prefetch_coverage, l3_prefetch_lead):
    """Cycles of an access that level 3 answers, less what prefetching hides."""
    return prefetched_latency(l3_latency_alone, l2_latency_cycles, l3_prefetch_coverage, l3_prefetch_lead)


@quantity(unit="1", source=_SOURCE)
def dram_latency_cycles(dram_latency_alone, l3_latency_cycles, dram_prefetch_coverage, dram_prefetch_lead):
    """Cycles of an access that the memory answers, less what prefetching hides."""
    return prefetched_latency(dram_latency_alone, l3_latency_cycles, dram_prefetch_coverage, dram_prefetch_lead)


@quantity(unit="1", source=_SOURCE, name="l3_requests")
def l3_requests_ahead(l3_accesses, l3_prefetch_coverage, l3_prefetch_accuracy):
    """Accesses of level 3, with prefetches."""
    return prefetch_traffic(l3_accesses, l3_prefetch_coverage, l3_prefetch_accuracy)


@quantity(unit="1", source=_SOURCE, name="lines_missed")
def lines_missed_ahead(dram_accesses, dram_prefetch_coverage, dram_prefetch_accuracy):
    """Lines that miss every level, with prefetches."""
    return prefetch_traffic(dram_accesses, dram_prefetch_coverage, dram_prefetch_accuracy)


AHEAD = (
    *(l2_latency_cycles, l3_latency_cycles, replace(dram_latency_cycles, **_LATENCY)),
    *(replace(l3_requests_ahead, name="l3_requests"), replace(lines_missed_ahead, name="lines_missed")),
)


# ---- cores of both orders --------------------------------------------------------------------------------------------


def either_order(out_of_order: ModelFunction) -> ModelFunction:
    """Return the function that gives the stalls of arrays of cores, some of which issue in order."""
    strict = stalls.strict_order_stalls
    needs = tuple(dict.fromkeys(("in_order", *out_of_order.needs, *strict.needs)))

    def called(*given: Any) -> Any:
        values: Mapping[str, Any] = dict(zip(needs, given, strict=True))
        inside = np.greater(values["in_order"], 0.0)
        first, other = (function(*(values[need] for need in function.needs)) for function in (strict, out_of_order))
        return np.where(inside, first[0], other[0]), np.where(inside, first[1], other[1])

    return replace(
        out_of_order, name="stalls_of_either_order", function=called, needs=needs, provider=EITHER_ORDER, default=False
    )
