"""The caches of a machine under a program: hit fractions, accesses and latencies of every level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.authoring.memoise import distinct
from dse.models.processor.associativity import associative_hit_fraction
from dse.models.processor.behaviour import Behaviour
from dse.models.processor.caches import (
    accesses_beyond,
    cache_lines,
    clamped_hits,
    curve_for,
    dram_requests,
    hits_of_level,
    level_reach,
    prefetch_traffic,
    prefetched_latency,
)
from dse.models.processor.events import EventRates, Reuse
from dse.models.processor.machine import Machine

__all__ = ["INSTRUCTION_BYTES", "Hierarchy", "PrivateLevels", "cache_hierarchy", "instruction_hits", "level_hits"]
__all__ += ["private_levels"]

INSTRUCTION_BYTES = 4.0
"""Of an instruction in a cache: profiles count instructions in no machine's encoding (ours: as on RISC machines)."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Hit fractions, and what happens at each level per instruction.

    Attributes
    ----------
    l1_hit_fraction, l2_hit_fraction, l3_hit_fraction : float or array
        Of all accesses, up to this level.
    l1_accesses, l2_accesses, l3_accesses, dram_accesses : float or array
        Arriving at the level.
    l1_hits, l2_hits, l3_hits : float or array
        Answered by the level; the memory answers `dram_accesses`.
    l1_latency, l2_latency, l3_latency, dram_latency : float or array
        From the core, less what prefetching hides [cycles].
    l3_requests : float or array
        Accesses of level 3 with prefetches.
    dram_reads, dram_writes : float or array
        Lines.
    """

    l1_hit_fraction: Any
    l2_hit_fraction: Any
    l3_hit_fraction: Any
    l1_accesses: Any
    l2_accesses: Any
    l3_accesses: Any
    dram_accesses: Any
    l1_hits: Any
    l2_hits: Any
    l3_hits: Any
    l1_latency: Any
    l2_latency: Any
    l3_latency: Any
    dram_latency: Any
    l3_requests: Any
    dram_reads: Any
    dram_writes: Any

    @property
    def dram_requests(self) -> Any:
        """Lines read from and written to the memory."""
        return self.dram_reads + self.dram_writes


def level_hits(reuse: Reuse, reach_bytes: Any, line_bytes: Any, ways: Any = None) -> Any:
    """Return the hit fraction of a level that reaches so far.

    Parameters
    ----------
    reuse : Reuse
    reach_bytes, line_bytes : float or array
    ways : float or array, optional
        Lines per set; None or 0 is fully associative.
    """
    lines = cache_lines(reach_bytes, line_bytes)
    found = reuse.hits(lines, line_bytes)
    if ways is None or not np.any(np.greater(ways, 0.0)):
        return found

    def read(curves: Any) -> Any:
        sizes, place = distinct(line_bytes)
        chosen = [curve_for(curves, float(size)) for size in sizes]
        hits: Any = 0.0
        for curve in curves:
            here = np.array([one is curve for one in chosen])
            if here.any():
                hits = np.where(here[place], associative_hit_fraction(curve, lines, ways), hits)
        return hits

    return np.where(np.greater(ways, 0.0), reuse.each(read), found)


def instruction_hits(reuse: Reuse, size_bytes: Any, line_bytes: Any) -> Any:
    """Return the hit fraction of an instruction cache, from reuse distances that count lines of instructions."""
    return level_hits(reuse, size_bytes / INSTRUCTION_BYTES, line_bytes / INSTRUCTION_BYTES)


def _exclusive(machine: Machine, behaviour: Behaviour) -> tuple[Any, Any]:
    """Return whether levels 2 and 3 hold only what those above do not, as 0 and 1."""
    if behaviour.inclusion == "machine":
        return machine["l2_inclusion"], machine["l3_inclusion"]
    return (1.0 if behaviour.inclusion == "tool" else 0.0), 0.0


@dataclass(frozen=True, eq=False)
class PrivateLevels:
    """The caches a core has for itself: hit fractions up to levels 1 and 2, and the bytes both hold together."""

    l1_hit_fraction: Any
    l2_hit_fraction: Any
    reach_bytes: Any


def private_levels(rates: EventRates, machine: Machine, behaviour: Behaviour) -> PrivateLevels:
    """Return what the caches that a core has for itself answer."""
    l1, l2 = machine["l1_size_bytes"], machine["l2_size_bytes"]
    if behaviour.shared_first_levels:
        l1, l2 = l1 / machine.core_share, l2 / machine.core_share
    l2_exclusive, _ = _exclusive(machine, behaviour)
    reach = np.where(np.greater(l2, 0.0), level_reach(l2, l1, l2_exclusive), l1)
    found = level_hits(rates.data_reuse, l1, machine["l1_line_bytes"], _ways("l1", machine, behaviour))
    h1 = np.where(np.greater(l1, 0.0), found, 0.0)
    found = level_hits(rates.data_reuse, reach, machine["l2_line_bytes"], _ways("l2", machine, behaviour))
    h2 = np.where(np.greater(l2, 0.0), clamped_hits(found, h1) if behaviour.clamped else found, h1)
    return PrivateLevels(h1, h2, reach)


def _ways(level: str, machine: Machine, behaviour: Behaviour) -> Any:
    return machine.get(f"{level}_ways") if behaviour.associativity else None


def cache_hierarchy(
    rates: EventRates, machine: Machine, behaviour: Behaviour, private: PrivateLevels | None = None
) -> Hierarchy:
    """Return what happens at every level of a machine's caches.

    Parameters
    ----------
    rates : EventRates
    machine : Machine
        Its level 3 is what one thread has of it.
    behaviour : Behaviour
    private : PrivateLevels, optional
        What `private_levels` gives, where it is known already.
    """
    private = private_levels(rates, machine, behaviour) if private is None else private
    h1, h2, l3 = private.l1_hit_fraction, private.l2_hit_fraction, machine["l3_size_bytes"]
    _, l3_exclusive = _exclusive(machine, behaviour)
    l3_reach = level_reach(l3, private.reach_bytes, l3_exclusive)
    found = level_hits(rates.data_reuse, l3_reach, machine["l3_line_bytes"], _ways("l3", machine, behaviour))
    h3 = np.where(np.greater(l3, 0.0), clamped_hits(found, h2) if behaviour.clamped else found, h2)

    f1 = rates.memory_fraction
    f2, f3, fd = (accesses_beyond(f1, hits) for hits in (h1, h2, h3))
    served = [hits_of_level(f1, f2), hits_of_level(f2, f3), hits_of_level(f3, fd)]
    if behaviour.clamped:  # they are not negative at any point; this says so of ranges too
        served = [np.maximum(hits, 0.0) for hits in served]
    latencies, requests = [machine["l1_latency"]], {}
    arriving = {"l2": f2, "l3": f3, "dram": fd}
    for level in ("l2", "l3", "dram"):
        latency, traffic = machine[f"{level}_latency"], arriving[level]
        if behaviour.prefetching:
            coverage, lead = machine[f"{level}_prefetch_coverage"], machine[f"{level}_prefetch_lead"]
            latency = prefetched_latency(latency, latencies[-1], coverage, lead)
            traffic = prefetch_traffic(traffic, coverage, machine[f"{level}_prefetch_accuracy"])
        latencies.append(latency)
        requests[level] = traffic
    dirty = machine.get("dram_dirty_fraction")
    reads, writes = dram_requests(requests["dram"], rates.store_share, behaviour.write_policy, dirty)
    return Hierarchy(
        l1_hit_fraction=h1,
        l2_hit_fraction=h2,
        l3_hit_fraction=h3,
        l1_accesses=f1,
        l2_accesses=f2,
        l3_accesses=f3,
        dram_accesses=fd,
        l1_hits=served[0],
        l2_hits=served[1],
        l3_hits=served[2],
        l1_latency=latencies[0],
        l2_latency=latencies[1],
        l3_latency=latencies[2],
        dram_latency=latencies[3],
        l3_requests=requests["l3"],
        dram_reads=reads,
        dram_writes=writes,
    )
