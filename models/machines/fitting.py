"""Fitting the constants of the classes, and of the naive laws, on the training half; choosing between structures there.

A constant is the median of the values that would make each machine of its class exact, of an even number the lower of
the two in the middle: it needs no optimiser, one odd machine does not move it, and of two it is the one that errs to
the smaller side, where relative errors are bounded. The naive laws are fitted by the same rule on the same machines.

How many classes a figure has was chosen within the training half, leaving out one machine at a time (`structures`): the
simplest structure within one standard error of the best (`simplest`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dse.models.machines.catalogue import Machine, catalogue
from dse.models.machines.figures import FIGURES, Figure, figure_of, missing, predicted
from dse.models.machines.train_test_split import class_of, half_of

__all__ = ["DIGITS", "Structure", "fit", "naive_constant", "simplest", "structures", "training_machines"]

DIGITS = 4
"""Decimals of a constant."""

_LOWEST, _HIGHEST = 1e-3, 1e2  # between them a constant is searched for
_HALVINGS = 60

Grouping = Callable[[Machine], str]


class Structure(NamedTuple):
    """A way to group machines, and how good it is on the training half.

    Attributes
    ----------
    name : str
    constants : int
        Groups with a constant of their own.
    error, standard_error : float
        Mean error of each machine of the training half when its group is fitted without it, and how sure it is.
    """

    name: str
    constants: int
    error: float
    standard_error: float


def _one(machine: Machine) -> str:
    return "all machines"


def _accelerated(machine: Machine) -> str:
    return "accelerated" if machine.accelerated else "processors"


def _cores(machine: Machine) -> str:
    return "accelerated" if machine.accelerated else class_of(machine)


GROUPINGS: Mapping[str, Grouping] = {
    "one constant": _one,
    "accelerated or not": _accelerated,
    "narrow cores, wide cores, accelerated": _cores,
    "narrow cores, wide cores, accelerators, superchips": class_of,
}
"""Structures that were tried, the simplest first."""

CHOSEN: Mapping[str, Grouping] = {"linpack": _cores, "power": _accelerated, "hpcg": _one}
"""By figure: the structure of the functions in `classes`."""

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "linpack": ("narrow cores", "wide cores", "accelerated"),
    "power": ("processors", "accelerated"),
    "hpcg": ("all machines",),
}


def training_machines(figure: Figure) -> list[Machine]:
    """Return the machines of the training half that have a figure and all that it needs."""
    return [machine for machine in catalogue() if half_of(machine) == "training" and not missing(machine, figure)]


def fit() -> dict[str, float]:
    """Return every constant of the classes, by the name of its assumption, fitted on the training half."""
    found = {}
    for figure in FIGURES:
        machines = training_machines(figure)
        groups = _groups(machines, figure, CHOSEN[figure.name])
        for constant, group in zip(figure.constants, _GROUPS[figure.name], strict=True):
            found[constant] = round(groups[group], DIGITS)
    return found


def naive_constant(figure: Figure, machines: Sequence[Machine]) -> float:
    """Return the constant of the naive law: the lower median over some machines."""
    published, factor = _published(machines, figure), np.array([figure.naive(machine) for machine in machines])
    return _lower_median(published / factor)


def structures(figure: Figure, **assumptions: float) -> list[Structure]:
    """Return how good each structure is on the training half, one machine left out at a time.

    Parameters
    ----------
    figure : Figure
    **assumptions : float
        Other values of assumptions of the model, such as no power of the network.
    """
    machines = training_machines(figure)
    found = []
    for name, grouping in GROUPINGS.items():
        errors = []
        for machine in machines:
            others = [other for other in machines if other is not machine]
            alike = [other for other in others if grouping(other) == grouping(machine)] or others
            constant = _fitted(alike, figure, assumptions)
            errors.append(abs(_relative([machine], figure, np.array([constant]), assumptions)[0]))
        deviation = float(np.std(errors, ddof=1) / np.sqrt(len(errors)))
        groups = len({grouping(machine) for machine in machines})
        found.append(Structure(name, groups, float(np.mean(errors)), deviation))
    return found


def _lower_median(values: np.ndarray) -> float:
    return float(np.sort(values)[(len(values) - 1) // 2])


def simplest(found: Sequence[Structure]) -> Structure:
    """Return the structure with the fewest constants within one standard error of the best, the usual rule."""
    best = min(found, key=lambda one: one.error)
    good = [one for one in found if one.error <= best.error + best.standard_error]
    return min(good, key=lambda one: one.constants)


def _groups(machines: Sequence[Machine], figure: Figure, grouping: Grouping) -> dict[str, float]:
    names = dict.fromkeys(grouping(machine) for machine in machines)
    return {name: _fitted([machine for machine in machines if grouping(machine) == name], figure, {}) for name in names}


def _fitted(machines: Sequence[Machine], figure: Figure, assumptions: Mapping[str, float]) -> float:
    return _lower_median(_exact(machines, figure, assumptions))


def _exact(machines: Sequence[Machine], figure: Figure, assumptions: Mapping[str, float]) -> np.ndarray:
    """Return the constant that makes each machine exact: by halving, because every figure grows with its constant."""
    low, high = np.full(len(machines), _LOWEST), np.full(len(machines), _HIGHEST)
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        more = _relative(machines, figure, middle, assumptions) < 0.0
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.sqrt(low * high)


def _relative(
    machines: Sequence[Machine], figure: Figure, constants: np.ndarray, assumptions: Mapping[str, float]
) -> np.ndarray:
    """Return the error of each machine with a constant of its own, whatever its class."""
    given: dict[str, np.ndarray] = dict.fromkeys(figure.constants, constants)
    given |= {name: np.full(1, value) for name, value in assumptions.items()}
    return predicted(machines, figure, given) / _published(machines, figure) - 1.0


def _published(machines: Sequence[Machine], figure: Figure) -> np.ndarray:
    return figure_of(machines, figure.measured)
