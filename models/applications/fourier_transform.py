"""A three-dimensional Fourier transform over the whole machine: one-dimensional transforms and two transposes.

Arithmetic or memory traffic, whichever takes longer, then the transposes. The nodes form a square, so each transpose
is an exchange among the square root of their number.

The slot ``fourier_transform_exchange`` takes ``law`` (all messages in flight together, as uniform traffic) or
``collectives`` (one transpose in the rows and one in the columns, by the faster of direct messages, one after another,
and Bruck's algorithm; `dse.models.collectives.machine`).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

_LAW = "the radix-2 count of Cooley and Tukey"
_WORD = 16.0  # bytes of a complex number of two 64-bit ones

fourier_points = parameter(unit="1", doc="Points of the transform (FFT), all dimensions together", minimum=8)
fourier_passes = assumption(
    6,
    unit="1",
    source="ours: each of three dimensions is read once and written once",
    doc="Times every point goes to or from memory",
    minimum=1,
    integer=True,
)
fourier_peak_share = assumption(
    0.5,
    unit="1",
    source="ours: additions and multiplications of a butterfly do not pair up; memory binds first (confidence low)",
    doc="Share of the peak rate the arithmetic of a transform reaches",
    above=0,
    maximum=1,
)


@quantity(unit="1", source=_LAW)
def fourier_operations(fourier_points):
    """Floating-point operations of the transform (FFT): 5 n log2 n."""
    return 5.0 * fourier_points * np.log2(fourier_points)


@quantity(unit="s", source=_LAW)
def fourier_arithmetic_time(fourier_operations, nodes, node_peak_flop_rate, fourier_peak_share):
    """Time of the arithmetic, spread evenly."""
    return fourier_operations / nodes / (node_peak_flop_rate * fourier_peak_share)


@quantity(
    unit="s", source="traffic over bandwidth", dimensional=False, reason="bytes of the numbers stand in the formula"
)
def fourier_memory_time(fourier_points, fourier_passes, nodes, node_memory_bandwidth):
    """Time of the traffic to and from the memories."""
    return fourier_points * fourier_passes * _WORD / nodes / node_memory_bandwidth


@quantity(unit="s", source="roofline: the slower of the two", max_of=("fourier_arithmetic_time", "fourier_memory_time"))
def fourier_compute_time(fourier_arithmetic_time, fourier_memory_time):
    """Time within the nodes."""
    return np.maximum(fourier_arithmetic_time, fourier_memory_time)


@quantity(
    unit="s",
    source="two all-to-all exchanges of every point",
    slot="fourier_transform_exchange",
    provider="law",
    default=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def fourier_exchange_time(fourier_points, nodes, all_to_all_bandwidth):
    """Time of the bytes of both transposes."""
    return 2.0 * _WORD * fourier_points / nodes / all_to_all_bandwidth


@quantity(
    unit="s",
    source="a square of nodes: a message to every other one of a row, then of a column",
    slot="fourier_transform_exchange",
    provider="law",
    default=True,
)
def fourier_latency_time(nodes, message_latency):
    """Time of the messages of both transposes beyond their bytes."""
    return 2.0 * (np.sqrt(nodes) - 1.0) * message_latency


@quantity(
    unit="s",
    name="fourier_exchange_time",
    source="two exchanges of every point, in rows and in columns; algorithms by the family collectives",
    slot="fourier_transform_exchange",
    provider="collectives",
    points_only=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def exchange_time_by_collectives(
    fourier_points,
    nodes,
    row_alltoall_direct_latency,
    row_alltoall_direct_per_byte,
    row_alltoall_bruck_alltoall_latency,
    row_alltoall_bruck_alltoall_per_byte,
    column_alltoall_direct_latency,
    column_alltoall_direct_per_byte,
    column_alltoall_bruck_alltoall_latency,
    column_alltoall_bruck_alltoall_per_byte,
):
    """Time of both transposes: exchanges of blocks of 16 points/(nodes sqrt(nodes)) bytes, latencies included."""
    block = _WORD * fourier_points / (nodes * np.sqrt(nodes))
    rows = np.minimum(
        row_alltoall_direct_latency + block * row_alltoall_direct_per_byte,
        row_alltoall_bruck_alltoall_latency + block * row_alltoall_bruck_alltoall_per_byte,
    )
    columns = np.minimum(
        column_alltoall_direct_latency + block * column_alltoall_direct_per_byte,
        column_alltoall_bruck_alltoall_latency + block * column_alltoall_bruck_alltoall_per_byte,
    )
    return rows + columns


@quantity(
    unit="s",
    name="fourier_latency_time",
    source="in the time of the exchange",
    slot="fourier_transform_exchange",
    provider="collectives",
)
def latency_time_in_exchange(nodes):
    """None: the time of an algorithm has its latencies in it."""
    return nodes * 0.0


@quantity(
    unit="s",
    label="time of the Fourier transform",
    source="no overlap of computing and exchanging",
    sum_of=("fourier_compute_time", "fourier_exchange_time", "fourier_latency_time"),
)
def fourier_time(fourier_compute_time, fourier_exchange_time, fourier_latency_time):
    """Time of one transform (FFT)."""
    return fourier_compute_time + fourier_exchange_time + fourier_latency_time
