"""Plans: which quantities are tabulated once, which are computed in the loop, and how axes merge into few dimensions.

Terms: *tabulated* functions are called once on the grid of the axes they depend on; *joined* functions are called per
block; *cut* quantities are the tabulated ones that the loop reads; an *atom* is a group of axes merged into one
dimension of the loop.

    axes     nodes | link  radix  taper | cores  clock  cache
    cut      eta(n)  bandwidth(link, radix, taper)  cycles(cores, clock, cache)
    atoms    nodes | link×radix×taper   | cores×clock×cache          ← innermost last, the longest
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod

from dse.evaluation.probe import Structure
from dse.graph.graph import Graph

__all__ = ["Plan", "make_plan"]

BLOCK = 49_152
_LIMITS = (3e3, 1e4, 3e4, 1e5, 3e5, 1e6)
_EXACT_LENGTH = 16
_BOUNDED = 1e8
"""Designs from which on most are excluded by bounds, which are the tighter the less there is to join."""
_LARGEST_TABLE = 4e6
_LARGEST_TABLES = 4e6
_SECONDS_PER_CALL, _SECONDS_PER_ELEMENT, _SECONDS_PER_ROW = 1.2e-6, 0.5e-9, 8e-9


@dataclass(frozen=True, eq=False)
class Plan:
    """How one product is evaluated.

    Attributes
    ----------
    tabulated, joined : tuple of int
        Positions of functions in the graph, in order.
    cut : tuple of str
        Tabulated quantities (and axis columns) the loop reads, results that are tabulated included.
    atoms : tuple of tuple of int
        Axes of each dimension of the loop, outermost first.
    """

    tabulated: tuple[int, ...]
    joined: tuple[int, ...]
    cut: tuple[str, ...]
    atoms: tuple[tuple[int, ...], ...]


def make_plan(
    graph: Graph,
    structure: Structure,
    shape: Sequence[int],
    results: Sequence[str],
    forced: frozenset[int] = frozenset(),
) -> Plan:
    """Choose the plan with the least estimated time.

    Parameters
    ----------
    graph, structure
        The system and what its probe run learnt.
    shape : sequence of int
        Rows by axis.
    results : sequence of str
        What the loop must give.
    forced : frozenset of int
        Functions that must be tabulated, because they have no range form or read texts.

    Notes
    -----
    Plans are cached by structure: products whose axes differ little in length share one.
    """
    wanted = graph.below(results)
    functions = tuple(
        (
            tuple(function.needs),
            tuple((name, structure.axes[name]) for name in function.gives),
            structure.operations[position],
            any(name in wanted for name in function.gives),
        )
        for position, function in enumerate(graph.functions)
    )
    inputs = tuple((name, structure.axes.get(name, frozenset())) for name in graph.inputs)
    rounded = tuple(_rounded(length) for length in shape)
    return _cached(functions, inputs, rounded, tuple(results), forced)


def _rounded(length: int) -> int:
    """Return a length for estimates: short ones as they are, others up to the next quarter of a doubling."""
    if length <= _EXACT_LENGTH:
        return length
    result: int = math.ceil(2.0 ** (math.ceil(4.0 * math.log2(length) - 1e-9) / 4.0))
    return result


_Named = tuple[str, frozenset[int]]
_Function = tuple[tuple[str, ...], tuple[_Named, ...], int, bool]
"""What it needs, what it gives with its axes, its operations, whether a result needs it."""


@lru_cache(maxsize=8192)
def _cached(
    functions: tuple[_Function, ...],
    inputs: tuple[_Named, ...],
    shape: tuple[int, ...],
    results: tuple[str, ...],
    forced: frozenset[int],
) -> Plan:
    axes = dict(inputs) | {name: where for _, gives, _, _ in functions for name, where in gives}
    plans = {}
    for limit in _LIMITS:
        tabulated = _tabulated(functions, shape, limit, forced)
        if tabulated not in plans:
            plans[tabulated] = _plan(functions, axes, shape, results, tabulated)
    possible = [pair for pair in plans.values() if math.isfinite(pair[0])] or list(plans.values())
    if prod(shape) >= _BOUNDED:
        return min(possible, key=lambda pair: (len(pair[1].joined), pair[0]))[1]
    return min(possible, key=lambda pair: pair[0])[1]


def _tabulated(
    functions: tuple[_Function, ...], shape: tuple[int, ...], limit: float, forced: frozenset[int]
) -> tuple[int, ...]:
    """Return the functions to tabulate.

    None reads what the loop makes, even where a function of several quantities is large and the one read is small.
    """
    needed: set[str] = set()
    for position in range(len(functions) - 1, -1, -1):
        needs, gives, _, wanted = functions[position]
        if wanted and (position in forced or any(name in needed for name, _ in gives)):
            forced = forced | {position}
            needed.update(needs)
    chosen: list[int] = []
    in_loop: set[str] = set()
    for position, (needs, gives, _, wanted) in enumerate(functions):
        small = max(prod(shape[a] for a in where) for _, where in gives) <= limit
        if wanted and (position in forced or (small and in_loop.isdisjoint(needs))):
            chosen.append(position)
        else:
            in_loop.update(name for name, _ in gives)
    return tuple(chosen)


def _plan(
    functions: tuple[_Function, ...],
    axes: Mapping[str, frozenset[int]],
    shape: tuple[int, ...],
    results: tuple[str, ...],
    tabulated: tuple[int, ...],
) -> tuple[float, Plan]:
    joined = tuple(p for p, (_, _, _, wanted) in enumerate(functions) if wanted and p not in tabulated)
    made = {name for position in joined for name, _ in functions[position][1]}
    read = dict.fromkeys(name for position in joined for name in functions[position][0] if name not in made)
    cut = tuple(read | dict.fromkeys(name for name in results if name not in made))
    signatures: dict[frozenset[str], list[int]] = {}
    for axis in range(len(shape)):
        signatures.setdefault(frozenset(q for q in cut if axis in axes[q]), []).append(axis)
    loop: dict[int, int] = {}
    for position in joined:
        mask = _mask(axis for _, where in functions[position][1] for axis in where)
        loop[mask] = loop.get(mask, 0) + functions[position][2]
    spread = Counter(_mask(axes[name]) for name in cut)
    atoms = sorted(((_mask(group), prod(shape[a] for a in group)) for group in signatures.values()), key=_length)
    best = _cost(loop, spread, atoms, len(joined))
    while len(atoms) > 1:
        options = []
        for first, second in combinations(range(len(atoms)), 2):
            merged = [atom for index, atom in enumerate(atoms) if index not in (first, second)]
            merged.append((atoms[first][0] | atoms[second][0], atoms[first][1] * atoms[second][1]))
            merged.sort(key=_length)
            options.append((_cost(loop, spread, merged, len(joined)), merged))
        cost, merged = min(options, key=lambda pair: pair[0])
        if cost >= best and not (len(atoms) > 4 and math.isfinite(cost)):
            break
        best, atoms = cost, merged
    setup = sum(functions[p][2] * prod(shape[a] for a in where) for p in tabulated for _, where in functions[p][1])
    dimensions = tuple(tuple(axis for axis in range(len(shape)) if mask >> axis & 1) for mask, _ in atoms)
    return best + 2e-9 * setup, Plan(tabulated, joined, cut, dimensions)


def _mask(axes: Iterable[int]) -> int:
    """Return a set of axes as the bits of a whole number: plans compare many sets."""
    mask = 0
    for axis in axes:
        mask |= 1 << axis
    return mask


def _length(atom: tuple[int, int]) -> int:
    return atom[1]


def _cost(
    loop: Mapping[int, int], spread: Mapping[int, int], atoms: Sequence[tuple[int, int]], functions: int
) -> float:
    """Estimate the seconds of the loop, infinite when the merged tables would not fit.

    `loop` has the operations and `spread` the number of cut quantities by the axes they depend on, `atoms` the axes and
    the length of each dimension.
    """
    entries, crossed = 0, 0
    for mask, count in spread.items():
        table = 1
        for own, length in atoms:
            if mask & own:
                table *= length
                crossed += count
        if table > _LARGEST_TABLE:
            return math.inf
        entries += table * count
    if entries > _LARGEST_TABLES:
        return math.inf
    lengths = [length for _, length in atoms]
    ranges = [-(-length // step) for length, step in zip(lengths, block_shape(lengths), strict=True)]
    seconds = 2e-9 * entries
    for mask, operations in loop.items():
        elements = calls = inner = 1
        for (own, length), count in zip(atoms, ranges, strict=True):
            if mask & own:
                elements *= length
                calls *= count
                inner = length
        seconds += operations * (
            calls * _SECONDS_PER_CALL
            + elements * _SECONDS_PER_ELEMENT
            + elements / min(inner, BLOCK) * _SECONDS_PER_ROW
        )
    # Few dimensions keep the loop simple, and a cut quantity that varies along one atom only keeps bundles tight.
    each = crossed / max(1, sum(spread.values()))
    return seconds * (1.0 + 0.1 * max(0.0, each - 1.0) + 0.05 * len(atoms) + 0.03 * functions)


def block_shape(lengths: Sequence[int], elements: int = BLOCK) -> tuple[int, ...]:
    """Return how many rows of each atom a block spans: all of the inner ones as far as they fit."""
    steps = [1] * len(lengths)
    room = max(1, elements)
    for index in range(len(lengths) - 1, -1, -1):
        steps[index] = max(1, min(lengths[index], room))
        if lengths[index] > room and index == len(lengths) - 1:
            pieces = math.ceil(lengths[index] / room)
            steps[index] = math.ceil(lengths[index] / pieces)
        room //= steps[index]
    return tuple(steps)
