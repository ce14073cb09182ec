"""Boxes in which decisions flip: against a box that is known, and a plain search of all boxes."""

import json
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.analysis.uncertainty.draws import Drawn
from dse.analysis.why.scenarios import _best_box, _inside, scenarios
from dse.errors import InputError
from dse.report.words.scenarios import scenario_lines

MODEL = '''
from dse import parameter, quantity

price = parameter(unit="1", doc="Of the first.")
other_price = parameter(unit="1", doc="Of the second.")
which = parameter(unit="1", doc="First or second.")


@quantity(unit="1", source="made up for a test")
def cost(which, price, other_price):
    """Of one or the other, and a third that is never the best."""
    return (which == 0) * price + (which == 1) * other_price + (which == 2) * 100.0
'''
STUDY = """
name = "prices"
question = "Which?"
models = ["prices.py"]

[[objectives]]
minimize = "cost"

[set]
price = 10
other_price = 12

[space.axes]
which = { values = [0, 1, 2] }

[uncertain]
price = { from = 8, to = 14 }
"""


@pytest.fixture
def prices(toy):
    Path("prices.py").write_text(MODEL)
    Path("prices.toml").write_text(STUDY)
    return Study.load("prices.toml")


def test_a_price_above_which_another_is_best(prices):
    run = prices.run()
    (box,) = scenarios(run)
    # From 8 to 14, the second costs 12: it is the best in a third of the draws, all of them above 12.
    assert (box.quantity, box.choice, box.usual, box.instead) == ("cost", "which", "0", "1")
    assert box.flips == pytest.approx(1 / 3, abs=0.01)
    (side,) = box.sides
    assert (side.unknown, side.high) == ("price", None)
    assert side.low == pytest.approx(12.0, abs=6.0 / 20)
    assert box.coverage > 0.95
    assert box.density > 0.8
    assert json.loads(json.dumps(box.as_dict()))["usual"] == "0"
    lines = list(scenario_lines(run, [box]))
    assert lines[0] == "lowest cost"
    assert lines[1].startswith("  which: 0, but in 33 % of draws: 1 where price is above 1")


def test_the_box_is_the_best_of_all_by_plain_loops():
    rng = np.random.default_rng(4)
    first, second = rng.permutation(400) / 400.0, rng.permutation(400) / 400.0
    flipped = (first > 0.61) & (second < 0.42) & (rng.random(400) < 0.9) | (rng.random(400) < 0.03)
    series = [Drawn(0, "", first), Drawn(1, "", second)]
    inside = _inside(series, _best_box(series, flipped))
    worth = (inside & flipped).sum() ** 2 / (inside.sum() * flipped.sum())
    cells = [(np.argsort(np.argsort(values)) * 20) // 400 for values in (first, second)]
    best = 0.0
    for low, high in combinations_with_replacement(range(20), 2):
        for left, right in combinations_with_replacement(range(20), 2):
            held = (cells[0] >= low) & (cells[0] <= high) & (cells[1] >= left) & (cells[1] <= right)
            if held.sum() >= 8:
                best = max(best, (held & flipped).sum() ** 2 / (held.sum() * flipped.sum()))
    assert worth == pytest.approx(best, rel=0.02)
    assert worth > 0.7


def test_where_nothing_tells_there_is_no_box():
    rng = np.random.default_rng(1)
    series = [Drawn(place, "", rng.permutation(4000) / 4000.0) for place in range(2)]
    assert _best_box(series, np.ones(4000, dtype=bool)) == []


def test_errors_of_single_designs_alone_have_no_ranges():
    with pytest.raises(InputError, match="errors of its own alone"):
        scenarios(Study.load("hybrid-xeon-sp").run())
