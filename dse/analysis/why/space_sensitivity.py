"""Sensitivities of a space: what share of the variance of each objective its axes explain, over all designs.

Exact on products of up to `EXACT_UP_TO` designs. Beyond, an estimate from quasi-random designs (Saltelli et al. 2010
and Jansen 1999, on two halves of Sobol' points), with its bootstrap error; axes of few values are met evenly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypedDict

import numpy as np

from dse.analysis.why.space_values import long_axis, rows_values, slabs
from dse.analysis.why.variance_shares import Moments, VarianceShares
from dse.evaluation.problem import Problem

__all__ = [
    "EXACT_UP_TO",
    "Effects",
    "EffectsByObjective",
    "MainAndTotal",
    "SensitivityRecord",
    "SpaceSensitivity",
    "estimated_shares",
    "space_sensitivity",
]

EXACT_UP_TO = 30_000_000
_BESIDE = 2_000_000  # combinations of all axes but the longest
_ESTIMATED_WITH = 2**17  # designs
_RESAMPLED = 200


class Effects(TypedDict, total=False):
    """Main and total effect of an axis; main effect among feasible designs; standard errors of an estimate."""

    main: float
    total: float
    feasible_main: float
    main_error: float
    total_error: float


class MainAndTotal(TypedDict):
    """What an axis explains by itself, and what is left when all other axes are known."""

    main: float
    total: float


EffectsByObjective: TypeAlias = dict[str, dict[str, MainAndTotal]]
"""By objective and axis."""


class SensitivityRecord(TypedDict):
    """A `SpaceSensitivity` as plain values; effects by alternative, objective and axis."""

    logarithms: bool
    effects: dict[str, dict[str, dict[str, Effects]]]
    between: dict[str, float]
    estimated: list[str]
    left_out: dict[str, str]


@dataclass(frozen=True)
class SpaceSensitivity:
    """Effects of axes on objectives.

    Attributes
    ----------
    effects : dict
        By alternative ("" where there is one), objective and axis.
    between : dict of str to float
        By objective: the share of the variance over all designs that is between the means of alternatives.
    estimated : list of str
        Alternatives whose effects are estimates.
    left_out : dict of str to str
        Objectives without effects, and why.
    logarithms : bool
        Whether they are effects on the logarithms.
    """

    effects: Mapping[str, Mapping[str, Mapping[str, Effects]]]
    between: Mapping[str, float]
    estimated: list[str] = field(default_factory=list)
    left_out: Mapping[str, str] = field(default_factory=dict)
    logarithms: bool = False

    def plain(self) -> EffectsByObjective | dict[str, EffectsByObjective]:
        """Return main and total effects by objective and axis; per alternative where there are several."""
        cut: dict[str, EffectsByObjective] = {
            name: {
                objective: {axis: {"main": own["main"], "total": own["total"]} for axis, own in axes.items()}
                for objective, axes in objectives.items()
            }
            for name, objectives in self.effects.items()
        }
        return cut if len(cut) > 1 else next(iter(cut.values()))

    def as_dict(self) -> SensitivityRecord:
        """Return everything as plain values."""
        return {
            "logarithms": self.logarithms,
            "effects": {name: {o: dict(axes) for o, axes in own.items()} for name, own in self.effects.items()},
            "between": dict(self.between),
            "estimated": list(self.estimated),
            "left_out": dict(self.left_out),
        }


def space_sensitivity(
    problem: Problem, *, log: bool = False, seed: int = 0, progress: Callable[[int], None] | None = None
) -> SpaceSensitivity:
    """Return the effects of all axes on all objectives.

    Parameters
    ----------
    problem : Problem
    log : bool
        Effects on the logarithms of the objectives that are positive throughout.
    seed : int
        Of the designs of an estimate.
    progress : callable, optional
        Called with the number of designs that were looked at.
    """
    names = [objective.quantity for objective in problem.objectives]
    effects: dict[str, dict[str, dict[str, Effects]]] = {}
    whole = [Moments((len(problem.space.products),)) for _ in names]
    left_out: dict[str, str] = {}
    estimated: list[str] = []
    for index, product in enumerate(problem.space.products):
        axes = [axis.name for axis in product.axes]
        several = [place for place, axis in enumerate(product.axes) if len(axis) > 1]
        own: dict[str, dict[str, Effects]] = {name: {} for name in names}
        if product.size > EXACT_UP_TO or product.size // max(product.shape or (1,)) > _BESIDE:
            estimated.append(product.name)
            shares, moments, faults = estimated_shares(problem, index, log=log, seed=seed)
            for place, name in enumerate(names):
                own[name] = {axes[axis]: shares[place][axis] for axis in several}
        else:
            by_objective, faults = _exact(problem, index, log=log)
            place_of = _moved(len(axes), long_axis(product))
            moments = [(np.array(float(product.size)), share.all.mean, share.all.squares) for share in by_objective]
            for name, share in zip(names, by_objective, strict=True):
                own[name] = {
                    axes[axis]: {
                        "main": share.main(place_of[axis]),
                        "total": share.total(place_of[axis]),
                        "feasible_main": share.feasible_main(place_of[axis]),
                    }
                    for axis in several
                }
        for place, (count, mean, squares) in enumerate(moments):
            whole[place].count[index], whole[place].mean[index] = count, mean
            whole[place].squares[index] = squares
        left_out |= {name: why for name, why in faults.items() if name not in left_out}
        effects[product.name] = own
        if progress is not None:
            progress(product.size)
    kept = {name: {o: axes for o, axes in own.items() if o not in left_out} for name, own in effects.items()}
    between = {}
    for name, means in zip(names, whole, strict=True):
        if name not in left_out and len(problem.space.products) > 1:
            inside = float((means.count * means.variance).sum() / means.count.sum())
            spread = means.between + inside
            between[name] = means.between / spread if spread > 0 else 0.0
    return SpaceSensitivity(kept, between, estimated, left_out, log)


def _moved(axes: int, long: int) -> list[int]:
    """Return where each axis stands once the longest is first."""
    order = [long, *(place for place in range(axes) if place != long)]
    return [order.index(place) for place in range(axes)]


def _exact(problem: Problem, index: int, *, log: bool) -> tuple[list[VarianceShares], dict[str, str]]:
    """Return the shares of each objective, the longest axis first, and why some have none."""
    names = [objective.quantity for objective in problem.objectives]
    product = problem.space.products[index]
    long = long_axis(product)
    shape = (*product.shape[long : long + 1], *product.shape[:long], *product.shape[long + 1 :]) or (1,)
    shares = [VarianceShares(shape) for _ in names]
    faults: dict[str, str] = {}
    for slab in slabs(problem, index):
        for place, name in enumerate(names):
            values = _ready(slab.values[place], name, faults, log=log)
            if name not in faults:
                shares[place].add(slab.begin, slab.end, values, slab.feasible)
    return shares, faults


def _ready(values: np.ndarray, name: str, faults: dict[str, str], *, log: bool) -> np.ndarray:
    """Return the values whose variance is told, and note why there are none."""
    if not np.isfinite(values).all():
        faults[name] = "it is not finite for some designs"
    elif log and not (values > 0).all():
        faults[name] = "it is not positive for some designs, so it has no logarithm"
    return np.log(values) if log and name not in faults else values


def estimated_shares(
    problem: Problem, index: int, *, log: bool = False, seed: int = 0, designs: int = _ESTIMATED_WITH
) -> tuple[list[dict[int, Effects]], list[tuple[np.ndarray, np.ndarray, np.ndarray]], dict[str, str]]:
    """Estimate the effects of the axes of a product from quasi-random designs.

    Parameters
    ----------
    problem : Problem
    index : int
    log : bool
    seed : int
    designs : int
        About how many are evaluated.

    Returns
    -------
    shares : list of dict of int to Effects
        By objective, by axis with several rows.
    moments : list of (count, mean, squares)
        By objective, as if the whole product had the moments of the sample.
    faults : dict of str to str

    Notes
    -----
    Of two samples A and B, and AB_k, which is A with the column of axis k from B: total_k = mean (f(A) - f(AB_k))^2 /
    2 Var (Jansen 1999), main_k = mean (f(B) - mean) (f(AB_k) - f(A)) / Var (Saltelli et al. 2010), 0 of what has no
    effect.
    """
    from scipy.stats import qmc

    product = problem.space.products[index]
    several = [place for place, axis in enumerate(product.axes) if len(axis) > 1]
    base = 2 ** max(4, int(np.log2(designs / (len(several) + 2))))
    points = qmc.Sobol(2 * len(several), scramble=True, seed=seed).random(base)
    lengths = np.array([len(product.axes[place]) for place in several])
    halves = [np.minimum((half * lengths).astype(np.int64), lengths - 1) for half in np.hsplit(points, 2)]

    def values(chosen: np.ndarray) -> np.ndarray:
        rows = [np.zeros(len(chosen), dtype=np.int64) for _ in product.axes]
        for column, place in enumerate(several):
            rows[place] = chosen[:, column]
        return rows_values(problem, index, tuple(rows))[0]

    first, second = values(halves[0]), values(halves[1])
    mixed = []
    for column in range(len(several)):
        chosen = halves[0].copy()
        chosen[:, column] = halves[1][:, column]
        mixed.append(values(chosen))
    names = [objective.quantity for objective in problem.objectives]
    faults: dict[str, str] = {}
    generator = np.random.default_rng(seed)
    again = generator.integers(0, base, size=(_RESAMPLED, base))
    shares: list[dict[int, Effects]] = []
    moments = []
    for place, name in enumerate(names):
        a, b, *rest = (_ready(sample[place], name, faults, log=log) for sample in (first, second, *mixed))
        together = np.concatenate([a, b])
        own: dict[int, Effects] = {}
        for column, axis in enumerate(several if name not in faults else []):
            total = (a - rest[column]) ** 2 / 2
            main = (b - together.mean()) * (rest[column] - a)
            spread = (a - b) ** 2 / 2  # whose mean is the variance, too
            own[axis] = _with_errors(total, main, spread, float(together.var()), again)
        shares.append(own)
        mean = together.mean()
        squares = ((together - mean) ** 2).mean() * product.size
        moments.append((np.array(float(product.size)), np.array(mean), np.array(squares)))
    return shares, moments, faults


def _with_errors(
    total: np.ndarray, main: np.ndarray, spread: np.ndarray, variance: float, again: np.ndarray
) -> Effects:
    if not variance > 0:
        return {"main": 0.0, "total": 0.0, "main_error": 0.0, "total_error": 0.0}
    of_samples = spread[again].mean(axis=1)
    of_samples = np.where(of_samples > 0, of_samples, variance)
    return {
        "main": float(main.mean()) / variance,
        "total": float(total.mean()) / variance,
        "main_error": float((main[again].mean(axis=1) / of_samples).std(ddof=1)),
        "total_error": float((total[again].mean(axis=1) / of_samples).std(ddof=1)),
    }
