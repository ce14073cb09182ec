"""What every topology has: sizes, link classes, counts, closed forms, and how flows are routed over it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.models.network.graphs.flow_routing import FlowNetwork
from dse.models.network.graphs.links import Traffic
from dse.models.network.patterns.process_grid import best_tiles

__all__ = ["Fault", "Formula", "LinkSpec", "NetworkParts", "Shape", "Tiles", "Topology", "ratio", "unknown_traffic"]

Shape = Mapping[str, Any]
"""Parameters by symbol as float arrays; those with one entry per dimension are tuples of arrays."""

Fault = tuple[str, Any]
"""A reason and a mask of the designs it holds for."""

Tiles = tuple[tuple[int, ...], ...]
"""Tiles of a process grid, one per level of hardware blocks, the outer first; () for linear mapping."""

Formula = Callable[["Topology", Shape, Mapping[str, Any]], dict[str, Traffic]]
"""From a topology, its shapes and the parameters of a pattern to load and traversals by link class."""


@dataclass(frozen=True)
class LinkSpec:
    """A class of links: its name, capacity of what its load is counted on (B/s), latency of one link (s), and kind.

    Where cables have lengths, `per_metre` is the latency of a metre (s/m), beside that of the link itself.
    """

    name: str
    capacity: Any
    latency: Any
    optical: bool
    per_metre: Any = None

    def latency_under(self, traffic: Traffic) -> Any:
        """Return the mean latency of the links of the class that messages cross, s."""
        return self.latency if self.per_metre is None else self.latency + self.per_metre * traffic.length


@dataclass(frozen=True)
class NetworkParts:
    """What a network is made of.

    Attributes
    ----------
    nodes, switches, node_links, switch_links : ndarray
        Numbers of nodes, of switches, of cables between nodes and switches, and of cables between switches.
    links : dict of str to ndarray
        Cables by link class.
    electrical_links, optical_links : ndarray
        Cables by kind, as the spec of each class says.
    ports : ndarray
        Ports of the switch that has most: the radix the topology needs.
    diameter : ndarray
        Largest number of links between switches on a shortest path.
    bisection_bandwidth : ndarray
        B/s in one direction over a cut into halves made of whole switches; NaN when no bandwidths are given. It is
        information, never the bandwidth of a pattern.
    bisection_exact : ndarray of bool
        False where it is an estimate (odd sizes) or an upper bound (dragonfly).
    """

    nodes: Any
    switches: Any
    node_links: Any
    switch_links: Any
    links: Mapping[str, Any]
    electrical_links: Any
    optical_links: Any
    ports: Any
    diameter: Any
    bisection_bandwidth: Any
    bisection_exact: Any


@dataclass(frozen=True)
class Topology(ABC):
    """One topology.

    Attributes
    ----------
    name : str
    sizes, bandwidths, latencies : dict of str to str
        Symbols of the parameters and what they are.
    per_dimension : frozenset of str
        Symbols with one entry per dimension.
    defaults : dict of str to float
        Sizes that need not be given.
    flags : dict of str to str
        Sizes that are True or False, and what each of the two means.
    lengths : dict of str to str
        Sizes in metres, and what each may be.
    counts_uniform : bool
        Whether uniform traffic too has no closed form: the loads that `traffic` gives for it are those of routed flows.
    routings : tuple of str
        The minimal routings it has; the first is the default.
    flow_network : callable, optional
        From sizes of one network and a routing to what `flow_routing` needs, for what has no closed form.
    printed : dict of str to Formula
        By pattern, what Anghel 2017 prints where it differs from the closed forms here.
    """

    name: str
    sizes: Mapping[str, str]
    bandwidths: Mapping[str, str]
    latencies: Mapping[str, str]
    per_dimension: frozenset[str] = frozenset()
    defaults: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    lengths: Mapping[str, str] = field(default_factory=dict)
    counts_uniform: bool = False
    routings: tuple[str, ...] = ("minimal",)
    flow_network: Callable[[Mapping[str, Any], str], FlowNetwork] | None = None
    printed: Mapping[str, Formula] = field(default_factory=dict)

    @abstractmethod
    def nodes(self, shape: Shape) -> Any:
        """Return the number of nodes."""

    @abstractmethod
    def links(self, shape: Shape) -> tuple[LinkSpec, ...]:
        """Return the link classes, the node links first. Capacities and latencies not given are NaN."""

    @abstractmethod
    def parts(self, shape: Shape) -> NetworkParts:
        """Return what the network is made of."""

    def faults(self, shape: Shape) -> Iterator[Fault]:
        """Yield the reasons why shapes are impossible, beyond sizes that are no whole numbers >= 1."""
        return iter(())

    @abstractmethod
    def traffic(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> dict[str, Traffic]:
        """Return load and traversals by link class (node links excluded); NaN where there is no closed form."""

    def printed_links(self, shape: Shape, pattern: str) -> tuple[LinkSpec, ...]:
        """Return the link classes as the printed formula of a pattern has them."""
        return self.links(shape)

    def tile_blocks(self, shape: Shape) -> tuple[Any, ...]:
        """Return the nodes of the hardware blocks that take the tiles of a process grid, the outer first."""
        return (shape["p"],)

    def tiles(self, grid: tuple[int, ...], blocks: tuple[int, ...], dimensions: tuple[int, ...]) -> Tiles:
        """Return the tiles that neighbours on a process grid are mapped with, () where none fit: linear mapping.

        Parameters
        ----------
        grid : tuple of int
            Sides of the process grid.
        blocks : tuple of int
            `tile_blocks` of the design.
        dimensions : tuple of int
            Switches along each dimension, where it has dimensions.
        """
        return best_tiles(grid, blocks) or ()

    def complete(self, shape: dict[str, Any]) -> dict[str, Any]:
        """Add sizes that follow from others when they are not given."""
        return shape

    @property
    def attached(self) -> str:
        """The symbol of the size that counts the nodes of a switch."""
        return "p"

    @property
    def symbols(self) -> dict[str, str]:
        """Every parameter and what it is."""
        return {**self.sizes, **self.bandwidths, **self.latencies}


def ratio(numerator: Any, denominator: Any) -> Any:
    """Divide; nothing shared among nobody is 0."""
    empty = np.equal(denominator, 0.0)
    return np.where(empty, 0.0, numerator / np.where(empty, 1.0, denominator))


def unknown_traffic(*names: str) -> dict[str, Traffic]:
    """Return traffic without a closed form for the named classes."""
    return {name: Traffic(np.nan, np.nan) for name in names}
