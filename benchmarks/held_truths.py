"""Whether intervals hold what they say: made-up laws of several families, drawn anew, by the two doors to a prediction.

`dse fit` gives a law of growth, `dse energy` a curve over nodes; each says between what the value lies. Truths have
other parameters each time (`FAMILIES`), are measured with noise on five sizes, and asked for beyond them. `extrap` from
PyPI has no intervals: its error stands beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.growths import TARGETS, Growth
from benchmarks.peer_environment import EXTRAP, Unavailable, ask_extrap
from benchmarks.report import Column, Section
from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.kinds.energy.history import history
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy

__all__ = ["FAMILIES", "Draw", "draws", "held", "run"]

SIZES = 2.0 ** np.arange(2, 7)
NOISES = ((0.01, 3), (0.03, 3), (0.02, 1))
"""Relative standard deviation of a run, and runs per size."""
TRIALS = {"full": 300, "small": 5}
MOST_BY_EXTRAP = 40
"""Truths of a family and noise that `extrap` is asked for: a model takes it a tenth of a second."""
LEVEL, _SEED = 0.9, 31


def _amdahl_energy(rng: np.random.Generator) -> Growth:
    serial, idle = 10.0 ** rng.uniform(-3.0, -1.0), rng.uniform(0.2, 0.6)
    return lambda n: 100.0 * (1.0 + (n - 1.0) * idle * serial)


def _amdahl_time(rng: np.random.Generator) -> Growth:
    serial = 10.0 ** rng.uniform(-3.0, -1.0)
    return lambda n: 1000.0 * (serial + (1.0 - serial) / n)


def _power_law(rng: np.random.Generator) -> Growth:
    power, level, factor = rng.uniform(0.3, 2.0), rng.uniform(0.0, 10.0), rng.uniform(0.5, 2.0)
    return lambda n: level + factor * n**power


def _parabola(rng: np.random.Generator) -> Growth:
    slope, bend = rng.uniform(0.2, 2.0), rng.uniform(0.002, 0.05)
    return lambda n: 100.0 + slope * n + bend * n**2


def _log_linear(rng: np.random.Generator) -> Growth:
    level, factor = rng.uniform(1.0, 50.0), rng.uniform(0.05, 1.0)
    return lambda n: level + factor * n * np.log2(n)


def _constant(rng: np.random.Generator) -> Growth:
    level = rng.uniform(1.0, 100.0)
    return lambda n: level + 0.0 * n


def _rising_tail(rng: np.random.Generator) -> Growth:
    factor, power = 10.0 ** rng.uniform(-2.3, -1.3), rng.uniform(0.3, 1.0)
    return lambda n: 10.0 / n + factor * n**power


FAMILIES: dict[str, Callable[[np.random.Generator], Growth]] = {
    "Amdahl, energy": _amdahl_energy,
    "Amdahl, time": _amdahl_time,
    "power law": _power_law,
    "parabola": _parabola,
    "n log n": _log_linear,
    "constant": _constant,
    "falling, rising tail": _rising_tail,
}
FALLING = ("Amdahl, time", "falling, rising tail")
"""What is drawn: parameters are ours; those of rising tails let the tail be a little or most of the last value."""


class Draw(NamedTuple):
    """Runs of one truth, of shape (repetitions, sizes), and the truth at the targets."""

    runs: np.ndarray
    targets: np.ndarray
    truth: np.ndarray


def draws(family: str, trials: int, noise: float, repetitions: int, rng: np.random.Generator) -> list[Draw]:
    """Return truths of a family, each with runs that have relative normal noise."""
    drawn, targets = [], SIZES[-1] * np.array(TARGETS)
    for _ in range(trials):
        law = FAMILIES[family](rng)
        runs = law(SIZES) * (1.0 + noise * rng.standard_normal((repetitions, len(SIZES))))
        drawn.append(Draw(runs, targets, law(targets)))
    return drawn


Told = tuple[float, float, float]
"""Value, and least and greatest end of its interval."""


def by_law(draw: Draw) -> list[Told]:
    """Return what the law of growth says at the targets."""
    law = fit(draw.runs.ravel(), {"n": np.tile(SIZES, len(draw.runs))})
    return [(law.at({"n": target}), *law.band({"n": target}, LEVEL)) for target in draw.targets.tolist()]


def by_curve(draw: Draw) -> list[Told]:
    """Return what the curve of energy says at the targets."""
    model = FittedEnergy({"energy": history(np.tile(SIZES, len(draw.runs)), draw.runs.ravel(), what="energy")})
    answers = []
    for target in draw.targets.tolist():
        value = float(model.curves["energy"].unchecked(target))
        interval = model.predict("energy", target, LEVEL)
        answers.append((value, *(interval[:2] if interval is not None else (np.nan, np.nan))))
    return answers


def held(many: Sequence[Draw], answers: Sequence[Sequence[Told]]) -> dict[str, Any]:
    """Return shares of truths held and median widths over the truth by target, and the errors of 90 %."""
    truth = np.array([draw.truth for draw in many])
    value, low, high = np.moveaxis(np.array(answers), -1, 0)
    inside = (low <= truth * (1.0 + 1e-9)) & (truth * (1.0 - 1e-9) <= high)
    known = np.isfinite(low).all()
    return {
        "held": (inside.mean(axis=0) if known else np.full(inside.shape[1], np.nan)).tolist(),
        "width": np.median((high - low) / truth, axis=0).tolist(),
        "error": np.quantile(np.abs(value / truth - 1.0), 0.9, axis=0).tolist(),
    }


def _doors(family: str) -> dict[str, Callable[[Draw], list[Told]]]:
    """Return the doors at which a family is asked: times fall, and curves over nodes are none of theirs."""
    return {"fit": by_law} if family in FALLING else {"fit": by_law, "energy": by_curve}


def _by_extrap(many: Sequence[Draw]) -> list[list[Told]]:
    asked = [
        {"sizes": SIZES.tolist(), "values": np.median(draw.runs, axis=0).tolist(), "targets": draw.targets.tolist()}
        for draw in many
    ]
    return [[(value, np.nan, np.nan) for value in model["told"]] for model in ask_extrap(asked, True)]


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Draw truths of every family, and tell what share the intervals hold, how wide they are, and the errors."""
    rows, notes = [], []
    trials, missing = TRIALS[designs], False
    for noise, repetitions in NOISES:
        for family in FAMILIES:
            tell(f"{family}, {noise:.0%}")
            many = draws(family, trials, noise, repetitions, np.random.default_rng(_SEED))
            answers = {name: [door(draw) for draw in many] for name, door in _doors(family).items()}
            if not missing:
                try:
                    answers["extrap"] = _by_extrap(many[:MOST_BY_EXTRAP])
                except Unavailable as reason:
                    missing = True
                    notes.append(f"extrap was left out: {reason}")
            runs = f"{noise:.0%}, {repetitions} run{'s' if repetitions > 1 else ''}"
            rows += [
                {"family": family, "noise": runs, "door": name, **held(many[: len(said)], said)}
                for name, said in answers.items()
            ]
    return Section(
        "held",
        f"What {LEVEL:.0%} intervals hold beyond the runs (SYNTHETIC truths), beside extrap {EXTRAP}",
        [
            Column("family", "truth"),
            Column("noise", "noise"),
            Column("door", "asked of"),
            Column("held", "held", _shares),
            Column("width", "width", _shares),
            Column("error", "error", _shares),
        ],
        rows,
        notes=[
            f"{trials} truths of each family and noise, seed {_SEED}, on {', '.join(f'{size:g}' for size in SIZES)}",
            "at "
            + ", ".join(f"{target:g}" for target in TARGETS)
            + " times the largest: shares held in percent, median "
            "widths over the truth, errors of the value that 90 % stay below",
            "a parabola is a sum of two growths: `dse fit` says that they are missed, `dse energy` has it",
            f"extrap: with falling powers allowed, the first {MOST_BY_EXTRAP} truths; it has no intervals",
            *notes,
        ],
    )


def _shares(values: Sequence[float]) -> str:
    return " ".join("–" if np.isnan(value) else f"{100 * value:.0f}" for value in values)
