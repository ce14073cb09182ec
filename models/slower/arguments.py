"""Knees and bounds as people call them: their arguments are read first, and refused by name (see `knees`)."""

from __future__ import annotations

from dse.authoring.declare.arguments import Range, checked
from dse.models.slower import knees
from dse.models.slower.work import Work

__all__: list[str] = []

_CYCLES, _COUNT = Range(least=0.0), Range(above=0.0)

task_knee = checked(work=Work, latency=_CYCLES, overhead=_CYCLES, memory_response=_CYCLES)(knees.task_knee)
core_knee = checked(work=Work, latency=_CYCLES, overhead=_CYCLES, tasks=_COUNT)(knees.core_knee)
plateau_gain = checked(work=Work, latency=_CYCLES, overhead=_CYCLES, memory_response=_CYCLES)(knees.plateau_gain)
rate_bound = checked(work=Work, latency=_CYCLES, overhead=_CYCLES, tasks=_COUNT, cores=_COUNT)(knees.rate_bound)
near_knee = checked(tasks=_COUNT, knee=_COUNT)(knees.near_knee)
