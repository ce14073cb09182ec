"""Scenario discovery: in which part of the ranges of what is not known a decision flips.

A decision is what is best most often; it flips in a draw where something else is best. A *box* limits one or two of the
unknowns. Of all boxes whose sides are twentieths of the draws the one with the largest product of *coverage* (the share
of the draws with a flip that it holds) and *density* (the share of its draws that are one) is taken; PRIM (Friedman,
Fisher, Statistics and Computing 9, 1999; Bryant, Lempert, Technological Forecasting and Social Change 77, 2010) peels
to such boxes one side at a time. Who is best in a draw is exact among the candidates of ``dse trust``. Coverage and
density are those of other draws than the ones the box was chosen by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.uncertainty.decision_table import design_labels
from dse.analysis.uncertainty.draws import Drawn, common_draws
from dse.analysis.uncertainty.tally import tally
from dse.analysis.uncertainty.uncertainty import candidates, proved_designs, unknowns_of_run
from dse.errors import InputError
from dse.evaluation.unknowns import UncertainProblem, uncertain_problem
from dse.run.result.uncertainty_account import UnknownAccount, read_uncertainty

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.study.uncertain.uncertain import Unknowns

__all__ = ["Scenario", "Side", "scenarios"]

_PARTS = 20  # of the draws, along an unknown
_FEWEST = 0.02  # of the draws, in a box and of flips
_WORTH = 1.1  # what a second unknown must bring
_DRAWS = 2_000
_SERIES = 24  # unknowns that are looked at in pairs


@dataclass(frozen=True)
class Side:
    """The part of an unknown's range that a box holds; infinite where it is not cut.

    Attributes
    ----------
    unknown, part : str
        The quantity, and the row of its axis where each has its own.
    low, high : float or None
        SI, or deviations where it is `relative`; None where the range is not cut.
    relative : bool
    """

    unknown: str
    part: str
    low: float | None
    high: float | None
    relative: bool


@dataclass(frozen=True)
class Scenario:
    """Where a decision flips.

    Attributes
    ----------
    quantity : str
        The objective; empty for the knee.
    choice : str
        What is decided.
    usual, instead : str
        What is best most often, and what is most often in its place inside the box.
    flips : float
        The share of all draws in which something else is best.
    sides : tuple of Side
        Of the box; none where no box holds flips more densely than all draws do.
    coverage, density : float
    """

    quantity: str
    choice: str
    usual: str
    instead: str
    flips: float
    sides: tuple[Side, ...]
    coverage: float
    density: float

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return asdict(self)


def scenarios(run: Run, *, draws: int = _DRAWS, seed: int | None = None) -> list[Scenario]:
    """Say, of each objective and the knee, where what it decides flips.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    draws : int
        By which boxes are chosen; as many others judge them.
    seed : int, optional
        Default: that of ``[trust]``.

    Raises
    ------
    InputError
        Nothing is uncertain; the run is not exact.
    """
    given, study = unknowns_of_run(run), run.study
    first = study.spec.trust.seed if seed is None else seed
    if all(entry.scope == "design" for entry in given.every):
        raise InputError(
            f"each design of '{run.name}' has errors of its own alone, so no range holds where a decision flips",
            allowed="something unknown that designs share, or that each row of an axis has",
        )
    unknown, numbers = _candidates(run, given, first)
    labels = design_labels(study, numbers)
    counted = [tally(unknown, numbers, draws, first + place) for place in range(2)]
    best = np.flatnonzero(counted[0].best.any(axis=0))
    parts = {(name, label) for name in labels for label in labels[name][best] if label}
    series = [common_draws(unknown, parts, draws, first + place) for place in range(2)]
    quantities = [objective.quantity for objective in unknown.problem.objectives]
    quantities += [""] * (len(counted[0].first) - len(quantities))
    outcomes = []
    for place, quantity in enumerate(quantities):
        for choice, own in labels.items():
            drawn = [_winners(own, tallied.first[place]) for tallied in counted]
            scenario = _scenario(unknown, quantity, choice, drawn, series)
            if scenario is not None:
                outcomes.append(scenario)
    return outcomes


def _candidates(run: Run, given: Unknowns, seed: int) -> tuple[UncertainProblem, np.ndarray]:
    """Return the problem and the designs that may be best: those that ``dse trust`` saw on a frontier, if it ran."""
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    account = read_uncertainty(run)
    if account is not None and account.unknowns == [UnknownAccount.of(entry) for entry in given.every]:
        seen = np.array([int(number) for number in account.probability], dtype=np.int64)
        return uncertain_problem(run.study.compiled, given.every), np.union1d(seen, frontier)
    known = candidates(run.study, given.every, frontier, 1, seed, among=proved_designs(run, given))
    return known.unknown, known.numbers


def _winners(labels: np.ndarray, first: np.ndarray) -> np.ndarray:
    return np.where(first >= 0, labels[np.maximum(first, 0)], "").astype(str)


def _scenario(
    unknown: UncertainProblem,
    quantity: str,
    choice: str,
    drawn: Sequence[np.ndarray],
    series: Sequence[Sequence[Drawn]],
) -> Scenario | None:
    """Return where one decision flips; None where it does in too few draws."""
    names, counts = np.unique(drawn[0][drawn[0] != ""], return_counts=True)
    if len(names) < 2:
        return None
    usual = str(names[np.argmax(counts)])
    flipped = [(own != usual) & (own != "") for own in drawn]
    if flipped[0].mean() < _FEWEST:
        return None
    chosen = _best_box(series[0], flipped[0])
    inside = [_inside(own, chosen) for own in series]
    hits = inside[1] & flipped[1]
    others, often = np.unique(drawn[0][inside[0] & flipped[0]], return_counts=True)
    return Scenario(
        quantity=quantity,
        choice=choice,
        usual=usual,
        instead=str(others[np.argmax(often)]),
        flips=float(flipped[1].mean()),
        sides=tuple(_side(unknown, series[0][at], low, high) for at, low, high in chosen),
        coverage=float(hits.sum() / max(1, flipped[1].sum())),
        density=float(hits.sum() / max(1, inside[1].sum())),
    )


_Cut = tuple[int, float, float]
"""Place of a series, and the ends of the part that is kept, infinite where it is not cut."""


def _best_box(series: Sequence[Drawn], flipped: np.ndarray) -> list[_Cut]:
    """Return the box of one unknown, or of two where the second brings something; nothing where none is worth it."""
    edges = [np.quantile(own.values, np.linspace(0.0, 1.0, _PARTS + 1)[1:-1]) for own in series]
    cells = [np.searchsorted(edge, own.values, side="right") for edge, own in zip(edges, series, strict=True)]
    single = sorted(((*_of_one(cell, flipped), at) for at, cell in enumerate(cells)), reverse=True)
    least = float(flipped.mean())  # what a box that holds everything has
    best: list[_Cut] = []
    if single and single[0][0] > least * _WORTH:
        least, low, high, at = single[0]
        best = [_cut(at, edges[at], low, high)]
    several = [at for *_, at in single[:_SERIES]]
    for first, second in combinations(several, 2):
        worth, sides = _of_two(cells[first], cells[second], flipped)
        if worth > least * (_WORTH if len(best) < 2 else 1.0):
            least = worth
            ends = zip((first, second), sides, strict=True)
            best = [_cut(at, edges[at], low, high) for at, (low, high) in ends]
    return [cut for cut in best if np.isfinite(cut[1]) or np.isfinite(cut[2])]


def _of_one(cell: np.ndarray, flipped: np.ndarray) -> tuple[float, int, int]:
    """Return the worth of the best interval of cells, and its first and last cell."""
    worth, ((low, high), _) = _of_two(cell, np.zeros_like(cell), flipped)
    return worth, low, high


def _of_two(
    first: np.ndarray, second: np.ndarray, flipped: np.ndarray
) -> tuple[float, tuple[tuple[int, int], tuple[int, int]]]:
    """Return the worth of the best rectangle of cells, and its first and last cells along both unknowns."""
    shape = (_PARTS, int(second.max()) + 1)
    flat = first * shape[1] + second
    sums = []
    for weights in (np.ones(len(flat)), flipped.astype(float)):
        grid = np.bincount(flat, weights=weights, minlength=shape[0] * shape[1]).reshape(shape)
        sums.append(np.pad(grid.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))))
    low_a, high_a = np.triu_indices(shape[0])
    low_b, high_b = np.triu_indices(shape[1])
    size, hits = (
        (table[high_a + 1][:, high_b + 1] - table[low_a][:, high_b + 1])
        - (table[high_a + 1][:, low_b] - table[low_a][:, low_b])
        for table in sums
    )
    with np.errstate(all="ignore"):
        worth = np.where(size >= _FEWEST * len(flat), hits * hits / (size * flipped.sum()), 0.0)
    a, b = np.unravel_index(int(worth.argmax()), worth.shape)
    ends = ((int(low_a[a]), int(high_a[a])), (int(low_b[b]), int(high_b[b])))
    return float(worth[a, b]), ends


def _cut(at: int, edges: np.ndarray, low: int, high: int) -> _Cut:
    return (at, float(edges[low - 1]) if low > 0 else -np.inf, float(edges[high]) if high < len(edges) else np.inf)


def _inside(series: Sequence[Drawn], box: Sequence[_Cut]) -> np.ndarray:
    inside = np.ones(len(series[0].values), dtype=bool)
    for at, low, high in box:
        inside &= (series[at].values >= low) & (series[at].values < high)
    return inside


def _side(unknown: UncertainProblem, drawn: Drawn, low: float, high: float) -> Side:
    entry = unknown.unknowns[drawn.place]
    ends = (low if np.isfinite(low) else None, high if np.isfinite(high) else None)
    return Side(entry.quantity, drawn.part, *ends, entry.relative)
