"""One sentence per mistake: where, what, what is allowed, what was probably meant."""

import pytest

from dse.errors import (
    InputError,
    NonFiniteError,
    RunFolderError,
    nearest,
    nearest_names,
    one_of,
    refuse_control,
    visible,
)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "wrong"),
        ({"file": "s.toml", "key": "space.axes"}, "s.toml: space.axes: wrong"),
        ({"key": "a", "allowed": ["x", "y"]}, "a: wrong; allowed: x, y"),
        ({"allowed": "a number"}, "wrong; allowed: a number"),
        ({"wrong": "nods", "candidates": ["cores", "nodes"]}, "wrong; did you mean 'nodes'?"),
        ({"wrong": "zzz", "candidates": ["cores", "nodes"]}, "wrong"),
        (
            {"file": "f", "key": "k", "allowed": ["m"], "wrong": "M", "candidates": ["m"]},
            "f: k: wrong; allowed: m; did you mean 'm'?",
        ),
    ],
)
def test_the_sentence_holds_what_is_known(given, message):
    assert str(InputError("wrong", **given)) == message


def test_what_is_known_outside_is_filled_in():
    error = InputError("wrong", key="values[3]").within(file="s.toml", key="space.axes.clock")
    assert str(error) == "s.toml: space.axes.clock.values[3]: wrong"
    assert str(error.within(file="other.toml", key="top")) == "s.toml: top.space.axes.clock.values[3]: wrong"
    assert str(InputError("wrong").within()) == "wrong"


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("frequensy", ["frequency", "energy"], "frequency"),
        ("ENERGY", ["power", "energy"], "energy"),
        ("node", ["number_of_nodes", "energy"], "number_of_nodes"),
        ("network_power_total", ["network", "network_power"], "network_power"),
        ("xyz", ["energy"], None),
        ("a", ["abc"], None),
        ("a", [], None),
        ("", ["energy"], None),
    ],
)
def test_the_nearest_name(name, candidates, expected):
    assert nearest(name, candidates) == expected


def test_names_that_begin_alike_are_proposed_three_at_most():
    names = ["machine_power", "node_power_limit", "power_share", "power_supply_cost", "energy"]
    assert nearest_names("pow", names) == ["power_share", "machine_power", "node_power_limit"]
    error = InputError("unknown 'pow'", wrong="pow", candidates=names)
    assert str(error).endswith("did you mean 'power_share', 'machine_power' or 'node_power_limit'?")
    assert error.nearest == "power_share"
    assert nearest_names("machine_pwer", names) == ["machine_power"]


def test_long_lists_are_cut():
    assert one_of(["a", "b"]) == "a, b"
    assert one_of(range(14)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (2 more)"
    assert one_of(["a", "b", "c"], limit=1) == "a, … (2 more)"
    assert one_of([]) == ""


def test_all_mistakes_of_the_input_are_value_errors():
    assert issubclass(NonFiniteError, InputError)
    assert issubclass(RunFolderError, InputError)
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize("letter", ["\x00", "\x07", "\n", "\x1b", "\x7f", "\x9b", "\ud800"])
def test_S3_control_characters_are_refused_wherever_they_stand(letter):
    for document in ({"a": [{"b": f"x{letter}"}]}, {"a": {f"k{letter}": 1}}, [f"{letter}"]):
        with pytest.raises(InputError, match=f"has the control character U\\+{ord(letter):04X}") as caught:
            refuse_control(document, file="f")
        assert letter not in str(caught.value)
        assert letter not in visible(str(caught.value)) or letter == "\n"
    refuse_control({"a": ["é – 20 µs", 1, None, 2.5]})


def test_S3_prose_may_have_lines():
    refuse_control({"question": "one\n\ttwo", "space": [{"doc": "a\nb"}]}, lines=("question", "doc"))
    with pytest.raises(InputError, match=r"^f: question: "):
        refuse_control({"question": "one\x1b"}, file="f", lines=("question",))
