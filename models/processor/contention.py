"""Threads that run together on one machine: level 3 and bandwidth by use, and the latency of a busy memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dse.models.processor.hierarchy import Hierarchy
from dse.models.processor.interaction import Cycles
from dse.models.processor.machine import Machine
from dse.models.processor.sharing import bandwidth_shares, cache_shares, loaded_latency, queueing_utilisation

__all__ = ["Thread", "memory_utilisation", "shared_by_use", "with_memory_in_use"]

Thread = Callable[[Machine], tuple[Hierarchy, Cycles]]
"""What a machine, as one thread has it, makes of a program: its caches and cycles."""


def shared_by_use(
    threads: Sequence[Thread], machine: Machine, members: Sequence[Any]
) -> tuple[list[Any], list[Any], np.ndarray]:
    """Divide level 3 and the memory's bandwidth among threads of several programs, by what they use.

    Parameters
    ----------
    threads : sequence of Thread
        One of each program.
    machine : Machine
        With all of level 3 and of the bandwidth.
    members : sequence of (float or array)
        Threads of each program.

    Returns
    -------
    list of ndarray
        Level 3 of one thread of each program [B].
    list of ndarray
        Bandwidth of one thread of each program [B/s].
    ndarray of bool
        Where the shares of level 3 settled.
    """
    clock, line = machine["f_core_hz"], machine["l3_line_bytes"]

    def with_shares(shares: Sequence[Any]) -> list[tuple[Hierarchy, Cycles]]:
        return [thread(machine.with_values(l3_size_bytes=share)) for thread, share in zip(threads, shares, strict=True)]

    def access_rates(shares: Sequence[Any]) -> list[Any]:
        return [clock * caches.l3_requests / cycles.cpi for caches, cycles in with_shares(shares)]

    shares, settled = cache_shares(access_rates, machine["l3_size_bytes"], members)
    demands = [clock * caches.dram_requests * line / cycles.cpi for caches, cycles in with_shares(shares)]
    return shares, bandwidth_shares(demands, machine["dram_bandwidth_Bps"], members), settled


def with_memory_in_use(machine: Machine, own: Machine, utilisation: Any) -> Machine:
    """Return the machine of a thread with the latency of a memory in use to a share of its bandwidth.

    Parameters
    ----------
    machine : Machine
        With all of the bandwidth and the latency of an idle memory.
    own : Machine
        As the thread has it.
    utilisation : float or array
    """
    line, bandwidth = machine["l3_line_bytes"], machine["dram_bandwidth_Bps"]
    latency = loaded_latency(machine["dram_latency"], utilisation, line, bandwidth, machine["f_core_hz"])
    return own.with_values(dram_latency=latency)


def memory_utilisation(machine: Machine, parts: Sequence[tuple[Thread, Machine, Any]]) -> Any:
    """Return the share of the memory's bandwidth that threads use at the latency this use leads to.

    Parameters
    ----------
    machine : Machine
        With all of the bandwidth and the latency of an idle memory.
    parts : sequence of (Thread, Machine, float or array)
        One thread of each program, the machine as it has it, and how many there are.
    """
    clock, line, bandwidth = machine["f_core_hz"], machine["l3_line_bytes"], machine["dram_bandwidth_Bps"]

    def utilisation_at(utilisation: Any) -> Any:
        used: Any = 0.0
        for thread, own, count in parts:
            caches, cycles = thread(with_memory_in_use(machine, own, utilisation))
            used = used + count * clock * caches.dram_requests * line / cycles.cpi
        return used / bandwidth

    return queueing_utilisation(utilisation_at, np.shape(utilisation_at(0.0)))
