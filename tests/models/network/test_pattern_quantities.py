"""The one table of the names that patterns give their quantities."""

from dataclasses import fields

from dse.authoring.library.library import load_model
from dse.models.network.patterns.pattern_quantities import PROCESS_QUANTITIES, QUANTITIES, VALIANT

NAMES = ("bandwidth", "routed", "bottleneck", "link_latency", "links", "optical_links")
OF_PROCESSES = ("bandwidth", "routed", "inside_fraction", "link_latency", "links", "optical_links")
PARTS = {"nodes", "switches", "node_links", "switch_links", "electrical_links", "optical_links", "radix", "diameter"}


def test_every_quantity_of_every_component_stands_in_the_table():
    table = {getattr(pattern, name) for pattern in (*QUANTITIES.values(), VALIANT) for name in NAMES}
    given = {name for one in load_model("network").functions if one.slot == "topology" for name in one.gives}
    table |= {getattr(pattern, name) for pattern in PROCESS_QUANTITIES.values() for name in OF_PROCESSES}
    assert given == table | PARTS | {"bisection_bandwidth", "fastest_link_bandwidth"}


def test_names_follow_the_pattern():
    assert {*NAMES} <= {one.name for one in fields(VALIANT)}
    for pattern in (*QUANTITIES.values(), VALIANT):
        assert [getattr(pattern, name) for name in NAMES] == [f"{pattern.prefix}_{name}" for name in NAMES]
