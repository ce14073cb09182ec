"""Verdicts on measured systems: the study exascale as it was, its machines, and limits and monotony of the rules."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.analysis.choose.constant_limits import ConstantLimit
from dse.analysis.falsify.as_measured import scale_within
from dse.analysis.falsify.verdict import better_to_change, class_factor, excess, verdict
from tests.example_counts import examples

FOLDER = Path(__file__).parent
BEFORE = pd.read_csv(FOLDER / "frontier-before.csv", comment="#")
MACHINES = pd.read_csv(FOLDER / "machines-before.csv", comment="#").set_index("name")
FRONTIER = BEFORE[["wall_time", "machine_power"]].to_numpy()
LIMITS = [
    ConstantLimit("machine_power", "<=", 40e6, "machine_power <= 40 MW"),
    ConstantLimit("linpack_flop_rate", ">=", 1e18, "linpack_flop_rate >= 1 Eflop/s"),
]
WEIGHT = 0.2  # of dense and of sparse work, one of five workloads each
DEVICE, MACHINE, CORES = 0.029, 0.11, 0.13


def measured(name):
    """Time and power of a machine as measured, brought within the limits: the weights written out."""
    row = MACHINES.loc[name]
    figures = {"machine_power": row["measured_power"], "linpack_flop_rate": row["measured_rate"]}
    scale, _ = scale_within(figures, LIMITS)
    time = row["wall_time"] * (row["linpack_flop_rate"] / row["measured_rate"]) ** WEIGHT
    if math.isfinite(row["measured_gradient_rate"]):
        time *= (row["conjugate_gradient_flop_rate"] / row["measured_gradient_rate"]) ** WEIGHT
    return scale, (time / (scale or 1.0), row["measured_power"] * (scale or 1.0))


@pytest.mark.parametrize(
    ("name", "scale", "time", "beyond", "word"),
    [
        ("LineShine", 0.947, 16.6, 0.956, "contradicts"),
        ("JUPITER Booster", 1.0, 73.3, 1.015, "on the frontier"),
        ("El Capitan", 1.0, 44.0, 0.649, "agrees"),
        ("Frontier", 1.0, 53.6, 0.711, "agrees"),
        ("Aurora", 1.0, 45.2, 0.553, "agrees"),
    ],
)
def test_machines_beside_the_study_as_it_was(name, scale, time, beyond, word):
    taken, system = measured(name)
    assert taken == pytest.approx(scale, abs=1e-3)
    assert system[0] == pytest.approx(time, abs=0.051)
    assert excess(FRONTIER, system) == pytest.approx(beyond, abs=1.5e-3)
    if name == "LineShine":
        judged = verdict(excess(FRONTIER, system), present=False, factor=2.0, law_error=CORES, system_error=MACHINE)
        assert judged.standard_errors == pytest.approx(3.8, abs=0.05)
        assert judged.measured_factor == pytest.approx(1.046, abs=2e-3)
    else:
        judged = verdict(excess(FRONTIER, system), present=True, law_error=DEVICE)
    assert judged.word == word


@pytest.mark.parametrize("name", ["HPC6", "Alps", "Tuolumne", "Fugaku"])
def test_machines_that_are_too_small_say_nothing(name):
    scale, _ = measured(name)
    assert scale is None
    assert verdict(math.nan, present=True, law_error=DEVICE).word == "says nothing"


def test_model_over_measured_of_the_study_as_it_was():
    printed = {"LineShine": (-7.1, 39.3), "El Capitan": (6.1, 6.2), "Frontier": (2.3, 1.0), "Aurora": (8.4, 8.2)}
    printed |= {"JUPITER Booster": (-4.8, -1.3), "Fugaku": (-2.4, -2.7)}
    for name, figures in printed.items():
        row = MACHINES.loc[name]
        ratios = (row["linpack_flop_rate"] / row["measured_rate"], row["machine_power"] / row["measured_power"])
        assert [100 * (ratio - 1) for ratio in ratios] == pytest.approx(figures, abs=0.06)


def test_the_mended_laws_agree_with_lineshine():
    """1.19 times as efficient as the best design of its kind, with an error of the law of 0.29: z 0.6."""
    judged = verdict(1.19, present=True, law_error=0.29)
    assert (judged.word, round(judged.standard_errors, 1)) == ("on the frontier", 0.6)


# Verdicts by the table: e, whether the class is on the frontier, factor of an absent class; sd 0.1 of the law, 0.0 of
# systems. Of a class that is there z = ln(e) / 0.1; of one that is not z = ln(factor e) / 0.1.
AT = {z: math.exp(0.1 * z) for z in (-1, 0, 0.5, 1, 1.5, 2, 2.5, 7)}
TABLE = [
    # a class that is there: e <= 1 agrees, beyond it within two errors is on the frontier, more weakens
    (AT[-1], True, None, "agrees"),
    (1.0, True, None, "agrees"),
    (AT[0.5], True, None, "on the frontier"),
    (AT[1], True, None, "on the frontier"),
    (AT[2], True, None, "on the frontier"),
    (AT[2.5], True, None, "weakens"),
    (AT[7], True, None, "weakens"),  # twice as good: it never contradicts
    # a class that is not: z below 1 agrees, below 2 weakens, 2 contradicts
    (AT[0.5] / 2.0, False, 2.0, "agrees"),
    (AT[1] / 2.0, False, 2.0, "weakens"),
    (AT[1.5] / 2.0, False, 2.0, "weakens"),
    (AT[2] / 2.0, False, 2.0, "contradicts"),
    (AT[7] / 2.0, False, 2.0, "contradicts"),
    (0.5, False, 2.0, "agrees"),
    (0.1, False, 2.0, "agrees"),
    # a class that is not, and a machine that would be on the frontier
    (AT[0.5], False, 1.0, "contradicts"),
    (AT[0.5], False, None, "contradicts"),
    (1.0, False, 1.0, "agrees"),
    # nothing of the class is known
    (0.99, False, None, "agrees"),
    (math.nan, False, 2.0, "says nothing"),
    (math.nan, True, None, "says nothing"),
]


@pytest.mark.parametrize(("beyond", "present", "factor", "word"), TABLE)
def test_verdicts_by_their_table(beyond, present, factor, word):
    assert verdict(beyond, present=present, factor=factor, law_error=0.1).word == word


def test_errors_of_systems_count_for_an_absent_class_only():
    """z_c rests on both, z_f on the law of the part alone."""
    assert verdict(0.75, present=False, factor=2.0, law_error=0.13, system_error=0.11).standard_errors == pytest.approx(
        math.log(1.5) / math.sqrt(0.13**2 + 0.11**2)
    )
    judged = verdict(1.2, present=True, law_error=0.1, system_error=5.0)
    assert (judged.word, judged.standard_errors) == ("on the frontier", pytest.approx(math.log(1.2) / 0.1))


def test_a_law_without_an_error_is_taken_as_exact():
    assert verdict(1.0001, present=True, law_error=math.nan).word == "weakens"
    assert verdict(0.5001, present=False, factor=2.0, law_error=math.nan).word == "contradicts"
    assert verdict(0.4999, present=False, factor=2.0, law_error=0.0).word == "agrees"


def test_a_made_up_machine_twice_as_good_is_believed_and_one_half_as_good_is_not():
    best = FRONTIER[FRONTIER[:, 0].argmin()]
    twice = excess(FRONTIER, best / 2.0)
    assert twice == pytest.approx(2.0)
    assert verdict(twice, present=False, factor=2.0, law_error=0.29, system_error=0.11).word == "contradicts"
    assert verdict(twice, present=True, law_error=0.29).word == "weakens"
    half = excess(FRONTIER, best * 2.0)
    assert verdict(half, present=True, law_error=0.29).word == "agrees"
    assert verdict(half, present=False, factor=2.0, law_error=0.29, system_error=0.11).word == "agrees"


@given(st.floats(0.2, 5), st.booleans(), st.floats(1, 3), st.floats(0.02, 0.5), st.floats(0, 0.2))
@settings(max_examples=examples(200), deadline=None)
def test_what_changes_a_verdict_changes_it(beyond, present, factor, law, own):
    """A system that is better by what is said has the verdict that is said, and none before it."""
    given = {"present": present, "law_error": law, "system_error": own}
    judged = verdict(beyond, factor=factor, **given)
    change = better_to_change(judged, **given)
    if change is None:
        assert judged.word in ("contradicts", "weakens")
        return
    assert change.times_better >= 1.0
    assert verdict(beyond * change.times_better * (1 + 1e-9), factor=factor, **given).word == change.word
    assert verdict(beyond * max(1.0, change.times_better * (1 - 1e-9)), factor=factor, **given).word == judged.word


def test_an_absent_class_by_steps():
    words = [
        verdict(1 / worse, present=False, factor=2.0, law_error=0.13, system_error=0.11).word
        for worse in (2.0, 1.75, 1.6, 1.4, 1.2, 0.9)
    ]
    assert words == ["agrees", "agrees", "weakens", "contradicts", "contradicts", "contradicts"]


def test_the_class_factor_is_that_of_the_best_of_a_class():
    frontier = np.array([[1.0, 4.0], [4.0, 1.0]])
    assert class_factor(frontier, np.array([[2.0, 8.0], [3.0, 30.0]])) == 2.0
    assert class_factor(frontier, np.array([[2.0, 2.0]])) == 0.5


points = st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=1, max_size=12)


@given(points, st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), st.floats(1.01, 3))
@settings(max_examples=examples(120), deadline=None)
def test_excess_is_how_much_better_the_frontier_must_get(frontier, system, factor):
    front = np.array(frontier)
    beyond = excess(front, system)
    assert excess(front, np.array(system) / factor) == pytest.approx(beyond * factor)
    beaten = any(all(design[i] <= system[i] for i in range(2)) for design in frontier)
    assert (beyond <= 1.0) == beaten
    assert excess(front, (system[0], math.nan)) == pytest.approx(front[:, 0].min() / system[0])


def test_scales():
    assert scale_within({"machine_power": 20e6, "linpack_flop_rate": 2e18}, LIMITS) == (1.0, "")
    assert scale_within({"machine_power": 20e6, "linpack_flop_rate": 0.8e18}, LIMITS)[0] == pytest.approx(1.25)
    assert scale_within({"machine_power": 20e6, "linpack_flop_rate": 0.6e18}, LIMITS)[0] is None
    assert scale_within({"machine_power": 80e6, "linpack_flop_rate": 1.5e18}, LIMITS) == (
        None,
        LIMITS[0].text + ", " + LIMITS[1].text,
    )
    assert scale_within({"machine_power": 30e6}, LIMITS) == (None, LIMITS[1].text + ", of which nothing was measured")
    assert scale_within({"machine_power": 30e6}, LIMITS[:1]) == (1.0, "")
