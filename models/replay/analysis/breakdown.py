"""Where the time of each rank goes: computing, calls, what it waits for other ranks, what the network adds.

After Anghel 2017, Section 2.4: a run beside replays of it, one without any order between the ranks, one on a network
without delay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.models.replay.network.network import Network
from dse.models.replay.timing.modes import Replay, compute_seconds, replays
from dse.models.replay.trace.events import Trace
from dse.models.system.dependencies import Breakdown, breakdown

__all__ = ["RankBreakdown", "rank_breakdown", "run_breakdown", "split"]


@dataclass(frozen=True, eq=False)
class RankBreakdown:
    """Parts of the time of each rank [s], (..., ranks); without `idle` they add up to its finish.

    Attributes
    ----------
    compute : ndarray
        Sum of the computes.
    calls : ndarray
        F_b less compute: overheads of sends, receives and collectives.
    dependency : ndarray
        F_c - F_b: waiting for what is not sent yet, whatever the network.
    network : ndarray
        F_a - F_c: what latency and bandwidth add. Only this a better network can take away.
    idle : ndarray
        From the end of a rank to the end of the last.
    """

    compute: np.ndarray
    calls: np.ndarray
    dependency: np.ndarray
    network: np.ndarray
    idle: np.ndarray

    @property
    def finish(self) -> np.ndarray:
        """F_a, when each rank is done."""
        return np.asarray(self.compute + self.calls + self.dependency + self.network)


def rank_breakdown(trace: Trace, network: Network | Mapping[str, Any]) -> RankBreakdown:
    """Return where the time of each rank goes on a network; parameters as of `dse.models.replay.replay`."""
    return split(trace, replays(trace, network, ("modelled", "zero-delay", "unordered")))


def split(trace: Trace, runs: Mapping[str, Replay]) -> RankBreakdown:
    """Return where the time of each rank goes, from replays that are there."""
    real, zero_delay, unordered = (runs[mode].finish for mode in ("modelled", "zero-delay", "unordered"))
    compute = np.broadcast_to(compute_seconds(trace), real.shape)
    return RankBreakdown(
        compute=compute,
        calls=np.maximum(unordered - compute, 0.0),
        dependency=zero_delay - unordered,
        network=real - zero_delay,
        idle=np.max(real, axis=-1, keepdims=True) - real,
    )


def run_breakdown(trace: Trace, runs: Mapping[str, Replay], parts: RankBreakdown) -> Breakdown | None:
    """Return the parts of the time of the whole run, from the slowest rank of each replay; None of an empty run.

    Notes
    -----
    Calls are the mean over the ranks; those of collectives count as `all_reduce`, all others as `point_to_point`.
    """
    real, zero_delay = np.asarray(runs["modelled"].time), np.asarray(runs["zero-delay"].time)
    unordered = np.asarray(runs["unordered"].time)
    if not np.all(unordered > 0.0):
        return None
    calls = np.minimum(parts.calls.mean(axis=-1), unordered)
    return breakdown(real, unordered, zero_delay, point_to_point=calls)
