"""Failures in whole machines: the exascale study with time on the clock, without a further axis."""

import json
import tomllib

import numpy as np
import pytest

from dse.api import Study
from dse.search.driver import SearchOptions, search
from dse.study.file.headings import bundled_studies

pytestmark = pytest.mark.xdist_group("failures of machines")
FAILURES = {True: "exascale", False: "exascale-collectives"}
KEPT = {
    "accelerated": {},
    "many-core": {
        "sockets": [1, 2],
        "cores_per_socket": [64, 128],
        "core_frequency": ["2 GHz", "2.5 GHz"],
        "vector_bits": [512, 1024],
        "private_cache": ["1 MiB"],
        "shared_cache": ["0 B", "2 MiB"],
        "dram_units": [4, 8],
    },
}


def exascale(failures):
    """Two of its alternatives, with fewer values of their axes; the same with failures and without."""
    document = tomllib.loads(bundled_studies()[FAILURES[failures]].read_text(encoding="utf-8"))
    space = document["space"]
    space["exclude"] = [
        "node == 'accelerated' and network != 'hyperx'",
        "node == 'many-core' and network != 'torus'",
        "node == 'matrix-core'",
    ]
    for member, axes in KEPT.items():
        space["choices"]["node"][member]["axes"] |= {axis: {"values": values} for axis, values in axes.items()}
    boards = ["EX255a: 4 MI300A", "HGX: 8 H200", "HGX: 4 H200", "HGX: 8 B200", "4 GH200"]
    board = space["choices"]["node"]["accelerated"]["axes"]["board"]
    space["choices"]["node"]["accelerated"]["axes"]["board"] = board | {"only": boards, "without": []}
    for network in ("hyperx", "torus"):
        given = space["choices"]["network"][network]["axes"]["shape"]["given"]
        given["nodes"] = {"values": [4096, 6144, 8192, 16384]}
    del document["references"]
    return Study.from_text(json.dumps(document), folder=".")


@pytest.fixture(scope="module")
def found():
    problems = {failures: exascale(failures).problem() for failures in (False, True)}
    return problems, {key: search(one, SearchOptions(method="groups")) for key, one in problems.items()}


def _named(certificate):
    return [text.replace("wall_time", "mix_time") for text in certificate.not_pruned or ()]


def test_nothing_more_is_kept_from_being_pruned(found):
    """Neither availability nor memory nor a bandwidth: the join has one more product."""
    _, searched = found
    assert _named(searched[True].certificate) == _named(searched[False].certificate)
    assert searched[True].certificate.evaluated < 1.5 * searched[False].certificate.evaluated


def test_the_frontier_with_failures_is_what_bundles_find(found):
    problems, searched = found
    bundles = search(problems[True], SearchOptions(method="bundles"))
    np.testing.assert_array_equal(np.unique(searched[True].values, axis=0), np.unique(bundles.values, axis=0))


def test_large_machines_lose_a_quarter_to_a_third(found):
    """Devices by the measured rate of 16,384 of them; nodes of cores by five years each."""
    problems, _ = found
    problem = problems[True]
    rng = np.random.default_rng(1)
    first = problem.space.products[0].size
    numbers = np.concatenate([rng.integers(0, first, 300), rng.integers(first, problem.space.size, 300)])
    for record in problem.quantities(numbers):
        values = {name: np.broadcast_to(value, (len(record["positions"]),)) for name, value in record["values"].items()}
        mean, share = values["system_mean_time_between_failures"], values["availability"]
        np.testing.assert_allclose(values["wall_time"] * share, values["mix_time"], rtol=1e-12)
        assert (values["resilience_energy"] >= values["mix_time"] * values["machine_power"]).all()
        if "devices_per_node" in values:
            devices = values["nodes"] * values["devices_per_node"]
            np.testing.assert_allclose(mean, 1.8243e8 / devices, rtol=1e-12)
            large = (devices > 24_000) & (devices < 50_000)
            assert large.any()
            assert ((share[large] > 0.64) & (share[large] < 0.78)).all()
        else:
            np.testing.assert_allclose(mean, 5 * 365.25 * 86400 / values["nodes"], rtol=1e-12)


@pytest.mark.parametrize(("devices", "share"), [(24_576, 0.7687), (49_152, 0.6505)])
def test_devices_and_availability(devices, share, found):
    """A checkpoint of 1 PB to 10 TB/s, restarts of ten minutes and as long as a checkpoint."""
    problem = found[0][True]
    accelerated = np.random.default_rng(2).integers(0, problem.space.products[0].size, 1000)
    (record,) = problem.quantities(accelerated)
    values = record["values"]
    count = values["nodes"] * values["devices_per_node"]
    here = values["availability"][count == devices]
    assert here.size
    np.testing.assert_allclose(here, share, atol=6e-5)
