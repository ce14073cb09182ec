"""Checkpoints and failures: how often to save, what share of time is left, and what it costs in time and energy.

After Young (1974) and Daly (2006), for exponential failures. In Python, `checkpoint` answers for any cost of a
checkpoint, mean time between failures and restart, as arrays that broadcast: best interval, useful share of time, where
the rest goes. `two_level_checkpoint` adds quick local checkpoints; `mean_time_between_failures` joins parts,
`transfer_time` gives the cost of a checkpoint with compression, `energy_optimal_interval` the interval that needs least
energy, `job` the figures of a whole job.

In a study, ``useful_time`` and ``busy_power`` are what the machine takes without failures; ``availability``,
``wall_time`` and ``resilience_energy`` come of it. Slots: ``failure_rate``, ``checkpoint_data``,
``checkpoint_store``, ``checkpoint_compression``. `compression` says where ``compression_ratio`` comes from: published
ratios (``spaces/resilience/compression.csv``), the size of an index code, or the tolerance of a lossy one.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.resilience import checkpoint_transfer, compression, failure_rates, inputs, pictures, quantities
from dse.models.resilience.arguments import (
    availability_without_checkpoints,
    break_even_compress_bandwidth,
    checkpoint_energy,
    daly_interval,
    efficiency_at,
    energy_per_useful_second,
    failures_in,
    first_order_efficiency,
    first_order_energy,
    first_order_two_level_efficiency,
    optimal_efficiency,
    optimal_interval,
    optimal_time_shares,
    transfer_time,
    two_level_efficiency,
    two_level_intervals,
    two_level_wall,
    wall_time_without_checkpoints,
    whole_interval,
    young_interval,
)
from dse.models.resilience.arguments import shares_at as time_shares
from dse.models.resilience.checkpointing import Checkpointing, TwoLevelCheckpointing, checkpoint, two_level_checkpoint
from dse.models.resilience.drawing import draw_efficiency, draw_loss, efficiency_over_nodes, loss_view
from dse.models.resilience.energy import energy_optimal_interval
from dse.models.resilience.failure_rates import mean_time_between_failures
from dse.models.resilience.jobs import Job, job
from dse.models.resilience.time_shares import TimeShares

__all__ = [
    "Checkpointing",
    "Job",
    "TimeShares",
    "TwoLevelCheckpointing",
    "availability_without_checkpoints",
    "break_even_compress_bandwidth",
    "checkpoint",
    "checkpoint_energy",
    "compression",
    "daly_interval",
    "draw_efficiency",
    "draw_loss",
    "efficiency_at",
    "efficiency_over_nodes",
    "energy_optimal_interval",
    "energy_per_useful_second",
    "failures_in",
    "first_order_efficiency",
    "first_order_energy",
    "first_order_two_level_efficiency",
    "job",
    "loss_view",
    "mean_time_between_failures",
    "optimal_efficiency",
    "optimal_interval",
    "optimal_time_shares",
    "time_shares",
    "transfer_time",
    "two_level_checkpoint",
    "two_level_efficiency",
    "two_level_intervals",
    "two_level_wall",
    "wall_time_without_checkpoints",
    "whole_interval",
    "young_interval",
]


globals().update(declarations(inputs, failure_rates, compression, checkpoint_transfer, quantities))
draw_shared_checkpoints = pictures.draw_shared_checkpoints
draw_local_checkpoints = pictures.draw_local_checkpoints
