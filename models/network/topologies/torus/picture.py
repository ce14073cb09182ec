"""Torus: one, two and three dimensions as they are, more as grids of grids."""

from __future__ import annotations

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.grids import grid_drawing

__all__ = ["draw_torus"]


@picture(title="Torus", slot="topology", provider=("torus", "torus-as-printed"))
def draw_torus(
    dimension_1: float,
    dimension_2: float,
    dimension_3: float,
    dimension_4: float,
    dimension_5: float,
    dimension_6: float,
    nodes_per_switch: float,
    links_in_ring_of_two: float = 2.0,
    optical_node_share: float = 0.0,
    optical_switch_share: float = 1.0,
) -> Drawing:
    """Switches on a grid, each linked with its neighbours, the ends of every line too."""
    sizes = (dimension_1, dimension_2, dimension_3, dimension_4, dimension_5, dimension_6)
    shares = (optical_node_share, optical_switch_share)
    return grid_drawing("Torus", sizes, nodes_per_switch, shares, ring_of=2 if links_in_ring_of_two == 2 else 3)
