"""The constants are what the fit of the training half gives, and know nothing of the other half."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from dse.authoring.library import load_model
from dse.models.machines import fitting
from dse.models.machines.catalogue import catalogue
from dse.models.machines.figures import FIGURES, GRADIENT, LINPACK, POWER, missing, predicted
from dse.models.machines.fitting import CHOSEN, GROUPINGS, fit, naive_constant, simplest, structures, training_machines
from dse.models.machines.train_test_split import CLASSES, FAMILIES, TRAINING, class_of, half_of, split

MODEL = load_model("machines")
BY_NAME = {machine.name: machine for machine in catalogue()}


def test_the_shipped_constants_are_those_of_the_fit():
    found = fit()
    assert found == {name: MODEL.assumptions[name].value for name in found}
    assert set(found) == {name for figure in FIGURES for name in figure.constants}


def test_what_other_nodes_get_by_default_is_what_accelerated_machines_have():
    defaults = load_model("applications").assumptions
    assert defaults["linpack_peak_share"].value == MODEL.assumptions["accelerator_peak_share"].value
    share = MODEL.assumptions["gradient_bandwidth_share"].value
    assert defaults["conjugate_gradient_bandwidth_share"].value == share


@pytest.mark.slow
def test_nothing_of_the_held_out_half_goes_into_the_fit(monkeypatch):
    """Any change of their measured figures leaves the constants, the structures and the naive laws as they are."""
    before = fit(), [structures(figure) for figure in FIGURES]
    naive = [naive_constant(figure, training_machines(figure)) for figure in FIGURES]

    def turned(machine):
        if half_of(machine) == "training":
            return machine
        twice = {figure.measured: (getattr(machine, figure.measured) or 1.0) * 2 for figure in FIGURES}
        return dataclasses.replace(machine, **twice)

    changed = tuple(turned(machine) for machine in catalogue())
    monkeypatch.setattr(fitting, "catalogue", lambda: changed)
    assert (fit(), [structures(figure) for figure in FIGURES]) == before
    assert [naive_constant(figure, training_machines(figure)) for figure in FIGURES] == naive


def test_the_training_half_does_matter(monkeypatch):
    changed = tuple(
        dataclasses.replace(m, linpack_flop_rate=m.linpack_flop_rate / 2) if half_of(m) == "training" else m
        for m in catalogue()
    )
    monkeypatch.setattr(fitting, "catalogue", lambda: changed)
    assert fit()["accelerator_peak_share"] < 0.4


def test_families_stay_together_and_halves_follow_the_rule():
    assert set(split(catalogue())) == set(TRAINING)
    assert sorted(name for names in FAMILIES.values() for name in names) == sorted(BY_NAME)
    for names in FAMILIES.values():
        assert len({half_of(BY_NAME[name]) for name in names}) == 1
        assert len({class_of(BY_NAME[name]) for name in names if BY_NAME[name].nodes}) == 1
    halves = [half_of(machine) for machine in catalogue() if machine.nodes]
    assert (halves.count("training"), halves.count("held out")) == (12, 12)
    assert {class_of(machine) for machine in catalogue()} == set(CLASSES)


def test_the_split_knows_years_and_names_only():
    """Other figures give the same halves, other years other ones."""
    measured = {figure.measured: 1.0 for figure in FIGURES}
    assert split([dataclasses.replace(machine, **measured) for machine in catalogue()]) == split(catalogue())
    later = [dataclasses.replace(m, year=2030) if m.name == "Titan" else m for m in catalogue()]
    assert set(split(later)) != set(TRAINING)


def test_a_machine_of_another_table_is_held_out():
    assert half_of(dataclasses.replace(BY_NAME["Summit"], name="Lassen")) == "held out"


def linpack_rate(machine, share):
    """HPL by the published form, written anew."""
    network = machine.network
    peak = machine.peak_flop_rate / machine.listed_nodes
    n = math.sqrt(0.8 * machine.nodes * machine.memory_capacity / 8)
    side = math.sqrt(machine.nodes)
    compute = 2 * n**3 / (3 * machine.nodes * peak * share)
    exchange = 16 * n**2 / side * network.taper / machine.injection_bandwidth
    exchange += 3e-6 * n * (257 * math.log2(side) + side) / 256
    return 2 / 3 * n**3 / (compute + exchange - 0.9 * min(compute, exchange))


def power(machine, share):
    """Rated powers, with a network of 772, 253 and 180 pJ per byte, and 140 of memory outside the packages."""
    watts = machine.processors * machine.processor_power + machine.devices * machine.device_power
    network = machine.network
    watts += (
        machine.injection_bandwidth
        * 1e-12
        * (772 * network.adapters + 253 * network.switch_ports + 180 * network.optical_ends)
    )
    if not machine.accelerated and machine.memory_bandwidth < 10 * machine.memory_capacity:
        watts += 140e-12 * machine.memory_bandwidth
    return share * machine.nodes * watts


def gradient_rate(machine, share):
    """HPCG by rows of 27 entries, written anew."""
    unknowns = 0.25 * machine.memory_capacity / 364
    sweep = 324 * unknowns / (machine.memory_bandwidth * share)
    faces = 48 * unknowns ** (2 / 3) / machine.injection_bandwidth + 18e-6
    sums = 9e-6 * math.ceil(math.log2(machine.gradient_nodes))
    return 54 * unknowns * machine.gradient_nodes / (sweep + faces + sums)


LAWS = {LINPACK: linpack_rate, POWER: power, GRADIENT: gradient_rate}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_model_against_laws_written_anew(figure):
    """Every machine, with the constants of its class."""
    machines = [machine for machine in catalogue() if not missing(machine, figure)]
    for machine, found in zip(machines, predicted(machines, figure), strict=True):
        assert found == pytest.approx(LAWS[figure](machine, constant(machine, figure)), rel=1e-9), machine.name


def constant(machine, figure):
    """The shipped constant of a machine's class."""
    if figure is LINPACK:
        kind = "accelerator" if machine.accelerated else "wide_core" if machine.core_operations > 12 else "narrow_core"
        return MODEL.assumptions[f"{kind}_peak_share"].value
    if figure is POWER:
        return MODEL.assumptions[f"{'accelerator' if machine.accelerated else 'processor'}_power_share"].value
    return MODEL.assumptions["gradient_bandwidth_share"].value


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_fit_against_one_written_anew(figure):
    """Roots by Brent's method, and the lower median of each group."""
    law, groups = LAWS[figure], {}
    for machine in catalogue():
        if half_of(machine) == "training" and not missing(machine, figure):
            measured = getattr(machine, figure.measured)
            root = brentq(lambda share, m=machine, y=measured: law(m, share) / y - 1.0, 1e-3, 50.0, xtol=1e-12)
            groups.setdefault(constant(machine, figure), []).append(root)
    assert len(groups) == len(figure.constants)
    for shipped, roots in groups.items():
        assert round(sorted(roots)[(len(roots) - 1) // 2], 4) == shipped


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_structure_is_the_simplest_within_one_standard_error(figure):
    found = structures(figure)
    (name,) = [name for name, grouping in GROUPINGS.items() if grouping is CHOSEN[figure.name]]
    assert simplest(found).name == name
    assert [one.name for one in found] == list(GROUPINGS)
    assert len(figure.constants) == simplest(found).constants


def test_parts_beside_the_rated_power_earn_their_place():
    """Without memory and network the power of machines that are left out is worse, whatever the structure."""
    nothing = dict.fromkeys(
        (
            "outside_memory_energy",
            "adapter_power_per_bandwidth",
            "switch_port_power_per_bandwidth",
            "optical_end_power_per_bandwidth",
        ),
        0.0,
    )
    whole, rated = structures(POWER), structures(POWER, **nothing)
    assert min(one.error for one in whole) < min(one.error for one in rated)


def test_leaving_one_out_by_hand():
    """HPCG with one constant: each machine by the lower median of the seven others."""
    machines = training_machines(GRADIENT)
    errors = []
    for machine in machines:
        roots = sorted(
            brentq(lambda s, m=other: gradient_rate(m, s) / m.gradient_flop_rate - 1.0, 1e-3, 50.0)
            for other in machines
            if other is not machine
        )
        errors.append(abs(gradient_rate(machine, roots[3]) / machine.gradient_flop_rate - 1.0))
    one = structures(GRADIENT)[0]
    assert one.error == pytest.approx(np.mean(errors), rel=1e-6)
    assert one.standard_error == pytest.approx(np.std(errors, ddof=1) / math.sqrt(8), rel=1e-6)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=9))
def test_a_constant_is_that_of_one_machine(values):
    found = fitting._lower_median(np.array(values))
    assert found in values
    assert sum(value <= found for value in values) >= len(values) / 2


def test_naive_constants():
    """Lower medians over the training half: eight of HPCG, ten of power; HPL has an odd number."""
    machines = training_machines(GRADIENT)
    ratios = sorted(m.gradient_flop_rate / (m.gradient_nodes * m.memory_bandwidth) for m in machines)
    assert len(ratios) == 8
    assert naive_constant(GRADIENT, machines) == ratios[3]
    machines = training_machines(LINPACK)
    rates = sorted(m.linpack_flop_rate / m.peak_flop_rate for m in machines)
    assert naive_constant(LINPACK, machines) == rates[5] == np.median(rates)
