"""What one message of a round gets in machines: time, time and energy of a byte, by the distance it goes.

A process of rank r runs on node r // n_p: ranks fill one node after the other. A message to another node takes the
software of both ends, links and switches, and s/B with the bandwidth B that the round leaves to a process; where
several processes share a node, to the links they are so many more nodes, and the link of a node carries what leaves
it. A message inside a node is a copy in its memory. A round with both kinds takes the longer latency and the longer
time of a byte.

A byte costs what it costs in a message: the energy of every link and switch on its way (Anghel 2017, Eq. 6.11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.authoring.watch.memoise import kinds_of_rows
from dse.models.network.bandwidth.permutation_ways import (
    Flows,
    Way,
    alone,
    mean_way,
    one_or_other,
    permutation_flows,
    permutation_ways,
)
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.links import NODE
from dse.models.network.graphs.parameters import read_parameters

__all__ = ["FLAT_NEEDS", "NEEDS", "FlatHops", "Hops", "TopologyHops"]

NEEDS = (
    "machine_processes",
    "processes_per_node",
    "node_latency",
    "inside_latency",
    "inside_byte_time",
    "electrical_hop_energy",
    "optical_hop_energy",
)
"""Quantities of every machine; times in s and s/B, energies in J/B."""

FLAT_NEEDS = ("flat_latency", "flat_near_bandwidth", "flat_far_bandwidth", "flat_byte_energy")

_FEW_ROUNDS = 64
"""So many rounds are kept for other algorithms, which ask for the same."""

_TOPOLOGY_NEEDS = ("switch_latency", "network_planes", "collective_detours", "switch_energy")

_OF_MACHINE = ("network_planes", "inside_byte_time")
"""What machines of one fabric may differ in: only the time of a byte goes with it."""


class Hops(NamedTuple):
    """Messages of rounds; arrays (machines, rounds) of times of a byte, and (fabrics, rounds) of all else.

    Attributes
    ----------
    latency : ndarray
        Of an empty message, both ends included [s].
    byte_time : ndarray
        Where all messages of the round are on their way [s/B].
    alone_byte_time : ndarray
        Where no two of them share a link [s/B].
    byte_energy : ndarray
        In the mean over the messages [J/B].
    known : ndarray of bool
        False where messages over another path stand in for those of the round.
    """

    latency: Any
    byte_time: Any
    alone_byte_time: Any
    byte_energy: Any
    known: Any


class TopologyHops:
    """Machines of one topology with P processes each.

    Machines that differ in planes and in copies inside a node alone share a fabric, and fabrics of equal shapes the
    flows on their links, so that each is counted once.

    Parameters
    ----------
    component : Component
    values : mapping of str to (machines,) ndarray
        By the names in `needs`.
    """

    def __init__(self, component: Component, values: Mapping[str, np.ndarray]) -> None:
        self.component = component
        self.processes = int(values["machine_processes"][0])
        self.ends = values["node_latency"]
        firsts, self.fabric = kinds_of_rows([column for name, column in values.items() if name not in _OF_MACHINE])
        self._planes, self._copied = (values[name][:, None] for name in _OF_MACHINE)
        self._values = {name: column[firsts][:, None] for name, column in values.items() if name not in _OF_MACHINE}
        self._each = self._values["processes_per_node"]
        by_symbol: dict[str, Any] = {}
        for group in (component.sizes, component.bandwidths, component.latencies):
            for symbol, name in group.items():
                value = tuple(self._values[part] for part in name) if isinstance(name, tuple) else self._values[name]
                by_symbol[symbol] = value
        by_symbol |= {symbol: convert(by_symbol[symbol]) for symbol, convert in component.converted.items()}
        topology = component.topology
        shape = read_parameters(topology, by_symbol, need=("bandwidths", "latencies"))
        near = (topology.tile_blocks(shape)[-1] * self._each * np.ones_like(self._each))[:, 0]
        self._near = self.each(near)
        self._alone = self.each(np.broadcast_to(alone(topology, shape), self._each.shape))
        self._node_link = topology.links(shape)[0]
        # To the links between switches processes are so many more nodes.
        self._shape = {**shape, topology.attached: shape[topology.attached] * self._each}
        sizes = [self._each, *(part for name in topology.sizes for part in _parts(shape[name]))]
        self._counted, self._count_of = kinds_of_rows([np.broadcast_to(part, self._each.shape)[:, 0] for part in sizes])
        self._optical = {name: self._values[share] for name, share in component.optical.items()}
        self.kept: dict[Any, Any] = {}

    @staticmethod
    def needs(component: Component) -> tuple[str, ...]:
        """Return the quantities that machines of a topology are described by."""
        groups = (component.sizes, component.bandwidths, component.latencies, component.optical)
        flat = [
            name
            for group in groups
            for value in group.values()
            for name in (value if isinstance(value, tuple) else (value,))
        ]
        return tuple(dict.fromkeys((*flat, *NEEDS, *_TOPOLOGY_NEEDS)))

    def each(self, of_fabrics: np.ndarray) -> np.ndarray:
        """Return for each machine what its fabric has."""
        return of_fabrics.take(self.fabric, axis=0)

    @property
    def power_of_two(self) -> bool:
        """Whether P is a power of two, so that every exchange is one of all processes."""
        return self.processes & (self.processes - 1) == 0

    def shifts(self, distances: np.ndarray) -> tuple[Hops, Hops]:
        """Return the hops of r to r + distance, over shortest paths and over those that adaptive routing takes."""
        steps = np.mod(distances, self.processes).astype(float)
        return self._of("shift", steps, np.minimum(steps, self.processes - steps), mixed=True)

    def exchanges(self, distances: np.ndarray) -> tuple[Hops, Hops]:
        """Return the hops of r to r XOR distance, a power of two.

        Where that has no closed form (P no power of two, dragonfly, Slim Fly) a shift stands in for it.
        """
        shifts = self.shifts(distances)
        if not self.power_of_two:
            none = np.zeros(np.shape(shifts[0].known), dtype=bool)
            return shifts[0]._replace(known=none), shifts[1]._replace(known=none)
        both_ways = self._of("exchange", np.log2(distances), distances.astype(float), mixed=False)
        return self._filled(both_ways[0], shifts[0]), self._filled(both_ways[1], shifts[1])

    def receiving_byte_energy(self) -> np.ndarray:
        """Return the energy of a byte on the link of a node and in its switch [J/B]."""
        values, optical = self._values, self._optical[NODE]
        links = (1.0 - optical) * values["electrical_hop_energy"] + optical * values["optical_hop_energy"]
        return self.each(np.asarray((links + values["switch_energy"])[:, 0]))

    def _filled(self, hops: Hops, other: Hops) -> Hops:
        known = self.each(hops.known)
        return Hops(
            latency=np.where(hops.known, hops.latency, other.latency),
            byte_time=np.where(known, hops.byte_time, other.byte_time),
            alone_byte_time=np.where(known, hops.alone_byte_time, other.alone_byte_time),
            byte_energy=np.where(hops.known, hops.byte_energy, other.byte_energy),
            known=hops.known,
        )

    def mean(self) -> Hops:
        """Return the hop of a message to any other process of each machine, and the byte time of a single one.

        That is on its worst path.
        """
        if "mean" not in self.kept:
            way = mean_way(self.component.topology, self._shape, self._optical)
            inside = np.where(self.processes > 1, (self._each - 1.0) / max(self.processes - 1.0, 1.0), 0.0)
            hop = self._hop(way, inside, np.ones(self._each.shape, dtype=bool))
            single = (1.0 / (self._alone * self._planes))[:, 0]
            latency, energy, known = (
                self.each(np.broadcast_to(array, self._each.shape)[:, 0])
                for array in (hop.latency, hop.byte_energy, hop.known)
            )
            self.kept["mean"] = Hops(latency, single, single, energy, known)
        mean: Hops = self.kept["mean"]
        return mean

    def byte_time_to_others(self) -> np.ndarray:
        """Return the mean over all other processes of the time of a byte of a message that is alone [s/B].

        Those of the same switch are reached over links of nodes; for all others it is that of the worst path.
        """
        near = np.minimum(self._near, self.processes) - 1.0
        far = self.processes - 1.0 - near
        node_link = self.each(np.broadcast_to(self._node_link.capacity, self._each.shape)[:, 0])
        times = near / node_link + far / self._alone[:, 0]
        return np.asarray(times / (max(self.processes - 1.0, 1.0) * self._planes[:, 0]))

    def _of(self, pattern: str, option: np.ndarray, reach: np.ndarray, *, mixed: bool) -> tuple[Hops, Hops]:
        if option.size > _FEW_ROUNDS:
            return self._routed(pattern, option[None, :], reach[None, :], mixed=mixed)
        key = (pattern, option.tobytes())
        if key not in self.kept:
            self.kept[key] = self._routed(pattern, option[None, :], reach[None, :], mixed=mixed)
        both_ways: tuple[Hops, Hops] = self.kept[key]
        return both_ways

    def _routed(self, pattern: str, option: np.ndarray, reach: np.ndarray, *, mixed: bool) -> tuple[Hops, Hops]:
        """Return the hops of a shift, whose messages are of both kinds below n_p ranks, or of an exchange."""
        sharing = np.minimum(np.maximum(reach, 1.0), self._each)
        shape = {**self._shape, "b0": self._shape["b0"] / sharing}
        flows = self._flows(pattern, option)
        ways = permutation_ways(self.component.topology, shape, flows, self._optical)
        known = np.ones(np.broadcast_shapes(option.shape, self._each.shape), dtype=bool)
        if pattern == "exchange":
            known = known & ways.closed
        if mixed:
            inside = np.maximum(1.0 - reach / self._each, 0.0)
        else:
            inside = np.where(reach < self._each, 1.0, 0.0)
            # Nodes of 3 or 6 processes have exchanges of which some leave.
            known = known & ((np.mod(self._each, 2.0 * reach) == 0.0) | (reach >= self._each))
        best = np.where(self._values["collective_detours"] > 0.0, 1.0, 0.0) > 0.0
        detours = one_or_other(best, ways.best, ways.minimal)
        return self._hop(ways.minimal, inside, known), self._hop(detours, inside, known)

    def _flows(self, pattern: str, option: np.ndarray) -> Flows:
        """Count flows once for all fabrics of one shape."""
        topology, name = self.component.topology, "step" if pattern == "shift" else "exchange_bit"
        shape = {
            symbol: _rows_of(value, self._counted) if symbol in topology.sizes else _unlinked(value)
            for symbol, value in self._shape.items()
        }
        flows = permutation_flows(topology, shape, pattern, {name: option}, self.component.routing)
        return flows.of_rows(self._count_of)

    def _hop(self, way: Way, inside: Any, known: Any) -> Hops:
        """Return hops from what the mean message gets of the links; one inside a node counts as two node links."""
        values = self._values
        leaving = 1.0 - inside
        leaves = leaving > 0.0
        share = np.where(leaves, leaving, 1.0)
        links = (way.links - 2.0 * inside) / share
        link_latency = (way.link_latency - 2.0 * inside * self._node_link.latency) / share
        optical = (way.optical_links - 2.0 * inside * self._optical[NODE]) / share
        outside = values["node_latency"] + link_latency + (links - 1.0) * values["switch_latency"]
        latency = np.maximum(np.where(leaves, outside, 0.0), np.where(inside > 0.0, values["inside_latency"], 0.0))
        leave = self.each(leaves)
        copied = np.where(self.each(inside > 0.0), self._copied, 0.0)
        sent = np.where(leave, 1.0 / (self.each(way.bandwidth) * self._planes), 0.0)
        # A single message has the link of its node for itself.
        least = np.minimum(way.alone, self._node_link.capacity)
        single = np.where(leave, 1.0 / (self.each(least) * self._planes), 0.0)
        energy = leaving * (
            (links - optical) * values["electrical_hop_energy"]
            + optical * values["optical_hop_energy"]
            + (links - 1.0) * values["switch_energy"]
        )
        return Hops(latency, np.maximum(sent, copied), np.maximum(single, copied), energy, known)


def _parts(size: Any) -> tuple[Any, ...]:
    """Return the entries of a size: one per dimension, or itself."""
    return size if isinstance(size, tuple) else (size,)


def _rows_of(size: Any, rows: np.ndarray) -> Any:
    """Return a size at listed shapes, which lie along the first dimension."""
    if isinstance(size, tuple):
        return tuple(_rows_of(entry, rows) for entry in size)
    return size.take(rows, axis=0) if np.ndim(size) and len(size) > 1 else size


def _unlinked(fabric: Any) -> Any:
    """Return what stands for a bandwidth or a latency where flows are counted, which need none."""
    return (np.array(np.nan),) * len(fabric) if isinstance(fabric, tuple) else np.array(np.nan)


class FlatHops:
    """Machines whose networks have no shape: shifts by one and trees at the bandwidth of a node's cards.

    All other messages have the bandwidth of all to all.

    Parameters
    ----------
    values : mapping of str to (machines,) ndarray
        By the names in its `NEEDS` and in `FLAT_NEEDS`.
    """

    NEEDS = ("machine_processes", "processes_per_node", "node_latency")

    def __init__(self, values: Mapping[str, np.ndarray]) -> None:
        self.processes = int(values["machine_processes"][0])
        self.ends = values["node_latency"]
        self._latency = np.maximum(values["flat_latency"], values["node_latency"])
        self._near = values["processes_per_node"] / values["flat_near_bandwidth"]
        self._far = values["processes_per_node"] / values["flat_far_bandwidth"]
        self._energy = values["flat_byte_energy"]
        self.kept: dict[Any, Any] = {}

    def each(self, of_fabrics: np.ndarray) -> np.ndarray:
        """Return for each machine what its fabric has: every machine is one."""
        return of_fabrics

    def shifts(self, distances: np.ndarray) -> tuple[Hops, Hops]:
        """Return the hops of r to r + distance."""
        near = np.isin(np.mod(distances, self.processes), (1, self.processes - 1))[None, :]
        time = np.where(near, self._near[:, None], self._far[:, None])
        ones = np.ones(time.shape)
        latency, energy = self._latency[:, None] * ones, self._energy[:, None] * ones
        hops = Hops(latency, time, self._near[:, None] * ones, energy, ones > 0.0)
        return hops, hops

    exchanges = shifts

    def mean(self) -> Hops:
        """Return the hop of a message to any other process."""
        return Hops(self._latency, self._near, self._near, self._energy, self._latency >= 0.0)

    def byte_time_to_others(self) -> np.ndarray:
        """Return the time of a byte of a message that is alone [s/B]."""
        result: np.ndarray = self._near
        return result

    def receiving_byte_energy(self) -> np.ndarray:
        """Return the energy of a byte on the way to one more receiver [J/B]: that of a whole message."""
        return self._energy
