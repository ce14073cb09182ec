"""Star: only its caption, for it is made up."""

from __future__ import annotations

from dse.authoring.picture import Box, Drawing, Kind, picture

__all__ = ["draw_star"]


@picture(title="Star", slot="topology", provider="star")
def draw_star(arms: float, nodes_per_switch: float) -> Drawing:
    """One box for the switch in the middle."""
    kinds = {"switch": Kind("ink", "1 switch")}
    return Drawing(420, 100, (Box(210, 50, 10, 10, "switch"),), kinds, "Star", "A switch in the middle.")
