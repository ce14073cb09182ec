"""Does the share of peak fall with the number of nodes: slopes by dummies, and when a term would be taken."""

import math
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import pytest

from dse.models.machines.catalogue.catalogue import read_machines
from dse.models.machines.laws.laws import observed
from dse.models.machines.laws.measured_shares import measured_shares
from dse.models.machines.laws.size_law import SIZES, SizeTest, size_tests

from . import oracle

SECOND = measured_shares(read_machines(Path(str(files("dse.spaces"))) / "machines/recalled.csv"))
FOUND = {one.term: one for one in size_tests(observed(), SECOND)}
RATES = oracle.shares()["rate"]
PAIRS = [d for d in set(oracle.DEVICES.values()) if sum(oracle.DEVICES[n] == d for n in RATES) > 1]
FORMS = {"log2 n": math.log2, "sqrt(2 ln n)": lambda n: math.sqrt(2 * math.log(n))}


@pytest.mark.parametrize(("term", "slope", "error"), [("log2 n", -0.043, 0.019), ("sqrt(2 ln n)", -0.26, 0.10)])
def test_slopes(term, slope, error):
    one = FOUND[term]
    assert (one.slope, one.standard_error) == pytest.approx((slope, error), abs=0.005 if slope < -0.1 else 5e-4)
    assert abs(one.t) > 2
    assert not one.taken  # the second table becomes worse by it


@pytest.mark.parametrize("term", SIZES)
def test_slopes_against_dummies(term):
    one, size = FOUND[term], FORMS[term]
    assert (one.slope, one.standard_error) == pytest.approx(oracle.size_slope(RATES, size), rel=1e-6)
    left = [oracle.size_slope(RATES, size, without={device})[0] for device in PAIRS]
    assert (one.least, one.largest) == pytest.approx((min(left), max(left)), rel=1e-6)


def test_it_rests_on_two_devices():
    slope, error = oracle.size_slope(RATES, math.log2, without={"MI300A", "A100"})
    assert (slope, error) == pytest.approx((-0.004, 0.009), abs=5e-4)


@pytest.mark.parametrize("term", SIZES)
def test_errors_of_the_second_table_against_ones_written_anew(term):
    size, slope = FORMS[term], FOUND[term].slope
    machines = {one.machine.name: one.machine for one in (*observed(), *SECOND)}
    known = {one.machine.name: one.rate for one in SECOND if one.rate is not None}
    known = {name: rate for name, rate in known.items() if machines[name].device in set(oracle.DEVICES.values())}
    for s, found in ((0.0, FOUND[term].error_without), (slope, FOUND[term].error_with)):
        law = oracle.Law(
            {name: y - s * size(machines[name].nodes) for name, y in RATES.items()},
            oracle.DEVICES,
            lambda name: oracle.class_of("rate", name),
        )
        errors = []
        for name, rate in known.items():
            device = machines[name].device
            given = law.mean[law.kind[device]] + law.offset[device] + s * size(machines[name].nodes)
            errors.append(abs(math.expm1(given - rate)))
        assert found == pytest.approx(fmean(errors), rel=1e-6)
    assert FOUND[term].error_without == pytest.approx(0.067, abs=5e-4)


BASE = SizeTest("x", -0.04, 0.01, -0.05, -0.02, 0.08, 0.07)


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ({}, True),
        ({"standard_error": 0.03}, False),  # |t| is below 2
        ({"largest": 0.01}, False),  # another sign without one device
        ({"error_with": 0.09}, False),  # worse where nothing was fitted
        ({"error_with": 0.08}, True),  # no worse
        ({"error_with": None, "error_without": None}, False),  # nothing to be no worse on
    ],
)
def test_when_a_term_is_taken(changes, taken):
    assert SizeTest(**(vars(BASE) | changes)).taken is taken
