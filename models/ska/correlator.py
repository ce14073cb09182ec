"""Correlator of SKA1-Low on general-purpose processors: run time and power of a node, and of all nodes.

A reduced-order substitute for the processor model of Anghel 2017, Section 7.1.3.1, whose inputs (the software profile
and the power model) are not published: per core type four constants, fitted to the printed results
(``spaces/ska/correlator-cores.csv``). It holds for the printed design space and should not be trusted outside.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.sources import ANGHEL_2017

FITTED = f"reduced-order form fitted to {ANGHEL_2017}, Section 7.1.3.2 and Table 7.9"
SPACE = {"cores": (48, 128), "frequency": (2.3e9, 4.0e9)}
BANDWIDTHS = {"l3_bandwidth": (40e9, 160e9), "dram_bandwidth": (40e9, 160e9)}

channels = parameter(unit="1", doc="Frequency channels a node correlates", minimum=1, integer=True)
cores = parameter(unit="1", doc="Cores of a node", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock frequency of the cores", above=0)
l3_bandwidth = parameter(unit="B/s", doc="Bandwidth between the L2 caches and the L3 cache", above=0)
dram_bandwidth = parameter(unit="B/s", doc="Bandwidth between the L3 cache and the DRAM", above=0)

core_cycles = parameter(unit="1", doc="Core cycles of a run at the reference channels, all cores together, W", above=0)
memory_traffic = parameter(unit="B", doc="Bytes a run moves through L3 and DRAM at the reference channels, V", above=0)
core_power = parameter(unit="W", doc="Power of a core that does not depend on the work, s", minimum=0)
run_energy = parameter(unit="J", doc="Energy of a run at the reference channels beside that, E", minimum=0)

total_channels = assumption(
    65536,
    unit="1",
    source=f"{ANGHEL_2017}, Section 7.1.3: 512 subbands of 128 channels",
    doc="Channels to correlate",
    minimum=1,
    integer=True,
)
reference_channels = assumption(
    8,
    unit="1",
    source=f"{ANGHEL_2017}, Section 7.1.3.2",
    doc="Channels per node for which the constants of a core type hold",
    minimum=1,
    integer=True,
)


@quantity(unit="1", source=f"{ANGHEL_2017}, Section 7.1.3.1: channels are independent")
def relative_work(channels, reference_channels):
    """Work of a node over that for which the constants hold."""
    return channels / reference_channels


@quantity(unit="s", source=FITTED, valid=SPACE)
def compute_time(core_cycles, relative_work, cores, frequency):
    """Time the cores need, perfectly parallel."""
    return core_cycles * relative_work / (cores * frequency)


@quantity(unit="s", source=FITTED, valid=BANDWIDTHS)
def memory_time(memory_traffic, relative_work, l3_bandwidth, dram_bandwidth):
    """Time the memory hierarchy needs: the slower of L3 and DRAM moves the traffic."""
    return memory_traffic * relative_work / np.minimum(l3_bandwidth, dram_bandwidth)


@quantity(unit="s", source=FITTED, max_of=("compute_time", "memory_time"))
def run_time(compute_time, memory_time):
    """Time a node needs to correlate one integration of 0.52 s."""
    return np.maximum(compute_time, memory_time)


@quantity(unit="W", source=FITTED, valid={"cores": SPACE["cores"]})
def core_static_power(core_power, cores):
    """Power of a node's cores that does not depend on the work."""
    return core_power * cores


@quantity(unit="W", source=FITTED)
def work_power(run_energy, relative_work, run_time):
    """Power of a node that the work of a run takes."""
    return run_energy * relative_work / run_time


@quantity(unit="W", source=FITTED, sum_of=("core_static_power", "work_power"))
def node_power(core_static_power, work_power):
    """Power of a node, processor and memory."""
    return core_static_power + work_power


@quantity(unit="1", source=f"{ANGHEL_2017}, Section 7.1.3.2")
def nodes(total_channels, channels):
    """Nodes of the correlator; a whole number where the channels per node divide all channels."""
    return np.ceil(total_channels / channels)


@quantity(unit="W", source=f"{ANGHEL_2017}, Section 7.1.3.2")
def total_power(node_power, nodes):
    """Power of all nodes of the correlator."""
    return node_power * nodes


@quantity(unit="J", source="node power times run time, all nodes")
def energy(total_power, run_time):
    """Energy of all nodes for one integration."""
    return total_power * run_time
