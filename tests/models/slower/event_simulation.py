"""Nodes of cores with many tasks, simulated instruction by instruction; shares no code with the models.

Every instruction is drawn at random. The shared memory serves one access after the other, in the order of their times;
a core that sent a message pays the overhead, lets the message go, and takes the task that is ready first, waiting for
it if need be. All latencies are equal, so tasks are ready in the order in which they left. A blocking core waits.

`record_simulation.py` writes the rates that the claims of the family are compared with.
"""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np

WARM = 0.2
"""Share of the time that is left out at the beginning."""


def segments(rng, count, p, q, h1, h2, costs):
    """Draw instructions of one core: time up to each miss or message, which of both, and instructions up to it."""
    kind, level = rng.random(count), rng.random(count)
    network = kind < p
    memory = ~network & (kind < p + q)
    miss = memory & (level >= h1 + (1 - h1) * h2)
    register, first, second = costs
    cost = np.where(memory, np.where(level < h1, first, second), register)
    cost[network | miss] = 0.0
    passed = np.cumsum(cost)
    events = np.flatnonzero(network | miss)
    return np.diff(passed[events], prepend=0.0), network[events], events + 1


def node_rate(
    p,
    q,
    latency,
    overhead,
    tasks,
    cores,
    *,
    service=200.0,
    h1=0.9,
    h2=0.9,
    costs=(1.0, 1.0, 10.0),
    blocking=False,
    instructions=1_500_000,
    seed=0,
):
    """Return the instructions per unit of time of a node.

    Parameters
    ----------
    instructions : int
        Of all cores together, at least; each task of a core sends a dozen messages.
    """
    rng = np.random.default_rng(seed)
    count = int(max(instructions / cores, 12 * (1 if blocking else tasks) / p))
    streams = [[part.tolist() for part in segments(rng, count, p, q, h1, h2, costs)] for _ in range(cores)]
    ready = [deque([0.0] * (tasks - 1)) for _ in range(cores)]
    times, done = [[] for _ in range(cores)], [[] for _ in range(cores)]
    place = [0] * cores

    def advance(core, now):
        """Run a core up to its next access to the shared memory; None where its instructions end."""
        steps, network, after = streams[core]
        waiting, log, counted = ready[core], times[core], done[core]
        for at in range(place[core], len(steps)):
            now += steps[at]
            if not network[at]:
                place[core] = at + 1
                return now
            log.append(now)
            counted.append(after[at])
            if blocking:
                now += latency
            else:
                now += overhead
                waiting.append(now + latency)
                now = max(now, waiting.popleft())
        return None

    events = [(now, core) for core in range(cores) if (now := advance(core, 0.0)) is not None]
    heapq.heapify(events)
    free = 0.0
    while events:
        now, core = heapq.heappop(events)
        free = max(free, now) + service
        following = advance(core, free)
        if following is not None:
            heapq.heappush(events, (following, core))
    end = min(log[-1] for log in times)
    total = 0.0
    for log, counted in zip(times, done, strict=True):
        # Between messages a core goes on, so counts are read on the line between them.
        total += np.interp(end, log, counted) - np.interp(WARM * end, log, counted)
    return total / (end * (1 - WARM))


def short_gain(seed, latency=8192.0, tasks=8, cores=1, operations=2**17):
    """Return the gain of one pair of runs as long as the published ones: operations completed in 2^17 units of time."""
    counts = []
    for blocking in (False, True):
        rng = np.random.default_rng([seed, blocking])
        steps, network, after = segments(rng, operations, 0.08, 0.24, 0.9, 0.9, (1.0, 1.0, 10.0))
        waiting, now, count = deque([0.0] * (tasks - 1)), 0.0, 0
        for step, message, reached in zip(steps.tolist(), network.tolist(), after.tolist(), strict=True):
            now += step
            if now > operations:
                break
            count = reached
            if not message:
                now += 200.0
            elif blocking:
                now += latency
            else:
                waiting.append(now + 16.0 + latency)
                now = max(now + 16.0, waiting.popleft())
        counts.append(count)
    return counts[0] / counts[1]
