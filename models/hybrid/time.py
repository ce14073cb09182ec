"""Run time of a hybrid program and its parts."""

from __future__ import annotations

from dse.authoring.declare.declaration import RelativeError, quantity
from dse.errors import InputError
from dse.models.hybrid.queue import contended_time, waiting_time
from dse.models.sources import RAMAPANTULU_2015

__all__ = ["compute_time", "literal_memory_time", "memory_service_time", "memory_wait_time", "network_time"]
__all__ += ["open_network_wait_time", "open_run_time", "open_switch_utilisation", "per_node_memory_time"]
__all__ += ["closed_network_wait_time", "closed_run_time", "closed_switch_utilisation", "unqueued_time"]
__all__ += ["useful_computation_ratio"]

VALIDATED = {"nodes": (1, 8)}
TIME_ERROR = RelativeError(
    0.08, 0.12, of="largest mean and deviation of five programs on two clusters (means 1 to 8 %), Table 2"
)
PARTS = (
    "compute_time",
    "memory_service_time",
    "memory_wait_time",
    "network_service_time",
    "network_wait_time",
)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 2", valid=VALIDATED)
def compute_time(compute_cycles, nodes, cores, frequency):
    """Time each core spends on useful and overlapped work, T_CPU."""
    return compute_cycles / (nodes * cores * frequency)


@quantity(
    unit="s",
    name="memory_time",
    source=f"{RAMAPANTULU_2015}, Eq. 7, corrected: each node holds 1/n of the data, so m/(n f)",
    valid=VALIDATED,
    slot="memory_scaling",
    provider="per-node",
    default=True,
)
def per_node_memory_time(memory_stall_cycles, nodes, frequency):
    """Time each core stalls on memory, T_mem, with the data divided among the nodes."""
    return memory_stall_cycles / (nodes * frequency)


@quantity(
    unit="s",
    name="memory_time",
    source=f"{RAMAPANTULU_2015}, Eq. 7 as printed",
    slot="memory_scaling",
    provider="literal",
)
def literal_memory_time(memory_stall_cycles, frequency):
    """Time each core stalls on memory, T_mem, as printed: m/f, whatever the number of nodes."""
    return memory_stall_cycles / frequency


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 14 (data dependency); the split is ours")
def memory_service_time(memory_time, uncontended_memory_share):
    """Memory stalls that are there without contention, T_s,mem."""
    return memory_time * uncontended_memory_share


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 14 (memory contention); the split is ours")
def memory_wait_time(memory_time, uncontended_memory_share):
    """Memory stalls caused by the other cores of the node, T_w,mem."""
    return memory_time * (1.0 - uncontended_memory_share)


@quantity(unit="s", source=f"{RAMAPANTULU_2015}, Eq. 1, without the waiting of Eq. 5")
def unqueued_time(compute_time, memory_time, network_service_time):
    """Run time if no message had to wait at the switch, T0."""
    return compute_time + memory_time + network_service_time


# lambda_base: the rate of messages is what the run really produces (eta/T), or, in an open model, eta/T0.


@quantity(
    unit="s",
    name="run_time",
    source=f"{RAMAPANTULU_2015}, Eq. 1, closed over Eq. 5 (arrival rate from T)",
    error=TIME_ERROR,
    slot="lambda_base",
    provider="T",
    default=True,
    sum_of=PARTS,
)
def closed_run_time(unqueued_time, channel_busy_time, waiting_weight):
    """Time of the run, T; the root of (T - T0)(T - a) = a q."""
    return contended_time(unqueued_time, channel_busy_time, waiting_weight)


@quantity(
    unit="s",
    name="network_wait_time",
    source=f"{RAMAPANTULU_2015}, Eq. 5, summed over the run (arrival rate from T)",
    slot="lambda_base",
    provider="T",
    default=True,
)
def closed_network_wait_time(unqueued_time, channel_busy_time, waiting_weight):
    """Time a node waits for the switch during the run, T_w,net."""
    return waiting_time(unqueued_time, channel_busy_time, waiting_weight)


@quantity(
    unit="1",
    name="switch_utilisation",
    source=f"{RAMAPANTULU_2015}, Eq. 5 (rho)",
    slot="lambda_base",
    provider="T",
    default=True,
)
def closed_switch_utilisation(channel_busy_time, run_time):
    """Share of the run in which a channel of the switch is busy, rho; below 1."""
    return channel_busy_time / run_time


@quantity(
    unit="1",
    name="switch_utilisation",
    source=f"{RAMAPANTULU_2015}, Eq. 5 (rho), open model",
    slot="lambda_base",
    provider="T0",
    points_only=True,
)
def open_switch_utilisation(channel_busy_time, unqueued_time):
    """Utilisation of a channel of the switch if waiting did not slow the senders; refused from 1 on."""
    utilisation = channel_busy_time / unqueued_time
    saturated = utilisation >= 1.0
    if saturated.any():
        raise InputError(
            f"the switch is saturated in {saturated.sum()} of {saturated.size} configurations (utilisation up to "
            f"{utilisation.max():.3g}), and the open model has no answer there",
            key="use.lambda_base",
            allowed="'T' (the default, which needs no limit), or configurations with utilisation below 1",
        )
    return utilisation


@quantity(
    unit="s",
    name="network_wait_time",
    source=f"{RAMAPANTULU_2015}, Eq. 5, summed over the run, open model",
    slot="lambda_base",
    provider="T0",
    points_only=True,
)
def open_network_wait_time(switch_utilisation, waiting_weight):
    """Time a node waits for the switch during the run, in the open model."""
    return waiting_weight * switch_utilisation / (1.0 - switch_utilisation)


@quantity(
    unit="s",
    name="run_time",
    source=f"{RAMAPANTULU_2015}, Eq. 1, open model",
    error=TIME_ERROR,
    slot="lambda_base",
    provider="T0",
    points_only=True,
    sum_of=PARTS,
)
def open_run_time(unqueued_time, network_wait_time):
    """Time of the run, T, in the open model."""
    return unqueued_time + network_wait_time


@quantity(
    unit="s",
    source=f"{RAMAPANTULU_2015}, Eq. 14 (network contention)",
    sum_of=("network_service_time", "network_wait_time"),
)
def network_time(network_service_time, network_wait_time):
    """Time a node communicates or waits to, T_s,net + T_w,net."""
    return network_service_time + network_wait_time


@quantity(unit="1", source=f"{RAMAPANTULU_2015}, Eq. 13")
def useful_computation_ratio(compute_time, run_time):
    """Share of the run spent on useful and overlapped work, UCR, in (0, 1]."""
    return compute_time / run_time
