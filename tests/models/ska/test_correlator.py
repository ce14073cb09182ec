"""The SKA1-Low correlator: contract, laws, and the design space counted by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.library.library import load_model
from dse.models.ska.claims.designs import CORRELATOR_SPACE, LIMIT, catalogue, correlator, part

MODEL = load_model("ska.correlator")
LIMITS = {"channels": (1, 16), "cores": (48, 128)}
cases = st.tuples(st.sampled_from(["Haswell", "ARM"]), st.sampled_from([1, 2, 4, 8, 16]))


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_contract(function, check_contract, check_ranges):
    """Shapes, no mutation, and bounds that hold."""
    check_contract(function, limits=LIMITS, tables={})
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations(check_declarations):
    check_declarations(MODEL)


@pytest.mark.parametrize(("core_type", "channels", "feasible"), [("Haswell", 8, 4), ("ARM", 8, 0), ("ARM", 4, 32)])
def test_feasible_designs_one_by_one(core_type, channels, feasible):
    """Slow twin: the two formulas of the specification, design by design."""
    constants = part("correlator-cores", core_type)
    designs = correlator(core_type, channels)
    found = 0
    for index, (cores, frequency, l3, dram) in enumerate(itertools.product(*CORRELATOR_SPACE.values())):
        share = channels / 8
        time = max(
            constants["core_cycles"] * share / (cores * frequency), constants["memory_traffic"] * share / min(l3, dram)
        )
        watts = constants["core_power"] * cores + constants["run_energy"] * share / time
        assert designs["run_time"][index] == pytest.approx(time, rel=1e-14)
        assert designs["node_power"][index] == pytest.approx(watts, rel=1e-14)
        assert designs["total_power"][index] == pytest.approx(watts * 65536 / channels, rel=1e-14)
        found += time <= LIMIT
    assert found == feasible == np.sum(designs["run_time"] <= LIMIT)


@given(cases)
def test_laws(case):
    """Energy is power times time; time never falls with less of anything."""
    designs = correlator(*case)
    np.testing.assert_array_equal(designs["energy"], designs["total_power"] * designs["run_time"])
    times = designs["run_time"].reshape([len(axis) for axis in CORRELATOR_SPACE.values()])
    for axis in range(times.ndim):
        assert np.all(np.diff(times, axis=axis) <= 0)


def test_channels_share_the_work():
    """Half the channels take half the time on twice the nodes."""
    eight, four = correlator("ARM", 8), correlator("ARM", 4)
    np.testing.assert_array_equal(eight["run_time"], 2 * four["run_time"])
    np.testing.assert_array_equal(2 * eight["nodes"], four["nodes"])


def test_catalogue():
    """Both rows are marked as fitted, and Haswell's cycles are those of its printed base."""
    table = catalogue("correlator-cores")
    assert table["name"].tolist() == ["Haswell", "ARM"]
    assert all("fitted" in source for source in table.sources)
    assert all("fitted" in source for source in table["source"])
    assert table["core_cycles"][0] == pytest.approx(5.42 * 14 * 2.6e9, rel=1e-4)
