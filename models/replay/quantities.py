"""The time of a replayed trace in a study, as a function of the network of each machine.

Latency is that of the links and switches of the machine's pattern, overhead half the latency of a node, bandwidth the
effective one: choose the pattern that the trace has (``dse trace classify``).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, document_parameter, quantities, quantity
from dse.errors import InputError
from dse.models.replay.formats.files import read_trace
from dse.models.replay.network.network import EAGER_LIMIT
from dse.models.replay.timing.run_times import run_times
from dse.models.replay.trace.events import Trace
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_PARTS = f"{ANGHEL_2017}, Section 2.4: replays without order and without delay; replayed by a model of ours"

trace = document_parameter(read=read_trace, doc="Trace of a run with as many ranks as the machine has nodes")

replay_eager_limit = assumption(
    EAGER_LIMIT,
    unit="B",
    source="ours: a common limit of message passing libraries",
    doc="Largest blocking send of the trace that does not wait for its receive",
    minimum=0,
)


@quantities(
    gives={"replay_busy_time": "s", "replay_dependency_time": "s", "replay_network_time": "s"},
    source=_PARTS,
    points_only=True,
)
def replayed_parts(
    trace,
    nodes,
    processes_per_node,
    link_latency,
    path_switches,
    switch_latency,
    node_latency,
    effective_bandwidth,
    replay_eager_limit,
):
    """Time of computes and calls of the busiest rank; what dependencies and what the network add to the run."""
    latency = link_latency + path_switches * switch_latency
    arrays = np.broadcast_arrays(
        nodes, processes_per_node, latency, node_latency / 2.0, effective_bandwidth, replay_eager_limit
    )
    _refuse_others(trace, arrays[0], arrays[1])
    rows = np.stack([np.asarray(array, dtype=float).reshape(-1) for array in arrays[2:]], axis=1)
    different, of_row = np.unique(rows, axis=0, return_inverse=True)
    times = np.empty((len(different), 3))
    for limit in np.unique(different[:, 3]):
        own = different[:, 3] == limit
        times[own] = run_times(trace, float(limit), different[own, :3])
    real, zero_delay, unordered = times[of_row.reshape(-1)].T.reshape(3, *arrays[0].shape)
    return unordered, zero_delay - unordered, real - zero_delay


@quantity(
    unit="s",
    source=_PARTS,
    sum_of=("replay_busy_time", "replay_dependency_time", "replay_network_time"),
)
def replay_time(replay_busy_time, replay_dependency_time, replay_network_time):
    """Time of the replayed run on the network of the machine."""
    return replay_busy_time + replay_dependency_time + replay_network_time


@quantity(unit="1", source=f"{ANGHEL_2017}, Section 2.4", points_only=True)
def replay_speedup_bound(replay_time, replay_network_time):
    """How many times faster the run can get by a better network at most."""
    return replay_time / (replay_time - replay_network_time)


def _refuse_others(trace: Trace, nodes: np.ndarray, processes_per_node: np.ndarray) -> None:
    wrong = (nodes != trace.ranks) | (processes_per_node != 1)
    if np.any(wrong):
        count, each = nodes[wrong].flat[0], processes_per_node[wrong].flat[0]
        raise InputError(
            f"the trace '{trace.name}' has {trace.ranks} ranks, and a machine of the space has {count:.12g} nodes "
            f"of {each:.12g} processes",
            allowed=f"machines of {trace.ranks} nodes, one process on each",
        )
