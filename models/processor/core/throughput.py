"""What limits instructions per cycle whatever the window, as quantities: dispatch, bandwidth, and mispredictions.

The sum is the cycles per instruction of the model of interacting events (Anghel 2017, Section 4.2.3).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.processor.core.full_window import INTERACTION, RATE
from dse.models.processor.core.ratios import per_unit
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []


@quantity(unit="1", source=INTERACTION)
def dispatch_bound(dispatch_width):
    """Cycles per instruction that the dispatch width allows."""
    return 1.0 / dispatch_width


@quantity(unit="1", source=INTERACTION)
def l1_bandwidth_bound(memory_fraction, access_bytes, l1_bandwidth, frequency):
    """Cycles per instruction that the bandwidth to the first caches allows."""
    return per_unit(frequency * memory_fraction * access_bytes, l1_bandwidth)


@quantity(unit="1", source=INTERACTION)
def l3_bandwidth_bound(l3_accesses, cache_line, l3_bandwidth, frequency):
    """Cycles per instruction that the bandwidth to level 3 allows."""
    return per_unit(frequency * l3_accesses * cache_line, l3_bandwidth)


@quantity(unit="1", source=INTERACTION)
def dram_bandwidth_bound(dram_accesses, cache_line, dram_bandwidth_share, frequency):
    """Cycles per instruction that the bandwidth of the memory allows."""
    return per_unit(frequency * dram_accesses * cache_line, dram_bandwidth_share)


@quantity(unit="1", source=INTERACTION)
def stalled_cycles(full_window_cycles, issue_queue_stalls, reorder_buffer_stalls):
    """Cycles per instruction with the stalls of a full window."""
    return full_window_cycles + issue_queue_stalls + reorder_buffer_stalls


@quantity(
    unit="1",
    source=INTERACTION,
    max_of=("stalled_cycles", "dispatch_bound", "l1_bandwidth_bound", "l3_bandwidth_bound", "dram_bandwidth_bound"),
    rate=RATE,
)
def steady_cycles(stalled_cycles, dispatch_bound, l1_bandwidth_bound, l3_bandwidth_bound, dram_bandwidth_bound):
    """Cycles per instruction without mispredictions."""
    first = np.maximum(np.maximum(stalled_cycles, dispatch_bound), l1_bandwidth_bound)
    return np.maximum(np.maximum(first, l3_bandwidth_bound), dram_bandwidth_bound)


@quantity(
    unit="1", source=f"{ANGHEL_2017}, Section 4.4 (branch entropy), with the factor of the machine, at most one half"
)
def misprediction_rate(branch_miss_estimate, branch_factor):
    """Mispredictions per control instruction."""
    return np.minimum(branch_miss_estimate * branch_factor, 0.5)


@quantity(unit="1", source=INTERACTION)
def branch_cycles(control_fraction, misprediction_rate, front_end_stages, issue_queue, steady_cycles):
    """Cycles per instruction lost to mispredictions: refilling the front end and draining the issue queue."""
    return control_fraction * misprediction_rate * (front_end_stages + issue_queue * steady_cycles)


@quantity(unit="1", source=INTERACTION)
def throughput_limit_cycles(steady_cycles, stalled_cycles):
    """Cycles per instruction added by dispatch width and bandwidths."""
    return np.maximum(steady_cycles - stalled_cycles, 0.0)


@quantity(
    unit="1",
    name="cycles_per_instruction",
    source=INTERACTION,
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
    rate=RATE,
)
def interaction_cycles_per_instruction(
    full_window_cycles, issue_queue_stalls, reorder_buffer_stalls, throughput_limit_cycles, branch_cycles
):
    """Cycles per instruction of a thread."""
    waiting = full_window_cycles + issue_queue_stalls + reorder_buffer_stalls
    return waiting + throughput_limit_cycles + branch_cycles
