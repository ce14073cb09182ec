"""Branches: how well outcomes can be predicted, from entropy, from counts of what follows each history, and measured.

After Anghel 2017, Sections 3.3.4 and 4.4, with its history limit corrected. A *history* is the number of past outcomes
a predictor knows; everything else (which row of a profile, which label of a tool) is converted to it.

All functions take traces or counts, and run before a search; `miss_rate`, `predictor_miss_rate`,
`Calibration.miss_rate`, `binary_entropy` and `entropy_bias` take arrays over designs, and ranges.
"""

from dse.models.branches.calibration import (
    CONSTANT_MISS_RATE,
    HASWELL,
    Calibration,
    MissRate,
    best_history,
    best_miss_rate,
    fit,
)
from dse.models.branches.entropy import (
    binary_entropy,
    block_entropy,
    branch_entropy,
    local_branch_entropy,
    miss_rate,
    tool_miss_rate,
)
from dse.models.branches.histories import HistoryCounts, history_counts
from dse.models.branches.linear_entropy import counts_linear_entropy, linear_entropy, predictor_miss_rate
from dse.models.branches.max_outcome import counts_miss_rate, max_outcome_miss_rate
from dse.models.branches.trace_length import (
    entropy_bias,
    max_history,
    miller_madow_entropy,
    published_max_history,
    tool_history,
)

__all__ = [
    "CONSTANT_MISS_RATE",
    "HASWELL",
    "Calibration",
    "HistoryCounts",
    "MissRate",
    "best_history",
    "best_miss_rate",
    "binary_entropy",
    "block_entropy",
    "branch_entropy",
    "counts_linear_entropy",
    "counts_miss_rate",
    "entropy_bias",
    "fit",
    "history_counts",
    "linear_entropy",
    "local_branch_entropy",
    "max_history",
    "max_outcome_miss_rate",
    "miller_madow_entropy",
    "miss_rate",
    "predictor_miss_rate",
    "published_max_history",
    "tool_history",
    "tool_miss_rate",
]
