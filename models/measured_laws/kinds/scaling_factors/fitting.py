"""Fits of one factor over the number of ranks: bounded least squares, and which form is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.scaling_factors.forms import EXPONENTS, FORMS, form_value, fraction_of, steps

__all__ = ["LARGEST_SINGLE", "FittedFactor", "fit_factor", "fit_two_points"]

LARGEST_SINGLE = 1.05
"""Bound of a0: a factor is at most 1, and measured ones carry noise."""

_ENOUGH = 4
_TIE = 1e-6


@dataclass(frozen=True)
class FittedFactor:
    """A factor as a function of the number of ranks.

    Attributes
    ----------
    form : str
        One of `FORMS`.
    single : float
        a0, the value at one rank.
    growth : float
        g: 1 - f of Amdahl's laws, f of a pipeline.
    ranks, values : tuple of float
        What it was fitted to.
    left_out_error : float, optional
        Root mean square error of points that the fit had not seen; None where there are too few.
    quality : {"fitted", "few points", "exact"}
        exact: two unknowns through two points, without residual, error or choice of form.
    measured : tuple of float
        What was measured at `ranks` where `values` are predictions; empty where they are the measured ones.
    """

    form: str
    single: float
    growth: float
    ranks: tuple[float, ...]
    values: tuple[float, ...]
    left_out_error: float | None = None
    quality: str = "fitted"
    measured: tuple[float, ...] = ()

    @property
    def fraction(self) -> float:
        """Return f as the paper has it."""
        return fraction_of(self.form, self.growth)

    @property
    def residual(self) -> float | None:
        """Return the largest distance from a point, None where two unknowns go through two points."""
        if self.quality == "exact":
            return None
        return float(np.abs(form_value(self.form, self.single, self.growth, self.ranks) - self.values).max())

    def at(self, ranks: Any) -> np.ndarray:
        """Return the factor at numbers of ranks, between 0 and 1."""
        result: np.ndarray = np.minimum(form_value(self.form, self.single, self.growth, ranks), 1.0)
        return result

    def interval(self, ranks: float, level: float = 0.9) -> tuple[float, float] | None:
        """Return between what the factor lies; None of fewer than four numbers of ranks.

        The reciprocal of every form is c + a P^i, so the interval is that of `prediction_interval` for 1/y: of all
        growths that fit nearly as well, not of the form that was kept. Of what was measured, where that is known.

        Parameters
        ----------
        ranks : float
        level : float
            Probability, between 0 and 1.
        """
        from dse.models.measured_laws.fitting.interval import prediction_interval

        count, value = np.array(self.ranks), np.array(self.measured or self.values)
        different = np.unique(count)
        if len(different) < _ENOUGH:
            return None
        medians = np.array([np.median(value[count == size]) for size in different])
        least, most = prediction_interval(different, 1.0 / medians, float(ranks), level)
        fitted = float(self.at(ranks))
        # 1/y is at least 1, as a factor is at most that.
        return min(1.0 / max(most, 1.0), fitted), max(1.0 / max(least, 1.0), fitted)


def fit_factor(ranks: Any, values: Any, form: str = "best", exact: bool = False) -> FittedFactor:
    """Fit a factor to measured ones.

    Parameters
    ----------
    ranks, values : array_like, (points,)
        P and the factor there; several values of one P are several points.
    form : str
        One of `FORMS`, or best: that of the least error of points left out one after the other, the simpler one of
        equals. With three numbers of ranks there is no choice: Amdahl's law unless a form is given.
    exact : bool
        Whether two points may determine a form of two unknowns.

    Raises
    ------
    InputError
        Too few numbers of ranks, or values that are no factors.
    """
    count, value = _checked(ranks, values, form)
    different = np.unique(count)
    if len(different) == 2 and exact:
        return fit_two_points(count, value, "amdahl" if form == "best" else form)
    if len(different) < 3:
        raise InputError(
            f"{len(different)} number{'s' * (len(different) != 1)} of ranks determine no form",
            allowed=f"{_ENOUGH} or more (3: without a choice of form; 2: with --exact, without any error estimate)",
        )
    few = len(different) < _ENOUGH
    candidates = (form,) if form != "best" else ("amdahl",) if few else FORMS
    errors = (
        {candidate: _left_out_error(candidate, count, value, different) for candidate in candidates} if not few else {}
    )
    best = candidates[0]
    for candidate in candidates[1:]:
        if errors[candidate] < errors[best] * (1.0 - _TIE) - _TIE * _TIE:
            best = candidate
    single, growth = _least_squares(best, count, value)
    quality = "few points" if few else "fitted"
    return FittedFactor(best, single, growth, tuple(count), tuple(value), errors.get(best), quality)


def fit_two_points(ranks: Any, values: Any, form: str = "amdahl") -> FittedFactor:
    """Return the form of two unknowns through two points; rising factors are refused.

    1/y is linear in P^q: with B its slope and A its value at 0, a0 = 1/(A + B) and f = A a0.
    """
    count, value = _checked(ranks, values, form)
    if form not in EXPONENTS or len(count) != 2 or count[0] == count[1]:
        raise InputError(
            "two points determine a law of Amdahl alone", allowed=f"two P, and one of {', '.join(EXPONENTS)}"
        )
    step = steps(form, count)
    slope = (1.0 / value[1] - 1.0 / value[0]) / (step[1] - step[0])
    inverse = 1.0 / value[0] - slope * step[0]
    single, growth = (1.0 / inverse, slope / inverse) if inverse > 0 else (np.inf, np.inf)
    if not 0.0 <= growth <= 1.0 or single > LARGEST_SINGLE:
        problem = (
            "a factor that rises with the ranks" if slope < 0 else f"a factor that would be {single:.4g} at one rank"
        )
        raise InputError(
            f"{problem}: {value[0]:.6g} at {count[0]:.12g}, {value[1]:.6g} at {count[1]:.12g}",
            allowed=f"two values that fall, and reach at most {LARGEST_SINGLE} at one rank",
        )
    return FittedFactor(form, float(single), float(growth), tuple(count), tuple(value), None, "exact")


def _checked(ranks: Any, values: Any, form: str) -> tuple[np.ndarray, np.ndarray]:
    count, value = np.asarray(ranks, dtype=float), np.asarray(values, dtype=float)
    if form not in (*FORMS, "best"):
        raise InputError(f"'{form}' is no form", allowed=["best", *FORMS], wrong=form, candidates=FORMS)
    if count.shape != value.shape or count.ndim != 1:
        raise InputError("ranks and factors do not belong together", allowed="one factor for each number of ranks")
    if not (np.isfinite(count).all() and (count >= 1).all() and (count == np.floor(count)).all()):
        raise InputError("a number of ranks that is none", allowed="whole numbers from 1")
    wrong = value[~((value > 0) & (value <= LARGEST_SINGLE))]
    if wrong.size:
        raise InputError(f"{wrong[0]:.6g} is no factor", allowed="above 0 and at most 1")
    return count, value


def _least_squares(form: str, count: np.ndarray, value: np.ndarray) -> tuple[float, float]:
    """Return a0 and g within their bounds, from the straight line of 1/y over s(P)."""
    if form == "constant":
        return float(min(value.mean(), LARGEST_SINGLE)), 0.0
    from scipy.optimize import least_squares

    step = steps(form, count)
    slope, inverse = np.polyfit(step, 1.0 / value, 1)
    scale = 1.0 / max(float(step.max()), 1.0)
    single = float(np.clip(1.0 / inverse if inverse > 0 else LARGEST_SINGLE, 1e-6, LARGEST_SINGLE))
    start = (single, float(np.clip(slope * single, 0.0, 1.0)) / scale)

    def residuals(unknown: np.ndarray) -> np.ndarray:
        return np.asarray(unknown[0] / (1.0 + unknown[1] * scale * step) - value)

    tight = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
    solution = least_squares(residuals, start, bounds=((0.0, 0.0), (LARGEST_SINGLE, 1.0 / scale)), **tight)
    return float(solution.x[0]), float(solution.x[1] * scale)


def _left_out_error(form: str, count: np.ndarray, value: np.ndarray, different: np.ndarray) -> float:
    squares = []
    for left_out in different:
        kept = count != left_out
        single, growth = _least_squares(form, count[kept], value[kept])
        squares.append(np.mean((form_value(form, single, growth, count[~kept]) - value[~kept]) ** 2))
    return float(np.sqrt(np.mean(squares)))
