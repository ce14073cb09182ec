"""What a study gives of a collective operation and of the network; defaults are those of InfiniBand and MPI."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.collectives.costs.cost import MOST_PROCESSES
from dse.models.sources import HOEFLER_2014

__all__ = [
    "collective_arity",
    "collective_memory_cap",
    "collective_message_size",
    "collective_pieces",
    "collective_processes",
    "loggp_byte_energy",
    "loggp_byte_time",
    "loggp_descriptor_size",
    "loggp_gap",
    "loggp_latency",
    "loggp_message_energy",
    "loggp_overhead",
    "loggp_receiver_overhead",
    "loggp_reduction_time",
    "loggp_static_power",
]

_MEASURED = f"{HOEFLER_2014}, Section 4.2 (InfiniBand and MPI)"
_PACKET = f"{HOEFLER_2014}, Section 4.2, with its prefixes n and p exchanged"

collective_processes = parameter(
    unit="1", doc="Processes that take part, P", minimum=1, maximum=MOST_PROCESSES, integer=True
)
collective_message_size = parameter(
    unit="B", doc="Bytes of each process, or for each of its destinations where these differ, s", minimum=0
)
collective_arity = assumption(
    2,
    unit="1",
    source=f"{HOEFLER_2014}: binary trees",
    doc="Children of a node of a k-ary tree, k",
    minimum=2,
    maximum=MOST_PROCESSES,
    integer=True,
)
collective_pieces = assumption(
    0,
    unit="1",
    source="this family: 0 stands for the number with the least time",
    doc="Pieces a pipeline cuts the message into, N; 0 for the fastest number",
    minimum=0,
    maximum=MOST_PROCESSES,
    integer=True,
)
collective_memory_cap = assumption(
    1e18,
    unit="B",
    source="this family: no limit",
    doc="Most memory for the descriptors of a process among which `best` chooses",
    minimum=0,
)

loggp_latency = assumption(6e-6, unit="s", source=_MEASURED, doc="Latency of the wire, L", minimum=0)
loggp_overhead = assumption(4.7e-6, unit="s", source=_MEASURED, doc="Overhead of a send, o", minimum=0)
loggp_receiver_overhead = assumption(
    4.7e-6,
    unit="s",
    source=f"{_MEASURED}; 0 for remote direct memory access, Section 2",
    doc="Overhead of a receive, at most that of a send",
    minimum=0,
)
loggp_gap = assumption(
    0.0,
    unit="s",
    source=f"{HOEFLER_2014}, Section 2: less than the overhead",
    doc="Least time between the starts of two sends, g",
    minimum=0,
)
loggp_byte_time = assumption(0.73e-9, unit="s/B", source=_MEASURED, doc="Time of a byte, G", minimum=0)
loggp_reduction_time = assumption(
    0.0,
    unit="s/B",
    source=f"{HOEFLER_2014}, Section 2: computation is free",
    neglects="time of combining operands",
    doc="Time of combining two operands, per byte",
    minimum=0,
)
loggp_message_energy = assumption(16.5e-9, unit="J", source=_PACKET, doc="Dynamic energy of a message, e", minimum=0)
loggp_byte_energy = assumption(8.1e-12, unit="J/B", source=_PACKET, doc="Dynamic energy of a byte, E", minimum=0)
loggp_static_power = assumption(
    0.5, unit="W", source=f"{HOEFLER_2014}, Section 4.2", doc="Static power of a network interface", minimum=0
)
loggp_descriptor_size = assumption(
    32.0,
    unit="B",
    source=f"{HOEFLER_2014}, Section 2: pointer, offset, counter and target of 8 B each",
    doc="Memory of the descriptor of an offloaded send, d",
    minimum=0,
)
