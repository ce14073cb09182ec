r"""Stalls of a full window, as quantities: the reorder buffer or issue queue of a core fills behind a long access.

With i the instructions per cycle of a full window, R and Q the entries of the reorder buffer and the issue queue (after
static sharing), h3 and hD the accesses per instruction that level 3 and the memory answer and T3, TD their latencies:
the buffer fills after :math:`c_{rob} = (R - R m / (2 ILP)) / i` cycles with
:math:`m = \max(1, \min(h_D i T_D, h_D R))` memory accesses in flight, and the queue after
:math:`\min(ILP \cdot Q / x, 1 / h) / i` cycles, where x is the number of outstanding long
events. A core that issues in order stalls behind every long event (`in_order`).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantities
from dse.models.processor.core.full_window import INTERACTION
from dse.models.processor.core.in_order import mean_excess
from dse.models.processor.core.ratios import until_used_up

__all__ = ["access_penalty", "buffer_entries_in_use", "buffer_fill_cycles", "buffer_stalls", "queue_fill_cycles"]
__all__ += ["queue_stalls", "window_stalls"]


def buffer_entries_in_use(
    rob_share: np.ndarray,
    ilp: np.ndarray,
    full_window_cycles: np.ndarray,
    dram_accesses: np.ndarray,
    dram_latency: np.ndarray,
) -> np.ndarray:
    """Entries of the reorder buffer that fill behind a long access: R less half a buffer of what is under way."""
    overlapping = np.minimum(dram_latency / full_window_cycles, rob_share)
    in_flight = np.maximum(1.0, dram_accesses * overlapping)
    result: np.ndarray = rob_share * (1.0 - 0.5 * in_flight / ilp)
    return result


def buffer_fill_cycles(buffer_entries_in_use: np.ndarray, cycles: np.ndarray, least: float) -> np.ndarray:
    """Cycles until the reorder buffer is full, c_rob, at so many cycles per instruction.

    Parameters
    ----------
    least : float
        0, or minus infinity where a tiny buffer may be full before it starts to fill, as published.
    """
    result: np.ndarray = np.maximum(buffer_entries_in_use * cycles, least)
    return result


_filled = buffer_fill_cycles  # arguments have the names of what they are, which hides the function


def queue_fill_cycles(
    issue_queue_share: np.ndarray,
    ilp: np.ndarray,
    full_window_cycles: np.ndarray,
    l3_hits: np.ndarray,
    dram_accesses: np.ndarray,
    l3_latency: np.ndarray,
    dram_latency: np.ndarray,
) -> np.ndarray:
    """Cycles until the issue queue is full, c_iq; infinite where it never is before the data come."""
    waiting = dram_accesses * dram_latency
    outstanding_dram = waiting / full_window_cycles
    outstanding = (l3_hits * l3_latency + waiting) / full_window_cycles
    room = ilp * issue_queue_share
    behind_l3 = np.minimum(until_used_up(room, outstanding), until_used_up(1.0, l3_hits)) * full_window_cycles
    behind_dram = (
        np.minimum(until_used_up(room, outstanding_dram), until_used_up(1.0, dram_accesses)) * full_window_cycles
    )
    later = np.where(np.less_equal(behind_dram, dram_latency), behind_dram, np.inf)
    return np.where(np.less_equal(behind_l3, l3_latency), behind_l3, later)


def access_penalty(
    accesses: np.ndarray,
    latency: np.ndarray,
    fill_cycles: np.ndarray,
    full_window_cycles: np.ndarray,
    overlap: np.ndarray,
) -> np.ndarray:
    """Stall cycles per instruction of the accesses of one level that outlast the filling of the window.

    Parameters
    ----------
    accesses : float or array
        That the level answers, h.
    latency, fill_cycles : float or array
        Of the level, and until the window is full [cycles].
    full_window_cycles : float or array
        1/i.
    overlap : float or array
        Entries of the reorder buffer: accesses that are in it together stall together.

    Notes
    -----
    (T - c) h / max(1, min(h i T, h R)), written so that it rises in h.
    """
    together = np.minimum(latency / full_window_cycles, overlap)
    result: np.ndarray = np.maximum(latency - fill_cycles, 0.0) * np.minimum(accesses, until_used_up(1.0, together))
    return result


def queue_stalls(
    buffer_fill_cycles: np.ndarray,
    queue_fill_cycles: np.ndarray,
    full_window_cycles: np.ndarray,
    l3_hits: np.ndarray,
    l3_latency: np.ndarray,
    overlap: np.ndarray,
) -> np.ndarray:
    """Stall cycles per instruction with a full issue queue, s_iq."""
    stalls = access_penalty(l3_hits, l3_latency, queue_fill_cycles, full_window_cycles, overlap)
    return np.where(np.less_equal(buffer_fill_cycles, queue_fill_cycles), 0.0, stalls)


def buffer_stalls(
    buffer_entries_in_use: np.ndarray,
    buffer_fill_cycles: np.ndarray,
    queue_fill_cycles: np.ndarray,
    queue_stalls: np.ndarray,
    full_window_cycles: np.ndarray,
    l3_hits: np.ndarray,
    dram_accesses: np.ndarray,
    l3_latency: np.ndarray,
    dram_latency: np.ndarray,
    overlap: np.ndarray,
    least: float,
) -> np.ndarray:
    """Stall cycles per instruction with a full reorder buffer, s_rob.

    Where the queue fills first, the buffer fills later by the stalls of the queue. `least` is that of
    `buffer_fill_cycles`.
    """
    behind_l3 = access_penalty(l3_hits, l3_latency, buffer_fill_cycles, full_window_cycles, overlap)
    # Where the buffer fills first the queue does not stall, and this is when the buffer is full at once.
    later = _filled(buffer_entries_in_use, full_window_cycles + queue_stalls, least)
    behind_dram = access_penalty(dram_accesses, dram_latency, later, full_window_cycles, overlap)
    result: np.ndarray = np.where(np.less_equal(buffer_fill_cycles, queue_fill_cycles), behind_l3, 0.0) + behind_dram
    return result


def window_stalls(
    full_window_cycles: np.ndarray,
    ilp: np.ndarray,
    reorder_buffer: np.ndarray,
    issue_queue: np.ndarray,
    l3_hits: np.ndarray,
    dram_accesses: np.ndarray,
    l3_latency: np.ndarray,
    dram_latency: np.ndarray,
    overlap: np.ndarray,
    least: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Stall cycles per instruction with a full issue queue, and with a full reorder buffer.

    `overlap` is that of `access_penalty`, and `least` that of `buffer_fill_cycles`.
    """
    cycles = full_window_cycles
    entries = buffer_entries_in_use(reorder_buffer, ilp, cycles, dram_accesses, dram_latency)
    full = buffer_fill_cycles(entries, cycles, least)
    queue = queue_fill_cycles(issue_queue, ilp, cycles, l3_hits, dram_accesses, l3_latency, dram_latency)
    waiting = queue_stalls(full, queue, cycles, l3_hits, l3_latency, overlap)
    memory = (l3_hits, dram_accesses, l3_latency, dram_latency)
    return waiting, buffer_stalls(entries, full, queue, waiting, cycles, *memory, overlap, least)


@quantities(
    gives={"issue_queue_stalls": "1", "reorder_buffer_stalls": "1"},
    source=INTERACTION,
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
    return window_stalls(
        full_window_cycles,
        ilp,
        reorder_buffer,
        issue_queue,
        l3_hits,
        dram_accesses,
        l3_latency_cycles,
        dram_latency_cycles,
        reorder_buffer,
        0.0,
    )


@quantities(
    gives={"issue_queue_stalls": "1", "reorder_buffer_stalls": "1"},
    source=f"{INTERACTION}, cores that issue in order",
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
    chances = [np.minimum(1.0, fraction * ilp) for _, fraction in pairs]
    return mean_excess(ilp * full_window_cycles, *latencies, *chances) / ilp, 0.0 * full_window_cycles
