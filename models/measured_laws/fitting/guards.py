"""Guards against laws that fit every run and foretell nonsense: one of overfitting, and one of strong scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.models.measured_laws.fitting.hypotheses import Space

__all__ = ["Guards", "falls_along", "rays_along"]

_SLACK = 1e-9
_STEPS = 16


@dataclass(frozen=True, eq=False)
class Guards:
    """What a law must not do.

    Attributes
    ----------
    half_of_the_values : bool
        A law may use at most floor(V/2) different factors of a parameter with V values, the constant apart.
    falling : ndarray, shape (rays, steps, parameters)
        Sizes along which the metric may not rise; empty where it falls along nothing.
    """

    half_of_the_values: bool = True
    falling: np.ndarray | None = None

    def allowed(self, space: Space, terms: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Tell which hypotheses obey.

        Parameters
        ----------
        space : Space
        terms : ndarray, shape (hypotheses, terms, 3)
        coefficients : ndarray, shape (hypotheses, terms)
            Of the scaled columns (`Space.columns`).
        """
        good = np.ones(len(terms), dtype=bool)
        if self.half_of_the_values:
            for axis in range(space.parameters):
                ordered = np.sort(terms[..., axis], axis=1)
                first = np.diff(ordered, axis=1, prepend=-1) != 0
                good &= (first & (ordered != 0)).sum(axis=1) <= space.values_of_axis[axis] // 2
        if self.falling is not None and len(self.falling):
            rays, steps, parameters = self.falling.shape
            tables = space.tables_at(self.falling.reshape(-1, parameters))
            curve = (space.columns(terms, tables) * coefficients[..., None]).sum(axis=1).reshape(-1, rays, steps)
            rises = np.diff(curve, axis=2) > _SLACK * np.abs(curve[..., :-1])
            good &= ~rises.any(axis=(1, 2))
        return good


def falls_along(sizes: np.ndarray, values: np.ndarray, axis: int) -> bool:
    """Tell whether a metric falls along a parameter in all runs in which the others are equal."""
    others = np.delete(sizes, axis, axis=1)
    _, group = np.unique(others, axis=0, return_inverse=True)
    seen = False
    for place in np.unique(group):
        inside = np.flatnonzero(group.reshape(-1) == place)
        if len(inside) < 2:
            continue
        along = values[inside[np.argsort(sizes[inside, axis])]]
        if (np.diff(along) >= 0).any():
            return False
        seen = True
    return seen


def rays_along(sizes: np.ndarray, axis: int, farthest: float) -> np.ndarray:
    """Return ways along a parameter from each value of the others, and from larger ones, up to so many times the runs.

    Returns
    -------
    ndarray, shape (rays, steps, parameters)
    """
    others = np.unique(np.delete(sizes, axis, axis=1), axis=0)
    if others.shape[1]:
        others = np.concatenate([others, *(others.max(axis=0, keepdims=True) * far for far in (32.0, farthest))])
    along = np.geomspace(sizes[:, axis].max(), sizes[:, axis].max() * farthest, _STEPS)
    rays = np.empty((len(others), _STEPS, sizes.shape[1]))
    rays[:, :, axis] = along
    rest = [place for place in range(sizes.shape[1]) if place != axis]
    rays[:, :, rest] = others[:, None, :]
    return rays
