"""Every machine of a table beside what laws give that were fitted without it: errors, strata, bands, targets.

A machine of another table is judged by the laws of the project's table, one of the same name left out. Errors of a
*law* are of the share it gives; those of a *figure* are of what the whole model makes of the share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.figures import FIGURES, GRADIENT, LINPACK, Figure, alone, missing, predicted
from dse.models.machines.laws.core_laws import observed_cores
from dse.models.machines.laws.laws import observed, without
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares

__all__ = [
    "ACCEPTED",
    "KNOWN",
    "LAWS",
    "NEW",
    "STRATA",
    "UNSURE",
    "Answer",
    "Judged",
    "Stratum",
    "answers",
    "judged",
    "rank_correlation",
    "strata",
]

ACCEPTED = {"linpack": 0.25, "power": 0.35, "hpcg": 1.0}
"""Largest error of a machine by figure; HPCG: between half and twice the published one."""

UNSURE = 0.6
"""Of a machine of which the list describes other nodes than ran, where the list's peak rate is the base."""

LAWS = ("rate", "power", "efficiency", "gradient")
"""What the laws give: shares of peak rate, rated power, rated efficiency, and of memory bandwidth in HPCG."""

KNOWN, NEW = "device known", "device first seen"
"""Whether another machine with the device has the figure, or only machines of its class have."""

_WITHOUT = "A100"  # two operating points 30 % and more apart, which nobody can predict
STRATA = ("all", KNOWN, f"{KNOWN}, without {_WITHOUT}", NEW)


@dataclass(frozen=True)
class Judged:
    """One law's share of one machine, by laws fitted without the machine.

    Attributes
    ----------
    machine : Machine
    law : str
        One of `LAWS`.
    known : bool
        Whether another machine with the device has the figure.
    share, measured : float
        The share, by law and as measured.
    by_class, by_device : float
        By one constant per class, and by one per device without shrinkage (of the class where the device is new).
    standard_error : float
        Of the logarithm of the share: of the device (the class of a new one), and of one more machine with it.
    """

    machine: Machine
    law: str
    known: bool
    share: float
    measured: float
    by_class: float
    by_device: float
    standard_error: float

    @property
    def error(self) -> float:
        """Relative error of the law."""
        return self.share / self.measured - 1.0

    @property
    def class_error(self) -> float:
        """Relative error of one constant per class."""
        return self.by_class / self.measured - 1.0

    @property
    def device_error(self) -> float:
        """Relative error of one constant per device."""
        return self.by_device / self.measured - 1.0

    @property
    def deviations(self) -> float:
        """Standard errors between law and measurement."""
        return math.log(self.share / self.measured) / self.standard_error


@dataclass(frozen=True)
class Answer:
    """One figure of one machine.

    `published`, `computed` (laws without the machine) and `fitted` (the project's laws) are in SI. Where something is
    missing, the latter two are None (and the first, where it is that); `note` says what.
    """

    machine: Machine
    figure: Figure
    known: bool
    published: float | None
    computed: float | None
    fitted: float | None
    note: str

    @property
    def error(self) -> float | None:
        """Relative error of the model by laws that do not know the machine."""
        return _error(self.computed, self.published)

    @property
    def fitted_error(self) -> float | None:
        """Relative error of the model as designs are judged by it."""
        return _error(self.fitted, self.published)

    @property
    def tolerance(self) -> float:
        """Largest error that is accepted."""
        return UNSURE if _of_other_nodes(self.machine, self.figure) else ACCEPTED[self.figure.name]


@dataclass(frozen=True)
class Stratum:
    """Mean absolute errors of one law over some machines, beside one constant per class and per device."""

    law: str
    name: str
    machines: int
    mean: float
    class_mean: float
    device_mean: float
    worst: float
    worst_machine: str
    within_two: int


def _error(computed: float | None, published: float | None) -> float | None:
    return None if computed is None or not published else computed / published - 1.0


def judged(machines: Sequence[Machine]) -> list[Judged]:
    """Judge every share of every machine by laws that do not know the machine, in the order of `LAWS`."""
    judgements = [_judge(shares) for shares in measured_shares(machines)]
    return [
        judged_share
        for law in LAWS
        for of_machine in judgements
        for judged_share in of_machine
        if judged_share.law == law
    ]


def _judge(shares: MeasuredShares) -> list[Judged]:
    laws = without(shares.machine.name)
    given = laws.shares(shares.machine)
    result = []
    for name in LAWS:
        measured = getattr(shares, name)
        if measured is None or (name in ("power", "efficiency") and shares.efficiency is None):
            continue
        known = laws.knows(name, shares.machine)
        by_class, by_device = _constants(shares.machine, name, _others(shares.machine, name))
        error = laws.standard_error(name, shares.machine)
        result.append(
            Judged(
                shares.machine,
                name,
                known,
                share=math.exp(getattr(given, name)),
                measured=math.exp(measured),
                by_class=math.exp(by_class),
                by_device=math.exp(by_device),
                standard_error=error,
            )
        )
    return result


def _others(machine: Machine, law: str) -> list[MeasuredShares]:
    """Return the machines that the law of a machine's kind is fitted on, without it."""
    pool = observed() if machine.accelerated or law == "gradient" else observed_cores()
    return [shares for shares in pool if shares.machine.name != machine.name]


def _class(machine: Machine, law: str) -> str:
    if law == "gradient":
        return "all"
    if machine.accelerated:
        return "accelerator"
    return machine.clock_class if law == "rate" else machine.power_class


def _constants(machine: Machine, law: str, others: Sequence[MeasuredShares]) -> tuple[float, float]:
    """Return the means of the logarithms of a class, and of a device where others have it."""
    of_both = law in ("power", "efficiency")
    having = [shares for shares in others if (shares.efficiency if of_both else getattr(shares, law)) is not None]
    alike = [getattr(shares, law) for shares in having if _class(shares.machine, law) == _class(machine, law)]
    same = [getattr(shares, law) for shares in having if shares.machine.device == machine.device]
    return float(np.mean(alike)), float(np.mean(same or alike))


def answers(machines: Sequence[Machine]) -> list[Answer]:
    """Compare every figure of every machine, in the order of `FIGURES`."""
    compared = []
    for figure in FIGURES:
        lacking = {machine.name: missing(machine, figure) for machine in machines}
        whole = [machine for machine in machines if not lacking[machine.name]]
        computed = _by_name(whole, _left_out(whole, figure)) if whole else {}
        fitted = _by_name(whole, predicted(whole, figure)) if whole else {}
        for machine in machines:
            compared.append(
                Answer(
                    machine,
                    figure,
                    _known(machine, figure),
                    getattr(machine, figure.measured),
                    computed.get(machine.name),
                    fitted.get(machine.name),
                    lacking[machine.name] or _unsure(machine, figure),
                )
            )
    return compared


def _by_name(machines: Sequence[Machine], values: np.ndarray) -> dict[str, float]:
    return dict(zip((machine.name for machine in machines), values.tolist(), strict=True))


def _law_of(figure: Figure) -> str:
    return "gradient" if figure is GRADIENT else "rate" if figure is LINPACK else "power"


def _known(machine: Machine, figure: Figure) -> bool:
    return without(machine.name).knows(_law_of(figure), machine)


def _left_out(machines: Sequence[Machine], figure: Figure) -> np.ndarray:
    shares = [getattr(without(machine.name).shares(machine), _law_of(figure)) for machine in machines]
    return predicted(machines, figure, alone(figure, np.exp(shares)))


def _of_other_nodes(machine: Machine, figure: Figure) -> bool:
    """Whether the base of a figure is a list's peak rate that may belong to other nodes than ran."""
    if machine.nodes is None or machine.listed_nodes is None or machine.whole or figure is GRADIENT:
        return False
    return machine.device_flop_rate is None


def _unsure(machine: Machine, figure: Figure) -> str:
    if figure is GRADIENT:
        if machine.gradient_nodes != machine.nodes and machine.gradient_nodes is not None:
            return f"HPCG ran on {machine.gradient_nodes:.0f} nodes"
        return ""
    unsure = []
    if machine.network is not None and not machine.network.known:
        unsure.append("its kind of network is not known and taken for a fat tree without taper")
    if not machine.cores_known and figure is LINPACK and machine.device_flop_rate is None:
        unsure.append("the list's cores are not known, and its peak rate is taken to be that of the nodes that ran")
    if _of_other_nodes(machine, figure):
        unsure.append(
            f"the list's cores are {machine.listed_nodes:.0f} nodes, and {machine.nodes:.0f} ran: wide tolerance, "
            f"{100 * UNSURE:g} %"
        )
    return "; ".join(unsure)


def strata(judgements: Sequence[Judged]) -> list[Stratum]:
    """Return mean errors of each law, by whether other machines have the device."""
    result = []
    for law in LAWS:
        for name in STRATA:
            inside = [
                judged_share
                for judged_share in judgements
                if judged_share.law == law and _counts(judged_share) and _in(judged_share, name)
            ]
            if inside:
                result.append(_stratum(law, name, inside))
    return result


def _counts(judged_share: Judged) -> bool:
    """Whether it counts: a machine that is blind, or came after the fit, is shown apart."""
    return not judged_share.machine.blind and not judged_share.machine.fit


def _in(judged_share: Judged, name: str) -> bool:
    if name == "all":
        return True
    if name == NEW:
        return not judged_share.known
    return judged_share.known and (name == KNOWN or judged_share.machine.device != _WITHOUT)


def _stratum(law: str, name: str, inside: Sequence[Judged]) -> Stratum:
    worst = max(inside, key=lambda judged_share: abs(judged_share.error))
    return Stratum(
        law=law,
        name=name,
        machines=len(inside),
        mean=_mean(judged_share.error for judged_share in inside),
        class_mean=_mean(judged_share.class_error for judged_share in inside),
        device_mean=_mean(judged_share.device_error for judged_share in inside),
        worst=abs(worst.error),
        worst_machine=worst.machine.name,
        within_two=sum(abs(judged_share.deviations) <= 2.0 for judged_share in inside),
    )


def _mean(errors: Iterable[float]) -> float:
    return float(np.mean(np.abs(list(errors))))


def rank_correlation(first: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's correlation of ranks, equal values at their mean rank; None for fewer than three pairs.

    Parameters
    ----------
    first, other : sequence of float
    """
    if len(first) < 3:
        return None
    ranks = [_ranks(np.asarray(values, dtype=float)) for values in (first, other)]
    centred = [rank - rank.mean() for rank in ranks]
    spread = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float((centred[0] * centred[1]).sum()) / spread if spread else None


def _ranks(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") - 1) / 2.0
