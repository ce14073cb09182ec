"""Work that comes in cycles with a deadline: data in, computing, data out, one after the other.

The constraint of a study is ``cycle_time <= 30 s``, or ``cycle_slack >= 0 s`` with the deadline as a quantity.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.data_machine.storage import transfer_time
from dse.models.sources import MATSUOKA_2014

__all__: list[str] = []

_WEATHER = f"{MATSUOKA_2014}, weather assimilation"
_CYCLE = f"{_WEATHER}: transfer and computing within the deadline; one after the other is ours"

cycle_input_bytes = parameter(unit="B", doc="Bytes read from the store in a cycle", minimum=0)
cycle_output_bytes = parameter(unit="B", doc="Bytes written to the store in a cycle", minimum=0)
cycle_operations = parameter(unit="1", doc="Floating-point operations of a cycle", minimum=0)
cycle_peak_flop_rate = parameter(
    unit="flop/s", label="peak rate of the machine", doc="Peak rate of the part of the machine that computes", above=0
)
cycle_peak_share = assumption(
    0.10,
    unit="1",
    source=f"{_WEATHER}: 10 % of a quarter of the K computer",
    doc="Share of the peak rate that a cycle sustains",
    above=0,
    maximum=1,
)
cycle_deadline = assumption(30.0, unit="s", source=_WEATHER, doc="Time from the data of one cycle to the next", above=0)


@quantity(unit="s", source=_CYCLE)
def cycle_input_time(cycle_input_bytes, effective_read_bandwidth, store_latency):
    """Time of reading the data of a cycle."""
    return transfer_time(cycle_input_bytes, effective_read_bandwidth, store_latency)


@quantity(unit="s", source=_CYCLE)
def cycle_output_time(cycle_output_bytes, effective_write_bandwidth, store_latency):
    """Time of writing the data of a cycle."""
    return transfer_time(cycle_output_bytes, effective_write_bandwidth, store_latency)


@quantity(unit="s", source=f"{_WEATHER}: operations over a share of the peak rate")
def cycle_compute_time(cycle_operations, cycle_peak_flop_rate, cycle_peak_share):
    """Time of computing in a cycle."""
    return cycle_operations / (cycle_peak_flop_rate * cycle_peak_share)


@quantity(unit="s", source=_CYCLE, sum_of=("cycle_input_time", "cycle_compute_time", "cycle_output_time"))
def cycle_time(cycle_input_time, cycle_compute_time, cycle_output_time):
    """Time of a cycle."""
    return cycle_input_time + cycle_compute_time + cycle_output_time


@quantity(unit="s", source=_CYCLE, signed=True)
def cycle_slack(cycle_deadline, cycle_time):
    """What a cycle leaves of its deadline; negative where it comes too late."""
    return cycle_deadline - cycle_time
