"""Data machines: time of input and output, deadlines, data out of core, and searches of large graphs per watt.

After Matsuoka et al. 2014 ("Extreme Big Data"). Stores are rows of ``spaces/data_machine/storage_phases.csv``, whose
bandwidths checkpoints may read too, or drives, links and operations (slot ``data_store``). In Python:
`effective_bandwidth` and `transfer_time` of a store, `slowdown` of a pass out of core, `graph_bytes` by scale,
`low_latency_topologies` beside one another on one floor.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.data_machine import graph_search, out_of_core, real_time, storage
from dse.models.data_machine.arguments import effective_bandwidth, graph_bytes, slowdown, transfer_time
from dse.models.data_machine.low_latency import low_latency_topologies

__all__ = ["effective_bandwidth", "graph_bytes", "low_latency_topologies", "slowdown", "transfer_time"]

globals().update(declarations(storage, real_time, out_of_core, graph_search))
