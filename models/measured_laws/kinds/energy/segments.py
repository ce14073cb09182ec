"""Polynomials through a part of a history: least squares, its error, and what it says of points left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FittedSegment", "Segment", "fit_segment", "percent_error"]


def percent_error(values: Any, residuals: Any) -> float:
    """Return the root mean square error in percent of the mean, 100 sqrt(mean(r^2))/mean(y) (Eq. 7)."""
    return 100.0 * float(np.sqrt(np.mean(np.square(residuals))) / np.mean(values))


@dataclass(frozen=True)
class Segment:
    """A polynomial of the nodes from `first` to `last`: sum of c_i ((n - center)/scale)^i.

    Attributes
    ----------
    first, last : float
        Nodes it was fitted to, both with a measurement.
    center, scale : float
        Of the variable, so that large numbers of nodes lose no digits.
    coefficients : tuple of float
        From the constant up.
    """

    first: float
    last: float
    center: float
    scale: float
    coefficients: tuple[float, ...]

    @property
    def order(self) -> int:
        """The order of the polynomial."""
        return len(self.coefficients) - 1

    @property
    def powers(self) -> tuple[float, ...]:
        """Coefficients of the powers of n itself, from the constant up, for people."""
        own = np.polynomial.Polynomial(self.coefficients, domain=[self.first, self.last])
        return tuple(float(coefficient) for coefficient in own.convert().coef)

    def at(self, nodes: Any) -> Any:
        """Return the value at numbers of nodes."""
        x = (np.asarray(nodes, dtype=float) - self.center) / self.scale
        value = np.full(np.shape(x), self.coefficients[-1])
        for each in self.coefficients[-2::-1]:
            value = value * x + each
        return value

    def least(self) -> float:
        """Return the least value from `first` to `last`: at an end, or where the slope is 0."""
        slope = np.polynomial.Polynomial(self.coefficients).deriv()
        roots = slope.roots() if self.order > 1 else np.array([])
        turns = np.real(roots[np.isreal(roots)]) * self.scale + self.center
        inside = turns[(turns > self.first) & (turns < self.last)]
        return float(np.min(self.at(np.concatenate([[self.first, self.last], inside]))))


@dataclass(frozen=True)
class FittedSegment:
    """A segment with what its points say of it.

    Attributes
    ----------
    segment : Segment
    residuals : ndarray
        Measured less fitted.
    left_out : ndarray
        Measured less what the fit without that point gives there.
    percent_error : float
        Of its own points.
    """

    segment: Segment
    residuals: np.ndarray
    left_out: np.ndarray
    percent_error: float

    @property
    def interpolates(self) -> bool:
        """Whether it has as many parameters as points."""
        return len(self.residuals) <= self.segment.order + 1


def fit_segment(nodes: np.ndarray, values: np.ndarray, order: int) -> FittedSegment:
    """Return the polynomial of least squares through rising numbers of nodes.

    Residuals without a point follow from all: r_i/(1 - h_i), h the diagonal of the projection. Where there are as many
    points as parameters, the points left have the largest order that they determine.
    """
    center, scale = (nodes[0] + nodes[-1]) / 2.0, (nodes[-1] - nodes[0]) / 2.0
    q, r = np.linalg.qr(np.vander((nodes - center) / scale, order + 1, increasing=True))
    projected = q.T @ values
    residuals = values - q @ projected
    if len(nodes) > order + 1:
        left_out = residuals / (1.0 - np.sum(q * q, axis=1))
    else:
        residuals = np.zeros(len(nodes))
        left_out = np.array([_without(nodes, values, at) for at in range(len(nodes))])
    segment = Segment(
        float(nodes[0]), float(nodes[-1]), float(center), float(scale), tuple(np.linalg.solve(r, projected).tolist())
    )
    return FittedSegment(segment, residuals, left_out, percent_error(values, residuals))


def _without(nodes: np.ndarray, values: np.ndarray, at: int) -> float:
    """Return the value at a point less what the curve through all others gives there."""
    n, y = np.delete(nodes, at), np.delete(values, at)
    if len(n) == 1:
        return float(values[at] - y[0])
    return float(values[at] - fit_segment(n, y, len(n) - 1).segment.at(nodes[at]))
