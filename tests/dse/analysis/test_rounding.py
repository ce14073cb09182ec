"""Designs that stand on a frontier by the last bits of an objective only: they are kept, and not named."""

import numpy as np
import pytest

from dse import Run, Study, minimize, quantity, values
from dse.analysis.choose.choice import knee_row, scaled_objectives
from dse.analysis.choose.pick import pick_design
from dse.analysis.choose.rounding import _FEW, by_rounding, settled
from dse.report.words.answer import answer_of
from dse.report.words.shortlist import roles_of


@quantity(unit="s", source="a test")
def run_time(nodes):
    """Work over nodes."""
    return 13187.6 / nodes


@quantity(unit="J", source="a test")
def energy(nodes, run_time, idle_power):
    """The same for any number of nodes, but for its last bits, and what idles."""
    return nodes * 37.51 * run_time + idle_power * run_time * 0.0


@pytest.fixture(scope="module")
def run() -> Run:
    study = Study(
        name="twins",
        functions=[run_time, energy],
        axes={"nodes": range(200, 257), "idle_power": values("1 W")},
        inputs=_inputs(),
        objectives=[minimize("run_time"), minimize("energy")],
    )
    return study.run()


def _inputs():
    from dse import parameter

    return {
        "nodes": parameter(unit="1", doc="Nodes", minimum=1),
        "idle_power": parameter(unit="W", doc="Power that idles", minimum=0),
    }


def test_last_bits_keep_designs_on_the_frontier_and_name_none_of_them(run):
    assert run.exact
    assert len(run.frontier) > 1  # the last bits of energy
    fastest = run.frontier["run_time"].min()
    for role in roles_of(run):
        assert run.frontier["run_time"].iloc[role.row] == fastest, role
    names = ["run_time", "energy"]
    assert run.frontier["run_time"].iloc[knee_row(run.frontier[names].to_numpy(), ["min", "min"])] == fastest
    (picked,) = pick_design(run, "energy").designs
    assert picked["run_time"] == fastest
    told = [sentence.text for sentence in answer_of(run).weakened_by if sentence.about == "rounding"]
    rows = len(run.frontier)
    which = f"{rows - 1} of {rows} designs {'is' if rows == 2 else 'are'}"
    assert told == [f"{which} on the frontier by the last bits of an objective only"]


def test_what_differs_by_more_than_rounding_stays():
    points = np.array([[1.0, 2.0], [1.0 + 1e-7, 2.0 - 1e-7], [1.5, 1.0]])
    assert not by_rounding(points).any()
    points[1] = [1.0 + 1e-7, 2.0 - 1e-13]
    assert by_rounding(points).tolist() == [False, True, False]


def test_few_and_many_points_are_compared_alike():
    rng = np.random.default_rng(7)
    points = rng.integers(1, 40, (_FEW + 200, 3)) * (1.0 + rng.integers(-2, 3, (_FEW + 200, 3)) * 1e-15)
    whole = by_rounding(points)
    close = np.round(points)
    by_hand = [any((q <= p).all() and (q < p).any() for q in close) for p in close]
    assert whole.tolist() == by_hand
    part = by_rounding(points[:300])
    assert part.tolist() == [any((q <= p).all() and (q < p).any() for q in close[:300]) for p in close[:300]]


def test_rounding_keeps_nine_digits_signs_and_zeros():
    numbers = np.array([0.0, -0.0, 494662.53512625623, -3.0e-300, 1.7e300, 5e-324])
    assert settled(numbers) == pytest.approx(numbers, rel=1e-9)
    assert settled(np.array([494662.53512625623])) == settled(np.array([494662.5351262563]))


def test_a_column_that_differs_by_rounding_only_does_not_scale():
    values = np.array([[1.0, 5.0], [2.0, 5.0 * (1 - 1e-15)], [3.0, 5.0 * (1 - 2e-15)]])
    assert scaled_objectives(values, ["min", "min"])[:, 1].tolist() == [0.0, 0.0, 0.0]
    assert knee_row(values, ["min", "min"]) == 0
