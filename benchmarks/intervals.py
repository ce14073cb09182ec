"""What the intervals of laws are calibrated by: the factor on theory that made-up growths need to be held.

An interval grows with its factor, so a truth is held from a least factor on, and one pass over the shapes gives that of
each series and target: a shape reaches a value t at squares S + (t - told)^2 / v, v the leverage of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.growths import KNOWN, TARGETS, Growth
from benchmarks.report import Column, Section

__all__ = ["least_factors", "run"]

RISING: dict[str, Growth] = {name: known.shape for name, known in KNOWN.items() if name not in ("1", "c + 1/p")}
FALLING: dict[str, Growth] = {"1/p": lambda p: 1.0 / p, "p^-.5": lambda p: p**-0.5, "log/p": lambda p: np.log2(p) / p}
HELD_OUT: dict[str, Growth] = {
    **{f"p^{power:g}": lambda p, power=power: p**power for power in (0.25, 0.75, 4 / 3, 5 / 3)},
    "p^1/3 log": lambda p: np.cbrt(p) * np.log2(p),
}
OFF_THE_STEPS: dict[str, Growth] = {
    f"p^{power:g}": lambda p, power=power: p**power for power in (0.37, 0.4, 0.7, 0.83, 1.1, 1.15)
}
GROUPS: dict[str, Mapping[str, Growth]] = {
    "rising": RISING,
    "falling": FALLING,
    "held out": HELD_OUT,
    "off the steps": OFF_THE_STEPS,
}
RISES = (1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0)
SIZES = (5, 7, 9)
NOISES = ((0.005, 5), (0.02, 1), (0.02, 5), (0.05, 1), (0.05, 5))
TRIALS = {"full": 120, "small": 4}
LEVEL, _SEED, _STEPS, _RANK, _FIRST = 0.9, 2026, 48, 1e-10, 32.0


def _family() -> tuple[np.ndarray, np.ndarray]:
    steps = np.arange(-2 * _STEPS, 2 * _STEPS + 1)
    shapes = [(i / _STEPS, j) for j in range(3) for i in steps if (i or j) and not (i < 0 and j > 1)]
    powers, logarithms = np.array(shapes).T
    return powers, logarithms


def _least_beside(squares: np.ndarray, logarithms: np.ndarray) -> np.ndarray:
    """Return the least squares of each shape and of the powers on either side of it."""
    linked = logarithms[1:] == logarithms[:-1]
    found = squares.copy()
    found[:, 1:] = np.minimum(found[:, 1:], np.where(linked, squares[:, :-1], np.inf))
    found[:, :-1] = np.minimum(found[:, :-1], np.where(linked, squares[:, 1:], np.inf))
    return np.where(np.isfinite(squares), found, np.inf)


def least_factors(sizes: np.ndarray, values: np.ndarray, targets: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the least factor at which the interval of each series holds the truth at each target.

    Parameters
    ----------
    sizes, values : ndarray, shapes (n,) and (series, n)
        Values above 0, with noise.
    targets, truth : ndarray, shape (targets,)

    Returns
    -------
    ndarray, shape (series, targets)
    """
    from scipy.special import stdtrit

    powers, logarithms = _family()
    shapes = sizes ** powers[:, None] * np.log2(sizes) ** logarithms[:, None]
    scale = np.abs(shapes).max(axis=1)
    shapes = shapes / scale[:, None]
    weights = values**-2.0
    one, cross, both = weights.sum(axis=1)[:, None], weights @ shapes.T, weights @ (shapes**2).T
    plain, along = (1.0 / values).sum(axis=1)[:, None], (1.0 / values) @ shapes.T
    determinant = one * both - cross**2
    usable = determinant > _RANK * one * both
    safe = np.where(usable, determinant, 1.0)
    slope, level = (one * along - cross * plain) / safe, (both * plain - cross * along) / safe
    alone, mean = along / both, plain / one

    def left(constant: Any, factor: Any) -> np.ndarray:
        told = constant[..., None] + factor[..., None] * shapes
        return np.asarray((weights[:, None, :] * (values[:, None, :] - told) ** 2).sum(axis=-1))

    squares = [np.where(usable, left(level, slope), np.inf), left(np.zeros_like(alone), alone)]
    flat = (weights * (values - mean) ** 2).sum(axis=1)[:, None]
    every = np.concatenate([*squares, flat], axis=1)
    kept_from = np.concatenate([*(_least_beside(part, logarithms) for part in squares), flat], axis=1)
    freedom = len(sizes) - 3
    found = []
    for target, there in zip(targets, truth, strict=True):
        x = target**powers * np.log2(target) ** logarithms / scale
        told = np.concatenate([level + slope * x, alone * x, mean], axis=1)
        leverage = [(both - 2.0 * cross * x + one * x * x) / safe, x * x / both, 1.0 / one]
        reach = every + (there - told) ** 2 / np.maximum(np.concatenate(leverage, axis=1), np.finfo(float).tiny)
        above = np.minimum(np.where(told >= there, kept_from, np.inf), reach).min(axis=1)
        below = np.minimum(np.where(told <= there, kept_from, np.inf), reach).min(axis=1)
        found.append(np.maximum(above, below) / every.min(axis=1) - 1.0)
    theory = float(stdtrit(freedom, 0.5 + 0.5 * LEVEL)) ** 2 / freedom
    return np.array(found).T / theory


def _risen(growth: Growth, sizes: np.ndarray, rise: float) -> Growth:
    begin, end = (float(growth(size)[0]) for size in (sizes[:1], sizes[-1:]))
    if end < begin:
        return lambda p: 1.0 + (rise - 1.0) * growth(p) / begin
    return lambda p: 1.0 + (rise - 1.0) * (growth(p) - begin) / (end - begin)


def _needed(group: Mapping[str, Growth], rise: float, trials: int, generator: np.random.Generator) -> float:
    """Return the factor that holds `LEVEL` of the truths in every cell of sizes and noise."""
    cells = []
    for count in SIZES:
        sizes = _FIRST * 2.0 ** np.arange(count)
        targets = sizes[-1] * np.array(TARGETS)
        for noise, repetitions in NOISES:
            factors = []
            for growth in group.values():
                law = _risen(growth, sizes, rise)
                runs = law(sizes) * (1.0 + noise * generator.standard_normal((trials, repetitions, count)))
                factors.append(least_factors(sizes, np.median(runs, axis=1), targets, law(targets)))
            cells.append(float(np.quantile(factors, LEVEL)))
    return max(cells)


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure the factor that each kind of growth needs, by its rise over the runs, beside the one taken."""
    from dse.models.measured_laws.fitting.interval import calibrated_factor

    generator, rows = np.random.default_rng(_SEED), []
    for rise in RISES:
        tell(f"rise {rise:g}")
        needed = {name: _needed(group, rise, TRIALS[designs], generator) for name, group in GROUPS.items()}
        rows.append({"rise": rise, "taken": calibrated_factor(np.array([1.0, rise])), **needed})
    return Section(
        "intervals",
        f"Factor on theory that {LEVEL:.0%} intervals of laws need (SYNTHETIC series)",
        [Column("rise", "rise"), *(Column(name, name, _two) for name in GROUPS), Column("taken", "taken", _two)],
        rows,
        notes=[
            f"the largest of {len(SIZES) * len(NOISES)} cells: {SIZES} sizes from 32 on, noise up to 5 %, single runs "
            f"and medians of 5; {TRIALS[designs]} series of each growth and cell; at 4, 16, 64 times the largest size",
            "of the medians alone: what repetitions tell of noise narrows intervals, and they hold more",
            "calibration: rising, falling; of what falls 1.6 is taken, whatever its rise; the others served no choice",
        ],
    )


def _two(value: float) -> str:
    return f"{value:.2f}"
