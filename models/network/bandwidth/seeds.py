"""Topologies that are drawn at random: the mean over several seeds, and how far single ones are from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.bandwidth.bandwidth import link_loads
from dse.models.network.topologies import TOPOLOGIES, topology_named

__all__ = ["OverSeeds", "Spread", "over_seeds"]

FEWEST = 5
"""Seeds that a mean is of at least."""


class Spread(NamedTuple):
    """A figure over seeds: mean, standard deviation of a single seed, least and largest."""

    mean: float
    deviation: float
    least: float
    largest: float


class OverSeeds(NamedTuple):
    """What a pattern has of a random topology: effective bandwidth of a node [B/s], links and their latency [s]."""

    effective_bandwidth: Spread
    links: Spread
    link_latency: Spread


def over_seeds(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str = "uniform",
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    routing: str = "minimal",
) -> OverSeeds:
    """Return the figures of a random topology as means over seeds, with their spread.

    Parameters
    ----------
    topology, parameters, pattern, pattern_parameters, routing
        As of `bandwidth.link_loads`, sizes of one network; figures whose bandwidths or latencies are not given are NaN.
    seeds : sequence of int
        At least `FEWEST` different ones.

    Raises
    ------
    InputError
        A topology that has no seed, or too few seeds.

    Examples
    --------
    >>> found = over_seeds("skywalk", {"s": 64, "c": 16, "k": 6, "p": 1, "l0": 0.0, "lm": 5e-9})
    >>> found.links.least <= found.links.mean <= found.links.largest
    True
    """
    kind = topology_named(topology)
    if "seed" not in kind.sizes:
        random = [name for name, kind in TOPOLOGIES.items() if "seed" in kind.sizes]
        raise InputError(f"the topology '{topology}' is not drawn at random", allowed=random)
    if len(set(seeds)) < FEWEST or len(set(seeds)) < len(seeds):
        raise InputError(f"seeds = {list(seeds)}", allowed=f"at least {FEWEST}, each once")
    loads = [
        link_loads(topology, {**parameters, "seed": seed}, pattern, pattern_parameters, routing=routing)
        for seed in seeds
    ]
    return OverSeeds(
        _spread([load.effective_bandwidth for load in loads]),
        _spread([load.links for load in loads]),
        _spread([load.link_latency for load in loads]),
    )


def _spread(values: Sequence[Any]) -> Spread:
    each = np.array([float(value) for value in values])
    return Spread(*(float(figure) for figure in (each.mean(), each.std(ddof=1), each.min(), each.max())))
