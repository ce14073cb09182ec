"""Reuse distances as metrics: the share of references beyond each power of two, and back to a histogram.

The end of a curve moves with the lines that a run touches, so a run has metrics up to a quarter of its largest distance
alone. A larger problem touches more lines and has reuses beyond any distance of the runs: above the last distance that
has a law, the curve of the run with the most alike number of lines is stretched to the lines of the target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["Tail", "curve", "histogram_document", "knots", "tail_of"]


_END = 4


@dataclass(frozen=True)
class Tail:
    """The shares of references beyond distances, from a distance to the largest one.

    Attributes
    ----------
    distances : tuple of int
        Rising powers of two; the last is the largest of the run.
    beyond : tuple of float
        Shares of references with a larger distance or none; the last is the share of first touches.
    lines : float
        Lines touched, which is the number of first touches.
    """

    distances: tuple[int, ...]
    beyond: tuple[float, ...]
    lines: float

    def largest_for(self, lines: float) -> int:
        """Return the largest distance of a run that touches so many lines, as a power of two."""
        longest = self.distances[-1] * lines / self.lines if self.lines else self.distances[-1]
        return knots(max(1, math.ceil(longest * (1.0 - 1e-9))))[-1]

    def share(self, distance: float, begin: int, end: int) -> float:
        """Return the part of the reuses beyond `begin` that lie beyond a distance when they end at `end`."""
        low, high = max(begin, 1), self.distances[-1]
        first = float(np.interp(begin, self.distances, self.beyond))
        if high <= low or end <= low or first <= self.beyond[-1]:
            return 1.0 if distance < end else 0.0
        place = math.log(max(distance, 1) / low) / math.log(end / low)
        along = np.log(np.array([max(d, 1) for d in self.distances]) / low) / math.log(high / low)
        left = (np.array(self.beyond) - self.beyond[-1]) / (first - self.beyond[-1])
        return float(np.clip(np.interp(place, along, left), 0.0, 1.0))


def knots(largest: int) -> list[int]:
    """Return 0, 1, 2, 4 … up to the power of two that is not below a distance."""
    distances = [0]
    while distances[-1] < largest:
        distances.append(max(1, 2 * distances[-1]))
    return distances


def curve(histogram: ReuseHistogram) -> dict[tuple[Any, ...], float]:
    """Return references, first touches, and the shares beyond the distances up to a quarter of the largest one."""
    tail = tail_of(histogram)
    shares: dict[tuple[Any, ...], float] = {("references",): float(histogram.references)}
    shares["first_touches",] = tail.lines
    for distance, share in zip(tail.distances, tail.beyond, strict=True):
        if distance <= tail.distances[-1] / _END:
            shares["beyond", distance] = share
    return shares


def tail_of(histogram: ReuseHistogram) -> Tail:
    """Return the whole curve of a histogram at powers of two.

    Raises
    ------
    InputError
        A histogram whose references were split to the vectors of a machine.
    """
    if histogram.split_references:
        raise InputError("split_references", allowed="profiles whose vectors are not yet fitted to a machine")
    _, high, mass = histogram.bins("corrected")
    if not len(high):
        return Tail((0,), (1.0,), float(histogram.references))
    places = knots(int(high[-1]))
    within = np.searchsorted(high, places, side="right")
    upto = np.concatenate([[0.0], np.cumsum(mass)])[within]
    beyond = np.clip(1.0 - upto, 0.0, 1.0)
    return Tail(tuple(places), tuple(beyond.tolist()), float(beyond[-1] * histogram.references))


def histogram_document(
    values: Mapping[tuple[Any, ...], float], tails: Sequence[Tail], *, counted: bool
) -> tuple[dict[str, Any], float]:
    """Return the histogram of a document.

    Parameters
    ----------
    values : mapping
        References, first touches and shares beyond distances, as `curve` gives them.
    tails : sequence of Tail
        Curves of runs; the one with the most alike number of lines gives the form beyond the last law.
    counted : bool
        Whether bins have counts, or cumulative fractions only.

    Returns
    -------
    dict
        ``references``, and ``histogram`` or ``printed``.
    float
        Share of references beyond the largest distance of any run.
    """
    references = round(values["references",])
    if not references:
        return {"references": 0, "histogram" if counted else "printed": []}, 0.0
    touched = min(max(0.0, values["first_touches",]), float(references))
    cold = touched / references
    model = min(tails, key=lambda tail: abs(math.log(max(tail.lines, 1.0) / max(touched, 1.0))))
    end = model.largest_for(touched)
    fitted = sorted(key[1] for key in values if key[0] == "beyond" and key[1] <= end / _END)
    beyond = np.minimum.accumulate([1.0, *(values["beyond", distance] for distance in fitted)])[1:]
    beyond = np.maximum(beyond, cold)
    begin = fitted[-1] if fitted else 0
    left = float(beyond[-1]) if fitted else 1.0
    places = [*fitted, *(place for place in knots(end) if place > begin or not fitted)]
    shares = [*beyond, *(cold + (left - cold) * model.share(p, begin, end) for p in places[len(fitted) :])]
    shares[-1] = cold
    longest = max(tail.distances[-1] for tail in tails)
    unseen = max(0.0, float(np.interp(longest, places, shares)) - cold)
    if not counted:
        printed = [[place, float(1.0 - share)] for place, share in zip(places, shares, strict=True)]
        return {"references": references, "printed": printed}, unseen
    upto = [0, *(math.floor((1.0 - share) * references + 0.5) for share in shares)]
    counts = [[place, max(0, after - before)] for place, before, after in zip(places, upto, upto[1:], strict=False)]
    return {"references": references, "histogram": counts}, unseen
