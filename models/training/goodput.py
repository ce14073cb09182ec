"""Checkpoints and failures of a training: the share of time that is useful.

The laws are those of `dse.models.resilience`; here stand the data of a checkpoint and how it is written. Slot
``checkpointing``: ``blocking`` (devices wait for the store), ``asynchronous`` (they wait for a copy in memory only).
"""

from __future__ import annotations

from typing import Any

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.data_machine.storage import reading_bandwidth
from dse.models.resilience.failure_rates import failures_of_devices
from dse.models.resilience.inputs import device_mtbf, restart_time, store_read_bandwidth, store_write_bandwidth
from dse.models.resilience.optimum import optimal_efficiency, optimal_interval
from dse.models.sources import DALY_2006, RAJBHANDARI_2020

__all__ = ["device_mtbf", "restart_time", "store_read_bandwidth", "store_write_bandwidth"]

_SLOT: dict[str, Any] = {"slot": "checkpointing"}

checkpoint_bytes_per_parameter = assumption(
    14.0,
    unit="B",
    source=f"{RAJBHANDARI_2020}: weights in 16 bits, states of Adam in 32",
    doc="Data of a checkpoint per parameter of the model",
    above=0,
)
copy_bandwidth = parameter(
    unit="B/s", doc="Bandwidth at which a device copies its checkpoint to the memory of its host", above=0
)
training_tokens = parameter(unit="1", doc="Tokens to be trained", above=0)


@quantity(unit="s", source="all causes in the rate of a device; resilience")
def training_mean_time_between_failures(training_devices, device_mtbf):
    """Mean time between failures of the job, from the devices it uses; hosts, switches and software are in it."""
    return failures_of_devices(1.0, training_devices, device_mtbf)


@quantity(unit="B", source=f"{RAJBHANDARI_2020}")
def training_checkpoint_data(model_parameters, checkpoint_bytes_per_parameter):
    """Data of a checkpoint of the whole job, D."""
    return model_parameters * checkpoint_bytes_per_parameter


@quantity(unit="s", source="bandwidth of the store", **_SLOT, provider="blocking", default=True)
def training_checkpoint_cost(training_checkpoint_data, store_write_bandwidth):
    """Time that the devices wait for a checkpoint to be stored."""
    return training_checkpoint_data / store_write_bandwidth


@quantity(
    unit="s",
    name="training_checkpoint_cost",
    source="ours: devices wait for a copy in the memory of their hosts",
    **_SLOT,
    provider="asynchronous",
)
def copy_cost(training_checkpoint_data, training_devices, copy_bandwidth):
    """Time that the devices wait for a checkpoint to be copied."""
    return training_checkpoint_data / (training_devices * copy_bandwidth)


@quantity(unit="s", source="detection, rescheduling, start, reading the checkpoint")
def training_restart_cost(training_checkpoint_data, restart_time, store_read_bandwidth, store_write_bandwidth):
    """Time of a restart."""
    return restart_time + training_checkpoint_data / reading_bandwidth(store_read_bandwidth, store_write_bandwidth)


@quantity(unit="s", source=f"{DALY_2006}: the complete form at its least", points_only=True)
def training_checkpoint_interval(training_checkpoint_cost, training_mean_time_between_failures):
    """Useful work between checkpoints that loses least time."""
    return optimal_interval(training_checkpoint_cost, training_mean_time_between_failures)


@quantity(
    unit="1",
    source=f"{DALY_2006}: the complete form at its least",
    points_only=True,
    label="useful share of time",
)
def training_goodput(training_checkpoint_cost, training_mean_time_between_failures, training_restart_cost):
    """Useful share of time with checkpoints and failures, at the best interval."""
    return optimal_efficiency(training_checkpoint_cost, training_mean_time_between_failures, training_restart_cost)


@quantity(unit="s", source="tokens over rate and useful share", label="time of training")
def training_time(training_tokens, tokens_per_second, training_goodput):
    """Time on the clock of training so many tokens."""
    return training_tokens / (tokens_per_second * training_goodput)
