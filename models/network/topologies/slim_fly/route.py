"""Which links of a Slim Fly the flows cross: the direct one, or two over all switches next to both ends.

A Slim Fly has its first part before its second; see `slim_fly_adjacency`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.flow_routing import (
    Crossed,
    FlowNetwork,
    Flows,
    LinkTable,
    chunks,
    read_sizes,
    read_whole_number,
)
from dse.models.network.topologies.slim_fly.closed_form import SWITCH
from dse.models.network.topologies.slim_fly.graph import is_field_order, neighbours_of_switches

__all__ = ["slim_fly_adjacency", "slim_fly_network"]

_LARGEST_ORDER = 89


def slim_fly_adjacency(q: int) -> np.ndarray:
    """Return which switches of a Slim Fly are linked: the McKay-Miller-Siran graph (Besta and Hoefler 2014).

    Parameters
    ----------
    q : int
        A prime of the form 4w + 1; the graph has 2 q² switches with (3q - 1)/2 links each, and diameter 2.

    Returns
    -------
    ndarray of bool
        Switch (0, x, y) has number x q + y, switch (1, m, c) number q² + m q + c. (0, x, y) and (0, x, y') are linked
        if y - y' is a square modulo q, (1, m, c) and (1, m, c') if c - c' is none, and (0, x, y) and (1, m, c) if
        y = m x + c.

    Examples
    --------
    >>> links = slim_fly_adjacency(5)
    >>> links.shape, int(links.sum(axis=0).min()), int(links.sum(axis=0).max())
    ((50, 50), 7, 7)
    """
    return neighbours_of_switches(_order(q))[0].copy()


def slim_fly_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a Slim Fly as the engine sees it."""
    q, p = read_sizes("slim-fly", parameters, "q", "p")
    return FlowNetwork({"q": q, "p": p}, 2 * _order(q) ** 2, p, (SWITCH,), partial(_loads, q))


def _order(q: Any) -> int:
    number = read_whole_number("q", q)
    if not is_field_order(number):
        raise InputError(f"{number}", key="q", allowed="primes of the form 4w + 1 (5, 13, 17, 29, 37, …)")
    if number > _LARGEST_ORDER:
        refused = f"a slim-fly with q = {number} is too large to route flow by flow"
        raise InputError(refused, allowed=f"q up to {_LARGEST_ORDER}, or a pattern with a closed form: uniform")
    return number


def _loads(q: int, flows: Flows) -> list[Crossed]:
    """Take the direct link where there is one; otherwise split over all switches next to both ends."""
    adjacency, near = neighbours_of_switches(q)
    switches, degree = near.shape
    table = LinkTable(switches**2, 2 * len(flows.source))
    total = 0.0
    for chunk in chunks(len(flows.source), degree):
        source, destination, number = (values[chunk] for values in flows)
        direct = adjacency[source, destination]
        table.add((source * switches + destination)[direct], number[direct])
        source, destination, left = source[~direct], destination[~direct], number[~direct]
        flow, way = np.nonzero(adjacency[near[source], destination[:, None]])
        middle = near[source[flow], way]
        share = (left / np.bincount(flow, minlength=len(left)))[flow]
        table.add(source[flow] * switches + middle, share)
        table.add(middle * switches + destination[flow], share)
        total += float(number.sum() + left.sum())
    return [Crossed(table.largest(), total)]
