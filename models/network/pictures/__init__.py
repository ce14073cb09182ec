"""What networks look like: each topology drawn from its own parameters, small ones whole, large ones schematically.

A whole drawing has one line per cable and one box per switch; nodes are dots where there is room for all, else one
switch says how many it has.
"""

from dse.models.network.pictures.grids import draw_hyperx, draw_torus
from dse.models.network.pictures.meshes import draw_full_mesh
from dse.models.network.topologies.dragonfly.picture import draw_dragonfly
from dse.models.network.topologies.fat_tree.picture import draw_fat_tree_2, draw_fat_tree_3
from dse.models.network.topologies.slim_fly.picture import draw_slim_fly

__all__ = [
    "draw_dragonfly",
    "draw_fat_tree_2",
    "draw_fat_tree_3",
    "draw_full_mesh",
    "draw_hyperx",
    "draw_slim_fly",
    "draw_torus",
]
