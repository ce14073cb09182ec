"""Whether a measured system contradicts a frontier: how far it would be on it, in standard errors of the law.

Everything is minimised and positive; what is not known of a system is NaN and has no part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = [
    "AGREES",
    "CONTRADICTS",
    "FRONTIER",
    "SILENT",
    "WEAKENS",
    "Verdict",
    "Word",
    "class_factor",
    "excess",
    "verdict",
]

Word = Literal["agrees", "on the frontier", "weakens", "contradicts", "says nothing"]
AGREES: Word = "agrees"
FRONTIER: Word = "on the frontier"
WEAKENS: Word = "weakens"
CONTRADICTS: Word = "contradicts"
SILENT: Word = "says nothing"

_ONE, _TWO = 1.0, 2.0  # standard errors
_FAR = 4.0 / 3.0  # beyond the frontier by a third: what is left of an answer that every design of it is so far behind?


@dataclass(frozen=True)
class Verdict:
    """What a measured system says of a frontier.

    Attributes
    ----------
    word : str
    excess : float
        How far the frontier's nearest design is behind it in the objective that tells most: above 1 it would be on it.
    factor : float
        How many times the laws have its class worse than the frontier; 1 of a class that is on it.
    standard_errors : float
        Between what the laws and what the system say of its class.
    """

    word: Word
    excess: float
    factor: float
    standard_errors: float

    @property
    def measured_factor(self) -> float:
        """How many times the system as measured is worse than the frontier."""
        return 1.0 / self.excess


def excess(frontier: np.ndarray, system: Sequence[float]) -> float:
    """Return the least over designs of the largest over objectives of design over system.

    Parameters
    ----------
    frontier : (n, d) ndarray
    system : sequence of float
        NaN where an objective is not known; those are left out. NaN is returned where none is known.
    """
    values = np.asarray(system, dtype=float)
    known = np.isfinite(values)
    if not known.any() or not len(frontier):
        return math.nan
    return float((frontier[:, known] / values[known]).max(axis=1).min())


def class_factor(frontier: np.ndarray, members: np.ndarray) -> float:
    """Return how many times one design of a frontier is better than the best of a class in every objective at once.

    Parameters
    ----------
    frontier, members : (n, d), (m, d) ndarray
    """
    ratios = (members[:, None, :] / frontier[None, :, :]).min(axis=2)
    return float(ratios.max(axis=1).min())


def verdict(
    beyond: float, *, present: bool, factor: float = 1.0, law_error: float, system_error: float = 0.0
) -> Verdict:
    """Judge a measured system.

    Parameters
    ----------
    beyond : float
        `excess` of it.
    present : bool
        Whether its class is on the frontier.
    factor : float
        `class_factor` of an absent class by the laws.
    law_error, system_error : float
        Standard deviations of logarithms: of the law of the class (of the part, where the class is there), and of one
        system from others like it.
    """
    if not math.isfinite(beyond):
        return Verdict(SILENT, beyond, factor, math.nan)
    if present:
        errors = math.log(beyond) / law_error
        if beyond <= 1.0:
            word: Word = AGREES
        elif beyond >= _FAR:
            word = CONTRADICTS
        else:
            word = FRONTIER if errors <= _TWO else WEAKENS
        return Verdict(word, beyond, 1.0, errors)
    errors = math.log(factor * beyond) / math.hypot(law_error, system_error)
    refuted = errors >= _TWO or beyond > 1.0
    word = CONTRADICTS if refuted else WEAKENS if errors >= _ONE else AGREES
    return Verdict(word, beyond, factor, errors)
