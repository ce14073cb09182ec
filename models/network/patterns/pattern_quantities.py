"""The quantities of every pattern: the one table of their names, for the components of topologies and the patterns.

A pattern's name is part of the names of its quantities (``shift_bandwidth``, ``shift_links``), so a study can ask for
several at once; the slots ``pattern`` and ``routing`` (module `traffic_choice`) choose the ones of the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

__all__ = ["PROCESS_QUANTITIES", "QUANTITIES", "VALIANT", "Pattern", "ProcessPattern"]


@dataclass(frozen=True)
class Pattern:
    """A pattern as quantities know it.

    Attributes
    ----------
    prefix : str
        What the names of its model functions have in them.
    pattern : str
        A key of `patterns.PATTERNS`, or "valiant".
    bandwidth, routed, bottleneck, link_latency, links, optical_links : str
        Its quantities: effective bandwidth of a node, whether flows were routed for it, the class of links that limits;
        mean latency of the links on a path, mean links, and mean optical links among them.
    options : dict
        Fixed parameters.
    inputs : dict of str to str
        Parameters that come from quantities.
    grid : tuple of str
        The sides of the process grid, for nearest neighbours.
    tiles : tuple of tuple of str
        The sides of the tiles that the study maps the grid with, the outer first; 0 where it gives none.
    """

    prefix: str
    pattern: str
    bandwidth: str
    routed: str
    bottleneck: str
    link_latency: str
    links: str
    optical_links: str
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    grid: tuple[str, ...] = ()
    tiles: tuple[tuple[str, ...], ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Quantities it reads."""
        mapping = ("sub_domain_mapping", *chain(*self.tiles)) if self.grid else ()
        return (*self.inputs.values(), *self.grid, *mapping)


QUANTITIES: dict[str, Pattern] = {
    "uniform": Pattern(
        "uniform",
        "uniform",
        bandwidth="uniform_bandwidth",
        routed="uniform_routed",
        bottleneck="uniform_bottleneck",
        link_latency="uniform_link_latency",
        links="uniform_links",
        optical_links="uniform_optical_links",
    ),
    "uniform-without-self": Pattern(
        "uniform_without_self",
        "uniform",
        bandwidth="uniform_without_self_bandwidth",
        routed="uniform_without_self_routed",
        bottleneck="uniform_without_self_bottleneck",
        link_latency="uniform_without_self_link_latency",
        links="uniform_without_self_links",
        optical_links="uniform_without_self_optical_links",
        options={"include_self": False},
    ),
    "shift": Pattern(
        "shift",
        "shift",
        bandwidth="shift_bandwidth",
        routed="shift_routed",
        bottleneck="shift_bottleneck",
        link_latency="shift_link_latency",
        links="shift_links",
        optical_links="shift_optical_links",
        inputs={"step": "shift_step"},
    ),
    "neighbour-2d": Pattern(
        "neighbour_2d",
        "nearest-neighbour",
        bandwidth="neighbour_2d_bandwidth",
        routed="neighbour_2d_routed",
        bottleneck="neighbour_2d_bottleneck",
        link_latency="neighbour_2d_link_latency",
        links="neighbour_2d_links",
        optical_links="neighbour_2d_optical_links",
        grid=("process_grid_2d_x", "process_grid_2d_y"),
        tiles=(("process_tile_1_x", "process_tile_1_y"), ("process_tile_2_x", "process_tile_2_y")),
    ),
    "neighbour-3d": Pattern(
        "neighbour_3d",
        "nearest-neighbour",
        bandwidth="neighbour_3d_bandwidth",
        routed="neighbour_3d_routed",
        bottleneck="neighbour_3d_bottleneck",
        link_latency="neighbour_3d_link_latency",
        links="neighbour_3d_links",
        optical_links="neighbour_3d_optical_links",
        grid=("process_grid_3d_x", "process_grid_3d_y", "process_grid_3d_z"),
        tiles=(
            ("process_tile_1_x", "process_tile_1_y", "process_tile_1_z"),
            ("process_tile_2_x", "process_tile_2_y", "process_tile_2_z"),
        ),
    ),
    "complement": Pattern(
        "complement",
        "complement",
        bandwidth="complement_bandwidth",
        routed="complement_routed",
        bottleneck="complement_bottleneck",
        link_latency="complement_link_latency",
        links="complement_links",
        optical_links="complement_optical_links",
    ),
    "transpose": Pattern(
        "transpose",
        "transpose",
        bandwidth="transpose_bandwidth",
        routed="transpose_routed",
        bottleneck="transpose_bottleneck",
        link_latency="transpose_link_latency",
        links="transpose_links",
        optical_links="transpose_optical_links",
    ),
    "bit-reversal": Pattern(
        "bit_reversal",
        "bit-reversal",
        bandwidth="bit_reversal_bandwidth",
        routed="bit_reversal_routed",
        bottleneck="bit_reversal_bottleneck",
        link_latency="bit_reversal_link_latency",
        links="bit_reversal_links",
        optical_links="bit_reversal_optical_links",
    ),
    "butterfly": Pattern(
        "butterfly",
        "butterfly",
        bandwidth="butterfly_bandwidth",
        routed="butterfly_routed",
        bottleneck="butterfly_bottleneck",
        link_latency="butterfly_link_latency",
        links="butterfly_links",
        optical_links="butterfly_optical_links",
    ),
    "exchange": Pattern(
        "exchange",
        "exchange",
        bandwidth="exchange_bandwidth",
        routed="exchange_routed",
        bottleneck="exchange_bottleneck",
        link_latency="exchange_link_latency",
        links="exchange_links",
        optical_links="exchange_optical_links",
        inputs={"exchange_bit": "exchange_bit"},
    ),
    "tornado": Pattern(
        "tornado",
        "tornado",
        bandwidth="tornado_bandwidth",
        routed="tornado_routed",
        bottleneck="tornado_bottleneck",
        link_latency="tornado_link_latency",
        links="tornado_links",
        optical_links="tornado_optical_links",
    ),
}
"""Patterns by the name of their component in the slot ``pattern``."""

VALIANT = Pattern(
    "valiant",
    "valiant",
    bandwidth="valiant_bandwidth",
    routed="valiant_routed",
    bottleneck="valiant_bottleneck",
    link_latency="valiant_link_latency",
    links="valiant_links",
    optical_links="valiant_optical_links",
)
"""Any pattern over random intermediate switches."""


@dataclass(frozen=True)
class ProcessPattern:
    """A pattern of the processes of shared nodes, as quantities know it.

    Attributes
    ----------
    pattern : str
        A key of `patterns.PATTERNS`.
    providers : tuple of str
        The components of the slot ``pattern`` that mean it.
    bandwidth, routed, inside_fraction, link_latency, links, optical_links : str
        Its quantities, as of `shared_nodes.ProcessTraffic`, with the optical links among them.
    inputs : dict of str to str
        Parameters that come from quantities, in ranks.
    """

    pattern: str
    providers: tuple[str, ...]
    bandwidth: str
    routed: str
    inside_fraction: str
    link_latency: str
    links: str
    optical_links: str
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """Quantities it reads."""
        return ("processes_per_node", *self.inputs.values())


PROCESS_QUANTITIES: dict[str, ProcessPattern] = {
    "uniform": ProcessPattern(
        "uniform",
        ("uniform", "uniform-without-self"),
        bandwidth="uniform_process_bandwidth",
        routed="uniform_process_routed",
        inside_fraction="uniform_inside_fraction",
        link_latency="uniform_process_link_latency",
        links="uniform_process_links",
        optical_links="uniform_process_optical_links",
    ),
    "shift": ProcessPattern(
        "shift",
        ("shift",),
        bandwidth="shift_process_bandwidth",
        routed="shift_process_routed",
        inside_fraction="shift_inside_fraction",
        link_latency="shift_process_link_latency",
        links="shift_process_links",
        optical_links="shift_process_optical_links",
        inputs={"step": "shift_step"},
    ),
    "complement": ProcessPattern(
        "complement",
        ("complement",),
        bandwidth="complement_process_bandwidth",
        routed="complement_process_routed",
        inside_fraction="complement_inside_fraction",
        link_latency="complement_process_link_latency",
        links="complement_process_links",
        optical_links="complement_process_optical_links",
    ),
    "exchange": ProcessPattern(
        "exchange",
        ("exchange",),
        bandwidth="exchange_process_bandwidth",
        routed="exchange_process_routed",
        inside_fraction="exchange_inside_fraction",
        link_latency="exchange_process_link_latency",
        links="exchange_process_links",
        optical_links="exchange_process_optical_links",
        inputs={"exchange_bit": "exchange_bit"},
    ),
}
"""Patterns of several processes per node."""
