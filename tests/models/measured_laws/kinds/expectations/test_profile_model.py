"""Metrics of a program at sizes nobody has run."""

import math

import pytest

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.profile_model import fit_profile
from dse.models.measured_laws.tables.reading import read_measurements

SIZES = [2**power for power in range(3, 11)]


@pytest.fixture
def model(tmp_path):
    rows = [f"{p},{7 * p},{64 * math.log2(p) + 128},{2e-6 * math.sqrt(p)}" for p in SIZES]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(["p,messages [1],memory [kB],time [ms]", *rows]))
    return fit_profile(read_measurements(file))


def test_every_metric_has_a_law_of_its_own(model):
    growths = {name: one.growth.text() for name, one in model.series.items()}
    assert growths == {"messages": "p", "memory": "log p", "time": "p^(1/2)"}
    found = model.at(2.0**16)
    assert found["messages"].value == pytest.approx(7 * 2**16)
    assert (found["memory"].value, found["memory"].unit) == (pytest.approx(1152e3), "B")
    assert found["time"].value == pytest.approx(2e-9 * 2**8)
    for one in found.values():
        assert one.band[0] <= one.value * (1 + 1e-12)
        assert one.value <= one.band[1] * (1 + 1e-12)


def test_far_sizes_are_warned_about_and_farther_ones_refused(model):
    assert model.warnings(2.0**16) == ()
    assert model.warnings(2.0**17)[0] == "messages: 131072 is 128 times beyond the sizes measured"
    assert model.at(2.0**20)
    with pytest.raises(InputError, match=r"messages: p = 2\.09715e\+06 is 2048 times beyond the sizes measured"):
        model.at(2.0**21)
    assert model.at(2.0**21, refuse_beyond=4096)
