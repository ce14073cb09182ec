"""The design of a space that is most like a measured system, in the quantities that a study names."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.reference_systems import ReferenceSystem
from dse.run.result.falsification_account import NearestDesign

__all__ = ["nearest_design"]

_LOOKED_AT = 4096  # designs of each product: which of them is nearest is a sample's answer
_ALIKE = 1.5  # a factor within which a design is like the system in a quantity


def nearest_design(
    problem: Problem, products: Sequence[int], system: ReferenceSystem, like: Sequence[str]
) -> NearestDesign | None:
    """Return the nearest of a sample of designs of some products; None where nothing can be compared.

    Parameters
    ----------
    problem : Problem
    products : sequence of int
    system : ReferenceSystem
    like : sequence of str
        Quantities whose logarithms are compared.
    """
    wanted = {name: float(value) for name in like if isinstance(value := system.values.get(name), float) and value > 0}
    best: NearestDesign | None = None
    least = math.inf
    rng = np.random.default_rng(0)
    for index in products if wanted else ():
        size = problem.space.products[index].size
        own = np.unique(rng.integers(0, size, min(size, _LOOKED_AT))) + problem.space.offsets[index]
        for record in problem.quantities(own):
            ratios = {
                name: np.broadcast_to(np.asarray(record["values"][name], dtype=float), (len(record["positions"]),))
                / value
                for name, value in wanted.items()
                if name in record["values"]
            }
            if not ratios:
                continue
            apart = np.sqrt(sum(np.log(ratio) ** 2 for ratio in ratios.values()))
            place = int(np.argmin(apart))
            if apart[place] < least:
                least = float(apart[place])
                ratios_there = {name: float(ratio[place]) for name, ratio in ratios.items()}
                best = NearestDesign(
                    design=int(own[record["positions"][place]]),
                    ratios=ratios_there,
                    missing=[name for name, ratio in ratios_there.items() if not 1.0 / _ALIKE <= ratio <= _ALIKE],
                )
    return best
