r"""Processor model of independent events, as quantities: execution, misses, hits and branches add up, nothing overlaps.

Anghel 2017, Section 4.2.1, Eqs. 4.1 to 4.7, after Stanley-Marbell. Parallelism by type divides the instructions of a
type by the span of the program. Latencies count from the core, so misses cost differences of latencies (the printed
sums are right for increments, and Table 4.3 mixes both).

The mix of what executes is that of what is ready, so the scarcest units slow all types: with
``S = max ILP_x / min(units_x, ILP_x)``, ``n = min(issue width, sum ILP_x / S)`` is the least of all bounds.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.processor.core.full_window import RATE, ROUNDING
from dse.models.processor.core.ratios import per_unit
from dse.models.processor.program.behaviour import CORRECTED
from dse.models.processor.program.events import instruction_curves
from dse.models.processor.program.hierarchy import instruction_hits
from dse.models.sources import ANGHEL_2017

__all__ = ["BRANCH_MISS_RATE"]

BRANCH_MISS_RATE = 0.03
"""Mispredictions per control instruction (Anghel 2017, Section 4.2.1)."""
_EXECUTION = f"{ANGHEL_2017}, Section 4.2.1, Eq. 4.1 and the text before it"


@quantity(unit="1", source=_EXECUTION)
def common_parallelism_bound(common_integer_ilp, common_float_ilp, common_memory_ilp, common_control_ilp):
    """Cycles per instruction if all that is ready executes."""
    return 1.0 / (common_integer_ilp + common_float_ilp + common_memory_ilp + common_control_ilp)


@quantity(unit="1", source=_EXECUTION)
def common_integer_unit_bound(common_integer_ilp, integer_units, common_parallelism_bound):
    """Cycles per instruction that integer units allow at the mix of what is ready."""
    return per_unit(common_integer_ilp, integer_units) * common_parallelism_bound


@quantity(unit="1", source=_EXECUTION)
def common_float_unit_bound(common_float_ilp, float_units, common_parallelism_bound):
    """Cycles per instruction that floating-point units allow at the mix of what is ready."""
    return per_unit(common_float_ilp, float_units) * common_parallelism_bound


@quantity(unit="1", source=_EXECUTION)
def common_memory_unit_bound(common_memory_ilp, memory_units, common_parallelism_bound):
    """Cycles per instruction that load and store units allow at the mix of what is ready."""
    return per_unit(common_memory_ilp, memory_units) * common_parallelism_bound


@quantity(unit="1", source=_EXECUTION)
def common_control_unit_bound(common_control_ilp, control_units, common_parallelism_bound):
    """Cycles per instruction that branch units allow at the mix of what is ready."""
    return per_unit(common_control_ilp, control_units) * common_parallelism_bound


@quantity(
    unit="1",
    source=_EXECUTION,
    max_of=(
        "issue_bound",
        "common_parallelism_bound",
        "common_integer_unit_bound",
        "common_float_unit_bound",
        "common_memory_unit_bound",
        "common_control_unit_bound",
    ),
    rate=RATE,
)
def execution_cycles(
    issue_bound,
    common_parallelism_bound,
    common_integer_unit_bound,
    common_float_unit_bound,
    common_memory_unit_bound,
    common_control_unit_bound,
):
    """Cycles per instruction of execution with all data at hand: the greatest of the bounds."""
    bounds = (
        issue_bound,
        common_parallelism_bound,
        common_integer_unit_bound,
        common_float_unit_bound,
        common_memory_unit_bound,
        common_control_unit_bound,
    )
    return reduce(np.maximum, bounds)


def _below_level_1(
    l2_size: np.ndarray,
    l3_size: np.ndarray,
    l1_latency_cycles: np.ndarray,
    l2_latency_cycles: np.ndarray,
    l3_latency_cycles: np.ndarray,
) -> np.ndarray:
    """Latency of a miss in level 1: without level 2 that of level 3; without both, it waits for the memory at once."""
    otherwise = np.where(np.greater(l3_size, 0.0), l3_latency_cycles, l1_latency_cycles)
    return np.where(np.greater(l2_size, 0.0), l2_latency_cycles, otherwise)


@quantities(
    gives={"l1_hit_cycles": "1", "l1_miss_cycles": "1", "l2_miss_cycles": "1", "l3_miss_cycles": "1"},
    source=f"{ANGHEL_2017}, Eqs. 4.2 to 4.4 (latencies cumulative; the memory term at least 0)",
    valid={"latency_out_of_order": (0.0, ROUNDING)},
)
def serial_access_cycles(
    memory_fraction,
    l1_hit_fraction,
    l2_hit_fraction,
    l3_hit_fraction,
    l2_size,
    l3_size,
    l1_latency_cycles,
    l2_latency_cycles,
    l3_latency_cycles,
    dram_latency_cycles,
    reorder_buffer,
    execution_cycles,
    in_order,
    latency_out_of_order,
):
    """Cycles per instruction of hits in level 1 and of misses in each level, one after the other."""
    second = _below_level_1(l2_size, l3_size, l1_latency_cycles, l2_latency_cycles, l3_latency_cycles)
    third = np.where(np.greater(l3_size, 0.0), l3_latency_cycles, second)
    hidden = np.where(np.greater(in_order, 0.0), 0.0, reorder_buffer)
    # The printed equation becomes negative where the buffer hides all.
    waited = np.maximum((dram_latency_cycles - third) - hidden * execution_cycles, 0.0)
    return (
        l1_latency_cycles * memory_fraction * l1_hit_fraction,
        second * memory_fraction * (1.0 - l1_hit_fraction),
        (third - second) * memory_fraction * (1.0 - l2_hit_fraction),
        waited * memory_fraction * (1.0 - l3_hit_fraction),
    )


@quantity(unit="1", source=f"{ANGHEL_2017}, Eq. 4.5", points_only=True)
def instruction_hit_fraction(profile, l1_size, cache_line):
    """Share of the fetches that an instruction cache like that of data answers; 1 where the profile does not know."""
    curves = instruction_curves(profile.only, CORRECTED)
    return np.ones(1) if curves is None else instruction_hits(curves, l1_size, cache_line)


@quantity(unit="1", source=f"{ANGHEL_2017}, Eq. 4.5")
def fetch_miss_cycles(
    instruction_hit_fraction, l2_size, l3_size, l1_latency_cycles, l2_latency_cycles, l3_latency_cycles
):
    """Cycles per instruction of fetches that miss the instruction cache."""
    second = _below_level_1(l2_size, l3_size, l1_latency_cycles, l2_latency_cycles, l3_latency_cycles)
    return second * (1.0 - instruction_hit_fraction)


@quantity(unit="1", source=f"{ANGHEL_2017}, Eq. 4.6: 3 % of the control instructions")
def branch_refill_cycles(control_fraction, front_end_stages):
    """Cycles per instruction of refilling the front end."""
    return control_fraction * front_end_stages * BRANCH_MISS_RATE


@quantity(
    unit="1",
    name="cycles_per_instruction",
    source=f"{ANGHEL_2017}, Eq. 4.7",
    slot="processor_model",
    provider="independent",
    sum_of=(
        "execution_cycles",
        "l1_hit_cycles",
        "l1_miss_cycles",
        "l2_miss_cycles",
        "l3_miss_cycles",
        "fetch_miss_cycles",
        "branch_refill_cycles",
    ),
    rate=RATE,
)
def independent_cycles_per_instruction(
    execution_cycles,
    l1_hit_cycles,
    l1_miss_cycles,
    l2_miss_cycles,
    l3_miss_cycles,
    fetch_miss_cycles,
    branch_refill_cycles,
):
    """Cycles per instruction of a thread."""
    data = l1_hit_cycles + l1_miss_cycles + l2_miss_cycles + l3_miss_cycles
    return execution_cycles + data + fetch_miss_cycles + branch_refill_cycles
