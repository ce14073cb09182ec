"""Axes that keep some of their rows, or leave some out: `only`, `without`."""

import pytest
from toy import STUDY, edited

from dse import Study

POWERS = "{ powers_of_two = [1, 64] }"
CLOCKS = 'frequency = { values = ["1 GHz", "2 GHz"] }'


def load(toy, *changes):
    (toy / "toy.toml").write_text(edited(STUDY, *changes))
    return Study.load("toy.toml")


@pytest.mark.parametrize(
    ("axis", "left"),
    [
        ("{ powers_of_two = [1, 64], without = [1, 64] }", [2, 4, 8, 16, 32]),
        ("{ powers_of_two = [1, 64], only = [32, 2] }", [2, 32]),
        ("{ range = [1, 5], only = [2, 3, 4], without = [3] }", [2, 4]),
        ("{ values = [4, 1, 2], without = [1.0] }", [4, 2]),
    ],
)
def test_rows_stay_in_the_order_of_their_axis(toy, axis, left):
    (product,) = load(toy, (POWERS, axis)).space.products
    assert product.axes[0].columns["nodes"].tolist() == left


def test_a_unit_of_the_axis_goes_with_its_rows(toy):
    study = load(toy, (CLOCKS, 'frequency = { values = [1, 2, 3], unit = "GHz", without = [2, "3000 MHz"] }'))
    assert study.space.products[0].axes[1].columns["frequency"].tolist() == [1e9]


def test_a_part_keeps_its_source(toy):
    study = load(toy, (CLOCKS, 'clock = { part = "parts.csv", only = ["fast"] }'))
    clock = study.space.products[0].axes[1]
    assert (clock.labels, clock.sources, clock.columns["frequency"].tolist()) == (("fast",), ("you",), [2e9])


@pytest.mark.parametrize(
    ("axis", "told"),
    [
        ("{ values = [1, 2], without = [3] }", "without[0]: 'nodes' has no value 3; allowed: 1, 2"),
        ("{ values = [1, 2], only = [1, 1] }", "only[1]: '1' stands twice; allowed: each value once"),
        ("{ values = [1, 2], only = [] }", "only: has 0 entries; allowed: at least 1"),
        (
            "{ values = [1, 2], only = [1], without = [1] }",
            "without: nothing is left of the axis; allowed: to leave at least one value",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(toy, dse, axis, told):
    (toy / "toy.toml").write_text(edited(STUDY, (POWERS, axis)))
    assert dse("check", "toy.toml") == (2, "", f"error: toy.toml: space.axes.nodes.{told}\n")
