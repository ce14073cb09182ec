"""What computes in a core: vectors with fused multiply-add, or outer products of vectors. Components of ``core_unit``.

A vector instruction of c numbers does 2 c operations and moves four operands for every two of them; an outer product of
r rows and c columns does 2 r c operations for r + c operands. The law of power is fitted on vector cores and on the
matrix units of accelerators; of cores with matrix units one machine exists, which is in no fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import LawError, Unlisted, assumption, parameter, quantity
from dse.models.node_class.many_core import vector_bits

__all__ = ["vector_bits"]

_VECTORS: dict[str, Any] = {"slot": "core_unit", "provider": "vectors", "default": True}
_OUTER: dict[str, Any] = {"slot": "core_unit", "provider": "outer-products"}
_LAW = "the law as it is fitted"

PROCESSES = (3e-9, 4e-9, 5e-9, 7e-9, 10e-9, 14e-9, 16e-9, 22e-9, 28e-9, 32e-9, 45e-9)
"""Processes of the sockets that the law was fitted on; of others it is as far off as of a generation left out."""

matrix_rows = parameter(
    unit="1",
    doc="Rows of the outer product that a unit does with each instruction; its columns are a vector",
    minimum=1,
)
vector_power_factor = assumption(
    1.0,
    unit="1",
    source=_LAW,
    doc="Power of sockets of vector cores over what the law gives",
    above=0,
    law_error=LawError(
        0.18,
        "power of sockets of vector cores",
        ("socket_power",),
        "27 sockets, each left out of the fit",
        unlisted=Unlisted("technology", PROCESSES, 0.25),
    ),
)
matrix_power_factor = assumption(
    1.0,
    unit="1",
    source=_LAW,
    doc="Power of sockets of cores with matrix units over what the law gives",
    above=0,
    law_error=LawError(
        0.25,
        "power of sockets of cores with matrix units",
        ("socket_power",),
        "34 sockets, their generation of processes left out of the fit",
    ),
)


@quantity(unit="1", source="fused multiply-add", name="instruction_operations", **_VECTORS)
def vector_operations(vector_bits):
    """Operations of an instruction: two for each number of 64 bits."""
    return 2.0 * (vector_bits / 64.0)


@quantity(unit="1", source="three read and one written for two operations", name="operation_operands", **_VECTORS)
def vector_operands(vector_bits):
    """Operands moved per operation."""
    return 2.0 + 0.0 * vector_bits


@quantity(unit="1", source="the area that is read off cores", name="unit_area_ratio", **_VECTORS)
def vector_area_ratio(vector_bits):
    """Area of the unit over that of a vector unit of the same width."""
    return 1.0 + 0.0 * vector_bits


@quantity(unit="1", source=_LAW, name="socket_power_factor", **_VECTORS)
def vector_socket_factor(vector_power_factor):
    """Power of the socket over what the law gives."""
    return vector_power_factor * 1.0


@quantity(unit="1", source="an outer product of r rows and c columns", name="instruction_operations", **_OUTER)
def outer_operations(vector_bits, matrix_rows):
    """Operations of an instruction: 2 r c."""
    return 2.0 * matrix_rows * (vector_bits / 64.0)


@quantity(unit="1", source="an outer product of r rows and c columns", name="operation_operands", **_OUTER)
def outer_operands(vector_bits, matrix_rows):
    """Operands moved per operation: (r + c) / (2 r c)."""
    columns = vector_bits / 64.0
    return (matrix_rows + columns) / (2.0 * matrix_rows * columns)


@quantity(unit="1", source="ours: a guess (confidence low)", name="unit_area_ratio", **_OUTER)
def outer_area_ratio(matrix_rows):
    """Area of the unit over that of a vector unit of the same width: (1 + r) / 2."""
    return (1.0 + np.maximum(matrix_rows, 1.0)) / 2.0


@quantity(unit="1", source=_LAW, name="socket_power_factor", **_OUTER)
def outer_socket_factor(matrix_power_factor):
    """Power of the socket over what the law gives."""
    return matrix_power_factor * 1.0
