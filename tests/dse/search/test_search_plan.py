"""What a search will do, told before it: by what is asked and by sizes, and what others would help."""

import numpy as np
import pytest
from engine_problems import Case, Product, axis, function, random_case

import dse.evaluation.plan as planning
from dse.search.account.estimate import Estimate
from dse.search.driver import SearchOptions, search
from dse.search.plan.estimate import estimate_problem
from dse.search.plan.search_plan import plan_search


@pytest.fixture(autouse=True)
def four_processors(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)


@pytest.fixture
def small_tables(monkeypatch):
    monkeypatch.setattr(planning, "_LIMITS", (1.0,))
    planning._cached.cache_clear()
    yield
    planning._cached.cache_clear()


def _case(*sizes):
    products = [Product(f"of {size}", (axis("a", range(1, size + 1)), axis("b", range(1, 6)))) for size in sizes]
    functions = [function("x", "a b", lambda a, b: a + b), function("y", "a b", lambda a, b: 1.0 / a + b)]
    return Case(products, functions, {"x": "min", "y": "min"})


def test_the_plan_is_what_the_search_does(monkeypatch):
    """Small alternatives first, then large ones; those that are worth it by groups or bundles."""
    monkeypatch.setattr("dse.search.plan.strategy._BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.strategy._PRODUCT_BUNDLES_FROM", 60)
    monkeypatch.setattr("dse.search.plan.strategy._SMALL", 150)
    monkeypatch.setattr("dse.search.plan.strategy._GROUPS_FROM", 500)
    problem = _case(4, 20, 40, 120).problem()
    plan = plan_search(problem, SearchOptions())
    assert (plan.asked, plan.method) == ("auto", "groups")
    assert [(s.alternatives, s.designs, s.ways) for s in plan.stages] == [
        (2, 120, {"exhaustive": 1, "bundles": 1}),
        (2, 800, {"bundles": 1, "groups": 1}),
    ]
    assert sum(stage.designs for stage in plan.stages) == problem.space.size
    assert search(problem).certificate.reason.startswith(plan.reason)
    assert plan.lines[0] == f"method: auto takes groups ({plan.reason})"
    assert plan.lines[1] == (
        "stages: 2 alternatives, 120 designs, design by design (1) or by bundles (1); then "
        "2 alternatives, 800 designs, by bundles (1) or by groups, then bundles (1)"
    )


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_what_is_asked_for_is_told_as_such(method):
    plan = plan_search(_case(4, 9).problem(), SearchOptions(method))
    assert plan.lines == [f"method: {method} (asked for)"]
    assert plan.stages[0].ways == {method: 2}


def test_a_form_that_a_product_lacks_is_told_before_the_search(small_tables, monkeypatch):
    monkeypatch.setattr("dse.search.plan.worker._LARGEST_FORCED", 20)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(4)))
    odd = function("odd", "a b", lambda a, b: np.broadcast_to(a, np.broadcast_shapes(a.shape, b.shape)) - b)
    case = Case([Product("", axes)], [odd, function("x", "odd c", lambda odd, c: odd * c)], {"x": "min"})
    options = SearchOptions("bundles")
    plan = plan_search(case.problem(), options, estimate_problem(case.problem(), options))
    done = search(case.problem(), options).certificate.reason
    assert "every design was evaluated, because odd fails" in done
    assert "; ".join(["asked for", *plan.fallbacks]) == done.replace("was evaluated", "is evaluated")


def _workers(seconds, **other):
    estimate = Estimate(seconds, 2.0**20, False, 1, **{"processes": 1, **other})
    return plan_search(_case(4).problem(), SearchOptions("exhaustive"), estimate).workers


def test_more_workers_are_advised_where_they_help():
    assert _workers(0.2) == "1 process; others would not make it quicker"
    assert _workers(100.0, chunks=50) == "1 process; 4 would take about 25 s, 5 times the memory (--jobs 4)"
    assert _workers(100.0, chunks=2) == "1 process; 4 would take about 50 s, 5 times the memory (--jobs 4)"
    assert _workers(100.0, chunks=1) == "1 process; there is one piece, which others cannot share"
    assert _workers(100.0, planned=90.0, chunks=50) == "1 process; others would not make it quicker"
    assert _workers(100.0, processes=4, chunks=50) == "4 processes"
    assert _workers(3_600.0, processes=4, chunks=500) == (
        "4 processes; 100 workers of a cluster about 2.4 min (--cluster tcp://HOST:PORT)"
    )


def test_a_search_without_a_bound_is_offered_where_every_design_must_be_evaluated_for_long():
    problem = _case(4).problem()
    long = Estimate(1e4, None, False, 1, 1, fallbacks=("every design was evaluated, because x has no form",))
    plan = plan_search(problem, SearchOptions("bundles"), long)
    assert plan.fallbacks == ("every design is evaluated, because x has no form",)
    assert "--method evolve looks at some, without a bound" in plan.lines[-1]
    assert not plan_search(problem, SearchOptions("bundles"), Estimate(1e4, None, False, 1, 1)).evolve
    evolve = plan_search(problem, SearchOptions("evolve"), long)
    assert evolve.lines[0].startswith("method: evolve (asked for: good designs, and no bound is known")
    assert evolve.as_dict()["method"] == "evolve"


def test_every_random_problem_has_a_plan_of_all_its_designs():
    for seed in range(30):
        problem = random_case(np.random.default_rng(seed)).problem()
        for method in ("auto", "exhaustive", "bundles", "groups"):
            plan = plan_search(problem, SearchOptions(method))
            assert sum(stage.designs for stage in plan.stages) == problem.space.size
            assert sum(stage.alternatives for stage in plan.stages) == len(problem.space.products)
