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
    "Change",
    "Verdict",
    "Word",
    "better_to_change",
    "class_factor",
    "class_factors",
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
_DIGITS = 12  # of standard errors: what is two of them but for the last bits is two


@dataclass(frozen=True)
class Verdict:
    """What a measured system says of a frontier.

    Attributes
    ----------
    word : str
    excess : float
        How far the frontier's nearest design is behind it in the objective that tells most: above 1 it would be on it.
    factor : float or None
        How many times the laws have its class worse than the frontier; 1 of a class that is on it, None where no
        design of it is known.
    standard_errors : float
        Between what the laws and what the system say of its class.
    """

    word: Word
    excess: float
    factor: float | None
    standard_errors: float

    @property
    def measured_factor(self) -> float:
        """How many times the system as measured is worse than the frontier."""
        return 1.0 / self.excess


@dataclass(frozen=True)
class Change:
    """The verdict that a system would have if it were so many times better in all that is known of it."""

    word: Word
    times_better: float


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


def class_factors(frontier: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return how many times one design of a frontier is better than each of some designs in every objective at once.

    Parameters
    ----------
    frontier, members : (n, d), (m, d) ndarray
    """
    result: np.ndarray = (members[:, None, :] / frontier[None, :, :]).min(axis=2).max(axis=1)
    return result


def class_factor(frontier: np.ndarray, members: np.ndarray) -> float:
    """Return the least of `class_factors`: that of the best design of a class."""
    return float(class_factors(frontier, members).min())


def verdict(
    beyond: float, *, present: bool, factor: float | None = None, law_error: float, system_error: float = 0.0
) -> Verdict:
    """Judge a measured system.

    A class that is on the frontier: e <= 1 agrees; beyond it up to two standard errors of the law of the system's part
    is on the frontier, more weakens. A class that is not: ln(factor e) in standard errors of the law and of systems,
    below one agrees, below two weakens; two, or e > 1, contradicts.

    Parameters
    ----------
    beyond : float
        `excess` of it, e.
    present : bool
        Whether its class is on the frontier.
    factor : float, optional
        `class_factor` of an absent class by the laws. Without one only e > 1 contradicts.
    law_error, system_error : float
        Standard deviations of logarithms: of the law of the class (of the part, where the class is there), and of one
        system from others like it. NaN: none is declared, the law is taken as exact.
    """
    if not math.isfinite(beyond):
        return Verdict(SILENT, beyond, factor, math.nan)
    law = law_error if math.isfinite(law_error) else 0.0
    if present:
        errors = _standard_errors(beyond, law)
        word = AGREES if beyond <= 1.0 else FRONTIER if errors <= _TWO else WEAKENS
        return Verdict(word, beyond, 1.0, errors)
    errors = math.nan if factor is None else _standard_errors(factor * beyond, math.hypot(law, system_error))
    refuted = errors >= _TWO or beyond > 1.0
    word = CONTRADICTS if refuted else WEAKENS if errors >= _ONE else AGREES
    return Verdict(word, beyond, factor, errors)


def better_to_change(judged: Verdict, *, present: bool, law_error: float, system_error: float = 0.0) -> Change | None:
    """Return how many times better a system would have to be, in all that is known of it, to have the next verdict.

    Parameters
    ----------
    judged : Verdict
    present, law_error, system_error
        As `verdict` takes them.

    Returns
    -------
    Change or None
        None where no better system would have another one.
    """
    if judged.word in (SILENT, CONTRADICTS):
        return None
    law = law_error if math.isfinite(law_error) else 0.0
    if present:
        steps = [(FRONTIER, 1.0), (WEAKENS, math.exp(_TWO * law))]
    else:
        error = math.hypot(law, system_error)
        from_laws = [math.exp(step * error) / judged.factor if judged.factor else math.inf for step in (_ONE, _TWO)]
        steps = [(WEAKENS, from_laws[0]), (CONTRADICTS, min(from_laws[1], 1.0))]
    later = [(word, at / judged.excess) for word, at in steps if at >= judged.excess and word != judged.word]
    return Change(*min(later, key=lambda step: step[1])) if later else None


def _standard_errors(ratio: float, error: float) -> float:
    """Return ln(ratio) over its standard error; infinite of a law that is taken as exact."""
    if error > 0.0:
        return round(math.log(ratio) / error, _DIGITS)
    return 0.0 if ratio == 1.0 else math.copysign(math.inf, math.log(ratio))
