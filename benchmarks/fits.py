"""Laws of growth from few sizes: how often the term, the power and the interval are right, beside `extrap` from PyPI.

Series are made up (`growths`). Both fit the medians, so the same numbers; what the repetitions tell of the noise counts
in the intervals alone, which the other does not have. Neither is told before where it will be asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.growths import KNOWN, OUTSIDE, TARGETS, Series, series
from benchmarks.peer_environment import EXTRAP, Unavailable, ask_extrap
from benchmarks.report import Column, Section, seconds
from dse.models.measured_laws.fitting.fit import fit

__all__ = ["run", "scores"]

SIZES = (5, 7, 9)
NOISES = ((0.0, 1), (0.02, 5), (0.02, 1), (0.05, 5), (0.05, 1))
"""Relative standard deviation of a run, and runs per size."""
TRIALS = {"full": 3, "small": 1}
LEVEL, _SEED, _EXACT, _NEAR = 0.9, 2026, 1e-9, 0.25 + 1e-9
THEIRS = {"extrap": False, "extrap, falling": True}
"""As it comes, and with its option for negative exponents."""


class Answer(NamedTuple):
    """Terms that are no constant as (power, logarithms), values and intervals at the targets, processor time [s]."""

    terms: list[tuple[float, float]]
    told: list[float]
    intervals: list[tuple[float, float]] | None
    seconds: float


def ours(one: Series) -> Answer:
    """Fit a series by `dse.models.measured_laws.fitting`; the intervals are not counted in its time."""
    start = time.process_time()
    law = fit(one.runs.ravel(), {"p": np.tile(one.sizes, len(one.runs))})
    taken = time.process_time() - start
    points = [{"p": target} for target in one.targets.tolist()]
    factors = [term.factors[0] for term in law.terms if not term.constant]
    terms = [(float(factor.exponent), float(factor.logarithms)) for factor in factors]
    return Answer(terms, [law.at(each) for each in points], [law.band(each, LEVEL) for each in points], taken)


def theirs(many: Sequence[Series], falling: bool) -> list[Answer]:
    """Let `extrap` model all series."""
    found = ask_extrap([one.plain() for one in many], falling)
    return [Answer([(i, j) for i, j in one["terms"]], one["told"], None, one["seconds"]) for one in found]


def scores(many: Sequence[Series], answers: Sequence[Answer]) -> dict[str, Any]:
    """Return shares of exact terms and near powers, errors 64 times beyond the runs, and what intervals hold."""
    exact, near, errors, held, widths = [], [], [], [], []
    for one, answer in zip(many, answers, strict=True):
        if one.growth in KNOWN:
            known = KNOWN[one.growth]
            truth = (known.exponent, float(known.logarithms))
            wanted = [] if truth == (0.0, 0.0) else [truth]
            exact.append(np.array_equal(np.round(answer.terms, 9), np.round(wanted, 9)))
            leading = max(answer.terms, default=(0.0, 0.0))
            near.append(abs(leading[0] - known.exponent) <= _NEAR)
        errors.append(abs(answer.told[-1] / one.truth[-1] - 1.0))
        for (low, high), truth_there in zip(answer.intervals or (), one.truth, strict=bool(answer.intervals)):
            slack = _EXACT * truth_there
            held.append(low - slack <= truth_there <= high + slack)
            widths.append((high - low) / truth_there)
    return {
        "exact": float(np.mean(exact)) if exact else None,
        "near": float(np.mean(near)) if near else None,
        "error": float(np.median(errors)),
        "error_90": float(np.quantile(errors, 0.9)),
        "coverage": float(np.mean(held)) if held else None,
        "width": float(np.median(widths)) if widths else None,
        "seconds": float(np.median([answer.seconds for answer in answers])),
    }


def _cells(names: Sequence[str], trials: int) -> dict[tuple[int, float, int], list[Series]]:
    generator = np.random.default_rng(_SEED)
    return {
        (count, noise, repetitions): [
            series(name, count, noise, repetitions, generator) for name in names for _ in range(trials if noise else 1)
        ]
        for count in SIZES
        for noise, repetitions in NOISES
    }


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Fit all series by both, and those outside the family by this project alone."""
    cells = _cells(list(KNOWN), TRIALS[designs])
    everything = [one for many in cells.values() for one in many]
    rows: list[dict[str, Any]] = []
    notes = [
        f"series per line: {len(KNOWN)} without noise, {len(KNOWN) * TRIALS[designs]} with; seed {_SEED}; growths: "
        + ", ".join(KNOWN),
        f"coverage and width (median, over the truth): {LEVEL:.0%} intervals at "
        + ", ".join(f"{target:g}" for target in TARGETS)
        + " times the largest size",
        "term: share of exactly the terms; ± 1/4: of the powers; error: at 64 times the largest size, median and 90 %",
        "time: processor time of one fit (median); extrap has no intervals",
    ]
    tell("this project")
    ours(everything[0])
    methods = {"dse": [ours(one) for one in everything]}
    for name, falling in THEIRS.items():
        tell(name)
        try:
            methods[name] = theirs(everything, falling)
        except Unavailable as reason:
            notes.append(f"{name} was left out: {reason}")
    begin = 0
    for (count, noise, repetitions), many in cells.items():
        for name, answers in methods.items():
            case = {"sizes": count, "noise": _noise(noise, repetitions), "method": name, "growth": "known"}
            rows.append({**case, **scores(many, answers[begin : begin + len(many)])})
        begin += len(many)
    tell("outside the family")
    for growth in OUTSIDE:
        outside = _cells([growth], TRIALS[designs])
        for count in SIZES:
            many = [one for cell, several in outside.items() if cell[0] == count and cell[1] for one in several]
            case = {"sizes": count, "noise": "all", "method": "dse", "growth": growth}
            rows.append({**case, **scores(many, [ours(one) for one in many])})
    return Section(
        "fits",
        f"Laws of growth from few sizes (SYNTHETIC series), beside extrap {EXTRAP}",
        [
            Column("growth", "growth"),
            Column("sizes", "sizes"),
            Column("noise", "noise"),
            Column("method", "fit by"),
            Column("exact", "term", _percent),
            Column("near", "± 1/4", _percent),
            Column("error", "error", _percent),
            Column("error_90", "90 %", _percent),
            Column("coverage", "held", _percent),
            Column("width", "width", _percent),
            Column("seconds", "time", seconds),
        ],
        rows,
        notes=notes,
    )


def _noise(noise: float, repetitions: int) -> str:
    if not noise:
        return "none"
    return f"{noise:.0%}, {repetitions} run{'s' if repetitions > 1 else ''}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.3g} %"
