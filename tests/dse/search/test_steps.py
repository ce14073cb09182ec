"""Functions taken apart into steps: the bits of the function, the axes of each step, and what cannot be recorded."""

import json
from pathlib import Path

import numpy as np
import pytest
from engine_problems import Case as Made
from engine_problems import axis, function
from example_counts import examples
from step_problems import random_body

from dse import Study
from dse.arithmetic.lookup import lookup
from dse.arithmetic.monotonicity import seeds
from dse.arithmetic.power import power
from dse.arithmetic.ranges import Range
from dse.arithmetic.steps import NotRecorded, Program, record
from dse.evaluation.probe import axis_grids
from dse.evaluation.problem import must_be_tabulated
from dse.evaluation.step_graph import record_function, sampled_values, take_apart
from dse.graph.expression import Expression
from dse.space.design_space import Product

STUDIES = sorted(path.stem for path in Path(__file__).parents[3].joinpath("studies").glob("*.toml"))
NOT_RECORDED = {"node_class.memory.socket_memory_power"}
"""It refuses some numbers, and does not look at those of stand-ins."""


def _bits(value, count=None):
    numbers = np.asarray(value, dtype=float)
    numbers = numbers if count is None else np.broadcast_to(numbers.reshape(-1), count)
    return np.ascontiguousarray(np.where(np.isnan(numbers), np.nan, numbers)).view(np.int64).tolist()


def _steps(body, *samples, results=None):
    names = [chr(ord("a") + number) for number in range(len(samples))]
    return record(body, names, [np.asarray(sample, dtype=float) for sample in samples], results)


def _body(one):
    return one.function.text if isinstance(one.function, Expression) else one.function


def test_every_function_of_every_shipped_study_gives_the_bits_of_its_steps():
    """On other designs than it was recorded with; the functions that cannot be recorded are known by name."""
    seen, refused, compared = set(), set(), 0
    for study in STUDIES:
        problem = Study.load(study).compiled
        for product, system in zip(problem.space.products, problem.systems, strict=True):
            new = [f for f in system.graph.functions if _body(f) not in seen]
            if not new:
                continue
            tabulated = {"text"} & set(system.graph.units.values())
            texts = {name for name, unit in system.graph.units.items() if unit in tabulated}
            values = sampled_values(system.graph, product, system.assumptions)
            others = sampled_values(system.graph, product, system.assumptions, seed=1)
            for one in new:
                seen.add(_body(one))
                if one.points_only or not texts.isdisjoint({*one.needs, *one.gives}):
                    continue
                program = record_function(one, values)
                if program is None:
                    refused.add(one.label.partition("@")[0])
                    continue
                given = [others[name] for name in program.arguments]
                with np.errstate(all="ignore"):
                    for name, found in zip(one.gives, program(*given), strict=True):
                        count = max(np.size(found), np.size(others[name]))
                        assert _bits(found, count) == _bits(others[name], count), one.label
                compared += 1
    assert refused == NOT_RECORDED
    assert compared > 400


def test_partial_sums_are_steps_in_the_order_of_python():
    program = _steps(lambda a, b, c: 2.0 * (a + b + c), [1.0], [2.0], [3.0])
    assert program.as_dict() == {
        "arguments": ["a", "b", "c"],
        "constants": [2.0],
        "steps": [["add", [0, 1]], ["add", [4, 2]], ["multiply", [3, 5]]],
        "results": [6],
    }
    assert program.axes([frozenset({0}), frozenset({1}), frozenset({1, 2})])[4:] == [
        frozenset({0, 1}),
        frozenset({0, 1, 2}),
        frozenset({0, 1, 2}),
    ]


def test_equal_steps_are_one_and_what_no_result_needs_is_left_out():
    def body(a, b):
        unused = a * 7.0
        assert unused is not None
        return (a + b) * (a + b)

    assert [step.operation for step in _steps(body, [1.0], [2.0]).steps] == ["add", "multiply"]


@pytest.mark.parametrize(
    "exponent", [2, 2.0, 0.5, -1, 1, 0, 3, 1.5, np.float64(2.0), np.array(2.0), np.array([2.0]), np.int64(-1)]
)
def test_a_power_does_what_arrays_do(exponent):
    base = np.round(np.linspace(0.1, 20.0, 1999), 2)
    (found,) = _steps(lambda a: a**exponent, base[:5])(base)
    assert _bits(found) == _bits(base**exponent)


FORMULAS = {
    "reflected power": (lambda a, b: 2.0**a - 3 / b, 2),
    "where, clip": (lambda a, b: np.where((a > 2) & ~(b <= 1), np.clip(a, 1.0, b), -b), 2),
    "interp, lookup": (lambda a: np.interp(a, [0.0, 1.0, 4.0], [3.0, 5.0, 2.0]) + lookup([1.0, 9.0, 4.0], a // 2), 1),
    "searchsorted": (lambda a: lookup([0.5, 2.5, 7.5], np.searchsorted([1.0, 3.0], a, side="right")), 1),
    "truth as a number": (lambda a, b: (a > b) * a + (a > 1) * b, 2),
    "truths added": (lambda a, b: np.where((a > b) + (a > 1), a, b), 2),
    "whole numbers": (lambda a, b: np.floor(a) * b % 3 + abs(-a) // 2, 2),
    "primitive": (lambda a, b: power(a, 1.3) + power(b, a), 2),
    "sum of a list": (lambda a, b: sum([a, b, a * b]), 2),
    "nothing but its argument": (lambda a, b: b, 2),
    "a constant": (lambda a: 3.0, 1),
    "minus nothing": (lambda a: np.maximum(a, 0.0) * -0.0 + np.maximum(-0.0, -a), 1),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_steps_give_the_bits_of_the_formula_and_run_on_ranges(name):
    body, count = FORMULAS[name]
    rng = np.random.default_rng(3)
    program = _steps(body, *rng.uniform(0.1, 4.9, (count, 7)))
    points = rng.uniform(0.1, 4.9, (count, 500))
    (found,) = program(*points)
    assert _bits(found, 500) == _bits(body(*points), 500)
    bounds = program(*(Range(column[:1] * 0.9, column[:1] * 1.1) for column in points))[0]
    right = body(*(Range(column[:1] * 0.9, column[:1] * 1.1) for column in points))
    assert _bits(Range.of(bounds).low, 1) == _bits(Range.of(right).low, 1)
    assert _bits(Range.of(bounds).high, 1) == _bits(Range.of(right).high, 1)


def test_steps_prove_the_signs_of_the_formula():
    boxes = [Range([1.0], [10.0]), Range([2.0], [8.0])]

    def body(a, b):
        return np.maximum(a, b) / b - a * 3.0

    signs = _steps(body, [1.0], [2.0])(*seeds(boxes))[0].signs.tolist()
    assert signs == body(*seeds(boxes)).signs.tolist()


@pytest.mark.parametrize(
    "body",
    [
        lambda a: a if a[0] > 1 else -a,
        lambda a: np.sum(a) + a,
        lambda a: np.asarray(a) + 1.0,
        lambda a: a * a.shape[0],
        lambda a: a.astype(np.float32) + 1.0,
        lambda a: a.astype(np.int64) * 2,
        lambda a: np.array([1.0, 2.0]),
        lambda a: "text",
        lambda a: (a, a),
        lambda a: 1 / 0,
    ],
)
def test_what_cannot_be_recorded_is_refused(body):
    with pytest.raises(NotRecorded):
        _steps(body, [2.0])


def test_a_function_that_refuses_some_numbers_stays_whole():
    def body(a):
        if isinstance(a, np.ndarray) and not (a > 0).all():
            raise ValueError
        return a + 1.0

    with pytest.raises(NotRecorded, match="ValueError"):
        _steps(body, [2.0])


def test_a_function_with_a_state_is_not_recorded():
    """Its steps would be those of one call."""
    calls = []

    def body(a):
        calls.append(a)
        return a * len(calls)

    with pytest.raises(NotRecorded, match="bits"):
        _steps(body, [2.0])


def test_constants_tell_zeros_and_kinds_apart():
    program = _steps(lambda a: (a * 0.0) + (a * -0.0) + (a * 0) + (a * False), [2.0])
    assert len(program.constants) == 4


def test_a_program_is_plain_data():
    program = _steps(lambda a: np.interp(a, np.array([0.0, 1.0]), np.array([2.0, 3.0])).astype(float), [0.5])
    assert json.loads(json.dumps(program.as_dict())) == {
        "arguments": ["a"],
        "constants": [[0.0, 1.0], [2.0, 3.0]],
        "steps": [["interp", [0, 1, 2]], ["astype", [3], {"kind": "float64"}]],
        "results": [4],
    }
    assert isinstance(program, Program)


def _graph(functions, products=3):
    case = Made(
        [Product("p", (axis("x", [1.0, 2.0, 4.0]), axis("y", [3.0, 5.0]), axis("z", [1.0, 7.0])))],
        functions,
        {"f": "min"},
    )
    problem = case.problem()
    product, system = problem.space.products[0], problem.systems[0]
    values = sampled_values(system.graph, product, system.assumptions)
    structure = problem.structure(0)
    whole = must_be_tabulated(system.graph, product, structure)
    return take_apart(system.graph, structure, values, whole), system, product


def test_a_function_is_cut_where_the_axes_change():
    apart, *_ = _graph([function("f", "x y z", lambda x, y, z: (x * y + 1.0) + (y - z) * y + x)])
    names = [name for one in apart.graph.functions for name in one.gives]
    assert names == ["x * y + 1 in f", "(y - z) * y in f", "f"]
    assert apart.structure.axes["x * y + 1 in f"] == {0, 1}
    assert apart.structure.axes["(y - z) * y in f"] == {1, 2}
    assert apart.origin == (0, 0, 0)


def test_what_follows_from_one_quantity_alone_is_cut_where_it_is_not_monotone():
    """To compare rows, x * 2 + 1 says nothing that x does not; (x - 2) ** 2 does."""
    apart, *_ = _graph([function("f", "x y", lambda x, y: (x * 2.0 + 1.0) * y + (x - 2.0) ** 2 * y)])
    assert [name for one in apart.graph.functions for name in one.gives] == ["square(x - 2) in f", "f"]


def test_a_truth_value_between_two_parts_is_a_number():
    """Rows of a group hold numbers; what is larger where a condition holds rises when it becomes true."""

    def body(x, y, z):
        return np.where(x > y, z, 1.0)

    apart, system, product = _graph([function("f", "x y z", body)])
    first, last = apart.graph.functions
    assert first.gives == {"greater(x, y) in f": "1"}
    values = sampled_values(apart.graph, product, system.assumptions)
    assert values["greater(x, y) in f"].dtype == float
    assert set(values["greater(x, y) in f"]) == {0.0, 1.0}
    assert _bits(values["f"]) == _bits(body(values["x"], values["y"], values["z"]))
    assert last.needs == ("z", "greater(x, y) in f")
    assert last.function(*seeds([Range([2.0], [9.0]), Range([0.0], [1.0])])).signs.tolist() == [1, 1]


def test_a_function_of_one_set_of_axes_stays_whole():
    apart, system, _ = _graph([function("g", "x y", lambda x, y: x * y), function("f", "g z", lambda g, z: g + z)])
    assert apart.graph.functions == system.graph.functions


def test_several_results_are_taken_apart():
    both = function("both", "x y z", lambda x, y, z: (x * y, x * y + z), "g h")
    last = function("f", "g h", lambda g, h: g + h)
    apart, *_ = _graph([both, last])
    assert [tuple(one.gives) for one in apart.graph.functions] == [("g",), ("h",), ("f",)]
    assert apart.structure.axes["g"] == {0, 1}


@pytest.mark.parametrize("part_of", range(4))
def test_parts_of_random_functions_give_their_bits_and_axes_600_functions(part_of):
    """Each part has the axes it varies along, and no more."""
    for number in range(examples(150)):
        rng = np.random.default_rng([part_of, number])
        body = random_body(rng)
        apart, system, product = _graph([function("f", "x y z", body)])
        right = sampled_values(system.graph, product, {}, seed=5)
        found = sampled_values(apart.graph, product, {}, seed=5)
        assert _bits(found["f"], 18) == _bits(right["f"], 18)
        grids = axis_grids(product)
        with np.errstate(all="ignore"):
            values = apart.graph.evaluate(grids)
        for name, own in apart.structure.axes.items():
            assert {place for place, length in enumerate(np.shape(values[name])) if length > 1} == own
