"""Which points others beat, by the definition: no worse in every objective and better in one."""

from __future__ import annotations

import numpy as np

from dse.search.frontier.pareto import nondominated

__all__ = ["dominated_by"]

_PAIRS = 4_000_000  # compared at once


def dominated_by(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Mark the points that any of some others beats; equality in all objectives beats nothing.

    Parameters
    ----------
    points, others : (n, d), (m, d) ndarray of float
        To be minimised; infinite where nothing is known.
    """
    beaten = np.zeros(len(points), dtype=bool)
    others = others[np.isfinite(others).all(axis=1)]
    if not len(others) or not len(points):
        return beaten
    strongest = np.unique(others[nondominated(others)], axis=0)
    step = max(1, _PAIRS // len(strongest))
    for begin in range(0, len(points), step):
        piece = points[begin : begin + step, None, :]
        no_worse = np.ones((piece.shape[0], len(strongest)), dtype=bool)
        better = np.zeros_like(no_worse)
        for objective in range(points.shape[1]):
            no_worse &= strongest[None, :, objective] <= piece[:, :, objective]
            better |= strongest[None, :, objective] < piece[:, :, objective]
        beaten[begin : begin + step] = (no_worse & better).any(axis=1)
    return beaten
