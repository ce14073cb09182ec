"""What a list of machines would change in the laws: nothing by the project's own rows, the trend by least squares."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dse.models.machines.catalogue.catalogue import catalogue, later_machines
from dse.models.machines.laws.core_laws import observed_cores
from dse.models.machines.laws.refit import refit

CORES = [machine for machine in later_machines() if not machine.accelerated]


def test_rows_that_the_laws_have_change_nothing():
    change = refit(CORES)
    assert change.added == ()
    assert "Crossroads" in change.replaced
    assert [(entry.law, entry.change) for entry in change.changed] == [
        ("power over rated", pytest.approx(0.0, abs=1e-9)),
        ("power over rated", pytest.approx(0.0, abs=1e-9)),
    ]


def test_the_blind_machine_is_left_out():
    assert {"LineShine", "ISEG2"} <= set(refit(catalogue()).left_out)  # ISEG2 came after the laws of accelerators
    blind = [machine for machine in catalogue() if machine.blind]
    assert refit(blind) is None
    assert refit([replace(machine, blind=False, fit="never") for machine in blind]) is None


def test_a_machine_moves_the_trend_as_least_squares_has_it():
    """The slope is that of all machines with the new one: a line through their points by NumPy."""
    shares = {entry.machine.name: entry for entry in observed_cores()}
    template = next(machine for machine in CORES if machine.name in shares and shares[machine.name].power is not None)
    hot = replace(template, name="Hot", year=2025, power=1.5 * template.power)
    change = refit([hot])
    assert (change.added, change.replaced, change.left_out) == (("Hot",), (), ())
    having = [entry for entry in shares.values() if entry.power is not None]
    years = [entry.machine.year for entry in having]
    powers = [entry.power for entry in having] + [shares[template.name].power + math.log(1.5)]
    slope = np.polyfit([*years, 2025], powers, 1)[0]
    (by_year,) = [entry.then for entry in change.changed if entry.of.endswith("a year")]
    assert by_year == pytest.approx(math.exp(slope), rel=1e-9)


def test_figures_of_a_machine_that_is_known_take_its_place():
    frontier = next(machine for machine in catalogue() if machine.name == "Frontier")
    change = refit([replace(frontier, linpack_flop_rate=1.1 * frontier.linpack_flop_rate)])
    assert change.replaced == ("Frontier",)
    changed = {(entry.law, entry.of): entry for entry in change.changed}
    entry = changed["share of the peak", "MI250X"]
    assert 1.0 < entry.then / entry.now < 1.1
    assert entry.change == pytest.approx(entry.then / entry.now - 1.0)
