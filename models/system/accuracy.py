"""How well the model of whole machines met measured run times (Anghel 2017, Section 6.3).

Only these accuracies are printed, no times, and all are of small machines: 4 to 64 processes.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from dse.authoring.declaration import RelativeError
from dse.models.system.inputs import THESIS

__all__ = ["GRAPH_500_ACCURACY", "LU_ACCURACY", "RUN_TIME", "Accuracy"]


class Accuracy(NamedTuple):
    """Accuracy of the run time on one machine in percent, and the least correlation with the measured times.

    Accuracy is 1 - mean of |model - measured| / measured over the configurations.
    """

    topology: str
    machine: str
    mean: float
    largest: float
    smallest: float
    correlation: float | None


GRAPH_500_ACCURACY: tuple[Accuracy, ...] = (
    Accuracy("2-level fat tree", "Eagle", 73.14, 77, 59, 0.99),
    Accuracy("3-level fat tree", "Eagle", 64.66, 76, 42, 0.98),
    Accuracy("full mesh", "Magnus", 90.80, 99.7, 76, 0.98),
    Accuracy("2-D HyperX", "Magnus", 89.31, 90, 72, 0.98),
    Accuracy("1-D torus", "Blue Gene/Q", 95.41, 99.6, 93.2, None),
    Accuracy("2-D torus", "Blue Gene/Q", 84.82, 99.5, 17, 0.99),
    Accuracy("3-D torus", "Blue Gene/Q", 67.5, 98.7, 21, 0.95),
)
"""Table 6.1: scales 16 to 21, 16 edges per vertex, 4 to 64 processes."""

LU_ACCURACY: tuple[Accuracy, ...] = (
    Accuracy("2-level fat tree", "Eagle", 82.4, 92, 67, 0.99),
    Accuracy("3-level fat tree", "Eagle", 72.3, 87, 34, 0.99),
    Accuracy("full mesh", "Magnus", 78.7, 99, 46, 0.95),
    Accuracy("2-D HyperX", "Magnus", 82.0, 99, 47, 0.94),
)
"""Table 6.3: NAS LU of sizes 36, 64, 102 and 162."""

RUN_TIME = RelativeError(
    mean=1.0 - fmean(row.mean for row in GRAPH_500_ACCURACY) / 100.0,
    of=f"the run time of Graph 500, 4 to 64 processes on {len(GRAPH_500_ACCURACY)} topologies ({THESIS}, Table 6.1)",
)
"""Mean error over the rows of Table 6.1."""
