"""How well bandwidth formulas agree with flit-level simulation: what a topology states of Anghel 2017, Section 5.7.

Every published figure of Tables 5.10 to 5.12 stands in ``claims/simulated-accuracies.csv``.
"""

from __future__ import annotations

from typing import NamedTuple

from dse.authoring.declare.declaration import RelativeError
from dse.models.sources import ANGHEL_2017

__all__ = ["SIMULATOR", "Accuracy", "simulated"]

SIMULATOR = "flit-level simulation of InfiniBand-like switches and 7 GB/s links"


class Accuracy(NamedTuple):
    """The published relative error of a bandwidth, and the least and most nodes of the machines it was measured on."""

    error: RelativeError
    nodes: tuple[float, float]


def simulated(table: str, accuracy: float, nodes: tuple[int, int], shapes: str) -> Accuracy:
    """Return what a published mean accuracy says; the thesis prints no standard deviation.

    Parameters
    ----------
    table : str
        Where it is printed.
    accuracy : float
        Mean accuracy in percent: 1 minus the relative error.
    nodes : tuple of int
        Least and most nodes.
    shapes : str
        Sizes that were simulated.
    """
    low, high = nodes
    counted = f"{low:,} nodes" if low == high else f"{low:,} to {high:,} nodes"
    of = f"{SIMULATOR} of {counted} ({shapes}); {ANGHEL_2017}, {table}"
    return Accuracy(RelativeError(mean=round(1.0 - accuracy / 100.0, 6), of=of), (float(low), float(high)))
