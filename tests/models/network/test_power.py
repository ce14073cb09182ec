"""Power of the network at rest and energy of a byte, by hand (Anghel 2017, Section 6.4)."""

import pytest
from example_counts import sampled_product

from dse import Study
from dse.models.network import mean_path, network_parts

from .test_components import (
    COMPONENTS,
    CORRECTED,
    DESIGNS,
    MODEL,
    NODE,
    OPTICAL,
    SHARES,
    SWITCH,
    SYMBOLS,
    UPPER,
    parameters,
    study_of,
)

TREE = {f"tree_children_{level}": 64 for level in (1, 2, 3)}
TREE |= {"tree_uplinks_0": 1, "tree_uplinks_1": 64, "tree_uplinks_2": 64}
# bandwidth GB/s, links, latency of the links ns, of a message µs, switches, power kW, radix
LARGE = [
    (
        "hyperx",
        {"dimension_1": 64, "dimension_2": 64, "nodes_per_switch": 64},
        (5, 3.968758, 28.6251, 3.006755, 4096, 409.6, 190),
    ),
    (
        "hyperx",
        {"dimension_1": 32, "dimension_2": 32, "nodes_per_switch": 256},
        (0.625, 3.937507, 28.2501, 2.984505, 1024, 102.4, 318),
    ),
    (
        "torus",
        {
            **{"dimension_1": 16, "dimension_2": 16, "dimension_3": 8, "dimension_4": 8, "dimension_5": 16},
            "nodes_per_switch": 1,
        },
        (2.5, 18.000061, 197.0007, 12.997043, 262_144, 26_214.4, 11),
    ),
    ("fat-tree-3-level", TREE, (5, 5.968277, 52.6193, 4.430413, 12_288, 1228.8, 128)),
]


@pytest.mark.parametrize(("topology", "sizes", "published"), LARGE, ids=["HyperX 64", "HyperX 32", "torus", "tree"])
def test_the_study_of_262144_nodes(topology, sizes, published):
    """Bandwidth, path, latency, static power and radix of Anghel 2017, Section 7.2, with nothing but the defaults."""
    rates = {NODE: "5 GB/s", SWITCH: "5 GB/s"} | ({UPPER: "5 GB/s"} if topology == "fat-tree-3-level" else {})
    told = Study(
        {
            "name": "large",
            "models": ["network"],
            "objectives": [{"maximize": "effective_bandwidth"}, {"minimize": "network_power"}],
            "also": ["network_power_per_node", "network_latency", "transfer_energy", "radix"],
            "use": {"topology": topology},
            "set": {name: value for name, value in (sizes | rates).items() if name != NODE},
            "space": {"axes": {NODE: {"values": [rates[NODE]]}}},
        }
    ).evaluate({})
    bandwidth, links, link_latency, latency, switches, power, radix = published
    assert told["nodes"] == 262_144
    assert told["effective_bandwidth"] == pytest.approx(bandwidth * 1e9, rel=1e-12)
    assert told["path_links"] == pytest.approx(links, abs=5e-7)
    assert told["path_switches"] == pytest.approx(links - 1, abs=5e-7)
    assert told["link_latency"] == pytest.approx(link_latency * 1e-9, abs=5e-14)
    assert told["network_latency"] == pytest.approx(latency * 1e-6, abs=5e-13)
    assert (told["switches"], told["radix"]) == (switches, radix)
    assert told["network_power"] == pytest.approx(power * 1e3, rel=1e-12)
    assert told["network_power_per_node"] == pytest.approx(power * 1e3 / 262_144, rel=1e-12)
    # 70 pJ for every bit on every link, electrical and optical alike; nothing in switches.
    assert told["transfer_energy"] == pytest.approx(told["path_links"] * 70e-12 * 8, rel=1e-12)


def test_defaults_are_those_of_the_thesis():
    """Section 7.2: one latency for all links between switches, 100 W whatever the radix, nothing in switches."""
    found = {name: one.value for name, one in MODEL.assumptions.items()}
    latencies = {"node_link_latency": 2.5e-9, "node_latency": 0.9e-6, "switch_latency": 0.7e-6}
    latencies |= dict.fromkeys(("switch_link_latency", "upper_link_latency", "global_link_latency"), 12e-9)
    energies = {"electrical_link_energy": 560e-12, "optical_link_energy": 560e-12, "switch_energy": 0.0}
    for name, value in (latencies | energies | {"switch_power": 100.0}).items():
        assert found[name] == pytest.approx(value, rel=1e-12), name


ENERGIES = {"electrical_link_energy": 3e-10, "optical_link_energy": 5e-10, "switch_energy": 7e-10}
POWERS = {
    "switch_power": 80.0,
    "port_power": 6.0,
    "electrical_end_power": 0.25,
    "optical_end_power": 4.0,
    "nic_power": 9.0,
}


@pytest.mark.parametrize(("component", "values"), CORRECTED)
def test_energy_of_a_byte(component, values):
    """(h_elec e_elec + h_opt e_opt + s e_switch) 8 Data, here per byte; s = links - 1 (Eq. 6.11)."""
    topology, how, _ = COMPONENTS[component]
    path = mean_path(topology, parameters(topology, values), **how)
    optical = sum(SHARES[OPTICAL[name]] * links for name, links in path.by_class.items())
    told = study_of(component, values | ENERGIES, ["transfer_energy"]).evaluate({})["transfer_energy"]
    wanted = (path.links - optical) * 3e-10 + optical * 5e-10 + (path.links - 1) * 7e-10
    assert told == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("topology", "switches", "links", "cards"),
    sampled_product([*SYMBOLS], ["constant", "per-port"], ["on-demand", "always-on"], ["none", "cards"], each=3),
)
def test_power_of_the_network_at_rest(topology, switches, links, cards):
    """Switches, both ends of every link, cards, in every combination of the slots."""
    values = DESIGNS[topology][0]
    used = {"constant": ["switch_power"], "per-port": ["port_power"]}[switches]
    used = (
        used
        + ["electrical_end_power", "optical_end_power"] * (links == "always-on")
        + ["nic_power"] * (cards == "cards")
    )
    use = {"switch_power": switches, "link_power": links, "nic_power": cards}
    also = ["network_power", "network_power_per_node", "optical_links", "switches_power", "links_power", "nics_power"]
    told = study_of(topology, values | {name: POWERS[name] for name in used}, also, use).evaluate({})
    parts = network_parts(topology, parameters(topology, values))
    # A port for each end of a cable at a switch.
    ports = parts.node_links + 2 * parts.switch_links
    of_switches = {"constant": parts.switches * 80.0, "per-port": ports * 6.0}[switches]
    of_links = 2 * (parts.electrical_links * 0.25 + parts.optical_links * 4.0) if links == "always-on" else 0.0
    of_cards = parts.nodes * 9.0 if cards == "cards" else 0.0
    assert [told[name] for name in also[3:]] == pytest.approx([of_switches, of_links, of_cards], rel=1e-12)
    assert told["network_power"] == pytest.approx(of_switches + of_links + of_cards, rel=1e-12)
    assert told["network_power_per_node"] == pytest.approx(told["network_power"] / parts.nodes, rel=1e-12)


def test_ports_in_use_by_hand():
    """A tree of 8 switches of level 1 with 8 nodes and 4 uplinks, and 4 switches of level 2: 8·12 + 4·8 ports."""
    values = DESIGNS["fat-tree-2-level"][0] | {"port_power": 1.0}
    told = study_of("fat-tree-2-level", values, ["switches_power"], {"switch_power": "per-port"}).evaluate({})
    assert told["switches_power"] == 8 * 12 + 4 * 8
    # Two links per node: 4 switches of 16·2 + 3 ports, 3 of 4.
    values = DESIGNS["fat-tree-2-level"][1] | {"port_power": 1.0}
    told = study_of("fat-tree-2-level", values, ["switches_power"], {"switch_power": "per-port"}).evaluate({})
    assert told["switches_power"] == 4 * 35 + 3 * 4
