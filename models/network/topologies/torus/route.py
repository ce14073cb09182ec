"""Which links of a torus the flows cross: dimension 1 first, the shorter way round each ring, half each way at half."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from dse.models.network.graphs.flow_routing import Crossed, FlowNetwork, Flows, LinkTable, chunks, read_sizes
from dse.models.network.graphs.grid_routing import coordinates, dimension_classes, read_dimensions

__all__ = ["torus_network"]


def torus_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a torus as the engine sees it."""
    (p,), sizes = read_sizes("torus", parameters, "p"), read_dimensions("torus", parameters)
    double = bool(np.all(parameters.get("double_link_at_2", True)))
    loads = partial(_loads, sizes, double)
    return FlowNetwork({"d": sizes, "p": p}, prod(sizes), p, dimension_classes(sizes), loads, rings=sizes)


@lru_cache(maxsize=256)
def _ring(size: int, double: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return, by offset along a ring, the share of the flows that goes up and the number of links to cross."""
    offset = np.arange(size)
    up = np.where(2 * offset < size, 1.0, np.where(2 * offset == size, 0.5, 0.0))
    if size == 2 and not double:
        # The way up and the way down are the same link.
        up[1] = 1.0
    return up, np.minimum(offset, size - offset).astype(float)


def _loads(sizes: tuple[int, ...], double: bool, flows: Flows) -> list[Crossed]:
    """Add every flow to the ranges of links it crosses on the rings, in the order of the dimensions.

    A range on a ring is the sum of what begins and minus what ends before a link, plus what comes round from the far
    end of the ring (Anghel 2017, Section 5.4.4 for the routing).
    """
    switches = prod(sizes)
    # Differences between neighbouring links of a ring, link x between x and x + 1: upwards, then downwards.
    differences = [LinkTable(2 * switches, len(flows.source)) for _ in sizes]
    totals = [0.0] * len(sizes)
    for chunk in chunks(len(flows.source)):
        here, destination, number = (values[chunk] for values in flows)
        ends = zip(coordinates(here, sizes), coordinates(destination, sizes), strict=True)
        stride = 1
        for dimension, (size, (start, end)) in enumerate(zip(sizes, ends, strict=True)):
            offset = end - start
            there = here + offset * stride
            moving = np.flatnonzero(offset)
            first, last, by, load = here[moving], there[moving], offset[moving], number[moving]
            zero = first - start[moving] * stride
            up_share, distance = _ring(size, double)
            up = load * up_share[by]
            down = load - up
            ahead = by > 0
            differences[dimension].add(
                np.concatenate([first, last, zero, last + switches, first + switches, zero + switches]),
                np.concatenate([up, -up, np.where(ahead, 0.0, up), down, -down, np.where(ahead, down, 0.0)]),
            )
            totals[dimension] += float(np.dot(load, distance[by]))
            here = there
            stride *= size
    crossed, stride = [], 1
    for size, difference, total in zip(sizes, differences, totals, strict=True):
        load = np.cumsum(difference.all().reshape(-1, size, stride), axis=1)
        crossed.append(Crossed(float(load.max()), total))
        stride *= size
    return crossed
