"""Which powers the runs need: more than the second where they rise faster than any law of the plain family.

Laws hold powers up to the second (Shudler et al. 2019), which is enough over numbers of processes. Over the length of
an edge a matrix product grows with the third power and a stencil over time with the fourth: a law held to the second
misses them by far, and its interval with it. So the range is widened, by what the runs show alone: where their values
rise more than x^2 log2(x)^2 does, from the first size to the last or over the upper half of the sizes.
"""

from __future__ import annotations

import numpy as np

__all__ = ["PLAIN_POWER", "STEEP_POWER", "largest_power", "largest_powers"]

PLAIN_POWER, STEEP_POWER = 2, 4
_LOGARITHMS = 2


def largest_power(sizes: np.ndarray, values: np.ndarray) -> int:
    """Return the largest power of a law over one parameter: 2, or 4 where the runs rise faster than x^2 log2(x)^2.

    Parameters
    ----------
    sizes, values : ndarray, shape (n,)
        Sizes rise; runs of 0 tell nothing of a rise.
    """
    begins = {0, (len(sizes) - 1) // 2}
    return STEEP_POWER if any(_steeper(sizes[[i, -1]], values[[i, -1]]) for i in begins) else PLAIN_POWER


def largest_powers(sizes: np.ndarray, values: np.ndarray) -> tuple[int, ...]:
    """Return the largest power along each parameter: 4 where half of the lines of runs along it, or more, say so.

    Parameters
    ----------
    sizes : ndarray, shape (runs, parameters)
    values : ndarray, shape (runs,)
    """
    largest = []
    for axis in range(sizes.shape[1]):
        _, line = np.unique(np.delete(sizes, axis, axis=1), axis=0, return_inverse=True)
        line = line.reshape(-1)
        powers = []
        for place in range(int(line.max()) + 1):
            along = np.flatnonzero(line == place)
            along = along[np.argsort(sizes[along, axis])]
            if len(along) > 1:
                powers.append(largest_power(sizes[along, axis], values[along]))
        steep = 2 * powers.count(STEEP_POWER) >= len(powers) > 0
        largest.append(STEEP_POWER if steep else PLAIN_POWER)
    return tuple(largest)


def _steeper(ends: np.ndarray, values: np.ndarray) -> bool:
    """Return whether values at two sizes rise more than x^2 log2(x)^2; logarithms count from 2 on."""
    if not (values > 0).all() or ends[0] <= 0 or ends[0] == ends[1]:
        return False
    logarithms = np.log2(np.maximum(ends, 2.0))
    fastest = (ends[1] / ends[0]) ** PLAIN_POWER * (logarithms[1] / logarithms[0]) ** _LOGARITHMS
    return bool(values[1] > values[0] * fastest)
