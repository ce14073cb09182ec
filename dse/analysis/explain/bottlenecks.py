"""Bottlenecks: the rate that each resource allows, on one axis with the rate that is achieved.

Costs are what models compute with (cycles per instruction), because they add up; what holds a system back is read more
easily from rates (instructions per cycle). A model names the rate of which a quantity is the reciprocal::

    @quantity(unit="1", source="…", max_of=("issue_bound", "memory_bound"), rate="instructions per cycle")
    def window_cycles(issue_bound, memory_bound): ...

    @quantity(unit="1", source="…", sum_of=("window_cycles", "branch_cycles"), rate="instructions per cycle")
    def cycles_per_instruction(window_cycles, branch_cycles): ...

What no other quantity of the same rate is made from is achieved; the parts of the maxima below it are its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from dse.errors import ModelError
from dse.units import TEXT, same_dimension

if TYPE_CHECKING:
    from dse.graph.graph import Graph

__all__ = ["RateAxis", "RateBound", "achieved_rate", "rate_axes", "rate_bounds"]


class RateAxis(NamedTuple):
    """What stands on one axis.

    Attributes
    ----------
    rate, unit : str
        What the axis shows, and the SI unit of it.
    achieved : str
        The quantity of which the rate is achieved.
    maxima : tuple of (str, tuple of str)
        The quantities that are the maximum of others, each with these.
    inner : tuple of (str, str)
        Parts of a maximum that are another maximum, or start from it and add to it; no bounds of their own.
    """

    rate: str
    unit: str
    achieved: str
    maxima: tuple[tuple[str, tuple[str, ...]], ...]
    inner: tuple[tuple[str, str], ...]


class RateBound(NamedTuple):
    """The rate that a part of a maximum allows: infinite where it sets no limit, 0 where nothing gets through.

    `of` is the maximum it is a part of, `contains` the inner maximum it starts from (empty for a bound of its own);
    `binds` is True where a bound of its own sets, by way of these maxima, what is achieved.
    """

    quantity: str
    value: float
    of: str
    binds: bool
    contains: str


def rate_axes(graph: Graph) -> tuple[RateAxis, ...]:
    """Return the axes of a system: one for every quantity of a rate that no other one of that rate is made from.

    Raises
    ------
    ModelError
        A bound, or what is achieved, in another unit than the maximum, or a text.
    """
    named = {next(iter(f.gives)): f for f in graph.functions if f.rate}
    below = {name: graph.below([name]) - {name} for name in named}
    axes = []
    for achieved, function in named.items():
        same = [name for name, other in named.items() if other.rate == function.rate]
        if any(achieved in below[name] for name in same):
            continue
        maxima = {n: named[n].max_of for n in same if named[n].max_of and n in {achieved, *below[achieved]}}
        if not maxima:
            continue
        _check_units(graph, achieved, maxima)
        inner = []
        for part in dict.fromkeys(part for parts in maxima.values() for part in parts):
            provider = graph.providers.get(part)
            starts = (part, *(provider.needs if provider is not None else ()))
            inner += [(part, name) for name in starts if name in maxima][:1]
        unit = graph.units[achieved]
        reciprocal = unit if unit == "1" else f"1/{unit}" if unit.isalpha() else f"1/({unit})"
        axes.append(RateAxis(function.rate, reciprocal, achieved, tuple(maxima.items()), tuple(inner)))
    return tuple(axes)


def _check_units(graph: Graph, achieved: str, maxima: Mapping[str, tuple[str, ...]]) -> None:
    unit = graph.units[achieved]
    for name in (achieved, *maxima, *(part for parts in maxima.values() for part in parts)):
        other = graph.units[name]
        if other in (TEXT, "table", "bool") or not same_dimension(unit, other):
            rate = next(f.rate for f in graph.functions if achieved in f.gives)
            raise ModelError(f"'{name}' in {other} and '{achieved}' in {unit} cannot stand on one axis of {rate}")


def achieved_rate(axis: RateAxis, values: Mapping[str, float]) -> float:
    """Return the rate that a design achieves."""
    return _rate(values[axis.achieved])


def rate_bounds(axis: RateAxis, values: Mapping[str, float]) -> list[RateBound]:
    """Return the bounds of one design from its quantities (plain numbers), the tightest first.

    Of the maxima that are in no other one, the greatest parts bind. Where such a part starts from an inner maximum, it
    is that one's greatest parts that bind: the rest of it is none of a resource's doing.
    """
    maxima, inner = dict(axis.maxima), dict(axis.inner)
    todo = [name for name in maxima if name not in inner.values()]
    reached: set[str] = set()
    binding: set[tuple[str, str]] = set()
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        for part in maxima[name]:
            if values[part] == values[name]:
                if part in inner:
                    todo.append(inner[part])
                else:
                    binding.add((name, part))
    bounds: dict[str, RateBound] = {}
    for name, parts in maxima.items():
        for part in parts:
            if part in inner and values[part] == values[inner[part]]:
                continue  # it adds nothing to the inner maximum, whose parts say all
            bound = RateBound(part, _rate(values[part]), name, (name, part) in binding, inner.get(part, ""))
            if part not in bounds or bound.binds:
                bounds[part] = bound
    return sorted(bounds.values(), key=lambda bound: (math.isnan(bound.value), bound.value))


def _rate(cost: float) -> float:
    """Return the reciprocal of a cost; nothing that costs nothing sets a limit."""
    cost = float(cost)
    return math.nan if math.isnan(cost) else 1.0 / cost if cost > 0 else math.inf
