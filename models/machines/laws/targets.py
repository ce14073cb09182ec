"""What is hoped for of the laws beyond the acceptance, and whether it is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dse.models.machines.laws.comparison import KNOWN, NEW, Answer, Judged, Stratum, rank_correlation, strata
from dse.models.machines.laws.laws import fitted

__all__ = ["Target", "efficiencies", "order_of_devices", "targets"]

_CLOSE = 0.05  # efficiencies of devices that are nearer than this have no order
_NO_PAIR = f"{KNOWN}, without A100"

_MEANS = (
    ("rate", KNOWN, 0.07),
    ("rate", _NO_PAIR, 0.045),
    ("power", KNOWN, 0.095),
    ("power", _NO_PAIR, 0.05),
    ("efficiency", KNOWN, 0.045),
    ("efficiency", _NO_PAIR, 0.03),
    ("gradient", KNOWN, 0.04),
    ("gradient", "all", 0.17),
)
_FACTORS = (("efficiency", KNOWN, 1.8), ("gradient", "all", 1.5))
_BANDS = (("rate", 7, 8), ("efficiency", 5, 7))
_CORRELATION = 0.95


@dataclass(frozen=True)
class Target:
    """One target: `found` is to be at most (or at least) the limit; None where too few machines tell."""

    law: str
    what: str
    limit: float
    found: float | None
    least: bool = False
    percent: bool = True

    @property
    def reached(self) -> bool | None:
        """Whether it is reached."""
        if self.found is None:
            return None
        return self.found >= self.limit if self.least else self.found <= self.limit


def targets(judgements: Sequence[Judged], answers: Sequence[Answer]) -> list[Target]:
    """Return every target of the project's own table."""
    by_name = {(stratum.law, stratum.name): stratum for stratum in strata(judgements)}
    result = [Target(law, f"mean error, {name}", limit, _mean(by_name.get((law, name)))) for law, name, limit in _MEANS]
    for law, name, factor in _FACTORS:
        stratum = by_name.get((law, name))
        ratio = stratum.class_mean / stratum.mean if stratum else None
        what = f"mean error of one constant per class over the law's, {name}"
        result.append(Target(law, what, factor, ratio, least=True, percent=False))
    for law, least, of in _BANDS:
        stratum = by_name.get((law, NEW))
        what = f"within two standard errors, {NEW}, of {of}"
        result.append(Target(law, what, least, stratum.within_two if stratum else None, least=True, percent=False))
    pairs = efficiencies(answers)
    measured, computed = ([pair[at] for pair in pairs.values()] for at in (0, 1))
    correlation = rank_correlation(measured, computed)
    result.append(Target("efficiency", "rank correlation", _CORRELATION, correlation, least=True, percent=False))
    wrong = order_of_devices(judgements)
    result.append(Target("efficiency", "pairs of devices in the wrong order", 0, float(len(wrong)), percent=False))
    return result


def _mean(stratum: Stratum | None) -> float | None:
    return stratum.mean if stratum else None


def efficiencies(answers: Sequence[Answer]) -> dict[str, tuple[float, float]]:
    """Return operations per second and watt of each machine: measured, and by laws without it."""
    by_figure: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        if answer.computed is not None and answer.published is not None:
            by_figure.setdefault(answer.figure.name, {})[answer.machine.name] = answer
    rates, powers = by_figure.get("linpack", {}), by_figure.get("power", {})
    per_watt = {}
    for name in rates.keys() & powers.keys():
        rate, power = rates[name], powers[name]
        per_watt[name] = (rate.published / power.published, rate.computed / power.computed)  # type: ignore[operator]
    return {rate.machine.name: per_watt[rate.machine.name] for rate in rates.values() if rate.machine.name in per_watt}


def order_of_devices(judgements: Sequence[Judged]) -> list[tuple[str, str]]:
    """Return the pairs of devices with two machines each whose efficiencies the laws put in the wrong order.

    Efficiency of a device: geometric mean over its machines of rate over power; pairs closer than 5 % have no order.
    The laws are those of all machines, as designs get them.
    """
    laws = fitted()
    groups: dict[str, list[tuple[float, float]]] = {}
    for judged in judgements:
        if judged.law == "efficiency" and judged.known:
            machine = judged.machine
            measured = machine.linpack_flop_rate / machine.power  # type: ignore[operator]
            given = measured * math.exp(laws.shares(machine).efficiency) / judged.measured
            groups.setdefault(machine.device, []).append((math.log(measured), math.log(given)))
    means = {device: tuple(sum(x) / len(own) for x in zip(*own, strict=True)) for device, own in groups.items()}
    means = {device: mean for device, mean in means.items() if len(groups[device]) > 1}
    wrong = []
    for device, (measured, given) in means.items():
        for other, (measured_other, given_other) in means.items():
            clear = measured - measured_other > math.log1p(_CLOSE)
            if clear and given <= given_other:
                wrong.append((device, other))
    return wrong
