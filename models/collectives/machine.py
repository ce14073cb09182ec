"""Collective operations in a machine: latency and time per byte of each algorithm, in rows, columns and as a whole.

Quantities such as ``row_bcast_chain_latency`` and ``row_bcast_chain_per_byte``: a broadcast of s bytes in every row of
a square of nodes takes latency + s per_byte, from the rounds of an algorithm, each with the bandwidth that its messages
get on the topology (slot ``topology``). A real machine has no shape: there every message has the latency of a message,
shifts by one and trees the bandwidth of a node's cards, and all other rounds that of all to all.

Rounds are permutations, the worst case of shortest paths on a HyperX or a dragonfly, so they take the better of those
and of Valiant routing (`collective_detours`), as real dragonflies route adaptively. Bytes are spread over the planes of
a network, latencies are not. Rounds are exact on 2^m nodes of trees, tori and HyperX for exchanges; for other numbers
of nodes and dragonflies shifts stand in for exchanges, and in rows and columns shifts of the whole machine for those
of a group, which is approximate: most for rows that hardly leave a switch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, assumption
from dse.authoring.watch.kept_results import recalled
from dse.authoring.watch.memoise import KnownRows, different_rows
from dse.models.collectives.group_costs import Hops, cost_names, group_costs
from dse.models.network.bandwidth.permutation_ways import Way, alone, one_or_other, permutation_flows, permutation_ways
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.topology import Shape
from dse.models.network.topologies import COMPONENTS
from dse.models.sources import ANGHEL_2017, HOEFLER_2014

__all__: list[str] = []

_SOURCE = f"rounds of {HOEFLER_2014} with latencies and bandwidths of {ANGHEL_2017}; ours"

collective_detours = assumption(
    1,
    unit="1",
    source="ours: adaptive routing, the better of shortest paths and random intermediate switches",
    doc="Whether rounds may be routed over other switches (1) or over shortest paths alone (0)",
    minimum=0,
    maximum=1,
    integer=True,
)
collective_pieces = assumption(
    1024,
    unit="1",
    source="ours: the best number of a panel of HPL is above 1,000 (Hoefler and Moor's optimum sqrt((n - 2) s G/o))",
    doc="Pieces into which a chain cuts a message",
    minimum=1,
    integer=True,
)

_NAMES = tuple(part for name in cost_names() for part in (f"{name}_latency", f"{name}_per_byte"))
_UNITS = dict(zip(_NAMES, ("s", "s/B") * (len(_NAMES) // 2), strict=True))

_MANY = 50
"""Machines at once from which their costs are kept between runs: fewer take less time than a file."""


def _on_topology(component: Component) -> ModelFunction:
    """Return what gives the costs on one plane of a topology."""
    groups = (component.sizes, component.bandwidths, component.latencies)
    flat = [name for group in groups for value in group.values() for name in _tuple(value)]
    quantities = list(dict.fromkeys(flat))
    needs = (*quantities, "node_latency", "switch_latency", "collective_detours", "collective_pieces", "network_planes")
    known = KnownRows(partial(_kept_costs, component, needs))

    def costs(*given: Any) -> tuple[np.ndarray, ...]:
        *plane, planes = (np.asarray(argument, dtype=float) for argument in given)
        rows, back = different_rows(plane)
        latencies_and_byte_times = zip(*[iter(known.results(rows))] * 2, strict=True)
        return tuple(
            part
            for latency, per_byte in latencies_and_byte_times
            for part in (latency.take(back), per_byte.take(back) / planes)
        )

    return ModelFunction(
        name=f"{component.provider}_collectives".replace("-", "_"),
        function=costs,
        needs=needs,
        gives=_UNITS,
        source=_SOURCE,
        doc="Fixed time and time per byte of collective operations, bytes spread over the planes of the network.",
        slot="topology",
        provider=component.provider,
        points_only=True,
        module="collectives.machine",
    )


def _kept_costs(component: Component, needs: Sequence[str], rows: list[np.ndarray]) -> np.ndarray:
    """Return the costs of machines by rows of what is needed; those of many at once are kept between runs."""

    def computed() -> np.ndarray:
        return np.stack(_costs_of_rows(component, dict(zip(needs, rows, strict=False))))

    if len(rows[0]) < _MANY:
        return computed()
    return recalled(f"collectives.machine {component.provider}", rows, (len(_NAMES), len(rows[0])), computed)


def _tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def _costs_of_rows(component: Component, values: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Return the costs on one plane; flows are counted once for a shape, whatever the fabric."""
    topology = component.topology
    columns = {name: column[:, None] for name, column in values.items()}
    sizes = _by_symbol(component, (component.sizes,), columns)
    links = _by_symbol(component, (component.bandwidths, component.latencies), columns)
    shape = read_parameters(topology, sizes | links, need=("bandwidths", "latencies"))
    firsts, shape_of_row = _shapes([values[name] for sizes in component.sizes.values() for name in _tuple(sizes)])
    different = _by_symbol(component, (component.sizes,), {name: column[firsts] for name, column in columns.items()})
    unlinked = read_parameters(topology, different)
    nodes = np.broadcast_to(topology.nodes(shape), columns["node_latency"].shape)
    power = np.log2(nodes)
    inner = topology.tile_blocks(shape)[-1]

    def ways(pattern: str, options: dict[str, Any]) -> Any:
        first_rows = {
            name: np.broadcast_to(column, (len(nodes), column.shape[1]))[firsts] for name, column in options.items()
        }
        flows = permutation_flows(topology, unlinked, pattern, first_rows, component.routing)
        return permutation_ways(topology, shape, flows.of_rows(shape_of_row))

    def hops(way: Way, span: Any) -> Hops:
        # A group within a switch crosses no other link, whatever the shift of the whole machine does.
        near = span <= inner
        latency = np.where(near, _near_latency(topology, shape), way.link_latency)
        latency = latency + (np.where(near, 2.0, way.links) - 1.0) * columns["switch_latency"]
        node = topology.links(shape)[0].capacity
        return Hops(columns["node_latency"] + latency, 1.0 / np.where(near, node, way.bandwidth))

    def messages(distances: Any, bits: Any, span: Any) -> tuple[Hops, Hops, Hops]:
        shift = ways("shift", {"step": distances})
        detours = columns["collective_detours"] > 0.0
        chosen = one_or_other(detours, shift.best, shift.minimal)
        over_all, over_shortest = hops(chosen, span), hops(shift.minimal, span)
        if bits is None:
            return over_all, over_all, over_shortest
        known = np.equal(bits, np.rint(bits)) & np.equal(power, np.rint(power)) & (bits < power)
        exchange = ways("exchange", {"exchange_bit": np.where(known, bits, 0.0)})
        known = known & exchange.closed
        other = one_or_other(detours, exchange.best, exchange.minimal)
        pairs = ((hops(other, span), over_all), (hops(exchange.minimal, span), over_shortest))
        exchanges, short = (
            Hops(*(np.where(known, a, b) for a, b in zip(known_hops, instead, strict=True)))
            for known_hops, instead in pairs
        )
        return over_all, exchanges, short

    byte = np.broadcast_to(1.0 / alone(topology, shape), nodes.shape)
    costs = group_costs(
        nodes[:, 0], columns["node_latency"][:, 0], byte[:, 0], columns["collective_pieces"][:, 0], messages
    )
    return [part for name in cost_names() for part in costs[name]]


def _by_symbol(
    component: Component, groups: Sequence[Mapping[str, str | tuple[str, ...]]], columns: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a topology from the quantities behind them."""
    by_symbol: dict[str, Any] = {}
    for group in groups:
        for symbol, name in group.items():
            by_symbol[symbol] = tuple(columns[part] for part in name) if isinstance(name, tuple) else columns[name]
    return by_symbol | {
        symbol: convert(by_symbol[symbol]) for symbol, convert in component.converted.items() if symbol in by_symbol
    }


def _shapes(sizes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each shape, and the shape of every row."""
    _, firsts, shape_of_row = np.unique(np.stack(sizes, axis=1), axis=0, return_index=True, return_inverse=True)
    return firsts, shape_of_row.reshape(-1)


def _near_latency(topology: Any, shape: Shape) -> Any:
    return 2.0 * topology.links(shape)[0].latency


def _flat() -> ModelFunction:
    needs = (
        "nodes",
        "message_latency",
        "node_latency",
        "node_injection_bandwidth",
        "all_to_all_bandwidth",
        "collective_pieces",
    )

    def flat(*given: Any) -> tuple[np.ndarray, ...]:
        """Return costs where all messages are alike: shifts by one and trees at the bandwidth of a node's cards."""
        arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=float) for argument in given))
        nodes, latency, node_latency, injection, all_to_all, pieces = (array.reshape(-1) for array in arrays)
        hop = np.maximum(latency, node_latency)[:, None]

        def messages(distances: Any, bits: Any, span: Any) -> tuple[Hops, Hops, Hops]:
            near = np.equal(distances, 1.0)
            time = np.where(near, 1.0 / injection[:, None], 1.0 / all_to_all[:, None])
            alike = Hops(np.broadcast_to(hop, time.shape), time)
            return alike, alike, alike

        costs = group_costs(nodes, node_latency, 1.0 / injection, pieces, messages)
        return tuple(part.reshape(arrays[0].shape) for name in cost_names() for part in costs[name])

    return ModelFunction(
        name="collectives_flat",
        function=flat,
        needs=needs,
        gives=_UNITS,
        source=f"{_SOURCE}; a network without a shape",
        doc="Fixed time and time per byte of collective operations, from the latency of a message and two bandwidths.",
        slot="topology",
        provider="real-machine",
        points_only=True,
        module="collectives.machine",
    )


_FUNCTIONS = [_on_topology(component) for component in COMPONENTS if component.equations == "corrected"]
globals().update({function.name: function for function in (*_FUNCTIONS, _flat())})
