"""Listed designs once per combination of rows: the same numbers as one by one, and few calls."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError
from dse.evaluation.distinct_rows import DistinctRows
from dse.evaluation.product_evaluator import flat_inputs
from dse.evaluation.row_tables import RowTables
from dse.graph.graph import Graph, Input
from dse.run.result.self_check import evaluate_flat
from dse.space.axes import values_axis
from dse.space.design_space import Product
from tests.example_counts import examples

LENGTHS = {"a": 5, "b": 4, "c": 3, "d": 7}
PRODUCT = Product(
    "",
    tuple(values_axis(name, [1.5 * row + 1.0 for row in range(count)], "1") for name, count in LENGTHS.items()),
    {"k": 3.0},
    {"k": "1"},
    {},
    {},
)


def graph_of(needs):
    """Return a graph of sums and products, the last of which reads them all; each notes what it is called with."""
    calls = []

    def function(place, names):
        def computed(*arguments):
            calls.append((place, max(np.size(argument) for argument in arguments)))
            return sum(arguments[1:], arguments[0] * (place + 2.0)) if place % 2 else arguments[0] * arguments[-1]

        name = f"q{place}"
        return ModelFunction(name=name, function=computed, needs=tuple(names), gives={name: "1"}, source="ours")

    functions = [function(place, names) for place, names in enumerate(needs)]
    functions.append(function(len(needs), [f"q{place}" for place in range(len(needs))]))
    inputs = {name: Input(name, "1", "axis", "ours") for name in LENGTHS} | {"k": Input("k", "1", "set", "ours")}
    units = dict.fromkeys([*inputs, *(function.name for function in functions)], "1")
    providers = {function.name: function for function in functions}
    return Graph(tuple(functions), inputs, (functions[-1].name,), units, {}, providers), calls


def rows_of(count, most, seed):
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(0, min(most, length), count) for length in LENGTHS.values())


@given(
    st.lists(st.lists(st.sampled_from([*LENGTHS, "k"]), min_size=1, max_size=3), min_size=1, max_size=5),
    st.integers(0, 60),
    st.integers(1, 7),
    st.integers(0, 9),
)
@settings(max_examples=examples(200), deadline=None)
def test_the_numbers_are_those_of_designs_one_by_one(needs, count, most, seed):
    graph, _ = graph_of(needs)
    tables = RowTables(graph, PRODUCT, {})
    for size in (count, 2 * count + 1):  # the second list finds tables of the first
        rows = rows_of(size, most, seed)
        expected = graph.evaluate(flat_inputs(graph, PRODUCT, {}, rows))
        values = DistinctRows(tables, rows).evaluate(range(len(graph.functions)), list(expected))
        for name, value in expected.items():
            assert np.array_equal(np.broadcast_to(values[name], size), np.broadcast_to(value, size)), name


def test_a_function_of_few_rows_is_called_once_for_all_lists():
    graph, calls = graph_of([["a"], ["b", "c"], ["a", "b", "c", "d"]])
    tables = RowTables(graph, PRODUCT, {})
    for seed in range(4):
        DistinctRows(tables, rows_of(50, 7, seed)).evaluate(range(4), ["q3"])
    counts = [sum(place == own for place, _ in calls) for own in range(4)]
    assert counts == [1, 1, 4, 4]  # all combinations of four axes are more than four rows for each design of a list
    assert max(size for place, size in calls if place < 2) == 12


def test_what_depends_on_many_axes_is_called_on_the_rows_that_stand_in_the_list():
    graph, calls = graph_of([["a", "b", "c"], ["d"]])
    rows = (*(np.resize(own, 60) for own in rows_of(6, 7, 1)[:3]), rows_of(60, 7, 2)[3])
    long = tuple(values_axis(name, [1.0 + row for row in range(40)], "1") for name in LENGTHS)
    tables = RowTables(graph, replace(PRODUCT, axes=long), {})
    DistinctRows(tables, rows).evaluate(range(3), ["q2"])
    assert calls == [(0, 6), (1, 40), (2, 60)]


def test_rows_that_no_list_has_may_be_refused():
    def computed(a):
        if (a > 4.0).any():
            raise InputError("beyond its table")
        return a * 2.0

    function = ModelFunction(name="q", function=computed, needs=("a",), gives={"q": "1"}, source="ours")
    inputs = {"a": Input("a", "1", "axis", "ours")}
    graph = Graph((function,), inputs, ("q",), {"a": "1", "q": "1"}, {}, {"q": function})
    tables = RowTables(graph, PRODUCT, {})
    rows = (np.array([0, 1, 1, 2, 0, 0]), *(np.zeros(6, dtype=np.int64),) * 3)
    values = DistinctRows(tables, rows).evaluate([0], ["q"])
    assert values["q"].tolist() == [2.0, 5.0, 5.0, 8.0, 2.0, 2.0]
    with pytest.raises(InputError, match="beyond its table"):
        DistinctRows(tables, (np.array([0, 3]), *(np.zeros(2, dtype=np.int64),) * 3)).evaluate([0], ["q"])


@pytest.mark.parametrize("name", ["ska-correlator", "hybrid-xeon-sp", "topology-break-even", "training-llama-405b"])
def test_the_neighbours_of_a_page_are_evaluated_as_by_the_plain_graph(name):
    problem = Study.load(name).compiled
    numbers = np.unique(np.random.default_rng(1).integers(0, problem.space.size, 400, dtype=np.int64))
    plain, once = evaluate_flat(problem, numbers), evaluate_flat(problem, numbers, once=True)
    assert np.array_equal(plain.values, once.values, equal_nan=True)
    assert np.array_equal(plain.violated, once.violated)
