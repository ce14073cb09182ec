"""Mispredictions that a profile lets expect, by the ways it may know them.

The slot ``branch_estimate`` takes the best rate the profile itself names (``profile``, the default), the entropy of
the next outcome for a predictor with so many bits of history (``entropy``), the rate of a predictor that foretells
the more frequent outcome (``max-outcome``), or the 3 % of the thesis for any program (``constant``). A factor fitted
to the machine (`branch_factor`) comes on top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declaration import parameter, quantity
from dse.errors import InputError, one_of
from dse.models.branches.entropy import miss_rate
from dse.models.branches.trace_length import max_history
from dse.models.processor.independent import BRANCH_MISS_RATE
from dse.models.sources import ANGHEL_2017
from dse.models.workload.profile import Branch, ProcessClass

__all__: list[str] = []

branch_history = parameter(
    unit="1", doc="Bits of past outcomes the branch predictor knows", minimum=0, maximum=64, integer=True
)

_NAME = "branch_miss_estimate"
_SLOT = "branch_estimate"


_CONSTANT = f'branch_estimate = "constant" ({BRANCH_MISS_RATE:.0%} of the control instructions of any program)'


def _branch(process_class: ProcessClass) -> Branch:
    if process_class.branch is None:
        raise InputError("the profile knows nothing of branches", key="use.branch_estimate", allowed=[_CONSTANT])
    return process_class.branch


def _entropies(branch: Branch) -> dict[int, float]:
    return dict(branch.entropy)


def _max_outcomes(branch: Branch) -> dict[int, float]:
    return {one.history: one.miss_rate for one in branch.max_outcome if one.table is None}


def _ways_out(branch: Branch) -> list[str]:
    """Return the estimates that can be made without a rate the profile itself names."""
    found, longest = [_CONSTANT], float(max_history(branch.events))
    for name, histories in (("entropy", _entropies(branch)), ("max-outcome", _max_outcomes(branch))):
        known = [history for history in histories if history <= longest]
        if known:
            found.append(f'"{name}" with a branch_history of {min(known)} to {max(known)} bits')
    return found


def _per_control(process_class: ProcessClass, rate: Any) -> Any:
    """Return mispredictions per control instruction from those per event of the profile."""
    branch, control = _branch(process_class), process_class.count("control")
    if branch.conditional_only and control:
        return rate * branch.events / control
    return rate


@quantity(
    unit="1",
    name=_NAME,
    source=f"{ANGHEL_2017}, Section 4.4: the best estimate of the profile",
    slot=_SLOT,
    provider="profile",
    default=True,
    points_only=True,
)
def best_of_profile(profile):
    """Mispredictions per control instruction that the profile names."""
    rate = _branch(profile.only).tool_miss_rate
    if rate is None:
        raise InputError(
            f"the profile '{profile.name}' names no misprediction rate",
            key="use.branch_estimate",
            allowed=_ways_out(_branch(profile.only)),
        )
    return np.array([_per_control(profile.only, rate)])


def _of_history(histories: dict[int, float], branch_history: Any, what: str, events: int) -> np.ndarray:
    wanted = np.asarray(branch_history, dtype=float)
    longest = float(max_history(events))
    for history in np.unique(wanted).tolist():
        if history not in histories:
            usable = sorted((one for one in histories if one <= longest), key=lambda one: (abs(one - history), one))
            raise InputError(
                f"the profile has no {what} for {history:g} bits of history",
                key="branch_history",
                allowed=f"{one_of(map(str, usable), limit=6)} (nearest first)" if usable else None,
            )
        if history > longest:
            raise InputError(
                f"{history:g} bits of history need a longer trace than {events:,} branches",
                key="branch_history",
                allowed=f"at most {longest:g}",
            )
    found = [histories[int(history)] for history in wanted.reshape(-1)]
    return np.array(found, dtype=float).reshape(wanted.shape)


@quantity(
    unit="1",
    name=_NAME,
    source=f"{ANGHEL_2017}, Eqs. 3.3, 4.11 and 4.12: the rate whose entropy is that of the next outcome",
    slot=_SLOT,
    provider="entropy",
    points_only=True,
)
def of_entropy(profile, branch_history):
    """Mispredictions per control instruction of a predictor that knows so many past outcomes."""
    branch = _branch(profile.only)
    entropy = _of_history(_entropies(branch), branch_history, "branch entropy", branch.events)
    return _per_control(profile.only, miss_rate(entropy))


@quantity(
    unit="1",
    name=_NAME,
    source=f"{ANGHEL_2017}, Section 4.4.4: the more frequent outcome after each history, unlimited table",
    slot=_SLOT,
    provider="max-outcome",
    points_only=True,
)
def of_max_outcome(profile, branch_history):
    """Mispredictions per control instruction of a predictor that foretells the more frequent outcome."""
    branch = _branch(profile.only)
    found = _of_history(_max_outcomes(branch), branch_history, "max-outcome rate", branch.events)
    return _per_control(profile.only, found)


@quantity(
    unit="1", name=_NAME, source=f"{ANGHEL_2017}, Section 4.2.1: 3 % for any program", slot=_SLOT, provider="constant"
)
def constant_rate():
    """Mispredictions per control instruction: the same for every program."""
    return np.array([BRANCH_MISS_RATE])
