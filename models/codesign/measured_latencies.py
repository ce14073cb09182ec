"""Latencies and bandwidth of a machine that was measured, in place of those that follow from the sizes of its caches.

The slot ``cache_latency`` takes ``measured``: latencies of levels 2 and 3 as the study gives them; or ``machine``: from
the description that ``dse profile machine`` wrote (``[tables.machine] file = "mine.json"``). Level 3 of a large
processor is no one level: what it answers takes longer the more of it is in use, so its latency and its bandwidth are
read from the curves of the description at what all ranks of a node touch,

    working_set = processes_per_node * rank_memory

straight between the measured points in the logarithm of the working set, from four times level 2 on (ours). The same
of what a walk for a page costs: small pages less large ones, over the share of the pages that no table holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import document_parameter, parameter, quantities, quantity
from dse.errors import InputError
from dse.models.workload.machine.description import MachineDescription, read_machine

__all__: list[str] = []

_MACHINE: dict[str, Any] = {"slot": "cache_latency", "provider": "machine"}
_BEYOND_LEVEL_2 = 4.0
_BEYOND_TABLE = 2.0

measured_l2_latency = parameter(unit="s", doc="Time of an access that level 2 answers, as measured", minimum=0)
measured_l3_latency = parameter(unit="s", doc="Time of an access that level 3 answers, as measured", minimum=0)
machine = document_parameter(read=read_machine, doc="Description of a machine, as dse profile machine writes it")


@quantities(
    gives={"l2_latency_alone": "1", "l3_latency": "s"},
    source="measured on the machine",
    slot="cache_latency",
    provider="measured",
)
def latencies_of_machine(measured_l2_latency, measured_l3_latency, frequency):
    """Cycles of an access that level 2 answers, and time of one that level 3 answers, from the core."""
    return measured_l2_latency * frequency, measured_l3_latency * 1.0


@quantities(
    gives={"l2_latency_alone": "1", "l3_latency": "s", "l3_bandwidth": "B/s"},
    source="measured by dse profile machine, at the working set of a node (ours)",
    points_only=True,
    **_MACHINE,
)
def levels_by_working_set(machine, rank_memory, processes_per_node, frequency, l2_size):
    """Cycles of an access that level 2 answers; time and bandwidth of what level 3 answers."""
    reach = np.maximum(rank_memory * processes_per_node, _BEYOND_LEVEL_2 * l2_size)
    second = machine.figures.get("l2_latency", machine.figures["l1_latency"])
    latency, byte = (_at(machine, benchmark, reach) for benchmark in ("latency", "triad"))
    return second * frequency, latency, 1.0 / byte


@quantity(
    unit="s",
    name="tlb_miss_cost",
    source="measured by dse profile machine, at the working set of a node (ours)",
    points_only=True,
    **_MACHINE,
)
def walk_by_working_set(machine, rank_memory, processes_per_node, tlb_entries, page_size):
    """Time a read takes longer whose page has no translation at hand."""
    held = tlb_entries * page_size
    reach = np.maximum(rank_memory * processes_per_node, _BEYOND_TABLE * held)
    large, small = (_at(machine, benchmark, reach) for benchmark in ("reads_apart", "reads_apart_small_pages"))
    return np.maximum(small - large, 0.0) / (1.0 - held / reach)


def _at(machine: MachineDescription, benchmark: str, working_set: np.ndarray) -> np.ndarray:
    """Return the median time of a benchmark at a working set."""
    if benchmark not in machine.curves:
        problem = f"'{machine.name}' has no curve of '{benchmark}'"
        raise InputError(problem, key="tables.machine", allowed="a description as dse profile machine writes it")
    sets, times = machine.curves[benchmark].T
    read: np.ndarray = np.interp(np.log2(working_set), np.log2(sets), times)
    return read
