"""Reuse distances of a program, and the cumulative curve a cache model reads its hit fractions from.

A reuse distance counts the *distinct other* lines touched since the last reference to a line (Anghel 2017, Section
3.3.3); a first touch has none. A histogram holds the distances 0 and 1 alone, then (1, 2], (2, 4], (4, 8] …, each under
its upper end; a histogram whose upper ends are other numbers holds those distances exactly.

Interface
---------
``ReuseHistogram.cumulative(mode) -> (lines, hits)``
    Two float arrays for ``np.interp(capacity_in_lines, lines, hits)``: the fraction of references that hit in a fully
    associative LRU cache of so many lines. Below the first and above the last point the end values hold.

    * ``mode="reference"``: the curve the published tools read: cumulative fractions cut (not rounded) to four decimals,
      evaluated at the capacity itself, ``d <= C``. What `fit_vectors` added is included for lines of 64 bytes alone.
    * ``mode="corrected"``: from exact counts, evaluated at ``d <= C - 1``; a cache without lines never hits.
``ReuseHistogram.hit_fraction(lines, mode, logarithmic=False)``
    The interpolated curve; takes numbers, arrays and ranges.
``ReuseHistogram.bins(mode) -> (low, high, mass)``
    Least and greatest distance of each bin and the fraction of references in it, for models of associativity.
``line``
    Bytes (data) or instructions of a line; None where distances count single addresses: no use for a cache model.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from dse.errors import InputError

__all__ = ["Mode", "ReuseHistogram", "check_mode", "truncated"]

Mode = Literal["reference", "corrected"]

_DECIMALS = 10_000
_RESCALED_LINE = 64  # the one line size whose curve the published tool rescales when it splits vectors


def check_mode(mode: str) -> None:
    """Refuse what is no mode of evaluation."""
    if mode not in ("reference", "corrected"):
        raise InputError(
            f"unknown mode '{mode}'",
            allowed="reference, corrected",
            wrong=str(mode),
            candidates=["reference", "corrected"],
        )


def truncated(part: int, whole: int) -> float:
    """Return part / whole cut to four decimals, as the published tools print fractions and ILP."""
    return (part * _DECIMALS // whole) / _DECIMALS if whole else 0.0


@dataclass(frozen=True)
class ReuseHistogram:
    """Reuse distances of the references to data, or of the instructions.

    Attributes
    ----------
    line : int or None
        Bytes (data) or instructions of a line; None for single addresses.
    references : int
        All references, first touches included.
    distances : tuple of int
        Upper end of each bin, rising.
    counts : tuple of int or None
        References in each bin; None when only cumulative fractions are known.
    printed : tuple of float or None
        Cumulative fractions as a tool printed them; None: those that follow from the counts.
    split_references : int
        References that splitting vectors has added, each to the line touched just before.
    covered : tuple of (int, float)
        Share of the references of a bin, by its upper end, that a stride prefetcher would have asked for.
    covered_first_touches : float or None
        The same of the first touches; None where strides were not recorded.
    dependent : tuple of (int, float)
        Share of the loads beyond a distance that wait for another one beyond it (`strides`).
    """

    line: int | None
    references: int
    distances: tuple[int, ...]
    counts: tuple[int, ...] | None
    printed: tuple[float, ...] | None = None
    split_references: int = 0
    covered: tuple[tuple[int, float], ...] = ()
    covered_first_touches: float | None = None
    dependent: tuple[tuple[int, float], ...] = ()

    @property
    def doubling(self) -> bool:
        """Whether the bins end at 0 and powers of two."""
        return all(distance & (distance - 1) == 0 for distance in self.distances)

    @property
    def cold_fraction(self) -> float:
        """Fraction of references that touch a line for the first time."""
        return 1.0 - float(self.cumulative("corrected")[1][-1])

    def cumulative(self, mode: Mode = "corrected") -> tuple[np.ndarray, np.ndarray]:
        """Return capacities in lines and the fraction of references that hit at each, for ``np.interp``."""
        check_mode(mode)
        if not self.distances:
            return np.array([0.0]), np.array([0.0])
        return self._reference() if mode == "reference" else self._corrected()

    def hit_fraction(self, lines: Any, mode: Mode = "corrected", *, logarithmic: bool = False) -> Any:
        """Return the fraction of references that hit in a fully associative LRU cache.

        Parameters
        ----------
        lines : float, array or range
            Lines of the cache.
        mode : str
            "reference" or "corrected".
        logarithmic : bool
            Interpolate in the logarithm of the capacity instead of the capacity.
        """
        capacities, hits = self.cumulative(mode)
        if not logarithmic:
            return np.interp(lines, capacities, hits)
        used = capacities > 0
        if not used.any():
            return 0.0 * lines
        inside = np.interp(np.log2(np.maximum(lines, 1.0)), np.log2(capacities[used]), hits[used])
        return np.where(lines < 1.0, 0.0, inside)

    def bins(self, mode: Mode = "corrected") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the least and the greatest distance of each bin and the fraction of references in it."""
        check_mode(mode)
        fractions = self._reference_fractions() if mode == "reference" else self._exact_fractions()
        distances = self.distances
        if len(fractions) and distances[0] > 0 and self.split_references:
            # References that splitting has added lie at distance 0, which has no bin yet.
            share = self.split_references / (self.references + self.split_references)
            distances, fractions = (0, *distances), np.concatenate([[share], fractions])
        high = np.array(distances, dtype=float)
        doubling = self.doubling
        low = np.array([distance // 2 + 1 if doubling and distance > 1 else distance for distance in distances])
        return low.astype(float), high, np.diff(fractions, prepend=0.0)

    def _exact_fractions(self) -> np.ndarray:
        """Return the cumulative fractions from counts, or, for want of counts, those that were printed."""
        if self.counts is None:
            return (np.array(self.printed or (), dtype=float) * self.references + self.split_references) / self._total
        counted = [total + self.split_references for total in accumulate(self.counts)]
        return np.array(counted, dtype=float) / self._total

    def _reference_fractions(self) -> np.ndarray:
        """Return the cumulative fractions cut to four decimals, with what splitting has added."""
        if self.printed is not None:
            base = np.array(self.printed, dtype=float)
        else:
            base = np.array([truncated(total, self.references) for total in accumulate(self.counts or ())])
        if not self.split_references or self.line != _RESCALED_LINE:
            return base
        return (base * self.references + self.split_references) / self._total

    @property
    def _total(self) -> float:
        return float(max(self.references + self.split_references, 1))

    def _reference(self) -> tuple[np.ndarray, np.ndarray]:
        distances, fractions = np.array(self.distances, dtype=float), self._reference_fractions()
        if self.doubling:
            return distances, fractions
        # Other steps are a staircase that is read at powers of two.
        powers = 2.0 ** np.arange(np.ceil(np.log2(distances[-1])) + 1)
        knots = powers[powers >= distances[0]]
        last = np.searchsorted(distances, knots, side="right") - 1
        return knots, fractions[last]

    def _corrected(self) -> tuple[np.ndarray, np.ndarray]:
        low, high, mass = self.bins("corrected")
        fractions = np.cumsum(mass)
        lines, hits = [0.0], [0.0]
        for least, most, below, upto in zip(low, high, fractions - mass, fractions, strict=True):
            # A line at distance d hits from d + 1 lines on: nothing of this bin at `least` lines, all at `most` + 1.
            if least > lines[-1]:
                lines.append(float(least))
                hits.append(float(below))
            lines.append(float(most) + 1.0)
            hits.append(float(upto))
        return np.array(lines), np.minimum(np.array(hits), 1.0)
