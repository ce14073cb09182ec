"""The design of a space that is most like a measured system, in the quantities that a study names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dse.analysis.falsify.descent import lowest
from dse.evaluation.problem import Problem
from dse.evaluation.reference_systems import ReferenceSystem
from dse.run.result.falsification_account import NearestDesign

__all__ = ["ALIKE", "nearest_designs"]

ALIKE = 1.5
"""A factor within which a design is like a system in a quantity."""


def nearest_designs(
    problem: Problem, products: Sequence[int], systems: Sequence[ReferenceSystem], like: Sequence[str]
) -> list[NearestDesign | None]:
    """Return the nearest design of some products to each system; None where nothing can be compared.

    Near is a small sum of squares of the logarithms of what is like over what is known of a system. Nothing is
    searched: a nearer design may have been missed (`dse.analysis.falsify.descent`).

    Parameters
    ----------
    problem : Problem
    products : sequence of int
    systems : sequence of ReferenceSystem
    like : sequence of str
        Quantities whose logarithms are compared.
    """
    wanted = np.full((len(like), len(systems)), np.nan)
    for place, name in enumerate(like):
        for aim, system in enumerate(systems):
            value = system.values.get(name)
            if isinstance(value, float) and value > 0.0:
                wanted[place, aim] = value
    known = np.isfinite(wanted)

    def apart(values: Mapping[str, np.ndarray], aim_of: np.ndarray) -> np.ndarray:
        squares = np.zeros(len(aim_of))
        compared = np.zeros(len(aim_of), dtype=bool)
        for place, name in enumerate(like):
            if name in values:
                ratio = np.log(values[name] / wanted[place, aim_of])
                squares += np.where(known[place, aim_of], ratio**2, 0.0)
                compared |= known[place, aim_of]
        return np.where(compared, squares, np.inf)

    nearest: list[NearestDesign | None] = []
    for aim, there in enumerate(lowest(problem, products, like, apart, aims=len(systems))):
        if there is None:
            nearest.append(None)
            continue
        ratios = {
            name: there.values[name] / float(wanted[place, aim])
            for place, name in enumerate(like)
            if known[place, aim] and name in there.values
        }
        missing = [name for name, ratio in ratios.items() if not 1.0 / ALIKE <= ratio <= ALIKE]
        nearest.append(NearestDesign(design=there.design, ratios=ratios, missing=missing))
    return nearest
