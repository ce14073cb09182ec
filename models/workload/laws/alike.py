"""The processes of every run as the same classes; where they are not, what would make them so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.errors import InputError
from dse.models.workload.extrapolation.process_classes import cluster, feature_names, features
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["gathered", "least_threshold"]


def gathered(profiles: Sequence[WorkloadProfile], threshold: float | None) -> list[WorkloadProfile]:
    """Return the runs with corresponding classes.

    Raises
    ------
    InputError
        Runs whose numbers of classes differ: the two runs, the metric that keeps processes apart, and the least
        threshold at which every run has one class.
    """
    clustered = [cluster(profile, threshold) if threshold is not None else profile for profile in profiles]
    counts = [len(profile.classes) for profile in clustered]
    if len(set(counts)) == 1:
        return clustered
    fewest, most = clustered[int(np.argmin(counts))], clustered[int(np.argmax(counts))]
    needed = [least_threshold(profile) for profile in profiles]
    least, metric = max(needed)
    rounded = float(f"{least * 1.005:.2g}")
    rounded = rounded if rounded >= least else float(f"{least * 1.1:.2g}")
    raise InputError(
        f"{most.file or most.name} has {max(counts)} classes of processes, and {fewest.file or fewest.name} "
        f"{min(counts)}; {metric} keeps them apart",
        key="--cluster",
        allowed=f"a threshold of at least {rounded:g}, at which every run has one class",
    )


def least_threshold(profile: WorkloadProfile) -> tuple[float, str]:
    """Return the least threshold at which a run has one class, and the metric in which its processes differ most."""
    items = list(profile.classes)
    if len(items) < 2:
        return 0.0, ""
    rows = features(items)
    spread = np.ptp(rows, axis=0)
    place = int(np.argmax(spread))
    return float(spread[place]), feature_names(items)[place]
