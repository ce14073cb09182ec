"""Where the published tool differs, and what a `Behaviour` switches on: functions for others of the same name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantities, quantity
from dse.models.processor.core.full_window import INTERACTION, integer_cycles, spread
from dse.models.processor.core.stalls import out_of_order_stalls, window_stalls
from dse.models.processor.predict.python_machine import rewired
from dse.models.processor.program.behaviour import Behaviour

__all__ = ["switched"]


@quantity(unit="1", source=INTERACTION)
def l2_hit_fraction(l2_answered, l2_size, l1_hit_fraction):
    """Share of the accesses that the levels up to 2 answer; a level may answer less than the one above."""
    return np.where(np.greater(l2_size, 0.0), l2_answered, l1_hit_fraction)


@quantity(unit="1", source=INTERACTION)
def l3_hit_fraction(l3_answered, l3_share, l2_hit_fraction):
    """Share of the accesses that the levels up to 3 answer; a level may answer less than the one above."""
    return np.where(np.greater(l3_share, 0.0), l3_answered, l2_hit_fraction)


@quantities(gives={"l1_hits": "1", "l2_hits": "1", "l3_hits": "1"}, source=INTERACTION)
def hits(memory_fraction, l2_accesses, l3_accesses, dram_accesses):
    """Accesses per instruction that each level answers, less than 0 where it answers less than the one above."""
    return memory_fraction - l2_accesses, l2_accesses - l3_accesses, l3_accesses - dram_accesses


@quantity(unit="1", source=INTERACTION)
def parallelism_bound(
    memory_cycles, integer_cycles, address_fraction, integer_latency, control_fraction, float_cycles, ilp
):
    """Cycles per instruction that the parallelism of the program allows where control has a latency, too."""
    addresses = address_fraction * integer_latency + control_fraction
    return spread(memory_cycles + integer_cycles + addresses + float_cycles, ilp)


@quantity(unit="1", source=INTERACTION)
def misprediction_rate(branch_miss_estimate, branch_factor):
    """Mispredictions per control instruction, without a limit."""
    return branch_miss_estimate * branch_factor


def _stalls(behaviour: Behaviour) -> ModelFunction:
    """Return the stalls of a buffer that may be full before it fills, or whose penalties overlap in all of it."""
    least = 0.0 if behaviour.clamped else -np.inf

    @quantities(
        gives=out_of_order_stalls.gives, source=INTERACTION, slot="core_order", provider="out-of-order", default=True
    )
    def out_of_order_stalls_of_the_tool(
        full_window_cycles,
        ilp,
        reorder_buffer,
        issue_queue,
        l3_hits,
        dram_accesses,
        l3_latency_cycles,
        dram_latency_cycles,
        overlapping_entries,
    ):
        latencies = (l3_latency_cycles, dram_latency_cycles)
        core = (full_window_cycles, ilp, reorder_buffer, issue_queue)
        return window_stalls(*core, l3_hits, dram_accesses, *latencies, overlapping_entries, least)

    return replace(out_of_order_stalls_of_the_tool, name=out_of_order_stalls.name)


def switched(behaviour: Behaviour) -> list[ModelFunction]:
    """Return the functions of a behaviour."""
    functions: list[ModelFunction] = []
    if not behaviour.clamped:
        functions += [l2_hit_fraction, l3_hit_fraction, hits]
    if not behaviour.clamped or behaviour.divided == "tool":
        functions.append(_stalls(behaviour))
    if behaviour.all_latencies:
        functions += [rewired(integer_cycles, integer_arithmetic_fraction="integer_fraction"), parallelism_bound]
    if behaviour.branch_factor is not None:
        functions.append(misprediction_rate)
    return functions
