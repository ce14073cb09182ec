r"""Processor model of independent events: execution, cache misses, hits and branches add up, nothing overlaps.

Anghel 2017, Section 4.2.1, Eqs. 4.1 to 4.7, after Stanley-Marbell. Parallelism by type divides the instructions of a
type by the span of the program. Latencies count from the core, so misses cost differences of latencies (the printed
sums are right for increments, and Table 4.3 mixes both). Results are cycles per instruction.
"""

from __future__ import annotations

import numpy as np

from dse.models.processor.behaviour import Behaviour
from dse.models.processor.bounds import full_window_cycles, issue_bound
from dse.models.processor.events import EventRates
from dse.models.processor.hierarchy import Hierarchy
from dse.models.processor.interaction import Cycles
from dse.models.processor.machine import Machine
from dse.models.processor.ratios import per_unit

__all__ = ["BRANCH_MISS_RATE", "branch_refill_cycles", "dram_miss_cycles", "execution_cycles", "first_hit_cycles"]
__all__ += ["independent_cycles", "instruction_miss_cycles", "l1_miss_cycles", "l2_miss_cycles", "level_latency"]
__all__ += ["parallelism_bound", "unit_share_bound"]

BRANCH_MISS_RATE = 0.03
"""Mispredictions per control instruction (Anghel 2017, Section 4.2.1)."""


def parallelism_bound(*ilp):
    """Cycles per instruction if every instruction that is ready executes; `ilp` is the parallelism by type."""
    ready = ilp[0]
    for one in ilp[1:]:
        ready = ready + one
    return 1.0 / ready


def unit_share_bound(ilp, units, parallelism_bound):
    """Cycles per instruction that the units of one type allow while it keeps its share of the ready instructions.

    The mix of what executes is that of what is ready, so the scarcest units slow all types: with
    ``S = max ILP_x / min(units_x, ILP_x)``, ``n = min(issue width, sum ILP_x / S)`` is the least of all bounds.
    """
    return per_unit(ilp, units) * parallelism_bound


def execution_cycles(*bounds):
    """Cycles of execution with all data at hand, 1/n, Eq. 4.1: the greatest of the bounds."""
    return full_window_cycles(*bounds)


def level_latency(latency, size_bytes, otherwise):
    """Latency of a level, or that of another where the machine lacks it.

    Without level 2, misses of level 1 cost the latency of level 3; without level 3, misses of the level above wait for
    the memory at once.
    """
    return np.where(np.greater(size_bytes, 0.0), latency, otherwise)


def first_hit_cycles(memory_fraction, l1_hit_fraction, l1_latency):
    """Cycles of hits in level 1, Eq. 4.4."""
    return l1_latency * memory_fraction * l1_hit_fraction


def l1_miss_cycles(memory_fraction, l1_hit_fraction, l2_latency):
    """Cycles of misses in level 1, Eq. 4.2."""
    return l2_latency * memory_fraction * (1.0 - l1_hit_fraction)


def l2_miss_cycles(memory_fraction, l2_hit_fraction, l2_latency, l3_latency):
    """Further cycles of misses in level 2."""
    return (l3_latency - l2_latency) * memory_fraction * (1.0 - l2_hit_fraction)


def dram_miss_cycles(memory_fraction, l3_hit_fraction, l3_latency, dram_latency, rob, execution_cycles):
    """Further cycles of misses in the last level, Eq. 4.3, less what the reorder buffer hides; at least 0.

    The printed equation becomes negative where the buffer hides all.
    """
    waited = np.maximum((dram_latency - l3_latency) - rob * execution_cycles, 0.0)
    return waited * memory_fraction * (1.0 - l3_hit_fraction)


def instruction_miss_cycles(instruction_hit_fraction, l2_latency):
    """Cycles of instruction fetches that miss level 1, Eq. 4.5."""
    return l2_latency * (1.0 - instruction_hit_fraction)


def branch_refill_cycles(control_fraction, front_pipe, miss_rate):
    """Cycles of refilling the front end, Eq. 4.6."""
    return control_fraction * front_pipe * miss_rate


def independent_cycles(
    rates: EventRates,
    caches: Hierarchy,
    machine: Machine,
    behaviour: Behaviour,
    *,
    instruction_hits=None,
    branch_miss_rate=BRANCH_MISS_RATE,
) -> Cycles:
    """Return cycles per instruction of one thread.

    Parameters
    ----------
    rates : EventRates
    caches : Hierarchy
    machine : Machine
    behaviour : Behaviour
    instruction_hits : float or array, optional
        Hit fraction of the instruction cache; without it instructions always hit.
    branch_miss_rate : float or array
        Mispredictions per control instruction.

    Returns
    -------
    Cycles
        Stack: execution, l1 misses, l2 misses, l3 misses, l1 hits, instruction misses, branches. Bounds are those of
        execution.
    """
    l2, l3 = machine["l2_size_bytes"], machine["l3_size_bytes"]
    l2_latency = level_latency(caches.l2_latency, l2, level_latency(caches.l3_latency, l3, caches.l1_latency))
    l3_latency = level_latency(caches.l3_latency, l3, l2_latency)
    memory = caches.l1_accesses
    units = {
        "integer units": (rates.common_integer_ilp, machine["fu_int"]),
        "float units": (rates.common_float_ilp, machine["fu_fp"]),
        "memory units": (rates.common_memory_ilp, machine["fu_mem"]),
        "control units": (rates.common_control_ilp, machine["fu_control"]),
    }
    ready = parallelism_bound(*(ilp for ilp, _ in units.values()))
    bounds = {"issue width": issue_bound(machine["issue_width"], 1.0), "parallelism": ready}
    bounds |= {name: unit_share_bound(ilp, count, ready) for name, (ilp, count) in units.items()}
    executed = execution_cycles(*bounds.values())
    rob = np.where(np.greater(machine["in_order"], 0.0), 0.0, machine["rob"])
    fetches = 0.0 * caches.l1_hit_fraction
    if instruction_hits is not None:
        fetches = instruction_miss_cycles(instruction_hits, l2_latency)
    stack = {
        "execution": executed,
        "l1 misses": l1_miss_cycles(memory, caches.l1_hit_fraction, l2_latency),
        "l2 misses": l2_miss_cycles(memory, caches.l2_hit_fraction, l2_latency, l3_latency),
        "l3 misses": dram_miss_cycles(memory, caches.l3_hit_fraction, l3_latency, caches.dram_latency, rob, executed),
        "l1 hits": first_hit_cycles(memory, caches.l1_hit_fraction, caches.l1_latency),
        "instruction misses": fetches,
        "branches": branch_refill_cycles(rates.control_fraction, machine["front_pipe"], branch_miss_rate),
    }
    cpi = stack["execution"]
    for name in list(stack)[1:]:
        cpi = cpi + stack[name]
    return Cycles(cpi, stack, bounds)
