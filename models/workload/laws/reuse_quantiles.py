r"""Reuse at sizes nobody ran: the distance at a fixed share of the reuses, which is smooth where the share is a step.

A share of references beyond a fixed distance jumps where a working set outgrows it, and no law follows. The distance
below which a fixed share of the reuses lies grows smoothly. For shares from 0 to 1 in 2,000 steps, first touches apart,
the logarithm of the distance is a straight line in the logarithms of the sizes, fitted to all runs with the weight
:math:`\exp(-\sum (\Delta \ln size)^2 / 2)` of each, as far as it lies from the target (ours). What a stride prefetcher
covers, and which loads wait for others, is foretold the same way at the same shares, kept between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.models.workload.extrapolation.reuse_curves import knots
from dse.models.workload.profile.reuse import ReuseHistogram
from dse.models.workload.profile.strides import filled

__all__ = ["SHARES", "ReuseTable", "StrideShares", "reuse_points", "stride_points"]

SHARES = np.linspace(0.0, 1.0, 2001)
_LEAST_WEIGHT, _HAIR = 1e-12, 1e-12


def reuse_points(histogram: ReuseHistogram) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return distances and the share of the reuses, first touches apart, that is not longer than each."""
    _, high, mass = histogram.bins("corrected")
    whole = float(mass.sum())
    if not len(high) or whole <= 0.0:
        return (), ()
    upto = np.minimum(np.cumsum(mass) / whole, 1.0)
    upto[-1] = 1.0
    return tuple(int(distance) for distance in high), tuple(float(f"{share:.7g}") for share in upto)


@dataclass(frozen=True, eq=False)
class StrideShares:
    """What strides cover in the runs, by the distances of a `ReuseTable`.

    Attributes
    ----------
    covered, dependent : tuple of tuple of float
        Of each run, a share for each of its distances.
    first_touches : tuple of float
        Share of the first touches of each run that is covered.
    """

    covered: tuple[tuple[float, ...], ...]
    dependent: tuple[tuple[float, ...], ...]
    first_touches: tuple[float, ...]


def stride_points(histogram: ReuseHistogram) -> tuple[tuple[float, ...], tuple[float, ...], float] | None:
    """Return what is covered at each distance of `reuse_points`, what waits beyond it, and of the first touches."""
    if not histogram.covered or histogram.covered_first_touches is None:
        return None
    distances, _ = reuse_points(histogram)
    tables = [filled(dict(points), distances) for points in (histogram.covered, histogram.dependent)]
    covered, dependent = (tuple(float(f"{share:.6g}") for share in shares) for shares in tables)
    return covered, dependent, histogram.covered_first_touches


@dataclass(frozen=True, eq=False)
class ReuseTable:
    """The reuse distances of the runs, of one size of lines.

    Attributes
    ----------
    sizes : ndarray, shape (runs, sizes)
    distances : tuple of tuple of int
        Of each run, rising.
    upto : tuple of tuple of float
        Shares of the reuses up to each distance; the last is 1.
    strides : StrideShares or None
        None where a run has none.
    """

    sizes: np.ndarray
    distances: tuple[tuple[int, ...], ...]
    upto: tuple[tuple[float, ...], ...]
    strides: StrideShares | None = None

    def __post_init__(self) -> None:
        rows = [
            np.interp(SHARES, shares, np.log1p(np.array(distances, dtype=float)))
            for distances, shares in zip(self.distances, self.upto, strict=True)
        ]
        object.__setattr__(self, "_logs", np.array(rows))

    def _weights(self, target: Sequence[float]) -> np.ndarray:
        """Return the weight of each run in what is foretold at a target, shape (runs,)."""
        away = np.log(self.sizes) - np.log(np.asarray(target, dtype=float))
        squares = (away**2).sum(axis=1) / 2.0
        # Far outside the runs every weight is tiny: only their ratios count.
        weights = np.maximum(np.exp(squares.min() - squares), _LEAST_WEIGHT)
        columns = np.column_stack([np.ones(len(away)), away])
        root = np.sqrt(weights)
        at_target: np.ndarray = np.linalg.pinv(columns * root[:, None])[0] * root
        return at_target

    def quantiles(self, target: Sequence[float]) -> np.ndarray:
        """Return the logarithm of (distance + 1) at each of `SHARES`, shape (2001,)."""
        logs: np.ndarray = self._logs  # type: ignore[attr-defined]
        logarithms: np.ndarray = np.maximum.accumulate(np.maximum(self._weights(target) @ logs, 0.0))
        return logarithms

    def _foretold_strides(self, strides: StrideShares, target: Sequence[float], upto: np.ndarray) -> dict[str, Any]:
        """Return covered and dependent shares of bins that end at these shares of the reuses."""
        weights = self._weights(target)
        places = [np.minimum(np.searchsorted(shares, SHARES), len(shares) - 1) for shares in self.upto]

        def at_shares(table: Sequence[Sequence[float]]) -> np.ndarray:
            rows = [np.array(shares)[place] for shares, place in zip(table, places, strict=True)]
            clipped: np.ndarray = np.clip(weights @ np.array(rows), 0.0, 1.0)
            return clipped

        covered, dependent = at_shares(strides.covered), at_shares(strides.dependent)
        sums, ends = np.concatenate([[0.0], np.cumsum(covered)]), np.searchsorted(SHARES, upto, side="right")
        begins = np.concatenate([[0], ends[:-1]])
        last = np.maximum(ends - 1, 0)
        mean = np.where(ends > begins, (sums[ends] - sums[begins]) / np.maximum(ends - begins, 1), covered[last])
        return {
            "covered": np.round(np.clip(mean, 0.0, 1.0), 6),
            "covered_first_touches": float(np.clip(weights @ np.array(strides.first_touches), 0.0, 1.0)),
            "dependent": np.round(dependent[last], 6),
        }

    def document(self, references: float, first_touches: float, target: Sequence[float]) -> Mapping[str, Any]:
        """Return references and histogram of a profile document at a target."""
        count = max(0, round(references))
        touched = min(max(0, round(first_touches)), count)
        logs = self.quantiles(target)
        places = knots(int(np.ceil(np.expm1(logs[-1]) * (1.0 - 1e-9))))
        share = np.interp(np.log1p(np.array(places, dtype=float)), logs, SHARES)
        # Where many shares have one distance, all of them are within it.
        last = np.searchsorted(logs, np.log1p(np.array(places, dtype=float)) + _HAIR, side="right")
        share = np.where(last > 0, np.maximum(share, SHARES[np.maximum(last - 1, 0)]), 0.0)
        share[-1] = 1.0
        upto = np.floor(np.maximum.accumulate(share) * (count - touched) + 0.5).astype(np.int64)
        counts = np.diff(upto, prepend=0)
        made = {
            "references": count,
            "histogram": [[int(place), int(many)] for place, many in zip(places, counts, strict=True)],
        }
        if self.strides is not None:
            foretold = self._foretold_strides(self.strides, target, share)
            for key in ("covered", "dependent"):
                foretold[key] = [[int(at), float(part)] for at, part in zip(places, foretold[key], strict=True)]
            made |= foretold
        return made
