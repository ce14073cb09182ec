"""What a study gives of tasks and messages; `slower.modelled_nodes` takes most of it from processor and network."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.sources import STERLING_2014

__all__: list[str] = []

frequency = parameter(unit="Hz", doc="Clock of the cores", above=0)
tasks_per_process = parameter(unit="1", doc="Tasks that a core has to switch between, M", minimum=1, integer=True)
switch_overhead_cycles = parameter(unit="1", doc="Cycles of a switch to another task, O", minimum=0)
switch_overhead_time = parameter(unit="s", doc="Time of a switch to another task, whatever the clock", minimum=0)
slower_latency_cycles = parameter(unit="1", doc="Cycles from sending a message to its answer, L", minimum=0)
messages_per_instruction = parameter(
    unit="1", doc="Share of the instructions that send a message, p", minimum=0, maximum=0.999
)
memory_sharers = parameter(
    unit="1", doc="Cores of the node that run tasks and share its memory, n", minimum=1, integer=True
)
uncontended_cycles = parameter(unit="1", doc="Cycles of an instruction where nothing waits, c0", above=0)
shared_memory_accesses = parameter(unit="1", doc="Accesses to the shared memory per instruction", minimum=0)
memory_service_cycles = parameter(unit="1", doc="Cycles the shared memory is busy with an access, S", minimum=0)
squared_core_cycles = parameter(
    unit="1",
    doc="Mean square of the cycles of an instruction, accesses to the shared memory left out",
    minimum=0,
)
missed_level_cycles = assumption(
    0.0,
    unit="1",
    source=f"{STERLING_2014}, Section 4: not said",
    doc="Core cycles of an access to the shared memory",
    neglects="time of accesses to the shared memory",
    minimum=0,
)
task_memory = parameter(unit="B", doc="Memory that one task needs: its stack, state and data", minimum=0)
base_memory = assumption(
    0.0, unit="B", source="none: only what the tasks add", doc="Memory of a node beside that of its tasks", minimum=0
)
instructions = parameter(unit="1", doc="Instructions of one core, all its tasks together", above=0)
load_imbalance = assumption(
    0.0, unit="1", source="all cores have as much to do", doc="Largest load over the mean, less one", minimum=0
)
nodes = parameter(unit="1", doc="Nodes of the machine", minimum=1, integer=True)
availability = parameter(
    unit="1", doc="Share of the time that goes into user work, a, of a model of failures", above=0, maximum=1
)
node_static_power = parameter(unit="W", doc="Power of a node at rest, without the network", minimum=0)
node_dynamic_power = parameter(unit="W", doc="Power of a node on top of that while all its cores are busy", minimum=0)
