"""The run: time of a rank, its messages and collective operations, and the energy of a node, all of the whole run."""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.codesign.points import each_point, threads_of_rank
from dse.models.processor.accuracy import ACCURACY
from dse.models.sources import ANGHEL_2017
from dse.models.system.profiled_collectives import GIVES, counted_calls
from dse.models.system.profiled_messages import sent_messages
from dse.models.workload.laws.patterns import peer_bytes
from dse.models.workload.laws.program_laws import ProgramLaws

__all__: list[str] = []

_LAWS = "ours: laws of a program, fitted to recorded runs"
_CLIFF = 0.25


@quantities(
    gives={"reuse_at_cliff": "1"},
    source="ours: at the edge of a working set neither laws nor quantiles of reuse hold (off by a factor)",
    points_only=True,
    marks=("reuse_at_cliff",),
    mark_words={"reuse_at_cliff": "have a cache within 25 % of the memory of a rank, where reuse is off by a factor"},
)
def cliffs(profile, profile_extrapolated, rank_memory, l1_size, l2_size, l3_share):
    """1 where a cache is within 25 % of what a rank touches, and the laws of reuse are asked between their runs."""
    if not isinstance(profile, ProgramLaws):
        return np.zeros(1)
    near = [np.abs(size / rank_memory - 1.0) <= _CLIFF for size in (l1_size, l2_size, l3_share)]
    return 1.0 * (near[0] | near[1] | near[2])


@quantity(
    unit="s",
    source=f"{ANGHEL_2017}, Eq. 6.2: time of the processor model; imbalance and repetitions are ours",
    error=ACCURACY["interaction", "seconds"],
    band=("profile_band_low", "profile_band_high"),
    valid={"reuse_at_cliff": (0.0, 0.0), "profile_distance": (1.0, 1.0)},
    slot="page_costs",
    provider="none",
    default=True,
)
def compute_time(run_time, repetitions, rank_imbalance, reuse_at_cliff, profile_distance):
    """Time that the slowest rank computes in the whole run."""
    return repetitions * run_time * rank_imbalance


@quantity(unit="s", name="run_time", source=f"{ANGHEL_2017}, Section 4.2")
def thread_time(thread_instructions, cycles_per_instruction, frequency):
    """Time of the threads of a recorded run."""
    return thread_instructions * cycles_per_instruction / frequency


@quantity(unit="1", source="ours: what a rank sends to itself is a copy within it", points_only=True)
def messages_to_self(profile, run_processes):
    """Share of its messages that a rank sends to itself, which are none."""
    counts = np.asarray(run_processes, dtype=float)
    if isinstance(profile, ProgramLaws):
        return np.array([profile.self_share(count) for count in counts.reshape(-1).tolist()]).reshape(counts.shape)
    held = peer_bytes(profile.classes)
    whole = sum(held.values())
    return np.full(1, held.get(0, 0.0) / whole if whole else 0.0)


@quantities(gives={"messages": "1", "message_size": "B"}, source=_LAWS, points_only=True)
def messages_of_run(profile, run_processes, problem_size, problem_size_2, messages_to_self, repetitions):
    """Messages a rank sends to others in the whole run, and their mean size; one rank sends none."""
    sent, size = each_point((profile,), (run_processes, problem_size, problem_size_2), _sent, run_processes)
    return sent * (1.0 - messages_to_self) * repetitions, size


def _sent(profile, processes):
    alone = np.asarray(processes) <= 1.0
    if profile.only.comm is None and alone.all():
        return 0.0 * alone, 0.0 * alone
    count, held = sent_messages(profile)
    return np.where(alone, 0.0, count * threads_of_rank(profile)), np.full(alone.shape, held / count if count else 0.0)


@quantities(
    gives={**GIVES, "left_out_collectives": "1"},
    source="ours: calls of collective operations as profiled, or by laws",
    points_only=True,
    marks=("left_out_collectives",),
    mark_words={"left_out_collectives": "leave out calls of operations that have no algorithms here"},
)
def collectives_of_run(profile, run_processes, problem_size, problem_size_2, unknown_collective_bytes, repetitions):
    """Calls of each operation by a rank in the whole run, and what it receives; calls that are left out."""
    point = (run_processes, problem_size, problem_size_2)
    counts = each_point((profile,), point, _calls, run_processes, unknown_collective_bytes)
    return tuple(count * repetitions for count in counts)


def _calls(profile, processes, unknown_bytes):
    *calls, left_out = counted_calls(profile, processes, unknown_bytes)
    return (*(count * threads_of_rank(profile) for count in calls), left_out)


# ---- cards -----------------------------------------------------------------------------------------------------------


@quantity(unit="B/s", source="ours: messages use all planes of the network evenly")
def message_bandwidth(network_planes, effective_bandwidth):
    """Effective bandwidth of a rank for messages that leave its node, over all network cards of the node."""
    return network_planes * effective_bandwidth


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.4; the planes are ours")
def transfer_time(leaving_bytes, message_bandwidth):
    """Time the bytes of a rank take at its effective bandwidth."""
    return leaving_bytes / message_bandwidth


@quantity(
    unit="W",
    source="ours: equal planes, evenly used",
    sum_of=("planes_switches_power", "planes_links_power", "nics_power"),
)
def network_power(network_planes, switches_power, links_power, nics_power):
    """Power of the network at rest: all planes, and the cards of the nodes."""
    return network_planes * (switches_power + links_power) + nics_power


# ---- energy ----------------------------------------------------------------------------------------------------------


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.8: the work of all nodes, as energy")
def run_dynamic_energy(dynamic_energy, repetitions):
    """Energy of the work of a node in the whole run."""
    return dynamic_energy * repetitions


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.8; the power of polling is ours")
def polling_energy(run_dynamic_energy, polling_power_share, system_time, computing_time, compute_time):
    """Energy of a node while its ranks do not compute, as far as polling takes power."""
    waiting = np.maximum(system_time - computing_time, 0.0)
    return polling_power_share * run_dynamic_energy * (waiting / compute_time)


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.8; the power of polling is ours")
def class_dynamic_energy(class_nodes, run_dynamic_energy, polling_energy):
    """Energy of the work of a class: computing, and polling beside it."""
    return class_nodes * (run_dynamic_energy + polling_energy)


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 6.8, derived from the energy where it is shown")
def node_dynamic_power(run_dynamic_energy, compute_time):
    """Mean power of the work of a node while it computes."""
    return run_dynamic_energy / compute_time
