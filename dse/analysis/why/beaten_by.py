"""Which designs of the frontier beat the best designs of a part that are not on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from dse.analysis.why.distance import beaten
from dse.evaluation.problem import Objective

__all__ = ["Beating", "BeatingRecord", "Pair", "PairRecord", "beaten_by"]

SHOWN = 10  # designs of a part that are shown beside one that beats them


class PairRecord(TypedDict):
    """A `Pair` as plain values."""

    design: int
    by: int
    by_row: int
    values: dict[str, float]
    by_values: dict[str, float]


class BeatingRecord(TypedDict):
    """A `Beating` as plain values."""

    beaten: int
    by: dict[str, int]
    pairs: list[PairRecord]


@dataclass(frozen=True)
class Pair:
    """A design of a part, and the design of the frontier (its row too) that beats it and is nearest to it."""

    design: int
    by: int
    by_row: int
    values: Mapping[str, float]
    by_values: Mapping[str, float]


@dataclass(frozen=True)
class Beating:
    """What beats a part.

    Attributes
    ----------
    beaten : int
        How many designs of the part, each of which no other of the part beats, something on the frontier beats.
    by : dict of str to int
        How many of them what is called so beats ("node = small"), the most first; one may be beaten by several.
    pairs : list of Pair
        The first of them, by number, each beside the design nearest to it that beats it.
    """

    beaten: int
    by: Mapping[str, int]
    pairs: Sequence[Pair]

    def as_dict(self) -> BeatingRecord:
        """Return it as plain values."""
        pairs: list[PairRecord] = [
            {
                "design": pair.design,
                "by": pair.by,
                "by_row": pair.by_row,
                "values": dict(pair.values),
                "by_values": dict(pair.by_values),
            }
            for pair in self.pairs
        ]
        return {"beaten": self.beaten, "by": dict(self.by), "pairs": pairs}


def beaten_by(
    values: np.ndarray,
    numbers: np.ndarray,
    frontier: np.ndarray,
    frontier_numbers: np.ndarray,
    objectives: Sequence[Objective],
    kind: Callable[[int], str],
) -> Beating | None:
    """Return what beats the best designs of a part; None where nothing does.

    Parameters
    ----------
    values : (n, objectives) ndarray
        Of designs of which none beats another, SI.
    numbers : (n,) ndarray of int64
    frontier : (m, objectives) ndarray
    frontier_numbers : (m,) ndarray of int64
    objectives : sequence of Objective
    kind : callable
        What a design of the frontier is called by its number: "node = small"; empty where it has no such name.
    """
    rows = np.flatnonzero(beaten(values, frontier, objectives))
    count = len(rows)
    if not count:
        return None
    kinds = np.array([kind(int(number)) for number in frontier_numbers], dtype=object)
    counts = {
        name: int(beaten(values[rows], frontier[kinds == name], objectives).sum())
        for name in dict.fromkeys(kinds.tolist())
        if name
    }
    most_first = sorted(((count, name) for name, count in counts.items() if count), key=lambda item: -item[0])
    rows = rows[np.argsort(numbers[rows], kind="stable")][:SHOWN]
    names = [objective.quantity for objective in objectives]
    pairs = []
    for row in rows.tolist():
        by = _nearest(values[row], frontier, objectives)
        own, other = values[row].tolist(), frontier[by].tolist()
        pairs.append(
            Pair(
                int(numbers[row]),
                int(frontier_numbers[by]),
                by,
                dict(zip(names, own, strict=True)),
                dict(zip(names, other, strict=True)),
            )
        )
    return Beating(count, {name: own for own, name in most_first}, pairs)


def _nearest(own: np.ndarray, frontier: np.ndarray, objectives: Sequence[Objective]) -> int:
    """Return the row of the frontier that beats a design and differs least from it, objectives by their size."""
    senses = np.array([objective.sign for objective in objectives])
    beside, here = frontier * senses, own * senses
    beats = (beside <= here).all(axis=1) & (beside < here).any(axis=1)
    size = np.maximum(np.abs(own), np.finfo(float).tiny)
    apart = (np.abs(frontier - own) / size).max(axis=1)
    return int(np.flatnonzero(beats)[apart[beats].argmin()])
