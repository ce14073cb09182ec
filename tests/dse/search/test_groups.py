"""Groups against the definition: every vector to the last bit and every design, and what must not be pruned."""

import sys
from collections import Counter
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function, part, random_case, run_chunks, same_bits
from example_counts import examples

import dse.evaluation.plan as planning
import dse.search.frontier.archive
from dse.arithmetic import monotonicity
from dse.errors import InputError, NonFiniteError
from dse.search.account.progress import Callbacks
from dse.search.bundles import bundles
from dse.search.bundles.bundles import BundleProduct
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.groups import groups, nested_groups, reduced_product, ties
from dse.search.groups.groups import GroupProduct
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Worker
from dse.search.proof import reduction
from dse.search.proof.monotone import Monotonicity, Refused
from dse.search.proof.reduction import Rows
from dse.search.start import warm_start
from dse.space.design_space import Product


@pytest.fixture
def small(monkeypatch):
    """Settings of large spaces on small ones."""

    def apply(limit=4.0, by_bundles=True, block=10**6, few=16):
        monkeypatch.setattr(planning, "_LIMITS", (limit,))
        planning._cached.cache_clear()
        monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", 20)
        monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
        monkeypatch.setattr(bundles, "_PIECE", 5)
        monkeypatch.setattr(bundles, "_POINTS", 3)
        monkeypatch.setattr(nested_groups, "_FEWEST_ROWS", 2)
        monkeypatch.setattr(nested_groups, "_LEAST_GAIN", 1.0001)
        monkeypatch.setattr(reduced_product, "_BUNDLES_FROM", 0 if by_bundles else 10**9)
        monkeypatch.setattr(reduction, "BLOCK", block)
        monkeypatch.setattr(reduction, "_FEW", few)
        monkeypatch.setattr(ties, "_SIZES", (2, 4, 8))
        monkeypatch.setattr(ties, "_PIECE", 7)
        monkeypatch.setattr(ties, "_DESIGNS", 3)

    yield apply
    planning._cached.cache_clear()


def _random(seed, small):
    rng = np.random.default_rng(seed + 100_000)
    case = random_case(rng, largest=800, objectives=int(rng.integers(1, 4)))
    small(
        limit=float(rng.choice([1, 4, 30, 1e6])),
        by_bundles=bool(rng.integers(2)),
        block=int(rng.choice([3, 10**6])),
        few=int(rng.choice([1, 16])),
    )
    return case


@pytest.mark.slow
@pytest.mark.parametrize("part_of_all", range(10))
def test_random_systems_equal_the_definition(part_of_all, small):
    """Vectors to the last bit, and every design: what was pruned and equals the frontier was looked up."""
    pruned, count = 0, examples(200)
    for seed in range(part_of_all * count, part_of_all * count + count):
        case = _random(seed, small)
        result = search(case.problem(), SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)
        c = result.certificate
        assert c.evaluated + c.excluded_by_bound + c.pruned_by_group == c.designs
        pruned += c.pruned_by_group > 0
    assert pruned > 0.5 * count


def _wrong(count, small):
    """What is wrong of the random systems, one after the other: other vectors, only other designs, or nothing."""
    for seed in range(count):
        case = _random(seed, small)
        answer = case.answer()
        result = search(case.problem(), SearchOptions("groups"))
        if not same_bits(np.unique(result.values, axis=0), np.unique(answer.values, axis=0)):
            yield "vectors"
        elif result.numbers.tolist() != answer.numbers.tolist():
            yield "designs"
        else:
            yield None


def _no_keys(prove_all):
    def proved(self, sets):
        return {axes: group and replace(group, keys={}) for axes, group in prove_all(self, sets).items()}

    return proved


@pytest.mark.slow
@pytest.mark.parametrize("mutation", ["unknown", "where", "subtract", "multiply", "keys"])
def test_a_broken_proof_is_noticed(mutation, small, monkeypatch):
    """The systems above would show a prover that claims too much."""
    if mutation == "unknown":
        monkeypatch.setattr(monotonicity, "UNKNOWN", monotonicity.RISES)
    elif mutation == "where":

        def choices(count, _, x, y):
            return monotonicity.join(*(monotonicity._operand(one, count).signs for one in (x, y)))

        monkeypatch.setitem(monotonicity._FUNCTIONS, np.where, choices)
    elif mutation == "keys":
        monkeypatch.setattr(Monotonicity, "prove_all", _no_keys(Monotonicity.prove_all))
    else:
        monkeypatch.setitem(monotonicity._RULES, mutation, monotonicity._both)
    assert "vectors" in _wrong(300, small)  # stops at the first


@pytest.mark.slow
def test_without_looking_up_equal_designs_some_are_lost_and_no_vector_is(small, monkeypatch):
    monkeypatch.setattr(GroupProduct, "equal_designs", lambda self, numbers: None)
    wrong = Counter(_wrong(150, small))
    assert wrong["vectors"] == 0
    assert wrong["designs"] > 20


# --- what is proved, and what is refused --------------------------------------------------------------------------


def _system(speed=None, limits=(), senses=None, count=3):
    """Nodes of cores at a clock with a cache, and a network: both reach time and power through few quantities."""
    axes = (
        axis("cores", range(1, 7)),
        axis("clock", np.linspace(1.0, 3.0, 5)),
        axis("cache", range(1, 5)),
        axis("nodes", [2.0**n for n in range(count)]),
        axis("link", range(1, 5)),
        axis("lanes", range(1, 5)),
    )
    functions = [
        function("rate", "cores clock cache", lambda cores, clock, cache: cores * clock * (1.0 + 0.1 * cache)),
        function("draw", "cores clock cache", lambda cores, clock, cache: cores * clock * clock + 2.0 * cache),
        function("band", "link lanes", lambda link, lanes: link * lanes),
        function("switch", "link lanes", lambda link, lanes: lanes + 0.5 * link * link),
        function("compute", "rate nodes", lambda rate, nodes: 500.0 / (rate * nodes)),
        function("transfer", "band nodes", lambda band, nodes: 30.0 * np.sqrt(nodes) / band),
        function("time", "compute transfer", speed or (lambda compute, transfer: np.maximum(compute, transfer) + 1.0)),
        function("power", "draw switch nodes", lambda draw, switch, nodes: nodes * (draw + switch)),
    ]
    return Case([Product("", axes)], functions, senses or {"time": "min", "power": "min"}, list(limits))


def _found(case):
    return {tuple(sorted(choice.group.axes)): choice for choice in GroupProduct(case.problem(), 0).choices}


def test_what_can_be_proved_is_proved(small):
    small()
    found = _found(_system())
    assert set(found) == {(0, 1, 2), (4, 5)}
    assert found[0, 1, 2].group.columns == {"rate": -1, "draw": 1}
    assert found[4, 5].group.columns == {"band": -1, "switch": 1}
    assert not found[0, 1, 2].group.keys
    assert not found[4, 5].group.keys
    assert len(found[0, 1, 2].kept) < 0.4 * 120
    case = _system()
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert result.certificate.method == "groups"
    assert result.certificate.pruned_by_group > 0.8 * result.certificate.designs
    told = next(text for text in result.certificate.groups if text.startswith("cores × clock × cache: "))
    assert told.endswith("; better is more rate, less draw")


def test_mean_power_is_no_column(small):
    """A faster node can draw more: the rate must be equal for nodes to be compared."""
    small()
    limits = [Limit("power / time <= 20", lambda v: v["power"] / v["time"] <= 20)]
    case = _system(limits=limits)
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.columns == {"draw": 1}
    assert group.keys == {"rate": "'power / time <= 20' wants less of it and time more"}
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert 0 < case.answer().feasible < case.answer().designs


def test_cancellation_is_named_as_the_reason(small):
    small()
    case = _system(lambda compute, transfer: compute + transfer - 0.7 * np.minimum(compute, transfer))
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert set(result.certificate.not_pruned) >= {
        "cores * clock in rate: time may rise or fall with it, in time",
        "band: time may rise or fall with it, in time",
    }


def test_a_jump_the_wrong_way_is_not_pruned_through(small):
    """Above a rate everything takes longer; the derivative there is 0."""
    small()
    case = _system()
    case.functions[4] = function("compute", "rate nodes", lambda rate, nodes: np.where(rate > 12.0, 9.0, 5.0) / nodes)
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.columns == {"rate": 1, "draw": 1}
    case.functions[4] = function("compute", "rate nodes", lambda rate, nodes: np.where(rate > 12.0, 20.0 / rate, nodes))
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert (group.columns, set(group.keys)) == ({"draw": 1}, {"rate"})
    for _ in range(2):
        result = search(case.problem(), SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)


def test_a_parameter_read_past_the_interface_belongs_to_it(small):
    small()
    case = _system()
    case.functions[7] = function(
        "power", "draw switch nodes cores", lambda draw, switch, nodes, cores: nodes * (draw + switch) - 3.0 * cores
    )
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.columns == {"rate": -1, "draw": 1, "cores": -1}
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_groups_that_share_an_axis_are_not_taken_together(small):
    """Lanes belong to the node and to the network: one group has them, or none."""
    small()
    case = _system()
    case.functions[0] = function(
        "rate", "cores clock lanes", lambda cores, clock, lanes: cores * clock * (1.0 + 0.1 * lanes)
    )
    chosen = list(_found(case))
    assert sum(5 in axes for axes in chosen) <= 1
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_constraints_of_a_group_remove_rows_first_and_others_are_columns(small):
    small()
    limits = [
        Limit("draw <= 40", lambda v: v["draw"] <= 40),
        Limit("band >= 3 or switch < 2", lambda v: (v["band"] >= 3) | (v["switch"] < 2)),
        Limit("nodes * rate >= 40", lambda v: v["nodes"] * v["rate"] >= 40),
    ]
    case = _system(limits=limits, senses={"power": "min", "transfer": "max"})
    known = Monotonicity(case.problem(), 0)
    node = known.prove(frozenset([0, 1, 2]))
    assert (len(node.limits), node.columns) == (1, {"rate": -1, "draw": 1})
    kept, total = reduction.kept_rows(known, node)
    assert (kept.values["draw"] <= 40).all()
    assert len(kept) < total < 120
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert 0 < case.answer().feasible < case.answer().designs


def test_a_row_meets_every_one_of_several_constraints_of_its_group(small):
    small()
    limits = [
        Limit("draw <= 40", lambda v: v["draw"] <= 40),
        Limit("rate >= 5", lambda v: v["rate"] >= 5),
    ]
    case = _system(limits=limits)
    known = Monotonicity(case.problem(), 0)
    node = known.prove(frozenset([0, 1, 2]))
    kept, _ = reduction.kept_rows(known, node)
    assert len(node.limits) == 2
    assert ((kept.values["draw"] <= 40) & (kept.values["rate"] >= 5)).all()
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_a_factor_that_is_also_below_0_takes_the_sign_away(small):
    """Where the price of a link is a refund, a faster node gains by it."""
    small()
    case = _system(senses={"time": "min", "price": "min"})
    case.functions.append(function("fee", "link", lambda link: link - 2.0))
    case.functions.append(function("price", "rate fee nodes", lambda rate, fee, nodes: rate * fee + nodes))
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.keys == {"rate": "price may rise or fall with it, in price"}
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_of_what_makes_a_maximised_objective_more_is_better(small):
    small()
    case = _system(senses={"speed": "max", "power": "min"})
    case.functions.append(function("speed", "rate nodes", lambda rate, nodes: rate * nodes))
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.columns == {"rate": -1, "draw": 1}
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_an_objective_of_a_group_that_nothing_else_reads_is_a_column(small):
    small()
    case = _system(senses={"time": "min", "noise": "min"})
    case.functions.append(function("noise", "cores clock", lambda cores, clock: (7.0 - cores) * clock))
    group = Monotonicity(case.problem(), 0).prove(frozenset([0, 1, 2]))
    assert group.columns == {"rate": -1, "noise": 1}
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)


def test_equal_designs_of_the_first_one_are_looked_up_and_only_feasible_ones(small):
    small()
    axes = (axis("a", range(4)), axis("b", range(4)), axis("c", range(4)))
    functions = [
        function("part", "a b", lambda a, b: a + b),
        function("time", "part c", lambda part, c: np.floor(part / 3.0) + c),
    ]
    limits = [Limit("part + c <= 1", lambda v: v["part"] + v["c"] <= 1)]
    case = Case([Product("", axes)], functions, {"time": "min"}, limits)
    result = search(case.problem(), SearchOptions("groups"))
    assert result.certificate.pruned_by_group > 0
    assert result.numbers.tolist() == [0, 4, 16]
    case.answer().assert_equals(result.numbers, result.values)


def test_equal_designs_are_looked_up(small):
    """The slower of two parts decides the time: many nodes are equal to the one that was kept."""
    small()
    case = _system(senses={"time": "min", "switch": "min"})
    case.functions[6] = function("time", "compute transfer", lambda a, b: np.floor(np.maximum(a, b) / 8))
    answer = case.answer()
    assert len(answer.numbers) > 50
    result = search(case.problem(), SearchOptions("groups"))
    answer.assert_equals(result.numbers, result.values)
    assert result.certificate.evaluated < 200
    assert "equal objectives included" in result.certificate.ties


def test_equal_designs_are_looked_up_where_a_function_has_no_range_form(small):
    small(by_bundles=False)

    def sums(draw, switch, nodes):
        shape = np.broadcast_shapes(draw.shape, switch.shape, nodes.shape)
        return np.round(np.broadcast_to(draw + switch, shape), -1) * nodes

    case = _system()
    case.functions[7] = function("power", "draw switch nodes", sums)
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    told = "draw: power may rise or fall with it, in power"
    assert result.certificate.method == "bundles" or told in result.certificate.not_pruned


def test_the_rule_for_ties_is_another_where_groups_are_too_large_to_look_up(small, monkeypatch):
    small()
    monkeypatch.setattr(groups, "LARGEST", 2)
    case = _system(senses={"time": "min"})
    result = search(case.problem(), SearchOptions("groups"))
    answer = case.answer()
    assert result.values[0].tobytes() == answer.values[0].tobytes()
    assert set(result.numbers) <= set(answer.numbers)
    assert result.certificate.ties.startswith("every objective vector that no other beats is kept; of the designs")


def test_a_group_in_blocks_keeps_the_same_rows(small):
    small()
    case = _system()
    known = Monotonicity(case.problem(), 0)
    group = known.prove(frozenset([0, 1, 2]))
    whole, total = reduction.kept_rows(known, group)
    for block in (1, 7, 12, 40, 100):
        small(block=block)
        again, count = reduction.kept_rows(known, group)
        assert count == total == 120
        np.testing.assert_array_equal(again.numbers, whole.numbers)
        for name, column in whole.values.items():
            assert same_bits(again.values[name], column)


def test_keys_are_compared_by_their_bits():
    rows = Rows(np.arange(5), {"k": np.array([0.0, -0.0, 0.0, 1.0, np.nan]), "l": np.array([1.0, 1, 1, 2, 2])})
    assert len(set(reduction.classes(rows, ["k", "l"]))) == 4
    first, _, third, *_ = reduction.classes(rows, ["k"])
    assert first == third


def test_texts_and_parts_stay_outside(small):
    small()
    case = _system()
    kinds = part("kind", kind_name=["slow", "fast", "odd"], factor=[1.0, 2.0, 1.5])
    case.products[0] = Product("", (*case.products[0].axes[:4], kinds, case.products[0].axes[5]))
    case.functions[2] = function("band", "factor lanes", lambda factor, lanes: factor * lanes)
    case.functions[3] = function(
        "switch", "kind_name lanes", lambda kind_name, lanes: np.where(kind_name == "fast", 3.0, 1.0) * lanes
    )
    case.limits = [Limit("kind_name != 'odd' or nodes < 9", lambda v: (v["kind_name"] != "odd") | (v["nodes"] < 9))]
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert result.certificate.method == "groups"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_an_error_all_the_same(value, small):
    """It could be in a row that is pruned, where nobody would see it."""
    small()
    case = _system()
    case.functions[1] = function(
        "draw",
        "cores clock cache",
        lambda cores, clock, cache: np.where((cores == 3) & (cache == 4), value, cores * clock),
    )
    with pytest.raises(Refused, match="the bounds of 'power' are not finite"):
        GroupProduct(case.problem(), 0)
    with pytest.raises(NonFiniteError, match=r"cores = 3, clock = 1.* is not a finite number; the first .* 'draw'"):
        search(case.problem(), SearchOptions("groups"))


def test_no_table_of_all_designs_is_made_for_what_groups_reduce(small, monkeypatch):
    small(limit=2.0)
    monkeypatch.setattr(warm_start, "_SMALLEST_SPACE", 1)
    monkeypatch.setattr(warm_start, "_LEAST", 1)
    monkeypatch.setattr(warm_start, "_DESIGNS", 10)
    case = _hard()
    problem = case.problem()
    asked = []
    monkeypatch.setattr(type(problem), "evaluator", lambda *_: asked.append(_))
    worker = Worker(problem, Strategy.choose(SearchOptions("groups"), [problem.space.size]))
    assert worker.grouped
    assert worker.seeds is not None
    assert asked == []
    assert all(search.evaluator.cut == {} for search in worker.grouped)


def test_designs_at_rows_of_what_is_left_are_those_of_the_space(small):
    """What seeds are made of: numbers and values of every design that is left, wherever bundles have laid it."""
    small(limit=2.0)
    case = _hard()
    problem = case.problem()
    every = case.every_quantity(0)
    for one in (GroupProduct(problem, 0), BundleProduct(problem, 0), ExhaustiveProduct(problem, 0)):
        rows = tuple(np.indices(one.evaluator.lengths).reshape(len(one.evaluator.lengths), -1))
        values, numbers = one.at_rows(rows)
        assert len(np.unique(numbers)) == len(numbers) == one.designs
        for objective in problem.objectives:
            got = np.broadcast_to(values[objective.quantity], len(numbers))
            assert got.tolist() == every[objective.quantity][numbers].tolist()


def test_nothing_to_prune_is_said_and_searched_by_bundles(small):
    small()
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(4)))
    functions = [
        function("x", "a b c", lambda a, b, c: (a - 2.3) * (b - 2.7) * (c - 1.1) + np.cos(a * 7.1 + b) + np.cos(a * c))
    ]
    for name in ("", "torus"):
        case = Case([Product(name, axes)], functions, {"x": "min"})
        result = search(case.problem(), SearchOptions("groups"))
        case.answer().assert_equals(result.numbers, result.values)
        where = " in 'torus'" if name else ""
        assert result.certificate.method == "bundles"
        assert result.certificate.pruned_by_group == 0
        assert result.certificate.reason.startswith(f"asked for; nothing was pruned{where}: ")


def test_the_mathematical_functions_a_proof_rests_on_are_named(small):
    small()
    case = _system(lambda compute, transfer: np.exp(np.log(compute) + 0.1 * transfer))
    result = search(case.problem(), SearchOptions("groups"))
    case.answer().assert_equals(result.numbers, result.values)
    assert "what was pruned by group rests on exp, log being monotone to the last bit" in result.certificate.warnings


# --- through the driver -------------------------------------------------------------------------------------------


def test_auto_takes_groups_for_huge_alternatives_only(small, monkeypatch):
    small()
    monkeypatch.setattr("dse.search.plan.strategy._BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.strategy._PRODUCT_BUNDLES_FROM", 100)
    monkeypatch.setattr("dse.search.plan.work._LOOK", 1e12)
    case = _system()
    other = _system(count=2)
    case.products.append(Product("less", other.products[0].axes))
    monkeypatch.setattr("dse.search.plan.strategy._GROUPS_FROM", case.products[0].size)
    result = search(case.problem())
    case.answer().assert_equals(result.numbers, result.values)
    assert result.certificate.method == "groups"
    assert result.certificate.reason == (
        "9 600 designs: bundles of alike designs are excluded by bounds, after rows that others beat were pruned from "
        "groups of axes"
    )
    assert result.certificate.pruned_by_group < case.products[0].size
    monkeypatch.setattr("dse.search.plan.strategy._GROUPS_FROM", case.products[0].size + 1)
    assert search(case.problem()).certificate.method == "bundles"


def test_infeasible_designs_cannot_be_counted():
    with pytest.raises(InputError) as caught:
        SearchOptions("groups", count_infeasible=True)
    assert str(caught.value) == (
        "search.count_infeasible: groups skip designs, so infeasible ones cannot be counted; allowed: "
        "method = 'exhaustive' or 'auto'"
    )


@pytest.mark.slow
def test_seeds_outside_of_what_is_left_change_nothing(small, monkeypatch):
    monkeypatch.setattr("dse.search.start.warm_start._SMALLEST_SPACE", 0)
    monkeypatch.setattr("dse.search.start.warm_start._DESIGNS", 100)
    for seed in range(20):
        case = _random(seed, small)
        for number in (0, 1):
            result = search(case.problem(number), SearchOptions("groups"))
            case.answer().assert_equals(result.numbers, result.values)


class MemoryLedger:
    def __init__(self):
        self.kept = {}

    def load_rounds(self):
        return None

    def load(self, chunk):
        return self.kept.get(chunk)

    def store(self, chunk, result):
        self.kept[chunk] = result


def _hard():
    """A system of which enough is left for several chunks."""
    case = _system(count=5)
    case.functions[4] = function("compute", "rate nodes cores", lambda rate, nodes, cores: 500 / (rate * nodes) + cores)
    return case


def test_chunks_kept_in_a_ledger_are_not_searched_again_and_change_nothing(small, monkeypatch):
    small()
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "chunk", 100)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 64)
    case = _hard()
    ledger, seen = MemoryLedger(), []
    first = search(
        case.problem(), SearchOptions("groups"), ledger=ledger, listener=Callbacks(lambda done, _: seen.append(done))
    )
    assert len(ledger.kept) == first.counters["chunks"] > 3
    assert seen == sorted(seen)
    assert seen[-1] == case.products[0].size
    for chunk in list(ledger.kept)[::2]:
        del ledger.kept[chunk]
    again = search(case.problem(), SearchOptions("groups"), ledger=ledger)
    case.answer().assert_equals(again.numbers, again.values)
    assert again.certificate == first.certificate


class Made:
    """Makes the case in a worker, with the settings of the test."""

    def problem(self):
        bundles.BundleProduct.__init__.__kwdefaults__["chunk"] = 100
        bundles._FEWEST_BOXES, reduced_product._BUNDLES_FROM = 64, 0
        return _hard().problem()


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_and_counts(monkeypatch, own_workers):
    for name in (__name__, "engine_problems"):
        cloudpickle.register_pickle_by_value(sys.modules[name])
    monkeypatch.setattr(reduced_product, "_BUNDLES_FROM", 0)
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "chunk", 100)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 64)
    case = _hard()
    one = search(case.problem(), SearchOptions("groups"))
    two = search(case.problem(), SearchOptions("groups", jobs=2), factory=Made())
    assert (two.counters["jobs"], one.counters["jobs"]) == (2, 1)
    case.answer().assert_equals(two.numbers, two.values)
    assert two.values.tobytes() == one.values.tobytes()
    assert two.numbers.tobytes() == one.numbers.tobytes()
    assert two.certificate == one.certificate


def test_pieces_count_every_design(small):
    small()
    case = _hard()
    numbers, values, evaluated = run_chunks(GroupProduct, case.problem())
    answer = case.answer()
    assert Counter(map(bytes, np.unique(values, axis=0))) == Counter(map(bytes, np.unique(answer.values, axis=0)))
    assert set(numbers) <= set(answer.numbers)
    assert evaluated < answer.designs
