"""Exchanges in rounds, as of recursive doubling: in each the ranks whose numbers differ in one bit swap messages.

Every rank sends as much in every round, and one round follows another. So of log2 P rounds the first log2 n_p stay in
nodes of n_p ranks, and what leaves a node has the harmonic mean of the bandwidths of the others (ours). There are such
rounds among powers of two of ranks only; others are taken as uniform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.models.network.bandwidth.parameter_columns import entries_of, from_columns, of_designs
from dse.models.network.bandwidth.shared_nodes import ProcessTraffic, process_traffic

__all__ = ["ExchangeTraffic", "exchange_traffic"]


class ExchangeTraffic(NamedTuple):
    """What the ranks of shared nodes have of a network, and where uniform stands for rounds that there are not."""

    traffic: ProcessTraffic
    guessed: np.ndarray


class _Sums(NamedTuple):
    """Over the rounds that leave the node: how many, seconds of a byte, and what messages cross."""

    rounds: np.ndarray
    byte_time: np.ndarray
    latency: np.ndarray
    by_class: dict[str, np.ndarray]


def exchange_traffic(
    topology: str,
    parameters: Mapping[str, Any],
    processes: Any,
    *,
    processes_per_node: Any,
    routing: str = "minimal",
    need: Sequence[str] = ("bandwidths", "latencies"),
) -> ExchangeTraffic:
    """Return what the ranks of shared nodes have of a network when all exchange with all powers of two in turn.

    Parameters
    ----------
    topology, parameters, processes_per_node, routing, need
        As of `shared_nodes.process_traffic`; arrays over designs.
    processes : array_like of int
        Ranks of the machine, P.

    Notes
    -----
    Of an even split ``inside_fraction = log2 n_p / log2 P``.
    """
    entries = [entry for value in parameters.values() for entry in entries_of(value)]
    spread = np.broadcast_arrays(np.asarray(processes, dtype=float), processes_per_node, *entries)
    whole, flat = spread[0].shape, [array.reshape(-1) for array in spread]
    ranks, each, designs = flat[0], flat[1], from_columns(parameters, flat[2:])
    bits = np.rint(np.log2(ranks))
    guessed = np.exp2(bits) != ranks

    def of(chosen: np.ndarray, pattern: str, options: Mapping[str, Any]) -> ProcessTraffic:
        rows = of_designs(designs, chosen)
        return process_traffic(
            topology, rows, pattern, options, processes_per_node=each[chosen], routing=routing, need=need
        )

    made = _blank(of(np.zeros(1, dtype=np.int64), "uniform", {}), len(ranks))
    others = np.flatnonzero(guessed | (bits < 1.0))
    if len(others):
        _put(made, others, of(others, "uniform", {}))
    exchanged = np.flatnonzero(~guessed & (bits >= 1.0))
    if len(exchanged):
        _put(made, exchanged, _over_rounds(of, exchanged, bits[exchanged]))
    traffic = ProcessTraffic(
        made.bandwidth.reshape(whole),
        made.inside_fraction.reshape(whole),
        made.link_latency.reshape(whole),
        made.links.reshape(whole),
        {name: value.reshape(whole) for name, value in made.by_class.items()},
        made.routed.reshape(whole),
    )
    return ExchangeTraffic(traffic, guessed.reshape(whole))


def _over_rounds(of: Any, rows: np.ndarray, bits: np.ndarray) -> ProcessTraffic:
    first = of(rows, "exchange", {"exchange_bit": 0})
    size = len(rows)
    zeros = np.zeros(size)
    sums = _Sums(zeros.copy(), zeros.copy(), zeros.copy(), {name: zeros.copy() for name in first.by_class})
    routed = np.zeros(size, dtype=bool)
    for bit in range(int(bits.max())):
        there = np.flatnonzero(bits > bit)
        round_ = first if bit == 0 else of(rows[there], "exchange", {"exchange_bit": bit})
        leaves = np.broadcast_to(1.0 - np.asarray(round_.inside_fraction), there.shape)
        sums.rounds[there] += leaves
        sums.byte_time[there] += leaves / round_.bandwidth
        sums.latency[there] += leaves * round_.link_latency
        for name, links in round_.by_class.items():
            sums.by_class[name][there] += leaves * links
        routed[there] |= np.broadcast_to(np.asarray(round_.routed, dtype=bool), there.shape)
    leaving = sums.rounds > 0.0
    count = np.where(leaving, sums.rounds, 1.0)
    # Where nothing leaves, what the first round has stands: a rank's part of the link of its node.
    by_class = {name: np.where(leaving, total / count, first.by_class[name]) for name, total in sums.by_class.items()}
    return ProcessTraffic(
        np.where(leaving, count / np.where(leaving, sums.byte_time, 1.0), first.bandwidth),
        1.0 - sums.rounds / bits,
        np.where(leaving, sums.latency / count, first.link_latency),
        sum(by_class.values()),
        by_class,
        routed,
    )


def _blank(like: ProcessTraffic, count: int) -> ProcessTraffic:
    bandwidth, inside, latency, links = np.zeros((4, count))
    by_class = {name: np.zeros(count) for name in like.by_class}
    return ProcessTraffic(bandwidth, inside, latency, links, by_class, np.zeros(count, dtype=bool))


def _put(whole: ProcessTraffic, rows: np.ndarray, part: ProcessTraffic) -> None:
    for into, values in zip(whole[:4], part[:4], strict=True):
        into[rows] = values
    for name, values in part.by_class.items():
        whole.by_class[name][rows] = values
    whole.routed[rows] = part.routed
