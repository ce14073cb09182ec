"""What was measured of one job: energy, power or time by number of nodes, with repetitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise, repetition_noise

__all__ = ["LARGEST_HISTORY", "History", "Reduction", "contradictions", "history"]

Reduction = Literal["mean", "max", "min"]
LARGEST_HISTORY = 100_000
"""Measurements of one quantity."""


@dataclass(frozen=True)
class History:
    """Measurements of one quantity, by rising number of nodes.

    Attributes
    ----------
    nodes, values : tuple of float
        Different numbers of nodes, and the reduced value at each.
    repetitions : tuple of int
        Measurements behind each value.
    spread : float
        Largest of (most - least)/mean over the numbers of nodes; NaN where nothing was repeated.
    notes : tuple of str
        What a reader should know: one repetition, unsorted rows, repetitions far apart.
    noise : RepetitionNoise or None
        Of the values, as repetitions show it.
    """

    nodes: tuple[float, ...]
    values: tuple[float, ...]
    repetitions: tuple[int, ...]
    spread: float
    notes: tuple[str, ...] = ()
    noise: RepetitionNoise | None = None

    def __len__(self) -> int:
        return len(self.nodes)


def history(nodes: Any, values: Any, reduction: Reduction = "mean", what: str = "values") -> History:
    """Return measurements sorted by nodes, repetitions of one number reduced to their mean, largest or least.

    Parameters
    ----------
    nodes : array_like
        Whole numbers, 1 or more.
    values : array_like
        Above 0, as many as `nodes`.
    reduction : {"mean", "max", "min"}
    what : str
        What messages call the values: "energy".

    Raises
    ------
    InputError
        Lengths that differ, fewer than two numbers of nodes, nodes that are not whole, values not above 0.
    """
    counts, numbers = (np.asarray(column, dtype=float).reshape(-1) for column in (nodes, values))
    if len(counts) != len(numbers):
        raise InputError(
            f"{len(counts)} numbers of nodes and {len(numbers)} values", key=what, allowed="as many of each"
        )
    if len(counts) > LARGEST_HISTORY:
        raise InputError(f"{len(counts):,} measurements", key=what, allowed=f"up to {LARGEST_HISTORY:,}")
    if reduction not in _REDUCE:
        raise InputError(
            f"'{reduction}'", key="reduction", allowed=list(_REDUCE), wrong=reduction, candidates=list(_REDUCE)
        )
    whole = np.isfinite(counts) & (counts >= 1.0) & (counts == np.floor(counts))
    if not np.all(whole):
        raise InputError(f"{counts[~whole][0]:g} nodes", key="nodes", allowed="whole numbers, 1 or more")
    good = np.isfinite(numbers) & (numbers > 0.0)
    if not np.all(good):
        at = int(np.flatnonzero(~good)[0])
        raise InputError(f"{numbers[at]:g} on {counts[at]:g} nodes", key=what, allowed="numbers above 0")
    different = np.unique(counts)
    if len(different) < 2:
        raise InputError(
            f"measurements on {len(different)} number{'s' if len(different) != 1 else ''} of nodes",
            key=what,
            allowed="two different numbers of nodes, or more",
        )
    groups = [numbers[counts == count] for count in different]
    spread = max((float(np.ptp(group) / group.mean()) for group in groups if len(group) > 1), default=float("nan"))
    return History(
        tuple(different.tolist()),
        tuple(float(_REDUCE[reduction](group)) for group in groups),
        tuple(len(group) for group in groups),
        spread,
        tuple(_notes(counts, groups, spread)),
        repetition_noise(groups, reduction),
    )


_REDUCE: dict[str, Callable[[Any], Any]] = {"mean": np.mean, "max": np.max, "min": np.min}
_FAR_APART = 0.05


def _notes(counts: np.ndarray, groups: Sequence[np.ndarray], spread: float) -> list[str]:
    notes = []
    if np.any(np.diff(counts) < 0.0):
        notes.append("rows were not sorted by nodes; they are now")
    single = sum(len(group) == 1 for group in groups)
    if single:
        notes.append(f"{single} of {len(groups)} numbers of nodes have one measurement: their noise is not known")
    if spread > _FAR_APART:
        notes.append(f"repetitions are up to {100.0 * spread:.1f} % apart")
    if len(groups) == 2:
        notes.append("two numbers of nodes: the line goes through both, and its error is not known")
    return notes


def contradictions(histories: Mapping[Any, History]) -> list[str]:
    """Tell where energy, power and time are all known and energy is not power times time, by more than 5 %."""
    if len(histories) < len(_TRIPLE):
        return []
    energy, power, time = (
        dict(zip(measured.nodes, measured.values, strict=True)) for measured in map(histories.__getitem__, _TRIPLE)
    )
    off = {n: energy[n] / (power[n] * time[n]) for n in energy if n in power and n in time}
    worst = max(off, key=lambda n: abs(np.log(off[n])), default=None)
    if worst is None or abs(off[worst] - 1.0) <= _FAR_APART:
        return []
    nodes = f"{worst:g} node{'s' if worst != 1 else ''}"
    return [f"energy is not power times time: {off[worst]:.3g} times that on {nodes}"]


_TRIPLE = ("energy", "power", "time")
