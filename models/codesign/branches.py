"""Branches at a point of laws: the entropy of the next outcome, and histories that the trace there is too short for."""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.authoring.declare.requirement import requirement
from dse.errors import InputError, one_of
from dse.models.branches.entropy import miss_rate
from dse.models.branches.trace_length import max_history
from dse.models.codesign.points import each_point
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_ENTROPY = f"{ANGHEL_2017}, Eqs. 3.3, 4.11 and 4.12: the rate whose entropy is that of the next outcome"

long_enough = requirement(
    "branch_history <= longest_history",
    name="history",
    source=f"{ANGHEL_2017}, Section 4.4: a trace is long enough for the histories that are counted in it",
    doc="the rank runs enough branches for the history",
)


@quantity(
    unit="1", name="branch_miss_estimate", source=_ENTROPY, slot="branch_estimate", provider="entropy", points_only=True
)
def entropy_at_point(profile, branch_history, run_processes, problem_size, problem_size_2):
    """Mispredictions per control instruction of a predictor that knows so many past outcomes."""
    return each_point((profile,), (run_processes, problem_size, problem_size_2), _rates, branch_history)


@quantity(unit="1", source=_ENTROPY, slot="branch_estimate", provider="entropy", points_only=True)
def longest_history(profile, run_processes, problem_size, problem_size_2):
    """Bits of history that the branches of a rank are enough for."""
    return each_point((profile,), (run_processes, problem_size, problem_size_2), _longest)


def _rates(profile, branch_history):
    item = profile.only
    known = {} if item.branch is None else dict(item.branch.entropy)
    wanted = np.asarray(branch_history, dtype=float)
    for history in np.unique(wanted).tolist():
        if history not in known:
            raise InputError(
                f"'{profile.name}' has no branch entropy for {history:g} bits of history",
                key="branch_history",
                allowed=one_of(map(str, sorted(known))) if known else "another use.branch_estimate",
            )
    entropy = np.array([known[int(history)] for history in wanted.reshape(-1)], dtype=float).reshape(wanted.shape)
    control = item.count("control")
    share = item.branch.events / control if item.branch.conditional_only and control else 1.0
    return miss_rate(entropy) * share


def _longest(profile):
    branch = profile.only.branch
    return np.full(1, float(max_history(branch.events)) if branch is not None else 0.0)
