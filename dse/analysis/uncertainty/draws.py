"""Draws of what is not known: one value for all designs in each draw, and errors that belong to a design's number.

Unknowns that designs share, and those of rows, are drawn by a Latin hypercube (McKay, Beckman, Conover, Technometrics
21, 1979), each from a generator of its own. An error of a design comes from its number, the quantity and the draw
alone (SplitMix64; Steele, Lea, Flood, OOPSLA 2014): it is the same whoever else is looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.evaluation.affected import AffectedDesigns, affected_designs
from dse.evaluation.unknowns import UncertainProblem, Unknown
from dse.search.frontier.pareto import nondominated

__all__ = ["Batch", "Drawn", "batches", "common_draws", "frontiers"]

_ENTRIES = 200_000  # designs × draws that are evaluated together
_TOGETHER = 100  # draws
_CUT = 4.0  # standard deviations at which a normal distribution is cut


class Batch(NamedTuple):
    """Some draws: points to be minimised, (n, m, d), and where limits are met, (n, m)."""

    points: np.ndarray
    feasible: np.ndarray


class Drawn(NamedTuple):
    """The values that one unknown has in all draws: of a row of its axis, or (no `part`) of all designs."""

    place: int
    part: str
    values: np.ndarray


def common_draws(unknown: UncertainProblem, parts: Collection[tuple[str, str]], draws: int, seed: int) -> list[Drawn]:
    """Return the values of what designs share, the very ones that `batches` draws.

    Parameters
    ----------
    unknown : UncertainProblem
    parts : collection of (str, str)
        Axes and labels of rows that are looked at.
    draws, seed : int
    """
    series = []
    for at, own in enumerate(unknown.unknowns):
        if own.scope == "shared":
            series.append(Drawn(at, "", _common(own, draws, seed)))
        elif own.scope == "each":
            series += [Drawn(at, name, _of_row(own, name, draws, seed)) for axis, name in parts if axis == own.axis]
    return series


def batches(unknown: UncertainProblem, numbers: np.ndarray, draws: int, seed: int) -> Iterator[Batch]:
    """Evaluate designs at draws of the unknowns, some draws at a time.

    Parameters
    ----------
    unknown : UncertainProblem
    numbers : (n,) ndarray of int64
    draws, seed : int

    Raises
    ------
    InputError
        An objective of a feasible design that is not finite.
    """
    designs = affected_designs(unknown, numbers)
    common = {
        at: _common(unknown, draws, seed) for at, unknown in enumerate(unknown.unknowns) if unknown.scope == "shared"
    }
    rows: dict[tuple[int, str], np.ndarray] = {}
    step = max(1, min(_TOGETHER, _ENTRIES // max(1, len(numbers))))
    for begin in range(0, draws, step):
        chosen = np.arange(begin, min(draws, begin + step))
        yield _batch(unknown, designs, len(numbers), common, rows, chosen, draws, seed)


def frontiers(batch: Batch) -> np.ndarray:
    """Return which designs are on the frontier in each draw, (n, m); ties are kept."""
    on_frontier = np.zeros(batch.feasible.shape, dtype=bool)
    for draw in range(batch.feasible.shape[1]):
        feasible = np.flatnonzero(batch.feasible[:, draw])
        on_frontier[feasible, draw] = nondominated(np.ascontiguousarray(batch.points[feasible, draw]))
    return on_frontier


def _batch(
    unknown: UncertainProblem,
    designs: Sequence[AffectedDesigns],
    count: int,
    common: dict[int, np.ndarray],
    rows: dict[tuple[int, str], np.ndarray],
    chosen: np.ndarray,
    draws: int,
    seed: int,
) -> Batch:
    objectives = unknown.problem.objectives
    points = np.empty((count, len(chosen), len(objectives)))
    feasible = np.empty((count, len(chosen)), dtype=bool)
    for own in designs:
        drawn: dict[int, np.ndarray] = {}
        for at, source in enumerate(unknown.unknowns):
            if source.scope == "shared":
                drawn[at] = common[at][None, chosen]
            elif source.scope == "design":
                drawn[at] = _value(source, _of_designs(source, own.numbers, chosen, seed), source.low, source.high)
            else:
                drawn[at] = _of_rows(own, at, rows, chosen, draws, seed)
        low, _, can, _ = own.bounds(dict(drawn), len(chosen))
        points[own.positions], feasible[own.positions] = low, can
    wrong = feasible & ~np.isfinite(points).all(axis=-1)
    if wrong.any():
        at, draw = (int(place[0]) for place in np.nonzero(wrong))
        objective = objectives[int(np.argmax(~np.isfinite(points[at, draw])))].quantity
        number = int(np.concatenate([own.numbers for own in designs])[0])
        for own in designs:
            if at in own.positions:
                number = int(own.numbers[own.positions == at][0])
        raise InputError(
            f"'{objective}' of design {number} is not finite at values within the intervals (draw {chosen[draw]})",
            key="uncertain",
            allowed="intervals at which every feasible design has finite objectives",
        )
    return Batch(points, feasible)


def _generator(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, _key("\x00".join(names))])


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _hypercube(draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return a share of an interval for each draw, one in each of as many equal parts."""
    return (rng.permutation(draws) + rng.random(draws)) / draws


def _common(unknown: Unknown, draws: int, seed: int) -> np.ndarray:
    return _value(unknown, _hypercube(draws, _generator(seed, unknown.quantity, "shared")), unknown.low, unknown.high)


def _of_rows(
    own: AffectedDesigns, at: int, rows: dict[tuple[int, str], np.ndarray], chosen: np.ndarray, draws: int, seed: int
) -> np.ndarray:
    unknown = own.unknown.unknowns[at]
    labels = own.row_labels(unknown.axis)
    if labels is None:
        return np.zeros((1, 1))
    names, which = np.unique(labels.astype(str), return_inverse=True)
    for name in names:
        if (at, name) not in rows:
            rows[at, name] = _of_row(unknown, name, draws, seed)
    return np.stack([rows[at, name][chosen] for name in names])[which]


def _of_row(unknown: Unknown, name: str, draws: int, seed: int) -> np.ndarray:
    low, high = unknown.rows.get(name, (unknown.low, unknown.high))
    return _value(unknown, _hypercube(draws, _generator(seed, unknown.quantity, "each", name)), low, high)


def _mixed(bits: np.ndarray) -> np.ndarray:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _of_designs(unknown: Unknown, numbers: np.ndarray, chosen: np.ndarray, seed: int) -> np.ndarray:
    """Return a share of the interval for each design and draw, (n, m)."""
    step = np.uint64(0x9E3779B97F4A7C15)
    start = np.uint64(_key(f"{seed}\x00{unknown.quantity}"))
    with np.errstate(over="ignore"):
        designs = _mixed(start + (numbers.astype(np.uint64) + np.uint64(1)) * step)
        bits = _mixed(designs[:, None] + (chosen.astype(np.uint64) + np.uint64(1))[None, :] * step)
    return ((bits >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53


def _value(unknown: Unknown, share: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return values of an unknown by its distribution, from shares of 1 (inverse distribution functions)."""
    if unknown.distribution == "uniform" or not low < high:
        value = low + (high - low) * share
    elif unknown.distribution == "triangular":
        peak = (unknown.nominal - low) / (high - low)
        rising = low + np.sqrt(share * (high - low) * (unknown.nominal - low))
        falling = high - np.sqrt((1.0 - share) * (high - low) * (high - unknown.nominal))
        value = np.where(share < peak, rising, falling)
    else:
        from scipy.special import ndtr, ndtri

        z = ndtri(ndtr(-_CUT) + share * (ndtr(_CUT) - ndtr(-_CUT)))
        value = (
            np.exp(unknown.spread * z) - 1.0
            if unknown.distribution == "lognormal"
            else unknown.nominal + unknown.spread * z
        )
    return np.asarray(np.clip(value, low, high))
