"""Functions of a program beside what is expected of them: matches, rules, the litmus test, the status quo, segments.

A litmus test is a function whose growth is known exactly, such as a broadcast along a binomial tree made of plain
messages. Where it does not match, machine or noise changed the growth, and no other failure is laid to its function
(Shudler et al. 2019, Section 3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.expectation import Expectation, Verdict
from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries
from dse.models.measured_laws.kinds.expectations.growth import Growth
from dse.models.measured_laws.kinds.expectations.rules import Rule, broken_by
from dse.models.measured_laws.kinds.expectations.segments import FEWEST_SIZES, Segments, segments
from dse.models.measured_laws.kinds.expectations.status_quo import LEVEL_LIMIT, StoredLaw

__all__ = ["BAD_CONSTANT", "BAD_FIT", "JudgedFunction", "Judgement", "judge"]

BAD_FIT = 0.95
"""Adjusted R² of a law below which two laws may do better."""
BAD_CONSTANT = 0.25
"""Relative error of runs left out, above which a constant is doubted as much: it has no R²."""
_EXCUSE = "litmus failed: architecture or noise"
Litmus = Literal["holds", "fails"]


@dataclass(frozen=True)
class JudgedFunction:
    """A function beside its expectation.

    Attributes
    ----------
    name : str
    series : FittedSeries
        All its sizes under one law.
    expectation : Expectation or None
        None where nothing is expected.
    verdict : Verdict or None
    by_status_quo : bool
        Whether the expectation is the stored law.
    broken : tuple of Rule
    failed : bool
        Whether it fails, an excuse left aside.
    segments : Segments or None
    level : float or None
        Its law over the stored one at the largest size common to both.
    notes : tuple of str
    """

    name: str
    series: FittedSeries
    expectation: Expectation | None
    verdict: Verdict | None
    by_status_quo: bool = False
    broken: tuple[Rule, ...] = ()
    failed: bool = False
    segments: Segments | None = None
    level: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def compared(self) -> FittedSeries:
        """What is compared and carried on: the law right of a break, if there is one."""
        return self.segments.right if self.segments else self.series

    @property
    def growth(self) -> Growth:
        """The growth that is compared."""
        return self.compared.growth


@dataclass(frozen=True)
class Judgement:
    """All functions of a file.

    Attributes
    ----------
    functions : tuple of JudgedFunction
    litmus : str or None
        The function that is the litmus test.
    litmus_state : {"holds", "fails"} or None
    """

    functions: tuple[JudgedFunction, ...]
    litmus: str | None = None
    litmus_state: Litmus | None = None

    @property
    def excused(self) -> bool:
        """Whether failures are laid to machine or noise."""
        return self.litmus_state == "fails"

    def failures(self, *, strict: bool = False) -> tuple[JudgedFunction, ...]:
        """Return what fails; with `strict`, a litmus test that fails excuses nothing."""
        if self.excused and not strict:
            return ()
        return tuple(function for function in self.functions if function.failed)


def judge(
    series: Mapping[str, FittedSeries],
    expectations: Mapping[str, Expectation],
    *,
    rules: Iterable[Rule] = (),
    litmus: str | None = None,
    stored: Mapping[str, StoredLaw] | None = None,
    segmented: Iterable[str] = (),
    level_limit: float = LEVEL_LIMIT,
) -> Judgement:
    """Set functions beside what is expected of them.

    Parameters
    ----------
    series : mapping of str to FittedSeries
    expectations : mapping of str to Expectation
        A function without one takes the growth of its stored law, if there is one.
    rules : iterable of Rule
    litmus : str, optional
        The function whose growth is known exactly.
    stored : mapping of str to StoredLaw, optional
        The status quo.
    segmented : iterable of str
        Functions that may have two laws.
    level_limit : float
        What a level may be over the stored one without a warning; where larger is better, the stored one over it.

    Returns
    -------
    Judgement

    Raises
    ------
    InputError
        A rule or a litmus test of an unknown function, a litmus test of which nothing is expected.
    """
    names, stored, rules, two = list(series), stored or {}, list(rules), set(segmented)
    for rule in rules:
        rule.check_names(names)
    judged = {
        name: _judged(name, fitted, expectations.get(name), stored.get(name), name in two, level_limit)
        for name, fitted in series.items()
    }
    for name, broken in broken_by(rules, {name: function.growth for name, function in judged.items()}).items():
        violations = tuple(f"faster than the rule {rule} allows" for rule in broken)
        judged[name] = replace(judged[name], broken=broken, failed=True, notes=(*judged[name].notes, *violations))
    if litmus is None:
        return Judgement(tuple(judged.values()))
    if litmus not in judged:
        raise InputError(f"no function '{litmus}'", key="litmus", allowed=names, wrong=litmus, candidates=names)
    test = judged[litmus].verdict
    if test is None:
        raise InputError(f"nothing is expected of '{litmus}'", key="litmus", allowed="a function with a growth")
    state: Litmus = "fails" if test.match == "none" else "holds"
    if state == "fails":
        judged = {
            name: function if name == litmus else replace(function, notes=(*function.notes, _EXCUSE))
            for name, function in judged.items()
        }
    return Judgement(tuple(judged.values()), litmus, state)


def _judged(
    name: str,
    series: FittedSeries,
    expectation: Expectation | None,
    stored: StoredLaw | None,
    segmented: bool,
    level_limit: float,
) -> JudgedFunction:
    notes = list(series.law.warnings)
    split = segments(series) if segmented else None
    if segmented and len(series.sizes) < FEWEST_SIZES:
        notes.append(f"{len(series.sizes)} sizes are too few for two laws ({FEWEST_SIZES})")
    if split is None and not segmented and len(series.sizes) >= FEWEST_SIZES and (how := _bad_fit(series)):
        notes.append(f"one law fits badly ({how}): two may do better (segments)")
    compared = split.right if split else series
    by_status_quo = expectation is None and stored is not None
    if by_status_quo and stored is not None:
        expectation = stored.expectation(series.variable)
    verdict = expectation.judge(compared.growth) if expectation else None
    failed = verdict is not None and verdict.match == "none"
    if by_status_quo and verdict is not None and verdict.direction == "better":
        failed = False
        notes.append("better than what is stored: record it again")
    level = stored.level(compared) if stored else None
    if stored and stored.reduced != series.reduced:
        notes.append(f"the {series.reduced} of repetitions beside what is stored of the {stored.reduced}")
    worse_below = expectation is not None and expectation.larger_is_better
    if level is not None and (level * level_limit < 1.0 if worse_below else level > level_limit):
        notes.append(f"at the largest common size {level:.3g} times what is stored (limit {level_limit:g})")
    return JudgedFunction(
        name, series, expectation, verdict, by_status_quo, (), failed, split, level, tuple(dict.fromkeys(notes))
    )


def _bad_fit(series: FittedSeries) -> str:
    """Return in which way a law fits badly, or nothing."""
    r2, error = series.adjusted_r2, series.law.cross_validation_error
    if r2 is not None:
        return f"adjusted R² {r2:.2f}" if r2 < BAD_FIT else ""
    return f"a constant that misses by {100 * error:.0f} %" if error > BAD_CONSTANT else ""
