"""The work of a core and the latency of its messages from the models `processor`, `network` and `system`.

A study names it beside them: ``models = ["processor", "network", "system", "slower", "slower.modelled_nodes"]``. Every
wait has one owner. Hits, overlapping misses and the latency of the memory are the processor model's; the queue at the
memory is this family's (slot ``memory_contention`` = ``slower``, with the cycles of a thread that has the memory for
itself), or the processor model's (``processor``: shared bandwidth, or ``dram_queueing``), never both; messages and what
hides them are this family's, so `system` may not overlap or pipeline them. A thread sends the messages of a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantity
from dse.errors import InputError
from dse.models.processor.sharing.thread_of_design import on_machine, thread_of
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_ALONE = f"{ANGHEL_2017}, Section 4.2.3: a thread with its share of level 3, alone at the memory"
_SERVICE = "ours: the memory is busy with a line while it moves it; its latency is in the cycles of the processor model"


def _alone(values: Mapping[str, Any]) -> Any:
    if np.any(values["lines_wait"]):
        raise InputError(
            "lines wait for the memory in the processor model and in the queue of the family slower",
            key="use.memory_contention",
            allowed='"processor" with dram_queueing = "queueing", or "slower" with dram_queueing = "none"',
        )
    thread = thread_of(values["profile"], values["branch_miss_estimate"], values)
    idle = {"dram_bandwidth_share": values["dram_bandwidth"], "dram_utilisation": np.zeros(())}
    cycles = thread.fill(l3_share=values["l3_share"], **idle)["cycles_per_instruction"]
    needs = ("l3_share", "running_threads", "dram_bandwidth")
    return cycles + 0.0 * sum(values[name] for name in needs)


cycles_alone: ModelFunction = on_machine(
    _alone,
    ("profile", "branch_miss_estimate", "l3_share", "running_threads", "lines_wait"),
    name="cycles_alone",
    gives={"uncontended_cycles": "1"},
    source=_ALONE,
    doc="Cycles of an instruction of a thread that shares level 3 with the others, and has the memory for itself.",
    slot="memory_contention",
    provider="slower",
    default=True,
    module="slower.modelled_nodes",
)


@quantity(
    unit="1",
    name="uncontended_cycles",
    source=f"{ANGHEL_2017}, Section 4.2.3: all threads share level 3 and the memory",
    slot="memory_contention",
    provider="processor",
)
def cycles_of_the_processor_model(cycles_per_instruction):
    """Cycles of an instruction, with what the other threads do at the memory."""
    return cycles_per_instruction * 1.0


@quantity(unit="1", source=_SERVICE)
def shared_memory_accesses(dram_accesses):
    """Lines that an instruction reads from and writes to the memory."""
    return dram_accesses * 1.0


@quantity(unit="1", source=_SERVICE)
def memory_service_cycles(cache_line, dram_bandwidth, frequency):
    """Cycles in which the memory moves one line."""
    return cache_line / dram_bandwidth * frequency


@quantity(unit="1", source="threads that run at the same time")
def memory_sharers(running_threads):
    """Cores of the node that run tasks and share its memory."""
    return running_threads * 1.0


@quantity(unit="1", source="messages and instructions of one thread", points_only=True)
def messages_per_instruction(messages, instructions, leaving_fraction):
    """Share of the instructions that send a message."""
    if np.any(leaving_fraction != 1.0):
        raise InputError(
            f"{1.0 - float(np.min(leaving_fraction)):g} of the messages stay inside a node, and latency is hidden of "
            "those that leave",
            key="inside_fraction",
            allowed='use.node_processes = "one", or inside_fraction = 0',
        )
    return messages / instructions + 0.0 * leaving_fraction


@quantity(unit="1", source=f"{ANGHEL_2017}, Eq. 6.4, one message at the clock of the cores", points_only=True)
def slower_latency_cycles(
    network_latency, message_size, effective_bandwidth, frequency, overlap_fraction, messages_overlap
):
    """Cycles from sending a message to receiving it."""
    if np.any(overlap_fraction != 0.0):
        raise InputError(
            f"messages are hidden twice: by overlap_fraction = {float(np.max(overlap_fraction)):g} and by tasks",
            key="overlap_fraction",
            allowed="0 with the family slower",
        )
    if np.any(messages_overlap != 0.0):
        raise InputError(
            "messages are hidden twice: by message_pipelining and by tasks",
            key="use.message_pipelining",
            allowed='"serial" with the family slower',
        )
    idle = 0.0 * (overlap_fraction + messages_overlap)
    return (network_latency + message_size / effective_bandwidth) * frequency + idle
