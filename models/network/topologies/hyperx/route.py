"""Which links of a HyperX the flows cross: one in each dimension, in all orders of them or dimension 1 first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import comb, lcm, prod
from typing import Any

import numpy as np

from dse.models.network.graphs.flow_routing import (
    FLOW_LIMIT,
    Crossed,
    FlowNetwork,
    Flows,
    LinkTable,
    chunks,
    read_sizes,
    refuse_many,
)
from dse.models.network.graphs.grid_routing import coordinates, dimension_classes, read_dimensions

__all__ = ["hyperx_network"]


def hyperx_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a HyperX as the engine sees it."""
    (p,), sizes = read_sizes("hyperx", parameters, "p"), read_dimensions("hyperx", parameters)
    loads = partial(_in_order if routing == "dimension-order" else _split, sizes)
    return FlowNetwork({"d": sizes, "p": p}, prod(sizes), p, dimension_classes(sizes), loads)


def _in_order(sizes: tuple[int, ...], flows: Flows) -> list[Crossed]:
    """Take every flow straight to its destination in each dimension, dimension 1 first."""
    here, stride, crossed = flows.source, 1, []
    ends = zip(coordinates(flows.source, sizes), coordinates(flows.destination, sizes), strict=True)
    for size, (start, end) in zip(sizes, ends, strict=True):
        there = here + (end - start) * stride
        moving = np.flatnonzero(there != here)
        load = flows.number[moving]
        table = LinkTable(prod(sizes) * size, len(moving))
        table.add(here[moving] * size + end[moving], load)
        crossed.append(Crossed(table.largest(), float(load.sum())))
        here = there
        stride *= size
    return crossed


def _split(sizes: tuple[int, ...], flows: Flows) -> list[Crossed]:
    """Split every flow over all orders of the dimensions (Anghel 2017, Section 5.6.5; more than two dimensions ours).

    Of the k dimensions in which source and destination differ, one comes after exactly the set T of others with the
    probability |T|! (k-1-|T|)! / k! = 1 / (k binomial(k-1, |T|)). lcm(1..N) times that is whole for every k <= N, which
    keeps the sums exact.
    """
    source, destination, number = flows
    ends = list(coordinates(destination, sizes))
    steps, differing, stride = [], np.zeros(len(source), dtype=np.int64), 1
    for size, start, end in zip(sizes, coordinates(source, sizes), ends, strict=True):
        steps.append((end - start) * stride)
        differing += end != start
        stride *= size
    most = int(differing.max())
    scale = lcm(*range(1, most + 1))
    share = np.zeros((most + 1, most))
    for k in range(1, most + 1):
        share[k, :k] = [scale // (k * comb(k - 1, before)) for before in range(k)]
    crossed = []
    for dimension, size in enumerate(sizes):
        moving = np.flatnonzero(steps[dimension])
        parts = int((1 << (differing[moving] - 1)).sum())
        workload = f"{len(moving):,} flows split over the orders of the dimensions make {parts:,} parts"
        refuse_many(workload, parts, 4 * FLOW_LIMIT, "take fewer nodes, or the routing 'dimension-order'")
        table = LinkTable(prod(sizes) * size, parts)
        for chunk in chunks(len(moving), 2 ** (most - 1)):
            # One entry for each flow and each set of other dimensions that may come before this one.
            flow = moving[chunk]
            switch, before = source[flow], np.zeros(len(flow), dtype=np.int64)
            for other, step in enumerate(steps):
                if other != dimension:
                    also = np.flatnonzero(step[flow])
                    switch = np.concatenate([switch, switch[also] + step[flow[also]]])
                    before = np.concatenate([before, before[also] + 1])
                    flow = np.concatenate([flow, flow[also]])
            table.add(switch * size + ends[dimension][flow], share[differing[flow], before] * number[flow])
        crossed.append(Crossed(table.largest() / scale, float(number[moving].sum())))
    return crossed
