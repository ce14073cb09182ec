"""Between what a job's energy, power or time lies on a number of nodes: law, choice of law and noise.

The interval is that of all growths that fit the runs nearly as well as the best (`fitting.interval`), for which a curve
through measurements is no other thing than a law of growth; where the curve bends, that of its polynomial as well; and
the curve itself. The error of a fit at its own points is no part of it: that says nothing of other nodes.
"""

from __future__ import annotations

import numpy as np

from dse.models.measured_laws.fitting.interval import Prediction, prediction
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.kinds.energy.history import History
from dse.models.measured_laws.kinds.energy.predictor import Curve
from dse.models.measured_laws.kinds.energy.segments import Segment

__all__ = ["predict"]

_FOR_GROWTH, _PARABOLA = 4, 2
"""Numbers of nodes from which a growth of any shape has an error."""


def predict(measured: History, curve: Curve, nodes: float, level: float) -> Prediction | None:
    """Return the interval on a number of nodes; None where the measurements cannot tell.

    Parameters
    ----------
    measured : History
    curve : Curve
        Fitted to it.
    nodes : float
    level : float
        Between 0 and 1.
    """
    known, values = np.array(measured.nodes), np.array(measured.values)
    intervals: list[Prediction] = []
    if len(known) >= _FOR_GROWTH:
        intervals.append(prediction(known, values, nodes, level, measured.noise))
    part = _part(curve, nodes)
    if len(known) < _FOR_GROWTH or len(curve.segments) > 1 or part.order > 1:
        inside = (known >= part.first) & (known <= part.last)
        own = _of_polynomial(known[inside], values[inside], part.order, nodes, level, measured.noise)
        bent = _of_polynomial(known, values, _PARABOLA, nodes, level, measured.noise) if curve.case != "I" else None
        intervals += [Prediction(*ends) for ends in (own, bent) if ends is not None]
    if not intervals:
        return None
    answer = float(curve.unchecked(nodes))
    low, high = (
        min(answer, *(interval.low for interval in intervals)),
        max(answer, *(interval.high for interval in intervals)),
    )
    return intervals[0]._replace(low=max(low, 0.0), high=high)


def _part(curve: Curve, nodes: float) -> Segment:
    return next((segment for segment in curve.segments if nodes <= segment.last), curve.segments[-1])


def _of_polynomial(
    known: np.ndarray, values: np.ndarray, order: int, nodes: float, level: float, noise: RepetitionNoise | None
) -> tuple[float, float] | None:
    """Return t s sqrt(leverage) about the polynomial of least relative squares; None without degrees of freedom."""
    from scipy.special import stdtrit

    def columns(n: np.ndarray) -> np.ndarray:
        return np.vander(n / known[-1], order + 1, increasing=True)

    q, r = np.linalg.qr(columns(known) / values[:, None])
    projected = q.T @ np.ones(len(known))
    squares = float(np.square(1.0 - q @ projected).sum())
    there = np.linalg.solve(r.T, columns(np.array([nodes]))[0])
    value, freedom = float(there @ projected), len(known) - order - 1
    if noise is not None:
        squares, freedom = squares + noise.freedom * noise.variance, freedom + noise.freedom
    if freedom < 1:
        return None
    half = float(stdtrit(freedom, 0.5 + 0.5 * level)) * np.sqrt(squares / freedom * float(there @ there))
    return value - float(half), value + float(half)
