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
from dse.analysis.falsify.verdict import class_factor, excess, verdict
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


def test_a_made_up_machine_twice_as_good_is_believed_and_one_half_as_good_is_not():
    best = FRONTIER[FRONTIER[:, 0].argmin()]
    for present in (True, False):
        twice = verdict(
            excess(FRONTIER / 1.0, best / 2.0), present=present, factor=2.0, law_error=0.29, system_error=0.11
        )
        assert twice.word == "contradicts"
    half = verdict(excess(FRONTIER, best * 2.0), present=True, law_error=0.29)
    assert half.word == "agrees"
    absent = verdict(excess(FRONTIER, best * 2.0), present=False, factor=2.0, law_error=0.29, system_error=0.11)
    assert absent.word == "agrees"


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
    assert scale_within({"machine_power": 30e6}, LIMITS) == (1.0, "")
