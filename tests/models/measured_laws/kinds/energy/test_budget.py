"""Budgets and caps: the printed answers, and every whole number of nodes looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy import budget as budgets
from dse.models.measured_laws.kinds.energy.budget import fits_budget, max_nodes_under_budget, max_nodes_under_cap
from dse.models.measured_laws.kinds.energy.history import history
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy, GustafsonEnergy
from dse.models.measured_laws.kinds.energy.node_spread import power_bounds
from tests.example_counts import examples

KWH = 3.6e6
WEAK = FittedEnergy({"energy": history([6, 32], np.array([0.54, 2.84]) * KWH)})
STRONG = FittedEnergy({"energy": history([130, 135, 220, 320], np.array([7.6, 7.9, 7.6, 7.5]) * KWH)})


def test_the_month_of_the_paper():
    most = max_nodes_under_budget(WEAK, 100 * KWH, 120 * KWH, (1, 512))
    assert (most.nodes, most.admissible, most.one_interval, most.extrapolated) == (225, 225, True, True)
    assert most.left / KWH == pytest.approx(0.0869, abs=5e-5)
    job = fits_budget(WEAK, 360, 100 * KWH, 120 * KWH)
    assert (job.fits, job.extrapolated) == (False, True)
    assert (job.needs / KWH, job.left / KWH) == (pytest.approx(31.855, abs=5e-4), pytest.approx(-11.855, abs=5e-4))
    assert fits_budget(WEAK, 360, 100 * KWH, 140 * KWH).left / KWH == pytest.approx(8.145, abs=5e-4)
    assert max_nodes_under_budget(WEAK, 100 * KWH, 140 * KWH, (1, 1000)).nodes == 452


def test_a_falling_energy_fits_on_many_nodes_only():
    most = max_nodes_under_budget(STRONG, 0.0, 7.5 * KWH, (1, 500))
    assert (most.nodes, most.least, most.admissible, most.one_interval) == (500, 315, 186, True)
    assert float(STRONG.energy(314)) / KWH == pytest.approx(7.50033, abs=5e-6)
    assert float(STRONG.energy(315)) / KWH == pytest.approx(7.49901, abs=5e-6)


def test_no_nodes_within():
    most = max_nodes_under_budget(WEAK, 100 * KWH, 100.01 * KWH, (1, 512))
    assert (most.nodes, most.admissible, most.least) == (None, 0, None)


def test_the_error_of_the_fit_can_be_added():
    """Inside the runs by the error of the fit, beyond them by the interval: never the residual (F1)."""
    inside = max_nodes_under_budget(STRONG, 0.0, 7.7 * KWH, (130, 319), with_error=True)
    assert float(STRONG.energy(inside.nodes)) * (1 + STRONG.percent_error("energy") / 100) == pytest.approx(
        inside.needs
    )
    assert max_nodes_under_budget(STRONG, 0.0, 7.5 * KWH, (321, 500), with_error=True).nodes is None
    beyond = max_nodes_under_budget(STRONG, 0.0, 8.0 * KWH, (321, 500), with_error=True)
    assert beyond.needs == pytest.approx(STRONG.predict("energy", beyond.nodes).high, rel=1e-3)


def test_the_cap_of_50_kw():
    """Watts of 160.35 a node, 49,869.45 W on 311 nodes: as a weak run with its own node power and idle share."""
    slope, at_311 = 160.35, 49869.45
    one = at_311 - 310 * slope
    model = GustafsonEnergy(1.0, one, slope / one, 0.0)
    assert float(model.power(311)) == pytest.approx(at_311, rel=1e-12)
    most = max_nodes_under_cap(model, 50_000.0, (1, 9000))
    assert most.nodes == 311
    assert most.left == pytest.approx(130.55, abs=1e-6)


@given(st.lists(st.floats(1.0, 9.0), min_size=2, max_size=30), st.floats(1.0, 9.0), st.integers(1, 7))
@settings(max_examples=examples(80), deadline=None)
def test_every_number_of_nodes_is_looked_at(energies, limit, block):
    class Given(GustafsonEnergy):
        def energy(self, nodes):
            return np.array(energies)[np.asarray(nodes) - 1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budgets, "_BLOCK", block)
        most = max_nodes_under_budget(Given(1.0, 1.0, 0.5, 0.5), 0.0, limit, (1, len(energies)))
    within = [n for n, energy in enumerate(energies, 1) if energy <= limit]
    assert most.nodes == (within[-1] if within else None)
    assert most.admissible == len(within)
    if within:
        assert most.least == within[0]
        assert most.one_interval == (within == list(range(within[0], within[-1] + 1)))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: max_nodes_under_budget(WEAK, -1.0, 5.0, (1, 5)), "accumulated"),
        (lambda: max_nodes_under_budget(WEAK, 0.0, float("inf"), (1, 5)), "budget"),
        (lambda: max_nodes_under_budget(WEAK, 0.0, 5.0, (5, 1)), "nodes 5 to 1"),
        (lambda: max_nodes_under_budget(WEAK, 0.0, 5.0, (0, 5)), "nodes 0 to 5"),
        (lambda: max_nodes_under_budget(WEAK, 0.0, 5.0, (1, 10**9)), "numbers of nodes"),
        (lambda: max_nodes_under_cap(WEAK, 0.0, (1, 5)), "cap: 0 W"),
        (lambda: max_nodes_under_cap(WEAK, 10.0, (1, 5)), "the power was not measured"),
        (lambda: fits_budget(WEAK, 0, 0.0, 5.0), "0 nodes"),
    ],
)
def test_wrong_questions(call, told):
    with pytest.raises(InputError, match=told):
        call()


@given(st.lists(st.floats(188.0, 229.0), min_size=1, max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_the_width_of_the_bounds_does_not_depend_on_the_nodes_in_use(used):
    bounds = power_bounds(1000.0 * len(used), used, 188.0, 229.0)
    assert bounds.width == pytest.approx(len(used) * 41.0, rel=1e-9)
    assert bounds.most - 1000.0 * len(used) == pytest.approx(sum(229.0 - one for one in used), abs=1e-6)


def test_the_spread_of_311_nodes():
    mean = 229.0 - (55_993.13 - 49_869.45) / 311
    assert mean == pytest.approx(209.3, abs=0.05)
    bounds = power_bounds(49_869.45, np.full(311, mean), 188.0, 229.0)
    assert (bounds.most, bounds.width) == (pytest.approx(55_993.13, rel=1e-9), pytest.approx(12_751.0, rel=1e-9))
    scaled = power_bounds(49_869.45, np.full(311, mean), 188.0, 229.0, 2 * 49_869.45)
    assert scaled.width == pytest.approx(12_751.0 / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((100.0, [], 1.0, 2.0), "used_nodes: no node"),
        ((100.0, [3.0], 1.0, 2.0), "a node of 3 W; allowed: 1 to 2 W"),
        ((100.0, [float("nan")], 1.0, 2.0), "a node of nan"),
        ((100.0, [1.5], 2.0, 1.0), "least_node_power"),
        ((-1.0, [1.5], 1.0, 2.0), "job_power"),
        ((0.1, [2.0], 1.0, 2.0), "the best nodes would draw"),
        ((9.0, [1.5], 1.0, 2.0, 0.0), "reference_job_power"),
    ],
)
def test_wrong_spreads(given, told):
    with pytest.raises(InputError, match=told):
        power_bounds(*given)
