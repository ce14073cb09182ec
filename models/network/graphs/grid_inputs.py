"""What a study gives a torus and a HyperX: the sizes of their dimensions, and the quantities behind their symbols."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter
from dse.models.network.graphs.grid import class_name
from dse.models.network.graphs.links import NODE

__all__ = ["DIMENSIONS", "GRID_BANDWIDTHS", "GRID_LATENCIES", "GRID_OPTICAL", "GRID_SIZES"]

_ONE = "one switch along a dimension: the network has fewer dimensions"

dimension_1 = parameter(unit="1", doc="Switches along dimension 1 of a torus or HyperX", minimum=1, integer=True)
dimension_2 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 2", minimum=1, integer=True)
dimension_3 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 3", minimum=1, integer=True)
dimension_4 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 4", minimum=1, integer=True)
dimension_5 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 5", minimum=1, integer=True)
dimension_6 = assumption(1, unit="1", source=_ONE, doc="Switches along dimension 6", minimum=1, integer=True)

DIMENSIONS = ("dimension_1", "dimension_2", "dimension_3", "dimension_4", "dimension_5", "dimension_6")
"""The dimensions a study may give a torus or a HyperX."""

GRID_SIZES: dict[str, str | tuple[str, ...]] = {"d": DIMENSIONS, "p": "nodes_per_switch"}
GRID_BANDWIDTHS: dict[str, str | tuple[str, ...]] = {
    "b0": "node_link_bandwidth",
    "b": ("switch_link_bandwidth",) * len(DIMENSIONS),
}
GRID_LATENCIES: dict[str, str | tuple[str, ...]] = {
    "l0": "node_link_latency",
    "l": ("switch_link_latency",) * len(DIMENSIONS),
}
GRID_OPTICAL = {NODE: "optical_node_share"} | {
    class_name(position): "optical_switch_share" for position in range(len(DIMENSIONS))
}
