"""Where more tasks, or more cores, no longer help: knees, bounds, and where the model is least sure."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.slower.work import Work

__all__ = ["core_knee", "knee_distance", "near_knee", "near_memory_knee", "plateau_gain", "rate_bound", "task_knee"]

FEW_TASKS = 16
SOME_CORES, JUST_SERVED = (4, 8), (0.9, 1.4)
"""Cores, and their load on the memory, of which the recursion is fast; fewer are taken exactly, of more it is less."""
NEAR = (0.4, 2.5)
"""Tasks over the knee between which few tasks are near it."""


def task_knee(work: Work, latency: Any, overhead: Any = 0.0, memory_response: Any = None) -> Any:
    """Return the tasks that fill the latency, M* = 1 + L/B; the paper's M O = L is its limit for a large overhead.

    Parameters
    ----------
    work : Work
    latency, overhead : float or array
        Cycles, L and O.
    memory_response : float or array, optional
        R; by default that of a memory nobody else uses, S.
    """
    response = work.memory_service_cycles if memory_response is None else memory_response
    return 1.0 + work.messages * latency / work.cycles_with(response, overhead)


def core_knee(work: Work, latency: Any, overhead: Any, tasks: Any) -> Any:
    """Return the cores that keep the memory just busy, n* = 1/(X1 nu S) with X1 = min(1/B, M/(B + L)).

    X1 is what a single core sends at most, so the knee is where two bounds meet, as that of the tasks is. Infinite
    without accesses to the memory.

    Parameters
    ----------
    work : Work
    latency, overhead, tasks : float or array
        Cycles, L and O, and tasks per core, M.
    """
    service = work.memory_service_cycles
    busy = work.cycles_with(service, overhead)
    alone = np.minimum(1.0 / busy, tasks / (busy + work.messages * latency))
    used = alone * work.memory_accesses * service
    return np.where(used > 0.0, 1.0 / np.maximum(used, 1e-300), np.inf)


def plateau_gain(work: Work, latency: Any, overhead: Any = 0.0, memory_response: Any = None) -> Any:
    """Return the gain of any number of tasks above the knee, (B0 + L)/B with B0 = B without overhead."""
    response = work.memory_service_cycles if memory_response is None else memory_response
    alone = work.cycles_with(response)
    return (alone + work.messages * latency) / work.cycles_with(response, overhead)


def rate_bound(work: Work, latency: Any, overhead: Any, tasks: Any, cores: Any) -> Any:
    """Return what the instructions per cycle of a core cannot exceed: min(1/B0, M/(B0 + L), 1/(n nu S)) / p.

    The core is always busy, all tasks are always on their way without waiting, or the memory is always busy; B0 has no
    waiting, B0 = C + nu S + O. Also for ranges.
    """
    busy = work.cycles_with(work.memory_service_cycles, overhead)
    used = cores * work.memory_accesses * work.memory_service_cycles
    cores_and_tasks = np.minimum(1.0 / busy, tasks / (busy + work.messages * latency))
    return np.minimum(cores_and_tasks, 1.0 / np.maximum(used, 1e-300))


def knee_distance(tasks: Any, knee: Any) -> Any:
    """Return M/M*, tasks over those of the knee."""
    return tasks / knee


def near_memory_knee(cores: Any, load: Any) -> Any:
    """Tell where the rate of few cores is up to 11 % high: 4 to 8 of them, which the memory can just serve.

    Parameters
    ----------
    cores : float or array
    load : float or array
        Cores times service over the time between two accesses without waiting, n S/(Z + S): 1 where it can just serve.
    """
    return (cores >= SOME_CORES[0]) & (cores <= SOME_CORES[1]) & (load >= JUST_SERVED[0]) & (load <= JUST_SERVED[1])


def near_knee(tasks: Any, knee: Any) -> Any:
    """Tell where the error is largest: at most 16 tasks, within a factor of 2.5 of the knee."""
    distance = knee_distance(tasks, knee)
    return (distance >= NEAR[0]) & (distance <= NEAR[1]) & (tasks <= FEW_TASKS)
