"""Mispredictions that a profile lets expect, by the ways it may know them.

The slot ``branch_estimate`` takes the best rate the profile itself names (``profile``, the default), the entropy of
the next outcome for a predictor with so many bits of history (``entropy``), the rate of a predictor that foretells
the more frequent outcome (``max-outcome``), or the 3 % of the thesis for any program (``constant``). A factor fitted
to the machine (`branch_factor`) comes on top. ``max-outcome`` knows the table of the predictor (`branch_table`) where
the profile has rates of such tables; entropy sees none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.errors import InputError, one_of
from dse.models.branches.entropy import miss_rate
from dse.models.branches.table_size import table_miss_rate, table_range_factor
from dse.models.branches.trace_length import max_history
from dse.models.processor.core.independent import BRANCH_MISS_RATE
from dse.models.sources import ANGHEL_2017
from dse.models.workload.profile.profile import Branch, ProcessClass

__all__: list[str] = []

branch_history = parameter(
    unit="1", doc="Bits of past outcomes the branch predictor knows", minimum=0, maximum=64, integer=True
)

branch_table = assumption(
    0,
    unit="1",
    source=f"{ANGHEL_2017}, Section 4.4.4: a table that holds every history",
    doc="Entries of the table of the branch predictor, a power of two; 0: unlimited",
    minimum=0,
    integer=True,
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
    return {outcome.history: outcome.miss_rate for outcome in branch.max_outcome if outcome.table is None}


def _ways_out(branch: Branch) -> list[str]:
    """Return the estimates that can be made without a rate the profile itself names."""
    estimates, longest = [_CONSTANT], float(max_history(branch.events))
    for name, histories in (("entropy", _entropies(branch)), ("max-outcome", _max_outcomes(branch))):
        known = [history for history in histories if history <= longest]
        if known:
            estimates.append(f'"{name}" with a branch_history of {min(known)} to {max(known)} bits')
    return estimates


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


def _refuse_too_long(history: float, events: int) -> None:
    longest = float(max_history(events))
    if history > longest:
        raise InputError(
            f"{history:g} bits of history need a longer trace than {events:,} branches",
            key="branch_history",
            allowed=f"at most {longest:g}",
        )


def _of_history(histories: dict[int, float], branch_history: Any, what: str, events: int) -> np.ndarray:
    wanted = np.asarray(branch_history, dtype=float)
    longest = float(max_history(events))
    for history in np.unique(wanted).tolist():
        if history not in histories:
            usable = sorted(
                (length for length in histories if length <= longest),
                key=lambda length: (abs(length - history), length),
            )
            raise InputError(
                f"the profile has no {what} for {history:g} bits of history",
                key="branch_history",
                allowed=f"{one_of(map(str, usable), limit=6)} (nearest first)" if usable else None,
            )
        _refuse_too_long(history, events)
    of_histories = [histories[int(history)] for history in wanted.reshape(-1)]
    return np.array(of_histories, dtype=float).reshape(wanted.shape)


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


def _tables(branch: Branch, history: float) -> tuple[dict[int, float], float]:
    """Return the rates of the limited tables with a history, by their entries, and that of the unlimited one."""
    by_rule: dict[str, dict[int, float]] = {}
    for outcome in branch.max_outcome:
        if outcome.table is not None and outcome.history == history:
            by_rule.setdefault(outcome.rule, {})[outcome.table] = outcome.miss_rate
    if not by_rule:
        known = sorted({outcome.history for outcome in branch.max_outcome if outcome.table is not None})
        raise InputError(
            f"the profile has no max-outcome rate of a limited table for {history:g} bits of history",
            key="branch_table",
            allowed=f"0 (unlimited), or a branch_history of {one_of(map(str, known), limit=6)}"
            if known
            else "0 (unlimited): it has rates of unlimited tables only",
        )
    unlimited = {
        outcome.rule: outcome.miss_rate
        for outcome in branch.max_outcome
        if outcome.table is None and outcome.history == history
    }
    rules = [rule for rule in by_rule if rule in unlimited] or list(by_rule)
    if len(rules) > 1:
        raise InputError(
            f"the profile has max-outcome rates of limited tables by several rules for {history:g} bits of history",
            key="branch_table",
            allowed=f"a profile with one of {one_of(rules)}",
        )
    return by_rule[rules[0]], unlimited.get(rules[0], 0.0)


@quantity(
    unit="1",
    source="ours: measured tables tell little about much smaller and much larger ones",
    slot=_SLOT,
    provider="max-outcome",
    points_only=True,
)
def branch_table_mismatch(profile, branch_history, branch_table):
    """How many times smaller or larger the table is than the nearest one of the profile; 1 between those it has."""
    histories, entries = np.broadcast_arrays(branch_history, branch_table)
    mismatch = np.ones(entries.shape)
    for history in np.unique(histories[entries > 0]).tolist():
        at = (entries > 0) & (histories == history)
        mismatch[at] = table_range_factor(_tables(_branch(profile.only), history)[0], entries[at])
    return mismatch


@quantity(
    unit="1",
    name=_NAME,
    source=f"{ANGHEL_2017}, Section 4.4.4: the more frequent outcome after each history; between the tables of the "
    "profile linear in the logarithm of their entries (ours)",
    slot=_SLOT,
    provider="max-outcome",
    valid={"branch_table_mismatch": (1.0, 1.0)},
    points_only=True,
)
def of_max_outcome(profile, branch_history, branch_table, branch_table_mismatch):
    """Mispredictions per control instruction of a predictor that foretells the more frequent outcome."""
    branch = _branch(profile.only)
    histories, entries = np.broadcast_arrays(np.asarray(branch_history, dtype=float), branch_table)
    rates_of_designs, unlimited = np.empty(entries.shape), entries == 0
    rates_of_designs[unlimited] = _of_history(
        _max_outcomes(branch), histories[unlimited], "max-outcome rate", branch.events
    )
    for history in np.unique(histories[~unlimited]).tolist():
        at = ~unlimited & (histories == history)
        rates, least = _tables(branch, history)
        _refuse_too_long(history, branch.events)
        rates_of_designs[at] = table_miss_rate(rates, entries[at], least)
    return _per_control(profile.only, rates_of_designs)


@quantity(
    unit="1",
    source="a counter of two bits in each entry, as in the predictors of the time",
    slot=_SLOT,
    provider="max-outcome",
    points_only=True,
)
def branch_table_bits(branch_table):
    """Bits of the predictor's table: for area and leakage only."""
    if np.any(np.asarray(branch_table) == 0):
        raise InputError("an unlimited table has no size", key="branch_table", allowed="a power of two")
    return 2.0 * branch_table


@quantity(
    unit="1", name=_NAME, source=f"{ANGHEL_2017}, Section 4.2.1: 3 % for any program", slot=_SLOT, provider="constant"
)
def constant_rate():
    """Mispredictions per control instruction: the same for every program."""
    return np.array([BRANCH_MISS_RATE])
