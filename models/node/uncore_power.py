"""What stands between the caches and the memory: the on-chip network, and the interface to the memory.

The slot ``on_chip_network`` takes ``mesh`` (a router of 5 ports per core; links are not in the tables) or ``none``; the
slot ``memory_interface`` takes ``modules`` (on a board: the tables' controllers of one 64-bit channel) or ``stacks``
(beside the chip: less energy per bit; area and leakage are taken to be those of controllers of the same bandwidth, as
nothing better is known). Both are at the nominal supply.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.models.node.inputs import FACTORS, MCPAT
from dse.models.power.interconnect import controller_energies, router_energies

__all__: list[str] = []

_PORTS = 5.0
_HAIR = 1e-12
_FASTEST_MODULE = 1.1e11
"""B/s, between the fastest 64-bit channel (70 GB/s, DDR5-8800) and the slowest stack (128 GB/s, HBM; both recalled): an
interface of one kind with memory of the other is marked.
"""
_NETWORK = {
    "on_chip_network_area": "m^2",
    "on_chip_network_static_power": "W",
    "on_chip_access_energy": "J",
    "on_chip_network_outside_tables": "1",
}
_INTERFACE = {"memory_interface_constant_power": "W", "memory_interface_line_energy": "J"}

flit_size = assumption(
    32,
    unit="B",
    source="ours: the ring of the Xeon E5 v3 moves 32 B per cycle (recalled, confidence medium)",
    doc="Flit of the on-chip network",
    above=0,
)
controller_bandwidth = assumption(
    25.6e9,
    unit="B/s",
    source="ours: a row of the tables, whose energy per bit is the same at any rate",
    doc="Bandwidth of a memory controller with one 64-bit channel",
    above=0,
)
stack_interface_energy = assumption(
    0.75e-12 * 8,
    unit="J/B",
    source="0.5 to 1 pJ/bit for stacks beside the chip (estimate, confidence low)",
    doc="Energy of a byte in the interface to stacked memory, on the side of the processor",
    minimum=0,
)


@once_per_combination
def _looked_up(kind, size, technology, temperature):
    """Return area, leakage, energy of an event and constant power of a router or a memory controller, and a mark."""
    known = {"technology": technology, "temperature": temperature, "allowed": True}
    if kind == "router":
        unit = router_energies(ports=_PORTS, flit=size, **known)
    else:
        unit = controller_energies(peak_bandwidth=size, **known)
    leakage = unit.subthreshold_leakage + unit.gate_leakage
    return unit.area, leakage, unit.event_energy, unit.constant_power, 1.0 * unit.extrapolated


@quantity(unit="1", source="mean distance of two tiles of a square mesh, and the router it starts from")
def routers_passed(cores):
    """Routers that a flit passes, on average."""
    return 1.0 + 2.0 / 3.0 * np.sqrt(cores)


@quantities(
    gives=_NETWORK,
    source=f"{MCPAT}: routers of 5 ports without links; each access sends a request of one flit and a line",
    valid=FACTORS,
    slot="on_chip_network",
    provider="mesh",
    default=True,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
def mesh_tables(cores, flit_size, cache_line, technology, temperature, routers_passed):
    """Area and leakage of all routers, and energy of an access to level 3 or to the memory on its way."""
    area, leakage, energy, _, outside = _looked_up("router", flit_size, technology, temperature)
    flits = 1.0 + np.ceil(cache_line / flit_size)
    return cores * area, cores * leakage, routers_passed * flits * energy, outside


@quantities(gives=_NETWORK, source="the study", slot="on_chip_network", provider="none")
def no_network(cores):
    """An on-chip network without area and power."""
    nothing = 0.0 * cores
    return nothing, nothing * 1.0, nothing * 1.0, nothing * 1.0


@quantity(unit="J", source=MCPAT, valid={"on_chip_network_outside_tables": (0, 0)})
def on_chip_network_dynamic_energy(
    instructions,
    running_threads,
    l3_size,
    l3_accesses,
    dram_accesses,
    on_chip_access_energy,
    on_chip_network_outside_tables,
):
    """Energy of accesses to level 3 and to the memory in the on-chip network, of all threads."""
    accesses = np.where(np.greater(l3_size, 0.0), l3_accesses, 0.0) + dram_accesses
    return instructions * running_threads * accesses * on_chip_access_energy


@quantity(unit="1", source="ours: as many as the bandwidth needs")
def memory_controllers(dram_bandwidth, controller_bandwidth):
    """Memory controllers of one 64-bit channel."""
    return np.ceil(dram_bandwidth / controller_bandwidth * (1.0 - _HAIR))


@quantities(
    gives={
        "memory_interface_area": "m^2",
        "memory_interface_static_power": "W",
        "controller_constant_power": "W",
        "controller_line_energy": "J",
        "memory_interface_outside_tables": "1",
    },
    source=f"{MCPAT}: high-performance controllers with the interface to the pins",
    valid=FACTORS,
    points_only=True,
    dimensional=False,
    reason="a table over rates in bytes",
)
def controller_tables(memory_controllers, controller_bandwidth, technology, temperature):
    """Area, leakage and constant power of all memory controllers, and energy of a line in one of them."""
    area, leakage, energy, constant, outside = _looked_up("controller", controller_bandwidth, technology, temperature)
    return memory_controllers * area, memory_controllers * leakage, memory_controllers * constant, energy, outside


@quantities(
    gives=_INTERFACE,
    source=f"{MCPAT}: high-performance controllers with the interface to the pins",
    valid={"dram_link_bandwidth": (0.0, _FASTEST_MODULE)},
    slot="memory_interface",
    provider="modules",
    default=True,
)
def module_interface(controller_constant_power, controller_line_energy, dram_link_bandwidth):
    """Constant power, and energy of a line, of the interface to modules on a board."""
    return controller_constant_power * 1.0, controller_line_energy * 1.0


@quantities(
    gives=_INTERFACE,
    source="an energy per bit, of whose peak a tenth is there at any load as in McPAT (confidence low)",
    valid={"dram_link_bandwidth": (_FASTEST_MODULE, np.inf)},
    slot="memory_interface",
    provider="stacks",
)
def stack_interface(stack_interface_energy, cache_line, dram_bandwidth, dram_link_bandwidth):
    """Constant power, and energy of a line, of the interface to stacks beside the chip."""
    return 0.1 * stack_interface_energy * dram_bandwidth, stack_interface_energy * cache_line


@quantity(unit="J", source=MCPAT, valid={"memory_interface_outside_tables": (0, 0)})
def memory_interface_dynamic_energy(
    instructions,
    running_threads,
    dram_accesses,
    memory_interface_line_energy,
    memory_interface_constant_power,
    run_time,
    memory_interface_outside_tables,
):
    """Energy of the lines of all threads in the interface to the memory, and of what works there at any load."""
    lines = instructions * running_threads * dram_accesses
    return lines * memory_interface_line_energy + memory_interface_constant_power * run_time
