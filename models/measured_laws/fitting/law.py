"""A law: a sum of terms with coefficients, how sure they are, and what it foretells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.interval import Prediction, prediction
from dse.models.measured_laws.fitting.parameters import Parameter, coordinates, distance
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.fitting.terms import Term

__all__ = ["Alternative", "Law"]

_EXACT = 1e-9
"""Error of runs left out, below which several terms that were counted are no guess."""


@dataclass(frozen=True)
class Alternative:
    """A sum of terms that fits the runs about as well.

    Attributes
    ----------
    terms : tuple of Term
    coefficients : tuple of float
    cross_validation_error : float
        Root of the mean squared relative error of each run under the fit to the others.
    """

    terms: tuple[Term, ...]
    coefficients: tuple[float, ...]
    cross_validation_error: float

    def value(self, sizes: np.ndarray) -> Any:
        """Return the sum at sizes of shape (..., parameters)."""
        total: Any = 0.0
        for coefficient, term in zip(self.coefficients, self.terms, strict=True):
            total = total + coefficient * term.at(sizes)
        return total

    def formula(self, parameters: Sequence[Parameter]) -> str:
        """Write the sum, the term that grows fastest first."""
        order = sorted(range(len(self.terms)), key=lambda place: self.terms[place].factors, reverse=True)
        text = ""
        for place in order:
            coefficient, symbols = self.coefficients[place], self.terms[place].text(parameters)
            number = f"{abs(coefficient):.4g}"
            piece = symbols if symbols and number == "1" else f"{number}·{symbols}" if symbols else number
            if text:
                text += f" {'-' if coefficient < 0 else '+'} {piece}"
            else:
                text = f"-{piece}" if coefficient < 0 else piece
        return text


@dataclass(frozen=True)
class Law(Alternative):
    """What `fit` finds: the chosen sum of terms.

    Attributes
    ----------
    terms, coefficients, cross_validation_error
        As of every `Alternative`; coefficients are in `unit`.
    uncertainties : tuple of float
        Standard errors of the coefficients, given the terms.
    parameters : tuple of Parameter
    unit : str
    runs : int
        Runs with different parameters.
    ranges : tuple of (float, float)
        Least and greatest value of each parameter in the runs.
    bounds : (float, float)
        Predictions are held inside.
    ambiguous_with : tuple of Alternative
        Those whose left-out squares are within 10 % of the law's.
    possible : tuple of Alternative
        Those within twice the law's, with no more coefficients: the ensemble of `band`.
    measured : tuple of (float, float)
        Size and median of each run, where the law is of one parameter and the runs are not all alike.
    noise : RepetitionNoise or None
        Of the medians in `measured`.
    warnings : tuple of str
    """

    uncertainties: tuple[float, ...] = ()
    covariance: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    parameters: tuple[Parameter, ...] = ()
    unit: str = "1"
    runs: int = 0
    ranges: tuple[tuple[float, float], ...] = ()
    bounds: tuple[float, float] = (0.0, np.inf)
    ambiguous_with: tuple[Alternative, ...] = field(default=(), repr=False)
    possible: tuple[Alternative, ...] = field(default=(), repr=False)
    measured: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    noise: RepetitionNoise | None = field(default=None, repr=False)
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the formula with its unit."""
        return self.formula(self.parameters) + (f" [{self.unit}]" if self.unit != "1" else "")

    @property
    def constant(self) -> bool:
        """Whether it depends on nothing."""
        return all(term.constant for term in self.terms)

    def at(self, point: Mapping[str, float]) -> float:
        """Return what the law foretells, in its unit.

        Parameters
        ----------
        point : mapping of str to float
            The value of each parameter.
        """
        return float(np.clip(self.value(self._sizes(point)), *self.bounds))

    def uncertainty(self, point: Mapping[str, float]) -> float:
        """Return the standard error of the prediction, given the terms."""
        sizes = self._sizes(point)
        columns = np.array([float(term.at(sizes)) for term in self.terms])
        return float(np.sqrt(max(columns @ np.array(self.covariance) @ columns, 0.0)))

    def band(self, point: Mapping[str, float], level: float = 0.9) -> tuple[float, float]:
        """Return between what the value lies, with a probability of `level` for laws of one parameter (`predict`)."""
        interval = self.predict(point, level)
        return interval.low, interval.high

    def predict(self, point: Mapping[str, float], level: float = 0.9) -> Prediction:
        """Return between what the value lies, and what that rests on.

        For one growth over one parameter all growths that fit nearly as well (`prediction`), and the law itself. Of
        a sum of several growths, or several parameters, nothing calibrated is known: the least and the greatest of all
        `possible` laws too, and two standard errors of this one.

        Parameters
        ----------
        point : mapping of str to float
        level : float
            Between 0 and 1. Of several parameters nothing is known of it: there the ensemble alone speaks.
        """
        if not 0.0 < level < 1.0:
            raise InputError(f"level = {level:g}", allowed="a number between 0 and 1, such as 0.9")
        sizes = self._sizes(point)
        ends = [float(self.value(sizes))]
        growths = sum(not term.constant for term in self.terms)
        if not self.measured or growths > 1:
            error = 2.0 * self.uncertainty(point)
            ends += [ends[0] - error, ends[0] + error, *(float(law.value(sizes)) for law in self.possible)]
        interval = Prediction(ends[0], ends[0])
        exact = growths > 1 and self.cross_validation_error < _EXACT
        if self.measured and not exact:
            runs, values = np.array(self.measured).T
            interval = prediction(runs, values, float(sizes[0]), level, self.noise)
            ends += interval[:2]
        low, high = np.clip([min(ends), max(ends)], *self.bounds)
        return interval._replace(low=float(low), high=float(high), several_terms=growths > 1)

    def distances(self, point: Mapping[str, float]) -> dict[str, float]:
        """Return how far a point lies outside the runs along each parameter (`distance`)."""
        self._sizes(point)
        return {
            parameter.name: distance(parameter, point[parameter.name], values)
            for parameter, values in zip(self.parameters, self.ranges, strict=True)
        }

    def _sizes(self, point: Mapping[str, float]) -> np.ndarray:
        names = [parameter.name for parameter in self.parameters]
        for name in names:
            if name not in point:
                raise InputError(f"no value of the parameter '{name}'", allowed=names)
        result: np.ndarray = coordinates(self.parameters, [point])[0]
        return result
