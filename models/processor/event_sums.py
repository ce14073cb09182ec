"""Latency events of a mean instruction: cycles of latency by kind, and what each part of the core has to do.

All results are per instruction. Latencies count from the core to the data, so they hold those of the levels above.
"""

from __future__ import annotations

__all__ = ["address_cycles", "control_cycles", "float_cycles", "integer_cycles", "memory_cycles", "miss_cycles"]


def miss_cycles(l2_hits, l3_hits, dram_accesses, l2_latency, l3_latency, dram_latency):
    """Latency of what misses the first level; a miss register is held so long [cycles]."""
    return l2_hits * l2_latency + l3_hits * l3_latency + dram_accesses * dram_latency


def memory_cycles(l1_hits, l1_latency, miss_cycles):
    """Latency of all accesses, M [cycles]."""
    return l1_hits * l1_latency + miss_cycles


def integer_cycles(
    integer_arithmetic_fraction, integer_multiply_fraction, integer_divide_fraction, t_int, t_int_mul, t_int_div
):
    """Latency of integer operations, I [cycles].

    With the fraction of arithmetic alone, bitwise operations, comparisons and conversions cost nothing, as published;
    with that of all integer operations they cost `t_int` each.
    """
    simple = integer_arithmetic_fraction - integer_multiply_fraction - integer_divide_fraction
    return integer_multiply_fraction * t_int_mul + integer_divide_fraction * t_int_div + simple * t_int


def address_cycles(address_fraction, t_int):
    """Latency of address arithmetic [cycles]."""
    return address_fraction * t_int


def float_cycles(float_fraction, float_multiply_fraction, float_divide_fraction, t_fp, t_fp_mul, t_fp_div):
    """Latency of floating-point operations, P [cycles]."""
    simple = float_fraction - float_multiply_fraction - float_divide_fraction
    return float_multiply_fraction * t_fp_mul + float_divide_fraction * t_fp_div + simple * t_fp


def control_cycles(control_fraction):
    """Latency of control operations, one cycle each, K [cycles]."""
    return control_fraction * 1.0
