r"""Forms that a factor may follow over the number of ranks.

All are :math:`y(P) = a_0 / (1 + g\,s(P))`, never above :math:`a_0` and never rising:

=================== =================== ============================================================================
Form                s(P)                what it is
=================== =================== ============================================================================
``constant``        0                   the factor of one rank
``amdahl``          P - 1               Rosas et al. 2014, Eq. 5, with f = 1 - g the part that is not serialised
``amdahl-root``     P^(1/2) - 1         Amdahl's law in the ranks along a side of a square grid
``amdahl-cube-root`` P^(1/3) - 1        Amdahl's law in the ranks along a side of a cubic grid
``pipeline``        (P - 1) / P         p0 P / ((1 - f) P + f (2 P - 1)) with f = g
=================== =================== ============================================================================

Equation 6 of the paper loses a factor P on the first term of its denominator: without pipelined work it would grow with
P. Derived anew, (1 - f) W / P and f W (2 P - 1) / P^2 give the form above.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["EXPONENTS", "FORMS", "form_value", "fraction_of", "steps"]

EXPONENTS = {"amdahl": 1.0, "amdahl-root": 1.0 / 2.0, "amdahl-cube-root": 1.0 / 3.0}
FORMS = ("constant", *EXPONENTS, "pipeline")
"""By the number of parameters; the first wins a tie."""


def steps(form: str, ranks: Any) -> np.ndarray:
    """Return s(P) of a form."""
    count = np.asarray(ranks, dtype=float)
    if form == "constant":
        return np.zeros(count.shape)
    if form == "pipeline":
        return np.asarray((count - 1.0) / count)
    if form == "amdahl-root":
        return np.asarray(np.sqrt(count) - 1.0)
    return np.asarray((np.cbrt(count) if form == "amdahl-cube-root" else count) - 1.0)


def form_value(form: str, single: Any, growth: Any, ranks: Any) -> np.ndarray:
    """Return y(P) of a form with a0 = `single` and g = `growth`, not clipped."""
    return np.asarray(single / (1.0 + growth * steps(form, ranks)))


def fraction_of(form: str, growth: float) -> float:
    """Return f as the paper has it: the part that is not serialised, of a pipeline the pipelined part."""
    return growth if form == "pipeline" else 1.0 - growth
