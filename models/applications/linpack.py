"""Dense linear equations as HPL solves them: arithmetic, exchange of panels, latencies, and how much of it overlaps.

The scaling form published with HPL, one process per node on a square of nodes. A machine whose nodes make no square
leaves a few of them out, so the sides are the square root of their number.

The slot ``linpack_exchange`` takes ``law`` (that form) or ``collectives``: every panel is broadcast along the rows of
the square by the fastest algorithm, pivots of its columns are reduced along the columns, rows are exchanged along them,
each with what it gets of the network (`dse.models.collectives.machine`).

The slot ``linpack_problem`` takes ``from-memory`` (a matrix that fills its share of the memory, as lists of
supercomputers are made) or ``given`` (`linpack_equations`, for the time of one problem on several machines).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import HPL

__all__ = ["operations"]

_HPL = f"{HPL}: scalability analysis"
_WORD = 8.0  # bytes of a number
_LEAST = 1e-30  # s: one node exchanges nothing

linpack_equations = parameter(unit="1", doc="Equations of a problem that the study gives", minimum=1)
linpack_memory_share = assumption(
    0.8,
    unit="1",
    source="common practice: most of what the system leaves (confidence high)",
    doc="Share of the memory that the matrix fills",
    above=0,
    maximum=1,
)
linpack_peak_share = assumption(
    0.7141,
    unit="1",
    source="accelerated machines of spaces/machines/systems.csv, fitted (dse validate machines)",
    doc="Share of their peak rate that nodes sustain in the products of matrices",
    above=0,
    maximum=1,
)
linpack_block = assumption(
    256,
    unit="1",
    source="HPL's advice is 32 to 256; accelerators take more (confidence medium, of little weight)",
    doc="Columns of a panel, NB",
    minimum=1,
    integer=True,
)
linpack_overlap = assumption(
    0.9,
    unit="1",
    source="ours: look-ahead hides most of the exchange (confidence medium)",
    doc="Share of the shorter of arithmetic and exchange that the longer one hides",
    minimum=0,
    maximum=1,
)


@quantity(
    unit="1",
    name="linpack_size",
    source="memory over the bytes of a number",
    slot="linpack_problem",
    provider="from-memory",
    default=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def size_from_memory(nodes, node_memory_capacity, linpack_memory_share):
    """Number of equations, n: the matrix fills its share of the memory."""
    return np.sqrt(linpack_memory_share * nodes * node_memory_capacity / _WORD)


@quantity(unit="1", name="linpack_size", source="the study", slot="linpack_problem", provider="given")
def given_size(linpack_equations):
    """Number of equations, n, as the study gives it."""
    return linpack_equations * 1.0


@quantity(
    unit="1",
    name="linpack_given_share",
    source="bytes of the matrix over those of the memory",
    slot="linpack_problem",
    provider="given",
)
def given_share(linpack_equations, nodes, node_memory_capacity):
    """Share of the memory of all nodes that the matrix takes which the study gives."""
    return _WORD * linpack_equations * linpack_equations / (nodes * node_memory_capacity)


enough_memory = requirement(
    "linpack_given_share <= 1",
    name="memory",
    source="ours: the program keeps the matrix in the memory",
    doc="the matrix that the study gives fits the memory of all nodes",
)


@quantity(unit="1", source="bytes of the matrix over those of the memory")
def linpack_filled_share(linpack_size, nodes, node_memory_capacity):
    """Share of the memory of all nodes that the matrix takes; above 1 it does not fit."""
    return _WORD * linpack_size * linpack_size / (nodes * node_memory_capacity)


@quantity(unit="1", source=_HPL)
def linpack_column_messages(nodes, linpack_block):
    """Messages per column that follow one another: ((NB + 1) log2 P + P)/NB with P rows of nodes, none on one node."""
    rows = np.sqrt(nodes)
    messages = ((linpack_block + 1.0) * np.log2(rows) + rows) / linpack_block
    return np.where(nodes > 1.0, messages, 0.0)


@quantity(unit="s", source=f"{_HPL}: 2 n^3 / (3 P Q) operations of a process")
def linpack_compute_time(linpack_size, nodes, node_peak_flop_rate, linpack_peak_share):
    """Time of the arithmetic."""
    return operations(linpack_size) / (nodes * node_peak_flop_rate * linpack_peak_share)


@quantity(
    unit="s",
    source=f"{_HPL}: 8 n^2 (3 P + Q) / (2 P Q B), here with P = Q",
    slot="linpack_exchange",
    provider="law",
    default=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def linpack_transfer_time(linpack_size, nodes, all_to_all_bandwidth):
    """Time of the bytes that a node exchanges along its row and its column, hidden or not."""
    moved = 2.0 * _WORD * linpack_size * linpack_size / np.sqrt(nodes)
    return np.where(nodes > 1.0, moved, 0.0) / all_to_all_bandwidth


@quantity(
    unit="s",
    source=f"{_HPL}: latency times n ((NB + 1) log2 P + P)/NB",
    slot="linpack_exchange",
    provider="law",
    default=True,
)
def linpack_message_time(linpack_size, linpack_column_messages, message_latency):
    """Time of the messages that follow one another beyond their bytes, hidden or not."""
    return linpack_size * linpack_column_messages * message_latency


@quantity(
    unit="s",
    name="linpack_transfer_time",
    source=f"{_HPL}: the same bytes; algorithms by the family collectives, of means of panels",
    slot="linpack_exchange",
    provider="collectives",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def transfer_time_by_collectives(
    linpack_size,
    linpack_block,
    nodes,
    row_bcast_binomial_latency,
    row_bcast_binomial_per_byte,
    row_bcast_chain_latency,
    row_bcast_chain_per_byte,
    row_bcast_vdg_rd_latency,
    row_bcast_vdg_rd_per_byte,
    row_bcast_vdg_ring_latency,
    row_bcast_vdg_ring_per_byte,
    column_shift_neighbour_per_byte,
):
    """Time of the panels, broadcast by the fastest of four algorithms, and of the rows exchanged, hidden or not.

    (n/NB) [min(latency + s per_byte) + 3 s/B], with panels of s = 4 NB n/R bytes on average, R = sqrt(nodes), and B of
    a shift along the columns.
    """
    panel = 4.0 * linpack_block * linpack_size / np.sqrt(nodes)
    trees = np.minimum(
        row_bcast_binomial_latency + panel * row_bcast_binomial_per_byte,
        row_bcast_chain_latency + panel * row_bcast_chain_per_byte,
    )
    scattered = np.minimum(
        row_bcast_vdg_rd_latency + panel * row_bcast_vdg_rd_per_byte,
        row_bcast_vdg_ring_latency + panel * row_bcast_vdg_ring_per_byte,
    )
    each = np.minimum(trees, scattered) + 3.0 * panel * column_shift_neighbour_per_byte
    return np.where(nodes > 1.0, linpack_size / linpack_block, 0.0) * each


@quantity(
    unit="s",
    source="two ways of recursive doubling; the family collectives",
    points_only=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)  # tabulated
def linpack_pivot_time(
    linpack_block,
    column_allreduce_butterfly_latency,
    column_allreduce_butterfly_per_byte,
    column_allreduce_butterfly_over_detours_latency,
    column_allreduce_butterfly_over_detours_per_byte,
):
    """Time of the reduction of a pivot along the columns: the row of the pivot and the first, 16 NB bytes."""
    pivot = 2.0 * _WORD * linpack_block
    return np.minimum(
        column_allreduce_butterfly_latency + pivot * column_allreduce_butterfly_per_byte,
        column_allreduce_butterfly_over_detours_latency + pivot * column_allreduce_butterfly_over_detours_per_byte,
    )


@quantity(unit="1", source=f"{_HPL}: the exchange of rows")
def linpack_swap_messages(nodes, linpack_block):
    """Messages per column that exchange rows: (lg R + R - 1)/NB, with R = sqrt(nodes)."""
    rows = np.sqrt(nodes)
    return (np.log2(rows) + rows - 1.0) / linpack_block


@quantity(
    unit="s",
    name="linpack_message_time",
    source=f"{_HPL}: messages of pivots and of the exchange of rows; reductions by the family collectives",
    slot="linpack_exchange",
    provider="collectives",
)
def message_time_by_collectives(linpack_size, nodes, message_latency, linpack_pivot_time, linpack_swap_messages):
    """Time of the reductions of n pivots along the columns, and of the messages that exchange rows, hidden or not."""
    each = linpack_pivot_time + linpack_swap_messages * message_latency
    return np.where(nodes > 1.0, linpack_size, 0.0) * each


@quantity(unit="1", source="ours: overlap of the shorter with the longer")
def linpack_exposed_share(linpack_compute_time, linpack_transfer_time, linpack_message_time, linpack_overlap):
    """Share of the exchange that no arithmetic hides."""
    exchange = linpack_transfer_time + linpack_message_time
    return 1.0 - linpack_overlap * np.minimum(linpack_compute_time / np.maximum(exchange, _LEAST), 1.0)


@quantity(unit="s", source=f"{_HPL}; the overlap is ours")
def linpack_exchange_time(linpack_transfer_time, linpack_exposed_share):
    """Time of the bytes exchanged that no arithmetic hides."""
    return linpack_transfer_time * linpack_exposed_share


@quantity(unit="s", source=f"{_HPL}; the overlap is ours")
def linpack_latency_time(linpack_message_time, linpack_exposed_share):
    """Time of messages beyond their bytes that no arithmetic hides."""
    return linpack_message_time * linpack_exposed_share


@quantity(
    unit="s",
    source=f"{_HPL}; the overlap is ours",
    sum_of=("linpack_compute_time", "linpack_exchange_time", "linpack_latency_time"),
)
def linpack_time(linpack_compute_time, linpack_transfer_time, linpack_message_time, linpack_overlap):
    """Time of a solution: the longer of arithmetic and exchange, and what it does not hide of the shorter."""
    exchange = linpack_transfer_time + linpack_message_time
    longer, shorter = np.maximum(linpack_compute_time, exchange), np.minimum(linpack_compute_time, exchange)
    return longer + (1.0 - linpack_overlap) * shorter


@quantity(unit="flop/s", label="HPL rate", source="operations over time")
def linpack_flop_rate(linpack_size, linpack_time):
    """Floating-point operations per second of the whole machine, Rmax."""
    return operations(linpack_size) / linpack_time


@quantity(unit="1", source="definition")
def linpack_efficiency(linpack_flop_rate, nodes, node_peak_flop_rate):
    """Rate over the peak rate of the nodes."""
    return linpack_flop_rate / (nodes * node_peak_flop_rate)


def operations(size: np.ndarray) -> np.ndarray:
    """Floating-point operations of a solution, 2/3 n^3."""
    result: np.ndarray = (2.0 / 3.0) * size * size * size
    return result
