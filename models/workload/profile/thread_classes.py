r"""Classes of threads by how alike they touch memory: distance correlation of their reuse distances.

Anghel 2017, Section 3.4.3, Eq. 3.4, for each pair of threads:

    dCor(X, Y) = dCov(X, Y) / sqrt(dVar(X) dVar(Y)),   dCov²(X, Y) = 1/n² Σ_jk A_jk B_jk,   dVar(X) = dCov(X, X)

X_j being the share of the references of a thread at the distances of bin j, A_jk = |X_j - X_k| less the means of row
and column, plus the mean of all (Székely, Rizzo and Bakirov 2007, The Annals of Statistics 35(6)). It is 0 to 1, and
does not change with the number of references. Any two threads of a class correlate by a threshold at least: complete
linkage. First touches have no distance and are left out; so are bins beyond the longest distance of any thread.

The thesis found 0.99 on average between workers, with a standard deviation below 0.009, and 0.33 to the master. The
threshold is three of these below: 0.963 (ours; it names none).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from dse.errors import InputError
from dse.models.workload.profile.alike_classes import joined_mean
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.documents import profile_of
from dse.models.workload.profile.profile import ProcessClass
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["THRESHOLD", "ThreadClasses", "correlations", "distance_correlation", "thread_classes"]
__all__ += ["with_correlated_joined"]

THRESHOLD = 0.99 - 3 * 0.009
"""Least correlation of two threads of a class (see above)."""


@dataclass(frozen=True)
class ThreadClasses:
    """Threads, how they correlate, and the class of each.

    Attributes
    ----------
    names : tuple of str
    line_bytes : int
        Of the reuse distances that were compared.
    threshold : float
    correlation : ndarray, shape (threads, threads)
    labels : tuple of int
        The class of each thread, numbered from 0 in the order they appear.
    """

    names: tuple[str, ...]
    line_bytes: int
    threshold: float
    correlation: np.ndarray
    labels: tuple[int, ...]

    def members(self, label: int) -> list[int]:
        """Return the places of the threads of a class."""
        return [place for place, own in enumerate(self.labels) if own == label]

    @property
    def count(self) -> int:
        """How many classes there are."""
        return max(self.labels) + 1


def distance_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Return the distance correlation of two samples of equal length (Eq. 3.4); of what is constant 1 with itself.

    Parameters
    ----------
    x, y : ndarray, shape (n,)
    """
    return float(correlations(np.stack([x, y]))[0, 1])


def correlations(rows: np.ndarray) -> np.ndarray:
    """Return the distance correlation of each pair of rows.

    Parameters
    ----------
    rows : ndarray, shape (threads, bins)

    Returns
    -------
    ndarray, shape (threads, threads)
        1 on the diagonal. A row without any variation correlates with others of its kind by 1, with the rest by 0.
    """
    apart = np.abs(rows[:, :, None] - rows[:, None, :])
    of_row = apart.mean(axis=2)
    centred = apart - of_row[:, :, None] - of_row[:, None, :] + of_row.mean(axis=1)[:, None, None]
    flat = centred.reshape(len(rows), -1)
    covariance = np.sqrt(np.maximum(flat @ flat.T, 0.0) / rows.shape[1] ** 2)
    variance = np.diag(covariance)
    constant = variance <= 1e-12 * np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where(constant, 1.0, variance)
    result: np.ndarray = np.minimum(covariance / np.sqrt(np.outer(scale, scale)), 1.0)
    result[constant, :] = result[:, constant] = 0.0
    result[np.ix_(constant, constant)] = 1.0
    np.fill_diagonal(result, 1.0)
    return result


def thread_classes(
    items: Sequence[ProcessClass], threshold: float = THRESHOLD, line_bytes: int | None = None
) -> ThreadClasses:
    """Return the classes of threads by the correlation of their reuse distances.

    Parameters
    ----------
    items : sequence of ProcessClass
    threshold : float
        Least correlation of two threads of a class, 0 to 1.
    line_bytes : int, optional
        Of the distances compared; the smallest that all threads have if left out.

    Raises
    ------
    InputError
        A threshold outside 0 to 1, or threads without reuse distances of one size of line.
    """
    if not 0.0 <= threshold <= 1.0:
        raise InputError(f"threshold = {threshold:g}", allowed="a number from 0 to 1")
    histograms = _histograms(items, line_bytes)
    correlation = correlations(_shares(histograms))
    labels = np.ones(1, dtype=int)
    if len(items) > 1:
        tree = linkage(squareform(1.0 - correlation, checks=False), method="complete")
        labels = fcluster(tree, t=1.0 - threshold + 1e-12, criterion="distance")
    order: dict[int, int] = {}
    numbered = tuple(order.setdefault(int(label), len(order)) for label in labels)
    line = histograms[0].line or 0
    return ThreadClasses(tuple(item.name for item in items), line, threshold, correlation, numbered)


def _histograms(items: Sequence[ProcessClass], line_bytes: int | None) -> list[ReuseHistogram]:
    lines = [{entry.line for entry in item.data_reuse if entry.line and entry.counts is not None} for item in items]
    shared = sorted(set.intersection(*lines)) if lines else []
    line = line_bytes if line_bytes is not None else (shared[0] if shared else None)
    if line is None or line not in shared:
        raise InputError(
            "the threads have no reuse distances of one size of line" if line is None else f"lines of {line} B",
            allowed=[str(known) for known in shared] or "a profile recorded with the metric reuse",
        )
    return [next(entry for entry in item.data_reuse if entry.line == line) for item in items]


def _shares(histograms: Sequence[ReuseHistogram]) -> np.ndarray:
    """Return the share of references by bin, of every bin up to the longest distance: also those no thread has."""
    known = {distance for entry in histograms for distance in entry.distances}
    longest = max(known, default=0)
    ladder = [0, *(1 << power for power in range(longest.bit_length()) if 1 << power <= longest)]
    bins = ladder if known <= set(ladder) else sorted(known)
    place = {distance: column for column, distance in enumerate(bins)}
    rows = np.zeros((len(histograms), len(bins)))
    for row, entry in zip(rows, histograms, strict=True):
        for distance, count in zip(entry.distances, entry.counts or (), strict=True):
            row[place[distance]] = count / max(entry.references, 1)
    return rows


def with_correlated_joined(document: dict[str, Any], threshold: float = THRESHOLD) -> dict[str, Any]:
    """Return a recorded profile document in which the threads of a class are one, their mean, named after the first.

    Parameters
    ----------
    document : dict
        As `dse.models.workload.record.recorded.recorded_profile` returns it: each class is one thread.
    threshold : float
        Least correlation of two threads of a class.
    """
    spec, _ = checked_document(document)
    classes = thread_classes(profile_of(spec).classes, threshold)
    groups = [[document["classes"][place] for place in classes.members(label)] for label in range(classes.count)]
    means = []
    for group in groups:
        roles = {item["role"] for item in group}
        means.append({**joined_mean(group), "role": roles.pop() if len(roles) == 1 else "worker"})
    said = (
        f"{len(document['classes'])} threads are {len(means)} classes: of a class, any two correlate by "
        f"{threshold:g} at least in their reuse distances; counts are means"
    )
    notes = "; ".join(filter(None, [document.get("notes", ""), said]))
    joined = {**document, "notes": notes, "classes": means}
    checked_document(joined)
    return joined
