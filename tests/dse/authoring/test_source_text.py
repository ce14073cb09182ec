"""Functions that stand in no file of their own, written as one."""

import hashlib
import math

import numpy as np
import pytest
import scipy.special
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf

from dse import assumption, parameter, quantities, quantity, requirement
from dse.authoring.declare.declaration import Column, table_parameter
from dse.authoring.library.functions import model_of_functions
from dse.authoring.library.library import load_model
from dse.authoring.library.model_files import model_digest
from dse.errors import InputError

HOPS = 3
LEVELS = np.array([1.0, 2.5])
nodes = parameter(unit="1", doc="Nodes", minimum=1, integer=True)
ports = parameter(unit="1", doc="Ports")
work = assumption(1e13, unit="1", source="made up", doc="Cycles")
prices = table_parameter(columns={"price": Column("1", aliases={"cost": "1"})}, doc="Prices")
enough = requirement("nodes <= ports", source="made up", doc="Enough ports", name="enough")


def steps(count):
    return HOPS * np.log2(count) if count is not None else steps(1)


@quantity(unit="s", source="made up")
def time(work, nodes, prices):
    "Time."
    return work / nodes + steps(nodes) * LEVELS[1] + erf(nodes) + scipy.special.erfc(nodes) + math.pi


@quantities(gives={"here": "1", "there": "1"}, source="made up")
def places(nodes):
    """Two numbers.

    Of several lines.
    """
    from math import e

    halves = [node / 2 for node in (nodes,)]
    return halves[0], e * nodes


def made(text_of_file, tmp_path, name="mine.py"):
    (tmp_path / name).write_text(text_of_file)
    return load_model(name, tmp_path)


def test_the_file_declares_the_same(tmp_path):
    model = model_of_functions("mine.py", [time, places, enough], {"spare": parameter(unit="W", doc="Beside", above=0)})
    again = made(model.text, tmp_path)
    assert [function.name for function in again.functions] == ["time", "places"]
    for mine, other in zip(model.functions, again.functions, strict=True):
        for key in ("needs", "gives", "source", "doc", "module"):
            assert getattr(mine, key) == getattr(other, key), key
    assert model.parameters == again.parameters
    assert set(model.parameters) == {"nodes", "spare"}
    assert model.assumptions == again.assumptions == {"work": again.assumptions["work"]}
    assert model.tables == again.tables
    assert model.requirements == again.requirements
    given = np.array([3.0, 5.0])
    assert (again.functions[0](1e13, given, None) == time(1e13, given, None)).all()
    assert again.functions[1](4.0) == places(4.0)


def test_the_hash_is_that_of_the_file(tmp_path):
    model = model_of_functions("mine.py", [time], {})
    made(model.text, tmp_path)
    assert model.sha256 == model_digest("mine.py", tmp_path) == hashlib.sha256(model.text.encode()).hexdigest()


def test_a_constant_that_changes_changes_the_hash(monkeypatch):
    model = model_of_functions("mine.py", [time], {})
    before = model.sha256
    monkeypatch.setitem(globals(), "HOPS", 4)
    assert model.sha256 != before


def test_functions_made_inside_another_take_its_values_along(tmp_path):
    share = 0.25

    def part(amount):
        return share * amount

    @quantity(unit="1", source="made up")
    def portion(nodes):
        return part(nodes)

    model = model_of_functions("mine.py", [portion], {})
    assert made(model.text, tmp_path).functions[0](8.0) == 2.0


LIMIT: float = 3.0
node = 7


def most(count: float, limit: float = LIMIT) -> np.ndarray:
    return np.minimum(count, limit)


def test_names_count_where_they_are_read(tmp_path):
    """One of the notebook and one of a comprehension may be the same word; defaults and annotations are read too."""

    @quantity(unit="1", source="made up")
    def shadowed(nodes):
        every = [node + 0 for node in (1, 2)]
        return most(nodes) + node + sum(every)

    model = model_of_functions("mine.py", [shadowed], {})
    assert made(model.text, tmp_path).functions[0](np.array([2.0, 9.0])).tolist() == [12.0, 13.0]
    assert "node = 7\n" in model.text
    assert "LIMIT = 3.0\n" in model.text


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


CONSTANT = None


@quantity(unit="1", source="made up")
def of_a_constant(nodes):
    return nodes * CONSTANT


@given(LITERALS)
@settings(max_examples=examples(100), deadline=None)
def test_constants_are_written_to_the_last_digit_and_kind(value):
    globals()["CONSTANT"] = value
    written = {"__name__": "written"}
    exec(model_of_functions("mine.py", [of_a_constant], {}).text, written)
    assert repr(written["CONSTANT"]) == repr(value)


def undeclared(nodes):
    return nodes


@quantity(unit="1", source="made up")
def calls_another(nodes):
    return places(nodes)[0]


@quantity(unit="1", source="made up")
def uses_an_object(nodes):
    return nodes * len(UNWRITABLE)


@quantity(unit="1", source="made up")
def uses_nothing(nodes):
    return nodes * nowhere  # noqa: F821


UNWRITABLE = {1: object()}
EXECUTED = {"__name__": "__main__"}
exec('from dse import quantity\n@quantity(unit="1", source="made up")\ndef gone(nodes):\n    return nodes\n', EXECUTED)


@pytest.mark.parametrize(
    ("functions", "inputs", "told"),
    [
        ([calls_another], {}, "'calls_another' cannot be written as a file: it calls 'places', a quantity of its own"),
        ([uses_an_object], {}, "it uses 'UNWRITABLE', a dict, which cannot be written"),
        ([uses_nothing], {}, "it uses 'nowhere', which stands for nothing"),
        ([EXECUTED["gone"]], {}, "'gone' cannot be written as a file: its source cannot be had"),
        ([time], {"HOPS": parameter(unit="1", doc="Hops")}, "'HOPS', which is the name of an input"),
    ],
)
def test_what_cannot_be_written_says_why(functions, inputs, told):
    model = model_of_functions("mine.py", functions, inputs)
    with pytest.raises(InputError) as caught:
        _ = model.text
    assert told in str(caught.value)
    assert model.text_or_nothing == ""
    assert model.sha256 == model.sha256 != model_of_functions("mine.py", functions, inputs).sha256


def test_a_lambda_has_no_lines_of_its_own():
    marked = quantity(unit="1", source="made up", name="area")(lambda nodes: nodes)
    with pytest.raises(InputError, match="it is a lambda"):
        _ = model_of_functions("mine.py", [marked], {}).text


def test_a_file_that_was_edited_after_its_import_is_refused(tmp_path):
    file = tmp_path / "edited.py"
    text = 'from dse import quantity\n@quantity(unit="1", source="made up")\ndef area(nodes):\n    return nodes + 1\n'
    file.write_text(text)
    (area,) = load_model("edited.py", tmp_path).functions
    assert "return nodes + 1" in model_of_functions("mine.py", [area], {}).text
    file.write_text(text.replace("+ 1", "- 1"))
    with pytest.raises(InputError, match="changed since it was defined"):
        _ = model_of_functions("mine.py", [area], {}).text


@pytest.mark.parametrize(
    ("functions", "inputs", "told"),
    [
        ([undeclared], {}, "functions[0]: 'undeclared' is not marked as a quantity; allowed: @quantity"),
        ([time, time], {}, "functions[1]: 'time' stands twice"),
        ([nodes], {}, "functions[0]: Parameter is no function; allowed: inputs="),
        (["time"], {}, "functions[0]: 'time' is no function"),
        ([time], {"nodes": 3}, "inputs.nodes: int is no input; allowed: parameter"),
        ([time], {"time": nodes}, "inputs.time: 'time' is the name of a function too"),
    ],
)
def test_wrong_entries_are_named(functions, inputs, told):
    with pytest.raises(InputError) as caught:
        model_of_functions("mine.py", functions, inputs)
    assert str(caught.value).startswith(told)
