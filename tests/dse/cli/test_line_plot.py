"""The line plot of the terminal: every point where it belongs, nothing beyond the width."""

from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.cli.text.line_plot import Marked, line_plot

VALUES = st.lists(st.tuples(st.floats(0, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=30, unique_by=lambda p: p[0])


def drawn(points, **options):
    marked = [Marked(x, y, "●") for x, y in sorted(points)]
    return line_plot(marked, x_text=lambda v: f"{v:.3g}", y_text=lambda v: f"{v:.3g}", **options)


@given(VALUES)
@settings(max_examples=examples(60), deadline=None)
def test_no_line_is_wider_and_the_ends_are_marked(points):
    lines = drawn(points, width=70, height=9)
    body = [line.split("┤" if "┤" in line else "│", 1)[1] for line in lines[:-2]]
    low, high = min(y for _, y in points), max(y for _, y in points)
    assert all(len(line) <= 70 for line in lines)
    assert len(body) == (9 if high > low else 1)
    if high > low:
        assert all("●" in body[row] for row in (0, -1))
    assert any(line.startswith("●") for line in body)


def test_steps_breaks_and_limits():
    lines = drawn([(0, 0), (5, 10), (10, 5)], width=30, height=5, level=True, verticals=[5], limits=[10, 99])
    assert [line.split("┤")[-1] if "┤" in line else line.split("│")[1] for line in lines[:-2]] == [
        "╌╌╌╌╌╌╌╌╌╌╌╌●───────────╌",
        "            ┊",
        "            ┊           ●",
        "            ┊",
        "●───────────┊",
    ]
    assert drawn([(0, 1)], width=40) == []


def test_values_that_spread_far_stand_on_a_logarithmic_axis():
    lines = drawn([(0, 1), (1, 10), (2, 100), (3, 1000), (4, 10000)], width=60, height=9)
    rows = [row for row, line in enumerate(lines) if "●" in line]
    assert rows == [0, 2, 4, 6, 8]


def test_values_that_double_stand_evenly():
    lines = drawn([(1, 1), (10, 2), (100, 3)], width=25, height=3)
    assert [line.index("●") for line in lines[:3]] == [26, 15, 3]
    assert lines[-1].split() == ["1", "100"]
