"""How well the model of whole machines met measured run times (Anghel 2017, Section 6.3).

Only accuracies are printed, no times, and all are of small machines: 4 to 64 processes. The claims have every one.
"""

from __future__ import annotations

from statistics import fmean

from dse.authoring.declare.declaration import RelativeError
from dse.models.sources import ANGHEL_2017

__all__ = ["RUN_TIME"]

_MEAN_ACCURACIES = (73.14, 64.66, 90.80, 89.31, 95.41, 84.82, 67.5)
"""Table 6.1 in percent, one per topology: scales 16 to 21, 16 edges per vertex, 4 to 64 processes."""

RUN_TIME = RelativeError(
    mean=1.0 - fmean(_MEAN_ACCURACIES) / 100.0,
    of=f"the run time of Graph 500, 4 to 64 processes on {len(_MEAN_ACCURACIES)} topologies ({ANGHEL_2017}, Table 6.1)",
)
"""Mean error over the rows of Table 6.1."""
