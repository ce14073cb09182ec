"""What a study gives a whole machine beside its network: work, messages and power of a process on its node.

With the models `processor` and `node`, the model ``system.modelled_nodes`` computes the time and the powers, and
``system.profiled_messages`` reads the messages from the profile; a model of an application may give them too.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []


compute_time = parameter(unit="s", doc="Time a process computes, messages left out, Tcomp", above=0)
messages = parameter(unit="1", doc="Messages a process sends in the whole run, M", minimum=0)
message_size = parameter(unit="B", doc="Mean size of a message, m", minimum=0)
node_static_power = parameter(
    unit="W", doc="Power of a node at rest: processor and memory, without the network, Pstat", minimum=0
)
node_dynamic_power = parameter(unit="W", doc="Power of a node on top of that while it computes, Pdyn", minimum=0)

overlap_fraction = assumption(
    0.0,
    unit="1",
    source=f"{ANGHEL_2017}, Eq. 6.1: computation and communication are never at the same time",
    doc="Share of the shorter of computation and communication that the longer one hides",
    minimum=0,
    maximum=1,
)
message_overhead = parameter(
    unit="s", doc="Time the processor of a node is busy with one message (LogGP: o); for pipelined messages", minimum=0
)
message_gap = parameter(
    unit="s", doc="Least time between the starts of two messages (LogGP: g); for pipelined messages", minimum=0
)
eager_limit = assumption(
    2**63,
    unit="B",
    source=f"{ANGHEL_2017}, Eq. 6.4: no message waits until its receiver is ready; larger than any message",
    doc="Largest message that is sent without asking; for larger ones a request and its answer go first",
    minimum=0,
)
polling_power_share = assumption(
    0.0,
    unit="1",
    source=f"{ANGHEL_2017}, Eq. 6.8: waiting for messages takes no dynamic power (most time of a search goes into "
    "polling)",
    neglects="power of waiting for messages",
    doc="Dynamic power while a process communicates or waits, over that while it computes",
    minimum=0,
    maximum=1,
)
power_usage_effectiveness = assumption(
    1.0,
    unit="1",
    source="none: the machine alone, as lists of supercomputers count; cooling and conversion are left out",
    neglects="power of cooling and conversion",
    doc="Power of the facility over that of the machine (PUE)",
    minimum=1,
)
collective_time = assumption(
    0.0,
    unit="s",
    source=f"{ANGHEL_2017}, Eq. 6.4: messages between two processes alone",
    neglects="time of collective operations",
    doc="Time a process spends in collective operations; the model system.collectives gives it",
    minimum=0,
)
collective_energy = assumption(
    0.0,
    unit="J",
    source=f"{ANGHEL_2017}, Eq. 6.9: messages between two processes alone",
    neglects="energy of collective operations",
    doc="Energy of what collective operations send, the part of one process; the model system.collectives gives it",
    minimum=0,
)
