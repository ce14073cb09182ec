"""Numbers of every kind as float64, without loss or not at all.

The engine compares, negates and bounds float64 only. Unsigned integers wrap when they are negated, integers overflow,
small floats compare by other bits, and a mask is lost: so everything numeric becomes float64 where it enters.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LARGEST_INTEGER", "as_float64"]

LARGEST_INTEGER = 2**53
"""Up to here every integer is a float64."""

_SMALL = 4  # bytes of the integers that all are float64


def as_float64(value: object) -> np.ndarray:
    """Return numbers as an array of float64; one that is float64 already comes back as it is.

    Parameters
    ----------
    value : array_like
        Numbers: floats of at most eight bytes, integers of every width, truth values (0 and 1).

    Raises
    ------
    ValueError
        What has no loss-free float64, in words that end a sentence: "… is an integer beyond 2**53".
    """
    if isinstance(value, np.ndarray):
        if value.dtype == np.float64 and not isinstance(value, np.ma.MaskedArray):
            return value if value.dtype.isnative else value.astype(np.float64)
    elif isinstance(value, int) and not isinstance(value, bool):
        return _of_int(value)
    if isinstance(value, np.ma.MaskedArray):
        msg = "is a masked array, whose mask would be lost (write np.where)"
        raise ValueError(msg)
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > np.dtype(np.float64).itemsize:
        msg = f"is {array.dtype}, which does not become float64 without loss"
        raise ValueError(msg)
    if array.dtype.kind in "iu" and array.dtype.itemsize > _SMALL and array.size:
        for extreme in (int(array.min()), int(array.max())):
            if abs(extreme) > LARGEST_INTEGER:
                msg = f"is an integer beyond 2**53: {extreme} (compute with floats)"
                raise ValueError(msg)
    return array.astype(np.float64)


def _of_int(value: int) -> np.ndarray:
    """Return a single integer of Python, which never wraps: it may be beyond 2**53 where it is a float64."""
    try:
        number = float(value)
        exact = int(number) == value
    except OverflowError:
        exact = False
    if not exact:
        written = str(value) if abs(value) < 10**30 else f"one of {value.bit_length()} bits"
        msg = f"is an integer beyond 2**53: {written} (write it as a float)"
        raise ValueError(msg)
    return np.asarray(number)
