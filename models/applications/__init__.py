"""Applications: work and messages of programs in closed form, for any problem and number of nodes."""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.applications import (
    breadth_first_search,
    conjugate_gradient,
    correlator,
    fourier_transform,
    inputs,
    linpack,
    mix,
    reductions,
    search_time,
    stencil,
)

globals().update(
    declarations(
        inputs,
        linpack,
        reductions,
        conjugate_gradient,
        breadth_first_search,
        search_time,
        fourier_transform,
        stencil,
        correlator,
        mix,
    )
)
