"""What a study gives checkpoints and failures: data, stores, failures of parts, the work and the power of the job."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.data_machine.storage import store_read_bandwidth, store_write_bandwidth
from dse.models.sources import BLUE_WATERS_2014, LLAMA_2024
from dse.models.system.cost import network_planes
from dse.models.system.inputs import power_usage_effectiveness

__all__ = ["network_planes", "power_usage_effectiveness", "store_read_bandwidth", "store_write_bandwidth"]

YEAR = 365.25 * 86400.0
"""Seconds of a year."""

nodes = parameter(unit="1", doc="Nodes of the job", minimum=1)

checkpoint_bytes = parameter(unit="B", doc="Data of a checkpoint of the whole job, uncompressed, D", minimum=0)
checkpoint_memory_share = parameter(
    unit="1", doc="Share of the memory of all nodes that a checkpoint saves", above=0, maximum=1
)
node_memory_capacity = parameter(unit="B", doc="Memory of a node", above=0)

node_store_write_bandwidth = parameter(unit="B/s", doc="Bandwidth of writing to the store of a node", above=0)
node_store_read_bandwidth = assumption(
    0.0,
    unit="B/s",
    source="none: reads as fast as it writes",
    doc="Bandwidth of reading from the store of a node; 0: that of writing",
    minimum=0,
)

node_compress_bandwidth = parameter(unit="B/s", doc="Original data that a node compresses in a second", above=0)
node_decompress_bandwidth = parameter(unit="B/s", doc="Original data that a node restores in a second", above=0)

restart_time = assumption(
    600.0,
    unit="s",
    source="ours: detection, rescheduling and start of a large job take about ten minutes (confidence low)",
    doc="Fixed time of a restart, without reading the checkpoint",
    minimum=0,
)

node_mtbf = assumption(
    5.0 * YEAR,
    unit="s",
    source="ours: five years per node without accelerators, 1 to 25 are to be tried (confidence low)",
    doc="Mean time between failures of a node without accelerators",
    above=0,
)
device_mtbf = assumption(
    1.8243e8,
    unit="s",
    source=f"{LLAMA_2024}: 16,384 devices, 54 days, 419 unplanned interruptions of all causes (as the press reports "
    "it, confidence medium)",
    doc="Mean time between failures of the job per device, with hosts, switches and software in it",
    above=0,
)
devices_per_node = parameter(unit="1", doc="Devices of a node", minimum=1, integer=True)
switches = assumption(
    0.0,
    unit="1",
    source="none: no switch is counted unless a network gives them",
    doc="Switches of a plane of the network",
    minimum=0,
)
switch_mtbf = assumption(
    0.0,
    unit="s",
    source="none: failures of switches do not stop the job, or are in those of the nodes",
    neglects="failures of switches",
    doc="Mean time between failures of a switch that stop the job; 0: none do",
    minimum=0,
)
drives = assumption(
    0.0,
    unit="1",
    source="none: no drive is counted",
    doc="Drives of the store whose loss stops the job",
    minimum=0,
)
drive_mtbf = assumption(
    0.0,
    unit="s",
    source="none: losses of drives do not stop the job",
    neglects="failures of drives",
    doc="Mean time between failures of a drive that stop the job; 0: none do",
    minimum=0,
)
store_mtbf = assumption(
    261.0 * 86400.0 / 39.0,
    unit="s",
    source=f"{BLUE_WATERS_2014}: 39 outages of the whole system in 261 days, 29 with the file system",
    doc="Mean time between failures that local checkpoints do not survive, as outages of the whole system",
    above=0,
)

maintenance_share = assumption(
    0.0,
    unit="1",
    source="none: scheduled downtime is left out",
    neglects="maintenance",
    doc="Share of time of maintenance",
    minimum=0,
    maximum=0.99,
)

useful_time = parameter(unit="s", doc="Time of the job without failures and checkpoints", above=0)
busy_power = parameter(unit="W", doc="Power of the machine while it computes", minimum=0)
waiting_power_share = assumption(
    1.0,
    unit="1",
    source="none: an upper bound, as if checkpoints and restarts took the power of computing",
    doc="Power during checkpoints and restarts over that of computing, without the store",
    minimum=0,
    maximum=1,
)
store_power = assumption(
    0.0,
    unit="W",
    source="none: the power of the store is left out",
    neglects="power of the store",
    doc="Power of the store while checkpoints are written",
    minimum=0,
)
