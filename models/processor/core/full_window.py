"""Cycles per instruction of a full window, as quantities: latency by kind of event, and what each resource allows.

The published model is a linear program with one unknown, so its optimum is the least bound on instructions per cycle:
the greatest of the least cycles per instruction here (Anghel 2017, Section 4.2.3). Latencies count from the core to the
data, so they hold those of the levels above.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.processor.core.ratios import above_zero, per_unit
from dse.models.sources import ANGHEL_2017

__all__ = ["INTERACTION", "RATE", "ROUNDING", "spread"]

INTERACTION = f"{ANGHEL_2017}, Section 4.2.3, and the published tool (ExaBounds)"
"""Source of the model of interacting events."""
RATE = "instructions per cycle"
ROUNDING = 1e-9
"""Cycles by which a latency that is a time may differ from what it should be."""


# ---- sums of latencies -----------------------------------------------------------------------------------------------


@quantities(
    gives={"miss_cycles": "1", "memory_cycles": "1"},
    source=INTERACTION,
    valid={"latency_out_of_order": (0.0, ROUNDING)},
)
def access_cycles(
    l1_hits,
    l2_hits,
    l3_hits,
    dram_accesses,
    l1_latency_cycles,
    l2_latency_cycles,
    l3_latency_cycles,
    dram_latency_cycles,
    latency_out_of_order,
):
    """Latency per instruction of accesses that miss level 1, and of all accesses."""
    missed = l2_hits * l2_latency_cycles + l3_hits * l3_latency_cycles + dram_accesses * dram_latency_cycles
    return missed, l1_hits * l1_latency_cycles + missed


@quantity(unit="1", source=INTERACTION)
def integer_cycles(
    integer_arithmetic_fraction,
    integer_multiply_fraction,
    integer_divide_fraction,
    integer_latency,
    integer_multiply_latency,
    integer_divide_latency,
):
    """Latency per instruction of integer arithmetic."""
    simple = integer_arithmetic_fraction - integer_multiply_fraction - integer_divide_fraction
    longer = integer_multiply_fraction * integer_multiply_latency + integer_divide_fraction * integer_divide_latency
    return longer + simple * integer_latency


@quantity(unit="1", source=INTERACTION)
def float_cycles(
    float_fraction,
    float_multiply_fraction,
    float_divide_fraction,
    float_latency,
    float_multiply_latency,
    float_divide_latency,
):
    """Latency per instruction of floating-point operations."""
    simple = float_fraction - float_multiply_fraction - float_divide_fraction
    longer = float_multiply_fraction * float_multiply_latency + float_divide_fraction * float_divide_latency
    return longer + simple * float_latency


# ---- bounds of a full window -----------------------------------------------------------------------------------------


def spread(cycles: np.ndarray, ilp: np.ndarray) -> np.ndarray:
    """Cycles per instruction where so much runs in parallel; 0, no bound, where the profile does not know it (0)."""
    if isinstance(cycles, np.ndarray) and above_zero(ilp):
        result: np.ndarray = cycles / ilp
        return result
    known = np.not_equal(ilp, 0.0)
    return np.where(known, cycles / np.where(known, ilp, 1.0), 0.0)


@quantity(unit="1", source=INTERACTION)
def issue_bound(issue_width):
    """Cycles per instruction that the issue width allows."""
    return 1.0 / issue_width


@quantity(unit="1", source=INTERACTION)
def miss_register_bound(miss_cycles, miss_registers):
    """Cycles per instruction while each miss holds a miss register."""
    return per_unit(miss_cycles, miss_registers)


@quantity(unit="1", source=INTERACTION)
def parallelism_bound(memory_cycles, integer_cycles, address_fraction, integer_latency, float_cycles, ilp):
    """Cycles per instruction that the parallelism of the program allows at these latencies."""
    return spread(memory_cycles + integer_cycles + address_fraction * integer_latency + float_cycles, ilp)


@quantity(unit="1", source=INTERACTION)
def memory_parallelism_bound(memory_cycles, memory_ilp):
    """Cycles per instruction that the parallelism of the accesses allows."""
    return spread(memory_cycles, memory_ilp)


@quantity(unit="1", source=INTERACTION)
def integer_parallelism_bound(integer_cycles, integer_ilp):
    """Cycles per instruction that the parallelism of integer operations allows."""
    return spread(integer_cycles, integer_ilp)


@quantity(unit="1", source=INTERACTION)
def control_parallelism_bound(control_fraction, control_ilp):
    """Cycles per instruction that the parallelism of control operations allows."""
    return spread(control_fraction, control_ilp)


@quantity(unit="1", source=INTERACTION)
def float_parallelism_bound(float_cycles, float_ilp):
    """Cycles per instruction that the parallelism of floating-point operations allows."""
    return spread(float_cycles, float_ilp)


@quantity(unit="1", source=INTERACTION)
def memory_unit_bound(memory_fraction, memory_units):
    """Cycles per instruction that load and store units allow."""
    return per_unit(memory_fraction, memory_units)


@quantity(unit="1", source=INTERACTION)
def integer_unit_bound(scalar_integer_fraction, integer_units):
    """Cycles per instruction that integer units allow."""
    return per_unit(scalar_integer_fraction, integer_units)


@quantity(unit="1", source=INTERACTION)
def float_unit_bound(scalar_float_fraction, float_units):
    """Cycles per instruction that floating-point units allow."""
    return per_unit(scalar_float_fraction, float_units)


@quantity(unit="1", source=INTERACTION)
def control_unit_bound(control_fraction, control_units):
    """Cycles per instruction that branch units allow."""
    return per_unit(control_fraction, control_units)


@quantity(unit="1", source=INTERACTION)
def vector_unit_bound(vector_fraction, vector_units, vector_width):
    """Cycles per instruction that vector units allow."""
    bound = per_unit(vector_fraction, vector_units)  # none on a machine without vectors (0 bits)
    return bound if above_zero(vector_width) else np.where(np.greater(vector_width, 0.0), bound, 0.0)


_BOUNDS = (
    "issue_bound",
    "miss_register_bound",
    "parallelism_bound",
    "integer_parallelism_bound",
    "memory_parallelism_bound",
    "control_parallelism_bound",
    "float_parallelism_bound",
    "memory_unit_bound",
    "integer_unit_bound",
    "float_unit_bound",
    "control_unit_bound",
    "vector_unit_bound",
)


@quantity(unit="1", source=INTERACTION, max_of=_BOUNDS, rate=RATE)
def full_window_cycles(
    issue_bound,
    miss_register_bound,
    parallelism_bound,
    integer_parallelism_bound,
    memory_parallelism_bound,
    control_parallelism_bound,
    float_parallelism_bound,
    memory_unit_bound,
    integer_unit_bound,
    float_unit_bound,
    control_unit_bound,
    vector_unit_bound,
):
    """Cycles per instruction with a full window: the greatest of the bounds."""
    bounds = (
        issue_bound,
        miss_register_bound,
        parallelism_bound,
        integer_parallelism_bound,
        memory_parallelism_bound,
        control_parallelism_bound,
        float_parallelism_bound,
        memory_unit_bound,
        integer_unit_bound,
        float_unit_bound,
        control_unit_bound,
        vector_unit_bound,
    )
    return reduce(np.maximum, bounds)
