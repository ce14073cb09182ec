"""What a law is a function of: problem sizes, process counts, and how far a target lies outside the runs.

Some programs name a size by its binary logarithm: Graph 500 calls 2^26 vertices scale 26. A law is then a function of
the size itself, ``2^scale``, and so is the distance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.errors import InputError

__all__ = ["REFUSE_BEYOND", "WARN_BEYOND", "Parameter", "coordinates", "distance", "fewest_runs"]

WARN_BEYOND, REFUSE_BEYOND = 64.0, 1024.0
"""Distances, size over largest size measured: what a law foretells is a hypothesis beyond the first, and refused beyond
the second unless one asks for it."""

FEWEST_VALUES, COMFORTABLE_VALUES = 3, 5
_LARGEST_LOGARITHM = 500.0


@dataclass(frozen=True)
class Parameter:
    """A parameter of a law.

    Attributes
    ----------
    name : str
    log2 : bool
        Whether its values are binary logarithms of the size that laws are functions of.
    """

    name: str
    log2: bool = False

    @property
    def size(self) -> str:
        """The size in a formula."""
        return f"2^{self.name}" if self.log2 else self.name

    def coordinate(self, value: float) -> float:
        """Return the size a value stands for.

        Raises
        ------
        InputError
            No positive finite size.
        """
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise InputError(f"{self.name} = {value!r}", allowed="a number")
        if self.log2:
            if not abs(value) <= _LARGEST_LOGARITHM:
                raise InputError(f"{self.name} = {value:g} as a binary logarithm", allowed="at most 500, about 0")
            return float(2.0 ** float(value))
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{self.name} = {value:g}", allowed="a finite number above 0")
        return float(value)


def coordinates(parameters: Sequence[Parameter], points: Sequence[Mapping[str, float]]) -> np.ndarray:
    """Return the sizes of points.

    Parameters
    ----------
    parameters : sequence of Parameter
    points : sequence of mapping
        The value of each parameter by name.

    Returns
    -------
    ndarray, shape (points, parameters)
    """
    return np.array([[p.coordinate(point[p.name]) for p in parameters] for point in points], dtype=float)


def distance(parameter: Parameter, target: float, values: Sequence[float]) -> float:
    """Return how far a target lies outside the values of the runs.

    Returns
    -------
    float
        Target over the largest size; below the smallest one, that over the target, so that both ways out are above 1.
        Inside the range it is target over largest, at most 1.
    """
    sizes = [parameter.coordinate(value) for value in values]
    size = parameter.coordinate(target)
    return min(sizes) / size if size < min(sizes) else size / max(sizes)


def fewest_runs(parameters: int) -> int:
    """Return how many different runs a fit over so many parameters needs: five along each, one of them shared."""
    return 4 * parameters + 1
