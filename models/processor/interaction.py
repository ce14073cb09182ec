"""Processor model of interacting events: bounds of a full window, stalls, dispatch and bandwidth, branches.

After Anghel 2017, Section 4.2.3, and Jongerius et al. 2018. Cycles per instruction are put together here from the
quantities of `event_sums`, `bounds`, `stalls`, `in_order` and `throughput`; all of it works on numbers, arrays and
ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Range
from dse.models.processor import bounds as bound
from dse.models.processor import stalls as stall
from dse.models.processor.behaviour import Behaviour
from dse.models.processor.event_sums import (
    address_cycles,
    control_cycles,
    float_cycles,
    integer_cycles,
    memory_cycles,
    miss_cycles,
)
from dse.models.processor.events import EventRates
from dse.models.processor.hierarchy import Hierarchy
from dse.models.processor.in_order import event_chance, hidden_cycles, in_order_stalls, mean_excess
from dse.models.processor.machine import Machine
from dse.models.processor.throughput import (
    bandwidth_bound,
    branch_cycles,
    dispatch_bound,
    misprediction_rate,
    stalled_cycles,
)

__all__ = ["FULL_WINDOW", "LATER", "Cycles", "interaction_cycles"]

FULL_WINDOW = (
    *("issue width", "miss registers", "parallelism", "integer parallelism", "memory parallelism"),
    *("control parallelism", "float parallelism", "memory units", "integer units", "float units", "control units"),
    "vector units",
)
"""Bounds of a full window."""

LATER = ("dispatch width", "l1 bandwidth", "l3 bandwidth", "dram bandwidth")
"""Bounds that hold whatever the window."""


@dataclass(frozen=True, eq=False)
class Cycles:
    """Cycles per instruction and their parts.

    Attributes
    ----------
    cpi : float or array
    stack : dict of str to (float or array)
        Parts that add up to `cpi`.
    bounds : dict of str to (float or array)
        Least cycles per instruction that each resource allows.
    """

    cpi: Any
    stack: dict[str, Any]
    bounds: dict[str, Any]


def interaction_cycles(rates: EventRates, caches: Hierarchy, machine: Machine, behaviour: Behaviour) -> Cycles:
    """Return cycles per instruction of one thread.

    Parameters
    ----------
    rates : EventRates
    caches : Hierarchy
    machine : Machine
        Its memory bandwidth is what one thread has of it.
    behaviour : Behaviour

    Returns
    -------
    Cycles
        Stack: base (a full window), issue queue, reorder buffer, dispatch, bandwidth, branches. On an in-order core
        the stalls are those of the issue queue.
    """
    share = machine.core_share
    queue, buffer = machine["issue_queue"] / share, machine["rob"] / share
    found = full_window_bounds(rates, caches, machine, behaviour)
    base = bound.full_window_cycles(*found.values())
    queue_stalls, buffer_stalls = _stalls(rates, caches, machine, behaviour, base, queue, buffer)
    stalled = stalled_cycles(base, queue_stalls, buffer_stalls)
    clock, line = machine["f_core_hz"], machine["l3_line_bytes"]
    later = {
        "dispatch width": dispatch_bound(machine["dispatch_width"], share),
        "l1 bandwidth": bandwidth_bound(caches.l1_accesses, rates.access_bytes, machine["bw_l1_Bps"], clock),
        "l3 bandwidth": bandwidth_bound(caches.l3_requests, line, machine["bw_l3_Bps"], clock),
        "dram bandwidth": bandwidth_bound(caches.dram_requests, line, machine["dram_bandwidth_Bps"], clock),
    }
    dispatched = np.maximum(stalled, later["dispatch width"])
    steady = dispatched
    for name in LATER[1:]:
        steady = np.maximum(steady, later[name])
    factor, most = machine["branch_factor"], 0.5
    if behaviour.branch_factor is not None:
        factor, most = behaviour.branch_factor, np.inf
    missed = misprediction_rate(rates.branch_miss_estimate, factor, most)
    branches = branch_cycles(rates.control_fraction, missed, machine["front_pipe"], share, queue, steady)
    stack = {
        "base": base,
        "issue queue": queue_stalls,
        "reorder buffer": buffer_stalls,
        "dispatch": dispatched - stalled,
        "bandwidth": steady - dispatched,
        "branches": branches,
    }
    return Cycles(steady + branches, stack, {**found, **later})


def full_window_bounds(rates: EventRates, caches: Hierarchy, machine: Machine, behaviour: Behaviour) -> dict[str, Any]:
    """Return the least cycles per instruction that each resource allows to a full window, by `FULL_WINDOW`."""
    share = machine.core_share
    missed = miss_cycles(
        caches.l2_hits,
        caches.l3_hits,
        caches.dram_accesses,
        caches.l2_latency,
        caches.l3_latency,
        caches.dram_latency,
    )
    memory = memory_cycles(caches.l1_hits, caches.l1_latency, missed)
    integer = integer_cycles(
        rates.integer_fraction if behaviour.all_latencies else rates.integer_arithmetic_fraction,
        rates.integer_multiply_fraction,
        rates.integer_divide_fraction,
        machine["t_int"],
        machine["t_int_mul"],
        machine["t_int_div"],
    )
    floating = float_cycles(
        rates.float_fraction,
        rates.float_multiply_fraction,
        rates.float_divide_fraction,
        machine["t_fp"],
        machine["t_fp_mul"],
        machine["t_fp_div"],
    )
    control = control_cycles(rates.control_fraction)
    addresses = address_cycles(rates.address_fraction, machine["t_int"])
    if behaviour.all_latencies:
        addresses = addresses + control
    vector_share = share if behaviour.divided == "all" else 1.0
    values = (
        bound.issue_bound(machine["issue_width"], share),
        bound.miss_register_bound(missed, machine["mshr"], share),
        bound.ilp_bound(memory, integer, addresses, floating, rates.ilp),
        bound.typed_ilp_bound(integer, rates.integer_ilp),
        bound.typed_ilp_bound(memory, rates.memory_ilp),
        bound.typed_ilp_bound(control, rates.control_ilp),
        bound.typed_ilp_bound(floating, rates.float_ilp),
        bound.unit_bound(rates.memory_fraction, machine["fu_mem"], share),
        bound.unit_bound(rates.scalar_integer_fraction, machine["fu_int"], share),
        bound.unit_bound(rates.scalar_float_fraction, machine["fu_fp"], share),
        bound.unit_bound(rates.control_fraction, machine["fu_control"], share),
        bound.vector_unit_bound(rates.vector_fraction, machine["fu_vector"], machine["vector_bits"], vector_share),
    )
    return dict(zip(FULL_WINDOW, values, strict=True))


def _stalls(
    rates: EventRates, caches: Hierarchy, machine: Machine, behaviour: Behaviour, base: Any, queue: Any, buffer: Any
) -> tuple[Any, Any]:
    """Return the stalls of the issue queue and of the reorder buffer."""
    in_order = machine["in_order"]
    if isinstance(in_order, Range):
        never, always = bool(np.all(in_order.high == 0.0)), bool(np.all(in_order.low == 1.0))
    else:
        never, always = bool(np.all(in_order == 0.0)), bool(np.all(in_order == 1.0))
    if always:
        return _in_order(rates, caches, machine, base), 0.0 * base
    found = _out_of_order(rates, caches, machine, behaviour, base, queue, buffer)
    if never:
        return found
    inside = np.greater(in_order, 0.0)
    return np.where(inside, _in_order(rates, caches, machine, base), found[0]), np.where(inside, 0.0, found[1])


def _out_of_order(
    rates: EventRates, caches: Hierarchy, machine: Machine, behaviour: Behaviour, base: Any, queue: Any, buffer: Any
) -> tuple[Any, Any]:
    least = 0.0 if behaviour.clamped else -np.inf
    overlap = buffer if behaviour.divided == "all" else machine["rob"]
    h3, hd, t3, td = caches.l3_hits, caches.dram_accesses, caches.l3_latency, caches.dram_latency
    entries = stall.buffer_entries_in_use(buffer, rates.ilp, base, hd, td)
    buffer_full = stall.buffer_fill_cycles(entries, base, least)
    queue_full = stall.queue_fill_cycles(queue, rates.ilp, base, h3, hd, t3, td)
    waiting = stall.queue_stalls(buffer_full, queue_full, base, h3, t3, overlap)
    filled = stall.buffer_stalls(entries, buffer_full, queue_full, waiting, base, h3, hd, t3, td, overlap, least)
    return waiting, filled


def _in_order(rates: EventRates, caches: Hierarchy, machine: Machine, base: Any) -> Any:
    simple = (
        rates.integer_fraction
        + rates.address_fraction
        - rates.integer_multiply_fraction
        - rates.integer_divide_fraction
    )
    simple_float = rates.float_fraction - rates.float_multiply_fraction - rates.float_divide_fraction
    events = (
        (caches.l1_latency, caches.l1_hits),
        (caches.l2_latency, caches.l2_hits),
        (caches.l3_latency, caches.l3_hits),
        (caches.dram_latency, caches.dram_accesses),
        (machine["t_int_mul"], rates.integer_multiply_fraction),
        (machine["t_int_div"], rates.integer_divide_fraction),
        (machine["t_int"], simple),
        (machine["t_fp_mul"], rates.float_multiply_fraction),
        (machine["t_fp_div"], rates.float_divide_fraction),
        (machine["t_fp"], simple_float),
    )
    latencies = (latency for latency, _ in events)
    chances = (event_chance(fraction, rates.ilp) for _, fraction in events)
    return in_order_stalls(mean_excess(hidden_cycles(rates.ilp, base), *latencies, *chances), rates.ilp)
