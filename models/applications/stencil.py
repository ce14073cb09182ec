"""A three-dimensional stencil: every node updates a cube of points and exchanges its six faces with its neighbours.

The memory reads and writes every point once per step where the planes that an update spans stay in cache; where they
do not (component ``from-cache`` of the slot ``stencil_traffic``), every plane is read again.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

_WORD = 8.0  # bytes of a number
_SPREAD = "ours: an even spread over the machine"

stencil_points = parameter(unit="1", doc="Points of the grid, all nodes together", minimum=1)
stencil_steps = parameter(unit="1", doc="Time steps", minimum=1)
stencil_radius = assumption(
    4,
    unit="1",
    source="ours: a stencil of eighth order, as seismic codes use",
    doc="Points to each side",
    minimum=1,
    integer=True,
)
stencil_peak_share = assumption(
    0.5, unit="1", source="ours: additions outnumber multiplications (confidence low)",
    doc="Share of the peak rate the arithmetic of a stencil reaches", above=0, maximum=1,
)  # fmt: skip
core_cache = parameter(unit="B", doc="Cache of a core that keeps what it works on", above=0)
cores_per_node = parameter(unit="1", doc="Cores of a node, each with a part of its points", minimum=1)


@quantity(unit="1", source="a multiplication and two additions per pair of neighbours, two operations for the centre")
def stencil_operations(stencil_points, stencil_steps, stencil_radius):
    """Floating-point operations of all steps."""
    return stencil_points * stencil_steps * (9.0 * stencil_radius + 2.0)


@quantity(
    unit="B",
    name="stencil_bytes_per_point",
    source="ours: a point is read, its line allocated and written; planes stay in cache",
    slot="stencil_traffic",
    provider="ideal",
    default=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def ideal_stencil_bytes(stencil_radius):
    """Bytes between memory and processor per point and step."""
    return 3.0 * _WORD + 0.0 * stencil_radius


@quantity(
    unit="B",
    name="stencil_bytes_per_point",
    source="ours: where the planes of an update do not fit, each is read again",
    slot="stencil_traffic",
    provider="from-cache",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def cached_stencil_bytes(stencil_points, nodes, cores_per_node, core_cache, stencil_radius):
    """Bytes between memory and processor per point and step, by what the cache of a core holds."""
    side = np.cbrt(stencil_points / (nodes * cores_per_node))
    planes = (2.0 * stencil_radius + 1.0) * side * side * _WORD
    return 3.0 * _WORD + np.where(core_cache >= planes, 0.0, 2.0 * stencil_radius * _WORD)


@quantity(unit="s", source=_SPREAD)
def stencil_arithmetic_time(stencil_operations, nodes, node_peak_flop_rate, stencil_peak_share):
    """Time of the arithmetic."""
    return stencil_operations / nodes / (node_peak_flop_rate * stencil_peak_share)


@quantity(unit="s", source=_SPREAD)
def stencil_memory_time(stencil_points, stencil_steps, stencil_bytes_per_point, nodes, node_memory_bandwidth):
    """Time of the traffic to and from the memories."""
    return stencil_points * stencil_steps * stencil_bytes_per_point / nodes / node_memory_bandwidth


@quantity(unit="s", source="roofline: the slower of the two", max_of=("stencil_arithmetic_time", "stencil_memory_time"))
def stencil_compute_time(stencil_arithmetic_time, stencil_memory_time):
    """Time within the nodes."""
    return np.maximum(stencil_arithmetic_time, stencil_memory_time)


@quantity(
    unit="s",
    source="six faces of a cube, as deep as the stencil reaches, and a message each",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def stencil_halo_time(stencil_points, stencil_steps, stencil_radius, nodes, halo_bandwidth, message_latency):
    """Time of the exchange of faces."""
    side = np.cbrt(stencil_points / nodes)
    faces = 6.0 * side * side * stencil_radius * _WORD
    return stencil_steps * (faces / halo_bandwidth + 6.0 * message_latency)


@quantity(
    unit="s",
    label="time of the stencil",
    source="no overlap of computing and exchanging",
    sum_of=("stencil_compute_time", "stencil_halo_time"),
)
def stencil_time(stencil_compute_time, stencil_halo_time):
    """Time of all steps."""
    return stencil_compute_time + stencil_halo_time
