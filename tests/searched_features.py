"""Random searches of every feature against brute force: what a few seeds of a test and thousands of a benchmark do.

Each check makes the system of a seed, searches it with the settings of large spaces, and compares with the frontier by
definition (`engine_problems`), or with every design (`cover_problems`). It returns whether the feature took part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from changed_settings import EAGER, MANY_LEVELS, SAMPLED, SMALL_ROUNDS, changed
from cover_problems import Known, made
from engine_problems import Case, random_case
from redundant_problems import random_redundant, true_claims
from sharing_problems import random_sharing, shares
from step_problems import random_steps
from stopped_searches import Looks, MemoryLedger, stops, untrue

from dse.errors import NonFiniteError
from dse.search.account.stopping import BUDGET, INTERRUPT
from dse.search.bundles import bundles
from dse.search.driver import SearchOptions, SearchResult, search
from dse.search.plan import strategy, work

__all__ = ["FEATURES"]

_LARGEST = 300
_METHODS = ("exhaustive", "bundles", "groups")
_KINDS = ("positive", "negative", "absolute", "mixed", "dense")


def _searched(case: Case, options: SearchOptions) -> SearchResult:
    result = search(case.problem(), options)
    case.answer().assert_equals(result.numbers, result.values)
    assert result.certificate.exact
    return result


def _refused(case: Case) -> bool:
    """Whether each method refuses a system whose objectives are not finite somewhere."""
    for method in _METHODS:
        try:
            search(case.problem(), SearchOptions(method, block=20))
        except NonFiniteError:
            continue
        return False
    return True


def _plain(method: str) -> Callable[[int], bool]:
    def check(seed: int) -> bool:
        rng = np.random.default_rng([11, seed])
        case = random_case(rng, largest=_LARGEST)
        with changed(MANY_LEVELS, SAMPLED if rng.random() < 0.5 else {}, chunk=int(rng.choice([50, 2**25]))):
            result = _searched(case, SearchOptions(method, block=int(rng.integers(1, 60))))
        certificate = result.certificate
        if method == "groups":
            return certificate.pruned_by_group > 0
        return certificate.excluded_by_bound > 0 if method == "bundles" else result.counters["chunks"] > 1

    return check


def _shared_axes(seed: int) -> bool:
    with changed(EAGER):
        return shares(_searched(random_sharing(np.random.default_rng([12, seed])), SearchOptions("groups")))


def _steps(seed: int) -> bool:
    """Groups that end inside functions."""
    with changed(MANY_LEVELS):
        result = _searched(random_steps(np.random.default_rng([13, seed])), SearchOptions("groups"))
    return any(" in f" in text or " in g" in text for text in result.certificate.groups)


def _redundancy(seed: int) -> bool:
    case = random_redundant(np.random.default_rng([14, seed]))
    with changed(MANY_LEVELS):
        return true_claims(case, _searched(case, SearchOptions("groups")).certificate).total() > 0


def _tolerance(seed: int) -> bool:
    case, tolerance = made(_KINDS[seed % len(_KINDS)], seed)
    known, problem = Known(case), case.problem()
    rng = np.random.default_rng([15, seed])
    with changed(MANY_LEVELS, SAMPLED if rng.random() < 0.5 else {}, chunk=60, inner=2):
        method = str(rng.choice(_METHODS))
        result = search(problem, SearchOptions(method, block=20, tolerance=tolerance))
    known.assert_covered(result.numbers, result.values * problem.signs + 0.0, tolerance)
    return len(result.numbers) < int(known.best.sum())


def _stopped(seed: int) -> bool:
    """What is said after every stop is true, and the end is the frontier, or covers it."""
    case, tolerance = made(_KINDS[seed % len(_KINDS)], seed)
    known, problem = Known(case), case.problem()
    if not np.isfinite(known.points).all():  # a product of made-up numbers has overflowed
        assert _refused(case)
        return False
    rng = np.random.default_rng([16, seed])
    within = tolerance if rng.random() < 0.3 else None
    options = SearchOptions(str(rng.choice(_METHODS)), block=20, tolerance=within, budget=1.0)
    with changed(MANY_LEVELS, SMALL_ROUNDS, inner=2):
        *before, end = stops(problem, options, looks=int(rng.integers(2, 12)))
        for result in before:
            assert [*untrue(known, problem, result, within)] == []
    if within is None:
        case.answer().assert_equals(end.numbers, end.values)
        assert end.certificate.exact
    else:
        known.assert_covered(end.numbers, end.values * problem.signs + 0.0, within)
    return bool(before)


def _resumed(seed: int) -> bool:
    """A search that is interrupted after some pieces, or in rounds, has the same end as one that is not."""
    rng = np.random.default_rng([17, seed])
    case = random_case(rng, largest=_LARGEST)
    problem, method, block = case.problem(), str(rng.choice(_METHODS)), int(rng.integers(3, 40))
    plain, inside = SearchOptions(method, block=block), SearchOptions(method, block=block, budget=1.0)
    ledger, stopped = MemoryLedger(), 0
    with changed(MANY_LEVELS, SMALL_ROUNDS, SAMPLED if rng.random() < 0.5 else {}, chunk=40, inner=2):
        for _ in range(int(rng.integers(1, 4))):
            options, why = (plain, INTERRUPT) if rng.random() < 0.5 else (inside, BUDGET)
            result = search(problem, options, ledger=ledger, stop=Looks(int(rng.integers(0, 3)), why))
            stopped += result.certificate.stopped is not None
        end = search(problem, plain, ledger=ledger)
    case.answer().assert_equals(end.numbers, end.values)
    assert end.certificate.exact
    return stopped > 0


def _auto(seed: int) -> bool:
    """Each alternative by the method that is expected to be the least work."""
    rng = np.random.default_rng([18, seed])
    case = random_case(rng, largest=_LARGEST)
    sizes = {strategy: {"_BUNDLES_FROM": 2, "_PRODUCT_BUNDLES_FROM": 20, "_GROUPS_FROM": 60, "_SMALL": 40}}
    counts = {work: {"_LOOK": float(rng.choice([1e4, 1e6, 1e12])), "_LEVELS": 1e5, "_PROOFS": 1e5, "_BOUND": 3e3}}
    with changed(MANY_LEVELS, sizes, counts):
        result = _searched(case, SearchOptions())
    return result.certificate.method != "exhaustive"


def _single_rows(seed: int) -> bool:
    """Innermost rows split one by one, whatever a sample says."""
    rng = np.random.default_rng([19, seed])
    case = random_case(rng, largest=_LARGEST)
    samples = iter(range(1_000_000, 0, -1))
    split = {bundles: {"_MANY": 0, "_SETTLED_FROM": 0.0, "expected_work": lambda *_: float(next(samples))}}
    with changed(MANY_LEVELS, split, inner=int(rng.integers(2, 9))):
        problem = case.problem()
        result = search(problem, SearchOptions(str(rng.choice(["bundles", "groups"]))))
    case.answer().assert_equals(result.numbers, result.values)
    return next(samples) < 1_000_000


FEATURES: Mapping[str, Callable[[int], bool]] = MappingProxyType(
    {
        "design by design": _plain("exhaustive"),
        "bundles": _plain("bundles"),
        "single rows": _single_rows,
        "groups": _plain("groups"),
        "groups that share axes": _shared_axes,
        "groups that end inside functions": _steps,
        "redundancy": _redundancy,
        "method by work": _auto,
        "tolerance": _tolerance,
        "stopped": _stopped,
        "resumed": _resumed,
    }
)
"""Checks by feature: each takes a seed, tells whether the feature took part, and raises where a search is wrong."""
