"""A search with a tolerance covers the space: by brute force on small spaces, for every kind and method."""

import itertools
import sys
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest
from cover_problems import Known, allowed, dense, made, same_for_all
from engine_problems import Case, axis, function, random_case, same_bits, undominated

import dse.evaluation.plan as planning
from dse.errors import InputError
from dse.run.disk.ledger import BlockLedger
from dse.search.account.certificate import COVERED, TIES
from dse.search.account.tolerance import Tolerance, parse_tolerance, tolerance_text
from dse.search.bundles import bundles, design_search
from dse.search.bundles.bundles import BundleProduct
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.frontier import cover
from dse.search.frontier.archive import Archive
from dse.search.frontier.cover import of_designs
from dse.search.frontier.pareto import nondominated
from dse.search.frontier.prefilter import Prefilter
from dse.search.groups.groups import GroupProduct
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Worker
from dse.search.proof.monotone import Refused
from dse.search.start import warm_start
from dse.space.design_space import Product

METHODS = (ExhaustiveProduct, BundleProduct)


@pytest.fixture
def small(monkeypatch):
    """Settings of large spaces on small ones: early joins, many levels, many merges, many pieces."""
    monkeypatch.setattr(planning, "_LIMITS", (4.0,))
    planning._cached.cache_clear()
    monkeypatch.setattr(cover, "_BUFFER", 20)
    monkeypatch.setattr(cover, "_BLOCK", 8)
    monkeypatch.setattr(cover, "ENTRIES", 10_000)
    for name, value in (("_FEWEST_BOXES", 4), ("_PIECE", 5), ("_POINTS", 3)):
        monkeypatch.setattr(bundles, name, value)
    yield
    planning._cached.cache_clear()


@pytest.fixture
def sampled(monkeypatch):
    """Pieces of 60 designs, and seeds for a small space."""
    for searcher in METHODS:
        monkeypatch.setitem(searcher.__init__.__kwdefaults__, "chunk", 60)
    for name, value in (("_SMALLEST_SPACE", 1), ("_DESIGNS", 40), ("_LEAST", 3), ("_WORTHWHILE", 0), ("_ROUNDS", 1)):
        monkeypatch.setattr(warm_start, name, value)


def by_pieces(problem, known, tolerance, method, pieces, *, stripped=False, joined=True):
    """Search about so many pieces of each product, from seeds, and join them as the driver does.

    What is `stripped` no piece returns a seed of; what is not `joined` has no seeds in the last merge.
    """
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives)))
    some = np.random.default_rng(1).permutation(len(known.numbers))[:6]
    some = np.sort(some[undominated(known.points[some])])
    start = (known.points[some], known.numbers[some])
    if joined:
        archive.add(*start)
    for index, product in enumerate(problem.space.products):
        chunk = max(1, product.size // pieces)
        settings = {"block": max(1, chunk // 3)} if method is ExhaustiveProduct else {"inner": 2}
        one = method(problem, index, chunk=chunk, **settings)
        one.tolerance = tolerance
        for piece in range(len(one)):
            result = one.run(piece, start)
            keep = ~np.isin(result.numbers, start[1]) if stripped else np.ones(len(result.numbers), dtype=bool)
            archive.add(result.points[keep], result.numbers[keep])
    points, numbers = archive.result()
    return numbers, points


@pytest.mark.parametrize("kind", ["positive", "negative", "absolute", "mixed", "dense"])
def test_15_systems_of_each_of_5_kinds_are_covered_in_1_7_and_100_pieces_by_2_methods(kind, small):
    shorter = 0
    for seed in range(15):
        case, tolerance = made(kind, seed)
        known, problem = Known(case), case.problem()
        for pieces, method in itertools.product((1, 7, 100), METHODS):
            numbers, points = by_pieces(problem, known, tolerance, method, pieces)
            known.assert_covered(numbers, points, tolerance)
            shorter += len(points) < known.best.sum()
    assert shorter > 40


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_20_large_systems_keep_more_designs_and_are_covered(share, small, monkeypatch):
    monkeypatch.setattr(design_search, "LARGE", 0)
    longer = 0
    for seed in range(20):
        case, tolerance = dense(np.random.default_rng(seed))
        tolerance = replace(
            tolerance, kinds=("relative",) * len(tolerance.names), amounts=(share,) * len(tolerance.names)
        )
        known, problem = Known(case), case.problem()
        for pieces, method in itertools.product((1, 7), METHODS):
            numbers, points = by_pieces(problem, known, tolerance, method, pieces)
            known.assert_covered(numbers, points, tolerance)
            longer += known.uncovered(points, tolerance, 1 / 3) == 0
    assert longer > 20


def test_of_designs_a_fifth_of_a_large_relative_tolerance_and_all_of_others():
    names = ("time", "power")
    assert of_designs(Tolerance(names, ("relative",) * 2, (0.05, 0.1))).amounts == pytest.approx((0.01, 0.02))
    for kinds, amounts in ((("relative", "absolute"), (0.1, 2e5)), (("relative",) * 2, (0.1, 0.04))):
        assert of_designs(Tolerance(names, kinds, amounts)).amounts == amounts


def test_40_dense_systems_a_cover_a_third_as_wide_fails_on_most_so_that_these_tests_see_something(small):
    failed = 0
    for seed in range(40):
        case, tolerance = dense(np.random.default_rng(seed))
        known, problem = Known(case), case.problem()
        _, points = by_pieces(problem, known, tolerance, METHODS[seed % 2], 1)
        failed += known.uncovered(points, tolerance, 1 / 3) > 0
    assert failed > 30


def test_40_dense_systems_whose_bounds_are_shifted_twice_are_caught(small, monkeypatch):
    once = Tolerance.shift_column
    monkeypatch.setattr(Tolerance, "shift_column", lambda self, place, own: once(self, place, once(self, place, own)))
    caught = 0
    for seed in range(40):
        case, tolerance = dense(np.random.default_rng(seed))
        known, problem = Known(case), case.problem()
        _, points = by_pieces(problem, known, tolerance, METHODS[seed % 2], 1)
        caught += known.uncovered(points, tolerance) > 0
    assert caught > 30


def test_20_systems_whose_pieces_return_no_seed_are_covered_by_the_seeds_of_the_last_merge(small):
    lost = 0
    for seed in range(20):
        case, tolerance = dense(np.random.default_rng(seed))
        known, problem = Known(case), case.problem()
        numbers, points = by_pieces(problem, known, tolerance, METHODS[seed % 2], 7, stripped=True)
        known.assert_covered(numbers, points, tolerance)
        _, without = by_pieces(problem, known, tolerance, METHODS[seed % 2], 7, stripped=True, joined=False)
        lost += known.uncovered(without, tolerance) > 0
    assert lost > 10


def test_24_systems_of_3_alternatives_of_which_the_small_one_starts_the_others_are_covered(small, sampled, monkeypatch):
    monkeypatch.setattr("dse.search.plan.strategy._SMALL", 200)
    stages = shorter = 0
    for seed in range(24):
        case, tolerance = dense(np.random.default_rng(seed))
        whole = case.products[0]
        few = [axis("a", np.linspace(0, 1, 15).tolist()), axis("b", [0.2, 0.8])]
        more = [axis("a", np.linspace(0, 1.2, 30).tolist()), whole.axes[1]]
        case.products = [whole, Product("few", tuple(few)), Product("more", tuple(more))]
        known = Known(case)
        for method in ("exhaustive", "bundles"):
            options = SearchOptions(method, block=20, tolerance=tolerance)
            result = search(case.problem(), options)
            known.assert_covered(result.numbers, result.values, tolerance)
            shorter += len(result.numbers) < known.best.sum() / 2
        stages += len(Strategy.choose(options, [product.size for product in case.products]).stages([360, 30, 270])) == 2
    assert stages == 24
    assert shorter > 40


def test_30_samples_are_thinned_to_what_stands_for_them_and_known_designs_stay(small):
    for seed in range(30):
        case, tolerance = dense(np.random.default_rng(seed))
        every = Known(case)
        rng = np.random.default_rng(seed)
        old = np.sort(rng.permutation(len(every.numbers))[:4])
        old = old[undominated(every.points[old])]
        some = np.sort(np.union1d(old, rng.permutation(len(every.numbers))[:60]))
        some = some[undominated(every.points[some])]
        known = (every.points[old], every.numbers[old])
        points, numbers = cover.thinned_start(tolerance, (every.points[some], every.numbers[some]), known)
        assert undominated(points).all()
        assert same_bits(points, every.points[np.searchsorted(every.numbers, numbers)])
        for point in known[0]:
            assert (points <= point).all(axis=1).any()
        for limit in allowed(every.points[some], tolerance):
            assert (np.concatenate([points, known[0]]) <= limit).all(axis=1).any()
        assert len(numbers) < len(np.union1d(some, old)) or len(some) < 8


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_a_search_joins_its_seeds_whatever_becomes_of_them_in_the_pieces(method, small, sampled, monkeypatch):
    run, returned = Worker.run, []

    def without_seeds(worker, chunk, *told):
        result = run(worker, chunk, *told)
        keep = ~np.isin(result.numbers, worker.seeds[1])
        returned.append(keep.all())
        return replace(result, points=result.points[keep], numbers=result.numbers[keep])

    monkeypatch.setattr(Worker, "run", without_seeds)
    for seed in range(8):
        case, tolerance = dense(np.random.default_rng(seed))
        result = search(case.problem(), SearchOptions(method, block=20, tolerance=tolerance))
        Known(case).assert_covered(result.numbers, result.values, tolerance)
    assert not all(returned)


def test_30_random_systems_whose_groups_are_reduced_are_covered(small, monkeypatch):
    monkeypatch.setattr("dse.search.groups.reduced_product._BUNDLES_FROM", 1)
    reduced = 0
    for seed in range(30):
        case, tolerance = made("absolute", 100 + seed)
        try:
            GroupProduct(case.problem(), 0)
        except Refused:
            continue
        reduced += 1
        result = search(case.problem(), SearchOptions("groups", tolerance=tolerance))
        Known(case).assert_covered(result.numbers, result.values * case.problem().signs + 0.0, tolerance)
        assert result.certificate.pruned_by_group > 0
    assert reduced > 2


def test_25_random_systems_without_any_tolerance_to_give_away_have_every_vector_and_say_so(small):
    alike = 0
    for seed in range(25):
        case = random_case(np.random.default_rng(seed), largest=300)
        none = same_for_all(case, "absolute", 0.0)
        exact = search(case.problem(), SearchOptions("bundles"))
        result = search(case.problem(), SearchOptions("bundles", tolerance=none))
        assert same_bits(np.unique(result.values, axis=0), np.unique(exact.values, axis=0))
        assert np.isin(result.numbers, exact.numbers).all()
        if result.certificate.exact:
            alike += 1
            assert result.numbers.tolist() == exact.numbers.tolist()
            assert result.certificate.ties == TIES
        else:
            assert result.certificate.ties == COVERED
    assert alike > 3


def test_what_is_taken_of_2000_points_covers_the_others_and_known_ones_are_not_taken_again():
    rng = np.random.default_rng(5)
    for kind, count in itertools.product(("relative", "absolute"), (2, 3, 5)):
        points = np.exp(rng.normal(size=(2000, count)))
        points = np.round(points[nondominated(points)], 2) + 0.01
        tolerance = Tolerance(tuple("abcde"[:count]), (kind,) * count, (0.1,) * count)
        known = points[:5]
        chosen = cover.thinned_by(tolerance, known, points)
        found = np.concatenate([known, points[chosen]])
        assert all((found <= limit).all(axis=1).any() for limit in allowed(points, tolerance))
        assert not np.isin(chosen, np.arange(5)).any()
        assert len(chosen) < len(points)


# ---- the same for any number of processes, and after a kill ----------------------------------------------------------


class Killed(Exception):
    pass


class DyingLedger:
    """A ledger whose process dies after some pieces."""

    def __init__(self, ledger, left):
        self.ledger, self.left = ledger, left

    def load_rounds(self):
        return None

    def load(self, chunk):
        return self.ledger.load(chunk)

    def store(self, chunk, result):
        if not self.left:
            raise Killed
        self.left -= 1
        self.ledger.store(chunk, result)


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_killed_at_3_places_and_resumed_or_by_other_processes_the_bytes_are_the_same(
    method, small, sampled, tmp_path, monkeypatch
):
    case, tolerance = dense(np.random.default_rng(3))
    options = SearchOptions(method, block=20, tolerance=tolerance)
    whole = search(case.problem(), options)
    assert whole.counters["chunks"] > 3
    assert (whole.certificate.exact, whole.certificate.ties) == (False, COVERED)
    assert whole.certificate.tolerance == {name: {"relative": tolerance.amounts[0]} for name in ("time", "power")}

    def assert_same(other):
        assert other.numbers.tolist() == whole.numbers.tolist()
        assert same_bits(other.values, whole.values)
        assert other.certificate == whole.certificate

    for left in (1, 2, 3):
        ledger = BlockLedger(tmp_path / f"{left}.sqlite")
        with pytest.raises(Killed):
            search(case.problem(), options, ledger=DyingLedger(ledger, left))
        ledger.close()
        ledger = BlockLedger(tmp_path / f"{left}.sqlite")
        assert_same(search(case.problem(), options, ledger=ledger))
        ledger.close()

    class Elsewhere:
        def __init__(self, factory, count):
            self.factory, self.count = factory, count

        def map(self, strategy, start, chunks, finished):
            return [(chunk, Worker(self.factory.problem(), strategy, start).run(chunk)) for chunk in chunks]

    monkeypatch.setattr("dse.search.schedule.pieces.forks_safely", lambda: False)
    monkeypatch.setattr("dse.search.schedule.pieces.Processes", Elsewhere)
    assert_same(search(case.problem(), replace(options, jobs=3), factory=case))


class Made:
    """Makes a case in a worker, with small pieces."""

    def problem(self):
        for searcher in METHODS:
            searcher.__init__.__kwdefaults__["chunk"] = 60
        bundles._FEWEST_BOXES = 4
        return dense(np.random.default_rng(3))[0].problem()


@pytest.mark.slow
def test_two_processes_give_the_same_cover(sampled, monkeypatch, own_workers):
    for name in (__name__, "cover_problems", "engine_problems"):
        cloudpickle.register_pickle_by_value(sys.modules[name])
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
    case, tolerance = dense(np.random.default_rng(3))
    options = SearchOptions("bundles", tolerance=tolerance)
    one = search(case.problem(), options)
    two = search(case.problem(), replace(options, jobs=2), factory=Made())
    assert (one.counters["jobs"], two.counters["jobs"]) == (1, 2)
    assert one.numbers.tolist() == two.numbers.tolist()
    assert one.certificate == two.certificate


# ---- what is asked for -----------------------------------------------------------------------------------------------

UNITS = {"time": "s", "power": "W"}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("1 %", {"time": {"relative": 0.01}, "power": {"relative": 0.01}}),
        ("0.5%", {"time": {"relative": 0.005}, "power": {"relative": 0.005}}),
        ({"power": "0.2 MW"}, {"power": {"absolute": 2e5}}),
        ({"time": "2 %", "power": "10 W"}, {"time": {"relative": 0.02}, "power": {"absolute": 10.0}}),
        ({"time": "0 %", "power": "1 %"}, {"power": {"relative": 0.01}}),
        ("0 %", None),
        ({"power": "0 W"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_a_tolerance_is_read(given, wanted):
    found = parse_tolerance(given, list(UNITS), UNITS)
    assert (None if found is None else found.as_dict()) == wanted
    assert Tolerance.of(wanted, list(UNITS)) == found


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("1", "search.tolerance: '1' is no share; allowed: \"1 %\""),
        ("-1 %", "search.tolerance: '-1 %' is no share that may be given away; allowed: 0 % to below 100 %"),
        ("100 %", "search.tolerance: '100 %' is no share that may be given away"),
        ({"tme": "1 %"}, "search.tolerance.tme: 'tme' is no objective; allowed: time, power; did you mean 'time'?"),
        ({"time": "1e9 %"}, "search.tolerance.time: '1e9 %' is no share"),
        ({"power": "-2 kW"}, "search.tolerance.power: '-2 kW' is below 0; allowed: 0 or more"),
        ({"power": 3}, "search.tolerance.power: 3 has no unit"),
        ({"power": "3 s"}, "search.tolerance.power: "),
        (["1 %"], "search.tolerance: ['1 %'] is no tolerance"),
    ],
)
def test_a_wrong_tolerance_is_refused_by_name(given, told):
    with pytest.raises(InputError) as caught:
        parse_tolerance(given, list(UNITS), UNITS)
    assert str(caught.value).startswith(told)


def test_a_share_of_what_may_be_0_is_refused_and_an_amount_is_not(small):
    axes = (axis("a", [1, 2, 3]), axis("b", [1, 2, 3]))
    functions = [function("gain", "a b", lambda a, b: a - b), function("loss", "a b", lambda a, b: a + b)]
    case = Case([Product("", axes)], functions, {"gain": "max", "loss": "min"})
    for method in ("exhaustive", "bundles"):
        with pytest.raises(InputError) as caught:
            search(case.problem(), SearchOptions(method, tolerance=same_for_all(case, "relative", 0.01)))
        told = "search.tolerance: 'gain' lies between -2 and 2 as far as is known before the search; of what may be 0"
        assert str(caught.value).startswith(told)
        mixed = Tolerance(("gain", "loss"), ("absolute", "relative"), (1.0, 0.01))
        result = search(case.problem(), SearchOptions(method, tolerance=mixed))
        Known(case).assert_covered(result.numbers, result.values * case.problem().signs + 0.0, mixed)


def test_words():
    names, units = ["time", "power"], UNITS
    same = {name: {"relative": 0.01} for name in names}
    assert tolerance_text(same, names, units) == "1 %"
    assert tolerance_text({**same, "power": {"absolute": 2e5}}, names, units) == "1 % of time, 200 kW of power"
    assert tolerance_text({"time": {"relative": 0.005}}, names, units) == "0.5 % of time"
