"""Every shape of a network that has so many nodes and switches of at most so many ports.

A study asks for them as the rows of an axis::

    shape = { enumerate = "network.torus", given = { nodes = [9500, 10500], radix = 64, dimensions = [3, 4] } }

Options of all: ``nodes`` (a number, the lowest and the highest, or a list under ``values``), ``radix`` (the largest
number of ports of a switch) and, if wanted, ``nodes_per_switch`` (a number or a list; in a tree, of the switches of
level 1).

All ways to factorise the numbers of nodes are candidates. One that is refused counts under the first reason that
applies, ports before all others. Shapes that are another topology are no candidates: a mesh of one switch, a tree
level of one child, a dimension of one switch, a dragonfly of one group or of one switch per group (a full mesh).

Ports are those of real switches: a fat tree is built of many single switches, not of "fat" ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isqrt
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from dse.authoring.declare.enumerations import Enumerated, enumeration, refuse_many
from dse.errors import InputError
from dse.models.network.topologies.dragonfly.wiring import uneven
from dse.models.network.topologies.skywalk.graph import LARGEST
from dse.models.network.topologies.slim_fly.graph import is_field_order
from dse.spaces.network.mappings import tiles
from dse.spaces.network.shape_names import (
    dragonfly_name,
    full_mesh_name,
    grid_name,
    skywalk_name,
    slim_fly_name,
    tree_name,
)

__all__ = ["dragonfly", "fat_tree_2_level", "fat_tree_3_level", "full_mesh", "hyperx", "skywalk", "slim_fly", "tiles"]
__all__ += ["torus"]

_PAPER = "Anghel 2017, Section 5.4, and the number of ports of each switch"
_MOST = 10_000_000  # candidates
_SIDES = ("dimension_1", "dimension_2", "dimension_3", "dimension_4", "dimension_5", "dimension_6")
_DIMENSIONS = len(_SIDES)
_HAIR = 1e-6  # of a port: what the division by a ratio such as 1.333333 may leave

_Count = Annotated[int, Field(ge=1, le=10**9)]
_Some = Annotated[list[_Count], Field(min_length=1, max_length=1000)]
_Values = Annotated[dict[Literal["values"], _Some], Field(min_length=1)]
_Powers = Annotated[
    dict[Literal["powers_of_two"], Annotated[list[_Count], Field(min_length=2, max_length=2)]], Field(min_length=1)
]
_Ratio = Annotated[float, Field(gt=0, le=1e6)]
_Dimension = Annotated[int, Field(ge=1, le=_DIMENSIONS)]

Nodes = Annotated[
    _Count | Annotated[list[_Count], Field(min_length=2, max_length=2)] | _Values | _Powers,
    Field(
        description="a whole number from 1 to 1e9, [lowest, highest], { values = [ … ] }, or "
        "{ powers_of_two = [lowest, highest] }"
    ),
]
Radix = Annotated[_Count, Field(description="a whole number >= 1: the largest number of ports of a switch")]
Counts = Annotated[_Count | _Some | None, Field(description="a whole number >= 1, or a list of them")]
Several = Annotated[_Count | _Some, Field(description="a whole number >= 1, or a list of them")]
Count = Annotated[_Count, Field(description="a whole number >= 1")]
Ratios = Annotated[
    _Ratio | Annotated[list[_Ratio], Field(min_length=1, max_length=100)],
    Field(description="links down over links up of a switch: a number > 0, or a list of them"),
]
Dimensions = Annotated[
    _Dimension | Annotated[list[_Dimension], Field(min_length=1)],
    Field(description=f"a whole number from 1 to {_DIMENSIONS}, or a list of them"),
]
Smallest = Annotated[int, Field(ge=2, le=10**9, description="a whole number >= 2")]
Largest = Annotated[_Ratio | None, Field(ge=1, description="a number >= 1")]
Choice = Annotated[bool, Field(description="true, false")]


@enumeration(source=_PAPER)
def full_mesh(*, nodes: Nodes, radix: Radix, nodes_per_switch: Counts = None) -> Enumerated:
    """Every full mesh: a switches, each with p nodes and a link to every other, n = a p."""
    split = _Split(nodes)
    n, p = split.nodes_per_switch(nodes_per_switch)
    n, p = _where(n // p >= 2, n, p)
    a = n // p
    keep, refused = _sift(len(n), (_ports(radix), p + a - 1 > radix))
    columns = {"mesh_switches": a, "nodes_per_switch": p}
    return _found("a={}, p={}".format, full_mesh_name, n, columns, keep, refused)


@enumeration(source=_PAPER)
def fat_tree_2_level(
    *, nodes: Nodes, radix: Radix, nodes_per_switch: Counts = None, taper: Ratios = 1.0, node_links: Count = 1
) -> Enumerated:
    """Every fat tree of two levels: m1 nodes per switch of level 1, m2 of these, w1 uplinks of each, n = m1 m2.

    ``node_links`` parallel links (w0) join a node to its switch; ``taper`` are ratios of links down to links up of a
    switch of level 1: w1 = m1 w0 / taper.
    """
    split = _Split(nodes)
    n, m1 = split.nodes_per_switch(nodes_per_switch)
    n, m1 = _where(n // m1 >= 2, n, m1)
    (n, m1), (ratio,) = _cross((n, m1), _ratios(taper))
    m2, down = n // m1, m1 * node_links
    w1 = down / ratio
    keep, refused = _sift(
        len(n),
        (_ports(radix, " of level 1"), down + w1 > radix + _HAIR),
        (_ports(radix, " of level 2"), m2 > radix),
        (_uplinks(1), _broken(w1)),
    )
    columns = {"tree_children_1": m1, "tree_children_2": m2}
    columns |= {"tree_uplinks_0": np.full(len(n), node_links), "tree_uplinks_1": np.round(w1)}
    return _found("m={},{} w={},{}".format, tree_name, n, columns, keep, refused)


@enumeration(source=_PAPER)
def fat_tree_3_level(
    *, nodes: Nodes, radix: Radix, nodes_per_switch: Counts = None, taper: Ratios = 1.0, node_links: Count = 1
) -> Enumerated:
    """Every fat tree of three levels: m3 subtrees of m2 switches of level 1 with m1 nodes each, n = m1 m2 m3.

    ``node_links`` parallel links (w0) join a node to its switch; ``taper`` are ratios of links down to links up of a
    switch, and every pair of them is taken for levels 1 and 2: w1 = m1 w0 / taper 1, w2 = m2 / taper 2.
    """
    split = _Split(nodes)
    n, m1 = split.nodes_per_switch(nodes_per_switch)
    row, m2 = split.divisors(n, n // m1, low=2, high=n // m1 // 2)
    n, m1 = n[row], m1[row]
    ratios = _ratios(taper)
    pairs = np.repeat(ratios, len(ratios)), np.tile(ratios, len(ratios))
    (n, m1, m2), (ratio_1, ratio_2) = _cross((n, m1, m2), *pairs)
    m3, down = n // (m1 * m2), m1 * node_links
    w1, w2 = down / ratio_1, m2 / ratio_2
    keep, refused = _sift(
        len(n),
        (_ports(radix, " of level 1"), down + w1 > radix + _HAIR),
        (_ports(radix, " of level 2"), m2 + w2 > radix + _HAIR),
        (_ports(radix, " of level 3"), m3 > radix),
        (_uplinks(1), _broken(w1)),
        (_uplinks(2), _broken(w2)),
    )
    columns = {"tree_children_1": m1, "tree_children_2": m2, "tree_children_3": m3}
    columns |= {"tree_uplinks_0": np.full(len(n), node_links)}
    columns |= {"tree_uplinks_1": np.round(w1), "tree_uplinks_2": np.round(w2)}
    return _found("m={},{},{} w={},{},{}".format, tree_name, n, columns, keep, refused)


@enumeration(source=_PAPER)
def torus(
    *,
    nodes: Nodes,
    radix: Radix,
    nodes_per_switch: Counts = None,
    dimensions: Dimensions = [1, 2, 3, 4, 5, 6],  # noqa: B006
    ordered: Choice = False,
    smallest_dimension: Smallest = 2,
    largest_ratio: Largest = None,
) -> Enumerated:
    """Every torus of the given numbers of dimensions: n = p d1 d2 …, p nodes per switch, two ports per dimension.

    The sizes of the dimensions fall; with ``ordered``, every order of them is a shape of its own. Dimensions that a
    shape does not have are 1. ``largest_ratio`` limits the largest dimension over the smallest.
    """
    limits = (smallest_dimension, largest_ratio)
    return _grids(nodes, radix, nodes_per_switch, dimensions, ordered, limits, lambda d: np.full(d.shape, 2))


@enumeration(source=_PAPER)
def hyperx(
    *,
    nodes: Nodes,
    radix: Radix,
    nodes_per_switch: Counts = None,
    dimensions: Dimensions = [2, 3, 4, 5, 6],  # noqa: B006
    ordered: Choice = False,
    smallest_dimension: Smallest = 2,
    largest_ratio: Largest = None,
) -> Enumerated:
    """Every HyperX of the given numbers of dimensions: n = p d1 d2 …, each dimension a full mesh of d - 1 ports.

    The sizes of the dimensions fall; with ``ordered``, every order of them is a shape of its own. Dimensions that a
    shape does not have are 1. ``largest_ratio`` limits the largest dimension over the smallest. One of a single
    dimension is a full mesh, so it comes only when asked for.
    """
    limits = (smallest_dimension, largest_ratio)
    return _grids(nodes, radix, nodes_per_switch, dimensions, ordered, limits, lambda d: d - 1)


@enumeration(source=f"{_PAPER}; Kim et al. 2008")
def dragonfly(
    *, nodes: Nodes, radix: Radix, nodes_per_switch: Counts = None, global_links: Counts = None
) -> Enumerated:
    """Every dragonfly: g groups of a switches with p nodes and h global ports each, n = a p g.

    Each two groups are joined by K = a h / (g - 1) links, which must be whole. ``global_links`` are the K that are
    wanted; without it, every number of global ports that the ports of a switch leave is a candidate.
    """
    split = _Split(nodes)
    n, p = split.nodes_per_switch(nodes_per_switch)
    row, a = split.divisors(n, n // p, low=2, high=n // p // 2)
    n, p = n[row], p[row]
    others = n // p // a - 1  # groups
    if global_links is None:
        most = np.maximum(radix - p - a + 1, 1)
        _refuse_many(int(most.sum()))
        row = np.repeat(np.arange(len(n)), most)
        n, p, a, others = n[row], p[row], a[row], others[row]
        h = np.arange(len(row)) - np.repeat(np.cumsum(most) - most, most) + 1
        broken = uneven(a, h, others + 1)
    else:
        (n, p, a, others), (k,) = _cross((n, p, a, others), np.array(_listed(global_links, "global_links")))
        h = -(-k * others // a)
        broken = k * others % a != 0
    keep, refused = _sift(
        len(n),
        (_ports(radix), p + a - 1 + h > radix),
        ("global links do not spread evenly over the other groups", broken),
    )
    columns = {"group_switches": a, "nodes_per_switch": p, "global_ports": h, "groups": others + 1}
    return _found("a={}, p={}, h={}, g={}".format, dragonfly_name, n, columns, keep, refused)


@enumeration(source=f"{_PAPER}; Besta and Hoefler 2014")
def slim_fly(*, nodes: Nodes, radix: Radix, nodes_per_switch: Counts = None) -> Enumerated:
    """Every Slim Fly: 2 q² switches with p nodes and (3 q - 1)/2 links to others, n = 2 q² p, q a prime 4 w + 1."""
    split = _Split(nodes)
    orders = np.arange(2, isqrt(split.high // 2) + 1)
    n, place = split.multiples_of(2 * orders * orders)
    q = orders[place]
    p = n // (2 * q * q)
    if nodes_per_switch is not None:
        n, q, p = _where(np.isin(p, _listed(nodes_per_switch, "nodes_per_switch")), n, q, p)
    fields = [order for order in np.unique(q).tolist() if is_field_order(order)]
    keep, refused = _sift(
        len(n),
        (_ports(radix), 2 * p + 3 * q - 1 > 2 * radix),
        ("q is no prime of the form 4 w + 1", ~np.isin(q, fields)),
    )
    columns = {"field_order": q, "nodes_per_switch": p}
    return _found("q={}, p={}".format, slim_fly_name, n, columns, keep, refused)


@enumeration(source="ports and cabinets of each switch; Matsuoka et al. 2014, Section 5.3")
def skywalk(
    *,
    nodes: Nodes,
    radix: Radix,
    nodes_per_switch: Counts = None,
    switches_per_cabinet: Several = 4,
    switch_links: Counts = None,
) -> Enumerated:
    """Every Skywalk: s switches with p nodes and k links to others, in cabinets of ``switches_per_cabinet``, n = s p.

    ``switch_links`` are the k that are wanted; without it, they are all the ports that the nodes of a switch leave. Two
    cabinets at least, and three links or more that leave each.
    """
    split = _Split(nodes)
    n, p = split.nodes_per_switch(nodes_per_switch)
    (n, p), (together,) = _cross((n, p), np.array(_listed(switches_per_cabinet, "switches_per_cabinet")))
    if switch_links is None:
        k = radix - p
    else:
        (n, p, together), (k,) = _cross((n, p, together), np.array(_listed(switch_links, "switch_links")))
    n, p, together, k = _where(n // p >= 2 * together, n, p, together, k)
    s = n // p
    keep, refused = _sift(
        len(n),
        (_ports(radix), (p + k > radix) | (k < 1)),
        ("the switches do not fill the cabinets evenly", s % together != 0),
        ("an odd number of switches", s % 2 != 0),
        (f"more than {LARGEST:,} switches".replace(",", "\u202f"), s > LARGEST),
        ("fewer than three links leave a cabinet", (k - together + 1) * together < 3),
        ("more links of a switch than other switches", k > s - 1),
    )
    columns = {"skywalk_switches": s, "cabinets": s // together, "switch_degree": k, "nodes_per_switch": p}
    return _found("s={}, c={}, k={}, p={}".format, skywalk_name, n, columns, keep, refused)


# ---- what they share ------------------------------------------------------------------------------------------------


class _Split:
    """The numbers of nodes that are wanted, and their divisors."""

    nothing = np.zeros(0, dtype=np.int64)

    def __init__(self, nodes: Nodes) -> None:
        self.listed: np.ndarray | None = None
        if isinstance(nodes, dict):
            given = {str(kind): listed for kind, listed in nodes.items()}
            values = given["values"] if "values" in given else _powers_of_two(*given["powers_of_two"])
            listed = sorted(_listed(values, "nodes.values"))
            self.listed, self.low, self.high = np.array(listed), listed[0], listed[-1]
        elif isinstance(nodes, list):
            self.low, self.high = nodes[0], nodes[1]
        else:
            self.low = self.high = nodes
        self.step = self.high + 1
        if self.low > self.high:
            raise InputError(f"[{self.low}, {self.high}] runs downwards", key="nodes", allowed="[lowest, highest]")

    @cached_property
    def keys(self) -> np.ndarray:
        """Number and divisor as one key, sorted: the divisors of a number between two limits stand side by side."""
        _refuse_many(self.high - self.low + 1 if self.listed is None else 1)
        numbers, divisors, many = [], [], 0
        for one in range(1, isqrt(self.high) + 1):
            whole = self.multiples(one, least=one * one)
            other = whole // one
            numbers += [whole, whole[other > one]]
            divisors += [np.full(len(whole), one), other[other > one]]
            many += 2 * len(whole)
            _refuse_many(many)
        return np.sort(np.concatenate(numbers) * self.step + np.concatenate(divisors))

    def multiples(self, of: int, least: int = 1) -> np.ndarray:
        """Return the wanted numbers that `of` divides."""
        if self.listed is not None:
            result: np.ndarray = self.listed[(self.listed >= least) & (self.listed % of == 0)]
            return result
        least = max(self.low, least)
        _refuse_many((self.high - least) // of + 1)
        return np.arange(-(-least // of) * of, self.high + 1, of, dtype=np.int64)

    def multiples_of(self, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the wanted numbers that each factor divides, with the place of the factor."""
        found, counts, many = [self.nothing], np.zeros(len(factors), dtype=np.int64), 0
        for place, factor in enumerate(factors.tolist()):
            found.append(self.multiples(factor))
            counts[place] = len(found[-1])
            many += len(found[-1])
            _refuse_many(many)
        return np.concatenate(found), np.repeat(np.arange(len(factors)), counts)

    def divisors(
        self, n: np.ndarray, rest: np.ndarray, *, low: np.ndarray | int, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return row and divisor: for rows with a number and a divisor `rest` of it, all of `rest` within limits."""
        begin = np.searchsorted(self.keys, n * self.step + low, side="left")
        end = np.searchsorted(self.keys, n * self.step + np.minimum(high, rest), side="right")
        counts = np.maximum(end - begin, 0)
        _refuse_many(int(counts.sum()))
        row = np.repeat(np.arange(len(n)), counts)
        found = self.keys[np.arange(len(row)) + np.repeat(begin - np.cumsum(counts) + counts, counts)] % self.step
        fits = rest[row] % found == 0
        return row[fits], found[fits]

    def nodes_per_switch(self, wanted: int | list[int] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return every number of nodes with every number of nodes per switch that divides it."""
        if wanted is None:
            return self.keys // self.step, self.keys % self.step
        listed = np.array(_listed(wanted, "nodes_per_switch"))
        n, place = self.multiples_of(listed)
        return n, listed[place]


def _grids(
    nodes: Nodes,
    radix: int,
    nodes_per_switch: int | list[int] | None,
    dimensions: int | list[int],
    ordered: bool,
    limits: tuple[int, float | None],
    ports_of: Callable[[np.ndarray], np.ndarray],
) -> Enumerated:
    """Return every way to write the nodes as p times the sizes of the dimensions, within the limits of these."""
    smallest, ratio = limits
    split = _Split(nodes)
    every_n, every_p = split.nodes_per_switch(nodes_per_switch)
    found = []
    for count in sorted(_listed(dimensions, "dimensions")):
        n, p, rest = every_n, every_p, every_n // every_p
        sizes = np.ones((len(n), _DIMENSIONS), dtype=np.int64)
        for place in range(count):
            left = count - place
            high = rest // min(smallest ** (left - 1), 2**62)
            low: np.ndarray | int = smallest
            if not ordered:  # the sizes fall, so this one is the largest of those left
                low = np.maximum(smallest, np.floor(rest ** (1.0 / left)).astype(np.int64))
                high = high if place == 0 else np.minimum(high, sizes[:, place - 1])
            if left == 1:
                row = np.flatnonzero((rest >= low) & (rest <= high))
                size = rest[row]
            else:
                row, size = split.divisors(n, rest, low=low, high=high)
            n, p, rest, sizes = n[row], p[row], rest[row] // size, sizes[row]
            sizes[:, place] = size
        found.append((n, p, sizes, np.full(len(n), count)))
    n, p, sizes, counts = (np.concatenate(column) for column in zip(*found, strict=True))
    used = np.arange(_DIMENSIONS) < counts[:, None]
    faults = [(_ports(radix), p + np.where(used, ports_of(sizes), 0).sum(axis=1) > radix)]
    if ratio is not None:
        least = np.where(used, sizes, sizes.max(axis=1, keepdims=True)).min(axis=1)
        faults.append((f"a dimension more than {ratio:g} times another", sizes.max(axis=1) > ratio * least))
    keep, refused = _sift(len(n), *faults)
    columns = {name: sizes[:, place] for place, name in enumerate(_SIDES)} | {"nodes_per_switch": p}

    def label(*row: int) -> str:
        return f"{'x'.join(str(size) for size in row[:-1] if size > 1)}, p={row[-1]}"

    return _found(label, grid_name, n, columns, keep, refused, counts)


def _powers_of_two(lowest: int, highest: int) -> list[int]:
    """Return the powers of two from one number to another."""
    found = [1 << power for power in range(highest.bit_length()) if lowest <= 1 << power <= highest]
    if not found:
        told = f"no power of two lies in [{lowest}, {highest}]"
        raise InputError(told, key="nodes.powers_of_two", allowed="[lowest, highest], such as [64, 4096]")
    return found


def _listed(given: int | list[int], key: str) -> list[int]:
    """Return a number or a list of numbers as a list without repetition."""
    listed = given if isinstance(given, list) else [given]
    _refuse_twice(listed, key)
    return listed


def _ratios(given: float | list[float]) -> np.ndarray:
    listed = given if isinstance(given, list) else [given]
    _refuse_twice(listed, "taper")
    return np.array(listed, dtype=float)


def _refuse_twice(listed: Sequence[float], key: str) -> None:
    for place, one in enumerate(listed):
        if one in listed[:place]:
            raise InputError(f"{one:g} stands twice", key=key, allowed="each number once")


def _refuse_many(candidates: int) -> None:
    if candidates > _MOST:
        raise InputError(
            f"there are more than {_MOST:,} candidates".replace(",", "\u202f"), key="nodes", allowed="a narrower range"
        )


def _where(mask: np.ndarray, *columns: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(column[mask] for column in columns)


def _cross(
    columns: Sequence[np.ndarray], *choices: np.ndarray
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Return each row with each choice."""
    rows, many = len(columns[0]), len(choices[0])
    _refuse_many(rows * many)
    return tuple(np.repeat(column, many) for column in columns), tuple(np.tile(choice, rows) for choice in choices)


def _ports(radix: int, where: str = "") -> str:
    return f"more than {radix} ports on a switch{where}"


def _uplinks(level: int) -> str:
    return f"the taper leaves no whole number of uplinks of a switch of level {level}"


def _broken(number: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.abs(number - np.round(number)) > 1e-9 * number
    return result


def _sift(count: int, *faults: tuple[str, np.ndarray]) -> tuple[np.ndarray, dict[str, int]]:
    """Return which candidates have none of the faults, and how many each one refuses first."""
    left, refused = np.ones(count, dtype=bool), {}
    for reason, fault in faults:
        refused[reason] = int((left & fault).sum())
        left &= ~fault
    return left, refused


def _found(
    label: Callable[..., str],
    naming: Callable[..., str],
    n: np.ndarray,
    columns: Mapping[str, np.ndarray],
    keep: np.ndarray,
    refused: Mapping[str, int],
    *order: np.ndarray,
) -> Enumerated:
    """Return the shapes that are left, sorted by nodes, then as `order` says, then by their columns."""
    refuse_many(int(keep.sum()))
    rows = np.flatnonzero(keep)
    rows = rows[np.lexsort([column[rows] for column in (n, *order, *columns.values())][::-1])]
    chosen = {name: column[rows].astype(np.int64) for name, column in columns.items()}
    labels = [label(*row) for row in zip(*(column.tolist() for column in chosen.values()), strict=True)]
    return Enumerated(chosen, labels, len(keep), refused, naming=naming)
