"""What a machine was measured to sustain: the shares that make the model of HPL, power and HPCG exact for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.figures import GRADIENT, LINPACK, POWER, Figure, alone, figure_of, missing, predicted

__all__ = ["MeasuredShares", "measured_shares"]

_LOWEST, _HIGHEST = 1e-3, 1e2  # between them a share is searched for
_HALVINGS = 60


@dataclass(frozen=True)
class MeasuredShares:
    """Natural logarithms of the shares of one machine, None where it was not measured or something lacks.

    Attributes
    ----------
    machine : Machine
    rate : float or None
        Share of the peak rate in products of matrices, h.
    power : float or None
        Power at HPL over rated power, p.
    gradient : float or None
        Share of the peak bandwidth in HPCG.
    """

    machine: Machine
    rate: float | None
    power: float | None
    gradient: float | None

    @property
    def efficiency(self) -> float | None:
        """Share of the rated efficiency, e = h - p: rate over power, next to peak rate over rated power."""
        return None if self.rate is None or self.power is None else self.rate - self.power


def measured_shares(machines: Sequence[Machine]) -> list[MeasuredShares]:
    """Return the shares of each machine.

    Parameters
    ----------
    machines : sequence of Machine
    """
    rate, power, gradient = (_exact(machines, figure) for figure in (LINPACK, POWER, GRADIENT))
    return [
        MeasuredShares(machine, rate.get(at), power.get(at), gradient.get(at)) for at, machine in enumerate(machines)
    ]


def _exact(machines: Sequence[Machine], figure: Figure) -> dict[int, float]:
    """Return the logarithm of the share that makes each machine exact, by its position: by halving, as figures grow."""
    whole = [at for at, machine in enumerate(machines) if not missing(machine, figure)]
    if not whole:
        return {}
    chosen = [machines[at] for at in whole]
    published = figure_of(chosen, figure.measured)
    low, high = np.full(len(chosen), _LOWEST), np.full(len(chosen), _HIGHEST)
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        less = predicted(chosen, figure, alone(figure, middle)) < published
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return dict(zip(whole, np.log(np.sqrt(low * high)).tolist(), strict=True))
