"""Powers whose last bit depends on base and exponent alone.

`numpy.power` squares a column whose exponent is one 2 for all rows, and takes another way for a single row or for an
exponent per row; the two differ in the last bit. So equal designs would differ by the size of a block, and a limit
would drop one of them. Here the exponents with a correctly rounded operation of their own (2, 1, 0.5, -1) take it in
every row that has them, and all others the `pow` of the C library, row by row, which `numpy.float_power` calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from dse.arithmetic.duals import Dual, plain
from dse.arithmetic.duck_array import Operand
from dse.arithmetic.monotonicity import FREE, UNKNOWN, Signed, bounds_of
from dse.arithmetic.primitive import primitive
from dse.arithmetic.ranges import Range

__all__ = ["power"]

_ROUNDED_ONCE: Mapping[float, np.ufunc] = {2.0: np.square, 1.0: np.positive, 0.5: np.sqrt, -1.0: np.reciprocal}


def _range(base: Range, exponent: Range) -> Range:
    return cast(Range, np.float_power(base, exponent))  # widened by more than the ways to a power differ by


def _dual(base: Operand, exponent: Operand) -> Dual:
    slopes = cast(Dual, np.float_power(base, exponent))
    return Dual(power(plain(base), plain(exponent)), slopes.derivative, slopes.marks)


def _signed(base: Operand, exponent: Operand) -> Signed:
    claimed = cast(Signed, np.float_power(base, exponent))
    signs = claimed.signs
    if isinstance(exponent, Signed):
        # Where an exponent passes one of its own operation, the two ways meet but for a rounding, either way.
        low, high = Range.of(exponent.bounds).low, Range.of(exponent.bounds).high
        if any(np.any((low < high) & (low <= own) & (own <= high)) for own in _ROUNDED_ONCE):
            signs = np.where(exponent.signs == FREE, signs, np.int8(UNKNOWN))
    return Signed(power(bounds_of(base), bounds_of(exponent)), signs)


@primitive(_range, _dual, _signed)
def power(base: Operand, exponent: Operand) -> Operand:
    """Return ``base ** exponent``, the same bits for a design alone, among others and in any block.

    Parameters
    ----------
    base, exponent : array_like of float, Range, Signed or Dual
        They broadcast against each other. With ranges, a base that can be negative takes the exponents 2, 1 and -1
        only, as `numpy.power` does.

    Examples
    --------
    >>> power(np.array([12.8, 2.0]), 2.0) == power(np.array([12.8]), np.array([2.0]))[0]
    array([ True, False])
    """
    exponents = np.asarray(exponent)
    if exponents.size == 1:
        own = _ROUNDED_ONCE.get(float(exponents.reshape(-1)[0]))
        if own is None:
            return np.float_power(base, exponent)
        result = own(base, dtype=float)
        values: Operand = result.reshape(np.broadcast_shapes(result.shape, exponents.shape))
        return values
    result = np.float_power(base, exponent)
    for value, own in _ROUNDED_ONCE.items():
        here = exponents == value
        if here.any():
            own(base, dtype=float, out=result, where=here)  # no look at the rows of other exponents: no warnings
    return result
