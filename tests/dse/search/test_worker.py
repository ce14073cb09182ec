"""Workers: made by one constructor, in this process and in others."""

import numpy as np
from engine_problems import Case, axis, function, random_case

from dse.evaluation import memory
from dse.search.plan import worker as module
from dse.search.plan.strategy import SearchOptions, Strategy
from dse.search.plan.worker import Worker
from dse.search.schedule.pool import _run
from dse.space.design_space import Product


class Sent:
    """A factory as a process is sent one."""

    def __init__(self, problem):
        self._problem = problem

    def problem(self):
        return self._problem


def test_every_worker_keeps_memory(monkeypatch):
    """Those of other processes too, which a search there is a tenth to a quarter quicker for."""
    kept = []
    monkeypatch.setattr(module, "keep_memory", lambda: kept.append(True))
    problem = random_case(np.random.default_rng(1)).problem()
    strategy = Strategy.choose(SearchOptions(method="bundles"), [problem.space.size])
    here = Worker(problem, strategy)
    there = _run((0, 0), Sent(problem), strategy, here.seeds, here.chunks()[0])
    assert len(kept) == 2
    assert there.numbers.tolist() == here.run(here.chunks()[0]).numbers.tolist()
    assert memory.keep_memory is not module.keep_memory


def test_a_worker_makes_only_what_its_chunks_need():
    """Products of other chunks are not planned."""
    for seed in range(20):
        problem = random_case(np.random.default_rng(seed)).problem()
        if len(problem.space.products) > 1:
            break
    strategy = Strategy.choose(SearchOptions(method="exhaustive"), [product.size for product in problem.space.products])
    worker = Worker(problem, strategy, seeds=None)
    worker.run((1, 0))
    assert list(worker._searches) == [1]


def test_of_products_that_have_ended_the_tables_are_given_back_and_the_account_stays():
    problem = Case(
        [Product(name, (axis("a", range(1, 30)), axis("b", range(1, 30)))) for name in ("first", "second")],
        [function("time", "a b", lambda a, b: a + 2.0 * b), function("cost", "a b", lambda a, b: 60.0 - a - b)],
        {"time": "min", "cost": "min"},
        [],
    ).problem()
    worker = Worker(problem, Strategy("bundles", "asked for"), None)
    orders = [worker.search(index).orders for index in range(2)]
    worker.end([0])
    assert worker.open_searches == [worker.search(1)]
    assert worker.search(0).evaluator.cut == {}
    assert worker.search(0).points == {}
    assert worker.search(1).points
    for index in range(2):
        for before, after in zip(orders[index], worker.search(index).orders, strict=True):
            np.testing.assert_array_equal(before, after)
