"""A call of each collective operation in a machine, as quantities: time, energy, messages, memory and the algorithm.

The slot ``collective_algorithm_<operation>`` takes an algorithm, or ``best`` (the default), by the metric of the slot
``collective_metric`` (``time``, ``energy`` or ``memory``). ``<operation>_choice`` is the number of the one that is
taken, its place in `ALGORITHMS`, and ``<operation>_taken`` its name. The slot ``collective_network`` takes
``by-rounds``, where each round has what the topology leaves to it, or ``flat`` for networks without a shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, assumption, quantities
from dse.authoring.watch.memoise import KnownRows, different_rows, kinds_of_rows
from dse.errors import InputError
from dse.models.collectives.algorithms.registry import ALGORITHMS, number_of
from dse.models.collectives.in_machines.costs import ANY, IN_MACHINES, METRICS, MULTICAST, Chosen, Machines, cheapest
from dse.models.collectives.in_machines.hops import FLAT_NEEDS, FlatHops, TopologyHops
from dse.models.collectives.machine import collective_detours
from dse.models.network.topologies import COMPONENTS
from dse.models.sources import ANGHEL_2017, HOEFLER_2014

__all__ = ["NETWORKS", "collective_detours", "machine_functions", "machines_of", "needs_of_machine"]

_SOURCE = f"rounds of {HOEFLER_2014} with latencies and bandwidths of {ANGHEL_2017}; ours"
_EQ_6_11 = f"{ANGHEL_2017}, Eq. 6.11"
_TOGETHER = 512
"""Machines of one number of processes whose rounds are looked at together."""
_KNOWN = 10_000
_KEPT = 1_024
_MACHINES: dict[tuple[str, bytes], Machines] = {}
"""Machines that were asked for last: all operations, and steps of a search, ask for the same ones."""

message_energy = assumption(
    0.0,
    unit="J",
    source=f"{ANGHEL_2017}, Eq. 6.11 has none: bytes take energy, messages do not",
    neglects="energy of messages of collective operations beside their bytes",
    doc="Energy of a message of a collective operation beside that of its bytes",
    minimum=0,
)
multicast_recovery = assumption(
    0.0,
    unit="1",
    source=f"{HOEFLER_2014}, Section 3.1.8: constant time with high probability; what is lost is left out",
    doc="Time to send again what a multicast in hardware has lost, over that of the multicast",
    minimum=0,
)


@quantities(
    gives={"electrical_hop_energy": "J/B", "optical_hop_energy": "J/B"},
    source=_EQ_6_11,
    slot="link_power",
    provider="on-demand",
    default=True,
)
def on_demand_hop_energies(electrical_link_energy, optical_link_energy):
    """Energy of a byte on an electrical and on an optical link."""
    return electrical_link_energy * 1.0, optical_link_energy * 1.0


@quantities(
    gives={"electrical_hop_energy": "J/B", "optical_hop_energy": "J/B"},
    source=f"{_EQ_6_11} without the links, which take the same with and without data",
    slot="link_power",
    provider="always-on",
)
def always_on_hop_energies(switch_energy):
    """Energy of a byte on links that are always on: none."""
    return switch_energy * 0.0, switch_energy * 0.0


_FLAT = {"collective_flat": "1", **dict(zip(FLAT_NEEDS, ("s", "B/s", "B/s", "J/B"), strict=True))}


@quantities(gives=_FLAT, source=_SOURCE, slot="collective_network", provider="by-rounds", default=True)
def by_rounds():
    """Each round has what the topology leaves to it (then `collective_flat` is 0)."""
    return np.zeros(1), np.zeros(1), np.ones(1), np.ones(1), np.zeros(1)


@quantities(gives=_FLAT, source=f"{_SOURCE}; a network without a shape", slot="collective_network", provider="flat")
def flat(message_latency, node_injection_bandwidth, all_to_all_bandwidth, transfer_energy):
    """Shifts by one and trees at the bandwidth of a node's cards, all other messages at that of all to all."""
    ones = np.ones(1)
    return (
        ones,
        message_latency * 1.0,
        node_injection_bandwidth * 1.0,
        all_to_all_bandwidth * 1.0,
        transfer_energy * 1.0,
    )


TOPOLOGIES = {component.provider: component for component in COMPONENTS if component.equations == "corrected"}
"""Networks whose rounds are known, by their name in the slot ``topology``."""

NETWORKS = (*TOPOLOGIES, "real-machine")
"""The same, and machines without a shape."""


def machines_of(topology: str, values: Mapping[str, np.ndarray]) -> Machines:
    """Return machines from their quantities, arrays (machines,): by rounds, or where these are not wanted, flat."""
    if values["collective_flat"].all():
        return FlatHops(values)
    if topology not in TOPOLOGIES:
        raise InputError(
            "a real machine has no shape, so its rounds are not known", key="use.collective_network", allowed="'flat'"
        )
    return TopologyHops(TOPOLOGIES[topology], values)


def needs_of_machine(topology: str) -> tuple[str, ...]:
    """Return the quantities that `machines_of` reads."""
    own = TopologyHops.needs(TOPOLOGIES[topology]) if topology in TOPOLOGIES else FlatHops.NEEDS
    return tuple(dict.fromkeys((*own, *FLAT_NEEDS, "collective_flat")))


def machine_functions() -> dict[str, ModelFunction]:
    """Return the functions of all operations on all topologies, and those of their slots."""
    functions = [_metric(place, name) for place, name in enumerate(METRICS)]
    for collective, algorithms in IN_MACHINES.items():
        functions += [_asked(collective, name) for name in ("best", *algorithms)]
        functions.append(_taken(collective))
        functions += [_call(collective, topology) for topology in NETWORKS]
    functions += [_numbered(place, topology) for place, topology in enumerate(NETWORKS)]
    functions.append(_asked("bcast", MULTICAST))
    return {function.name: function for function in functions}


def _metric(place: int, name: str) -> ModelFunction:
    def number() -> np.ndarray:
        return np.full(1, float(place))

    return ModelFunction(
        name=f"collective_metric_{name}",
        function=number,
        needs=(),
        gives={"collective_metric": "1"},
        source=_SOURCE,
        doc=f"What the best algorithm of a collective operation makes least: {name} ({place}).",
        slot="collective_metric",
        provider=name,
        default=place == 0,
        module="collectives.whole_machine",
    )


def _asked(collective: str, name: str) -> ModelFunction:
    value = ANY if name == "best" else float(number_of(name))

    def number() -> np.ndarray:
        return np.full(1, value)

    return ModelFunction(
        name=f"{collective}_asked_{name}",
        function=number,
        needs=(),
        gives={f"{collective}_algorithm": "1"},
        source=_SOURCE,
        doc=f"The algorithm that is asked for, {name}: its number, or {ANY:g} for the best.",
        slot=f"collective_algorithm_{collective}",
        provider=name,
        default=name == "best",
        signed=(f"{collective}_algorithm",),
        module="collectives.whole_machine",
    )


def _taken(collective: str) -> ModelFunction:
    def name(choice: Any) -> np.ndarray:
        # Where no call is counted there is no algorithm.
        names = np.array([*ALGORITHMS, "none"], dtype=object)
        result: np.ndarray = names[np.asarray(choice, dtype=float).astype(int)]
        return result

    return ModelFunction(
        name=f"{collective}_taken",
        function=name,
        needs=(f"{collective}_choice",),
        gives={f"{collective}_taken": "text"},
        source=_SOURCE,
        doc=f"Name of the algorithm of {collective} that is taken.",
        points_only=True,
        module="collectives.whole_machine",
    )


def _numbered(place: int, topology: str) -> ModelFunction:
    def number() -> np.ndarray:
        return np.full(1, float(place))

    return ModelFunction(
        name=f"{topology}_numbered".replace("-", "_"),
        function=number,
        needs=(),
        gives={"collective_topology": "1"},
        source=_SOURCE,
        doc=f"Which network collective operations are on: {topology} ({place}).",
        slot="topology",
        provider=topology,
        module="collectives.whole_machine",
    )


def _call(collective: str, topology: str) -> ModelFunction:
    of_call = tuple(f"{collective}_{part}" for part in ("calls", "size", "algorithm"))
    of_call = (*of_call, "collective_metric", "message_energy", "multicast_recovery")
    others = ("collective_topology",)  # for pictures
    of_network = needs_of_machine(topology)
    needs = (*of_call, *of_network, *others)

    def of_rows(rows: list[np.ndarray]) -> np.ndarray:
        columns = dict(zip(needs, rows, strict=True))
        results = np.zeros((len(Chosen._fields), len(rows[0])))
        _, kinds = kinds_of_rows([columns[name] for name in of_network])
        ranks = columns["machine_processes"]
        for number in np.unique(ranks):
            for where, of_row in _portions(np.flatnonzero(ranks == number), kinds[ranks == number]):
                _, firsts, place = np.unique(of_row, return_index=True, return_inverse=True)
                chosen = cheapest(
                    collective,
                    _kept_machines(topology, {name: columns[name][where][firsts] for name in of_network}),
                    place,
                    *(columns[name][where] for name in of_call[1:]),
                )
                results[:, where] = np.array(np.broadcast_arrays(*chosen))
        return results

    known = KnownRows(of_rows, _KNOWN)

    def costs(*given: Any) -> tuple[np.ndarray, ...]:
        columns = [np.asarray(argument, dtype=float) for argument in given]
        shape = np.broadcast_shapes(*(column.shape for column in columns))
        results = np.zeros((len(Chosen._fields), prod(shape)))
        results[Chosen._fields.index("choice")] = ANY
        called = np.flatnonzero(np.broadcast_to(columns[0] > 0.0, shape))
        if called.size:
            rows, place = different_rows(_rows_called(columns, shape, called))
            results[:, called] = known.results(rows)[:, place.reshape(-1)]
        return tuple(result.reshape(shape) for result in results)

    units = {"time": "s", "energy": "J", "messages": "1", "memory": "B"}
    return ModelFunction(
        name=f"{topology}_{collective}".replace("-", "_"),
        function=costs,
        needs=needs,
        gives={f"{collective}_{part}": units.get(part, "1") for part in Chosen._fields},
        source=_SOURCE,
        doc=f"A call of {collective}: time; energy and messages of all processes; descriptors; which algorithm.",
        slot="topology",
        provider=topology,
        points_only=True,
        marks=(f"{collective}_approximate", f"{collective}_sampled"),
        mark_words={
            f"{collective}_approximate": f"have an approximate {collective}: others stand in for messages of a round",
            f"{collective}_sampled": f"have a sampled {collective}: a part of its rounds stands for all",
        },
        signed=(f"{collective}_choice",),
        module="collectives.whole_machine",
    )


def _rows_called(columns: list[np.ndarray], shape: tuple[int, ...], called: np.ndarray) -> list[np.ndarray]:
    """Return the columns of the places where calls are; as they broadcast, where that is everywhere."""
    if called.size == prod(shape):
        return columns
    return [column if column.size == 1 else np.broadcast_to(column, shape).reshape(-1)[called] for column in columns]


def _kept_machines(topology: str, values: dict[str, np.ndarray]) -> Machines:
    key = topology, b"".join(array.tobytes() for array in values.values())
    if key not in _MACHINES:
        if sum(len(machines.ends) for machines in _MACHINES.values()) >= _KEPT:
            _MACHINES.clear()
        _MACHINES[key] = machines_of(topology, values)
    return _MACHINES[key]


def _portions(where: np.ndarray, rows: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split calls into portions of `_TOGETHER` different machines at most."""
    _, place = np.unique(rows, return_inverse=True)
    portion = place // _TOGETHER
    return [(where[portion == number], rows[portion == number]) for number in range(int(portion.max()) + 1)]


globals().update(machine_functions())
