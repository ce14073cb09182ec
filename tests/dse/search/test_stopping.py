"""A search that is stopped tells the truth: by brute force on small spaces, after every one of its rounds."""

import pickle
import sys
from contextlib import contextmanager
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest
from changed_settings import MANY_LEVELS, SMALL_ROUNDS, changed
from cover_problems import Known, dense, made
from engine_problems import random_case, same_bits
from stopped_searches import Looks, MemoryLedger, stops, untrue

from dse.errors import InputError
from dse.search.account.stopping import BUDGET, INTERRUPT, Stop, parse_budget
from dse.search.bundles import bundles
from dse.search.bundles.design_search import ChunkResult
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.groups import groups, nested_groups
from dse.search.plan import strategy
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Worker
from dse.search.schedule import gap, pieces, rounds
from dse.search.schedule.gap import LEVELS, Remaining, describe_gap
from dse.search.schedule.open_boxes import OpenBoxes
from dse.search.schedule.share_work import done_for

METHODS = ("exhaustive", "bundles", "groups")
KINDS = ("positive", "negative", "mixed")


@pytest.fixture
def small(monkeypatch):
    """Settings of large spaces on small ones: few boxes and designs a round, many levels, several shares."""
    # Of all of its groups little is left of a small space, and nothing to be stopped.
    monkeypatch.setattr(groups, "chosen", lambda known: nested_groups.chosen(known)[:1])
    with changed(MANY_LEVELS, SMALL_ROUNDS, inner=2):
        yield


def faults(kinds, seeds, methods, *, within, looks=0):
    """Everything that is untrue of systems, kinds and methods, and how much was told."""
    wrong, told = [], {"stops": 0, "cover": 0, "possible": 0, "proved": 0}
    for kind in kinds:
        for seed in seeds:
            case, tolerance = made(kind, seed)
            known, problem = Known(case), case.problem()
            for method in methods:
                options = SearchOptions(method, block=10, tolerance=tolerance if within else None, budget=1.0)
                for result in stops(problem, options, looks=looks):
                    if result.certificate.stopped is None:
                        continue
                    claims = result.certificate.gap
                    wrong += untrue(known, problem, result, options.tolerance)
                    told["stops"] += 1
                    told["cover"] += claims["cover"] is not None
                    told["possible"] += any(own["possible"] is not None for own in claims["objectives"].values())
                    told["proved"] += bool(claims["proved"])
    return wrong, told


@pytest.mark.parametrize("method", METHODS)
def test_4_systems_of_each_of_3_kinds_stopped_after_every_round_tell_the_truth(method, small):
    wrong, told = faults(KINDS, range(4), [method], within=False)
    assert wrong == []
    assert told["stops"] > 10
    if method != "exhaustive":
        assert min(told.values()) > 0


@pytest.mark.parametrize("method", METHODS)
def test_3_systems_of_each_of_3_kinds_with_a_tolerance_tell_the_truth(method, small):
    wrong, told = faults(("positive", "mixed", "absolute"), range(3), [method], within=True)
    assert wrong == []
    assert told["stops"] > 10


def test_5_dense_systems_tell_the_truth_with_and_without_a_tolerance(small):
    for within in (False, True):
        wrong, told = faults(["dense"], range(5), ["bundles"], within=within, looks=1)
        assert wrong == []
        assert told["cover"] > 20


def unproved(lower):
    """Bounds of which every second one was forgotten."""

    def least(parts, objectives):
        every = [part for part in parts if len(part)]
        return lower(every[1::2], objectives) if len(every) > 1 else np.empty((0, objectives))

    return least


def test_bounds_of_boxes_that_nobody_has_visited_and_are_forgotten_are_noticed(small, monkeypatch):
    monkeypatch.setattr(rounds, "least_bounds", unproved(rounds.least_bounds))
    wrong, _ = faults(["dense"], range(3), ["bundles"], within=False)
    assert {"cover", "possible", "proved"} <= set(wrong)


def test_a_cover_that_is_too_small_is_noticed(small, monkeypatch):
    told = gap._cover
    monkeypatch.setattr(gap, "_cover", lambda *given: (told(*given) or 0.0) / 8)
    wrong, _ = faults(["dense"], range(3), ["bundles"], within=False)
    assert "cover" in wrong


def test_a_tolerance_that_the_bounds_do_not_know_of_is_noticed(small, monkeypatch):
    """What is left out within the tolerance may be better than what was found, and beat it."""
    monkeypatch.setattr("dse.search.certify.describe_gap", lambda *given: describe_gap(*given[:-1], None))
    wrong, _ = faults(["dense"], range(6), ["bundles"], within=True)
    assert {"possible", "proved"} <= set(wrong)


def test_boxes_that_are_lost_on_the_way_through_the_pool_are_noticed(small, monkeypatch):
    """Both by the account and by the frontier."""
    plain = OpenBoxes.add

    def add(self, product, level, gaps, numbers, lower):
        most = max(1, len(numbers) - 1)
        plain(self, product, level, gaps[:most], numbers[:most], lower[:most])

    monkeypatch.setattr(OpenBoxes, "add", add)
    wrong = unsound = 0
    for seed in range(6):
        case, _ = made("dense", seed)
        result = search(case.problem(), SearchOptions("bundles", budget=1.0), stop=Looks(10**6))
        wrong += result.numbers.tolist() != case.answer().numbers.tolist()
        unsound += not result.certificate.exact
    assert (wrong > 0, unsound) == (True, 6)


@pytest.mark.parametrize("method", METHODS)
def test_8_random_systems_stopped_and_gone_on_with_end_in_the_frontier_by_definition(method, small):
    several = 0
    for seed in range(8):
        case = random_case(np.random.default_rng(seed), largest=300)
        *before, end = stops(case.problem(), SearchOptions(method, block=10, budget=1.0), looks=seed % 3)
        case.answer().assert_equals(end.numbers, end.values)
        assert (end.certificate.exact, end.certificate.gap) == (True, None)
        several += len(before) > 1
    assert several > 1


@pytest.mark.parametrize("method", METHODS)
def test_a_search_in_rounds_that_had_ended_and_was_not_written_down_has_the_same_end_again(method, small):
    case = random_case(np.random.default_rng(4), largest=300)
    ledger, options = MemoryLedger(), SearchOptions(method, block=10, budget=1.0)
    first, again = (search(case.problem(), options, ledger=ledger, stop=Looks(10**6)) for _ in range(2))
    assert same_bits(first.values, again.values)
    assert first.numbers.tolist() == again.numbers.tolist()
    assert first.certificate == again.certificate


@pytest.mark.parametrize("method", METHODS)
def test_3_dense_systems_with_a_tolerance_end_in_the_same_bytes_however_often_they_are_stopped(method, small):
    for seed in range(3):
        case, tolerance = made("dense", seed)
        known, problem = Known(case), case.problem()
        options = SearchOptions(method, block=10, tolerance=tolerance, budget=1.0)
        whole = search(problem, options, stop=Looks(10**6))
        known.assert_covered(whole.numbers, whole.values * problem.signs + 0.0, tolerance)
        for looks in (0, 4):
            *before, end = stops(problem, options, looks=looks)
            assert before
            assert end.numbers.tolist() == whole.numbers.tolist()
            assert same_bits(end.values, whole.values)
            assert end.certificate == whole.certificate


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_what_was_begun_depth_first_goes_on_in_rounds_and_the_other_way_round(method, small, monkeypatch):
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "chunk", 40)
    monkeypatch.setitem(ExhaustiveProduct.__init__.__kwdefaults__, "chunk", 40)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 30)
    case, _ = dense(np.random.default_rng(5))
    problem, ledger = case.problem(), MemoryLedger()
    plain, inside = SearchOptions(method, block=10), SearchOptions(method, block=10, budget=1.0)
    first = search(problem, plain, ledger=ledger, stop=Looks(1, INTERRUPT))
    told = first.certificate
    assert (told.stopped, told.gap["cover"], told.gap["proved"], told.exact) == (INTERRUPT, None, [], False)
    assert (told.feasible, told.infeasible, len(ledger.chunks)) == (None, None, 2)
    assert told.evaluated + told.excluded_by_bound + told.gap["open"]["designs"] == problem.space.size
    assert list(untrue(Known(case), problem, first)) == []
    second = search(problem, inside, ledger=ledger, stop=Looks(0))
    assert second.certificate.stopped == BUDGET
    assert list(untrue(Known(case), problem, second)) == []
    assert second.certificate.gap["open"]["designs"] <= told.gap["open"]["designs"]
    end = search(problem, plain, ledger=ledger)
    case.answer().assert_equals(end.numbers, end.values)
    assert end.certificate.exact


def test_several_stages_of_which_the_last_was_not_begun_have_no_bound(small, monkeypatch):
    monkeypatch.setattr(strategy, "_SMALL", 50)
    case = random_case(np.random.default_rng(3), largest=900)
    while len(case.products) < 2 or len({product.size < 50 for product in case.products}) < 2:
        case = random_case(np.random.default_rng(case.products[0].size), largest=900)
    options = SearchOptions("bundles", budget=1.0)
    first, *others = stops(case.problem(), options, looks=0)
    assert first.certificate.gap["cover"] is None
    assert [own["possible"] for own in first.certificate.gap["objectives"].values()] == [None] * len(case.senses)
    problem, known = case.problem(), Known(case)
    every = {f"alternative {index + 1}" for index in range(len(problem.space.products))}
    assert set(first.certificate.gap["waiting"]) < every
    stopped = [result for result in (first, *others) if result.certificate.stopped is not None]
    assert [fault for result in stopped for fault in untrue(known, problem, result)] == []
    assert "waiting" not in stopped[-1].certificate.gap
    assert any(value is not None for result in stopped for value in result.certificate.gap.get("begun", {}).values())
    case.answer().assert_equals(others[-1].numbers, others[-1].values)


def test_designs_of_blocks_add_up_to_what_a_walk_evaluates(small):
    case, _ = made("positive", 1)
    problem = case.problem()
    for block in (3, 7, 50):
        product = ExhaustiveProduct(problem, 0, block=block)
        total = product.pieces[-1][1]
        for start, stop in ((0, total), (0, total // 2), (total // 3, total), (total // 3, total // 3 + 1)):
            result = ChunkResult(np.empty((0, 1)), np.empty(0), 0, 0, 0, {c.text: 0 for c in product.constraints})
            product.walk(start, stop, product.new_archive(None), result)
            assert result.evaluated == product.designs_of(start, stop)


def test_gap_of_points_by_hand(small):
    case, _ = dense(np.random.default_rng(0))
    problem = case.problem()
    points, numbers = np.array([[1.0, 4.0], [2.0, 2.0], [4.0, 1.0]]), np.array([3, 5, 8])
    left = Remaining(2, 36, np.array([[2.0, 1.0], [0.9, 3.9]]))
    told = describe_gap(problem, points, numbers, left, None)
    assert told == {
        "cover": 1.0,
        "open": {"boxes": 2, "designs": 36, "share": 0.1},
        "objectives": {"time": {"found": 1.0, "possible": 0.9}, "power": {"found": 1.0, "possible": 1.0}},
        "proved": [],
    }
    told = describe_gap(problem, points, numbers, Remaining(1, 1, np.array([[0.9, 3.9]])), None)
    assert (told["cover"], told["proved"]) == (0.12, [5, 8])
    for lower in (None, np.array([[0.0, 3.0]]), np.array([[1e-9, 1e-9]])):
        assert describe_gap(problem, points, numbers, Remaining(1, 1, lower), None)["cover"] is None
    assert describe_gap(problem, points[:0], numbers[:0], left, None)["cover"] is None


def test_levels_begin_at_a_thousandth_and_end_at_a_hundredfold():
    assert (LEVELS[0], LEVELS[-1]) == (0.001, 100.0)
    assert [*LEVELS] == sorted(set(LEVELS))


def test_a_budget_is_a_time_above_0():
    assert (parse_budget("2 min"), parse_budget(0.5), parse_budget(None)) == (120.0, 0.5, None)
    for wrong in ("60", "0 s", "-1 s", "1 m", "soon", -2, True, float("inf")):
        with pytest.raises(InputError, match=r"time|unit|finite"):
            parse_budget(wrong)


def test_a_budget_ends_by_its_clock():
    now = [10.0]
    stop = Stop(5.0, clock=lambda: now[0])
    now[0] = 14.9
    assert stop.reason is None
    now[0] = 15.0
    assert stop.reason == BUDGET
    stop.interrupted = True
    assert stop.reason == INTERRUPT


@contextmanager
def elsewhere(factory, strategy, start, stage, jobs):
    """Do in this process what others would, each with a worker of its own, one round at a time."""
    workers = [Worker(factory.problem(), strategy, start) for _ in range(jobs)]

    def rounds(tasks, count, seconds):
        assert len(tasks) <= jobs
        return [
            pickle.loads(pickle.dumps(done_for(worker, stage, task, count, 0.0)))
            for worker, task in zip(workers, tasks, strict=False)
        ]

    yield rounds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("within", [False, True])
def test_2_systems_searched_by_3_processes_tell_the_truth_and_end_in_the_same_bytes(method, within, small, monkeypatch):
    monkeypatch.setattr(rounds, "rounds_on_processes", elsewhere)
    several = 0
    for seed in range(2):
        case, tolerance = made("dense" if seed % 2 else "positive", seed)
        known, problem = Known(case), case.problem()
        options = SearchOptions(method, block=10, tolerance=tolerance if within else None, budget=1.0)
        whole = search(problem, options, stop=Looks(10**6))
        *before, end = stops(problem, replace(options, jobs=3), factory=case)
        for result in before:
            assert list(untrue(known, problem, result, options.tolerance)) == []
        assert end.numbers.tolist() == whole.numbers.tolist()
        assert same_bits(end.values, whole.values)
        assert end.certificate.exact == whole.certificate.exact
        several += len(before) > 1
    assert several > 0


class Made:
    """Makes a case in a worker, with small pieces."""

    def problem(self):
        ExhaustiveProduct.__init__.__kwdefaults__["chunk"] = 40
        return dense(np.random.default_rng(5))[0].problem()


@pytest.mark.slow
@pytest.mark.parametrize("forked", [pytest.param(True, marks=pytest.mark.forks), False], ids=["forked", "begun anew"])
def test_two_processes_are_stopped_between_chunks_and_go_on(forked, monkeypatch, own_workers):
    monkeypatch.setattr(pieces, "forks_safely", lambda: forked)
    for name in (__name__, "cover_problems", "engine_problems"):
        cloudpickle.register_pickle_by_value(sys.modules[name])
    monkeypatch.setitem(ExhaustiveProduct.__init__.__kwdefaults__, "chunk", 40)
    case, ledger = dense(np.random.default_rng(5))[0], MemoryLedger()
    options = SearchOptions("exhaustive", block=10, jobs=2)
    first = search(case.problem(), options, factory=Made(), ledger=ledger, stop=Looks(1, INTERRUPT))
    assert (first.certificate.stopped, len(ledger.chunks), first.counters["jobs"]) == (INTERRUPT, 2, 2)
    assert list(untrue(Known(case), case.problem(), first)) == []
    end = search(case.problem(), options, factory=Made(), ledger=ledger)
    case.answer().assert_equals(end.numbers, end.values)
    assert end.certificate.exact
    whole = search(case.problem(), replace(options, budget=1e6), factory=Made())
    case.answer().assert_equals(whole.numbers, whole.values)
    assert (whole.certificate.exact, whole.counters["jobs"]) == (True, 2)


@pytest.fixture
def single_rows(small, monkeypatch):
    """Innermost rows are split one by one, whatever a sample says; yields how often they were."""
    split, work = [], iter(range(1_000_000, 0, -1))
    monkeypatch.setattr(bundles, "_MANY", 0)
    monkeypatch.setattr(bundles, "_SETTLED_FROM", 0.0)
    monkeypatch.setattr(bundles, "expected_work", lambda *_: float(next(work)))
    take = bundles.BundleProduct._take

    def counted(self, levels, cut):
        split.append(self.index)
        take(self, levels, cut)

    monkeypatch.setattr(bundles.BundleProduct, "_take", counted)
    return split


@pytest.mark.parametrize("method", ["bundles", "groups"])
def test_innermost_rows_that_are_split_one_by_one_leave_the_frontier_by_definition(method, single_rows):
    for seed in range(12):
        case = random_case(np.random.default_rng(seed), largest=300)
        result = search(case.problem(), SearchOptions(method, block=10))
        case.answer().assert_equals(result.numbers, result.values)
        assert result.certificate.exact
    assert len(single_rows) >= 6


@pytest.mark.parametrize("method", ["bundles", "groups"])
def test_boxes_of_single_rows_are_found_again_after_every_stop(method, single_rows):
    several = 0
    for seed in range(6):
        case = random_case(np.random.default_rng(seed), largest=300)
        *before, end = stops(case.problem(), SearchOptions(method, block=10, budget=1.0), looks=seed % 2)
        case.answer().assert_equals(end.numbers, end.values)
        assert (end.certificate.exact, end.certificate.gap) == (True, None)
        several += len(before) > 1
    assert several > 0
    assert single_rows


def test_other_processes_split_the_rows_that_one_has_settled(single_rows, monkeypatch):
    monkeypatch.setattr(rounds, "rounds_on_processes", elsewhere)
    case, _ = made("dense", 1)
    *before, end = stops(case.problem(), SearchOptions("bundles", block=10, budget=1.0, jobs=3), factory=case)
    assert before
    case.answer().assert_equals(end.numbers, end.values)
    assert end.certificate.exact
    assert len(single_rows) > 3


def test_a_sample_tells_whether_single_rows_save_work(small, monkeypatch):
    """Rows of an atom whose values are far apart are evaluated in vain together; alike ones are not."""
    monkeypatch.setattr(bundles, "_MANY", 0)
    monkeypatch.setattr(bundles, "_SETTLED_FROM", 0.0)
    case, _ = made("dense", 3)
    problem = case.problem()
    seeds = Worker(problem, Strategy("bundles", "asked for")).seeds
    product = bundles.BundleProduct(problem, 0)
    together = product._work(product.levels, product.new_archive(seeds, quiet=True))
    cut = product._rows_of_tables()
    alone = product._work(product._nested(cut, product._trees), product.new_archive(seeds, quiet=True))
    assert product.settle(seeds) == (alone < together)
    assert product.inner == (1 if alone < together else 2)
    assert not product.settle(seeds)
