"""Time, energy and useful computation ratio of hybrid MPI + OpenMP programs, from counters of short one-node runs.

After Ramapantulu, Loghin, Teo, "An Approach for Energy Efficient Execution of Hybrid Parallel Programs" (2015), Eqs. 1
to 14. A study gives `nodes`, `cores` and `frequency` and three tables: `baselines`, `messages` and `power`. Where an
equation cannot be meant as printed, the default is its correction and the printed form another component of a slot
(defaults first):

=============== ==================== ==========================================================================
Slot            Components           Decides
=============== ==================== ==========================================================================
memory_scaling  per-node, literal    whether memory stalls are divided among the nodes (Eq. 7)
network_wait    pollaczek-khinchine, the factor of the waiting time (Eq. 5): (1 + `service_scv`)/2, or 1
                as-printed
wait_total      run, message         whether the waiting of all messages counts, or of a single one (Eq. 5)
switch_channels port, shared         messages the switch passes at once: one per node, or one
lambda_base     T, T0                the time over which messages arrive: the run, or the run without waiting
=============== ==================== ==========================================================================
"""

from dse.models.hybrid.energies import (
    core_active_power,
    core_energy,
    core_stall_power,
    energy,
    idle_energy,
    idle_power,
    memory_energy,
    memory_power,
    network_energy,
    network_power,
)
from dse.models.hybrid.inputs import (
    baselines,
    cores,
    frequency,
    memory_bandwidth_scale,
    messages,
    nodes,
    power,
    service_scv,
)
from dse.models.hybrid.model import HybridModel
from dse.models.hybrid.network import (
    channel_busy_time,
    link_time,
    message_latency,
    message_service_time,
    message_size,
    messages_per_node,
    network_bandwidth,
    network_service_time,
    pk_waiting_factor,
    port_channels,
    printed_waiting_factor,
    shared_channel,
    single_wait,
    waiting_weight,
    waits_of_the_run,
)
from dse.models.hybrid.time import (
    closed_network_wait_time,
    closed_run_time,
    closed_switch_utilisation,
    compute_time,
    literal_memory_time,
    memory_service_time,
    memory_wait_time,
    network_time,
    open_network_wait_time,
    open_run_time,
    open_switch_utilisation,
    per_node_memory_time,
    unqueued_time,
    useful_computation_ratio,
)
from dse.models.hybrid.workload import (
    compute_cycles,
    cpu_utilisation,
    iteration_ratio,
    iterations,
    memory_stall_cycles,
    nonmemory_stall_cycles,
    uncontended_memory_share,
    useful_cycles,
)

__all__ = [
    "HybridModel",
    "baselines",
    "channel_busy_time",
    "closed_network_wait_time",
    "closed_run_time",
    "closed_switch_utilisation",
    "compute_cycles",
    "compute_time",
    "core_active_power",
    "core_energy",
    "core_stall_power",
    "cores",
    "cpu_utilisation",
    "energy",
    "frequency",
    "idle_energy",
    "idle_power",
    "iteration_ratio",
    "iterations",
    "link_time",
    "literal_memory_time",
    "memory_bandwidth_scale",
    "memory_energy",
    "memory_power",
    "memory_service_time",
    "memory_stall_cycles",
    "memory_wait_time",
    "message_latency",
    "message_service_time",
    "message_size",
    "messages",
    "messages_per_node",
    "network_bandwidth",
    "network_energy",
    "network_power",
    "network_service_time",
    "network_time",
    "nodes",
    "nonmemory_stall_cycles",
    "open_network_wait_time",
    "open_run_time",
    "open_switch_utilisation",
    "per_node_memory_time",
    "pk_waiting_factor",
    "port_channels",
    "power",
    "printed_waiting_factor",
    "service_scv",
    "shared_channel",
    "single_wait",
    "uncontended_memory_share",
    "unqueued_time",
    "useful_computation_ratio",
    "useful_cycles",
    "waiting_weight",
    "waits_of_the_run",
]
