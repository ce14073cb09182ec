"""Processes with alike profiles as one class: clustered within a run, each class averaged (Anghel 2017, Chapter 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.extrapolation.metrics import Key, absent_is_none, metrics, name_of
from dse.models.workload.extrapolation.rebuilding import class_document
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.documents import profile_of
from dse.models.workload.profile.profile import CLASSES, ProcessClass, WorkloadProfile
from dse.models.workload.profile.reuse import ReuseHistogram
from dse.models.workload.profile.schema import SCHEMA
from dse.models.workload.profile.strides import mean_of_members

__all__ = ["cluster", "complete_linkage", "feature_names", "features"]


def cluster(profile: WorkloadProfile, threshold: float) -> WorkloadProfile:
    """Gather the processes of a run in classes, and average each class.

    Parameters
    ----------
    profile : WorkloadProfile
    threshold : float
        Processes of one class differ from one another by no more than this: in the logarithm of instructions, of ILP,
        of messages, bytes and footprint (0.1 is a tenth), in the share of each class of instructions, of references
        beyond each reuse distance, and in each branch entropy. Workers and masters are never in one class.

    Returns
    -------
    WorkloadProfile
        Classes "worker 1", "worker 2" …, those with most instructions first.
    """
    if not (np.isfinite(threshold) and threshold >= 0):
        raise InputError(f"threshold = {threshold:g}", allowed="a finite number >= 0")
    classes = []
    for role in ("worker", "master"):
        items = [item for item in profile.classes if item.role == role]
        if not items:
            continue
        labels = complete_linkage(features(items), threshold)
        groups = [
            [item for item, label in zip(items, labels, strict=True) if label == number]
            for number in range(max(labels) + 1)
        ]
        groups.sort(key=lambda group: -float(np.mean([item.instructions for item in group])))
        classes += [_mean(group, f"{role} {number}") for number, group in enumerate(groups, 1)]
    return replace(profile, classes=tuple(classes))


def complete_linkage(features: np.ndarray, threshold: float) -> list[int]:
    """Cluster points so that any two of a cluster differ by at most a threshold in every coordinate.

    Parameters
    ----------
    features : ndarray, shape (points, coordinates)
    threshold : float

    Returns
    -------
    list of int
        The cluster of each point, numbered from 0 in the order they appear.
    """
    points, member = np.unique(features, axis=0, return_inverse=True)
    member = member.reshape(-1)
    count = len(points)
    apart = np.zeros((count, count))
    for column in points.T:
        np.maximum(apart, np.abs(column[:, None] - column), out=apart)
    np.fill_diagonal(apart, np.inf)
    cluster_of = np.arange(count)
    while count > 1:
        first, other = divmod(int(np.argmin(apart)), len(apart))
        if apart[first, other] > threshold:
            break
        # The distance of two clusters is that of their two points farthest apart.
        apart[first] = apart[:, first] = np.maximum(apart[first], apart[other])
        apart[other] = apart[:, other] = np.inf
        apart[first, first] = np.inf
        cluster_of[cluster_of == other] = first
        count -= 1
    labels: dict[int, int] = {}
    return [labels.setdefault(int(cluster_of[place]), len(labels)) for place in member]


def features(items: Sequence[ProcessClass]) -> np.ndarray:
    """Return what processes are compared by, shape (processes, metrics); `feature_names` says which."""
    table = [metrics(item) for item in items]
    shared = [key for key in table[0] if all(key in own for own in table)]
    rows = []
    for item, own in zip(items, table, strict=True):
        row = [np.log(item.instructions), *(item.fraction(name) for name in CLASSES)]
        for key in shared:
            if _in_logarithm(key):
                row.append(np.log(max(own[key], 1.0)))
            elif _as_share(key):
                row.append(own[key])
        rows.append(row)
    return np.array(rows, dtype=float)


def feature_names(items: Sequence[ProcessClass]) -> list[str]:
    """Return the names of the columns of `features`."""
    table = [metrics(item) for item in items]
    shared = [key for key in table[0] if all(key in own for own in table)]
    names = [name_of(key) for key in shared if _in_logarithm(key) or _as_share(key)]
    return ["instructions", *(f"share of {name}" for name in CLASSES), *names]


def _in_logarithm(key: Key) -> bool:
    return key[0] in ("ilp", "footprint_bytes") or key[:2] == ("comm", "p2p")


def _as_share(key: Key) -> bool:
    return "beyond" in key or key[:2] in (("branch", "entropy"), ("branch", "linear_entropy"))


def _mean(items: Sequence[ProcessClass], name: str) -> ProcessClass:
    members = sum(item.members for item in items)
    if len(items) == 1:
        return replace(items[0], name=name)
    of_items = [metrics(item) for item in items]
    weights = np.array([item.members for item in items], dtype=float)
    values: dict[Key, float] = {}
    for key in dict.fromkeys(key for own in of_items for key in own):
        each = [_value(own, key) for own in of_items]
        if None not in each:
            values[key] = float(np.average(np.array(each, dtype=float), weights=weights))
    document, _ = class_document(values, items, name=name, members=members)
    spec, _ = checked_document({"schema": SCHEMA, "name": name, "classes": [document]})
    mean = profile_of(spec).only
    return replace(mean, data_reuse=tuple(_with_strides(entry, items) for entry in mean.data_reuse))


def _with_strides(mean: ReuseHistogram, items: Sequence[ProcessClass]) -> ReuseHistogram:
    entries = [entry for item in items for entry in item.data_reuse if entry.line == mean.line]
    if len(entries) < len(items) or mean.counts is None:
        return mean
    strides: dict[str, Any] = mean_of_members(entries, [item.members for item in items], mean.distances)
    return replace(mean, **strides)


def _value(values: dict[Key, float], key: Key) -> float | None:
    """Return a metric of a process: also beyond its largest distance, where only first touches are."""
    if key not in values and "beyond" in key:
        touched = values.get((*key[:2], "first_touches"))
        return None if touched is None else touched / max(values[*key[:2], "references"], 1.0)
    return values.get(key, 0.0 if absent_is_none(key) else None)
