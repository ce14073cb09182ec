"""The work of a process on its node, from the models `processor` and `node`.

A study names it beside them: ``models = ["processor", "node", "network", "system", "system.modelled_nodes"]``. A
process takes the whole node and runs the profile's program in `threads` threads. Of several processes per node each has
`threads_per_process`, and all threads of the node share its caches and its memory.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

threads_per_process = parameter(
    unit="1", doc="Threads of a process, where a node has several processes", minimum=1, integer=True
)


@quantity(
    unit="1",
    source="ours: all processes of a node run the same program at the same time",
    slot="node_processes",
    provider="several",
)
def threads(processes_per_node, threads_per_process):
    """Threads of all processes of a node."""
    return processes_per_node * threads_per_process


@quantity(unit="B/s", source="the memory of the node, as the processor model has it")
def node_memory_bandwidth(dram_bandwidth):
    """Bandwidth of the memory of a node."""
    return dram_bandwidth * 1.0


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.2: time of the processor model")
def compute_time(run_time):
    """Time a process computes, messages left out."""
    return run_time * 1.0


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 6.8: static power of processor and memory")
def node_static_power(static_power):
    """Power of a node at rest."""
    return static_power * 1.0


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 6.8: dynamic power of processor and memory while they compute")
def node_dynamic_power(dynamic_energy, run_time):
    """Power of a node on top of that while it computes."""
    return dynamic_energy / run_time
