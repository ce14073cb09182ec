"""The shapes are what the network models take for possible: their nodes, their ports, and no fault."""

import numpy as np
import pytest

from dse.authoring.library.library import find_enumeration
from dse.models.network import network_parts, shape_faults

LOW, HIGH, RADIX = 400, 500, 48


def parameters(name, c):
    """Return columns under the symbols of the specification."""
    if name == "full-mesh":
        return {"a": c["mesh_switches"], "p": c["nodes_per_switch"]}
    if name.startswith("fat-tree"):
        names = {f"m{level}": f"tree_children_{level}" for level in (1, 2, 3)}
        names |= {f"w{level}": f"tree_uplinks_{level}" for level in (0, 1, 2)}
        return {symbol: c[column] for symbol, column in names.items() if column in c}
    if name == "dragonfly":
        return {"a": c["group_switches"], "p": c["nodes_per_switch"], "h": c["global_ports"], "g": c["groups"]}
    if name == "slim-fly":
        return {"q": c["field_order"], "p": c["nodes_per_switch"]}
    if name == "skywalk":
        sizes = ("skywalk_switches", "cabinets", "switch_degree", "nodes_per_switch")
        return dict(zip("sckp", (c[size] for size in sizes), strict=True))
    return {"d": [c[f"dimension_{place}"] for place in range(1, 7)], "p": c["nodes_per_switch"]}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("full-mesh", {}),
        ("fat-tree-2-level", {"taper": [0.5, 1, 2], "node_links": 2}),
        ("fat-tree-3-level", {"taper": [1, 1.5, 2]}),
        ("torus", {}),
        ("hyperx", {"dimensions": [1, 2, 3, 4]}),
        ("dragonfly", {}),
        ("slim-fly", {}),
        ("skywalk", {"switches_per_cabinet": [2, 4], "switch_links": [5, 8], "nodes_per_switch": [4, 8]}),
    ],
)
def test_the_models_agree(name, options):
    found = find_enumeration(f"network.{name}").rows({"nodes": [LOW, HIGH], "radix": RADIX, **options})
    given = parameters(name, found.columns)
    parts = network_parts(name, given)
    assert np.min(parts.nodes) >= LOW
    assert np.max(parts.nodes) <= HIGH
    assert np.max(parts.ports) <= RADIX
    for reason, mask in shape_faults(name, given, radix=RADIX):
        assert not np.any(mask), reason
