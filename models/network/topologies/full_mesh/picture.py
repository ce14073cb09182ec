"""Full mesh: switches on a circle."""

from __future__ import annotations

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.meshes import mesh_drawing
from dse.models.network.pictures.sketch import whole

__all__ = ["draw_full_mesh"]


@picture(title="Full mesh", slot="topology", provider=("full-mesh", "full-mesh-as-printed"))
def draw_full_mesh(
    mesh_switches: float, nodes_per_switch: float, optical_node_share: float = 0.0, optical_switch_share: float = 1.0
) -> Drawing:
    """Switches on a circle, each linked with each."""
    return mesh_drawing(
        whole(mesh_switches), whole(nodes_per_switch), "Full mesh", optical_node_share, optical_switch_share
    )
