"""Power of the network at rest, and energy of what it carries.

After Anghel 2017, Section 6.4 (Eqs. 6.9 to 6.12). Its network draws a constant power per switch and an energy per bit
and link crossed; links that are always on, power by port, and network cards are options of ours, off by default.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

switch_power = assumption(
    100.0, unit="W", source=f"{ANGHEL_2017}, Section 7.2: whatever the radix", doc="Power of one switch", minimum=0
)
switch_ports = parameter(unit="1", doc="Ports a switch has", minimum=1, integer=True)
enough_ports = requirement(
    "radix <= switch_ports",
    name="ports",
    source="ours: each end of a link takes a port",
    doc="a switch has a port for every link at it",
)
fast_ports = requirement(
    "fastest_link_bandwidth <= port_bandwidth",
    name="port_speed",
    source="ours: a link carries what the port at its end does",
    doc="no link is faster than the ports of the switches",
)
switches_draw = requirement(
    "switches_power > 0 W", name="switches_draw", source="ours", doc="switches draw nothing", warns=True
)
links_draw = requirement(
    "links_power > 0 W",
    name="links_draw",
    source="ours: cables that are always on draw the same with and without data",
    doc='links draw nothing at rest; link_power = "always-on" counts both ends of each',
    warns=True,
)
cards_draw = requirement(
    "nics_power > 0 W",
    name="cards_draw",
    source="ours: a card draws power whatever it carries",
    doc='network cards draw nothing; nic_power = "cards" counts them',
    warns=True,
)
port_power = parameter(unit="W", doc="Power of a switch per port in use", minimum=0)
electrical_end_power = assumption(
    0.1,
    unit="W",
    source="passive copper cables: an identification memory only (NVIDIA cable documents; confidence high)",
    doc="Power of one end of an electrical link that is always on",
    minimum=0,
)
optical_end_power = assumption(
    4.5,
    unit="W",
    source="QSFP56 200 Gb/s optical cable: at most 6 W (NVIDIA cabling guide), typical estimated (confidence medium)",
    doc="Power of one end of an optical link that is always on",
    minimum=0,
)
nic_power = parameter(unit="W", doc="Power of a network card", minimum=0)
nics_per_node = assumption(
    1,
    unit="1",
    label="network cards per node",
    source="ours: one card",
    doc="Network cards of a node",
    minimum=0,
    integer=True,
)
electrical_link_energy = assumption(
    70e-12 * 8,
    unit="J/B",
    source=f"{ANGHEL_2017}, Section 7.2: 70 pJ/bit",
    doc="Energy of a byte on an electrical link",
    minimum=0,
)
optical_link_energy = assumption(
    70e-12 * 8,
    unit="J/B",
    source=f"{ANGHEL_2017}, Section 7.2: 70 pJ/bit",
    doc="Energy of a byte on an optical link",
    minimum=0,
)
switch_energy = assumption(
    0.0,
    unit="J/B",
    source=f"{ANGHEL_2017}, Section 7.2 gives none",
    neglects="energy of bytes in switches",
    doc="Energy of a byte in a switch",
    minimum=0,
)


@quantity(
    unit="W",
    name="switches_power",
    source=f"{ANGHEL_2017}, Eq. 6.10",
    slot="switch_power",
    provider="constant",
    default=True,
)
def constant_switches_power(switches, switch_power):
    """Power of all switches, the same for each."""
    return switches * switch_power


@quantity(unit="1", source="ours: a port at each end of a link that is at a switch")
def ports_in_use(node_links, switch_links):
    """Ports of all switches that have a link: one per node link, two per link between switches."""
    return node_links + 2.0 * switch_links


@quantity(
    unit="W",
    name="switches_power",
    source="ours: in proportion to the ports in use",
    slot="switch_power",
    provider="per-port",
)
def per_port_switches_power(ports_in_use, port_power):
    """Power of all switches by ports in use."""
    return ports_in_use * port_power


@quantity(
    unit="W",
    name="switches_power",
    source="ours: a part that is the same for every switch, and one in proportion to the ports in use",
    slot="switch_power",
    provider="base-and-ports",
)
def base_and_ports_switches_power(switches, switch_power, ports_in_use, port_power):
    """Power of all switches, a constant for each and more by ports in use."""
    return switches * switch_power + ports_in_use * port_power


@quantity(
    unit="W",
    name="links_power",
    source=f"{ANGHEL_2017}, Section 6.4: links draw power when they carry data only",
    slot="link_power",
    provider="on-demand",
    default=True,
)
def on_demand_links_power(electrical_links):
    """Power of idle links: none."""
    return electrical_links * 0.0


@quantity(
    unit="W",
    name="links_power",
    source="ours: both ends of every link",
    slot="link_power",
    provider="always-on",
)
def always_on_links_power(electrical_links, optical_links, electrical_end_power, optical_end_power):
    """Power of links that are always on."""
    return 2.0 * (electrical_links * electrical_end_power + optical_links * optical_end_power)


@quantity(
    unit="W",
    name="nics_power",
    source=f"{ANGHEL_2017}: network cards are not modelled",
    slot="nic_power",
    provider="none",
    default=True,
)
def no_nics_power(nodes):
    """Power of the network cards: not counted."""
    return nodes * 0.0


@quantity(unit="W", name="nics_power", source="ours: the cards of every node", slot="nic_power", provider="cards")
def cards_nics_power(nodes, nics_per_node, nic_power):
    """Power of the network cards of all nodes."""
    return nodes * nics_per_node * nic_power


@quantity(
    unit="W",
    source=f"{ANGHEL_2017}, Eq. 6.10 (static part)",
    sum_of=("switches_power", "links_power", "nics_power"),
)
def network_power(switches_power, links_power, nics_power):
    """Power of the network at rest."""
    return switches_power + links_power + nics_power


@quantity(unit="W", source="this model")
def network_power_per_node(network_power, nodes):
    """Power of the network at rest per node."""
    return network_power / nodes


@quantity(
    unit="J/B",
    name="transfer_energy",
    source=f"{ANGHEL_2017}, Eq. 6.11",
    slot="link_power",
    provider="on-demand",
    default=True,
)
def on_demand_transfer_energy(
    path_links, path_optical_links, path_switches, electrical_link_energy, optical_link_energy, switch_energy
):
    """Energy of a byte that is sent, over all links and switches of its path."""
    electrical = path_links - path_optical_links
    return (
        electrical * electrical_link_energy + path_optical_links * optical_link_energy + path_switches * switch_energy
    )


@quantity(
    unit="J/B",
    name="transfer_energy",
    source=f"{ANGHEL_2017}, Eq. 6.11 without the links, which take the same with and without data",
    slot="link_power",
    provider="always-on",
)
def always_on_transfer_energy(path_switches, switch_energy):
    """Energy of a byte that is sent, over all switches of its path."""
    return path_switches * switch_energy
