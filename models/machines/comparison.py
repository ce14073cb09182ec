"""Every machine of a table beside the model and beside the naive laws: errors, means, rank correlations, targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.models.machines.catalogue import Machine
from dse.models.machines.figures import FIGURES, Figure, missing, predicted
from dse.models.machines.fitting import naive_constant, training_machines
from dse.models.machines.train_test_split import half_of

__all__ = [
    "ACCEPTED",
    "GROUPS",
    "LARGEST",
    "LARGEST_MEAN",
    "LEAST_CORRELATION",
    "Answer",
    "Summary",
    "Target",
    "answers",
    "rank_correlation",
    "summaries",
]
__all__ += ["targets"]

ACCEPTED = {"linpack": 0.25, "power": 0.35, "hpcg": 1.0}
"""Largest error of a machine by figure; HPCG: between half and twice the published one."""

UNSURE = 0.6
"""Of a machine of which the list describes other nodes than ran."""

GROUPS = ("all", "training", "held out")


LARGEST_MEAN = {"linpack": 0.15, "power": 0.20, "hpcg": 0.30}
LARGEST = 0.60
LEAST_CORRELATION = 0.9
"""Targets for the machines of a table, with less mean error than the naive laws have."""


@dataclass(frozen=True)
class Answer:
    """One figure of one machine.

    `published`, `computed` and `naive` are in SI. Where something is missing, the latter two are None (and the first,
    where it is that); `note` says what.
    """

    machine: Machine
    figure: Figure
    half: str
    published: float | None
    computed: float | None
    naive: float | None
    note: str

    @property
    def error(self) -> float | None:
        """Relative error of the model."""
        return _error(self.computed, self.published)

    @property
    def naive_error(self) -> float | None:
        """Relative error of the naive law."""
        return _error(self.naive, self.published)

    @property
    def tolerance(self) -> float:
        """Largest error that is accepted."""
        unsure = self.machine.nodes is not None and not self.machine.whole and self.figure.name != "hpcg"
        return UNSURE if unsure else ACCEPTED[self.figure.name]


@dataclass(frozen=True)
class Summary:
    """Errors of one figure over a group of machines; the naive law on the same machines."""

    figure: Figure
    group: str
    machines: int
    mean: float
    worst: float
    worst_machine: str
    rank_correlation: float | None
    naive_mean: float
    naive_worst: float
    naive_constant: float


@dataclass(frozen=True)
class Target:
    """What is hoped for beyond the acceptance."""

    figure: Figure
    what: str
    limit: float
    found: float | None
    reached: bool | None = field(default=None)


def _error(computed: float | None, published: float | None) -> float | None:
    return None if computed is None or not published else computed / published - 1.0


def answers(machines: Sequence[Machine]) -> list[Answer]:
    """Compare every figure of every machine, in the order of `FIGURES`."""
    found = []
    for figure in FIGURES:
        lacking = {machine.name: missing(machine, figure) for machine in machines}
        whole = [machine for machine in machines if not lacking[machine.name]]
        computed = (
            dict(zip((machine.name for machine in whole), predicted(whole, figure), strict=True)) if whole else {}
        )
        constant = naive_constant(figure, training_machines(figure))
        for machine in machines:
            there = machine.name in computed
            published = getattr(machine, figure.measured)
            found.append(
                Answer(
                    machine,
                    figure,
                    half_of(machine),
                    published,
                    float(computed[machine.name]) if there else None,
                    constant * figure.naive(machine) if there else None,
                    lacking[machine.name] or _unsure(machine, figure),
                )
            )
    return found


def _unsure(machine: Machine, figure: Figure) -> str:
    if figure.name == "hpcg":
        if machine.gradient_nodes != machine.nodes and machine.gradient_nodes is not None:
            return f"HPCG ran on {machine.gradient_nodes:.0f} nodes"
        return ""
    unsure = []
    if machine.network is not None and not machine.network.known:
        unsure.append("its kind of network is not known and taken for a fat tree without taper")
    if not machine.cores_known and figure.name == "linpack":
        unsure.append("the list's cores are not known, and its peak rate is taken to be that of the nodes that ran")
    if machine.nodes is not None and machine.listed_nodes is not None and not machine.whole:
        unsure.append(_of_other_nodes(machine))
    return "; ".join(unsure)


def _of_other_nodes(machine: Machine) -> str:
    return (
        f"the list's cores are {machine.listed_nodes:.0f} nodes, and {machine.nodes:.0f} ran: wide tolerance, "
        f"{100 * UNSURE:g} %"
    )


def summaries(found: Sequence[Answer]) -> list[Summary]:
    """Return means, worst errors and rank correlations of each figure, for all machines and for each half."""
    result = []
    for figure in FIGURES:
        constant = naive_constant(figure, training_machines(figure))
        for group in GROUPS:
            some = [a for a in found if a.figure is figure and a.error is not None and group in ("all", a.half)]
            if some:
                result.append(_summary(figure, group, some, constant))
    return result


def _summary(figure: Figure, group: str, some: Sequence[Answer], constant: float) -> Summary:
    errors = np.abs([answer.error for answer in some])  # type: ignore[arg-type]
    naive = np.abs([answer.naive_error for answer in some])  # type: ignore[arg-type]
    worst = int(np.argmax(errors))
    return Summary(
        figure=figure,
        group=group,
        machines=len(some),
        mean=float(errors.mean()),
        worst=float(errors[worst]),
        worst_machine=some[worst].machine.name,
        rank_correlation=rank_correlation([a.published for a in some], [a.computed for a in some]),
        naive_mean=float(naive.mean()),
        naive_worst=float(naive.max()),
        naive_constant=constant,
    )


def targets(found: Sequence[Summary]) -> list[Target]:
    """Return what is hoped for, and whether it is reached."""
    result = []
    for one in found:
        name = one.figure.name
        if one.group == "all":
            result += [
                _at_most(one.figure, "mean error", LARGEST_MEAN[name], one.mean),
                _at_most(one.figure, "worst error", LARGEST, one.worst),
                _correlation(one),
            ]
        others = [other for other in found if other.figure is one.figure and other.group == "training"]
        if one.group == "all" or (one.group == "held out" and others):
            what = f"mean error below the naive law's, {one.group} machines"
            result.append(Target(one.figure, what, one.naive_mean, one.mean, one.mean < one.naive_mean))
    return result


def _at_most(figure: Figure, what: str, limit: float, found: float) -> Target:
    return Target(figure, what, limit, found, found <= limit)


def _correlation(one: Summary) -> Target:
    found = one.rank_correlation
    reached = None if found is None else found >= LEAST_CORRELATION
    return Target(one.figure, "rank correlation", LEAST_CORRELATION, found, reached)


def rank_correlation(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Return Spearman's correlation of ranks, equal values at their mean rank; None for fewer than three pairs.

    Parameters
    ----------
    one, other : sequence of float
    """
    if len(one) < 3:
        return None
    ranks = [_ranks(np.asarray(values, dtype=float)) for values in (one, other)]
    centred = [rank - rank.mean() for rank in ranks]
    spread = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float((centred[0] * centred[1]).sum()) / spread if spread else None


def _ranks(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") - 1) / 2.0
