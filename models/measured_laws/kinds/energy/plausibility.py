"""Whether energies over nodes can be true of one problem: Amdahl's bounds as a gate for any other model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.bounds import strong_energy

__all__ = ["Implausible", "implausible_nodes"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Implausible:
    """A number of nodes at which the energy leaves the bounds of strong scaling.

    Attributes
    ----------
    nodes : int
    ratio : float
        E(n)/E(n0), with n0 the least number of nodes.
    least, most : float
        The bounds of that ratio.
    why : str
    """

    nodes: int
    ratio: float
    least: float
    most: float
    why: str


def implausible_nodes(energy: Callable[[Any], Any], nodes: Any, idle_share: float = 1.0) -> list[Implausible]:
    """Return where E(n)/E(n0) leaves 1 to (1 + (n - 1) k)/(1 + (n0 - 1) k), the bounds of a problem of fixed size.

    With n0 = 1 these are 1 and 1 + (n - 1) k. Nothing is clipped or refused; what is outside is told.

    Parameters
    ----------
    energy : callable
        Energy [J] of arrays of nodes.
    nodes : array_like
        Numbers of nodes; the least of them is n0.
    idle_share : float
        k, 0 to 1; 1 where it is not known, the widest bounds.
    """
    if not 0.0 <= idle_share <= 1.0:
        raise InputError(f"{idle_share:g}", key="idle_share", allowed="0 to 1")
    counts = np.unique(np.asarray(nodes, dtype=float))
    if not len(counts) or counts[0] < 1.0:
        raise InputError("no nodes" if not len(counts) else f"{counts[0]:g} nodes", key="nodes", allowed="1 or more")
    energies = np.asarray(energy(counts), dtype=float)
    ratios = energies / energies[0]
    most = strong_energy(counts, idle_share, 0.0) / strong_energy(counts[0], idle_share, 0.0)
    gained, lost = ratios < 1.0 - _ROUNDING, ratios > most * (1.0 + _ROUNDING)
    return [
        Implausible(
            int(counts[at]),
            float(ratios[at]),
            1.0,
            float(most[at]),
            "less energy than on fewer nodes: super-linear speed-up, caches, or a spread of the measurements"
            if gained[at]
            else "more than if all other nodes waited: overhead grows, or the problem does",
        )
        for at in np.flatnonzero(gained | lost)
    ]
