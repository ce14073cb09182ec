r"""What a stride prefetcher would have asked for, by reuse distance, and which misses wait for another miss.

The recorder keeps for each static access its last address, its last stride and how often that came true, as the table
of a stride prefetcher does (Chen and Baer, IEEE Transactions on Computers 44(5), 1995). A profile has of each size of
lines

* ``covered``: by the upper ends of the histogram, the share of the references there whose stride had come true at least
  twice and did so again; ``covered_first_touches`` the same of the first touches;
* ``dependent``: by the upper ends, the share of the loads beyond that distance, first touches among them, whose address
  comes from a load that lies beyond it too, through arithmetic or other loads, at most 128 accesses before. That is the
  share of the misses of a cache of so many lines that wait for another miss.

Shares are of what was looked at (``run.sampling.strides``). Bins of which nothing was looked at have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["STRIDES", "StrideCurve", "filled", "mean_of_members", "mean_shares", "shares_by_bin", "stride_curve"]

STRIDES = ("covered", "covered_first_touches", "dependent")
"""Keys of a reuse histogram of data that hold what is said here."""

_DIGITS = 7


@dataclass(frozen=True, eq=False)
class StrideCurve:
    """Coverage and dependence of a program over the lines of a cache.

    Attributes
    ----------
    lines : (n,) ndarray
        Capacities in lines, rising.
    hits, covered : (n,) ndarray
        Fraction of the references that hit in a fully associative cache of so many lines, and the part of it that a
        stride prefetcher would have asked for; first touches are in neither.
    all_covered : float
        Fraction of the references that it would have asked for, first touches among them.
    distances, dependent : (m,) ndarray
        Share of the missing loads of a cache of so many lines that wait for another one; empty where not recorded.
    """

    lines: np.ndarray
    hits: np.ndarray
    covered: np.ndarray
    all_covered: float
    distances: np.ndarray
    dependent: np.ndarray

    def coverage(self, above: Any, here: Any) -> np.ndarray:
        """Return the share that prefetching covers of what a level answers, 0 where it answers nothing.

        Parameters
        ----------
        above, here : float or array
            Lines of what lies above the level, and of the level with it; `here` infinite is the memory.
        """
        before = np.asarray(above, dtype=float)
        upto = np.maximum(np.asarray(here, dtype=float), before)
        memory = np.isinf(upto)
        answered = np.where(memory, 1.0, self._read(upto, self.hits)) - self._read(before, self.hits)
        foreseen = np.where(memory, self.all_covered, self._read(upto, self.covered))
        foreseen = foreseen - self._read(before, self.covered)
        answers = answered > 0.0
        share: np.ndarray = np.where(answers, np.clip(foreseen / np.where(answers, answered, 1.0), 0.0, 1.0), 0.0)
        return share

    def waiting(self, lines: Any) -> np.ndarray:
        """Return the share of the missing loads of a cache of so many lines that wait for another; 0 if unknown."""
        given = np.asarray(lines, dtype=float)
        if not len(self.distances):
            return np.zeros(given.shape)
        logs = np.log2(np.maximum(self.distances, 1.0))
        share: np.ndarray = np.interp(np.log2(np.maximum(given, 1.0)), logs, self.dependent)
        return share

    def _read(self, lines: np.ndarray, values: np.ndarray) -> np.ndarray:
        read: np.ndarray = np.interp(lines, self.lines, values)
        return read


def stride_curve(histogram: ReuseHistogram) -> StrideCurve:
    """Return what strides cover, over the lines of a cache.

    Raises
    ------
    InputError
        A histogram that has no strides.
    """
    if not histogram.covered or histogram.covered_first_touches is None:
        raise InputError("has no strides", key="data_reuse.covered", allowed="a profile recorded by dse profile record")
    low, high, mass = histogram.bins("corrected")
    shares = filled(dict(histogram.covered), high.astype(int).tolist())
    upto, foreseen = np.cumsum(mass), np.cumsum(mass * shares)
    lines, hits, covered = [0.0], [0.0], [0.0]
    for least, most, part, share, whole, all_foreseen in zip(low, high, mass, shares, upto, foreseen, strict=True):
        if least > lines[-1]:
            lines.append(float(least))
            hits.append(float(whole - part))
            covered.append(float(all_foreseen - part * share))
        lines.append(float(most) + 1.0)
        hits.append(float(whole))
        covered.append(float(all_foreseen))
    first = max(0.0, 1.0 - float(upto[-1])) if len(upto) else 1.0
    dependent = np.array(histogram.dependent, dtype=float).reshape(-1, 2)
    return StrideCurve(
        np.array(lines),
        np.minimum(np.array(hits), 1.0),
        np.minimum(np.array(covered), 1.0),
        min(1.0, covered[-1] + first * histogram.covered_first_touches),
        dependent[:, 0],
        dependent[:, 1],
    )


def filled(shares: Mapping[int, float], distances: Sequence[int]) -> np.ndarray:
    """Return a share for each distance; one that was not looked at takes that of the nearest."""
    known = np.array(sorted(shares), dtype=float)
    if not known.size:
        return np.zeros(len(distances))
    values = np.array([shares[int(distance)] for distance in known])
    logs, own = np.log2(1.0 + known), np.log2(1.0 + np.array(distances, dtype=float))
    nearest: np.ndarray = values[np.abs(own[:, None] - logs).argmin(axis=1)] if len(distances) else np.zeros(0)
    return nearest


def shares_by_bin(
    uppers: Sequence[int],
    covered: Sequence[tuple[int, int, int]],
    first: tuple[int, int],
    loads: Sequence[tuple[int, int, int]] = (),
    first_loads: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """Return what a profile holds of the counts of a record.

    Parameters
    ----------
    uppers : sequence of int
        Upper ends of the bins of the histogram, rising.
    covered, loads : sequence of (upper, seen, having)
        References and those foreseen; loads, and those that miss together with one they wait for.
    first, first_loads : (seen, having)
        The same of first touches.

    Returns
    -------
    dict
        ``covered``, ``covered_first_touches`` and ``dependent``, each where something was looked at.
    """
    made: dict[str, Any] = {}
    bins = []
    below = -1
    for upper in uppers:
        rows = [row for row in covered if below < row[0] <= upper]
        seen = sum(row[1] for row in rows)
        if seen:
            bins.append([upper, _share(sum(row[2] for row in rows), seen)])
        below = upper
    if bins or first[0]:
        made = {"covered": bins, "covered_first_touches": _share(first[1], first[0]) if first[0] else 0.0}
    dependent = []
    for upper in uppers:
        beyond = [row for row in loads if row[0] > upper]
        seen = sum(row[1] for row in beyond) + first_loads[0]
        if seen:
            dependent.append([upper, _share(sum(row[2] for row in beyond) + first_loads[1], seen)])
    return {**made, "dependent": dependent} if dependent else made


def mean_shares(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the shares of several histograms of a document as one: by references, and of dependents the plain mean."""
    if not all("covered" in entry for entry in entries):
        return {}
    counts = [dict(map(tuple, entry["histogram"])) for entry in entries]
    touched = [max(0, entry["references"] - sum(of.values())) for entry, of in zip(entries, counts, strict=True)]

    def weighted(values: Sequence[float], weights: Sequence[float]) -> float:
        whole = sum(weights)
        return sum(value * weight for value, weight in zip(values, weights, strict=True)) / whole if whole else 0.0

    covered = []
    for upper in sorted({upper for of in counts for upper in of}):
        pairs = [
            (dict(map(tuple, entry["covered"])).get(upper), of.get(upper, 0))
            for entry, of in zip(entries, counts, strict=True)
        ]
        known = [(share, weight) for share, weight in pairs if share is not None and weight]
        if known:
            shares, weights = zip(*known, strict=True)
            covered.append([upper, round(weighted(shares, weights), _DIGITS)])
    first = weighted([entry["covered_first_touches"] for entry in entries], touched)
    curves = [dict(map(tuple, entry.get("dependent", []))) for entry in entries]
    places = [upper for upper in curves[0] if all(upper in curve for curve in curves)]
    dependent = [[upper, round(sum(curve[upper] for curve in curves) / len(curves), _DIGITS)] for upper in places]
    made = {"covered": covered, "covered_first_touches": round(first, _DIGITS)}
    return {**made, "dependent": dependent} if dependent else made


def mean_of_members(
    histograms: Sequence[ReuseHistogram], members: Sequence[float], distances: Sequence[int]
) -> dict[str, tuple[tuple[int, float], ...] | float | None]:
    """Return the strides of processes as those of their mean, at its distances; nothing where one of them has none."""
    if not all(entry.covered and entry.covered_first_touches is not None for entry in histograms):
        return {}
    counts = [dict(zip(entry.distances, entry.counts or (), strict=False)) for entry in histograms]
    many = np.asarray(members, dtype=float)[:, None]
    bins = np.array([[of.get(distance, 0) for distance in distances] for of in counts], dtype=float) * many
    beyond = np.array([entry.references - sum(entry.counts or ()) for entry in histograms], dtype=float)

    def weighted(shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
        whole = weights.sum(axis=0)
        mean: np.ndarray = np.where(
            whole > 0.0, (shares * weights).sum(axis=0) / np.where(whole > 0.0, whole, 1.0), shares.mean(axis=0)
        )
        rounded: np.ndarray = np.round(np.minimum(mean, 1.0), _DIGITS)
        return rounded

    covered = weighted(np.array([filled(dict(entry.covered), distances) for entry in histograms]), bins)
    first = np.array([[entry.covered_first_touches or 0.0] for entry in histograms])
    dependent = np.array([filled(dict(entry.dependent), distances) for entry in histograms])
    waiting = weighted(dependent, np.broadcast_to(many, dependent.shape))
    return {
        "covered": tuple(zip(distances, covered.tolist(), strict=True)),
        "covered_first_touches": float(weighted(first, np.maximum(beyond[:, None], 0.0) * many)[0]),
        "dependent": tuple(zip(distances, waiting.tolist(), strict=True)) if histograms[0].dependent else (),
    }


def _share(part: int, whole: int) -> float:
    return round(min(part, whole) / whole, _DIGITS)
