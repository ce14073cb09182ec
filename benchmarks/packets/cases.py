"""What is simulated: the shipped topologies at several sizes, each under the shipped patterns that it can have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LINK", "SIZES", "Case", "cases_of", "cases_of_study", "cases_of_thesis", "with_links"]

LINK = {"bandwidth": 7e9, "latency": 100e-9}
"""Of every link. Anghel 2017, Table 5.9: 7 GB/s, and 100 ns of the adapter, here of every link with its switch."""

SIZES = (64, 256, 1024)
"""About so many nodes."""


@dataclass(frozen=True)
class Case:
    """One simulation.

    Attributes
    ----------
    component : str
        In the slot ``topology``.
    topology, routing : str
    sizes : dict
        Of the network, by symbol.
    key : str
        The component in the slot ``pattern``, or "valiant".
    pattern : str
        As of `effective_bandwidth`.
    options : dict
    row : str
        Pattern, topology and which, of the row of published accuracies whose ranges the machine is in; else empty.
    """

    component: str
    topology: str
    routing: str
    sizes: Mapping[str, Any]
    key: str
    pattern: str
    options: Mapping[str, Any] = field(default_factory=dict)
    row: str = ""

    @property
    def nodes(self) -> int:
        return _nodes(self.topology, self.sizes)


_MACHINES: dict[str, dict[int, tuple[dict[str, Any], ...]]] = {
    "full-mesh": {
        64: ({"a": 8, "p": 8},),
        256: ({"a": 16, "p": 16}, {"a": 32, "p": 8}),
        1024: ({"a": 32, "p": 32}, {"a": 64, "p": 16}),
    },
    "fat-tree-2-level": {
        64: ({"m1": 8, "m2": 8, "w1": 4}, {"m1": 8, "m2": 8, "w1": 8}),
        256: ({"m1": 16, "m2": 16, "w1": 8}, {"m1": 16, "m2": 16, "w1": 16}),
        1024: ({"m1": 32, "m2": 32, "w1": 8}, {"m1": 32, "m2": 32, "w1": 16}),
    },
    "fat-tree-3-level": {
        64: ({"m1": 4, "m2": 4, "m3": 4, "w1": 2, "w2": 2},),
        256: ({"m1": 8, "m2": 4, "m3": 8, "w1": 4, "w2": 4},),
        1024: ({"m1": 16, "m2": 8, "m3": 8, "w1": 8, "w2": 8},),
    },
    "torus": {
        64: ({"d": (4, 4, 4), "p": 1}, {"d": (8, 8), "p": 1}),
        256: ({"d": (8, 8, 4), "p": 1}, {"d": (4, 4, 4), "p": 4}),
        1024: ({"d": (8, 8, 16), "p": 1},),
    },
    "hyperx": {
        64: ({"d": (4, 4), "p": 4}, {"d": (4, 4, 2), "p": 2}),
        256: ({"d": (8, 8), "p": 4},),
        1024: ({"d": (8, 8), "p": 16}, {"d": (8, 8, 4), "p": 4}),
    },
    # Canonical ones; g = h + 1 makes a power of two, and a square where a·p·g is one.
    "dragonfly": {
        64: ({"a": 4, "p": 2, "h": 2, "g": 9}, {"a": 4, "p": 4, "h": 3, "g": 4}),
        256: ({"a": 6, "p": 3, "h": 3, "g": 19}, {"a": 4, "p": 8, "h": 7, "g": 8}),
        1024: ({"a": 8, "p": 4, "h": 4, "g": 33}, {"a": 8, "p": 16, "h": 7, "g": 8}),
    },
    "slim-fly": {
        64: ({"q": 5, "p": 2},),
        256: ({"q": 5, "p": 8},),
        1024: ({"q": 13, "p": 2},),
    },
    "skywalk": {
        64: ({"s": 16, "c": 4, "k": 6, "p": 4, "seed": 1},),
        256: ({"s": 64, "c": 8, "k": 12, "p": 4, "seed": 1},),
        1024: ({"s": 128, "c": 16, "k": 16, "p": 8, "seed": 1},),
    },
}

_BETWEEN = {"torus": ("",), "hyperx": ("",), "dragonfly": ("l", "g"), "fat-tree-3-level": ("1", "2")}
"""What follows b and l in the symbols of the links between switches."""

_COMPONENTS = {
    **{name: (name, "minimal") for name in _MACHINES},
    "hyperx-dimension-order": ("hyperx", "dimension-order"),
    "skywalk-fewest-links": ("skywalk", "fewest-links"),
}


def with_links(topology: str, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sizes with the bandwidth and the latency of every link."""
    between = _BETWEEN.get(topology, ("1",))
    linked = dict(sizes)
    for link in ("0", *between):
        linked |= {f"b{link}": LINK["bandwidth"], f"l{link}": LINK["latency"]}
    return linked


def cases_of(size: int) -> Iterator[Case]:
    """Yield every shipped topology of about a size under every shipped pattern it can have."""
    for component, (topology, routing) in _COMPONENTS.items():
        for sizes in _MACHINES[topology][size]:
            for key, pattern, options in _patterns(_nodes(topology, sizes), sizes):
                if pattern == "valiant":
                    if component == topology:
                        for under in ({"under": "uniform"}, {"under": "complement"}, {"under": "shift"}):
                            yield Case(component, topology, "valiant", sizes, key, pattern, under)
                    continue
                yield Case(component, topology, routing, sizes, key, pattern, options)


_UNIFORM: dict[str, tuple[dict[str, Any], ...]] = {
    "fat-tree-2-level": (
        {"m1": 32, "m2": 32, "w1": 16},
        {"m1": 25, "m2": 42, "w1": 2},
        {"m1": 61, "m2": 20, "w1": 39},
    ),
    "fat-tree-3-level": (
        {"m1": 18, "m2": 10, "m3": 6, "w1": 9, "w2": 5},
        {"m1": 43, "m2": 4, "m3": 6, "w1": 3, "w2": 6},
        {"m1": 61, "m2": 3, "m3": 6, "w1": 39, "w2": 2},
    ),
    "full-mesh": ({"p": 13, "a": 80}, {"p": 32, "a": 33}, {"p": 80, "a": 13}),
    "hyperx": ({"p": 2, "d": (4, 4)}, {"p": 6, "d": (8, 8)}, {"p": 14, "d": (9, 9)}),
    "torus, equal sizes": ({"p": 1, "d": (3, 3, 3)}, {"p": 1, "d": (8, 8, 8)}, {"p": 1, "d": (10, 10, 10)}),
    "torus, different sizes": (
        {"p": 1, "d": (2, 8, 40)},
        {"p": 1, "d": (15, 2, 30)},
        {"p": 1, "d": (4, 64, 3)},
        {"p": 1, "d": (5, 10, 20)},
    ),
}
_SHIFT: dict[str, tuple[dict[str, Any], ...]] = {
    "fat-tree-2-level": (
        {"m1": 12, "m2": 2, "w1": 2},
        {"m1": 32, "m2": 16, "w1": 4},
        {"m1": 64, "m2": 16, "w1": 8},
    ),
    "fat-tree-3-level": (
        {"m1": 12, "m2": 2, "m3": 2, "w1": 2, "w2": 4},
        {"m1": 16, "m2": 4, "m3": 4, "w1": 4, "w2": 4},
        {"m1": 40, "m2": 8, "m3": 4, "w1": 4, "w2": 8},
    ),
    "full-mesh": ({"p": 8, "a": 12}, {"p": 16, "a": 24}, {"p": 64, "a": 24}),
}
_TILED: tuple[tuple[str, dict[str, Any], tuple[tuple[int, int], ...]], ...] = (
    ("fat-tree-2-level", {"m1": 32, "m2": 32, "w1": 8}, ((8, 4),)),
    ("fat-tree-2-level", {"m1": 16, "m2": 64, "w1": 4}, ((4, 4),)),
    ("fat-tree-2-level", {"m1": 8, "m2": 128, "w1": 2}, ((4, 2),)),
    ("fat-tree-3-level", {"m1": 2, "m2": 4, "m3": 128, "w1": 2, "w2": 4}, ((4, 2), (2, 1))),
    ("fat-tree-3-level", {"m1": 8, "m2": 16, "m3": 8, "w1": 4, "w2": 4}, ((16, 8), (4, 2))),
    ("fat-tree-3-level", {"m1": 32, "m2": 16, "m3": 2, "w1": 4, "w2": 4}, ((32, 16), (8, 4))),
    ("full-mesh", {"p": 8, "a": 128}, ((4, 2),)),
    ("full-mesh", {"p": 16, "a": 64}, ((4, 4),)),
    ("full-mesh", {"p": 64, "a": 16}, ((8, 8),)),
)
_ROWS_OF_SWITCHES = ((1, 1), (1, 10), (2, 5), (5, 2), (10, 1), (10, 5))
"""Nodes of a switch, and switches that a row of the process grid fills, on a HyperX of 10 x 10."""


def cases_of_thesis() -> Iterator[Case]:
    """Yield machines within the ranges of Tables 5.10 to 5.12 of Anghel 2017, which prints ranges alone."""
    for name, machines in _UNIFORM.items():
        topology, row = name.split(",")[0], f"uniform, {name}"
        for sizes in machines:
            options = {"include_self": False}
            yield Case(topology, topology, "minimal", sizes, "uniform-without-self", "uniform", options, row)
    for topology, machines in _SHIFT.items():
        for sizes in machines:
            nodes, row = _nodes(topology, sizes), f"shift, {topology}"
            for step in (1, sizes.get("p", sizes.get("m1", 1)) * 3 // 4, nodes // 2 + 3):
                yield Case(topology, topology, "minimal", sizes, "shift", "shift", {"step": step}, row)
    for topology, sizes, tiles in _TILED:
        options, row = {"grid": (32, 32), "tiles": tiles}, f"nearest-neighbour, {topology}"
        yield Case(topology, topology, "minimal", sizes, "neighbour-2d", "nearest-neighbour", options, row)
    for nodes, filled in _ROWS_OF_SWITCHES:
        options, row = {"grid": (filled * nodes, 100 // filled)}, "nearest-neighbour, hyperx"
        sizes = {"p": nodes, "d": (10, 10)}
        yield Case("hyperx", "hyperx", "minimal", sizes, "neighbour-2d", "nearest-neighbour", options, row)


_STUDY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("full-mesh", {"a": 64, "p": 64}),
    ("fat-tree-2-level", {"m1": 64, "m2": 64, "w1": 16}),
    ("fat-tree-2-level", {"m1": 64, "m2": 64, "w1": 32}),
    ("fat-tree-2-level", {"m1": 64, "m2": 64, "w1": 64}),
    ("hyperx", {"d": (16, 16), "p": 16}),
    ("dragonfly", {"a": 10, "p": 16, "h": 5, "g": 26}),
    ("dragonfly", {"a": 8, "p": 25, "h": 5, "g": 21}),
    ("slim-fly", {"q": 13, "p": 13}),
)
"""On the frontier of the study topology-uniform-4096; of its six dragonflies two."""


def cases_of_study() -> Iterator[Case]:
    """Yield machines of about 4,096 nodes that the study topology-uniform-4096 finds best, in two of its patterns."""
    for key, pattern, options in (
        ("uniform-without-self", "uniform", {"include_self": False}),
        ("shift", "shift", {"step": 2048}),
    ):
        for topology, sizes in _STUDY:
            yield Case(topology, topology, "minimal", sizes, key, pattern, options)


def _patterns(nodes: int, sizes: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "uniform-without-self", "uniform", {"include_self": False}
    for step in (sizes.get("p", sizes.get("m1", 1)) + 1, nodes // 2):
        yield "shift", "shift", {"step": step}
    for key, sides in (("neighbour-2d", _sides(nodes, 2)), ("neighbour-3d", _sides(nodes, 3))):
        yield key, "nearest-neighbour", {"grid": sides}
    for pattern in ("complement", "tornado"):
        yield pattern, pattern, {}
    if math.isqrt(nodes) ** 2 == nodes:
        yield "transpose", "transpose", {}
    if nodes & (nodes - 1) == 0:
        for pattern in ("bit-reversal", "butterfly"):
            yield pattern, pattern, {}
        for bit in (1, nodes.bit_length() - 2):
            yield "exchange", "exchange", {"exchange_bit": bit}
    yield "valiant", "valiant", {}


def _sides(nodes: int, dimensions: int) -> tuple[int, ...]:
    """Return the sides of the grid of least sum, the longest first."""
    if dimensions == 1:
        return (nodes,)
    sides = [
        tuple(sorted((side, *_sides(nodes // side, dimensions - 1)), reverse=True))
        for side in range(1, nodes + 1)
        if nodes % side == 0
    ]
    return min(sides, key=lambda tried: (sum(tried), tried))


def _nodes(topology: str, sizes: Mapping[str, Any]) -> int:
    if topology == "dragonfly":
        return sizes["a"] * sizes["p"] * sizes["g"]
    if topology == "slim-fly":
        return 2 * sizes["q"] ** 2 * sizes["p"]
    if topology == "skywalk":
        return sizes["s"] * sizes["p"]
    grid = math.prod(sizes.get("d", (1,)))
    return grid * math.prod(sizes[name] for name in ("a", "p", "m1", "m2", "m3") if name in sizes)
