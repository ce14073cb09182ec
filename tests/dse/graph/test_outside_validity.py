"""Which quantities of a design lie outside the range a model was validated on, for many designs at once."""

import numpy as np
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.authoring.declare.declaration import ModelFunction
from dse.graph.graph import Graph

NAMES = ("a", "b", "c")


def graph_of(ranges):
    """Return a graph of functions with these ranges, of which nothing else is asked."""
    functions = []
    for place, valid in enumerate(ranges):
        function = object.__new__(ModelFunction)
        object.__setattr__(function, "valid", valid)
        object.__setattr__(function, "gives", {f"f{place}": "1"})
        functions.append(function)
    return Graph(tuple(functions), {}, (), {}, {})


def one_by_one(ranges, values, design):
    names = []
    for valid in ranges:
        for name, (low, high) in valid.items():
            if name in values and not low <= values[name][design % len(values[name])] <= high and name not in names:
                names.append(name)
    return names


bounds = st.tuples(st.integers(-3, 0), st.integers(0, 3))
ranges = st.lists(st.dictionaries(st.sampled_from(NAMES), bounds), max_size=4)
columns = st.dictionaries(st.sampled_from(NAMES), st.lists(st.integers(-5, 5), min_size=6, max_size=6))


@given(ranges, columns)
@settings(max_examples=examples(200))
def test_each_design_has_its_own_in_the_order_of_the_functions(ranges, columns):
    values = {name: np.array(cells, dtype=float) for name, cells in columns.items()}
    found = graph_of(ranges).outside_validity(values, 6)
    expected = [one_by_one(ranges, values, design) for design in range(6)]
    assert [found.of(design) for design in range(6)] == expected
    assert found.texts.tolist() == [", ".join(names) for names in expected]


def test_designs_share_their_texts():
    """A million designs outside one range are no million texts."""
    values = {"a": np.arange(1000.0), "b": np.array([9.0])}
    texts = graph_of([{"a": (0, 499), "b": (0, 1)}]).outside_validity(values, 1000).texts
    assert texts[0] == "b"
    assert texts[999] == "a, b"
    assert len({id(text) for text in texts}) == 2
