"""A design evaluated alone has the bits it has among others, in every function that the studies of the project use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dse import Study
from dse.evaluation.direct import evaluate_models
from dse.models.power.voltage import maximum_frequency

STUDIES = sorted(path.stem for path in Path(__file__).parents[2].joinpath("studies").glob("*.toml"))


def _bits(value: Any, count: int) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=float).reshape(-1), count)).view(np.int64)


@pytest.mark.parametrize("name", STUDIES)
def test_E11_one_design_and_many(name):
    problem = Study.load(name).compiled
    numbers = np.unique(np.random.default_rng(11).integers(0, problem.space.size, 9))
    for record in problem.quantities(numbers):
        graph, count = problem.systems[record["product"]].graph, len(record["positions"])
        for place, position in enumerate(record["positions"]):
            (alone,) = problem.quantities(numbers[position : position + 1])
            for quantity, value in record["values"].items():
                if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                    same = _bits(value, count)[place] == _bits(alone["values"][quantity], 1)[0]
                    assert same, f"{quantity} of {graph.targets}"


def test_E11_energies_that_go_with_a_power_of_the_process():
    """3 nm, at every exponent, 1 and 2 among them."""
    exponents = np.round(np.linspace(0.3, 2.0, 1701), 3)
    models, name = ["node_class.socket_power"], "process_energy_factor"
    given = {"technology": 3e-9, "process_exponent": exponents}
    many = np.asarray(evaluate_models(models, [name], given)[name]).reshape(-1)
    for row in range(0, len(exponents), 7):
        own = {"technology": 3e-9, "process_exponent": exponents[row : row + 1]}
        assert np.asarray(evaluate_models(models, [name], own)[name]).reshape(-1)[0] == many[row]


@pytest.mark.parametrize("alpha", [2.0, 1.0, 1.3])
def test_E11_a_clock_that_goes_with_a_power_of_the_voltage(alpha):
    voltages, exponent = np.round(np.linspace(0.5, 1.2, 701), 3), np.array([alpha])
    many = maximum_frequency(voltages, 2e9, 1.0, 0.3, exponent)
    for row in range(0, len(voltages), 7):
        assert maximum_frequency(voltages[row : row + 1], 2e9, 1.0, 0.3, exponent)[0] == many[row]
