"""Bounds on instructions per cycle with a full window, each as the least cycles per instruction it allows.

The published model is a linear program with one unknown, so its optimum is the least bound on instructions per cycle,
the greatest of the cycles here. `core_share` divides what a core has among the threads that share it statically.
A bound that nothing uses is 0; a profile that does not know a type's parallelism (0) sets no bound by it.
"""

from __future__ import annotations

import numpy as np

from dse.models.processor.ratios import above_zero, per_unit

__all__ = ["full_window_cycles", "ilp_bound", "issue_bound", "miss_register_bound", "typed_ilp_bound"]
__all__ += ["unit_bound", "vector_unit_bound"]


def issue_bound(issue_width, core_share):
    """Cycles per instruction that the issue width allows."""
    return core_share / issue_width


def miss_register_bound(miss_cycles, mshr, core_share):
    """Cycles per instruction while each miss holds a miss register for its latency."""
    return per_unit(miss_cycles * core_share, mshr)


def ilp_bound(memory_cycles, integer_cycles, address_cycles, float_cycles, ilp):
    """Cycles per instruction that the parallelism of the program allows at these latencies."""
    return typed_ilp_bound(memory_cycles + integer_cycles + address_cycles + float_cycles, ilp)


def typed_ilp_bound(cycles, ilp):
    """Cycles per instruction that the parallelism of one type allows, from the latency of its events."""
    if isinstance(cycles, np.ndarray) and above_zero(ilp):
        return cycles / ilp
    known = np.not_equal(ilp, 0.0)
    return np.where(known, cycles / np.where(known, ilp, 1.0), 0.0)


def unit_bound(fraction, units, core_share):
    """Cycles per instruction that fully pipelined units of one type allow."""
    return per_unit(fraction * core_share, units)


def vector_unit_bound(vector_fraction, fu_vector, vector_bits, vector_share):
    """Cycles per instruction that the vector units allow; no bound on a machine without vectors (0 bits)."""
    if above_zero(vector_bits):
        return unit_bound(vector_fraction, fu_vector, vector_share)
    return np.where(np.greater(vector_bits, 0.0), unit_bound(vector_fraction, fu_vector, vector_share), 0.0)


def full_window_cycles(*bounds):
    """Cycles per instruction with a full window, 1/i: the greatest of the bounds."""
    greatest = bounds[0]
    for bound in bounds[1:]:
        greatest = np.maximum(greatest, bound)
    return greatest
