"""The search without a bound: how much of known frontiers it finds, and that it is the same every time.

Precision is the share of what was found that is on the frontier, recall the share of the frontier that was found.
"""

import itertools
from functools import cache

import numpy as np
import pytest

from dse import Study
from dse.errors import InputError
from dse.run.result.self_check import neighbours
from dse.search.driver import SearchOptions, search
from dse.search.evolve.evolve import evolve
from dse.search.evolve.genome import Genome
from dse.search.plan.strategy import METHODS, Strategy
from dse.search.start.visited import Visited
from dse.space.design_space import Product
from tests.engine_problems import Case, Limit, axis, function, random_case, same_bits

EVOLVE = SearchOptions(method="evolve")


def shares(found, exact):
    """Precision and recall."""
    found, exact = set(np.asarray(found).tolist()), set(np.asarray(exact).tolist())
    both = len(found & exact)
    return both / max(1, len(found)), both / max(1, len(exact))


@cache
def ska():
    return Study.load("ska-correlator").compiled


@cache
def narrow():
    """16.8 million designs, of which 28 are feasible: the sum of six numbers from 1 to 16 is 8 at most."""
    names = "abcdef"
    functions = [
        function("total", "a b c d e f", lambda *numbers: sum(numbers)),
        function("cost", "a b c d e f", lambda a, b, c, d, e, f: a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f),
        function("yield_", "a b c d e f", lambda a, b, c, d, e, f: a * b + c * d + e * f),
    ]
    product = Product("", tuple(axis(name, range(1, 17)) for name in names))
    limits = [Limit("total <= 8", lambda values: values["total"] <= 8)]
    return Case([product], functions, {"cost": "min", "yield_": "max"}, limits)


@cache
def narrow_found():
    return search(narrow().problem(), SearchOptions(method="evolve", evaluations=12_000))


def narrow_frontier():
    """By hand: the 28 feasible designs, compared pair by pair."""
    feasible = [rows for rows in itertools.product(range(3), repeat=6) if sum(rows) <= 2]
    assert len(feasible) == 28
    told = []
    for rows in feasible:
        a, b, c, d, e, f = (row + 1 for row in rows)
        number = sum(row * 16 ** (5 - place) for place, row in enumerate(rows))
        told.append((number, a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f, a * b + c * d + e * f))
    return [
        number
        for number, cost, gain in told
        if not any(c <= cost and g >= gain and (c < cost or g > gain) for _, c, g in told)
    ]


def test_a_space_in_which_no_random_design_is_feasible():
    """Amounts of missed limits lead there."""
    problem, genome = narrow().problem(), Genome(narrow().problem().space)
    thrown = Visited(problem)
    thrown.look(genome.decode(genome.random(30_000, np.random.default_rng(5))))
    assert len(thrown.archive.result()[1]) == 0
    found = narrow_found()
    assert found.certificate.evaluated <= 12_000
    assert shares(found.numbers, narrow_frontier()) == (1.0, 1.0)


def test_all_of_the_frontier_of_ska_correlator_is_found():
    exact = search(ska(), SearchOptions(method="exhaustive"))
    found = search(ska(), SearchOptions(method="evolve", evaluations=700))
    assert shares(found.numbers, exact.numbers) == (1.0, 1.0)
    assert same_bits(found.values, exact.values)


def test_what_is_found_of_random_spaces_with_a_third_of_their_designs():
    """Twelve spaces of up to 1500 designs, against the definition; ties of equal designs count, too."""
    rng, told = np.random.default_rng(11), []
    while len(told) < 12:
        case = random_case(rng)
        answer = case.answer()
        if not len(answer.numbers) or answer.designs < 300:
            continue
        found = search(case.problem(seed=len(told)), SearchOptions(method="evolve", evaluations=answer.designs // 3))
        assert found.certificate.evaluated <= answer.designs // 3
        told.append(shares(found.numbers, answer.numbers))
    precision, recall = np.mean(told, axis=0)
    assert precision > 0.9
    assert recall > 0.6


def test_without_a_limit_nearly_all_of_a_random_space_is_found():
    case = random_case(np.random.default_rng(3), largest=400)
    answer = case.answer()
    found = search(case.problem(), EVOLVE)
    precision, recall = shares(found.numbers, answer.numbers)
    assert precision == 1.0
    assert recall > 0.9


def test_a_space_of_many_alternatives():
    """A hundred alternatives, of which each has its own axis and the best ones are few."""
    functions = [
        function("time", "n own kind", lambda n, own, kind: (100.0 + (kind - 40.0) ** 2) / n + own),
        function("power", "n own", lambda n, own: n * (1.0 + 1.0 / own)),
    ]
    products = [
        Product(f"p{kind}", (axis("n", range(1, 21)), axis("own", range(1, 3 + kind % 7))), {"kind": float(kind)})
        for kind in range(100)
    ]
    case = Case(products, functions, {"time": "min", "power": "min"})
    answer = case.answer()
    found = search(case.problem(), SearchOptions(method="evolve", evaluations=answer.designs // 3))
    precision, recall = shares(found.numbers, answer.numbers)
    assert precision > 0.9
    assert recall > 0.9


def test_the_frontier_is_closed_along_single_axes():
    problem = narrow().problem()
    found = narrow_found()
    assert found.certificate.evolution.closed
    near = np.unique(np.concatenate(list(neighbours(problem, found.numbers))))
    visited = Visited(problem)
    visited.look(np.union1d(found.numbers, near))
    assert visited.archive.result()[1].tolist() == found.numbers.tolist()


def test_one_seed_gives_the_same_bytes_and_the_account_adds_up():
    runs = [search(ska(), SearchOptions(method="evolve", evaluations=400)) for _ in range(2)]
    assert runs[0].numbers.tobytes() == runs[1].numbers.tobytes()
    assert runs[0].values.tobytes() == runs[1].values.tobytes()
    assert runs[0].certificate == runs[1].certificate
    certificate, account = runs[0].certificate, runs[0].certificate.evolution
    assert (certificate.method, certificate.exact, certificate.headline([], {})) == (
        "evolve",
        False,
        "no bound is known",
    )
    assert certificate.evaluated == account.evaluations <= 400
    assert certificate.feasible is None
    assert "were looked at" in certificate.ties
    assert account.ended == "evaluations"
    assert narrow_found().certificate.evolution.population == 600
    whole = evolve(ska(), None).account
    assert whole.ended == "restarts"
    assert whole.restarts == 3
    assert whole.population == 48
    assert whole.generations == 20 * (len(whole.hypervolume) - 1) >= 100
    assert list(whole.hypervolume) == sorted(whole.hypervolume)


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 10**9])
def test_no_more_is_evaluated_than_asked_for(limit):
    certificate = search(ska(), SearchOptions(method="evolve", evaluations=limit)).certificate
    assert certificate.evaluated <= min(limit, certificate.designs)
    assert certificate.exact is False


def test_a_small_space_is_looked_at_whole_and_still_not_called_exact():
    case = Case([Product("", (axis("a", [1, 2, 3]),))], [function("f", "a", lambda a: a * 1.0)], {"f": "min"})
    found = search(case.problem(), EVOLVE)
    assert found.numbers.tolist() == [0]
    assert found.certificate.evaluated == 3
    assert found.certificate.exact is False
    assert "every design of the space was looked at" in found.certificate.warnings[0]


def test_nothing_feasible_is_an_empty_frontier_and_ends():
    case = Case(
        [Product("", (axis("a", range(1, 40)), axis("b", range(1, 40))))],
        [function("f", "a b", lambda a, b: a * b)],
        {"f": "min"},
        [Limit("f <= 0.5", lambda values: values["f"] <= 0.5)],
    )
    found = search(case.problem(), EVOLVE)
    assert len(found.numbers) == 0
    assert set(found.certificate.evolution.hypervolume) == {0.0}


def test_objectives_that_are_not_finite_are_counted_and_never_shown():
    case = Case(
        [Product("", (axis("a", [0.0, 1.0, 2.0, 4.0]), axis("b", range(1, 30))))],
        [function("f", "a b", lambda a, b: b / a), function("g", "a b", lambda a, b: a * b)],
        {"f": "min", "g": "min"},
    )
    found = search(case.problem(), EVOLVE)
    assert np.isfinite(found.values).all()
    assert 0 < found.certificate.evolution.not_finite <= 29
    assert "not finite" in " ".join(found.certificate.warnings)


def test_it_is_taken_by_name_only():
    assert "evolve" in METHODS
    for size in (10, 10**7, 10**12, 10**18):
        assert Strategy.choose(SearchOptions(), [size]).method != "evolve"
    with pytest.raises(InputError, match="evaluations"):
        SearchOptions(method="auto", evaluations=10)
    with pytest.raises(InputError, match="counted"):
        SearchOptions(method="evolve", count_infeasible=True)


def test_a_design_that_the_check_of_a_run_finds_is_taken_over_and_told():
    """So few evaluations that the check, which throws all 960 designs, knows better ones."""
    run = Study.load("ska-correlator").run(method="evolve", evaluations=40)
    exact = search(ska(), SearchOptions(method="exhaustive"))
    checked = run.manifest.certificate.checked
    assert checked["better"] > 0
    assert "taken over" in run.manifest.certificate.checked_text
    assert shares(run.frontier["design"], exact.numbers)[0] == 1.0


def test_a_refusal_of_a_large_table_offers_it_and_it_needs_none():
    """A function without a form for ranges, of 64 million combinations of axes."""
    names = "a b c d e h"
    slow = function("f", names, lambda a, b, c, d, e, h: a + b + c + (d - 3.0) ** 2 + e * h, points_only=True)
    other = function("g", names, lambda a, b, c, d, e, h: 1.0 / (a * b * c) + d + e + h)
    axes = tuple(axis(name, range(1, 21)) for name in names.split())
    problem = Case([Product("", axes)], [slow, other], {"f": "min", "g": "min"}).problem()
    with pytest.raises(InputError, match="method = 'evolve' needs no tables"):
        search(problem, SearchOptions(method="bundles"))
    found = search(problem, SearchOptions(method="evolve", evaluations=3_000))
    assert found.certificate.evaluated == 3_000
    assert found.certificate.evolution.ended == "evaluations"
    assert len(found.numbers) > 10
