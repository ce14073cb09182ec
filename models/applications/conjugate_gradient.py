"""Sparse linear equations by conjugate gradients, as HPCG poses them: a stencil of 27 points on a block of each node.

Memory traffic, the exchange of the six faces of the block, and three sums over all nodes per iteration. A product with
the matrix stands for all of an iteration: a preconditioner adds work of the same kind, as many operations per byte.

The slot ``conjugate_gradient_exchange`` takes ``law`` (a sum is a message per doubling of the nodes) or ``collectives``
(recursive doubling on the network, `dse.models.collectives.machine`).

The slot ``conjugate_gradient_problem`` takes ``from-memory`` (a share of the memory, as HPCG is run) or ``given``
(`conjugate_gradient_equations`, for the time of one problem on several machines).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

_COUNT = "27 entries per row: a value of 8 bytes and an index of 4, two operations each (12 bytes per 2 operations)"
_ENTRIES = 27.0
_VECTORS = 5.0  # solution, right-hand side, residual, direction and its product
_WORD = 8.0  # bytes of a number
_ROW = 12.0 * _ENTRIES  # bytes of a row of the matrix
_UNKNOWN = _ROW + _VECTORS * _WORD

conjugate_gradient_equations = parameter(
    unit="1", doc="Unknowns of a problem that the study gives, all nodes together", minimum=1
)

conjugate_gradient_memory_share = assumption(
    0.25,
    unit="1",
    source="rules of HPCG: at least a quarter of the memory (recalled, confidence high)",
    doc="Share of the memory that the problem fills",
    above=0,
    maximum=1,
)
conjugate_gradient_iterations = assumption(
    50,
    unit="1",
    source="HPCG: iterations of a set (recalled, confidence high)",
    doc="Iterations",
    minimum=1,
    integer=True,
)
conjugate_gradient_bandwidth_share = assumption(
    0.5848,
    unit="1",
    source="machines of spaces/machines/systems.csv, fitted (dse validate machines)",
    doc="Share of the peak bandwidth of their memory that nodes sustain",
    above=0,
    maximum=1,
)


@quantity(
    unit="1",
    name="conjugate_gradient_unknowns",
    source=f"{_COUNT}, and {_VECTORS:g} vectors",
    slot="conjugate_gradient_problem",
    provider="from-memory",
    default=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def unknowns_from_memory(node_memory_capacity, conjugate_gradient_memory_share):
    """Unknowns of a node: matrix and vectors fill their share of the memory."""
    return conjugate_gradient_memory_share * node_memory_capacity / _UNKNOWN


@quantity(
    unit="1",
    name="conjugate_gradient_unknowns",
    source="the study",
    slot="conjugate_gradient_problem",
    provider="given",
)
def given_unknowns(conjugate_gradient_equations, nodes):
    """Unknowns of a node: an even spread of those the study gives."""
    return conjugate_gradient_equations / nodes


@quantity(unit="1", source="bytes of matrix and vectors over those of the memory")
def conjugate_gradient_filled_share(conjugate_gradient_unknowns, node_memory_capacity):
    """Share of the memory that the problem takes; above 1 it does not fit."""
    return _UNKNOWN * conjugate_gradient_unknowns / node_memory_capacity


@quantity(
    unit="B",
    source="six faces of a cube, a number for each of their points",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def conjugate_gradient_halo(conjugate_gradient_unknowns):
    """Bytes a node sends to its neighbours per iteration."""
    side = np.cbrt(conjugate_gradient_unknowns)
    return 6.0 * _WORD * side * side


@quantity(unit="1", source="recursive doubling: a message per doubling of the nodes")
def all_reduce_steps(nodes):
    """Messages that follow one another in a sum over all nodes."""
    return np.ceil(np.log2(nodes))


@quantity(unit="s", source=_COUNT, dimensional=False, reason="bytes of the numbers stand in the formula")
def conjugate_gradient_memory_time(
    conjugate_gradient_unknowns,
    conjugate_gradient_iterations,
    node_memory_bandwidth,
    conjugate_gradient_bandwidth_share,
):
    """Time of the memory traffic."""
    traffic = _ROW * conjugate_gradient_unknowns * conjugate_gradient_iterations
    return traffic / (node_memory_bandwidth * conjugate_gradient_bandwidth_share)


@quantity(unit="s", source="six messages to neighbours, none on one node")
def conjugate_gradient_halo_time(
    conjugate_gradient_halo, conjugate_gradient_iterations, nodes, halo_bandwidth, message_latency
):
    """Time of the exchange of faces."""
    each = conjugate_gradient_halo / halo_bandwidth + 6.0 * message_latency
    return np.where(nodes > 1.0, conjugate_gradient_iterations, 0.0) * each


@quantity(
    unit="s",
    source="three sums of 8 bytes per iteration, which are latency alone",
    slot="conjugate_gradient_exchange",
    provider="law",
    default=True,
)
def conjugate_gradient_reduction_time(all_reduce_steps, conjugate_gradient_iterations, message_latency):
    """Time of the sums over all nodes."""
    return 3.0 * conjugate_gradient_iterations * all_reduce_steps * message_latency


@quantity(
    unit="s",
    name="conjugate_gradient_reduction_time",
    source="three sums of 8 bytes per iteration; algorithms by the family collectives",
    slot="conjugate_gradient_exchange",
    provider="collectives",
)
def reduction_time_by_collectives(conjugate_gradient_iterations, number_reduction_time):
    """Time of the sums over all nodes, by recursive doubling."""
    return 3.0 * conjugate_gradient_iterations * number_reduction_time


@quantity(
    unit="s",
    source="no overlap",
    sum_of=("conjugate_gradient_memory_time", "conjugate_gradient_halo_time", "conjugate_gradient_reduction_time"),
)
def conjugate_gradient_time(
    conjugate_gradient_memory_time, conjugate_gradient_halo_time, conjugate_gradient_reduction_time
):
    """Time of all iterations."""
    return conjugate_gradient_memory_time + conjugate_gradient_halo_time + conjugate_gradient_reduction_time


@quantity(unit="flop/s", label="HPCG rate", source="two operations per entry of the matrix")
def conjugate_gradient_flop_rate(
    nodes, conjugate_gradient_unknowns, conjugate_gradient_iterations, conjugate_gradient_time
):
    """Floating-point operations per second of the whole machine."""
    each = 2.0 * _ENTRIES * conjugate_gradient_unknowns * conjugate_gradient_iterations
    return nodes * each / conjugate_gradient_time
