"""The bottleneck plot of the terminal."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.cli.text.output import console
from dse.cli.text.stem_plot import Stem, print_rates, stem_plot

POLES = {"achieved": "┃", "binding": "║", "between": "┊", "bound": "│"}
STEMS = st.lists(
    st.builds(
        Stem,
        st.one_of(st.just(0.0), st.floats(1e-9, 1e9)),
        st.from_regex(r"[a-z]{1,30}", fullmatch=True),
        st.sampled_from(list(POLES)),
    ),
    min_size=1,
    max_size=20,
)


def test_on_a_linear_axis():
    stems = [Stem(8, "8 issue", "bound"), Stem(2, "2 achieved", "achieved"), Stem(4, "4 memory, binds", "binding")]
    lines, logarithmic = stem_plot(stems, 41)
    assert not logarithmic
    assert lines == [
        "        ┃ 2 achieved",
        "        ┃       ║ 4 memory, binds",
        "        ┃       ║               │ 8 issue",
        "┬───┬───●───┬───╨───┬───┬───┬───┼",
        "0   1   2   3   4   5   6   7   8",
    ]


def test_on_a_logarithmic_axis():
    stems = [Stem(1, "1 achieved", "achieved"), Stem(3, "3 both", "between"), Stem(1000, "1000 far", "bound")]
    lines, logarithmic = stem_plot(stems, 41)
    assert logarithmic
    assert lines == [
        "┃ 1 achieved",
        "┃    ┊ 3 both",
        "┃    ┊                         │ 1000 far",
        "●────┴────┬──────────┬─────────┼",
        "1        10         100      1000",
    ]


def test_nothing_to_draw():
    assert stem_plot([], 80) == ([], False)


@pytest.mark.slow
@given(STEMS, st.integers(70, 160))
def test_every_stem_is_labelled_and_stands_on_the_axis(stems, width):
    lines, _ = stem_plot(stems, width)
    assert len(lines) == len(stems) + 2
    *rows, axis, numbers = lines
    ordered = sorted(stems, key=lambda stem: stem.value)
    columns = [len(row) - len(row.split(" ")[-1]) - 2 for row in rows]
    assert sorted(row.split(" ")[-1] for row in rows) == sorted(stem.label for stem in stems)
    assert columns == sorted(columns)
    assert all(len(line) <= width for line in (*rows, axis))
    for row, column, stem in zip(rows, columns, ordered, strict=True):
        assert row[column] in POLES.values()
        same = [one.kind for one in stems if one.value == stem.value]
        assert row[column] in {POLES[kind] for kind in same} or columns.count(column) > 1
    for column in columns:  # every pole reaches from its row down to a foot on the axis
        first = columns.index(column)
        assert all(row[column] in POLES.values() for row in rows[first:])
        assert axis[column] in "●╨┴┼"
    assert numbers.strip()


def told(capsys, monkeypatch, achieved, bounds, unit="1"):
    monkeypatch.setattr(console(), "_width", 80)
    print_rates({"rate": "tasks", "unit": unit, "quantity": "cost", "achieved": achieved, "bounds": bounds})
    return capsys.readouterr().out


def bound(quantity, value, *, of="most", binds=False, contains=""):
    return {"quantity": quantity, "value": value, "of": of, "binds": binds, "contains": contains}


def test_bounds_that_are_no_bounds_are_named(capsys, monkeypatch):
    bounds = [bound("a", 2.0, binds=True), bound("b", math.inf), bound("c", math.nan), bound("d", math.inf)]
    printed = told(capsys, monkeypatch, 1.0, bounds)
    assert "no limit from: b, d" in printed
    assert "not a number: c" in printed
    assert "2 a, binds most" in printed
    assert "bottlenecks in tasks, 1 / cost\n" in printed


def test_nothing_gets_through(capsys, monkeypatch):
    """A resource that is not there: what is achieved is 0."""
    printed = told(capsys, monkeypatch, 0.0, [bound("a", 0.0, binds=True), bound("b", 3.0)], "1/s").splitlines()
    assert printed[1] == "bottlenecks in tasks [1/s], 1 / cost"
    assert printed[2] == "┃ 0 1/s achieved"
    assert printed[3] == "┃ 0 1/s a, binds most"
    assert printed[4].strip("┃ ") == "│ 3 1/s b"


def test_a_system_of_which_nothing_is_known(capsys, monkeypatch):
    printed = told(capsys, monkeypatch, math.nan, [bound("a", math.nan)])
    assert "not a number: achieved, a" in printed


@pytest.mark.parametrize("width", [20, 40, 200])
def test_narrow_and_wide_terminals(width):
    """Labels may run over the end, stems never do."""
    stems = [Stem(10.0**k, f"{k} a bound with a long name", "bound") for k in range(6)]
    lines, _ = stem_plot(stems, width)
    places = [line.index(str(k)) for k, line in enumerate(lines[:6])]
    assert all(a < b for a, b in itertools.pairwise(places))
    assert places[-1] <= width + 2
