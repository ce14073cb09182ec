"""What a quantity of one design is made of: a sum of parts, the largest of several, a product, or a weighted mean.

Sums and maxima are what models declare. Whether any other function multiplies its arguments, or takes a mean of them,
is found by calling it again with one argument at a time made two and three times as large: a factor changes the result
by a power of that, a summand by a multiple of its own share. Both calls must agree, so that a coincidence is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError, ModelError
from dse.graph.graph import Graph, call

__all__ = ["Decomposition", "Member", "decompose", "way_down"]

_SAME = 1e-9


@dataclass(frozen=True)
class Member:
    """A part of a quantity.

    Attributes
    ----------
    name : str
    value : float
    share : float
        Of a sum and of a mean its share, of a maximum value over the largest, of a product the power it stands in.
    """

    name: str
    value: float
    share: float


@dataclass(frozen=True)
class Decomposition:
    """How a quantity comes from others.

    Attributes
    ----------
    name : str
    value : float
    kind : str
        "sum", "largest", "product", "mean" (weighted, geometric), or "other".
    members : tuple of Member
        The largest share first; of "other" what the function reads that functions give.
    also : str
        Another name of it, by which it was come to.
    """

    name: str
    value: float
    kind: str
    members: tuple[Member, ...]
    also: str = ""

    @property
    def next(self) -> str:
        """The member that most of it comes from: a factor of a product that functions give is as good as another."""
        return self.members[0].name if self.members else ""


def way_down(graph: Graph, arrays: Mapping[str, object], name: str, most: int = 4) -> list[Decomposition]:
    """Take a quantity apart, then what most of it comes from, and so on.

    Parameters
    ----------
    graph : Graph
    arrays : dict of str to ndarray
        Every quantity of one design, as the graph evaluates it: arrays with one entry.
    name : str
    most : int
        Steps.
    """
    steps: list[Decomposition] = []
    also = ""
    while len(steps) < most and (apart := decompose(graph, arrays, name)) is not None:
        if len(apart.members) > 1 or apart.kind == "other":
            steps.append(replace(apart, also=also))
            also = ""
        elif apart.members[0].value == apart.value:
            also = also or name
        if apart.kind == "other":
            break
        name = apart.next
    return steps


def decompose(graph: Graph, arrays: Mapping[str, object], name: str) -> Decomposition | None:
    """Return what a quantity is made of; None for an input, and for what is no number above 0."""
    function = graph.providers.get(name)
    value = _number(arrays.get(name))
    if function is None or value is None or value <= 0.0:
        return None
    for kind, declared in (("sum", function.sum_of), ("largest", function.max_of)):
        values = {part: _number(arrays.get(part)) for part in declared}
        known = {part: amount for part, amount in values.items() if amount is not None}
        if declared and next(iter(function.gives)) == name and len(known) == len(declared):
            members = sorted(
                (Member(part, amount, amount / value) for part, amount in known.items()), key=lambda m: -m.share
            )
            return Decomposition(name, value, kind, tuple(members))
    return _found(graph, arrays, name, value, function)


def _found(
    graph: Graph, arrays: Mapping[str, object], name: str, value: float, function: ModelFunction
) -> Decomposition | None:
    powers: dict[str, float] = {}
    shares: dict[str, float] = {}
    for need in function.needs:
        if _number(arrays.get(need)) in (None, 0.0):
            continue
        twice, thrice = (_ratio(function, arrays, need, factor, name, value) for factor in (2.0, 3.0))
        if twice is None or thrice is None or twice <= 0.0 or thrice <= 0.0:
            continue
        power = math.log2(twice)
        if abs(power - math.log(thrice, 3.0)) < _SAME:
            if abs(power) > _SAME:
                powers[need] = power
        elif abs((thrice - 1.0) - 2.0 * (twice - 1.0)) < _SAME:
            shares[need] = twice - 1.0
    inside = [share for share in powers.values() if 0.0 < share < 1.0 - _SAME]
    if len(inside) > 1 and len(inside) == len(powers) and abs(sum(inside) - 1.0) < _SAME:
        kind, members_of = "mean", powers
    elif len(powers) == 1 and not shares and abs(powers[next(iter(powers))] - 1.0) < _SAME and len(function.needs) == 1:
        kind, members_of = "product", powers  # another name for it, or a constant multiple
    elif len(shares) > 1 and all(share > 0.0 for share in shares.values()) and abs(sum(shares.values()) - 1.0) < _SAME:
        kind, members_of = "sum", shares
    elif len(powers) > 1 and len(powers) + len(_aside(function, arrays)) >= len(function.needs):
        kind, members_of = "product", powers
    else:
        kind, members_of = "other", {need: 0.0 for need in function.needs if need in graph.providers}
    members = [Member(n, v, s) for n, s in members_of.items() if (v := _number(arrays.get(n))) is not None]
    if kind == "product":  # what functions give first, of the unit of the whole before all others
        alike = graph.units.get(name)
        members.sort(key=lambda m: (m.name not in graph.providers, graph.units.get(m.name) != alike, m.share < 0))
    else:
        members.sort(key=lambda m: (-round(m.share, 9), -m.value))
    return Decomposition(name, value, kind, tuple(members)) if members else None


def _aside(function: ModelFunction, arrays: Mapping[str, object]) -> list[str]:
    """Return the arguments that are no numbers: tables and texts."""
    return [need for need in function.needs if _number(arrays.get(need)) is None]


def _ratio(
    function: ModelFunction, arrays: Mapping[str, object], need: str, factor: float, name: str, value: float
) -> float | None:
    """Return by what a result changes when one argument is multiplied; None where the function refuses it."""
    try:
        with np.errstate(all="ignore"):
            result = _number(call(function, {**arrays, need: np.asarray(arrays[need]) * factor}).get(name))
    except (InputError, ModelError):
        return None
    return None if result is None else result / value


def _number(value: object) -> float | None:
    """Return the one entry of an array of numbers, if it is finite."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf" or value.size != 1:
        return None
    entry = float(value.reshape(-1)[0])
    return entry if math.isfinite(entry) else None
