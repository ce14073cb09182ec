"""What the machine has of its network: the pattern and the routing chosen, the process grid, latency of a message."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, assumption, parameter, quantities, quantity
from dse.models.network.patterns.pattern_quantities import PROCESS_QUANTITIES, QUANTITIES
from dse.models.network.patterns.process_grid import most_square
from dse.models.sources import ANGHEL_2017

__all__ = ["OF_PROCESSES", "mapping_functions", "pattern_functions"]

process_grid_x = parameter(unit="1", doc="Processes along dimension 1 of a given grid", minimum=1, integer=True)
process_grid_y = parameter(unit="1", doc="Processes along dimension 2 of a given grid", minimum=1, integer=True)
process_grid_z = parameter(unit="1", doc="Processes along dimension 3 of a given grid", minimum=1, integer=True)
_ONE_LEVEL = "ours: no such level or dimension"
tile_1_x = parameter(unit="1", doc="Outer tile of processes along dimension 1, 0 for none", minimum=0, integer=True)
tile_1_y = parameter(unit="1", doc="Outer tile of processes along dimension 2, 0 for none", minimum=0, integer=True)
tile_1_z = assumption(
    0, unit="1", source=_ONE_LEVEL, doc="Outer tile of processes along dimension 3", minimum=0, integer=True
)
tile_2_x = assumption(
    0, unit="1", source=_ONE_LEVEL, doc="Inner tile of processes along dimension 1", minimum=0, integer=True
)
tile_2_y = assumption(
    0, unit="1", source=_ONE_LEVEL, doc="Inner tile of processes along dimension 2", minimum=0, integer=True
)
tile_2_z = assumption(
    0, unit="1", source=_ONE_LEVEL, doc="Inner tile of processes along dimension 3", minimum=0, integer=True
)
node_latency = assumption(
    0.9e-6,
    unit="s",
    source=f"{ANGHEL_2017}, Section 7.2",
    doc="Latency of the message passing software of a node",
    minimum=0,
)
switch_latency = assumption(
    0.7e-6, unit="s", source=f"{ANGHEL_2017}, Section 7.2", doc="Latency of one switch", minimum=0
)


def _square(nodes: Any, dimensions: int) -> tuple[np.ndarray, ...]:
    counts = np.asarray(nodes)
    sides = np.array([most_square(int(count), dimensions) for count in counts.reshape(-1)], dtype=float)
    return tuple(sides[:, side].reshape(counts.shape) for side in range(dimensions))


@quantities(
    gives={"process_grid_2d_x": "1", "process_grid_2d_y": "1"},
    source="ours: the smallest sum of sides",
    slot="process_grid",
    provider="most-square",
    default=True,
    points_only=True,
)
def most_square_2d(nodes):
    """Sides of the process grid of two dimensions that is nearest to a square, the longer side first."""
    return _square(nodes, 2)


@quantities(
    gives={"process_grid_3d_x": "1", "process_grid_3d_y": "1", "process_grid_3d_z": "1"},
    source="ours: the smallest sum of sides",
    slot="process_grid",
    provider="most-square",
    default=True,
    points_only=True,
)
def most_square_3d(nodes):
    """Sides of the process grid of three dimensions that is nearest to a cube, the longest side first."""
    return _square(nodes, 3)


@quantities(
    gives={"process_grid_2d_x": "1", "process_grid_2d_y": "1"},
    source="the study",
    slot="process_grid",
    provider="given",
)
def given_2d(process_grid_x, process_grid_y):
    """Sides of the process grid of two dimensions as the study gives them."""
    return process_grid_x * 1.0, process_grid_y * 1.0


@quantities(
    gives={"process_grid_3d_x": "1", "process_grid_3d_y": "1", "process_grid_3d_z": "1"},
    source="the study",
    slot="process_grid",
    provider="given",
)
def given_3d(process_grid_x, process_grid_y, process_grid_z):
    """Sides of the process grid of three dimensions as the study gives them."""
    return process_grid_x * 1.0, process_grid_y * 1.0, process_grid_z * 1.0


@quantity(
    unit="1",
    name="sub_domain_mapping",
    source=f"{ANGHEL_2017}, Section 5.6: one sub-domain per switch and subtree",
    slot="process_mapping",
    provider="sub-domains",
    default=True,
)
def sub_domains():
    """Tiles of the process grid fill switches and subtrees where they fit (then 1)."""
    return np.ones(1)


@quantity(
    unit="1",
    name="sub_domain_mapping",
    source=f"{ANGHEL_2017}, Section 5.6.1: ranks in the order of the nodes",
    slot="process_mapping",
    provider="linear",
)
def linear():
    """Rank r runs on node r (then 0)."""
    return np.zeros(1)


@quantity(
    unit="1",
    name="sub_domain_mapping",
    source=f"{ANGHEL_2017}, Section 5.6: sub-domains of any shape",
    slot="process_mapping",
    provider="tiles",
)
def given_tiles():
    """No tiles of its own choice (then 0): those of the study."""
    return np.zeros(1)


_TILES_2D = dict.fromkeys(("process_tile_1_x", "process_tile_1_y", "process_tile_2_x", "process_tile_2_y"), "1")
_TILES_3D = dict.fromkeys(("process_tile_1_z", "process_tile_2_z"), "1")


def _no_tiles_2d() -> tuple[np.ndarray, ...]:
    return (np.zeros(1),) * 4


def _no_tiles_3d() -> tuple[np.ndarray, ...]:
    return (np.zeros(1),) * 2


def mapping_functions() -> dict[str, ModelFunction]:
    """Return the functions that say that a study gives no tiles, for the mappings that do without."""
    functions: dict[str, ModelFunction] = {}
    for provider in ("sub-domains", "linear"):
        for gives, function in ((_TILES_2D, _no_tiles_2d), (_TILES_3D, _no_tiles_3d)):
            label = f"{provider}{function.__name__}".replace("-", "_")
            functions[label] = ModelFunction(
                name=label,
                function=function,
                needs=(),
                gives=gives,
                source="ours: no tiles of the study",
                doc="Sides of the tiles of the study: none (then 0).",
                slot="process_mapping",
                provider=provider,
                default=provider == "sub-domains",
                module="network",
            )
    return functions


@quantities(gives=_TILES_2D, source="the study", slot="process_mapping", provider="tiles")
def tiles_2d(tile_1_x, tile_1_y, tile_2_x, tile_2_y):
    """Sides of the tiles along dimensions 1 and 2 as the study gives them; 0 for linear mapping."""
    return tile_1_x * 1.0, tile_1_y * 1.0, tile_2_x * 1.0, tile_2_y * 1.0


@quantities(gives=_TILES_3D, source="the study", slot="process_mapping", provider="tiles")
def tiles_3d(tile_1_z, tile_2_z):
    """Sides of the tiles along dimension 3 as the study gives them; 0 where it has two dimensions."""
    return tile_1_z * 1.0, tile_2_z * 1.0


@quantity(unit="text", source="the study", slot="process_mapping", provider="tiles", points_only=True)
def mapping_name(tile_1_x, tile_1_y, tile_1_z, tile_2_x, tile_2_y, tile_2_z):
    """The tiles in words: the outer, then the inner one; linear without."""
    sides = np.broadcast_arrays(tile_1_x, tile_1_y, tile_1_z, tile_2_x, tile_2_y, tile_2_z)
    rows = np.stack([side.reshape(-1) for side in sides], axis=1).astype(int).tolist()
    names = np.array([_row_text(row) for row in rows], dtype=object)
    return names.reshape(sides[0].shape)


def _row_text(row: list[int]) -> str:
    levels = ["×".join(str(side) for side in level if side) for level in (row[:3], row[3:]) if any(level)]
    return " of ".join(levels) or "linear"


_BANDWIDTH = {"minimal_bandwidth": "B/s"}
OF_PROCESSES = {
    "process_bandwidth": "B/s",
    "inside_fraction": "1",
    "process_link_latency": "s",
    "process_links": "1",
    "process_optical_links": "1",
}
_PATH = {"minimal_link_latency": "s", "minimal_links": "1", "minimal_optical_links": "1"}


def pattern_functions() -> dict[str, ModelFunction]:
    """Return the components of the slot ``pattern``: each hands on the quantities of one pattern."""
    functions: dict[str, ModelFunction] = {}
    for provider, pattern in QUANTITIES.items():
        path = (pattern.link_latency, pattern.links, pattern.optical_links)
        for name, needs, gives, doc in (
            ("bandwidth", (pattern.bandwidth,), _BANDWIDTH, "Effective bandwidth"),
            ("path", path, _PATH, "Mean link latency, links and optical links of a path"),
        ):
            label = f"chosen_{pattern.prefix}_{name}"
            functions[label] = ModelFunction(
                name=label,
                function=_handed_on,
                needs=needs,
                gives=gives,
                source=f"the study: pattern {provider}",
                doc=f"{doc} of the pattern {provider} with minimal routing.",
                slot="pattern",
                provider=provider,
                default=provider == "uniform",
                module="network",
            )
    for process_pattern in PROCESS_QUANTITIES.values():
        for provider in process_pattern.providers:
            label = f"chosen_{QUANTITIES[provider].prefix}_of_processes"
            functions[label] = ModelFunction(
                name=label,
                function=_handed_on,
                needs=(
                    process_pattern.bandwidth,
                    process_pattern.inside_fraction,
                    process_pattern.link_latency,
                    process_pattern.links,
                    process_pattern.optical_links,
                ),
                gives=OF_PROCESSES,
                source=f"the study: pattern {provider}",
                doc=f"What processes of shared nodes have of the network, pattern {provider} with minimal routing.",
                slot="pattern",
                provider=provider,
                default=provider == "uniform",
                module="network",
            )
    return functions


def _handed_on(*values: Any) -> Any:
    return tuple(value * 1.0 for value in values) if len(values) > 1 else values[0] * 1.0


_ROUTED = {"link_latency": "s", "path_links": "1", "path_optical_links": "1"}
_MINIMAL = f"{ANGHEL_2017}, Section 5.3: minimal routing"
_VALIANT = "ours: twice the uniform loads, whatever the pattern"
_BEST = "ours: the better of minimal and Valiant"


@quantity(unit="B/s", name="effective_bandwidth", source=_MINIMAL, slot="routing", provider="minimal", default=True)
def minimal_effective_bandwidth(minimal_bandwidth):
    """Effective bandwidth of a node over shortest paths."""
    return minimal_bandwidth * 1.0


@quantities(gives=_ROUTED, source=_MINIMAL, slot="routing", provider="minimal", default=True)
def minimal_path(minimal_link_latency, minimal_links, minimal_optical_links):
    """Mean link latency, links and optical links of a shortest path."""
    return minimal_link_latency * 1.0, minimal_links * 1.0, minimal_optical_links * 1.0


@quantity(unit="B/s", name="effective_bandwidth", source=_VALIANT, slot="routing", provider="valiant")
def valiant_effective_bandwidth(valiant_bandwidth):
    """Effective bandwidth of a node over random intermediate switches."""
    return valiant_bandwidth * 1.0


@quantities(gives=_ROUTED, source=_VALIANT, slot="routing", provider="valiant")
def valiant_path(valiant_link_latency, valiant_links, valiant_optical_links):
    """Mean link latency, links and optical links of a path over a random intermediate switch."""
    return valiant_link_latency * 1.0, valiant_links * 1.0, valiant_optical_links * 1.0


@quantity(unit="B/s", name="effective_bandwidth", source=_BEST, slot="routing", provider="best")
def best_effective_bandwidth(minimal_bandwidth, valiant_bandwidth):
    """Effective bandwidth of a node with the routing that has more."""
    return np.maximum(minimal_bandwidth, valiant_bandwidth)


@quantities(gives=_ROUTED, source=_BEST, slot="routing", provider="best")
def best_path(
    minimal_bandwidth,
    minimal_link_latency,
    minimal_links,
    minimal_optical_links,
    valiant_bandwidth,
    valiant_link_latency,
    valiant_links,
    valiant_optical_links,
):
    """Mean link latency, links and optical links of a path with the routing that has more bandwidth."""
    short = minimal_bandwidth >= valiant_bandwidth
    return (
        np.where(short, minimal_link_latency, valiant_link_latency),
        np.where(short, minimal_links, valiant_links),
        np.where(short, minimal_optical_links, valiant_optical_links),
    )


@quantity(unit="1", name="bandwidth_processes", source=_MINIMAL, slot="routing", provider="minimal", default=True)
def minimal_bandwidth_processes(nodes):
    """Processes of a node that the effective bandwidth is for one of: one has the node for itself."""
    return 1.0 + 0.0 * nodes


@quantity(unit="1", name="bandwidth_processes", source=_VALIANT, slot="routing", provider="valiant")
def valiant_bandwidth_processes(nodes):
    """Processes of a node that the effective bandwidth is for one of: one has the node for itself."""
    return 1.0 + 0.0 * nodes


@quantity(unit="1", name="bandwidth_processes", source=_BEST, slot="routing", provider="best")
def best_bandwidth_processes(nodes):
    """Processes of a node that the effective bandwidth is for one of: one has the node for itself."""
    return 1.0 + 0.0 * nodes


_SHARED = "ours: minimal routing for the messages of a process that leave a node which it shares"


@quantity(unit="B/s", name="effective_bandwidth", source=_SHARED, slot="routing", provider="minimal-of-processes")
def process_effective_bandwidth(process_bandwidth):
    """Effective bandwidth of a process for the messages that leave its node, over shortest paths."""
    return process_bandwidth * 1.0


@quantities(gives=_ROUTED, source=_SHARED, slot="routing", provider="minimal-of-processes")
def process_path(process_link_latency, process_links, process_optical_links):
    """Mean link latency, links and optical links of a shortest path of a message that leaves its node."""
    return process_link_latency * 1.0, process_links * 1.0, process_optical_links * 1.0


@quantity(unit="1", name="bandwidth_processes", source=_SHARED, slot="routing", provider="minimal-of-processes")
def shared_bandwidth_processes(processes_per_node):
    """Processes of a node that the effective bandwidth is for one of: all that share it."""
    return processes_per_node * 1.0


@quantity(unit="1", source=f"{ANGHEL_2017}, Section 6.2")
def path_switches(path_links):
    """Mean number of switches on a path: one less than links."""
    return path_links - 1.0


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.4 without the size of the message")
def network_latency(node_latency, link_latency, path_switches, switch_latency):
    """Mean latency of a message: software of the node, links, switches."""
    return node_latency + link_latency + path_switches * switch_latency
