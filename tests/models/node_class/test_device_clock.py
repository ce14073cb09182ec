"""Clocks of devices below the rated one: rate, power and what stays."""

import json
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError

FUNCTIONS = {function.name: function for function in load_model("node_class").functions}
RATE, POWER = FUNCTIONS["accelerated_peak_flop_rate"], FUNCTIONS["accelerated_processors_power"]
FACTORS = [0.5, 0.8, 1.0]
DOCUMENT = {
    "name": "clocks",
    "models": ["node_class"],
    "objectives": [{"minimize": "node_processors_power"}, {"maximize": "node_peak_flop_rate"}],
    "use": {"node_class": "accelerated"},
    "set": {"devices_per_node": 4},
    "space": {
        "axes": {
            "device": {"part": "machines/devices.csv", "where": {"name": "MI300A"}},
            "device_clock_factor": {"values": FACTORS},
        }
    },
}


def values(**given):
    document = {**DOCUMENT, "set": {**DOCUMENT["set"], **given}}
    problem = Study.from_text(json.dumps(document), folder=str(files("dse.studies"))).problem()
    found = {}
    for number in range(3):
        (record,) = problem.quantities([number])
        for name, value in record["values"].items():
            found.setdefault(name, []).append(np.ravel(value)[0])
    return found


def test_rate_goes_with_the_clock_and_power_with_its_dynamic_share():
    found = values()
    rated = found["device_power"][0]
    np.testing.assert_allclose(found["node_peak_flop_rate"], 4 * 62.69e12 * np.array(FACTORS), rtol=1e-12)
    np.testing.assert_allclose(found["node_processors_power"], 4 * rated * np.array([0.65, 0.86, 1.0]), rtol=1e-12)
    static = values(dynamic_power_share=0)["node_processors_power"]
    assert static == [4 * rated] * 3
    all_dynamic = values(dynamic_power_share=1)["node_processors_power"]
    np.testing.assert_allclose(all_dynamic, 4 * rated * np.array(FACTORS), rtol=1e-12)


def test_at_the_rated_clock_nothing_changes_to_the_bit():
    rng = np.random.default_rng(3)
    power, share = rng.uniform(100, 1400, 500), rng.uniform(0, 1, 500)
    assert POWER(6, power, 300.0, 1.0, share).tobytes() == (6 * power + 300.0).tobytes()
    assert RATE(6, power, 1.0).tobytes() == (6 * power).tobytes()


shares = st.floats(0.01, 1.0)


@given(shares, shares, shares)
def test_less_clock_is_less_power_and_never_more_rate_per_watt_of_the_device(one, other, dynamic):
    """At one voltage what does not go with the clock weighs more at a lower one."""
    low, high = sorted((one, other))
    powers = [POWER(1, 700.0, 0.0, factor, dynamic) for factor in (low, high)]
    assert powers[0] <= powers[1]
    assert RATE(1, 1.0, low) / powers[0] <= RATE(1, 1.0, high) / powers[1] * (1 + 1e-12)


@pytest.mark.parametrize("factor", [0.0, 1.01])
def test_no_clock_and_more_than_the_rated_one_are_refused(factor):
    document = {
        **DOCUMENT,
        "space": {"axes": {**DOCUMENT["space"]["axes"], "device_clock_factor": {"values": [factor]}}},
    }
    with pytest.raises(InputError, match="device_clock_factor"):
        Study.from_text(json.dumps(document), folder=str(files("dse.studies"))).problem()
