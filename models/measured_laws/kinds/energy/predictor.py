"""A curve through measurements over nodes: straight, bent, or straight and bent in parts, with its error.

Candidates are tried in the order of Shoukourian et al. 2014, Section 3.2. How breakpoints are found and which of the
candidates within the limit is taken is ours: they do not say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.history import History
from dse.models.measured_laws.kinds.energy.segments import FittedSegment, Segment, fit_segment, percent_error

__all__ = ["RMSE_LIMIT", "Case", "Curve", "candidates", "fit_curve"]

Case = Literal["I", "II", "III", "IV", "V"]
"""Linear; bent; linear then bent; bent then linear; linear, bent, linear."""
RMSE_LIMIT = 5.0
"""Percent; ours. The published fits have 1 to 2.2 %."""
_FROM_LEFT_OUT = 5
_TIE, _BEND, _SURELY = 1.01, 0.5, 0.95
_ROUNDING = 1e-9  # percent: curves that both fit exactly are equal
_BREAKPOINTS = 40


@dataclass(frozen=True)
class Curve:
    """A fitted curve of nodes.

    Attributes
    ----------
    case : str
        Which of the segmentations it is.
    segments : tuple of Segment
        From few to many nodes. A breakpoint belongs to both of its neighbours; there the left one counts.
    percent_rmse : float
        Error at the points it was fitted to, in percent of their mean (Eq. 7).
    percent_left_out : float
        The same with each point left out in turn; NaN where it goes through all points.
    admissible : bool
        Whether the error is within the limit, in every segment, and the curve above 0 over the history.
    interpolates : bool
        Whether it has as many parameters as points, so that its error says nothing.
    """

    case: Case
    segments: tuple[Segment, ...]
    percent_rmse: float
    percent_left_out: float
    admissible: bool
    interpolates: bool

    @property
    def orders(self) -> tuple[int, ...]:
        """Orders of the segments."""
        return tuple(segment.order for segment in self.segments)

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Nodes at which a segment ends and the next begins."""
        return tuple(segment.last for segment in self.segments[:-1])

    def extrapolated(self, nodes: Any) -> Any:
        """Return which numbers of nodes lie outside of what was measured."""
        n = np.asarray(nodes, dtype=float)
        return (n < self.segments[0].first) | (n > self.segments[-1].last)

    def at(self, nodes: Any, what: str = "") -> Any:
        """Return the value at numbers of nodes; beyond the last measurement by the last segment.

        Parameters
        ----------
        nodes : array_like
        what : str
            What messages call the values: "energy".

        Raises
        ------
        InputError
            The curve is not above 0 at a number of nodes.
        """
        n = np.asarray(nodes, dtype=float)
        value = self.unchecked(n)
        if not np.all(value > 0.0):
            wrong = n[~(value > 0.0)].flat[0]
            first, last = self.segments[0].first, self.segments[-1].last
            raise InputError(
                f"the fit{f' of {what}' if what else ''} is not above 0 on {wrong:g} nodes",
                key="nodes",
                allowed=f"nodes nearer to those measured, {first:g} to {last:g}",
            )
        return value

    def unchecked(self, nodes: Any) -> Any:
        """Return the value at numbers of nodes, be it what it may."""
        n = np.asarray(nodes, dtype=float)
        value = self.segments[-1].at(n)
        for segment in self.segments[-2::-1]:
            value = np.where(n <= segment.last, segment.at(n), value)
        return value


def fit_curve(measured: History, rmse_limit: float = RMSE_LIMIT) -> Curve:
    """Return the curve through a history: of those within the limit the one that foretells points best.

    With fewer than five points the first candidate within the limit, lowest order first; from five on the one with the
    least error of points left out, within 1 % of it the earlier one. A bent or cut one must halve that error of the
    straight one, where that is within the limit: five points with noise of 1 % find some bend that fits better, and
    beyond the runs it leads anywhere. Where none is within the limit, the one with the least error is returned,
    `admissible` being False. One that goes through all its points has no error to be judged by, and is taken only where
    there are two points and so no other.

    Parameters
    ----------
    measured : History
    rmse_limit : float
        Percent, above 0.
    """
    if not 0.0 < rmse_limit < math.inf:
        raise InputError(f"{rmse_limit:g} %", key="rmse_limit", allowed="above 0")
    every = list(candidates(measured, rmse_limit))
    with_error = [curve for curve in every if not curve.interpolates]
    if not with_error:
        return every[0]
    real = [curve for curve in with_error if curve.admissible]
    if not real:
        return min(with_error, key=lambda curve: curve.percent_rmse)
    if len(measured) < _FROM_LEFT_OUT:
        return real[0]
    least = min(curve.percent_left_out for curve in real)
    straight = real[0]
    if straight.case == "I" and (
        least > _BEND * straight.percent_left_out - _ROUNDING or _within_noise(measured, straight)
    ):
        return straight
    return next(curve for curve in real if curve.percent_left_out <= least * _TIE + _ROUNDING)


def _within_noise(measured: History, straight: Curve) -> bool:
    """Return whether repetitions scatter so much that they hide what a straight curve misses (5 % of F)."""
    from scipy.special import fdtri

    if measured.noise is None:
        return False
    values, freedom = np.array(measured.values), len(measured) - 2
    squares = float(np.square(1.0 - straight.unchecked(np.array(measured.nodes)) / values).sum())
    return squares / freedom <= measured.noise.variance * float(fdtri(freedom, measured.noise.freedom, _SURELY))


def candidates(measured: History, rmse_limit: float = RMSE_LIMIT) -> Iterator[Curve]:
    """Yield every segmentation of a history, in the order I to V, lowest orders and first breakpoints first."""
    nodes, values = np.array(measured.nodes), np.array(measured.values)
    count = len(nodes)

    @cache
    def part(first: int, last: int, order: int) -> FittedSegment:
        return fit_segment(nodes[first : last + 1], values[first : last + 1], order)

    for case, pieces in _pieces(count):
        yield _curve(case, [part(*piece) for piece in pieces], nodes, values, rmse_limit)


_Piece = tuple[int, int, int]


def _pieces(count: int) -> Iterator[tuple[Case, list[_Piece]]]:
    """Yield segmentations of points as (first, last, order) of their segments."""
    last = count - 1
    yield "I", [(0, last, 1)]
    for order in _bent(count):
        yield "II", [(0, last, order)]
    breaks = _places(count)
    for order in (2, 3):
        for at in breaks:
            if order in _bent(count - at):
                yield "III", [(0, at, 1), (at, last, order)]
    for order in (2, 3):
        for at in breaks:
            if order in _bent(at + 1):
                yield "IV", [(0, at, order), (at, last, 1)]
    for order in (2, 3):
        for at in breaks:
            for to in breaks:
                if order in _bent(to - at + 1):
                    yield "V", [(0, at, 1), (at, to, order), (to, last, 1)]


def _bent(points: int) -> tuple[int, ...]:
    """Return the orders that a bent segment of so many points may have."""
    return () if points < 3 else (2,) if points < 5 else (2, 3)


def _places(count: int) -> list[int]:
    """Return the points at which a segment may end; of very many, some evenly spread."""
    inner = range(1, count - 1)
    if len(inner) <= _BREAKPOINTS:
        return list(inner)
    return sorted({round(place) for place in np.linspace(1, count - 2, _BREAKPOINTS)})


def _curve(case: Case, parts: list[FittedSegment], nodes: np.ndarray, values: np.ndarray, rmse_limit: float) -> Curve:
    residuals = _owned([fit.residuals for fit in parts])
    left_out = _owned([fit.left_out for fit in parts])
    # A line through two points is none without one of them: its neighbour takes over.
    if len(parts) > 1 and len(parts[0].residuals) == 2:
        left_out[:2] = values[0] - float(parts[1].segment.at(nodes[0])), parts[1].left_out[0]
    if len(parts) > 1 and len(parts[-1].residuals) == 2:
        left_out[-1] = values[-1] - float(parts[-2].segment.at(nodes[-1]))
    error = percent_error(values, residuals)
    interpolates = all(fit.interpolates for fit in parts)
    within = error <= rmse_limit and all(fit.percent_error <= rmse_limit for fit in parts)
    return Curve(
        case,
        tuple(fit.segment for fit in parts),
        error,
        math.nan if interpolates else percent_error(values, left_out),
        within and all(fit.segment.least() > 0.0 for fit in parts),
        interpolates,
    )


def _owned(each: list[np.ndarray]) -> np.ndarray:
    """Join numbers of the points of segments; a breakpoint counts once, with the segment on its left."""
    return np.concatenate([each[0], *(numbers[1:] for numbers in each[1:])])
