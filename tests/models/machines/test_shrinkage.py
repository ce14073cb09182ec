"""Means of classes and offsets of devices: a law written anew, its limits, and what no order or unit may change."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dse.models.machines.laws.shrinkage import shrunken

from .oracle import Law


@st.composite
def tables(draw):
    """Values, classes and devices of machines: one to three classes, some device with two machines."""
    values, classes, devices = [], [], []
    for of in range(draw(st.integers(1, 3))):
        for at in range(draw(st.integers(2, 4))):
            size = draw(st.integers(1, 3))
            values += draw(st.lists(st.floats(-1, 1), min_size=size, max_size=size))
            classes += [f"class {of}"] * size
            devices += [f"device {of}.{at}"] * size
    assume(len(set(devices)) < len(devices))
    return values, classes, devices


def spread(values, devices):
    """Mean squares well above rounding, so that the sign of the variance of devices is sure."""
    means = [np.mean([v for v, d in zip(values, devices, strict=True) if d == device]) for device in set(devices)]
    return np.ptp(values) > 1e-3 and np.ptp(means) > 1e-3


@given(tables())
def test_against_sums_written_out(table):
    values, classes, devices = table
    assume(spread(values, devices))
    names = [str(at) for at in range(len(values))]
    kind, of = dict(zip(names, classes, strict=True)), dict(zip(names, devices, strict=True))
    expected = Law(dict(zip(names, values, strict=True)), of, kind.get)
    assume(expected.between == 0 or expected.between > 1e-9)
    found = shrunken(values, classes, devices)
    assert found.within**2 == pytest.approx(expected.within, rel=1e-6, abs=1e-12)
    assert found.between**2 == pytest.approx(expected.between, rel=1e-6, abs=1e-12)
    assert {name: one.mean for name, one in found.classes.items()} == pytest.approx(expected.mean, rel=1e-6, abs=1e-9)
    offsets = {name: one.offset for name, one in found.devices.items()}
    assert offsets == pytest.approx(expected.offset, rel=1e-6, abs=1e-9)


@given(tables())
def test_a_device_is_given_something_between_its_class_and_its_machines(table):
    values, classes, devices = table
    law = shrunken(values, classes, devices)
    for name, one in law.devices.items():
        centre = law.classes[one.device_class].mean
        own = float(np.mean([v for v, d in zip(values, devices, strict=True) if d == name]))
        given_ = law.value(one.device_class, name)
        assert min(centre, own) - 1e-12 <= given_ <= max(centre, own) + 1e-12
        assert min(values) - 1e-12 <= given_ <= max(values) + 1e-12
        assert 0.0 <= one.standard_error <= law.between
        assert law.standard_error(one.device_class, "a new one") >= one.standard_error


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_machines_does_not_matter(table, random):
    rows = list(zip(*table, strict=True))
    before = shrunken(*table)
    assume(before.k < 1e6 or math.isinf(before.k))
    random.shuffle(rows)
    after = shrunken(*(list(column) for column in zip(*rows, strict=True)))
    assume(math.isinf(before.k) == math.isinf(after.k))  # at a variance of zero rounding decides
    for name, one in before.devices.items():
        assert after.devices[name].offset == pytest.approx(one.offset, rel=1e-4, abs=1e-9)
    for name, of in before.classes.items():
        assert after.classes[name].mean == pytest.approx(of.mean, rel=1e-4, abs=1e-9)


@given(tables(), st.floats(-3, 3), st.floats(0.1, 10))
def test_a_shift_moves_the_means_alone_and_a_scale_moves_all(table, shift, scale):
    """Values are logarithms: another unit of the figure changes no offset."""
    values, classes, devices = table
    assume(spread(values, devices))
    before = shrunken(values, classes, devices)
    after = shrunken([shift + scale * value for value in values], classes, devices)
    assume(before.between > 1e-3 and after.between > 1e-3)
    assert after.k == pytest.approx(before.k, rel=1e-4)
    for name, of in before.classes.items():
        assert after.classes[name].mean == pytest.approx(shift + scale * of.mean, rel=1e-6, abs=1e-6)
    for name, one in before.devices.items():
        assert after.devices[name].offset == pytest.approx(scale * one.offset, rel=1e-4, abs=1e-6)


def test_devices_that_differ_no_more_than_their_machines_have_no_offsets():
    """Two devices with the same mean: k is infinite, and the mean that of all machines."""
    law = shrunken([-1.0, 1.0, -1.0, 1.0, 0.0], ["c"] * 5, ["a", "a", "b", "b", "e"])
    assert (law.k, law.between) == (math.inf, 0.0)
    assert [one.offset for one in law.devices.values()] == [0.0] * 3
    assert [one.standard_error for one in law.devices.values()] == [0.0] * 3
    assert law.value("c", "a") == law.value("c", "new") == 0.0
    assert law.scattered(2.0).devices == law.devices
    uneven = shrunken([-1.0, 1.0, -1.0, 1.0, 0.3], ["c"] * 5, ["a", "a", "b", "b", "e"])
    assert uneven.k == math.inf
    assert uneven.classes["c"].mean == pytest.approx(0.06)


def test_machines_that_agree_leave_the_mean_of_their_device():
    law = shrunken([1.0, 1.0, 3.0, 3.0], ["c"] * 4, ["a", "a", "b", "b"])
    assert (law.k, law.within) == (0.0, 0.0)
    assert (law.value("c", "a"), law.value("c", "b")) == pytest.approx((1.0, 3.0))
    assert law.machine_error("c", "a") == 0.0


def test_by_hand():
    """Devices at 0 (two machines at ±1), 4 and 8: SSW 2, within² 2; SSB 44, N - Σn²/N = 2.5, between² 16."""
    law = shrunken([-1.0, 1.0, 4.0, 8.0], ["c"] * 4, ["a", "a", "b", "e"])
    assert law.within**2 == pytest.approx(2.0)
    assert law.between**2 == pytest.approx((44.0 - 2 * 2.0) / 2.5)
    assert law.k == pytest.approx(0.125)
    weights = np.array([2 / 2.125, 1 / 1.125, 1 / 1.125])
    mean = float(weights @ [0.0, 4.0, 8.0] / weights.sum())
    assert law.classes["c"].mean == pytest.approx(mean)
    assert law.devices["a"].offset == pytest.approx(-weights[0] * mean)
    assert law.devices["a"].standard_error == pytest.approx(math.sqrt(16 * 0.125 / 2.125))
    assert law.classes["c"].variance == pytest.approx(1 / (1 / 17 + 1 / 18 + 1 / 18))
    assert law.machine_error("c", "a") == pytest.approx(math.sqrt(16 * 0.125 / 2.125 + 2))


@pytest.mark.parametrize(
    ("classes", "devices"),
    [
        (["c", "c", "c"], ["a", "b", "e"]),  # no device has two machines
        (["c", "c"], ["a", "a"]),  # one device in all
        (["c", "c", "d", "d"], ["a", "a", "b", "b"]),  # one device per class
        ([], []),
    ],
)
def test_what_cannot_be_told_apart_is_refused(classes, devices):
    with pytest.raises(ValueError, match="no device has two machines, or no class two devices"):
        shrunken([0.1, 0.2, 0.4, 0.8][: len(classes)], classes, devices)


def test_a_device_of_two_classes_is_refused():
    with pytest.raises(ValueError, match="'a' is of two classes: c, d"):
        shrunken([0.1, 0.2, 0.3, 0.4, 0.6], ["c", "d", "c", "c", "d"], ["a", "a", "b", "b", "e"])


def test_inputs_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        shrunken([0.1, 0.2], ["c"], ["a", "a"])


def test_the_inputs_stay_as_they_are():
    values = np.array([-1.0, 1.0, 4.0, 8.0])
    values.setflags(write=False)
    shrunken(values, ["c"] * 4, ["a", "a", "b", "e"])
