"""The functions of this family as people call them: their arguments are read first, and refused by name.

Those of the modules, which the engine calls, take what is within the limits of the declarations.
"""

from __future__ import annotations

from dse.authoring.declare.arguments import Range, checked
from dse.models.resilience import checkpoint_transfer, energy, failure_rates, optimum, time_shares, two_levels

__all__: list[str] = []

_TIME, _POWER = Range(least=0.0), Range(least=0.0)
_LONG = Range(above=0.0, infinite=True)
_MEAN = Range(above=0.0, infinite=True)
_RATIO = Range(least=1.0)
_LEVEL = (_TIME, _MEAN, _TIME)

_of_cost = checked(cost=_TIME, mean_time_between_failures=_MEAN)
_of_restart = checked(cost=_TIME, mean_time_between_failures=_MEAN, restart=_TIME)
_at_interval = checked(interval=_LONG, cost=_TIME, mean_time_between_failures=_MEAN, restart=_TIME)

optimal_interval = _of_cost(optimum.optimal_interval)
young_interval = _of_cost(optimum.young_interval)
daly_interval = _of_cost(optimum.daly_interval)
optimal_efficiency = _of_restart(optimum.optimal_efficiency)
first_order_efficiency = _of_restart(optimum.first_order_efficiency)
efficiency_at = _at_interval(optimum.efficiency_at)

optimal_time_shares = _of_restart(time_shares.optimal_time_shares)
shares_at = _at_interval(time_shares.time_shares)
wall_time_without_checkpoints = checked(useful_time=_TIME, mean_time_between_failures=_MEAN, restart=_TIME)(
    time_shares.wall_time_without_checkpoints
)
whole_interval = checked(useful_time=Range(above=0.0), cost=_TIME, mean_time_between_failures=_MEAN)(
    time_shares.whole_interval
)
availability_without_checkpoints = checked(mean_time_between_failures=_MEAN, mean_time_to_repair=_TIME)(
    time_shares.availability_without_checkpoints
)

_powers = {"busy_power": _POWER, "io_power": _POWER, "restart_power": _POWER}
energy_per_useful_second = checked(shares=time_shares.TimeShares, **_powers)(energy.energy_per_useful_second)
first_order_energy = checked(interval=_LONG, cost=_TIME, mean_time_between_failures=_MEAN, restart=_TIME, **_powers)(
    energy.first_order_energy
)

failures_in = checked(wall_time=_TIME, mean_time_between_failures=_MEAN)(failure_rates.failures_in)
transfer_time = checked(
    data=Range(least=0.0), bandwidth=Range(above=0.0), ratio=_RATIO, coding_bandwidth=Range(above=0.0, infinite=True)
)(checkpoint_transfer.transfer_time)
break_even_compress_bandwidth = checked(ratio=Range(least=1.0, infinite=True))(
    checkpoint_transfer.break_even_compress_bandwidth
)
checkpoint_energy = checked(
    data=Range(least=0.0),
    cost=_TIME,
    ratio=_RATIO,
    compress_energy=Range(least=0.0),
    move_energy=Range(least=0.0),
    write_energy=Range(least=0.0),
    idle_power=_POWER,
)(checkpoint_transfer.checkpoint_energy)

two_level_intervals = checked(
    local_cost=Range(above=0.0), local_failures=_MEAN, global_cost=_TIME, global_failures=_MEAN
)(two_levels.two_level_intervals)
two_level_wall = checked(interval=Range(above=0.0), per_global=Range(least=1.0), local=_LEVEL, whole=_LEVEL)(
    two_levels.two_level_wall
)
two_level_efficiency = checked(interval=Range(above=0.0), per_global=Range(least=1.0), local=_LEVEL, whole=_LEVEL)(
    two_levels.two_level_efficiency
)
first_order_two_level_efficiency = checked(local=_LEVEL, whole=_LEVEL)(two_levels.first_order_two_level_efficiency)
