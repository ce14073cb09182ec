"""Closed forms over nodes: phases counted node by node, and the identities that join them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy import bounds
from dse.models.measured_laws.kinds.energy.inverse import from_two_points
from dse.models.measured_laws.kinds.energy.laws import AmdahlEnergy, GustafsonEnergy
from dse.models.measured_laws.kinds.energy.plausibility import implausible_nodes
from tests.example_counts import examples
from tests.models.measured_laws.kinds.energy.oracle import energy_by_phases

SHARES = st.floats(0.0, 1.0)
NODES = st.integers(1, 2000)


@given(st.integers(1, 60), SHARES, SHARES)
@settings(max_examples=examples(100), deadline=None)
def test_strong_scaling_adds_up_node_by_node(nodes, idle, parallel):
    model = AmdahlEnergy(120.0, 250.0, idle, parallel)
    counted = energy_by_phases(nodes, 120.0, 250.0, idle, 120.0 * (1.0 - parallel), 120.0 * parallel / nodes)
    assert model.energy(nodes) == pytest.approx(counted, rel=1e-12)
    assert model.power(nodes) * model.time(nodes) == pytest.approx(counted, rel=1e-12)


@given(st.integers(1, 60), SHARES, SHARES)
@settings(max_examples=examples(100), deadline=None)
def test_weak_scaling_adds_up_node_by_node(nodes, idle, parallel):
    model = GustafsonEnergy(120.0, 250.0, idle, parallel)
    counted = energy_by_phases(nodes, 120.0, 250.0, idle, 120.0 * (1.0 - parallel), 120.0 * parallel)
    assert model.energy(nodes) == pytest.approx(counted, rel=1e-12)
    assert model.time(nodes) == 120.0
    q = parallel
    grown = q * energy_by_phases(nodes, 1.0, 1.0, idle, 0.0, 1.0)
    grown += (1.0 - q) * energy_by_phases(nodes, 1.0, 1.0, idle, float(nodes), 0.0)
    assert bounds.grown_energy(nodes, idle, q) == pytest.approx(grown, rel=1e-12)


@given(NODES, SHARES, SHARES)
@settings(max_examples=examples(200), deadline=None)
def test_the_power_of_a_strong_run_is_that_of_the_same_run_seen_as_a_weak_one(nodes, idle, parallel):
    time = bounds.strong_time(nodes, parallel)
    own = (parallel / nodes) / time if time else 1.0
    assert bounds.strong_power(nodes, idle, parallel) == pytest.approx(bounds.weak_power(nodes, idle, own), rel=1e-9)
    assert bounds.strong_speedup(nodes, parallel) == pytest.approx(bounds.weak_speedup(nodes, own), rel=1e-9)


@given(st.integers(1, 500), SHARES, SHARES)
@settings(max_examples=examples(100), deadline=None)
def test_energies_are_affine_and_the_serial_growth_is_quadratic(nodes, idle, share):
    n = np.array([nodes, nodes + 1, nodes + 2], dtype=float)
    for energy in (bounds.strong_energy(n, idle, share), bounds.weak_energy(n, idle, share)):
        assert np.diff(energy, 2) == pytest.approx(0.0, abs=1e-9)
    assert np.diff(bounds.serial_growth_energy(n, idle), 2) == pytest.approx(2.0 * idle, abs=1e-6)
    assert np.diff(bounds.grown_energy(n, idle, share), 2) == pytest.approx(2.0 * idle * (1.0 - share), abs=1e-6)
    assert bounds.grown_time(n, share) == pytest.approx(share + (1.0 - share) * n)


def test_limits():
    n = np.array([1.0, 7.0, 300.0])
    assert bounds.strong_energy(n, 0.4, 1.0).tolist() == [1.0, 1.0, 1.0]
    assert bounds.strong_power(n, 0.4, 1.0) == pytest.approx(n)
    assert bounds.strong_power(n, 0.4, 0.0) == pytest.approx(1.0 + (n - 1.0) * 0.4)
    assert bounds.strong_energy(n, 0.0, 0.3).tolist() == [1.0, 1.0, 1.0]
    assert bounds.serial_growth_energy(n, 0.0).tolist() == n.tolist()
    assert bounds.grown_energy(n, 0.4, 1.0).tolist() == n.tolist()


@given(st.floats(0.05, 1.0), st.floats(0.2, 0.99))
@settings(max_examples=examples(60), deadline=None)
def test_the_least_energy_delay_product_is_where_a_search_meets_it(idle, parallel):
    nodes = float(bounds.strong_least_energy_delay_nodes(idle, parallel))
    searched = minimize_scalar(
        lambda log: math.log(bounds.strong_energy_delay_product(math.exp(log), idle, parallel)),
        bounds=(-6.0, 12.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert nodes == pytest.approx(math.exp(searched.x), rel=1e-3)


def test_without_serial_part_or_idle_power_the_product_falls_for_ever():
    assert bounds.strong_least_energy_delay_nodes([0.4, 0.0], [1.0, 0.5]).tolist() == [math.inf, math.inf]
    assert float(bounds.strong_least_energy_delay_nodes(0.4, 0.0)) == 0.0


@given(st.floats(0.0, 1.0), SHARES, st.integers(1, 50), st.integers(1, 50))
@settings(max_examples=examples(100), deadline=None)
def test_two_points_give_back_what_they_were_made_of(idle, parallel, first, further):
    model = AmdahlEnergy(100.0, 300.0, idle, parallel)
    second = first + further
    line = from_two_points((first, float(model.energy(first))), (second, float(model.energy(second))))
    assert line.energy_one_node == pytest.approx(30_000.0, rel=1e-9)
    assert line.waiting_share == pytest.approx(idle * (1.0 - parallel), abs=1e-9)


def test_a_falling_line_is_told_and_not_clipped():
    line = from_two_points((130, 7.6 * 3.6e6), (320, 7.5 * 3.6e6))
    assert line.slope == pytest.approx(-0.1 / 190 * 3.6e6)
    assert not line.within_amdahl
    assert from_two_points((1, 10.0), (3, 12.0)).within_amdahl


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ((4, 1.0), (4, 2.0), "nodes: 4 and 4 nodes"),
        ((0, 1.0), (4, 2.0), "nodes: 0 and 4"),
        ((1, 0.0), (4, 2.0), "energy: energies 0"),
    ],
)
def test_wrong_points(first, second, told):
    with pytest.raises(InputError, match=told):
        from_two_points(first, second)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((0.0, 1.0, 0.5, 0.5), "one_node_time"),
        ((1.0, -1.0, 0.5, 0.5), "node_power"),
        ((1.0, 1.0, 1.5, 0.5), "idle_share"),
        ((1.0, 1.0, 0.5, float("nan")), "parallel_share"),
    ],
)
@pytest.mark.parametrize("law", [AmdahlEnergy, GustafsonEnergy])
def test_wrong_laws(law, given, told):
    with pytest.raises(InputError, match=told):
        law(*given)


def test_no_nodes():
    with pytest.raises(InputError, match="nodes: 0 nodes"):
        AmdahlEnergy(1.0, 1.0, 0.5, 0.5).energy([4, 0])


def test_amdahl_passes_the_gate_and_what_leaves_it_is_named():
    n = range(1, 200)
    assert implausible_nodes(AmdahlEnergy(9.0, 200.0, 0.3, 0.9).energy, n, 0.3) == []
    assert implausible_nodes(AmdahlEnergy(9.0, 200.0, 0.3, 0.0).energy, n, 0.3) == []
    assert len(implausible_nodes(AmdahlEnergy(9.0, 200.0, 0.3, 0.0).energy, n, 0.2)) == 198
    falling, growing = (implausible_nodes(one, [1, 2], 0.5) for one in (lambda n: 2.0 - n / 2, lambda n: 1.0 * n**2))
    assert "super-linear" in falling[0].why
    assert (growing[0].nodes, growing[0].most) == (2, 1.5)
    assert "overhead" in growing[0].why
    with pytest.raises(InputError, match="idle_share"):
        implausible_nodes(falling, [1, 2], 2.0)
    with pytest.raises(InputError, match="nodes"):
        implausible_nodes(falling, [])
