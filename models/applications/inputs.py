"""What every application reads of a machine; other models give it (nodes, networks, real machines), or the study."""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter

__all__: list[str] = []

nodes = parameter(unit="1", doc="Nodes that run the program", minimum=1, integer=True)
node_peak_flop_rate = parameter(unit="flop/s", doc="Peak rate of 64-bit operations of a node", above=0)
node_memory_capacity = parameter(unit="B", doc="Memory of a node", above=0)
node_memory_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of the memory of a node", above=0)
all_to_all_bandwidth = parameter(unit="B/s", doc="Effective bandwidth of a node when all send to all", above=0)
halo_bandwidth = parameter(unit="B/s", doc="Effective bandwidth of a node that exchanges with its neighbours", above=0)
message_latency = parameter(unit="s", doc="Time from sending to receiving an empty message", minimum=0)
