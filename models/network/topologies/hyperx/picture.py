"""HyperX: one, two and three dimensions as they are, more as grids of grids."""

from __future__ import annotations

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.grids import grid_drawing

__all__ = ["draw_hyperx"]


@picture(title="HyperX", slot="topology", provider=("hyperx", "hyperx-dimension-order", "hyperx-as-printed"))
def draw_hyperx(
    dimension_1: float,
    dimension_2: float,
    dimension_3: float,
    dimension_4: float,
    dimension_5: float,
    dimension_6: float,
    nodes_per_switch: float,
    optical_node_share: float = 0.0,
    optical_switch_share: float = 1.0,
) -> Drawing:
    """Switches on a grid, each linked with every other of its line, in every dimension."""
    sizes = (dimension_1, dimension_2, dimension_3, dimension_4, dimension_5, dimension_6)
    return grid_drawing("HyperX", sizes, nodes_per_switch, (optical_node_share, optical_switch_share), ring_of=None)
