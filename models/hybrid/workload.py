"""Cycles of the run that is predicted, from the counters of a short run on one node."""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.hybrid.inputs import interpolated, one_value
from dse.models.sources import RAMAPANTULU_2015

__all__ = ["compute_cycles", "cpu_utilisation", "iteration_ratio", "iterations", "memory_stall_cycles"]
__all__ += ["nonmemory_stall_cycles", "uncontended_memory_share", "useful_cycles"]


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Table 1 (S)")
def iterations(baselines):
    """Iterations of the run that is predicted."""
    return one_value(baselines, "iterations")


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Eq. 4 (S/S_s)")
def iteration_ratio(baselines):
    """Iterations of the predicted run over those of the measured one."""
    return one_value(baselines, "iterations") / one_value(baselines, "baseline_iterations")


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Eq. 4", points_only=True)
def useful_cycles(baselines, cores, frequency, iteration_ratio):
    """Useful cycles of the run, summed over all cores (bilinear in cores and frequency)."""
    return interpolated(baselines, "useful_cycles", cores=cores, frequency=frequency) * iteration_ratio


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Eq. 4", points_only=True)
def nonmemory_stall_cycles(baselines, cores, frequency, iteration_ratio):
    """Stall cycles not caused by memory, summed over all cores (bilinear in cores and frequency)."""
    return interpolated(baselines, "nonmemory_stall_cycles", cores=cores, frequency=frequency) * iteration_ratio


@quantity(
    unit="1",
    source=f"{RAMAPANTULU_2015}, Eq. 3; the sum over all cores, although printed as cycles of a core",
    sum_of=("useful_cycles", "nonmemory_stall_cycles"),
)
def compute_cycles(useful_cycles, nonmemory_stall_cycles):
    """Cycles that count as computing, overlapped work included, summed over all cores."""
    return useful_cycles + nonmemory_stall_cycles


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Eq. 7 (m), and Section V-B for the scale", points_only=True)
def memory_stall_cycles(baselines, cores, frequency, iteration_ratio, memory_bandwidth_scale):
    """Memory stall cycles of each core if one node did the whole run (bilinear in cores and frequency)."""
    stalls = interpolated(baselines, "memory_stall_cycles_per_core", cores=cores, frequency=frequency)
    return stalls * iteration_ratio / memory_bandwidth_scale


@quantity(
    unit="1",
    source=f"{RAMAPANTULU_2015}, Eq. 14; the split is ours: what one core alone stalls, shared out, is service",
    points_only=True,
)
def uncontended_memory_share(baselines, cores, frequency):
    """Share of the memory stalls that is there without contention: m(1, f) / (c m(c, f)), at most 1."""
    stalls = interpolated(baselines, "memory_stall_cycles_per_core", cores=cores, frequency=frequency)
    alone = interpolated(baselines, "memory_stall_cycles_per_core", cores=np.ones(1), frequency=frequency) / cores
    stalled = stalls > alone
    return np.where(stalled, alone / np.where(stalled, stalls, 1.0), 1.0)


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Table 1 (U_s), taken as U", points_only=True)
def cpu_utilisation(baselines, cores, frequency):
    """Share of the time in which the cores are busy (bilinear in cores and frequency)."""
    return interpolated(baselines, "cpu_utilisation", cores=cores, frequency=frequency)
