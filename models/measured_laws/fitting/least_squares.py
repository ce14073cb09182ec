"""Least squares for many hypotheses at once, with the residuals each run has when it is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Solution", "solve"]

_RANK = 1e-10
_HIGHEST_LEVERAGE = 1.0 - 1e-9


@dataclass(frozen=True)
class Solution:
    """Solutions of m problems with n runs and k coefficients.

    Attributes
    ----------
    coefficients : ndarray, shape (m, k)
    squares : ndarray, shape (m,)
        Sums of the squared residuals.
    left_out : ndarray, shape (m,)
        Sums of the squared residuals of each run under the fit without it; ``inf`` where a fit needs every run.
    inverse : ndarray, shape (m, k, k)
        Inverse of the normal matrix: times the variance of a run it is the covariance of the coefficients.
    """

    coefficients: np.ndarray
    squares: np.ndarray
    left_out: np.ndarray
    inverse: np.ndarray


def solve(columns: np.ndarray, values: np.ndarray) -> Solution:
    """Solve least-squares problems that share their right-hand side.

    Parameters
    ----------
    columns : ndarray, shape (m, n, k)
        The terms at the runs, each times the weight of the run.
    values : ndarray, shape (n,)
        The values, times the weights.

    Notes
    -----
    The residual of run i without it is r_i / (1 - h_i), h_i the leverage: nothing is fitted twice.
    """
    lengths = np.sqrt(np.einsum("mnk,mnk->mk", columns, columns))
    lengths = np.where(lengths > 0, lengths, 1.0)
    basis, triangle = np.linalg.qr(columns / lengths[:, None, :])
    diagonal = np.abs(np.diagonal(triangle, axis1=1, axis2=2))
    full = diagonal.min(axis=1) > _RANK
    triangle = np.where(full[:, None, None], triangle, np.eye(columns.shape[2]))
    projected = np.einsum("mnk,n->mk", basis, values)
    residuals = values - np.einsum("mnk,mk->mn", basis, projected)
    leverages = np.einsum("mnk,mnk->mn", basis, basis)
    usable = full & (leverages.max(axis=1) < _HIGHEST_LEVERAGE)
    left_out = (residuals / (1.0 - np.minimum(leverages, _HIGHEST_LEVERAGE))) ** 2
    inverse = np.linalg.inv(triangle)
    return Solution(
        coefficients=np.einsum("mij,mj->mi", inverse, projected) / lengths,
        squares=np.where(full, np.einsum("mn,mn->m", residuals, residuals), np.inf),
        left_out=np.where(usable, left_out.sum(axis=1), np.inf),
        inverse=np.einsum("mij,mkj->mik", inverse, inverse) / (lengths[:, :, None] * lengths[:, None, :]),
    )
