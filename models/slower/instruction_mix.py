"""Work of a core as a mix of instructions: register operations, two levels of cache, a shared memory, messages.

A study names it beside the family: ``models = ["slower", "slower.instruction_mix"]``. With
``use.instruction_variation = "mix"`` the second moment of an instruction counts, too. Caches run with the clock; the
shared memory and the network take times, so a faster clock waits longer for them (Sterling et al. 2014, Section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.models.slower.factors import cycles_at
from dse.models.slower.work import work_of_mix
from dse.models.sources import STERLING_2014

__all__: list[str] = []

_SET = f"{STERLING_2014}, Section 4"

network_fraction = parameter(unit="1", doc="Share of the instructions that are messages, p", minimum=0, maximum=0.999)
memory_fraction = parameter(unit="1", doc="Share of the instructions that access memory, q", minimum=0, maximum=1)
message_latency_time = parameter(unit="s", doc="Time from sending a message to its answer", minimum=0)
memory_service_time = parameter(unit="s", doc="Time the shared memory is busy with an access", minimum=0)
mix_l1_hit_fraction = assumption(
    0.9, unit="1", source=_SET, doc="Share of the accesses that level 1 answers", minimum=0, maximum=1
)
mix_l2_hit_fraction = assumption(
    0.9, unit="1", source=_SET, doc="Share of the others that level 2 answers", minimum=0, maximum=1
)
register_cycles = assumption(1.0, unit="1", source=_SET, doc="Cycles of a register operation", above=0)
mix_l1_cycles = assumption(1.0, unit="1", source=_SET, doc="Cycles of an access that level 1 answers", minimum=0)
mix_l2_cycles = assumption(10.0, unit="1", source=_SET, doc="Cycles of an access that level 2 answers", minimum=0)


def _mixed(values: Sequence[np.ndarray], cumulative: bool) -> tuple[np.ndarray, ...]:
    p, q, h1, h2, register, first, second, service = values
    work = work_of_mix(
        p,
        q,
        l1_hit_fraction=h1,
        l2_hit_fraction=h2,
        register_cycles=register,
        l1_cycles=first,
        l2_cycles=second,
        memory_service_cycles=service,
        cumulative=cumulative,
    )
    ones = 0.0 * (p + q + h1 + h2 + register + first + second + service)
    columns = (work.cycles_per_instruction, work.memory_accesses, work.squared_cycles, work.miss_cycles)
    return tuple(column + ones for column in columns)


_GIVES = {"uncontended_cycles": "1", "shared_memory_accesses": "1"}
_GIVES |= {"squared_core_cycles": "1", "missed_level_cycles": "1"}


@quantities(
    gives=_GIVES,
    source=f"{_SET}; a miss costs the level that answers",
    slot="miss_costs",
    provider="answering-level",
    default=True,
    points_only=True,
)
def cycles_of_mix(
    network_fraction,
    memory_fraction,
    mix_l1_hit_fraction,
    mix_l2_hit_fraction,
    register_cycles,
    mix_l1_cycles,
    mix_l2_cycles,
    memory_service_cycles,
):
    """Cycles of an instruction, accesses to the shared memory, and the second moment."""
    levels = (mix_l1_hit_fraction, mix_l2_hit_fraction, register_cycles, mix_l1_cycles, mix_l2_cycles)
    return _mixed((network_fraction, memory_fraction, *levels, memory_service_cycles), False)


@quantities(
    gives=_GIVES,
    source=f"{_SET}; a miss costs every level it asks",
    slot="miss_costs",
    provider="every-level",
    points_only=True,
)
def cumulative_cycles_of_mix(
    network_fraction,
    memory_fraction,
    mix_l1_hit_fraction,
    mix_l2_hit_fraction,
    register_cycles,
    mix_l1_cycles,
    mix_l2_cycles,
    memory_service_cycles,
):
    """Cycles of an instruction, accesses to the shared memory, and the second moment, misses added up."""
    levels = (mix_l1_hit_fraction, mix_l2_hit_fraction, register_cycles, mix_l1_cycles, mix_l2_cycles)
    return _mixed((network_fraction, memory_fraction, *levels, memory_service_cycles), True)


@quantity(unit="1", source=_SET)
def messages_per_instruction(network_fraction):
    """Share of the instructions that send a message."""
    return network_fraction * 1.0


@quantity(unit="1", source="a time, at the clock")
def slower_latency_cycles(message_latency_time, frequency):
    """Cycles from sending a message to its answer."""
    return cycles_at(message_latency_time, frequency)


@quantity(unit="1", source="a time, at the clock")
def memory_service_cycles(memory_service_time, frequency):
    """Cycles the shared memory is busy with an access."""
    return cycles_at(memory_service_time, frequency)
