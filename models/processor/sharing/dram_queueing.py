"""Latency of the memory with its load, as quantities.

The slot ``dram_queueing`` takes ``none`` (default: the latency is that of an idle memory, and bandwidth a hard cap), or
``queueing``: lines wait behind others, as long as in a queue with one server that takes the same time for each,

    T(u) = T0 + (line / bandwidth) u / (2 (1 - u))

at the utilisation u of the bandwidth to which this latency leads: a fixed point over the whole core. It needs the model
of interacting events; the other one knows no bandwidth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantity
from dse.models.processor.sharing.contention import Chip
from dse.models.processor.sharing.sharing import loaded_latency
from dse.models.processor.sharing.thread_of_design import on_machine, thread_of
from dse.models.sources import ANGHEL_2017

__all__ = ["QUEUE", "utilisation_functions"]

_AT_A_TIME = "at a fixed time (corrected: the printed cycles do not follow the clock)"
QUEUE = "ours: mean waiting in a queue with one server and equal services (M/D/1), at the load that results"
"""Source of the utilisation."""


@quantity(
    unit="1",
    name="dram_latency_cycles",
    source=f"{ANGHEL_2017}, Table 4.2 {_AT_A_TIME}",
    slot="dram_queueing",
    provider="none",
    default=True,
)
def idle_latency(dram_latency, frequency):
    """Cycles of an access that the memory answers."""
    return dram_latency * frequency


@quantity(unit="1", name="lines_wait", source="the study", slot="dram_queueing", provider="none", default=True)
def lines_do_not_wait():
    """0: an access to the memory waits for no other."""
    return np.zeros(1)


@quantity(unit="1", name="lines_wait", source="the study", slot="dram_queueing", provider="queueing")
def lines_do_wait():
    """1: the latency of the memory has the waiting behind other lines in it."""
    return np.ones(1)


@quantity(
    unit="1",
    name="dram_latency_cycles",
    source=f"{ANGHEL_2017}, Table 4.2 {_AT_A_TIME}; {QUEUE}",
    slot="dram_queueing",
    provider="queueing",
)
def latency_in_use(dram_latency, frequency, dram_utilisation, cache_line, dram_bandwidth):
    """Cycles of an access that the memory answers, with the waiting behind other lines."""
    return loaded_latency(dram_latency * frequency, dram_utilisation, cache_line, dram_bandwidth, frequency)


def _of_one_program(values: Mapping[str, Any]) -> Any:
    thread = thread_of(values["profile"], values["branch_miss_estimate"], values)
    own = thread.fill(l3_share=values["l3_share"], dram_bandwidth_share=values["dram_bandwidth_share"])
    return Chip.of(values).utilisation([own], [values["running_threads"]])


def utilisation_functions() -> dict[str, ModelFunction]:
    """Return the function that solves for the utilisation where all threads run one program."""
    function = on_machine(
        _of_one_program,
        ("profile", "branch_miss_estimate", "l3_share", "dram_bandwidth_share", "running_threads"),
        name="utilisation_of_one_program",
        gives={"dram_utilisation": "1"},
        source=QUEUE,
        doc="Share of the memory's bandwidth that all threads use, at the latency that follows from it.",
        slot="programs",
        provider="one",
        default=True,
        module="processor.dram_queueing",
    )
    return {function.name: function}
