"""Locality as pictures: where the next accesses go, and how far apart those to one line are.

The spatio-temporal map of Anghel 2017, Section 3.3.3: the probability p(s, t) that the access t accesses later touches
a byte s bytes away. The reuse map: the share of references by process class and by the size of cache that they need.
These are records of what is drawn; `locality_figures` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.errors import InputError
from dse.models.workload.profile.profile import HeatMap, ProcessClass

__all__ = ["VARIANTS", "LocalityView", "ReuseView", "locality_view", "measured_map", "reuse_view"]

VARIANTS = ("pdf:pdf", "cdf:pdf", "pdf:cdf", "cdf:cdf")
"""Of the distance in bytes, then of the accesses between: that distance, or up to it."""


@dataclass(frozen=True)
class LocalityView:
    """What a locality map shows: `p[i, j]` at `offsets[i]` bytes and `lags[j]` accesses, both rising.

    With a cumulated distance `offsets` are its sizes, whatever the sign.
    """

    variant: str
    offsets: tuple[int, ...]
    lags: tuple[int, ...]
    p: np.ndarray

    @property
    def unit(self) -> str:
        """What the values are: cells of neighbouring offsets and lags overlap, so their sums may exceed 1."""
        return "probability" if self.variant == "pdf:pdf" else "sum of probabilities"

    def largest(self, count: int = 5) -> list[tuple[int, int, float]]:
        """Return offset, lag and value of the largest cells, largest first; of equal ones the nearest and soonest."""
        rows, columns = np.indices(self.p.shape)
        distance = np.abs(np.asarray(self.offsets, dtype=float))[rows]
        order = np.lexsort((columns.ravel(), distance.ravel(), -self.p.ravel()))[:count]
        cells = (np.unravel_index(int(place), self.p.shape) for place in order)
        return [(self.offsets[row], self.lags[column], float(self.p[row, column])) for row, column in cells]


def measured_map(item: ProcessClass) -> HeatMap | None:
    """Return the heat map of a class, if it has one with a cell in it."""
    heatmap = item.heatmap
    return heatmap if heatmap is not None and heatmap.t and heatmap.s_bytes else None


def locality_view(heatmap: HeatMap, variant: str = "pdf:pdf") -> LocalityView:
    """Return what is drawn of a heat map.

    Parameters
    ----------
    heatmap : HeatMap
    variant : str
        One of `VARIANTS`. A cumulated distance adds up all offsets of at most that size, cumulated accesses all lags up
        to that one.
    """
    if variant not in VARIANTS:
        raise InputError(f"unknown variant '{variant}'", allowed=VARIANTS, wrong=variant, candidates=VARIANTS)
    offsets, lags = np.asarray(heatmap.s_bytes, dtype=int), np.asarray(heatmap.t, dtype=int)
    p = np.asarray(heatmap.p, dtype=float).reshape(len(lags), len(offsets)).T
    in_space, in_time = (kind == "cdf" for kind in variant.split(":"))
    by_lag = np.argsort(lags)
    lags, p = lags[by_lag], p[:, by_lag]
    if in_space:
        sizes = np.unique(np.abs(offsets))
        p = np.array([p[np.abs(offsets) <= size].sum(axis=0) for size in sizes]).reshape(len(sizes), len(lags))
        offsets = sizes
    else:
        by_offset = np.argsort(offsets)
        offsets, p = offsets[by_offset], p[by_offset]
    if in_time:
        p = np.cumsum(p, axis=1)
    return LocalityView(variant, tuple(offsets.tolist()), tuple(lags.tolist()), p)


@dataclass(frozen=True)
class ReuseView:
    """What a reuse map shows: of the references of `rows[i]`, `shares[i, j]` first hit in a cache of `sizes[j]` bytes.

    A last column holds those that no size shown would hit: first touches, and what the profile does not tell.
    """

    rows: tuple[str, ...]
    sizes: tuple[float, ...]
    shares: np.ndarray


def reuse_view(classes: tuple[ProcessClass, ...]) -> ReuseView | None:
    """Return by class and line size the share of references that a cache twice as large as the one before adds.

    None where no class has reuse distances between lines.
    """
    histograms = [
        (item, histogram)
        for item in classes
        for histogram in item.data_reuse
        if histogram.line is not None and histogram.distances
    ]
    if not histograms:
        return None
    least = min(histogram.line or 0 for _, histogram in histograms)
    most = max((histogram.line or 0) * (histogram.distances[-1] + 1) for _, histogram in histograms)
    powers = range(int(np.log2(least)), int(np.ceil(np.log2(most))) + 1)
    sizes = [2.0**power for power in powers]
    rows, shares = [], []
    for item, histogram in histograms:
        hits = np.array([float(histogram.hit_fraction(bytes_ / (histogram.line or 1))) for bytes_ in sizes])
        rows.append(f"{item.name}, {histogram.line} B lines" if len(histograms) > 1 else f"lines of {histogram.line} B")
        shares.append([*np.diff(hits, prepend=0.0).tolist(), max(0.0, 1.0 - float(hits[-1]))])
    return ReuseView(tuple(rows), tuple(sizes), np.array(shares))
