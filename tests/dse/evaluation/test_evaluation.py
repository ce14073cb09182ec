"""Each function is called on the grid of its own axes, never on the product; plans and blocks change no bit."""

import numpy as np
import pytest
from engine_problems import (
    Case,
    Limit,
    axis,
    function,
    part,
    random_case,
    random_plan,
    same_bits,
    sweep,
)

import dse.evaluation.plan as planning
from dse.errors import ModelError
from dse.evaluation.plan import Plan, block_shape, make_plan
from dse.evaluation.product_evaluator import Blocks, ProductEvaluator
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Product


@pytest.fixture
def limits(monkeypatch):
    """Set how large a table may be."""

    def apply(*values):
        monkeypatch.setattr(planning, "_LIMITS", values)
        planning._cached.cache_clear()

    yield apply
    planning._cached.cache_clear()


class Recorded:
    """A function that notes the number of elements of each result."""

    def __init__(self, body):
        self.body, self.sizes = body, []

    def __call__(self, *values):
        result = self.body(*values)
        for one in result if isinstance(result, tuple) else (result,):
            if isinstance(one, np.ndarray):
                self.sizes.append(one.size)
        return result


def _system():
    """Axes a 5, b 6, c 7, d 8, idle 3, single 1: two sides that meet in 'time'."""
    axes = (
        axis("a", range(1, 6)),
        axis("b", range(1, 7)),
        axis("idle", range(3)),
        axis("c", range(1, 8)),
        axis("single", [2]),
        axis("d", range(1, 9)),
    )
    bodies = {
        "ab": ("a b", lambda a, b: np.exp(-a) * b, 30),
        "only_a": ("a", lambda a: np.log(a), 5),
        "cd": ("c d", lambda c, d: np.sqrt(c) + d, 56),
        "flat": ("single", lambda single: single**0.3, 1),
        "late_ab": ("ab only_a flat", lambda ab, only_a, flat: ab + only_a * flat, 30),
    }
    calls = {name: Recorded(body) for name, (_, body, _) in bodies.items()}
    functions = [function(name, needs, calls[name]) for name, (needs, _, _) in bodies.items()]
    functions.append(function("time", "late_ab cd", lambda late_ab, cd: late_ab * cd))
    functions.append(function("cost", "cd a", lambda cd, a: cd - a))
    case = Case([Product("", axes)], functions, {"time": "min", "cost": "max"})
    return case, calls, {name: size for name, (_, _, size) in bodies.items()}


@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_every_function_is_called_once_on_its_own_grid_and_never_on_the_product(method, limits):
    limits(64.0)
    case, calls, sizes = _system()
    problem = case.problem()
    problem.structure(0)
    for one in calls.values():
        one.sizes.clear()
    result = search(problem, SearchOptions(method))
    assert {name: one.sizes for name, one in calls.items()} == {name: [size] for name, size in sizes.items()}
    case.answer().assert_equals(result.numbers, result.values)


def test_functions_that_only_feed_nothing_that_is_wanted_are_not_called():
    case, _, _ = _system()
    unused = Recorded(lambda a, d: a * d)
    case.functions.append(function("unused", "a d", unused))
    search(case.problem())
    assert unused.sizes == []


def test_dependencies_are_those_of_each_output_not_of_the_function():
    axes = (axis("k", [4, 8]), axis("link", [1, 2, 3]), axis("single", [5]))

    def fat_tree(k, link, single):
        return k * 2, k * link, single * 1.0

    functions = [
        function("fat_tree", "k link single", fat_tree, gives="hops bandwidth ports"),
        function("x", "hops bandwidth ports", lambda hops, bandwidth, ports: hops + bandwidth + ports),
    ]
    structure = Case([Product("", axes)], functions, {"x": "min"}).problem().structure(0)
    assert structure.axes["hops"] == {0}
    assert structure.axes["bandwidth"] == {0, 1}
    assert structure.axes["ports"] == set()
    assert structure.axes["x"] == {0, 1}


def test_a_probe_of_more_axes_than_fit_together_finds_all_dependencies():
    axes = tuple(axis(f"a{i}", [1, 2]) for i in range(19))
    needs = [f"a{i}" for i in (0, 9, 18)]
    functions = [function("x", " ".join(needs), lambda p, q, r: p + q * r)]
    structure = Case([Product("", axes)], functions, {"x": "min"}).problem().structure(0)
    assert structure.axes["x"] == {0, 9, 18}


def test_the_probe_notes_operations_and_those_whose_last_bit_may_vary():
    functions = [
        function("exact", "a b", lambda a, b: np.sqrt(a) * b + np.maximum(a, b)),
        function("loose", "a exact", lambda a, exact: np.exp(a) + a**0.3 + exact),
    ]
    structure = Case([Product("", (axis("a", [1, 2]), axis("b", [1, 2])))], functions, {"loose": "min"}).problem()
    structure = structure.structure(0)
    assert structure.operations == (4, 4)
    assert structure.inexact == (frozenset(), frozenset({"exp", "power"}))


def test_a_function_may_work_in_place_on_an_array_of_its_own():
    def in_place(a, b):
        result = a * b
        result += a
        return result

    case = Case([Product("", (axis("a", [1, 2]), axis("b", [1, 2])))], [function("x", "a b", in_place)], {"x": "min"})
    result = search(case.problem())
    case.answer().assert_equals(result.numbers, result.values)


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (lambda a, b: np.concatenate([a + b, a + b], axis=0), (6, 3)),
        (lambda a, b: (a + b)[..., None], (3, 3, 1)),
        (lambda a, b: np.stack([a + b, a]), (2, 3, 3)),
    ],
    ids=["concatenate", "a dimension more", "stack"],
)
def test_a_result_of_another_shape_than_its_arguments_breaks_the_contract(body, shape):
    if shape == (2, 3, 3):
        body = lambda a, b: np.stack([a + b, a + b])  # noqa: E731
    case = Case([Product("", (axis("a", range(4)), axis("b", range(5))))], [function("x", "a b", body)], {"x": "min"})
    with pytest.raises(ModelError) as caught:
        search(case.problem())
    assert str(caught.value) == (
        f"x gives 'x' of shape {shape}: a result must have the broadcast shape of the arguments it depends on"
    )


def test_a_result_that_varies_along_an_axis_it_does_not_read_breaks_the_contract():
    case = Case(
        [Product("", (axis("a", range(4)), axis("b", range(5))))],
        [function("x", "a", lambda a: a + np.zeros((1, 2))), function("y", "x b", lambda x, b: x + b)],
        {"y": "min"},
    )
    with pytest.raises(ModelError) as caught:
        case.problem().structure(0)
    assert str(caught.value) == (
        "x gives 'x' of shape (3, 2): a result must have the broadcast shape of the arguments it depends on"
    )


def test_a_function_that_fails_or_returns_too_few_results_is_named():
    axes = (axis("a", range(4)),)
    body = lambda a: a.nothing  # noqa: E731
    case = Case([Product("", axes)], [function("x", "a", body)], {"x": "min"})
    with pytest.raises(ModelError) as caught:
        search(case.problem())
    place = f"(test_evaluation.py, line {body.__code__.co_firstlineno})"
    assert str(caught.value) == f"x fails: AttributeError: '_Recorder' object has no attribute 'nothing' {place}"
    case = Case([Product("", axes)], [function("f", "a", lambda a: (a, a), gives="x y z")], {"x": "min"})
    with pytest.raises(ModelError) as caught:
        search(case.problem())
    assert str(caught.value) == "f must return 3 quantities: x, y, z"


def test_a_joined_function_is_called_again_only_when_the_rows_it_depends_on_have_changed(limits):
    limits(1.0)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(8)))
    left = Recorded(lambda a, b: a * b)
    join = Recorded(lambda left, c: left + c)
    case = Case([Product("", axes)], [function("left", "a b", left), function("x", "left c", join)], {"x": "min"})
    problem = case.problem()
    structure = problem.structure(0)
    graph = problem.systems[0].graph
    plan = Plan((), (0, 1), ("a", "b", "c"), ((0,), (1,), (2,)))
    evaluator = ProductEvaluator(graph, structure, plan, problem.space.products[0], {})
    left.sizes.clear(), join.sizes.clear()
    blocks = Blocks(evaluator, (1, 3, 2))
    for index in np.ndindex(*blocks.counts()):
        blocks.evaluate(blocks.ranges(index))
    assert left.sizes == [3] * (5 * 2)
    assert join.sizes == [6] * (5 * 2 * 4)
    assert blocks.calls == 10 + 40


def test_the_loop_over_blocks_nests_so_that_functions_are_called_least(limits):
    limits(1.0)
    axes = (axis("a", range(5)), axis("b", range(6)), axis("c", range(8)))
    costly = Recorded(lambda b, c: np.sqrt(b) * c + b / (c + 1.0) - b)
    join = Recorded(lambda costly, a: costly + a)
    case = Case([Product("", axes)], [function("costly", "b c", costly), function("x", "costly a", join)], {"x": "min"})
    problem = case.problem()
    plan = Plan((), (0, 1), ("a", "b", "c"), ((0,), (1,), (2,)))
    graph, structure = problem.systems[0].graph, problem.structure(0)
    evaluator = ProductEvaluator(graph, structure, plan, problem.space.products[0], {})
    costly.sizes.clear(), join.sizes.clear()
    blocks = Blocks(evaluator, (1, 1, 8))
    seen = {}
    for linear in range(5 * 6):
        ranges = blocks.ranges(blocks.index(linear))
        seen[ranges] = blocks.evaluate(ranges)["x"].copy()
    assert blocks.nesting == (1, 0, 2)
    assert costly.sizes == [8] * 6
    assert join.sizes == [8] * (5 * 6)
    truth = case.every_quantity(0)["x"].reshape(5, 6, 8)
    assert len(seen) == 5 * 6
    for ((a, _), (b, _), _), found in seen.items():
        assert np.array_equal(found.reshape(-1), truth[a, b])


@pytest.mark.parametrize("group", range(4))
def test_any_plan_and_any_blocks_give_the_bits_of_the_definition(group, limits):
    for seed in range(group * 25, group * 25 + 25):
        rng = np.random.default_rng(20_000 + seed)
        case = random_case(rng, largest=600)
        limits(float(rng.choice([1, 6, 40, 1e6])))
        problem = case.problem()
        for index in range(len(case.products)):
            truth = case.every_quantity(index)
            names = [o.quantity for o in problem.objectives]
            automatic = problem.evaluator(index)
            system = problem.systems[index]
            evaluators = [automatic]
            for _ in range(2):
                plan = random_plan(problem, index, rng)
                structure, product = problem.structure(index), problem.space.products[index]
                if product.axes:
                    evaluators.append(ProductEvaluator(system.graph, structure, plan, product, {}))
            for evaluator in evaluators:
                steps = [int(rng.integers(1, n + 1)) for n in evaluator.lengths]
                found = sweep(evaluator, steps, names)
                for name in names:
                    assert same_bits(found[name] + 0.0, truth[name] + 0.0), (seed, name)


def test_a_function_with_a_large_and_a_small_output_is_planned(limits):
    """The small output is read by a function that must be tabulated, and by one that may be."""
    axes = (part("kind", word=["u", "v"], k=[1.0, 2.0]), axis("b", range(9)), axis("c", range(8)))

    def both(k, b, c):
        return k * 2, k * b * c

    functions = [
        function("both", "k b c", both, gives="small large"),
        function("next", "small", lambda small: small + 1),
        function("named", "small word", lambda small, word: small * np.where(word == "u", 3.0, 1.0)),
        function("x", "next large", lambda next_, large: next_ + large),
        function("y", "named next c", lambda named, next_, c: named * next_ - c),
    ]
    functions[3] = function("x", "next large", lambda n, large: n + large)
    for chosen in ({"x": "min"}, {"x": "min", "y": "max"}, {"y": "max"}):
        for limit in (1.0, 2.0, 10.0, 1e6):
            limits(limit)
            case = Case([Product("", axes)], functions, chosen)
            for method in ("exhaustive", "bundles"):
                result = search(case.problem(), SearchOptions(method))
                case.answer().assert_equals(result.numbers, result.values)


def test_single_designs_have_the_bits_of_the_sweep_for_every_quantity():
    """4,200 designs, transcendental functions included, constants and assumptions too."""
    axes = (
        part("cpu", cores=[4, 8, 64, 96], clock=[1.2e9, 2.6e9, 3.1e9, 2.2e9], family=["x", "y", "x", "z"]),
        axis("nodes", [1, 2, 3, 5, 8, 13, 1000]),
        axis("cache", [0.5, 0.7, 1.1, 2.9, 3.3]),
        axis("link", np.linspace(1, 7, 6).tolist()),
        axis("rate", [0.1, 0.2, 0.3, 0.7, 0.9]),
        axis("one", [3.7]),
    )
    fixed = {"exponent": 2 / 3, "two": 2.0}
    functions = [
        function("miss", "cache exponent", lambda cache, exponent: np.power(cache, -exponent)),
        function("squared", "cache two", lambda cache, two: cache**two),
        function("bonus", "family", lambda family: np.where(family == "x", 1.5, 1.25)),
        function("speed", "cores clock miss bonus", lambda cores, clock, miss, bonus: cores * clock * miss * bonus),
        function("wait", "rate one", lambda rate, one: np.exp(rate) / (1.0 - rate) + np.log(one)),
        function("spread", "nodes link", lambda nodes, link: np.cbrt(nodes) / link + np.log2(nodes + link)),
        function("time", "speed wait spread", lambda speed, wait, spread: 1e12 / speed + np.maximum(wait, spread)),
        function("energy", "time cores squared", lambda time, cores, squared: time * np.sqrt(cores) * squared),
    ]
    case = Case([Product("", axes, fixed)], functions, {"time": "min", "energy": "min"})
    problem = case.problem()
    evaluator = problem.evaluator(0)
    names = [name for one in functions for name in one.gives]
    everything = tuple(range(len(functions)))
    plans = [
        evaluator.plan,
        make_plan(problem.systems[0].graph, problem.structure(0), problem.space.products[0].shape, names),
        Plan(everything, (), tuple(names), ((0, 1, 2, 3, 4, 5),)),
    ]
    whole = {}
    for plan in plans:
        one = ProductEvaluator(problem.systems[0].graph, problem.structure(0), plan, problem.space.products[0], {})
        given = [name for name in names if name in one.own]
        for name, values in sweep(one, [max(1, n // 3) for n in one.lengths], given).items():
            assert same_bits(whole.setdefault(name, values), values)
    assert set(whole) == set(names)
    for number in range(0, problem.space.size, 3):
        (record,) = problem.quantities([number])
        for name in names:
            assert same_bits(record["values"][name], whole[name][number : number + 1]), (number, name)
    every = problem.quantities(range(problem.space.size))[0]["values"]
    for name in names:
        assert same_bits(np.broadcast_to(every[name], whole[name].shape), whole[name])


def test_quantities_of_designs_of_several_alternatives_keep_their_positions():
    products = [Product("one", (axis("a", [1, 2]),), {"b": 5.0}), Product("two", (axis("b", [7, 8, 9]),), {"a": 3.0})]
    case = Case(products, [function("x", "a b", lambda a, b: a * b)], {"x": "min"})
    records = case.problem().quantities([4, 0, 2, 1])
    assert [(r["product"], r["positions"].tolist(), r["values"]["x"].tolist()) for r in records] == [
        (0, [1, 3], [5.0, 10.0]),
        (1, [0, 2], [27.0, 21.0]),
    ]


def test_frozen_arguments_and_results_that_are_the_arguments_are_fine(limits):
    """The engine writes into no array a function gave or got."""
    kept = []

    def frozen(value):
        if isinstance(value, np.ndarray):
            value = np.array(value)
            value.setflags(write=False)
            kept.append((value, value.copy()))
        return value

    axes = (axis("a", [0, -1, 2]), axis("b", [1, -2, 5, 3]), axis("c", range(6)))
    functions = [
        function("same", "a", lambda a: a),
        function("left", "same b", lambda same, b: frozen(same * b)),
        function("x", "left c", lambda left, c: frozen(left - c)),
        function("y", "x", lambda x: x),
    ]
    for limit in (1.0, 20.0, 1e6):
        limits(limit)
        case = Case([Product("", axes)], functions, {"x": "min", "y": "max", "b": "max"})
        for method in ("exhaustive", "bundles"):
            result = search(case.problem(), SearchOptions(method))
            case.answer().assert_equals(result.numbers, result.values)
    assert len(kept) > 10
    assert all(same_bits(one, other) for one, other in kept)
    assert [one.columns[one.name].tolist() for one in axes] == [[0, -1, 2], [1, -2, 5, 3], [0, 1, 2, 3, 4, 5]]


def test_three_hundred_alternatives_of_one_structure_are_probed_and_planned_once():
    axes = (axis("a", range(4)), axis("b", range(5)), axis("c", range(30)))
    products = [Product(f"p{i}", axes, {"scale": float(i + 1)}) for i in range(300)]
    probed = []

    def left(a, b):
        probed.append(1)
        return a * b

    functions = [function("left", "a b", left), function("x", "left c scale", lambda x, c, s: (x + c) * s)]
    case = Case(products, functions, {"x": "max"}, [Limit("x > 3", None), Limit("left < 9", None)])
    problem = case.problem()
    planning._cached.cache_clear()
    for index in range(300):
        problem.structure(index)
    assert len(problem._structures) == 1
    assert len(probed) == 6  # one probe run: the corner, three designs of it alone, another order, a list of designs
    for index in range(300):
        problem.evaluator(index)
    found = planning._cached.cache_info()
    assert (found.misses, found.hits) == (1, 299)


def test_long_axes_of_nearly_one_length_share_a_plan():
    planning._cached.cache_clear()
    functions = [function("x", "a b", lambda a, b: a + b)]
    products = [Product(f"p{n}", (axis("a", range(n)), axis("b", range(3)))) for n in (5, 6, 23, 25, 27, 28, 29)]
    problem = Case(products, functions, {"x": "min"}).problem()
    for index in range(7):
        problem.evaluator(index)
    assert planning._cached.cache_info().misses == 4  # 5, 6, up to 27, up to 32


@pytest.mark.parametrize(
    ("lengths", "elements", "steps"),
    [
        ((), 10, ()),
        ((100,), 10, (10,)),
        ((105,), 10, (10,)),
        ((4, 5), 100, (4, 5)),
        ((4, 5), 10, (2, 5)),
        ((4, 50), 10, (1, 10)),
        ((4, 51), 10, (1, 9)),
        ((3, 4, 5), 1, (1, 1, 1)),
    ],
)
def test_blocks_span_the_inner_rows_as_far_as_they_fit(lengths, elements, steps):
    assert block_shape(lengths, elements) == steps


def test_a_function_that_changes_its_arguments_is_refused():
    def spoil(a):
        a *= 2.0
        return a

    case = Case([Product("", (axis("a", range(1, 4)),))], [function("x", "a", spoil)], {"x": "min"})
    with pytest.raises(ModelError, match=r"changes one of its arguments; write x = x \+ y, not x \+= y"):
        case.problem().evaluator(0)
