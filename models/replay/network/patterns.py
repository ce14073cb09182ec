"""Which pattern of communication a traffic matrix has: the one that explains the largest share of it.

Both matrices have the sum 1; the score of a pattern is the sum of the smaller of their entries, the share of the
traffic that it explains with the right proportions. Patterns after Anghel 2017, Section 5.3; the score is ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError, shown
from dse.models.replay.network.candidate_patterns import Candidate, candidates
from dse.models.replay.network.traffic import Traffic

__all__ = ["AMBIGUOUS", "LEAST_SCORE", "Pattern", "Scored", "classify", "traffic_of_matrix"]

LEAST_SCORE, AMBIGUOUS = 0.75, 0.05
_SHOWN = 3
_TIE = 1e-9
_MOST_BYTES = 1e100  # of many ranks too, no sum overflows


class Scored(NamedTuple):
    """A pattern, its parameters and its score."""

    name: str
    parameters: dict[str, Any]
    score: float


class Pattern(NamedTuple):
    """The pattern of a traffic matrix.

    Attributes
    ----------
    name : str
        As the best candidate; "irregular" below `LEAST_SCORE`; "none" without traffic.
    parameters : dict
        ``step`` of a shift, ``grid`` and ``periodic`` of neighbours, ``bit`` of an exchange.
    score : float
        Of the best candidate, 0 to 1; NaN without traffic.
    runners_up : tuple of Scored
        The next three; of an irregular matrix the best three.
    ambiguous : bool
        Whether the next is within `AMBIGUOUS` of the best.
    """

    name: str
    parameters: dict[str, Any]
    score: float
    runners_up: tuple[Scored, ...]
    ambiguous: bool


def traffic_of_matrix(matrix: Any) -> Traffic:
    """Return the traffic of a square matrix of bytes, row = source; its diagonal is left out."""
    try:
        array = np.asarray(matrix)
        if array.dtype.kind not in "fiu":
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError):
        raise InputError(
            f"the matrix is {shown(matrix)}", allowed="rows of numbers, bytes from row to column"
        ) from None
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"the matrix has the shape {array.shape}", allowed="as many columns as rows")
    wrong = ~((array >= 0.0) & (array <= _MOST_BYTES))
    if wrong.any():
        row, column = (int(index[0]) for index in np.nonzero(wrong))
        raise InputError(
            f"{array[row, column]:g}", key=f"row {row} column {column}", allowed=f"bytes from 0 to {_MOST_BYTES:g}"
        )
    source, destination = np.nonzero(array * ~np.eye(len(array), dtype=bool))
    held = array[source, destination]
    return Traffic(len(array), source, destination, held, np.ones(len(held)))


def classify(traffic: Traffic, by: str = "bytes") -> Pattern:
    """Return the pattern of traffic.

    Parameters
    ----------
    traffic : Traffic
    by : {"bytes", "messages"}
        What is compared.

    Examples
    --------
    >>> found = classify(traffic_of_matrix([[0, 8, 0], [0, 0, 8], [8, 0, 0]]))
    >>> found.name, found.parameters, found.score
    ('shift', {'step': 1}, 1.0)
    """
    if not isinstance(traffic, Traffic):
        raise InputError(
            f"the traffic is {shown(traffic)}",
            key="traffic",
            allowed="a Traffic; traffic_of_matrix makes one of a matrix",
        )
    if by not in ("bytes", "messages"):
        raise InputError(f"by = '{by}'", allowed=["bytes", "messages"])
    weights = traffic.bytes if by == "bytes" else traffic.messages
    total = float(weights.sum())
    if total <= 0.0:
        return Pattern("none", {}, np.nan, (), False)
    keys, share = traffic.source * traffic.ranks + traffic.destination, weights / total
    steps = _of_shifts(traffic, share)
    scored = [
        Scored(candidate.name, candidate.parameters, _score(candidate, traffic.ranks, keys, share, steps))
        for candidate in candidates(traffic.ranks)
    ]
    order: list[Scored] = []
    left = list(scored)
    while left and len(order) < _SHOWN + 1:
        most = max(scored.score for scored in left)
        best = next(scored for scored in left if scored.score >= most - _TIE)
        order.append(best)
        left.remove(best)
    first, *others = order
    ambiguous = bool(others) and first.score - others[0].score <= AMBIGUOUS
    if first.score < LEAST_SCORE:
        return Pattern("irregular", {}, first.score, tuple(order[:_SHOWN]), ambiguous)
    return Pattern(first.name, first.parameters, first.score, tuple(others), ambiguous)


def _of_shifts(traffic: Traffic, share: np.ndarray) -> np.ndarray:
    """Return the scores of the shifts by every step, along the wrapped diagonals of the matrix."""
    step = (traffic.destination - traffic.source) % traffic.ranks
    return np.bincount(step, weights=np.minimum(share, 1.0 / traffic.ranks), minlength=traffic.ranks)


def _score(candidate: Candidate, ranks: int, keys: np.ndarray, share: np.ndarray, steps: np.ndarray) -> float:
    if candidate.source is None or candidate.destination is None:
        if candidate.name == "shift":
            return min(float(steps[candidate.parameters["step"]]), 1.0)
        return min(float(np.minimum(share, 1.0 / (ranks * (ranks - 1))).sum()), 1.0)
    if not len(candidate.source):
        return 0.0
    wanted, count = np.unique(candidate.source * ranks + candidate.destination, return_counts=True)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there = np.where(keys[place] == wanted, share[place], 0.0)
    return min(float(np.minimum(there, count / len(candidate.source)).sum()), 1.0)
