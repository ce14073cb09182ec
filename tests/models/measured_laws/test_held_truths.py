"""What intervals hold beyond the runs: made-up truths, drawn anew (rows F1 to F3 of what was found from outside)."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))

from benchmarks import held_truths
from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.kinds.energy.budget import max_nodes_under_budget
from dse.models.measured_laws.kinds.energy.history import history
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy
from dse.models.measured_laws.kinds.energy.predictor import fit_curve

NODES = held_truths.SIZES
TRIALS = 60


def measured(truth, noise, repetitions, generator):
    runs = truth(NODES) * (1.0 + noise * generator.standard_normal((repetitions, len(NODES))))
    return history(np.tile(NODES, repetitions), runs.ravel(), what="energy")


def drawn_energies(trials, seed):
    generator = np.random.default_rng(seed)
    for _ in range(trials):
        truth = held_truths.FAMILIES["Amdahl, energy"](generator)
        yield truth, FittedEnergy({"energy": measured(truth, 0.01, 3, generator)})


def test_F1_a_straight_energy_is_not_bent_by_noise():
    """Before: 22 % (90 % of the draws) and up to eightfold, at 4 times the runs."""
    errors = [
        abs(float(model.curves["energy"].unchecked(256)) / truth(256.0) - 1.0)
        for truth, model in drawn_energies(300, 1)
    ]
    assert np.quantile(errors, 0.9) < 0.05
    assert np.mean(np.array(errors) > 0.2) < 0.02


@pytest.mark.parametrize(
    ("truth", "case"),
    [
        (lambda n: 100.0 + n + 0.05 * n**2, "II"),
        (lambda n: 100.0 + 0.5 * n + 8.0 * np.maximum(n - 16.0, 0.0), "III"),
    ],
)
def test_F1_bent_families_are_bent_as_before(truth, case):
    generator = np.random.default_rng(3)
    cases = [fit_curve(measured(truth, 0.01, 3, generator)).case for _ in range(20)]
    assert cases.count(case) >= 10
    assert "I" not in cases


def test_F1_a_straight_law_that_is_wrong_by_more_than_its_noise_bends_though_nothing_was_repeated():
    curve = fit_curve(history(NODES, 50.0 + 0.1 * NODES**2))
    assert (curve.case, curve.percent_rmse) == ("II", pytest.approx(0.0, abs=1e-9))


def test_F1_the_interval_beyond_the_runs_is_no_residual_and_a_budget_follows():
    """372.5 kJ on 256 nodes by Amdahl: it said 658.2 to 658.4 kJ, and that 400 kJ are enough for 141 nodes."""
    slope = 110.0  # J a node: 344.4 kJ on one node, 372.5 on 256, 383 on 353
    generator, held, within = np.random.default_rng(12), 0, []
    for _ in range(60):
        model = FittedEnergy({"energy": measured(lambda n: 344.4e3 + slope * (n - 1.0), 0.01, 3, generator)})
        found = model.predict("energy", 256)
        held += found.low <= 372.45e3 <= found.high
        within.append((found.high - found.low) / 372.45e3 > 2.0 * model.percent_error("energy") / 100.0)
    sure = max_nodes_under_budget(model, 0.0, 400e3, (65, 500), with_error=True)
    assert sure.nodes is None or sure.needs >= float(model.energy(sure.nodes))
    assert held >= 0.85 * 60
    assert all(within)


def test_F1_too_few_runs_tell_no_interval():
    two = FittedEnergy({"energy": history([6, 32], [0.54, 2.84])})
    assert two.predict("energy", 64) is None
    repeated = FittedEnergy({"energy": history([6, 32, 6, 32], [0.54, 2.84, 0.55, 2.80])})
    low, high = repeated.predict("energy", 64)[:2]
    assert low < float(repeated.energy(64)) < high


def test_F1_what_follows_from_two_metrics_has_the_deviations_of_both():
    generator = np.random.default_rng(8)
    energy = measured(lambda n: 100.0 + n, 0.01, 3, generator)
    time = measured(lambda n: 5.0 + 0.02 * n, 0.01, 3, generator)
    model = FittedEnergy({"energy": energy, "time": time})
    away = [model.predict(name, 128).high / float(getattr(model, name)(128)) - 1.0 for name in ("energy", "power")]
    assert away[1] > away[0] > 0.0
    power = model.predict("power", 128)
    assert power.low < (100.0 + 128.0) / (5.0 + 0.02 * 128.0) < power.high


@pytest.mark.parametrize("door", [held_truths.by_law, held_truths.by_curve])
@pytest.mark.parametrize(("noise", "repetitions"), [(0.01, 3), (0.02, 1)])
@pytest.mark.parametrize("family", ["Amdahl, energy", "power law", "n log n", "constant"])
def test_F1_F3_nine_in_ten_are_held_where_one_law_rules(family, noise, repetitions, door):
    many = held_truths.draws(family, TRIALS, noise, repetitions, np.random.default_rng(5))
    shares = held_truths.held(many, [door(draw) for draw in many])["held"]
    error = math.sqrt(0.9 * 0.1 / TRIALS)
    assert min(shares) >= 0.85 - error


@pytest.mark.parametrize(("noise", "repetitions"), [(0.01, 3), (0.02, 1)])
@pytest.mark.parametrize("family", ["Amdahl, time", "falling, rising tail"])
def test_F2_what_falls_is_held_and_may_turn(family, noise, repetitions):
    """Before: 2 % of those with a tail, at +- 9 to 12 %."""
    many = held_truths.draws(family, TRIALS, noise, repetitions, np.random.default_rng(6))
    shares = held_truths.held(many, [held_truths.by_law(draw) for draw in many])["held"]
    assert min(shares) >= 0.85 - math.sqrt(0.9 * 0.1 / TRIALS)


def test_F2_the_published_example_says_that_it_may_turn():
    generator, held, said = np.random.default_rng(2), [], []
    for _ in range(40):
        values = (10.0 / NODES + 0.02 * np.sqrt(NODES)) * (1.0 + 0.01 * generator.standard_normal((3, 5)))
        law = fit(values.ravel(), {"p": np.tile(NODES, 3)})
        for target in (256.0, 1024.0, 4096.0):
            found = law.predict({"p": target})
            held.append(found.low <= 10.0 / target + 0.02 * target**0.5 <= found.high)
            said.append(found.rests_on == "a fall that may turn")
    assert np.mean(held) >= 0.85
    assert np.mean(said) >= 0.85


def test_F3_a_constant_within_noise_hides_linear_growth_at_most():
    """Before: +- 394 % at 16 times the runs."""
    generator, halves = np.random.default_rng(4), []
    for _ in range(40):
        values = 7.0 * (1.0 + 0.01 * generator.standard_normal((3, 5)))
        found = fit(values.ravel(), {"p": np.tile(NODES, 3)}).predict({"p": 1024.0})
        halves.append((found.high - found.low) / 14.0)
    assert np.median(halves) < 0.7
    # What noise hides: a line, of which five sizes know the slope to so much.
    away = NODES - NODES.mean()
    slope = 0.01 / math.sqrt(3) / math.sqrt(float((away**2).sum()))
    assert np.median(halves) > 1.6 * slope * (1024.0 - NODES.mean())
    assert found.rests_on in ("a constant", "one growth", "a sum of two")


def test_runs_that_no_one_growth_fits_say_that_it_is_a_sum():
    sizes = 2.0 ** np.arange(2, 9)
    generator = np.random.default_rng(9)
    values = (100.0 + sizes + 0.02 * sizes**2) * (1.0 + 0.005 * generator.standard_normal((4, 7)))
    law = fit(values.ravel(), {"p": np.tile(sizes, 4)})
    found = law.predict({"p": 1024.0})
    assert found.sum_of_two
    assert found.low <= 100.0 + 1024.0 + 0.02 * 1024.0**2 <= found.high
