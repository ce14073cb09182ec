"""Times of a run on many networks, each computed once: designs of a space share few different networks."""

from __future__ import annotations

import numpy as np

from dse.models.replay.network.network import Network
from dse.models.replay.timing.evaluation import plan_of
from dse.models.replay.timing.modes import replays
from dse.models.replay.trace.events import Trace

__all__ = ["run_times"]

_MOST_KEPT = 100_000


def run_times(trace: Trace, eager_limit: float, networks: np.ndarray) -> np.ndarray:
    """Return T_a, T_c and T_b of a trace.

    Parameters
    ----------
    trace : Trace
        It keeps what was computed.
    eager_limit : float
        Of all networks [B].
    networks : ndarray, (networks, 3)
        Latency [s], overhead [s], bandwidth [B/s], with the best algorithm for each collective operation.

    Returns
    -------
    ndarray, (networks, 3)
        Seconds; without delay and without order they depend on the overhead alone.
    """
    plan_of(trace, eager_limit)  # which lets go of another limit, and of its times
    kept: dict[tuple[float, ...], tuple[float, ...]] = trace.graphs.setdefault("times", {})
    if len(kept) > _MOST_KEPT:
        kept.clear()
    rows = [tuple(row) for row in networks.tolist()]
    new = np.array([row for row in dict.fromkeys(rows) if row not in kept]).reshape(-1, 3)
    if len(new):
        latency, overhead, bandwidth = new.T
        runs = replays(trace, Network(latency, overhead, bandwidth, eager_limit=eager_limit), ("modelled",))
        kept.update(zip(map(tuple, new.tolist()), ((time,) for time in runs["modelled"].time.tolist()), strict=True))
    overheads = np.array([overhead for overhead in dict.fromkeys(row[1] for row in rows) if (overhead,) not in kept])
    if len(overheads):
        runs = replays(trace, Network(0.0, overheads, np.inf, eager_limit=eager_limit), ("zero-delay", "unordered"))
        times = zip(runs["zero-delay"].time.tolist(), runs["unordered"].time.tolist(), strict=True)
        kept.update(zip(((overhead,) for overhead in overheads.tolist()), times, strict=True))
    return np.array([(*kept[row], *kept[row[1],]) for row in rows]).reshape(-1, 3)
