"""A part of the study of machines, searched in two ways, and what is marked."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from dse.api import Study
from dse.search.driver import SearchOptions, search
from dse.study.file.headings import bundled_studies

FILE = bundled_studies()["training-exascale"]


@pytest.fixture(scope="module")
def document():
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    space = found["space"]
    axes = space["axes"]
    axes["device"]["where"] = {"name": ["H100 SXM", "GB200"]}
    axes["devices_per_node"] = {"values": [8, 72, 144]}
    axes["fabric"]["where"] = {"name": ["800G 64 ports"]}
    axes["nics_per_device"] = {"values": [0.5, 1]}
    axes["recompute"]["where"] = {"name": ["none"]}
    axes["precision"]["where"] = {"name": ["bf16", "fp8"]}
    axes["parallelism"]["given"] |= {"largest_tensor": 8, "largest_pipeline": 32}
    space["choices"]["network"] = {"hyperx": space["choices"]["network"]["hyperx"]}
    return found


def test_bundles_find_what_every_design_gives(document):
    problem = Study(document, folder=FILE.parent).problem()
    every = search(problem, SearchOptions(method="exhaustive"))
    bundles = search(problem, SearchOptions(method="bundles"))
    np.testing.assert_array_equal(bundles.numbers, every.numbers)
    np.testing.assert_array_equal(bundles.values, every.values)


def test_the_frontier_keeps_its_limits_and_marks_what_is_not_sold(document):
    frontier = Study(document, folder=FILE.parent).run(trust=False).frontier
    assert len(frontier) > 10
    assert (frontier["training_power"] <= 20e6).all()
    assert (frontier["training_time"] <= 180 * 86400).all()
    assert (frontier["training_memory"] <= 0.95 * 186e9).all()
    used = frontier["training_devices"] / (frontier["nodes"] * frontier["devices_per_node"].astype(float))
    assert ((used > 0.0) & (used <= 1.0)).all()
    large = frontier["devices_per_node"].astype(float) > 72
    assert all("devices_per_node" in text for text in frontier["extrapolated"][large])
    tokens, rate = 20e12, 6144 * 2048 / frontier["step_time"]
    again = tokens / (rate * frontier["training_goodput"])
    np.testing.assert_allclose(frontier["training_time"], again, rtol=1e-12)
    energy = frontier["training_power"] / rate
    np.testing.assert_allclose(frontier["energy_per_token"], energy, rtol=1e-12)
