"""The topologies as components of the slot ``topology``: for every pattern its bandwidth and path, and the parts.

A pattern's name is part of the names of its quantities (``shift_bandwidth``, ``shift_links``), so a study can ask for
several at once; the slots ``pattern`` and ``routing`` (module `machine`) choose the ones of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.authoring.declaration import ModelFunction
from dse.errors import InputError
from dse.models.network.accuracy import ACCURACY, VALID_NODES
from dse.models.network.bandwidth import TOPOLOGIES, link_loads
from dse.models.network.inputs import DIMENSIONS, THESIS
from dse.models.network.links import NODE, LinkLoads
from dse.models.network.neighbours import neighbour_loads
from dse.models.network.reading import shown
from dse.models.network.topology import ImpossibleShape, read_parameters

__all__ = ["COMPONENTS", "QUANTITIES", "Component", "Pattern", "component_functions"]


@dataclass(frozen=True)
class Pattern:
    """A pattern as quantities know it.

    Attributes
    ----------
    prefix : str
        What the names of its quantities begin with.
    pattern : str
        A key of `options.PATTERNS`, or "valiant".
    options : dict
        Fixed parameters.
    inputs : dict of str to str
        Parameters that come from quantities.
    dimensions : int
        Of the process grid, for nearest neighbours.
    """

    prefix: str
    pattern: str
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    dimensions: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Quantities it reads."""
        grid = tuple(f"process_grid_{self.dimensions}d_{side}" for side in "xyz"[: self.dimensions])
        return (*self.inputs.values(), *grid, *(("sub_domain_mapping",) if grid else ()))


QUANTITIES: dict[str, Pattern] = {
    "uniform": Pattern("uniform", "uniform"),
    "uniform-without-self": Pattern("uniform_without_self", "uniform", {"include_self": False}),
    "shift": Pattern("shift", "shift", inputs={"step": "shift_step"}),
    "neighbour-2d": Pattern("neighbour_2d", "nearest-neighbour", dimensions=2),
    "neighbour-3d": Pattern("neighbour_3d", "nearest-neighbour", dimensions=3),
    "complement": Pattern("complement", "complement"),
    "transpose": Pattern("transpose", "transpose"),
    "bit-reversal": Pattern("bit_reversal", "bit-reversal"),
    "butterfly": Pattern("butterfly", "butterfly"),
    "tornado": Pattern("tornado", "tornado"),
}
"""Patterns by the name of their component in the slot ``pattern``."""

VALIANT = Pattern("valiant", "valiant")


@dataclass(frozen=True)
class Component:
    """A topology with a routing and a set of equations.

    Attributes
    ----------
    provider : str
        Its name in the slot ``topology``.
    topology : str
        A key of `answers.TOPOLOGIES`.
    sizes, bandwidths, latencies : dict of str to str or tuple of str
        The quantity behind each symbol; tuples have one per dimension.
    optical : dict of str to str
        The quantity with the optical share of each class of links.
    patterns : sequence of str
        Keys of `QUANTITIES` it has; all by default.
    """

    provider: str
    topology: str
    sizes: Mapping[str, str | tuple[str, ...]]
    bandwidths: Mapping[str, str | tuple[str, ...]]
    latencies: Mapping[str, str | tuple[str, ...]]
    optical: Mapping[str, str]
    routing: str = "minimal"
    equations: str = "corrected"
    patterns: Sequence[str] = tuple(QUANTITIES)


_DIMENSIONS = tuple(f"dimension_{number}" for number in range(1, DIMENSIONS + 1))
_MESH = Component(
    "full-mesh",
    "full-mesh",
    {"a": "mesh_switches", "p": "nodes_per_switch"},
    {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
    {"l0": "node_link_latency", "l1": "switch_link_latency"},
    {NODE: "optical_node_share", "switch": "optical_switch_share"},
)
_TREE_2 = Component(
    "fat-tree-2-level",
    "fat-tree-2-level",
    {"m1": "tree_children_1", "m2": "tree_children_2", "w0": "tree_uplinks_0", "w1": "tree_uplinks_1"},
    {"b0": "node_link_bandwidth", "b1": "switch_link_bandwidth"},
    {"l0": "node_link_latency", "l1": "switch_link_latency"},
    {NODE: "optical_node_share", "level 1-2": "optical_switch_share"},
)
_TREE_3 = Component(
    "fat-tree-3-level",
    "fat-tree-3-level",
    {**_TREE_2.sizes, "m3": "tree_children_3", "w2": "tree_uplinks_2"},
    {**_TREE_2.bandwidths, "b2": "upper_link_bandwidth"},
    {**_TREE_2.latencies, "l2": "upper_link_latency"},
    {**_TREE_2.optical, "level 2-3": "optical_upper_share"},
)
_GRID_SHARES = {f"dimension {number}": "optical_switch_share" for number in range(1, DIMENSIONS + 1)}
_HYPERX = Component(
    "hyperx",
    "hyperx",
    {"d": _DIMENSIONS, "p": "nodes_per_switch"},
    {"b0": "node_link_bandwidth", "b": ("switch_link_bandwidth",) * DIMENSIONS},
    {"l0": "node_link_latency", "l": ("switch_link_latency",) * DIMENSIONS},
    {NODE: "optical_node_share", **_GRID_SHARES},
)
_TORUS = Component(
    "torus",
    "torus",
    {**_HYPERX.sizes, "double_link_at_2": "links_in_ring_of_two"},
    _HYPERX.bandwidths,
    _HYPERX.latencies,
    _HYPERX.optical,
)
_DRAGONFLY = Component(
    "dragonfly",
    "dragonfly",
    {"a": "group_switches", "p": "nodes_per_switch", "h": "global_ports", "g": "groups"},
    {"b0": "node_link_bandwidth", "bl": "switch_link_bandwidth", "bg": "global_link_bandwidth"},
    {"l0": "node_link_latency", "ll": "switch_link_latency", "lg": "global_link_latency"},
    {NODE: "optical_node_share", "local": "optical_local_share", "global": "optical_global_share"},
)
_SLIM_FLY = Component(
    "slim-fly",
    "slim-fly",
    {"q": "field_order", "p": "nodes_per_switch"},
    _MESH.bandwidths,
    _MESH.latencies,
    _MESH.optical,
)


def _variant(component: Component, provider: str, **changes: Any) -> Component:
    fields = {name: getattr(component, name) for name in component.__dataclass_fields__}
    return Component(**{**fields, **changes, "provider": provider})


_PRINTED = {"equations": "printed"}
COMPONENTS: tuple[Component, ...] = (
    _MESH,
    _TREE_2,
    _TREE_3,
    _TORUS,
    _HYPERX,
    _DRAGONFLY,
    _SLIM_FLY,
    _variant(_HYPERX, "hyperx-dimension-order", routing="dimension-order"),
    _variant(_MESH, "full-mesh-as-printed", patterns=("uniform", "shift", "neighbour-2d"), **_PRINTED),
    _variant(_TREE_2, "fat-tree-2-level-as-printed", patterns=("uniform", "shift", "neighbour-2d"), **_PRINTED),
    _variant(_TREE_3, "fat-tree-3-level-as-printed", patterns=("uniform", "shift", "neighbour-2d"), **_PRINTED),
    _variant(_TORUS, "torus-as-printed", patterns=("uniform",), **_PRINTED),
    _variant(_HYPERX, "hyperx-as-printed", patterns=("uniform", "neighbour-2d"), **_PRINTED),
)
"""Every component of the slot ``topology``."""

_OURS = "ours, after the method of Anghel 2017, Section 5.3"
_SOURCES: dict[tuple[str, str], str] = {
    ("full-mesh", "uniform"): f"{THESIS}, Eq. 5.8 (corrected: one switch has no links)",
    ("full-mesh", "shift"): f"{THESIS}, Eq. 5.50 (corrected: steps that wrap around)",
    ("full-mesh", "neighbour-2d"): f"{THESIS}, Table 5.5 (one rule for all rows, and the missing one)",
    ("fat-tree-2-level", "uniform"): f"{THESIS}, Eq. 5.13",
    ("fat-tree-2-level", "shift"): f"{THESIS}, Eq. 5.54 (corrected: steps that wrap around, w0)",
    ("fat-tree-2-level", "neighbour-2d"): f"{THESIS}, Table 5.6 (one rule for all rows, w0)",
    ("fat-tree-3-level", "uniform"): f"{THESIS}, Eq. 5.19",
    ("fat-tree-3-level", "shift"): f"{THESIS}, Eq. 5.60 (corrected: steps that wrap around, w0)",
    ("fat-tree-3-level", "neighbour-2d"): f"{THESIS}, Eq. 5.66 and Table 5.7 (corrected: row 1, w0)",
    ("torus", "uniform"): f"{THESIS}, Eqs. 5.23 to 5.34",
    (
        "hyperx",
        "uniform",
    ): f"{THESIS}, Eq. 5.41 (corrected: a dimension of one switch has no links; more dimensions ours)",
    ("hyperx", "neighbour-2d"): f"{THESIS}, Table 5.8 (corrected at d2 <= 2)",
}
_PATHS: dict[tuple[str, str], str] = {
    ("full-mesh", "uniform"): f"{THESIS}, appendix table 1",
    ("fat-tree-2-level", "uniform"): f"{THESIS}, appendix table 1",
    ("fat-tree-3-level", "uniform"): f"{THESIS}, appendix table 1",
    ("torus", "uniform"): f"{THESIS}, appendix table 1 (corrected: messages to oneself left out)",
    ("hyperx", "uniform"): f"{THESIS}, appendix table 1",
    ("full-mesh", "neighbour-2d"): f"{THESIS}, appendix table 3",
    ("fat-tree-2-level", "neighbour-2d"): f"{THESIS}, appendix table 4",
    ("fat-tree-3-level", "neighbour-2d"): f"{THESIS}, appendix table 5 (corrected)",
    ("hyperx", "neighbour-2d"): f"{THESIS}, appendix table 6",
}


def component_functions() -> dict[str, ModelFunction]:
    """Return the functions of all components by a name of their own."""
    found: dict[str, ModelFunction] = {}
    for component in COMPONENTS:
        for function in _functions(component):
            found[function.name] = function
    return found


def _functions(component: Component) -> list[ModelFunction]:
    functions = [_parts(component), _bisection(component)]
    for name in component.patterns:
        functions += _of_pattern(component, name, QUANTITIES[name])
    if component.equations == "corrected":
        functions += _of_pattern(component, "valiant", VALIANT)
    return functions


def _quantities(*groups: Mapping[str, str | tuple[str, ...]]) -> tuple[str, ...]:
    """Return the quantities behind symbols, each once."""
    flat = [
        name
        for group in groups
        for value in group.values()
        for name in (value if isinstance(value, tuple) else (value,))
    ]
    return tuple(dict.fromkeys(flat))


def _parameters(symbols: Sequence[Mapping[str, str | tuple[str, ...]]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by symbol from values of quantities."""
    found: dict[str, Any] = {}
    for group in symbols:
        for symbol, name in group.items():
            found[symbol] = tuple(values[one] for one in name) if isinstance(name, tuple) else values[name]
    if "double_link_at_2" in found:
        found["double_link_at_2"] = found["double_link_at_2"] - 1.0
    return found


def _refuse_parts_of_sizes(component: Component, values: Mapping[str, Any]) -> None:
    """Refuse sizes that are not whole by the names the study has for them: those with defaults are not checked yet."""
    for name in _quantities(component.sizes):
        wrong = values[name] != np.floor(values[name])
        if np.any(wrong):
            raise InputError(f"'{name}' is {shown(values[name][wrong].flat[0])}", allowed="whole numbers")


def _advised(component: Component, error: ImpossibleShape) -> InputError:
    """Return the error of a shape in a study, where the axes make the designs."""
    enumerated = f'{{ enumerate = "network.{component.topology}", … }}'
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
    topology = TOPOLOGIES[component.topology]

    def parts(values: dict[str, Any]) -> tuple[Any, ...]:
        found = topology.parts(read_parameters(topology, _parameters((component.sizes,), values)))
        optical = sum(values[component.optical[name]] * count for name, count in found.links.items())
        return (
            found.nodes,
            found.switches,
            found.node_links,
            found.switch_links,
            found.node_links + found.switch_links - optical,
            optical,
            found.ports,
            found.diameter,
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
    needs = _quantities(component.sizes, component.optical)
    return _make(component, "parts", gives, needs, parts, doc, "counts of the graph; ours")


def _bisection(component: Component) -> ModelFunction:
    topology = TOPOLOGIES[component.topology]

    def bisection(values: dict[str, Any]) -> Any:
        shape = read_parameters(topology, _parameters((component.sizes, component.bandwidths), values))
        return topology.parts(shape).bisection_bandwidth

    doc = "Bandwidth in one direction across a cut into halves: information, never the bandwidth of a pattern."
    needs = _quantities(component.sizes, component.bandwidths)
    source = "minimum cut into halves of whole switches; ours. An estimate at odd sizes, an upper bound for a dragonfly"
    return _make(component, "bisection", {"bisection_bandwidth": "B/s"}, needs, bisection, doc, source)


def _of_pattern(component: Component, name: str, pattern: Pattern) -> list[ModelFunction]:
    prefix = pattern.prefix
    key = (component.topology, name)
    as_printed = " as printed" if component.equations == "printed" else ""
    closed = name in ("uniform", "uniform-without-self", "valiant") or component.equations == "printed"
    how = (
        "closed form" if closed else "closed form (routed is 0), or every flow routed where there is none (routed is 1)"
    )
    error = ACCURACY.get((component.topology, pattern.pattern)) if pattern.dimensions != 3 else None
    limits = VALID_NODES.get((component.topology, pattern.pattern)) if error else None
    rest: dict[str, Any] = {"valid": {"nodes": limits}} if limits else {}

    def loads(values: dict[str, Any], *groups: Mapping[str, str | tuple[str, ...]]) -> LinkLoads:
        parameters = _parameters((component.sizes, *groups), values)
        if pattern.dimensions:
            grid = [values[need] for need in pattern.needs[: pattern.dimensions]]
            mapped = values["sub_domain_mapping"]
            if component.topology == "hyperx" and component.equations == "printed":
                mapped = mapped * 0.0  # the thesis maps rows of the process grid, no tiles, onto a HyperX
            return neighbour_loads(
                component.topology,
                parameters,
                grid,
                mapped,
                routing=component.routing,
                equations=component.equations,
            )
        options = {**pattern.options, **{option: values[quantity] for option, quantity in pattern.inputs.items()}}
        if pattern.pattern == "valiant":
            return link_loads(component.topology, parameters, "uniform", None, routing="valiant")
        return link_loads(
            component.topology,
            parameters,
            pattern.pattern,
            options,
            routing=component.routing,
            equations=component.equations,
        )

    def bandwidth(values: dict[str, Any]) -> tuple[Any, Any]:
        found = loads(values, component.bandwidths)
        return found.effective_bandwidth, 1.0 * found.routed

    def bottleneck(values: dict[str, Any]) -> Any:
        found = loads(values, component.bandwidths)
        names = np.array([one.name for one in found.classes], dtype=object)
        return names[found.bottleneck]

    def path(values: dict[str, Any]) -> tuple[Any, Any, Any]:
        found = loads(values, component.latencies)
        optical = sum(values[component.optical[one.name]] * one.traversals for one in found.classes)
        return found.link_latency, found.links, optical

    of_bandwidths = (*_quantities(component.sizes, component.bandwidths), *pattern.needs)
    of_latencies = (*_quantities(component.sizes, component.latencies, component.optical), *pattern.needs)
    with_nodes = (*of_bandwidths, "nodes") if limits else of_bandwidths
    source = _SOURCES.get(key, _OURS) + as_printed
    if name == "valiant":
        source = "twice the uniform loads over random intermediate switches; ours"
    path_source = _PATHS.get(key, "mean over the messages that leave their node; ours") + as_printed
    functions = [
        _make(
            component,
            f"{prefix}_bandwidth",
            {f"{prefix}_bandwidth": "B/s", f"{prefix}_routed": "1"},
            with_nodes,
            bandwidth,
            f"Effective bandwidth of a node, pattern {name}: {how}.",
            source,
            error={f"{prefix}_bandwidth": error} if error else None,
            marks=(f"{prefix}_routed",),
            **rest,
        ),
        _make(
            component,
            f"{prefix}_bottleneck",
            {f"{prefix}_bottleneck": "text"},
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
                f"{prefix}_path",
                {f"{prefix}_link_latency": "s", f"{prefix}_links": "1", f"{prefix}_optical_links": "1"},
                of_latencies,
                path,
                f"Mean latency of the links on a path, mean links and optical links among them, pattern {name}.",
                path_source,
            )
        )
    return functions
