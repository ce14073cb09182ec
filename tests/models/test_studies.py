"""The studies of hybrid programs, of SKA and of whole machines, searched as a user would."""

import tomllib
from collections import Counter

import numpy as np
import pytest

import dse.graph.graph
from dse.api import Study
from dse.arithmetic.exact_floats import as_float64
from dse.search.account.progress import Callbacks
from dse.search.driver import SearchOptions, search
from dse.study.file.headings import bundled_studies

FRONTIERS = {
    "hybrid-xeon-bt": (216, 216, 9),
    "hybrid-xeon-lu": (216, 216, 7),
    "hybrid-xeon-sp": (216, 216, 13),
    "hybrid-xeon-cp": (216, 216, 16),
    "hybrid-xeon-lb": (216, 216, 21),
    "hybrid-arm-bt": (400, 400, 29),
    "hybrid-arm-lu": (400, 400, 28),
    "hybrid-arm-sp": (400, 400, 27),
    "hybrid-arm-cp": (400, 400, 41),
    "hybrid-arm-lb": (400, 400, 72),
    "ska-station": (8, 8, 4),
    "ska-correlator": (960, 36, 5),
    "ska-correlator-dedicated": (6, 6, 3),
    "ska-correlator-dedicated-as-printed": (6, 6, 3),
    "graph500-262144-thesis": (22, 22, 5),
    "graph500-262144-coalesced": (22, 22, 5),
    "graph500-262144-real-bytes": (22, 22, 2),
    "graph500-262144-full-messages": (22, 22, 2),
    "graph500-262144-power-by-port": (22, 22, 6),
    "graph500-262144-radix-64": (216, 216, 10),
    "collectives-tradeoff": (78, 78, 5),
    "weather-assimilation": (42624, 19046, 11),
    "checkpointing-exascale": (207, 207, 29),
    "low-latency-topologies": (20, 20, 18),
    "slower-space": (45_792, 38_003, 115),
    "training-llama-405b": (41_600, 25_434, 26),
    "serving-gpt-oss-120b": (14_976, 10_388, 74),
    "serving-deepseek-r1": (41_184, 10_096, 56),
    "serving-limits": (624, 566, 53),
    "extrapolate-hacc": (988, 988, 47),
    "replay-stencil": (133, 133, 7),
    "energy-hydro": (500, 500, 391),
    "energy-hydro-weak": (512, 512, 512),
    "fitted-strong-scaling": (13, 12, 12),
}


@pytest.mark.parametrize("name", FRONTIERS)
def test_size_feasible_and_frontier(name):
    """Designs, feasible designs and designs on the frontier; bundles find the same as looking at every design."""
    problem = Study.load(name).problem()
    found = search(problem, SearchOptions(method="exhaustive", count_infeasible=True))
    assert (problem.space.size, found.certificate.feasible, len(found.numbers)) == FRONTIERS[name]
    bundles = search(problem, SearchOptions(method="bundles"))
    np.testing.assert_array_equal(bundles.numbers, found.numbers)
    np.testing.assert_array_equal(bundles.values, found.values)


def _all_float64(problem, monkeypatch):
    kinds = Counter()

    def watched(value):
        kinds[np.asarray(value).dtype.name] += 1
        return as_float64(value)

    monkeypatch.setattr(dse.graph.graph, "as_float64", watched)
    rng = np.random.default_rng(0)
    problem.quantities(rng.integers(0, problem.space.size, 50))
    return kinds


@pytest.mark.parametrize("name", [*FRONTIERS, "exascale", "exascale-fine", "exascale-ownership"])
def test_E1_every_number_of_a_study_is_float64_already(name, monkeypatch):
    """So nothing is copied, and the bytes of frontiers are those of before."""
    kinds = _all_float64(Study.load(name).problem(), monkeypatch)
    assert list(kinds) == ["float64"]


def test_exascale_fine_is_exascale_with_more_values_of_five_axes_between_the_same_ends():
    fine, coarse = (
        tomllib.loads(bundled_studies()[name].read_text(encoding="utf-8")) for name in ("exascale-fine", "exascale")
    )
    assert Study.load("exascale-fine").problem().space.size == 1_188_727_098_328
    matrix, few = (one["space"]["choices"]["node"]["matrix-core"].pop("axes") for one in (fine, coarse))
    assert {name for name in few if few[name] != matrix[name]} == {
        *("cores_per_socket", "core_frequency", "private_cache", "shared_cache", "dram_units")
    }
    axes, steps = (one["space"]["choices"]["node"]["many-core"].pop("axes") for one in (fine, coarse))
    changed = {name: (axes.pop(name), steps.pop(name)) for name in dict(steps) if axes[name] != steps[name]}
    assert axes == steps
    assert [len(changed[name][0]["values"]) for name in changed if name != "core_frequency"] == [13, 5, 5, 12]
    clock, wide = changed.pop("core_frequency")
    assert (clock.pop("step"), wide.pop("step")) == ("0.05 GHz", "0.5 GHz")
    assert clock == wide
    for name, (more, fewer) in changed.items():
        assert set(fewer["values"]) < set(more["values"]), name
    for one in (fine, coarse):
        del one["name"], one["question"]
    assert fine == coarse


def test_correlator_winners():
    """One Haswell design has the least total power, four tied ARM designs the least node power."""
    problem = Study.load("ska-correlator").problem()
    found = search(problem, SearchOptions())
    designs = [problem.space.parameters(int(number)) for number in found.numbers]
    assert [design["alternative"] for design in designs] == ["haswell-8-channels"] + 4 * ["arm-4-channels"]
    assert {design["cores"] for design in designs} == {"96"}
    assert found.values[0].tolist() == pytest.approx([421.5, 3.453e6], rel=1e-3)
    assert len(np.unique(found.values[1:], axis=0)) == 1


def test_station_frontier_is_asic():
    problem = Study.load("ska-station").problem()
    names = [problem.space.parameters(int(number))["part"] for number in search(problem, SearchOptions()).numbers]
    assert names == ["ASIC 90 nm", "ASIC 32 nm", "ASIC 22 nm", "ASIC 14 nm"]


@pytest.mark.slow
def test_the_progress_of_exascale_moves_from_its_first_groups_to_its_end():
    """Most designs of its many cores are pruned before any is evaluated: they count as they are pruned."""
    file = bundled_studies()["exascale"]
    document, told, phases = tomllib.loads(file.read_text(encoding="utf-8")), [], []
    document["space"]["exclude"] = ["network != 'hyperx'"]
    del document["references"]
    problem = Study(document, folder=file.parent).problem()
    search(problem, listener=Callbacks(lambda done, _: told.append(done / problem.space.size), phases.append))
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len({round(share, 2) for share in told if 0 < share < 0.99}) >= 4
    assert "pruning groups" in phases
    assert phases[-1] == "excluding by bounds"
