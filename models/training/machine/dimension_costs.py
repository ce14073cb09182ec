"""What a collective operation costs on a dimension of a network, by topology, algorithm and members; and on several."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ALGORITHMS", "LARGEST_DIMENSION", "MEMBERS", "TOPOLOGIES", "joined", "penalty", "rounds_of"]

TOPOLOGIES = ("ring", "full", "switch")
ALGORITHMS = ("ring", "direct", "halving", "tree")
MEMBERS = (2, 4, 8, 16)
"""Members that a group may have in a dimension, beside 1."""
LARGEST_DIMENSION = MEMBERS[-1]


def penalty(topology: str, algorithm: str, members: int) -> float:
    """Return how many times as long as its bytes over its bandwidth a device takes, pi.

    ring: 1 on a ring or switch, (n - 1)/2 on links to all; direct: 1, n/(4 (1 - 1/n)) on a ring; halving: 1 on a
    switch, lg n/(2 (1 - 1/n)) on a ring, n - 1 on links to all; tree: as halving, over 1 - 1/n.
    """
    n, part = float(members), 1.0 - 1.0 / members
    halving = {"switch": 1.0, "ring": np.log2(n) / (2.0 * part), "full": n - 1.0}
    of = {
        "ring": {"switch": 1.0, "ring": 1.0, "full": max(1.0, (n - 1.0) / 2.0)},
        "direct": {"switch": 1.0, "ring": n / (4.0 * part), "full": 1.0},
        "halving": halving,
        "tree": {name: value / part for name, value in halving.items()},
    }
    return float(of[algorithm][topology])


def rounds_of(algorithm: str, members: int) -> float:
    """Return the rounds of an algorithm: n - 1, 1, lg n, 2 lg n."""
    rounds = float(np.log2(members))
    return {"ring": members - 1.0, "direct": 1.0, "halving": rounds, "tree": 2.0 * rounds}[algorithm]


def joined(
    size: Any,
    members: tuple[Any, ...],
    byte_times: tuple[Any, ...],
    latencies: tuple[Any, ...],
    exposed: Any,
) -> Any:
    """Return the time of a gather over the dimensions [s].

    Parameters
    ----------
    size : array_like
        Bytes of the whole vector, Z.
    members, byte_times, latencies : tuple of array_like
        By dimension: n_i, (1 - 1/n_i) pi/b_i, l steps.
    exposed : array_like
        Share of the shorter dimensions that the longest does not hide: 1 one after another, 1/chunks pipelined.
    """
    rest, others, longest = size, size * 0.0, size * 0.0
    for many, byte_time, latency in zip(members, byte_times, latencies, strict=True):
        time = rest * byte_time + latency
        # max + min is the sum, and both rise with every time: no difference, so that signs can be proved.
        others, longest, rest = others + np.minimum(longest, time), np.maximum(longest, time), rest / many
    return longest + others * exposed
