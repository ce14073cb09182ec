"""Polynomials of whole powers for what was counted: loops over a size run it to a whole power, and less at the ends.

A count such as ``(3 n - 2)^3`` is 27 n^3 - 54 n^2 + 36 n - 8. From few runs one term that is nearly as steep fits to a
third of a percent, n^(11/4) log2(n), and is off by a fifth at sixteen times the largest size. Counts have no noise, so
sums of more terms than noisy values allow are tried for them, and taken where they foretell each run that is left out
nearly exactly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dse.models.measured_laws.fitting.choice import Candidates
from dse.models.measured_laws.fitting.hypotheses import Space

__all__ = ["nearly_exact", "whole_powers"]

_LARGEST = 4
_NEARLY_EXACT = 1e-3
"""Root of the mean squared relative error of runs that are left out: more is no count of loops."""


def whole_powers(space: Space, values: np.ndarray) -> list[np.ndarray]:
    """Return ``c_0 + c_1 x + … + c_d x^d``, one for each d from 2 on; none of what was not counted.

    Parameters
    ----------
    space : Space
    values : ndarray, shape (runs,)
        Counts are whole numbers, all of them.

    Returns
    -------
    list of ndarray, shape (1, d + 1, 3)
        With two runs more than coefficients at least, over one parameter alone.
    """
    if space.parameters != 1 or not np.array_equal(values, np.rint(values)):
        return []
    places = {float(factor.exponent): place for place, factor in enumerate(space.factors[0]) if not factor.logarithms}
    polynomials = []
    for degree in range(2, _LARGEST + 1):
        powers = range(degree + 1)
        if degree + 2 > space.values_of_axis[0] or any(power not in places for power in powers):
            break
        polynomials.append(np.array([[[places[power], 0, 0] for power in powers]], dtype=np.intp))
    return polynomials


def nearly_exact(group: Candidates, runs: int) -> Candidates:
    """Return candidates of which those are not plausible that miss left-out runs by more than a thousandth."""
    most = _NEARLY_EXACT**2 * runs
    return replace(group, plausible=group.plausible & (group.solution.left_out <= most))
