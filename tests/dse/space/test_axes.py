"""Axes hold the values a person would write, in the order written, and refuse what makes no sense."""

import numpy as np
import pytest

from dse.authoring.table import Table
from dse.errors import InputError
from dse.space.axes import Axis, linspace_axis, part_axis, powers_of_two_axis, range_axis, values_axis, with_confidence


def listed(axis):
    return axis.columns[axis.name].tolist()


def table(**columns):
    arrays, units = {}, {}
    for name, values in columns.items():
        text = isinstance(values[0], str)
        arrays[name], units[name] = np.array(values, dtype=object if text else float), "text" if text else "1"
    return Table("parts.csv", arrays, units, np.arange(len(values)), "")


def test_listed_values_keep_their_order_and_are_si():
    axis = values_axis("clock", ["2.6 GHz", "1200 MHz", "3 GHz"], "Hz")
    assert listed(axis) == [2.6e9, 1.2e9, 3e9]
    assert [axis.label(row) for row in range(3)] == ["2.6 GHz", "1.2 GHz", "3 GHz"]
    assert (len(axis), axis.is_part, dict(axis.units)) == (3, False, {"clock": "Hz"})
    assert listed(values_axis("kind", ["tree", "torus"], "text")) == ["tree", "torus"]


def test_ranges_hold_the_numbers_a_person_would_write():
    assert listed(range_axis("x", 1, 4, None, "1")) == [1, 2, 3, 4]
    assert listed(range_axis("x", 0, 1, 0.1, "1")) == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert listed(range_axis("x", "1.2 GHz", "2 GHz", "0.2 GHz", "Hz")) == [1.2e9, 1.4e9, 1.6e9, 1.8e9, 2e9]
    assert listed(range_axis("x", 1, 6, 2, "1")) == [1, 3, 5]
    assert listed(range_axis("x", 3, 3, 1, "1")) == [3]
    assert listed(range_axis("x", -2, 2, 2, "1")) == [-2, 0, 2]
    for steps in range(1, 400):
        assert len(range_axis("x", 0, steps * 0.1, 0.1, "1")) == steps + 1


def test_E6_ranges_are_exact_up_to_the_last_integer_or_refused():
    last = 2**53
    assert listed(range_axis("x", last - 4, last, 1, "1")) == [last - 4, last - 3, last - 2, last - 1, last]
    assert listed(range_axis("x", 4503599627370495, 4503599627370497, 1, "1")) == [2.0**52 - 1, 2.0**52, 2.0**52 + 1]
    assert listed(range_axis("x", 0.1234567890123456, 2, 1, "1")) == [0.1234567890123456, 1.1234567890123456]
    assert listed(range_axis("x", 1, 1.000000000000003, 1e-15, "1")) == [1, 1 + 1e-15, 1 + 2e-15, 1 + 3e-15]
    assert listed(range_axis("m", "18014398509481984 B", "18014398509482008 B", "12 B", "B")) == [
        2**54,
        2**54 + 12,
        2**54 + 24,
    ]
    for first, end, step, unit in (
        (last, last + 4, 1, "1"),
        (-last - 2, 0, 2**50, "1"),
        (f"{last} B", f"{last + 4} B", "1 B", "B"),
        (last + 1, last + 1, 1, "1"),
    ):
        with pytest.raises(InputError, match=r"beyond 2\*\*53"):
            range_axis("x", first, end, step, unit)
    with pytest.raises(InputError, match="the step 1e-17 is too small to tell the values apart"):
        range_axis("x", 1, 1 + 1e-15, 1e-17, "1")
    with pytest.raises(InputError, match="cannot be told apart"):
        linspace_axis("x", 1, 1 + 1e-15, 100, "1")
    with pytest.raises(InputError, match=r"values\[1\]: the value is an integer beyond 2\*\*53: 9007199254740993"):
        values_axis("x", [1, last + 1], "1")


def test_E3_columns_reach_models_as_float64():
    axis = Axis("x", {"x": np.array([1, 2], dtype=np.int32)}, {"x": "1"}, "a test")
    assert axis.columns["x"].dtype == np.float64
    with pytest.raises(InputError, match=r"the column 'x' is an integer beyond 2\*\*53"):
        Axis("x", {"x": np.array([2**60])}, {"x": "1"}, "a test")


def test_powers_of_two():
    assert listed(powers_of_two_axis("n", 1, 16, "1")) == [1, 2, 4, 8, 16]
    assert listed(powers_of_two_axis("n", 0.25, 1, "1")) == [0.25, 0.5, 1]
    assert listed(powers_of_two_axis("m", "16 KiB", "64 KiB", "B")) == [2**14, 2**15, 2**16]
    assert listed(powers_of_two_axis("n", 8, 8, "1")) == [8]


def test_linspace():
    assert listed(linspace_axis("x", 0, 1, 5, "1")) == [0, 0.25, 0.5, 0.75, 1]
    assert listed(linspace_axis("x", 0, 0.3, 4, "1")) == [0, 0.1, 0.2, 0.3]
    assert listed(linspace_axis("x", 2, 2, 1, "1")) == [2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: values_axis("x", [], "1"), "the axis has no values; allowed: at least one value"),
        (lambda: values_axis("x", [1, 2, 1], "1"), "the value 1 stands twice; allowed: each value once"),
        (lambda: values_axis("x", ["1 s", "1000 ms"], "s"), "the value 1 s stands twice; allowed: each value once"),
        (lambda: values_axis("x", ["a", "a"], "text"), "the value a stands twice; allowed: each value once"),
        (
            lambda: values_axis("x", [1, "b"], "1"),
            "values[1]: 'b' is not a number with a unit; allowed: a plain number",
        ),
        (
            lambda: range_axis("x", "1 s", "2 s", None, "s"),
            "a range of a quantity with a unit needs a step; allowed: { range = [a, b], step = c }",
        ),
        (lambda: range_axis("x", 1, 2, 0, "1"), "the step is 0; allowed: a step > 0"),
        (lambda: range_axis("x", 1, 2, -1, "1"), "the step is -1; allowed: a step > 0"),
        (lambda: range_axis("x", 2, 1, 1, "1"), "the range runs downwards: 2 to 1; allowed: first <= last"),
        (lambda: range_axis("x", 0, 1, 1e-9, "1"), "the axis has 1000000001 values; allowed: at most 10000000"),
        (lambda: powers_of_two_axis("x", 1, 12, "1"), "12 is no power of two; allowed: 1, 2, 4, 8, …"),
        (lambda: powers_of_two_axis("x", 0, 4, "1"), "0 is no power of two; allowed: 1, 2, 4, 8, …"),
        (lambda: powers_of_two_axis("x", 8, 4, "1"), "the range runs downwards: 8 to 4; allowed: first <= last"),
        (lambda: linspace_axis("x", 0, 1, 0, "1"), "the number of points is 0; allowed: a whole number >= 1"),
        (lambda: linspace_axis("x", 0, 1, 2.5, "1"), "the number of points is 2.5; allowed: a whole number >= 1"),
        (lambda: linspace_axis("x", 0, 1, True, "1"), "the number of points is True; allowed: a whole number >= 1"),
        (lambda: linspace_axis("x", 1, 1, 2, "1"), "the range does not run upwards: 1 to 1; allowed: first < last"),
        (lambda: linspace_axis("x", 0, 1, 10**8, "1"), "the axis has 100000000 values; allowed: at most 10000000"),
    ],
)
def test_axes_that_make_no_sense_are_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_a_range_of_endlessly_many_values_is_refused():
    with pytest.raises(InputError, match=r"^the axis has 1000000000000000001 values; allowed: at most 10000000\Z"):
        range_axis("x", 0, 1e308, 1e-10, "1")


def test_rows_are_found_by_value_with_unit_or_label():
    axis = values_axis("clock", ["1.2 GHz", "2.6 GHz"], "Hz")
    assert (axis.row_of("2.6 GHz"), axis.row_of("1200 MHz")) == (1, 0)
    with pytest.raises(InputError) as caught:
        axis.row_of("3 GHz")
    assert str(caught.value) == "'clock' has no value 3 GHz; allowed: 1.2 GHz, 2.6 GHz"
    kinds = values_axis("kind", ["torus", "tree"], "text")
    assert kinds.row_of("tree") == 1
    with pytest.raises(InputError) as caught:
        kinds.row_of("torsu")
    assert str(caught.value) == "'kind' has no 'torsu'; allowed: torus, tree; did you mean 'torus'?"


def test_every_row_is_found_by_its_own_exact_value():
    for axis in (range_axis("x", 0, 50, 0.1, "1"), linspace_axis("x", "1 ms", "9 ms", 77, "s")):
        for row, value in enumerate(listed(axis)):
            assert axis.row_of(f"{value!r} {'s' if axis.units['x'] == 's' else ''}") == row


def test_part_axes_bring_all_columns_but_the_reserved_ones():
    axis = part_axis("cpu", table(name=["a", "b"], cores=[4, 8], source=["book", "web"], note=["", ""]))
    assert (list(axis.columns), axis.labels, axis.is_part) == (["name", "cores"], ("a", "b"), True)
    assert axis.sources == ("book", "web")
    assert (axis.label(1), axis.row_of("b")) == ("b", 1)
    one = axis.only(1)
    assert (len(one), one.label(0), one.columns["cores"].tolist(), one.sources) == (1, "b", [8.0], ("web",))
    assert part_axis("cpu", table(kind=["x", "y"], cores=[4, 8])).labels == ("x", "y")
    assert part_axis("cpu", table(kind=["x", "y"], name=["p", "q"])).labels == ("p", "q")
    assert part_axis("cpu", table(kind=["x", "x"], cores=[4, 8]), "cores").labels == ("4.0", "8.0")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"cores": [4, 8]},
            "label: a part axis needs to know what its rows are called; allowed: cores",
        ),
        (
            {"kind": ["x", "y"], "maker": ["p", "q"], "cores": [1, 2]},
            "label: a part axis needs to know what its rows are called; allowed: cores, kind, maker",
        ),
        (
            {"name": ["x", "x"]},
            "parts.csv: 'x' stands twice in the column 'name'; allowed: a label that names one row",
        ),
    ],
)
def test_part_axes_need_names_for_their_rows(columns, message):
    with pytest.raises(InputError) as caught:
        part_axis("cpu", table(**columns))
    assert str(caught.value) == message


def test_parts_have_the_confidence_of_their_catalogue():
    axis = part_axis("memory", table(name=["a", "b"], size=[1, 2], source=["x", "y"], confidence=["high", ""]))
    assert axis.confidences == ("high", "not stated")
    assert (axis.confidence(0), axis.confidence_name) == ("high", "memory_confidence")
    assert axis.only(1).confidence(0) == "not stated"
    assert "confidence" not in axis.columns
    plain = part_axis("memory", table(name=["a", "b"], size=[1, 2]))
    assert (plain.confidences, plain.confidence(1)) == ((), "")
    assert with_confidence("a", "high") == "a (confidence: high)"
    assert with_confidence("a", "") == "a"


def test_parts_have_the_validation_of_their_catalogue():
    """As it is written; a part of which nothing is known has none."""
    axis = part_axis("memory", table(name=["a", "b"], size=[1, 2], validation=["2 machines: -9 to +10 %", ""]))
    assert axis.validations == ("2 machines: -9 to +10 %", "")
    assert (axis.validation(0), axis.validation(1), axis.validation_name) == (
        axis.validations[0],
        "",
        "memory_validation",
    )
    assert axis.only(0).validation(0) == axis.validations[0]
    assert "validation" not in axis.columns
    plain = part_axis("memory", table(name=["a", "b"], size=[1, 2]))
    assert (plain.validations, plain.validation(1)) == ((), "")


def test_a_validation_that_cannot_stand_beside_a_design_is_refused():
    for text, message in (("x" * 201, "has 201 characters; allowed: at most 200"), ("a\tb", r"U\+0009")):
        with pytest.raises(InputError, match=f"parts.csv: line 1, column 'validation': .*{message}"):
            part_axis("memory", table(name=["a", "b"], size=[1, 2], validation=["", text]))
