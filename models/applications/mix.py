"""A mix of workloads: one figure for a machine that runs several, the weighted geometric mean of their times.

The geometric mean ranks machines the same whatever machine the times are taken relative to. Dense and sparse equations
are counted by the operations to be done, at the rate that HPL and HPCG reach: their own problems grow with the memory.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import Assumption, assumption, parameter, quantity

__all__: list[str] = []


def _weight(workload: str) -> Assumption:
    return assumption(
        1.0, unit="1", source="ours: all workloads alike", doc=f"Weight of {workload} in the mix", minimum=0
    )


dense_weight = _weight("dense linear equations")
sparse_weight = _weight("sparse linear equations")
breadth_first_search_weight = _weight("breadth-first search")
fourier_weight = _weight("Fourier transforms")
stencil_weight = _weight("stencils")


dense_operations = parameter(unit="1", doc="Operations of dense linear algebra to be done", above=0)
sparse_operations = parameter(unit="1", doc="Operations of sparse linear algebra to be done", above=0)


@quantity(unit="s", label="time of dense algebra", source="operations over the rate of HPL")
def dense_time(dense_operations, linpack_flop_rate):
    """Time of the dense linear algebra."""
    return dense_operations / linpack_flop_rate


@quantity(unit="s", label="time of sparse algebra", source="operations over the rate of HPCG")
def sparse_time(sparse_operations, conjugate_gradient_flop_rate):
    """Time of the sparse linear algebra."""
    return sparse_operations / conjugate_gradient_flop_rate


@quantity(unit="1", source="weights add up to one")
def mix_weight(dense_weight, sparse_weight, breadth_first_search_weight, fourier_weight, stencil_weight):
    """All weights of the mix together."""
    return dense_weight + sparse_weight + breadth_first_search_weight + fourier_weight + stencil_weight


@quantity(unit="s", label="time of the mix", source="weighted geometric mean")
def mix_time(
    dense_time,
    dense_weight,
    sparse_time,
    sparse_weight,
    breadth_first_search_time,
    breadth_first_search_weight,
    fourier_time,
    fourier_weight,
    stencil_time,
    stencil_weight,
    mix_weight,
):
    """Weighted geometric mean of the times of the workloads."""
    logarithm = (
        dense_weight * np.log(dense_time)
        + sparse_weight * np.log(sparse_time)
        + breadth_first_search_weight * np.log(breadth_first_search_time)
        + fourier_weight * np.log(fourier_time)
        + stencil_weight * np.log(stencil_time)
    )
    return np.exp(logarithm / mix_weight)
