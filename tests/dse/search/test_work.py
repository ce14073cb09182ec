"""The method of an alternative by counted work: no clock, the same for everybody, and what follows from the counts."""

import time
from itertools import count

import numpy as np
import pytest
from engine_problems import Case, axis, function, random_case

import dse.evaluation.plan as planning
from dse.search.account.tolerance import Tolerance
from dse.search.plan import strategy, work
from dse.search.plan.strategy import SearchOptions, Strategy
from dse.search.plan.work import counted_work, least_of_all_designs, of_proofs
from dse.search.plan.worker import Worker
from dse.space.design_space import Product


@pytest.fixture
def joined(monkeypatch):
    """Nothing is tabulated; every space is large enough for bundles and groups."""
    monkeypatch.setattr(planning, "_LIMITS", (1.0,))
    planning._cached.cache_clear()
    for name, value in (("_BUNDLES_FROM", 2), ("_PRODUCT_BUNDLES_FROM", 2), ("_GROUPS_FROM", 2)):
        monkeypatch.setattr(strategy, name, value)
    yield
    planning._cached.cache_clear()


def _case():
    axes = tuple(axis(name, range(1, 21)) for name in "abc")
    functions = [
        function("x", "a b", lambda a, b: a * b + a),
        function("y", "x c", lambda x, c: c / x),
    ]
    return Case([Product("", axes)], functions, {"x": "min", "y": "min"})


def _method(problem):
    chosen = Strategy.choose(SearchOptions(), [product.size for product in problem.space.products])
    return Worker(problem, chosen, None).search(0).method


def test_the_work_of_all_designs_is_that_of_each_function_on_the_rows_it_reads(joined):
    problem = _case().problem()
    operations = dict(zip(("x", "y"), problem.structure(0).operations, strict=True))
    lengths = [20**3 if len(problem.plan(0).atoms) == 1 else 20**2, 20**3]
    counted = counted_work(problem, 0)
    assert counted.joined == sum(operations.values())
    assert counted.all_designs == work._LOOK * 8_000 + operations["x"] * lengths[0] + operations["y"] * lengths[1]
    assert counted.all_designs > least_of_all_designs(8_000)
    assert counted.proofs == of_proofs(problem, 0) == work._PROOFS + work._PAIR * 2 * sum(operations.values())


def test_the_least_counted_work_is_taken(joined, monkeypatch):
    problem = _case().problem()
    assert _method(problem) == "exhaustive"
    monkeypatch.setattr(work, "_LOOK", 1e12)
    assert _method(problem) == "groups"
    monkeypatch.setattr(work, "_PROOFS", 1e17)
    assert _method(problem) == "bundles"
    monkeypatch.setattr(work, "_BOUND", 1e18)
    assert _method(problem) == "exhaustive"


def test_no_clock_decides_and_every_worker_chooses_alike(joined, monkeypatch):
    """Whether time stands still or runs a thousand seconds a look, and in whatever order alternatives are made."""
    monkeypatch.setattr(work, "_LOOK", 1e4)
    monkeypatch.setattr(work, "_LEVELS", 1e5)
    monkeypatch.setattr(work, "_PROOFS", 1e5)
    monkeypatch.setattr(work, "_BOUND", 3e3)
    taken = set()
    for seed in range(30):
        problem = random_case(np.random.default_rng(seed), largest=600).problem()
        chosen = Strategy.choose(SearchOptions(), [product.size for product in problem.space.products])
        order, methods = [*range(len(problem.space.products))], []
        for step, places in ((0.0, order), (1e3, order[::-1])):
            now = count(0.0, step)
            with monkeypatch.context() as patch:
                for clock in ("process_time", "perf_counter", "monotonic"):
                    patch.setattr(time, clock, lambda: next(now))  # noqa: B023
                worker = Worker(problem, chosen, None)
                methods.append({index: worker.search(index).method for index in places})
        assert methods[0] == methods[1]
        taken.update(methods[0].values())
    assert taken == {"exhaustive", "bundles", "groups"}


def test_what_is_asked_for_is_taken_whatever_the_counts_are(joined):
    problem = _case().problem()
    for method in ("exhaustive", "bundles", "groups"):
        chosen = Strategy.choose(SearchOptions(method), [8_000])
        assert not chosen.by_work
        assert Worker(problem, chosen, None).search(0).method in (method, "bundles")


def test_a_study_within_a_tolerance_keeps_the_method_of_its_size():
    """There the method decides which designs stand for those left out."""
    sizes = [20_000_000]
    within = SearchOptions("auto", tolerance=Tolerance(("x",), ("relative",), (0.01,)))
    assert Strategy.choose(SearchOptions("auto"), sizes).by_work
    assert not Strategy.choose(within, sizes).by_work


def test_a_fallback_of_bundles_that_were_only_sampled_is_not_told(joined, monkeypatch):
    """Bundles that have no form for ranges say so, unless something else is taken."""
    odd = function("odd", "a b", lambda a, b: np.broadcast_to(a, np.broadcast_shapes(a.shape, b.shape)) - b)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(4)))
    problem = Case([Product("", axes)], [odd, function("x", "odd c", lambda odd, c: odd * c)], {"x": "min"}).problem()
    monkeypatch.setattr("dse.search.plan.worker._LARGEST_FORCED", 20)
    monkeypatch.setattr(work, "_LOOK", 1e8)
    worker = Worker(problem, Strategy.choose(SearchOptions(), [120]), None)
    worker.search(0)
    assert not any("every design was evaluated" in text for text in worker.fallbacks) or (
        worker.search(0).method == "exhaustive"
    )
