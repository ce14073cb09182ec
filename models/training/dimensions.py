"""Networks of four dimensions for training: provider ``dimensions`` of the slot ``training_collectives``.

Devices are 2^k; those of dimension i have the exponents a_i to a_(i+1) of their rank, a group has lo to hi, so it has::

    n_i = 2^max(0, min(hi, a_(i+1)) - max(lo, a_i))
    t_i = Z_i (1 - 1/n_i)/b_i pi + l steps,   Z_1 = Z, Z_(i+1) = Z_i/n_i

members in it and takes that time there; pi is what the algorithm costs on the topology of the dimension, both ways
round a ring in use and the links of a device sharing its bandwidth. Dimensions follow one another, sum of t_i, or are
pipelined in chunks, max t_i + (sum - max)/chunks. Counted by us, not measured.

What a dimension is reaches time through ``dimension_1_byte_time_2`` … ``_16`` (pi/b for 2 to 16 members),
``dimension_1_rounds_2`` … and ``dimension_1_direct_time_2`` … alone, and those of dimensions 2 to 4: a choice that is
slower in all of them and not cheaper is left out, whatever the rest of the machine is. Of each group there are
``tensor_members_1``, ``tensor_byte_time_1``, ``tensor_latency_1`` …, likewise of ``context``, ``data`` and ``expert``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.arithmetic.lookup import lookup
from dse.authoring.declare.declaration import ModelFunction, Parameter, assumption, parameter, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import COSMIC_2025
from dse.models.training.machine.dimension_costs import ALGORITHMS, MEMBERS, TOPOLOGIES, joined, penalty, rounds_of

__all__: list[str] = []

_PLACES = (1, 2, 3, 4)
_GROUPS = ("tensor", "context", "data", "expert")
_COUNTED = f"ours: rounds and bytes of each algorithm on each topology, counted; the space is that of {COSMIC_2025}"
_SLOT: dict[str, Any] = {"slot": "training_collectives", "provider": "dimensions"}
_POWERS = 2.0 ** np.arange(40)
_BETWEEN = 2.0 ** (np.arange(40) + 0.5)
_HAIR = 1e-9

dimension_latency = assumption(
    1e-6, unit="s", source="ours: one round in a dimension (confidence low)", doc="Time of a round, l", minimum=0
)
collective_chunks = parameter(unit="1", doc="Chunks of a pipelined collective operation", minimum=1, integer=True)
pipelined_dimensions = parameter(
    unit="1",
    doc="0: dimensions follow one another, 1: they are pipelined in chunks",
    minimum=0,
    maximum=1,
    integer=True,
)


def _parameters() -> dict[str, Parameter]:
    """Return ``dimension_1_devices``, ``_topology``, ``_algorithm``, ``_bandwidth``, and those of the others."""
    parameters = {}
    for i in _PLACES:
        parameters[f"dimension_{i}_devices"] = parameter(
            unit="1",
            doc=f"Devices of dimension {i}, a power of two, from inside",
            minimum=1,
            maximum=16,
            integer=True,
        )
        parameters[f"dimension_{i}_topology"] = parameter(
            unit="1",
            doc=f"What joins the devices of dimension {i}: 0 a ring, 1 links to all, 2 a switch",
            minimum=0,
            maximum=2,
            integer=True,
        )
        parameters[f"dimension_{i}_algorithm"] = parameter(
            unit="1",
            doc=f"Algorithm in dimension {i}: 0 ring, 1 direct, 2 halving and doubling, 3 tree",
            minimum=0,
            maximum=3,
            integer=True,
        )
        parameters[f"dimension_{i}_bandwidth"] = parameter(
            unit="B/s", doc=f"Bandwidth of a device in dimension {i}, per direction", above=0
        )
    return parameters


_PENALTIES = [[penalty(topology, way, n) for topology in TOPOLOGIES for way in ALGORITHMS] for n in MEMBERS]
_ROUNDS = [[rounds_of(way, n) for way in ALGORITHMS] for n in MEMBERS]
_DIRECT = [[penalty(topology, "direct", n) for topology in TOPOLOGIES] for n in MEMBERS]


def _costs(topology: Any, algorithm: Any, bandwidth: Any) -> tuple[Any, ...]:
    """Return what a dimension costs by the members of a group: seconds per byte, rounds, both of direct exchange."""
    index = topology * float(len(ALGORITHMS)) + algorithm
    byte_times = [lookup(table, index) / bandwidth for table in _PENALTIES]
    rounds = [lookup(table, algorithm) for table in _ROUNDS]
    return (*byte_times, *rounds, *(lookup(table, topology) / bandwidth for table in _DIRECT))


def _exponent(devices: Any) -> Any:
    """Return lg of a power of two; counted, so that no last bit depends on the processor."""
    return np.searchsorted(_BETWEEN, devices) * 1.0


def _power(exponent: Any) -> Any:
    return lookup(_POWERS, exponent)


def _members(place: int) -> Any:
    def members(first: Any, second: Any, third: Any, fourth: Any, t: Any, c: Any, d: Any, e: Any) -> tuple[Any, ...]:
        """Return the members of each group in a dimension."""
        sizes = [_exponent(size) for size in (first, second, third, fourth)]
        begin = sizes[0] * 0.0
        for size in sizes[: place - 1]:
            begin = begin + size
        end = begin + sizes[place - 1]
        tensor, context, data, experts = (_exponent(size) for size in (t, c, d, e))
        inner = tensor + context
        spans = (tensor * 0.0, tensor), (tensor, inner), (tensor, inner + data), (inner, inner + experts)
        return tuple(_power(np.maximum(0.0, np.minimum(high, end) - np.maximum(low, begin))) for low, high in spans)

    return members


def _by_members(members: Any, values: tuple[Any, ...]) -> Any:
    """Return the value for so many members, 0 for one."""
    two, four, eight, sixteen = values
    larger = np.where(members > 12.0, sixteen, np.where(members > 6.0, eight, four))
    return np.where(members > 3.0, larger, np.where(members > 1.5, two, 0.0))


def _share(members: Any, latency: Any, *costs: Any) -> tuple[Any, Any]:
    """Return the seconds per byte of a group's vector in a dimension, and the latency there."""
    many = len(MEMBERS)
    part = 1.0 - 1.0 / members
    return part * _by_members(members, costs[:many]), latency * _by_members(members, costs[many:])


def _gather(size: Any, *given: Any) -> Any:
    return joined(size, given[:4], given[4:8], given[8:12], given[12])


def _of_stage(parameters: Any, bytes_of_each: Any, *given: Any) -> Any:
    return _gather(parameters * bytes_of_each, *given)


def _round_trip(combine: Any, dispatch: Any, *given: Any) -> Any:
    """All-to-all, out and back: the slowest dimension, by direct exchange, and the latencies of all."""
    slowest, latency = combine * 0.0, combine * 0.0
    for byte_time, steps in zip(given[:4], given[4:8], strict=True):
        slowest, latency = np.maximum(slowest, byte_time), latency + steps
    return combine * (1.0 + dispatch / 2.0) * slowest + 2.0 * latency


def _hop(size: Any, tensor: Any, context: Any, data: Any, latency: Any, *given: Any) -> Any:
    """A message to the next stage, in the dimension in which it lies: all the bandwidth of the device there."""
    at = _exponent(tensor) + _exponent(context) + _exponent(data)
    end, byte_time = at * 0.0, at * 0.0 + 1.0 / given[4]
    for devices, bandwidth in zip(given[:4], given[4:], strict=True):
        begin, end = end, end + _exponent(devices)
        inside = (at >= begin - _HAIR) & (at < end - _HAIR)
        byte_time = np.where(inside, 1.0 / bandwidth, byte_time)
    return size * byte_time + latency


def _named(pattern: str, many: tuple[int, ...] = _PLACES) -> tuple[str, ...]:
    return tuple(pattern.format(dimension) for dimension in many)


def _function(
    function: Any, needs: tuple[str, ...], gives: dict[str, str], doc: str, **slot: Any
) -> tuple[str, ModelFunction[..., Any]]:
    name = "_in_".join((next(iter(gives)), "dimensions"))
    home = __name__.removeprefix("dse.models.")
    return name, ModelFunction(name, function, needs, gives, _COUNTED, doc, module=home, **slot)


def _functions() -> dict[str, ModelFunction[..., Any]]:
    """Return what each dimension costs, the members and costs of each group in it, and the exchanges they make up."""
    functions = []
    sizes, axes = _named("dimension_{}_devices"), ("tensor_parallel", "context_parallel", "data_replicas")
    for i in _PLACES:
        byte_times, rounds, direct = (
            _named(f"dimension_{i}_{what}_{{}}", MEMBERS) for what in ("byte_time", "rounds", "direct_time")
        )
        gives = dict.fromkeys(byte_times, "s/B") | dict.fromkeys(rounds, "1") | dict.fromkeys(direct, "s/B")
        needs = tuple(f"dimension_{i}_{what}" for what in ("topology", "algorithm", "bandwidth"))
        functions.append(_function(_costs, needs, gives, f"Seconds per byte and rounds of dimension {i}, by members."))
        members = {f"{group}_members_{i}": "1" for group in _GROUPS}
        needs = (*sizes, *axes, "expert_parallel")
        functions.append(_function(_members(i), needs, members, f"Members of each group in dimension {i}."))
        for group in _GROUPS:
            costs = direct if group == "expert" else byte_times
            needs = (f"{group}_members_{i}", "dimension_latency", *costs, *rounds)
            gives = {f"{group}_byte_time_{i}": "s/B", f"{group}_latency_{i}": "s"}
            functions.append(_function(_share, needs, gives, f"Costs of the {group} group in dimension {i}."))
    ends = ("exposed_dimension_share",)
    costs_of = {
        group: (*_named(f"{group}_members_{{}}"), *_named(f"{group}_byte_time_{{}}"), *_named(f"{group}_latency_{{}}"))
        for group in _GROUPS
    }
    for name, function, first, group, doc in (
        ("tensor_gather_time", _gather, ("tensor_gather_bytes",), "tensor", "a gather of tensor parallelism"),
        ("context_gather_time", _gather, ("context_gather_bytes",), "context", "gathering keys and values"),
        ("gradient_gather_time", _of_stage, ("stage_parameters", "gradient_bytes"), "data", "summing gradients"),
        ("weight_gather_time", _of_stage, ("stage_parameters", "gathered_weight_bytes"), "data", "gathering weights"),
    ):
        needs = (*first, *costs_of[group], *ends)
        functions.append(_function(function, needs, {name: "s"}, f"Time of {doc}.", **_SLOT))
    needs = ("combine_bytes", "sent_token_bytes", *costs_of["expert"][4:])
    doc = "Time of sending tokens to their experts and back."
    functions.append(_function(_round_trip, needs, {"expert_round_trip_time": "s"}, doc, **_SLOT))
    needs = ("hop_bytes", *axes, "dimension_latency", *sizes, *_named("dimension_{}_bandwidth"))
    functions.append(_function(_hop, needs, {"hop_time": "s"}, "Time of a message to the next stage.", **_SLOT))
    return dict(functions)


globals().update(_parameters())
globals().update(_functions())

all_devices = requirement(
    "dimension_devices == training_devices",
    name="dimension_devices",
    source="ours: ranks are laid out over all dimensions",
    doc="the product of the dimensions is the number of devices",
)
whole_exponents = requirement(
    "dimension_remainder <= 0",
    name="powers_of_two",
    source="ours: a group takes whole exponents of the ranks",
    doc="devices of dimensions and of every parallelism are powers of two",
)


@quantity(unit="1", source="ours: product of the dimensions")
def dimension_devices(dimension_1_devices, dimension_2_devices, dimension_3_devices, dimension_4_devices):
    """Devices of the network."""
    return dimension_1_devices * dimension_2_devices * dimension_3_devices * dimension_4_devices


@quantity(unit="1", source="ours: pipelined, all but the first chunk of the shorter dimensions hide behind the longest")
def exposed_dimension_share(collective_chunks, pipelined_dimensions):
    """Share of the shorter dimensions of a collective that the longest does not hide, 1 or 1/chunks."""
    return np.where(pipelined_dimensions > 0.5, 1.0 / collective_chunks, 1.0)


def _off(devices: Any) -> Any:
    return np.abs(_power(_exponent(devices)) - devices)


@quantity(unit="1", source="ours: powers of two")
def dimension_remainder(
    dimension_devices, dimension_1_devices, dimension_2_devices, dimension_3_devices, replica_devices, data_replicas
):
    """How far the dimensions, and the devices of a copy, are from powers of two; 0 where all are."""
    sizes = _off(dimension_1_devices) + _off(dimension_2_devices) + _off(dimension_3_devices) + _off(dimension_devices)
    return np.where(sizes + _off(replica_devices) + _off(data_replicas) > _HAIR, 1.0, 0.0)


def _weight(topology: Any, bandwidth: Any) -> Any:
    return bandwidth * 1e-9 * np.where(topology > 1.5, 2.0, 1.0)


@quantity(
    unit="1",
    source="ours: bandwidth counts once with links, twice with switches",
    dimensional=False,
    reason="weights of cost are per rate in bytes",
)
def dimension_1_cost_weight(dimension_1_topology, dimension_1_bandwidth):
    """Cost of a device in dimension 1, in GB/s of links."""
    return _weight(dimension_1_topology, dimension_1_bandwidth)


@quantity(
    unit="1",
    source="ours: bandwidth counts once with links, twice with switches",
    dimensional=False,
    reason="weights of cost are per rate in bytes",
)
def dimension_2_cost_weight(dimension_2_topology, dimension_2_bandwidth):
    """Cost of a device in dimension 2, in GB/s of links."""
    return _weight(dimension_2_topology, dimension_2_bandwidth)


@quantity(
    unit="1",
    source="ours: bandwidth counts once with links, twice with switches",
    dimensional=False,
    reason="weights of cost are per rate in bytes",
)
def dimension_3_cost_weight(dimension_3_topology, dimension_3_bandwidth):
    """Cost of a device in dimension 3, in GB/s of links."""
    return _weight(dimension_3_topology, dimension_3_bandwidth)


@quantity(
    unit="1",
    source="ours: bandwidth counts once with links, twice with switches",
    dimensional=False,
    reason="weights of cost are per rate in bytes",
)
def dimension_4_cost_weight(dimension_4_topology, dimension_4_bandwidth):
    """Cost of a device in dimension 4, in GB/s of links."""
    return _weight(dimension_4_topology, dimension_4_bandwidth)


@quantity(unit="1", source="ours: sum over dimensions of bandwidth, devices and what joins them")
def network_cost_weight(
    dimension_1_cost_weight,
    dimension_2_cost_weight,
    dimension_3_cost_weight,
    dimension_4_cost_weight,
    training_devices,
):
    """Cost of the network, in GB/s of links."""
    each = dimension_1_cost_weight + dimension_2_cost_weight + dimension_3_cost_weight + dimension_4_cost_weight
    return each * training_devices
