"""The operations that a page can repeat, and which of them give other last bits there than NumPy does."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["OPERATIONS", "StepOperation"]


class StepOperation(NamedTuple):
    """How many operands an operation has, and whether IEEE 754 or its definition leave one result only."""

    operands: int
    exact: bool = True


OPERATIONS: dict[str, StepOperation] = {
    **dict.fromkeys(
        ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "minimum", "maximum"], StepOperation(2)
    ),
    **dict.fromkeys(
        ["sqrt", "floor", "ceil", "trunc", "rint", "absolute", "negative", "positive", "square", "reciprocal"],
        StepOperation(1),
    ),
    **dict.fromkeys(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"], StepOperation(2)),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], StepOperation(2)),
    **dict.fromkeys(["logical_not", "isfinite", "isnan", "isinf"], StepOperation(1)),
    **dict.fromkeys(["where", "clip"], StepOperation(3)),
    "lookup": StepOperation(2),
    "interp": StepOperation(3),
    "searchsorted left": StepOperation(2),
    "searchsorted right": StepOperation(2),
    **dict.fromkeys(["exp", "log", "log2", "log10", "expm1", "log1p", "cbrt"], StepOperation(1, exact=False)),
    **dict.fromkeys(["power", "float_power"], StepOperation(2, exact=False)),
}
"""By name: ufuncs of NumPy, and its `where`, `clip`, `interp`, `searchsorted`, and the project's `lookup`."""
