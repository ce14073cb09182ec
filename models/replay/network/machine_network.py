"""The network of a design of a study, for the pattern that a trace has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.errors import InputError, one_of
from dse.models.network.patterns.pattern_quantities import QUANTITIES
from dse.models.network.patterns.pattern_quantities import Pattern as PatternQuantities
from dse.models.replay.network.network import EAGER_LIMIT, Network
from dse.models.replay.network.patterns import Pattern

__all__ = ["machine_network", "network_pattern"]


def network_pattern(pattern: Pattern) -> tuple[str, dict[str, int], str]:
    """Return the pattern of `dse.models.network` that a trace has, what it sets, and a word where it is not the same.

    A grid that is open counts as periodic: an upper bound of its load.
    """
    grid = pattern.parameters.get("grid", ())
    if pattern.name == "uniform":
        return "uniform-without-self", {}, ""
    if pattern.name == "shift":
        return "shift", {"shift_step": int(pattern.parameters["step"])}, ""
    if pattern.name == "exchange":
        return "exchange", {"exchange_bit": int(pattern.parameters["bit"])}, ""
    if pattern.name in ("complement", "transpose"):
        return pattern.name, {}, ""
    if pattern.name == "bit reversal":
        return "bit-reversal", {}, ""
    if len(grid) in (2, 3):
        sides = dict(zip(("process_grid_x", "process_grid_y", "process_grid_z"), grid, strict=False))
        note = "" if pattern.parameters["periodic"] else "the open grid counts as periodic, an upper bound of its load"
        return f"neighbour-{len(grid)}d", {name: int(side) for name, side in sides.items()}, note
    return "uniform-without-self", {}, f"the pattern '{pattern.name}' counts as uniform: it has no bandwidth of its own"


def machine_network(
    study: Any, number: int, pattern: Pattern, ranks: int, eager_limit: float = EAGER_LIMIT, collectives: str = "best"
) -> tuple[Network, str]:
    """Return the network of a design.

    Parameters
    ----------
    study : dse.Study
        With the model `network`, of as many nodes as the trace has ranks.
    number : int
        Of the design in the space, as a frontier names it.
    pattern : Pattern
        Of the trace.
    ranks : int
        P.
    eager_limit, collectives
        As of `dse.models.replay.network.network.Network`.

    Returns
    -------
    (Network, str)
        ``L = link latency + switches x switch_latency``, ``o = node_latency / 2`` and the bandwidth of a node, and what
        was taken instead where the pattern has no quantities.

    Raises
    ------
    InputError
        A design that is not there, of another number of nodes, or a study without these quantities.
    """
    if not 0 <= number < study.space.size:
        raise InputError(f"design {number}", key="--design", allowed=f"0 to {study.space.size - 1}")
    (nodes,) = _values(study, number, ("nodes",), {})
    if nodes != ranks:
        raise InputError(
            f"design {number} has {nodes:.12g} nodes, and the trace {ranks} ranks",
            key="--design",
            allowed=f"machines of {ranks} nodes, one process on each",
        )
    name, sets, note = network_pattern(pattern)
    quantities = QUANTITIES[name]
    try:
        values = _values(study, number, _names(quantities), sets)
    except InputError as error:
        if name == "uniform-without-self":
            raise
        quantities = QUANTITIES["uniform-without-self"]
        note = f"{error}; so the pattern '{name}' counts as uniform"
        values = _values(study, number, _names(quantities), {})
    bandwidth, links, link_latency, switch_latency, node_latency = values
    network = Network(
        link_latency + (links - 1.0) * switch_latency,
        node_latency / 2.0,
        bandwidth,
        eager_limit=eager_limit,
        collectives=collectives,
    )
    return network, note


def _names(quantities: PatternQuantities) -> tuple[str, ...]:
    return quantities.bandwidth, quantities.links, quantities.link_latency, "switch_latency", "node_latency"


def _values(study: Any, number: int, names: tuple[str, ...], sets: Mapping[str, int]) -> tuple[float, ...]:
    """Return quantities of a design, some inputs of the study set to others."""
    document = study.document
    changes: dict[str, Any] = {"also": list(dict.fromkeys([*document.get("also", ()), *names]))}
    if sets:
        changes["set"] = {**document.get("set", {}), **sets}
    if any(name.startswith("process_grid") for name in sets):
        changes["use"] = {**document.get("use", {}), "process_grid": "given"}
    try:
        (record,) = study.edited(**changes).compiled.quantities(np.array([number]))
    except InputError as error:
        fault = f"the study '{study.name}' gives no {one_of(names)}: {error.problem}"
        raise InputError(fault, key="--study", allowed="a study with the model `network`") from None
    return tuple(float(np.asarray(record["values"][name]).reshape(-1)[0]) for name in names)
