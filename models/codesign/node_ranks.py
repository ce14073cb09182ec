"""Ranks of a node, their threads, cores that idle, and memory.

The slot ``node_ranks`` takes ``fill`` (one rank for each `threads_per_process` cores) or ``given``
(`processes_per_node` is an axis, or fixed, at most the cores).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.errors import InputError
from dse.models.network.parts import power
from dse.models.sources import ANGHEL_2017
from dse.models.workload.laws.program_laws import ProgramLaws

__all__: list[str] = []

_XEON = "Xeon E5-2697 v3 as IBM ExaBounds describes it (2017; spaces/processor/nodes.csv, confidence medium)"
_FILL = "ours: one rank for each threads_per_process cores"

threads_per_process = assumption(
    1,
    unit="1",
    source="ours: ranks of one thread, as most are recorded",
    doc="Threads of a rank",
    minimum=1,
    integer=True,
)
node_memory_reserve = assumption(
    2.0**31, unit="B", source="ours: system software and its buffers, 2 GiB", doc="Memory that no rank has", minimum=0
)
nics_per_node = replace(power.nics_per_node, minimum=1)
miss_registers = assumption(10, unit="1", source=_XEON, doc="Miss status holding registers of the first level", above=0)
l1_bandwidth = assumption(
    171798691840.0, unit="B/s", source=_XEON, doc="Bandwidth between a core and its first caches", above=0
)
memory = requirement(
    "node_memory <= dram_capacity",
    name="memory",
    source="ours: what ranks touch, and the system, is in the memory of their node",
    doc="the ranks of a node fit its memory",
)


@quantity(
    unit="1",
    name="processes_per_node",
    source=_FILL,
    slot="node_ranks",
    provider="fill",
    default=True,
    points_only=True,
)
def filled_node(cores, threads_per_process):
    """Ranks of a node whose cores are all at work."""
    several = cores / threads_per_process
    wrong = several != np.floor(several)
    if wrong.any():
        have, each = (float(np.broadcast_to(number, wrong.shape)[wrong][0]) for number in (cores, threads_per_process))
        raise InputError(
            f"{each:g} threads of a rank do not divide {have:g} cores",
            key="threads_per_process",
            allowed='a divisor of the cores, or use.node_ranks = "given"',
        )
    return several


@quantity(unit="1", source="the study", slot="node_ranks", provider="given")
def ranks_are_given():
    """1: the study gives the ranks of a node."""
    return np.ones(1)


@quantities(
    gives={"threads": "1", "idle_cores": "1"},
    source="ours: all ranks of a node run the same program at the same time",
    slot="node_processes",
    provider="several",
    default=True,
    marks=("idle_cores",),
    mark_words={"idle_cores": "have cores that run nothing: they leak, and do not switch"},
)
def threads_and_idle_cores(processes_per_node, threads_per_process, cores):
    """Threads of all ranks of a node, and cores that none of them runs on."""
    running = processes_per_node * threads_per_process
    return running, np.maximum(cores - running, 0.0)


@quantity(unit="B", source=f"{ANGHEL_2017}, footprint of a process; the reserve is ours")
def node_memory(processes_per_node, rank_memory, node_memory_reserve):
    """Memory that the ranks of a node and the system take."""
    return processes_per_node * rank_memory + node_memory_reserve


_SPLIT = "threads of a rank that was recorded with other ones"


@quantities(
    gives={"thread_instructions": "1", "threads_split": "1"},
    source=f"{_SPLIT}: refused",
    slot="thread_split",
    provider="recorded",
    default=True,
    points_only=True,
    marks=("threads_split",),
    mark_words={"threads_split": "share the instructions of a rank evenly among its threads: a wager"},
)
def threads_as_recorded(profile, instructions, threads_per_process):
    """Instructions of a thread: those that were recorded with as many threads."""
    _refuse_other_threads(profile, threads_per_process)
    return instructions * 1.0, np.zeros(1)


@quantities(
    gives={"thread_instructions": "1", "threads_split": "1"},
    source=f"ours: {_SPLIT} each do an equal part, with the reuse of the whole",
    slot="thread_split",
    provider="even",
    marks=("threads_split",),
    mark_words={"threads_split": "share the instructions of a rank evenly among its threads: a wager"},
)
def threads_share_evenly(instructions, threads_per_process):
    """Instructions of a thread: an equal part of those of the rank."""
    return instructions / threads_per_process, 1.0 * (threads_per_process > 1.0)


def _refuse_other_threads(profile: Any, threads: np.ndarray) -> None:
    recorded = profile.threads if isinstance(profile, ProgramLaws) else profile.run.threads or 1
    wrong = np.asarray(threads)[np.asarray(threads) != recorded]
    if wrong.size:
        raise InputError(
            f"a rank has {wrong.flat[0]:g} threads, and the program was recorded with {recorded}",
            key="threads_per_process",
            allowed=f'{recorded}, or use.thread_split = "even" (a wager)',
        )
