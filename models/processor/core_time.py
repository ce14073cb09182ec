"""Cycles per instruction of a core, as quantities: bounds, stalls, bandwidth and branches of both published models.

The slot ``processor_model`` takes ``interaction`` (events overlap; Anghel 2017, Section 4.2.3 and the published tool),
or ``independent`` (they do not; Section 4.2.1, Eqs. 4.1 to 4.7). Bounds are the least cycles per instruction that each
resource allows; the greatest holds.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declaration import quantities, quantity
from dse.models.processor import bounds as bound
from dse.models.processor import event_sums as events
from dse.models.processor import independent as alone
from dse.models.processor import stalls as stall
from dse.models.processor import throughput
from dse.models.processor.behaviour import CORRECTED
from dse.models.processor.events import instruction_curves
from dse.models.processor.hierarchy import instruction_hits
from dse.models.processor.in_order import event_chance, hidden_cycles, in_order_stalls, mean_excess
from dse.models.processor.node_inputs import THESIS

__all__: list[str] = []

_INTERACTION = f"{THESIS}, Section 4.2.3, and the published tool (ExaBounds)"
_EXECUTION = f"{THESIS}, Section 4.2.1, Eq. 4.1 and the text before it"
_RATE = "instructions per cycle"
_HAIR = 1e-9  # of a cycle: rounding of a latency that is a time


# ---- sums of latencies -----------------------------------------------------------------------------------------------


@quantities(
    gives={"miss_cycles": "1", "memory_cycles": "1"}, source=_INTERACTION, valid={"latency_out_of_order": (0.0, _HAIR)}
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
    missed = events.miss_cycles(
        l2_hits, l3_hits, dram_accesses, l2_latency_cycles, l3_latency_cycles, dram_latency_cycles
    )
    return missed, events.memory_cycles(l1_hits, l1_latency_cycles, missed)


@quantity(unit="1", source=_INTERACTION)
def integer_cycles(
    integer_arithmetic_fraction,
    integer_multiply_fraction,
    integer_divide_fraction,
    integer_latency,
    integer_multiply_latency,
    integer_divide_latency,
):
    """Latency per instruction of integer arithmetic."""
    return events.integer_cycles(
        integer_arithmetic_fraction,
        integer_multiply_fraction,
        integer_divide_fraction,
        integer_latency,
        integer_multiply_latency,
        integer_divide_latency,
    )


@quantity(unit="1", source=_INTERACTION)
def float_cycles(
    float_fraction,
    float_multiply_fraction,
    float_divide_fraction,
    float_latency,
    float_multiply_latency,
    float_divide_latency,
):
    """Latency per instruction of floating-point operations."""
    return events.float_cycles(
        float_fraction,
        float_multiply_fraction,
        float_divide_fraction,
        float_latency,
        float_multiply_latency,
        float_divide_latency,
    )


# ---- bounds of a full window -----------------------------------------------------------------------------------------


@quantity(unit="1", source=_INTERACTION)
def issue_bound(issue_width):
    """Cycles per instruction that the issue width allows."""
    return bound.issue_bound(issue_width, 1.0)


@quantity(unit="1", source=_INTERACTION)
def miss_register_bound(miss_cycles, miss_registers):
    """Cycles per instruction while each miss holds a miss register."""
    return bound.miss_register_bound(miss_cycles, miss_registers, 1.0)


@quantity(unit="1", source=_INTERACTION)
def parallelism_bound(memory_cycles, integer_cycles, address_fraction, integer_latency, float_cycles, ilp):
    """Cycles per instruction that the parallelism of the program allows at these latencies."""
    addresses = events.address_cycles(address_fraction, integer_latency)
    return bound.ilp_bound(memory_cycles, integer_cycles, addresses, float_cycles, ilp)


@quantity(unit="1", source=_INTERACTION)
def memory_parallelism_bound(memory_cycles, memory_ilp):
    """Cycles per instruction that the parallelism of the accesses allows."""
    return bound.typed_ilp_bound(memory_cycles, memory_ilp)


@quantity(unit="1", source=_INTERACTION)
def integer_parallelism_bound(integer_cycles, integer_ilp):
    """Cycles per instruction that the parallelism of integer operations allows."""
    return bound.typed_ilp_bound(integer_cycles, integer_ilp)


@quantity(unit="1", source=_INTERACTION)
def control_parallelism_bound(control_fraction, control_ilp):
    """Cycles per instruction that the parallelism of control operations allows."""
    return bound.typed_ilp_bound(events.control_cycles(control_fraction), control_ilp)


@quantity(unit="1", source=_INTERACTION)
def float_parallelism_bound(float_cycles, float_ilp):
    """Cycles per instruction that the parallelism of floating-point operations allows."""
    return bound.typed_ilp_bound(float_cycles, float_ilp)


@quantity(unit="1", source=_INTERACTION)
def memory_unit_bound(memory_fraction, memory_units):
    """Cycles per instruction that load and store units allow."""
    return bound.unit_bound(memory_fraction, memory_units, 1.0)


@quantity(unit="1", source=_INTERACTION)
def integer_unit_bound(scalar_integer_fraction, integer_units):
    """Cycles per instruction that integer units allow."""
    return bound.unit_bound(scalar_integer_fraction, integer_units, 1.0)


@quantity(unit="1", source=_INTERACTION)
def float_unit_bound(scalar_float_fraction, float_units):
    """Cycles per instruction that floating-point units allow."""
    return bound.unit_bound(scalar_float_fraction, float_units, 1.0)


@quantity(unit="1", source=_INTERACTION)
def control_unit_bound(control_fraction, control_units):
    """Cycles per instruction that branch units allow."""
    return bound.unit_bound(control_fraction, control_units, 1.0)


@quantity(unit="1", source=_INTERACTION)
def vector_unit_bound(vector_fraction, vector_units, vector_width):
    """Cycles per instruction that vector units allow."""
    return bound.vector_unit_bound(vector_fraction, vector_units, vector_width, 1.0)


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


@quantity(unit="1", source=_INTERACTION, max_of=_BOUNDS, rate=_RATE)
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
    return bound.full_window_cycles(
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


# ---- stalls of a full window -----------------------------------------------------------------------------------------


@quantities(
    gives={"issue_queue_stalls": "1", "reorder_buffer_stalls": "1"},
    source=_INTERACTION,
    slot="core_order",
    provider="out-of-order",
    default=True,
)
def out_of_order_stalls(
    full_window_cycles,
    ilp,
    reorder_buffer,
    issue_queue,
    l3_hits,
    dram_accesses,
    l3_latency_cycles,
    dram_latency_cycles,
):
    """Stall cycles per instruction with a full issue queue, and with a full reorder buffer."""
    entries = stall.buffer_entries_in_use(reorder_buffer, ilp, full_window_cycles, dram_accesses, dram_latency_cycles)
    filled = stall.buffer_fill_cycles(entries, full_window_cycles, 0.0)
    queue = stall.queue_fill_cycles(
        issue_queue, ilp, full_window_cycles, l3_hits, dram_accesses, l3_latency_cycles, dram_latency_cycles
    )
    waiting = stall.queue_stalls(filled, queue, full_window_cycles, l3_hits, l3_latency_cycles, reorder_buffer)
    buffered = stall.buffer_stalls(
        entries,
        filled,
        queue,
        waiting,
        full_window_cycles,
        l3_hits,
        dram_accesses,
        l3_latency_cycles,
        dram_latency_cycles,
        reorder_buffer,
        0.0,
    )
    return waiting, buffered


@quantities(
    gives={"issue_queue_stalls": "1", "reorder_buffer_stalls": "1"},
    source=f"{_INTERACTION}, cores that issue in order",
    slot="core_order",
    provider="in-order",
)
def strict_order_stalls(
    full_window_cycles,
    ilp,
    l1_hits,
    l2_hits,
    l3_hits,
    dram_accesses,
    l1_latency_cycles,
    l2_latency_cycles,
    l3_latency_cycles,
    dram_latency_cycles,
    integer_fraction,
    address_fraction,
    integer_multiply_fraction,
    integer_divide_fraction,
    float_fraction,
    float_multiply_fraction,
    float_divide_fraction,
    integer_latency,
    integer_multiply_latency,
    integer_divide_latency,
    float_latency,
    float_multiply_latency,
    float_divide_latency,
):
    """Stall cycles per instruction behind long events; there is no reorder buffer."""
    simple = integer_fraction + address_fraction - integer_multiply_fraction - integer_divide_fraction
    simple_float = float_fraction - float_multiply_fraction - float_divide_fraction
    pairs = (
        (l1_latency_cycles, l1_hits),
        (l2_latency_cycles, l2_hits),
        (l3_latency_cycles, l3_hits),
        (dram_latency_cycles, dram_accesses),
        (integer_multiply_latency, integer_multiply_fraction),
        (integer_divide_latency, integer_divide_fraction),
        (integer_latency, simple),
        (float_multiply_latency, float_multiply_fraction),
        (float_divide_latency, float_divide_fraction),
        (float_latency, simple_float),
    )
    latencies = [latency for latency, _ in pairs]
    chances = [event_chance(fraction, ilp) for _, fraction in pairs]
    excess = mean_excess(hidden_cycles(ilp, full_window_cycles), *latencies, *chances)
    return in_order_stalls(excess, ilp), 0.0 * full_window_cycles


# ---- dispatch, bandwidth, branches -----------------------------------------------------------------------------------


@quantity(unit="1", source=_INTERACTION)
def dispatch_bound(dispatch_width):
    """Cycles per instruction that the dispatch width allows."""
    return throughput.dispatch_bound(dispatch_width, 1.0)


@quantity(unit="1", source=_INTERACTION)
def l1_bandwidth_bound(memory_fraction, access_bytes, l1_bandwidth, frequency):
    """Cycles per instruction that the bandwidth to the first caches allows."""
    return throughput.bandwidth_bound(memory_fraction, access_bytes, l1_bandwidth, frequency)


@quantity(unit="1", source=_INTERACTION)
def l3_bandwidth_bound(l3_accesses, cache_line, l3_bandwidth, frequency):
    """Cycles per instruction that the bandwidth to level 3 allows."""
    return throughput.bandwidth_bound(l3_accesses, cache_line, l3_bandwidth, frequency)


@quantity(unit="1", source=_INTERACTION)
def dram_bandwidth_bound(dram_accesses, cache_line, dram_bandwidth_share, frequency):
    """Cycles per instruction that the bandwidth of the memory allows."""
    return throughput.bandwidth_bound(dram_accesses, cache_line, dram_bandwidth_share, frequency)


@quantity(unit="1", source=_INTERACTION)
def stalled_cycles(full_window_cycles, issue_queue_stalls, reorder_buffer_stalls):
    """Cycles per instruction with the stalls of a full window."""
    return throughput.stalled_cycles(full_window_cycles, issue_queue_stalls, reorder_buffer_stalls)


@quantity(
    unit="1",
    source=_INTERACTION,
    max_of=("stalled_cycles", "dispatch_bound", "l1_bandwidth_bound", "l3_bandwidth_bound", "dram_bandwidth_bound"),
    rate=_RATE,
)
def steady_cycles(stalled_cycles, dispatch_bound, l1_bandwidth_bound, l3_bandwidth_bound, dram_bandwidth_bound):
    """Cycles per instruction without mispredictions."""
    first = np.maximum(np.maximum(stalled_cycles, dispatch_bound), l1_bandwidth_bound)
    return np.maximum(np.maximum(first, l3_bandwidth_bound), dram_bandwidth_bound)


@quantity(unit="1", source=f"{THESIS}, Section 4.4 (branch entropy), with the factor of the machine, at most one half")
def misprediction_rate(branch_miss_estimate, branch_factor):
    """Mispredictions per control instruction."""
    return throughput.misprediction_rate(branch_miss_estimate, branch_factor, 0.5)


@quantity(unit="1", source=_INTERACTION)
def branch_cycles(control_fraction, misprediction_rate, front_end_stages, issue_queue, steady_cycles):
    """Cycles per instruction lost to mispredictions: refilling the front end and draining the issue queue."""
    return throughput.branch_cycles(
        control_fraction, misprediction_rate, front_end_stages, 1.0, issue_queue, steady_cycles
    )


@quantity(unit="1", source=_INTERACTION)
def throughput_limit_cycles(steady_cycles, stalled_cycles):
    """Cycles per instruction added by dispatch width and bandwidths."""
    return np.maximum(steady_cycles - stalled_cycles, 0.0)


@quantity(
    unit="1",
    name="cycles_per_instruction",
    source=_INTERACTION,
    slot="processor_model",
    provider="interaction",
    default=True,
    sum_of=(
        "full_window_cycles",
        "issue_queue_stalls",
        "reorder_buffer_stalls",
        "throughput_limit_cycles",
        "branch_cycles",
    ),
    rate=_RATE,
)
def interaction_cycles_per_instruction(
    full_window_cycles, issue_queue_stalls, reorder_buffer_stalls, throughput_limit_cycles, branch_cycles
):
    """Cycles per instruction of a thread."""
    waiting = full_window_cycles + issue_queue_stalls + reorder_buffer_stalls
    return waiting + throughput_limit_cycles + branch_cycles


# ---- independent events ----------------------------------------------------------------------------------------------


@quantity(unit="1", source=_EXECUTION)
def common_parallelism_bound(common_integer_ilp, common_float_ilp, common_memory_ilp, common_control_ilp):
    """Cycles per instruction if all that is ready executes."""
    return alone.parallelism_bound(common_integer_ilp, common_float_ilp, common_memory_ilp, common_control_ilp)


@quantity(unit="1", source=_EXECUTION)
def common_integer_unit_bound(common_integer_ilp, integer_units, common_parallelism_bound):
    """Cycles per instruction that integer units allow at the mix of what is ready."""
    return alone.unit_share_bound(common_integer_ilp, integer_units, common_parallelism_bound)


@quantity(unit="1", source=_EXECUTION)
def common_float_unit_bound(common_float_ilp, float_units, common_parallelism_bound):
    """Cycles per instruction that floating-point units allow at the mix of what is ready."""
    return alone.unit_share_bound(common_float_ilp, float_units, common_parallelism_bound)


@quantity(unit="1", source=_EXECUTION)
def common_memory_unit_bound(common_memory_ilp, memory_units, common_parallelism_bound):
    """Cycles per instruction that load and store units allow at the mix of what is ready."""
    return alone.unit_share_bound(common_memory_ilp, memory_units, common_parallelism_bound)


@quantity(unit="1", source=_EXECUTION)
def common_control_unit_bound(common_control_ilp, control_units, common_parallelism_bound):
    """Cycles per instruction that branch units allow at the mix of what is ready."""
    return alone.unit_share_bound(common_control_ilp, control_units, common_parallelism_bound)


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
    rate=_RATE,
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
    return alone.execution_cycles(
        issue_bound,
        common_parallelism_bound,
        common_integer_unit_bound,
        common_float_unit_bound,
        common_memory_unit_bound,
        common_control_unit_bound,
    )


@quantities(
    gives={"l1_hit_cycles": "1", "l1_miss_cycles": "1", "l2_miss_cycles": "1", "l3_miss_cycles": "1"},
    source=f"{THESIS}, Eqs. 4.2 to 4.4 (latencies cumulative; the memory term at least 0)",
    valid={"latency_out_of_order": (0.0, _HAIR)},
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
    second = alone.level_latency(
        l2_latency_cycles, l2_size, alone.level_latency(l3_latency_cycles, l3_size, l1_latency_cycles)
    )
    third = alone.level_latency(l3_latency_cycles, l3_size, second)
    hidden = np.where(np.greater(in_order, 0.0), 0.0, reorder_buffer)
    return (
        alone.first_hit_cycles(memory_fraction, l1_hit_fraction, l1_latency_cycles),
        alone.l1_miss_cycles(memory_fraction, l1_hit_fraction, second),
        alone.l2_miss_cycles(memory_fraction, l2_hit_fraction, second, third),
        alone.dram_miss_cycles(memory_fraction, l3_hit_fraction, third, dram_latency_cycles, hidden, execution_cycles),
    )


@quantity(unit="1", source=f"{THESIS}, Eq. 4.5", points_only=True)
def instruction_hit_fraction(profile, l1_size, cache_line):
    """Share of the fetches that an instruction cache like that of data answers; 1 where the profile does not know."""
    curves = instruction_curves(profile.only, CORRECTED)
    return np.ones(1) if curves is None else instruction_hits(curves, l1_size, cache_line)


@quantity(unit="1", source=f"{THESIS}, Eq. 4.5")
def fetch_miss_cycles(
    instruction_hit_fraction, l2_size, l3_size, l1_latency_cycles, l2_latency_cycles, l3_latency_cycles
):
    """Cycles per instruction of fetches that miss the instruction cache."""
    second = alone.level_latency(
        l2_latency_cycles, l2_size, alone.level_latency(l3_latency_cycles, l3_size, l1_latency_cycles)
    )
    return alone.instruction_miss_cycles(instruction_hit_fraction, second)


@quantity(unit="1", source=f"{THESIS}, Eq. 4.6: 3 % of the control instructions")
def branch_refill_cycles(control_fraction, front_end_stages):
    """Cycles per instruction of refilling the front end."""
    return alone.branch_refill_cycles(control_fraction, front_end_stages, alone.BRANCH_MISS_RATE)


@quantity(
    unit="1",
    name="cycles_per_instruction",
    source=f"{THESIS}, Eq. 4.7",
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
    rate=_RATE,
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


# ---- the node --------------------------------------------------------------------------------------------------------


@quantity(unit="s", source=f"{THESIS}, Section 4.2")
def run_time(instructions, cycles_per_instruction, frequency):
    """Time of the threads: all run the same program, each as long as any other."""
    return instructions * cycles_per_instruction / frequency


@quantity(unit="B/s", source=_INTERACTION, slot="programs", provider="one", default=True)
def dram_traffic(dram_accesses, cache_line, frequency, cycles_per_instruction, running_threads):
    """Traffic of all threads to the memory."""
    return running_threads * dram_accesses * cache_line * frequency / cycles_per_instruction


@quantity(unit="flop/s", source=_INTERACTION, slot="programs", provider="one", default=True)
def float_rate(float_operations, frequency, cycles_per_instruction, running_threads):
    """Floating-point operations per second of all threads."""
    return running_threads * float_operations * frequency / cycles_per_instruction
