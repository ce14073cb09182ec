"""The pattern of messages of shared nodes: neighbours on a grid of ranks, and what the peers of the profile say.

The slot ``pattern`` takes, beside what the network has for shared nodes, ``neighbour-2d`` and ``neighbour-3d`` (blocks
of ranks on each node, the grid of ``MPI_Dims_create``) and ``profile``: the pattern that the laws, or the peers of a
plain profile, tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.models.network.bandwidth.exchange_rounds import exchange_traffic
from dse.models.network.bandwidth.neighbour_processes import neighbour_process_traffic
from dse.models.network.bandwidth.shared_nodes import ProcessTraffic, process_traffic
from dse.models.network.components import parameters_of, quantities_of
from dse.models.network.graphs.component import Component
from dse.models.network.topologies import COMPONENTS
from dse.models.network.traffic_choice import OF_PROCESSES
from dse.models.workload.laws.patterns import Pattern, dims_create, pattern_of
from dse.models.workload.laws.program_laws import ProgramLaws

__all__ = ["pattern_functions", "pattern_told"]

_OURS = "ours: blocks of ranks on each node, neighbours on the grid of MPI_Dims_create"
_PROFILE = "ours: the pattern that the peers of the profile tell"
_NEIGHBOURS = ("neighbour-2d", "neighbour-3d")


def pattern_told(profile: Any) -> Pattern:
    """Return the pattern of laws, or of a plain profile; uniform where no rank sends to another."""
    if isinstance(profile, ProgramLaws):
        pattern = profile.pattern
    else:
        pattern = pattern_of(profile.classes, profile.run.processes or 1)
    return Pattern("uniform") if pattern is None else pattern


def pattern_functions() -> dict[str, ModelFunction]:
    """Return the functions of every topology for these patterns, and the components of the slot ``pattern``."""
    functions: dict[str, ModelFunction] = {}
    for component in COMPONENTS:
        if component.equations == "corrected":
            for pattern in (*_NEIGHBOURS, "profile"):
                functions |= _of_component(component, pattern)
    for pattern in (*_NEIGHBOURS, "profile"):
        chosen = _chosen(pattern)
        functions[chosen.name] = chosen
    return functions


def _prefix(pattern: str) -> str:
    return f"{pattern.replace('-', '_')}_process"


def _chosen(pattern: str) -> ModelFunction:
    prefix = _prefix(pattern)
    return ModelFunction(
        name=f"chosen_{prefix}",
        function=lambda *values: tuple(value * 1.0 for value in values),
        needs=tuple(
            f"{prefix}_{part}" for part in ("bandwidth", "inside_fraction", "link_latency", "links", "optical_links")
        ),
        gives=OF_PROCESSES,
        source=f"the study: pattern {pattern}",
        doc=f"What ranks of shared nodes have of the network, pattern {pattern}.",
        slot="pattern",
        provider=pattern,
        module="codesign.patterns",
    )


def _of_component(component: Component, pattern: str) -> dict[str, ModelFunction]:
    prefix, of_profile = _prefix(pattern), pattern == "profile"
    more = ("nodes", "processes_per_node", *(("profile",) if of_profile else ()))

    def traffic(values: Mapping[str, Any], need: str, group: Mapping[str, Any]) -> tuple[ProcessTraffic, np.ndarray]:
        asked_pattern = pattern_told(values["profile"]) if of_profile else Pattern(pattern)
        parameters = parameters_of(component, (component.sizes, group), values)
        if asked_pattern.name == "exchange":
            return _exchanges(component, parameters, values, need)
        return _traffic(component, parameters, asked_pattern, values, need), np.full(1, asked_pattern.guessed)

    def bandwidth(values: Mapping[str, Any]) -> tuple[Any, ...]:
        way, guessed = traffic(values, "bandwidths", component.bandwidths)
        marked = (1.0 * guessed,) if of_profile else ()
        return (way.bandwidth, way.inside_fraction, 1.0 * np.asarray(way.routed), *marked)

    def path(values: Mapping[str, Any]) -> tuple[Any, ...]:
        way, _ = traffic(values, "latencies", component.latencies)
        optical = sum(values[component.optical[name]] * links for name, links in way.by_class.items())
        return way.link_latency, way.links, optical

    marks = (f"{prefix}_routed", *(("pattern_guessed",) if of_profile else ()))
    gives = {f"{prefix}_bandwidth": "B/s", f"{prefix}_inside_fraction": "1"} | dict.fromkeys(marks, "1")
    paths = {f"{prefix}_link_latency": "s", f"{prefix}_links": "1", f"{prefix}_optical_links": "1"}
    sizes, bandwidths = (component.sizes, component.bandwidths), (component.latencies, component.optical)
    words = {"pattern_guessed": "take messages as uniform, since no rule fits the peers of the profile"}
    return {
        f"{component.provider}_{prefix}_bandwidth": _function(
            component,
            f"{prefix}_bandwidth",
            gives,
            (*quantities_of(*sizes), *more),
            bandwidth,
            marks,
            words if of_profile else {},
        ),
        f"{component.provider}_{prefix}_path": _function(
            component, f"{prefix}_path", paths, (*quantities_of(component.sizes, *bandwidths), *more), path, (), {}
        ),
    }


def _traffic(
    component: Component, parameters: Mapping[str, Any], asked_pattern: Pattern, values: Mapping[str, Any], need: str
) -> ProcessTraffic:
    each, name = values["processes_per_node"], component.topology.name
    if asked_pattern.name in _NEIGHBOURS:
        counts = np.asarray(values["nodes"] * each, dtype=float)
        dimensions = int(asked_pattern.name[-2])
        sides = np.array([dims_create(int(count), dimensions) for count in counts.reshape(-1).tolist()], dtype=float)
        grid = [sides[:, side].reshape(counts.shape) for side in range(dimensions)]
        return neighbour_process_traffic(
            name, parameters, grid, processes_per_node=each, routing=component.routing, need=(need,)
        )
    options: dict[str, Any] = {"step": asked_pattern.step} if asked_pattern.name == "shift" else {}
    return process_traffic(
        name, parameters, asked_pattern.name, options, processes_per_node=each, routing=component.routing, need=(need,)
    )


def _exchanges(
    component: Component, parameters: Mapping[str, Any], values: Mapping[str, Any], need: str
) -> tuple[ProcessTraffic, np.ndarray]:
    each = values["processes_per_node"]
    made = exchange_traffic(
        component.topology.name,
        parameters,
        values["nodes"] * each,
        processes_per_node=each,
        routing=component.routing,
        need=(need,),
    )
    return made.traffic, made.guessed


def _function(
    component: Component,
    name: str,
    gives: Mapping[str, str],
    needs: Sequence[str],
    function: Callable[[Mapping[str, Any]], Any],
    marks: tuple[str, ...],
    words: Mapping[str, str],
) -> ModelFunction:
    def call(*arguments: Any) -> Any:
        pairs = zip(needs, arguments, strict=True)
        return function({need: value if need == "profile" else np.asarray(value) for need, value in pairs})

    label = f"{component.provider}_{name}".replace("-", "_")
    return ModelFunction(
        name=label,
        function=call,
        needs=tuple(dict.fromkeys(needs)),
        gives=dict(gives),
        source=_PROFILE if "profile" in needs else _OURS,
        doc=f"What a rank of a shared node has of the network: {name.replace('_', ' ')}.",
        slot="topology",
        provider=component.provider,
        points_only=True,
        module="codesign.patterns",
        marks=marks,
        mark_words=dict(words),
    )
