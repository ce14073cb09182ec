"""What a search is expected to take: measured on a sample, told in words, and never silent where it is hopeless."""

from __future__ import annotations

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function
from hypothesis import given
from hypothesis import strategies as st

from dse.search.account.estimate import Estimate
from dse.search.account.progress import Callbacks
from dse.search.bundles import bundles
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import search
from dse.search.plan.estimate import estimate_problem, estimate_searches
from dse.search.plan.strategy import SearchOptions, Strategy
from dse.search.plan.worker import Worker
from dse.space.design_space import Product


class Clock:
    """Processor time that passes with the designs a model is called on: a millisecond each, a microsecond a range."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr("dse.search.account.elapsed.time.process_time", lambda: self.now)

    def through(self, values):
        self.now += 1e-3 * values.size if isinstance(values, np.ndarray) else 1e-6 * values.low.size
        return values


def _counted(clock, counts, limits=()):
    axes = tuple(axis(name, range(1, count + 1)) for name, count in zip("abc", counts, strict=True))
    functions = [
        function("x", "a b c", lambda a, b, c: clock.through(a * b + c)),
        function("y", "a b c", lambda a, b, c: 100.0 / a + b + c),
    ]
    return Case([Product("", axes)], functions, {"x": "min", "y": "min"}, [*limits])


@pytest.fixture
def joined(monkeypatch):
    """Nothing is tabulated, so that time passes in the loop."""
    import dse.evaluation.plan as planning

    monkeypatch.setattr(planning, "_LIMITS", (1.0,))
    planning._cached.cache_clear()
    yield
    planning._cached.cache_clear()


def test_the_time_of_a_search_design_by_design_is_that_of_all_designs(monkeypatch, joined):
    clock = Clock(monkeypatch)
    case = _counted(clock, (40, 50, 60))
    found = estimate_problem(case.problem(), SearchOptions("exhaustive", block=1000))
    assert found.seconds == pytest.approx(120.0, rel=0.02)
    assert 0 < found.measured < 12_000
    assert not found.at_most


@pytest.mark.parametrize("most", [40, 300])
def test_the_time_of_a_search_by_bundles_is_near_what_it_takes(monkeypatch, joined, most):
    """The share of boxes that is left from level to level tells how many single designs are met in the end."""
    clock = Clock(monkeypatch)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 16)
    monkeypatch.setattr(bundles, "_FOLLOWED", 64)
    case = _counted(clock, (40, 50, 60), [Limit(f"x <= {most}", lambda v: v["x"] <= most)])
    options = SearchOptions("bundles")
    worker = Worker(case.problem(), Strategy.choose(options, [120_000]))
    found = estimate_searches(worker, options)
    begun = clock.now
    for chunk in worker.chunks():
        worker.run(chunk)
    assert (clock.now - begun) / 4 <= found.seconds <= 6 * (clock.now - begun)
    assert found.seconds < 100.0


def _wide(count):
    """Four values on each of many axes, and sums that bounds say little of."""
    names = [f"x{place}" for place in range(count)]
    body = ", ".join(names)
    total = eval(f"lambda {body}: {' + '.join(names)}")
    other = eval(f"lambda {body}: {' + '.join(f'(3 - {name}) * {place % 5 + 1}' for place, name in enumerate(names))}")
    axes = tuple(axis(name, [0, 1, 2, 3]) for name in names)
    functions = [function("x", " ".join(names), total), function("y", " ".join(names), other)]
    return Case([Product("", axes)], functions, {"x": "min", "y": "min"})


def test_four_times_ten_to_the_eighteen_designs_are_hopeless_and_nothing_overflows():
    case = _wide(31)
    found = estimate_problem(case.problem(), SearchOptions("exhaustive"))
    assert case.products[0].size == 2**62
    assert found.hopeless
    assert found.seconds > 2**62 * 1e-11
    assert found.time_text.endswith(" years")
    assert found.advice == (
        "hopeless: make the space smaller by a further constraint, fewer values of an axis or a larger step; "
        "--method evolve finds good designs without a bound"
    )


def test_the_chunks_of_a_hopeless_space_fit_into_memory():
    """A list of all its chunks of the usual size would have 10¹¹ entries."""
    search = ExhaustiveProduct(_wide(31).problem(), 0)
    assert 1_000 < len(search) <= 4_097
    assert search.pieces[0][0] == 0
    assert all(stop == start for (_, stop), (start, _) in zip(search.pieces, search.pieces[1:], strict=False))


def test_a_search_tells_its_estimate_once_before_it_begins(monkeypatch):
    monkeypatch.setattr("dse.search.schedule.pieces._ESTIMATED_FROM", 100)
    case = _counted(Clock(monkeypatch), (5, 6, 7))
    heard = []
    listener = Callbacks(lambda done, _: heard.append("begun"), estimated=lambda found: heard.append(found.seconds))
    search(case.problem(), listener=listener)
    assert len([entry for entry in heard if entry != "begun"]) == 1
    monkeypatch.setattr("dse.search.schedule.pieces._ESTIMATED_FROM", 1000)
    search(case.problem(), listener=Callbacks(estimated=lambda found: heard.append("never")))
    assert "never" not in heard


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.001, "about 0.1 s, 100 MiB"),
        (3.14, "about 3.1 s, 100 MiB"),
        (200.0, "about 3.3 min, 100 MiB"),
        (8_000.0, "about 2.2 hours, 100 MiB"),
        (864_000.0, "about 10 days, 100 MiB"),
        (3.15576e10, "about 1\u202f000 years, 100 MiB"),
    ],
)
def test_times_have_a_unit_that_a_person_reads(seconds, words):
    assert Estimate(seconds, 100 * 2.0**20, False, 1, 1).as_text == words


def test_a_bound_says_that_it_is_one_and_a_long_search_what_helps(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    bound = Estimate(3_000.0, None, True, 1, 1)
    assert bound.as_text == "at most 50 min; bounds or groups may exclude part of it"
    assert bound.advice == (
        "shorter by a further constraint, fewer values of an axis or a larger step; --jobs 8 takes every processor"
    )
    alone = Estimate(3_000.0, None, False, 1, 1, chunks=1)
    assert alone.advice == "shorter by a further constraint, fewer values of an axis or a larger step"
    assert Estimate(1e10, None, True, 1, 4).advice.startswith("hopeless unless groups of axes can be pruned: ")
    assert Estimate(299.0, None, True, 1, 1).advice == ""


@given(st.floats(0, 1e30), st.integers(1, 64))
def test_every_time_has_words_and_plain_values(seconds, processes):
    found = Estimate(seconds, None, False, 0, processes)
    assert found.as_text
    assert found.hopeless <= found.long == bool(found.advice)
    assert found.as_dict()["seconds"] == seconds


def _waiting(monkeypatch, seconds, counts, needs="a b c"):
    """A model one of whose functions waits, for each entry it is asked for, and tells how many these were.

    No other time passes than what it waits.
    """
    asked, waited = [], [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: waited[0])
    monkeypatch.setattr("dse.search.account.elapsed.time.process_time", lambda: 0.0)

    def wait(*values):
        total = sum(values)
        asked.append(np.size(total))
        if isinstance(total, np.ndarray):
            waited[0] += seconds * total.size
        return total

    axes = tuple(axis(name, range(1, count + 1)) for name, count in zip("abc", counts, strict=True))
    body = ", ".join(needs.split())
    functions = [
        function("w", needs, eval(f"lambda {body}: wait({body})", {"wait": wait})),
        function("x", "w a b c", lambda w, a, b, c: w + a * b + c),
        function("y", "a b c", lambda a, b, c: 100.0 / a + b + c),
    ]
    return Case([Product("", axes)], functions, {"x": "min", "y": "min"}), asked


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_a_slow_model_is_asked_for_few_designs(method, monkeypatch):
    case, asked = _waiting(monkeypatch, 0.02, (100, 100, 100))
    found = estimate_problem(case.problem(), SearchOptions(method))
    assert sum(asked) < 100
    assert found.seconds == pytest.approx(20_000.0, rel=0.3)
    assert found.at_most == (method != "exhaustive")
    assert 0 < found.measured < 100


def test_a_slow_function_of_one_axis_is_counted_for_its_own_values_only(monkeypatch):
    case, asked = _waiting(monkeypatch, 0.04, (100, 100, 100), "a")
    found = estimate_problem(case.problem(), SearchOptions("exhaustive"))
    assert sum(asked) < 100
    assert 4.0 <= found.seconds < 40.0  # all designs: 40,000


def test_a_model_that_waits_takes_time_though_none_of_the_processor(monkeypatch):
    case, asked = _waiting(monkeypatch, 2e-5, (30, 40, 50))
    found = estimate_problem(case.problem(), SearchOptions("exhaustive", block=1000))
    assert found.seconds == pytest.approx(1.2, rel=0.6)
    assert sum(asked) < 60_000
