"""The topologies as components of the slot ``topology``: for every pattern its bandwidth and path, and the parts.

Which components there are is told by the folders of `topologies`, which quantities a pattern has by the table of
`pattern_quantities`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, RelativeError, declarations
from dse.errors import InputError, shown
from dse.models.network.bandwidth.bandwidth import link_loads
from dse.models.network.bandwidth.neighbours import neighbour_loads
from dse.models.network.bandwidth.shared_nodes import ProcessTraffic, process_traffic
from dse.models.network.graphs import inputs
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.links import LinkLoads
from dse.models.network.graphs.parameters import ImpossibleShape, read_parameters
from dse.models.network.graphs.simulated_here import error_simulated_here
from dse.models.network.patterns.pattern_quantities import (
    PROCESS_QUANTITIES,
    QUANTITIES,
    VALIANT,
    Pattern,
    ProcessPattern,
)
from dse.models.network.topologies import COMPONENTS, PARAMETERS
from dse.models.sources import ANGHEL_2017

__all__ = ["component_functions", "component_parameters", "parameters_of", "quantities_of"]

_CLOSED_OR_ROUTED = "closed form (routed is 0), or every flow routed where there is none (routed is 1)"
_OURS = f"ours, after the method of {ANGHEL_2017}, Section 5.3"


def component_parameters() -> dict[str, Any]:
    """Return what a study gives a network: sizes, bandwidths, latencies, what patterns need, and optical shares."""
    groups = ("sizes", "bandwidths", "latencies", "", "optical")
    place = {
        name: position
        for position, group in enumerate(groups)
        if group
        for component in COMPONENTS
        for name in quantities_of(getattr(component, group))
    }
    everything = {**declarations(inputs), **PARAMETERS}
    return dict(sorted(everything.items(), key=lambda item: place.get(item[0], groups.index(""))))


def component_functions() -> dict[str, ModelFunction]:
    """Return the functions of all components by a name of their own."""
    return {function.name: function for component in COMPONENTS for function in _functions(component)}


def _functions(component: Component) -> list[ModelFunction]:
    functions = [_parts(component), _bisection(component), _fastest_link(component)]
    for name in component.patterns:
        functions += _of_pattern(component, name, QUANTITIES[name])
    if component.equations == "corrected":
        functions += _of_pattern(component, "valiant", VALIANT)
        for quantities in PROCESS_QUANTITIES.values():
            functions += _of_processes(component, quantities)
    return functions


def quantities_of(*groups: Mapping[str, str | tuple[str, ...]]) -> tuple[str, ...]:
    """Return the quantities behind symbols, each once."""
    flat = [
        name
        for group in groups
        for value in group.values()
        for name in (value if isinstance(value, tuple) else (value,))
    ]
    return tuple(dict.fromkeys(flat))


def parameters_of(
    component: Component, symbols: Sequence[Mapping[str, str | tuple[str, ...]]], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return parameters by symbol from values of quantities."""
    by_symbol: dict[str, Any] = {}
    for group in symbols:
        for symbol, name in group.items():
            by_symbol[symbol] = tuple(values[entry] for entry in name) if isinstance(name, tuple) else values[name]
    return by_symbol | {symbol: convert(by_symbol[symbol]) for symbol, convert in component.converted.items()}


def _refuse_parts_of_sizes(component: Component, values: Mapping[str, Any]) -> None:
    """Refuse sizes that are not whole by the names the study has for them: those with defaults are not checked yet."""
    lengths = {component.sizes[symbol] for symbol in component.topology.lengths}
    for name in quantities_of(component.sizes):
        if name in lengths:
            continue
        wrong = values[name] != np.floor(values[name])
        if np.any(wrong):
            raise InputError(f"'{name}' is {shown(values[name][wrong].flat[0])}", allowed="whole numbers")


def _advised(component: Component, error: ImpossibleShape) -> InputError:
    """Return the error of a shape in a study, where the axes make the designs."""
    enumerated = f'{{ enumerate = "network.{component.topology.name}", … }}'
    return InputError(error.problem_of_design, allowed=f"shapes that can be built; an axis {enumerated} has no others")


def _make(
    component: Component,
    name: str,
    gives: Mapping[str, str],
    needs: Sequence[str],
    function: Callable[[dict[str, Any]], Any],
    doc: str,
    source: str,
    **rest: Any,
) -> ModelFunction:
    def call(*arguments: Any) -> Any:
        values = {need: np.asarray(value) for need, value in zip(needs, arguments, strict=True)}
        _refuse_parts_of_sizes(component, values)
        try:
            return function(values)
        except ImpossibleShape as error:
            raise _advised(component, error) from None

    # Named after the component and what it gives: torus_shift_bandwidth.
    label = f"{component.provider}_{name}".replace("-", "_")
    return ModelFunction(
        name=label,
        function=call,
        needs=tuple(needs),
        gives=dict(gives),
        source=source,
        doc=doc,
        slot="topology",
        provider=component.provider,
        points_only=True,
        module="network",
        **rest,
    )


def _parts(component: Component) -> ModelFunction:
    topology = component.topology

    def parts(values: dict[str, Any]) -> tuple[Any, ...]:
        network = topology.parts(read_parameters(topology, parameters_of(component, (component.sizes,), values)))
        optical = sum(values[component.optical[name]] * count for name, count in network.links.items())
        return (
            network.nodes,
            network.switches,
            network.node_links,
            network.switch_links,
            network.node_links + network.switch_links - optical,
            optical,
            network.ports,
            network.diameter,
        )

    gives = dict.fromkeys(
        (
            "nodes",
            "switches",
            "node_links",
            "switch_links",
            "electrical_links",
            "optical_links",
            "radix",
            "diameter",
        ),
        "1",
    )
    doc = "Nodes, switches, cables, ports of the switch that has most, and links between the farthest switches."
    needs = quantities_of(component.sizes, component.optical)
    return _make(component, "parts", gives, needs, parts, doc, "counts of the graph; ours")


def _bisection(component: Component) -> ModelFunction:
    topology = component.topology

    def bisection(values: dict[str, Any]) -> Any:
        shape = read_parameters(topology, parameters_of(component, (component.sizes, component.bandwidths), values))
        return topology.parts(shape).bisection_bandwidth

    doc = "Bandwidth in one direction across a cut into halves: information, never the bandwidth of a pattern."
    needs = quantities_of(component.sizes, component.bandwidths)
    source = "minimum cut into halves of whole switches; ours. An estimate at odd sizes, an upper bound for a dragonfly"
    return _make(component, "bisection", {"bisection_bandwidth": "B/s"}, needs, bisection, doc, source)


def _fastest_link(component: Component) -> ModelFunction:
    links = quantities_of(component.bandwidths)

    def fastest(*bandwidths: Any) -> Any:
        return functools.reduce(np.maximum, bandwidths) * 1.0

    return ModelFunction(
        name=f"{component.provider}_fastest_link".replace("-", "_"),
        function=fastest,
        needs=links,
        gives={"fastest_link_bandwidth": "B/s"},
        source="ours",
        doc="Bandwidth of the fastest of its links, in each direction.",
        slot="topology",
        provider=component.provider,
        max_of=links,
        module="network",
    )


def _of_pattern(component: Component, name: str, pattern: Pattern) -> list[ModelFunction]:
    topology = component.topology.name
    as_printed = " as printed" if component.equations == "printed" else ""
    formulas = not component.topology.counts_uniform and name in ("uniform", "uniform-without-self", "valiant")
    closed = formulas or component.equations == "printed"
    how = "closed form" if closed else _CLOSED_OR_ROUTED
    # The simulated grids have two dimensions.
    accuracy = component.accuracy.get(pattern.pattern) if len(pattern.grid) != 3 else None
    rest: dict[str, Any] = {"valid": {"nodes": accuracy.nodes}} if accuracy else {}
    error = accuracy.error if accuracy else _simulated_here(component, name)

    def loads(values: dict[str, Any], *groups: Mapping[str, str | tuple[str, ...]]) -> LinkLoads:
        parameters = parameters_of(component, (component.sizes, *groups), values)
        if pattern.grid:
            mapped = values["sub_domain_mapping"]
            tiles = [[values[side] for side in level] for level in pattern.tiles]
            if not component.sub_domains and any(np.any(side) for level in tiles for side in level):
                raise InputError(f"the component '{component.provider}' maps rows of the process grid, no tiles")
            return neighbour_loads(
                topology,
                parameters,
                [values[side] for side in pattern.grid],
                mapped if component.sub_domains else mapped * 0.0,
                tiles,
                routing=component.routing,
                equations=component.equations,
            )
        options = {**pattern.options, **{option: values[quantity] for option, quantity in pattern.inputs.items()}}
        if pattern.pattern == "valiant":
            return link_loads(topology, parameters, "uniform", None, routing="valiant")
        return link_loads(
            topology,
            parameters,
            pattern.pattern,
            options,
            routing=component.routing,
            equations=component.equations,
        )

    def bandwidth(values: dict[str, Any]) -> tuple[Any, Any]:
        carried = loads(values, component.bandwidths)
        return carried.effective_bandwidth, 1.0 * carried.routed

    def bottleneck(values: dict[str, Any]) -> Any:
        carried = loads(values, component.bandwidths)
        names = np.array([link.name for link in carried.classes], dtype=object)
        return names[carried.bottleneck]

    def path(values: dict[str, Any]) -> tuple[Any, Any, Any]:
        carried = loads(values, component.latencies)
        optical = sum(values[component.optical[link.name]] * link.traversals for link in carried.classes)
        return carried.link_latency, carried.links, optical

    of_bandwidths = (*quantities_of(component.sizes, component.bandwidths), *pattern.needs)
    of_latencies = (*quantities_of(component.sizes, component.latencies, component.optical), *pattern.needs)
    with_nodes = (*of_bandwidths, "nodes") if accuracy else of_bandwidths
    source = component.sources.get(name, _OURS) + as_printed
    if name == "valiant":
        source = "twice the uniform loads over random intermediate switches; ours"
    path_source = component.path_sources.get(name, "mean over the messages that leave their node; ours") + as_printed
    functions = [
        _make(
            component,
            pattern.bandwidth,
            {pattern.bandwidth: "B/s", pattern.routed: "1"},
            with_nodes,
            bandwidth,
            f"Effective bandwidth of a node, pattern {name}: {how}.",
            source,
            error={pattern.bandwidth: error} if error else None,
            marks=(pattern.routed,),
            **rest,
        ),
        _make(
            component,
            pattern.bottleneck,
            {pattern.bottleneck: "text"},
            of_bandwidths,
            bottleneck,
            f"The class of links that limits the pattern {name}.",
            source,
        ),
    ]
    # The thesis prints no length of the paths of a shift.
    if component.equations == "corrected" or name != "shift":
        functions.append(
            _make(
                component,
                f"{pattern.prefix}_path",
                {pattern.link_latency: "s", pattern.links: "1", pattern.optical_links: "1"},
                of_latencies,
                path,
                f"Mean latency of the links on a path, mean links and optical links among them, pattern {name}.",
                path_source,
            )
        )
    return functions


def _simulated_here(component: Component, name: str) -> RelativeError | None:
    return error_simulated_here(component.provider, name) if component.equations == "corrected" else None


def _of_processes(component: Component, pattern: ProcessPattern) -> list[ModelFunction]:
    def traffic(values: dict[str, Any], need: str, group: Mapping[str, str | tuple[str, ...]]) -> ProcessTraffic:
        return process_traffic(
            component.topology.name,
            parameters_of(component, (component.sizes, group), values),
            pattern.pattern,
            {option: values[quantity] for option, quantity in pattern.inputs.items()},
            processes_per_node=values["processes_per_node"],
            routing=component.routing,
            need=(need,),
        )

    def bandwidth(values: dict[str, Any]) -> tuple[Any, Any, Any]:
        way = traffic(values, "bandwidths", component.bandwidths)
        return way.bandwidth, way.inside_fraction, 1.0 * np.asarray(way.routed)

    def path(values: dict[str, Any]) -> tuple[Any, Any, Any]:
        way = traffic(values, "latencies", component.latencies)
        optical = sum(values[component.optical[name]] * links for name, links in way.by_class.items())
        return way.link_latency, way.links, optical

    closed = pattern.pattern == "uniform" and not component.topology.counts_uniform
    how = "closed form" if closed else _CLOSED_OR_ROUTED
    what_leaves = f"of the messages of a process that leave its node, pattern {pattern.pattern}"
    return [
        _make(
            component,
            pattern.bandwidth,
            {pattern.bandwidth: "B/s", pattern.inside_fraction: "1", pattern.routed: "1"},
            (*quantities_of(component.sizes, component.bandwidths), *pattern.needs),
            bandwidth,
            f"Effective bandwidth {what_leaves}, and the share of those inside: {how}.",
            _OURS,
            marks=(pattern.routed,),
        ),
        _make(
            component,
            f"{pattern.pattern}_process_path",
            {pattern.link_latency: "s", pattern.links: "1", pattern.optical_links: "1"},
            (*quantities_of(component.sizes, component.latencies, component.optical), *pattern.needs),
            path,
            f"Mean latency of the links, links and optical links {what_leaves}.",
            _OURS,
        ),
    ]
