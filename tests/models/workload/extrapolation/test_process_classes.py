"""Classes of processes: beside SciPy's complete linkage, and averages that keep sums."""

import numpy as np
import pytest
import synthetic_runs as synthetic
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage

from dse.errors import InputError
from dse.models.workload.extrapolation.process_classes import cluster, complete_linkage
from dse.models.workload.profile.documents import as_document
from dse.models.workload.profile.reading import parse_profile


def several(factors, **more):
    """A run whose processes have so many times the instructions of the first."""
    document = synthetic.run_document(10, 16, 4)
    (first,) = document["classes"]
    document["classes"] = []
    for place, factor in enumerate(factors):
        mix = {name: round(factor * count) for name, count in first["mix"].items()}
        instructions = sum(mix[name] for name in ("load", "store", "addr", "int", "control"))
        one = {**first, "name": f"process {place}", "members": 1, "mix": mix, "instructions": instructions}
        span = round(instructions / 5)
        references = mix["load"] + mix["store"]
        histogram = [[0, references // 2], [16, references // 4]]
        one |= {"ilp": [{"window": 54, "span": span}], "branch": {**first["branch"], "events": mix["control"]}}
        one["data_reuse"] = [{"line_bytes": 64, "references": references, "histogram": histogram}]
        document["classes"].append(one | more)
    return parse_profile(document)


@settings(max_examples=examples(80))
@given(
    arrays(float, st.tuples(st.integers(2, 24), st.integers(1, 4)), elements=st.integers(0, 1000)), st.floats(0, 400)
)
def test_beside_scipy(points, threshold):
    points = points + np.random.default_rng(0).uniform(0, 0.1, points.shape)  # no ties
    expected = fcluster(linkage(points, "complete", metric="chebyshev"), threshold, criterion="distance")
    found = np.array(complete_linkage(points, threshold))
    assert ((found[:, None] == found) == (expected[:, None] == expected)).all()
    apart = np.abs(points[:, None] - points).max(axis=2)
    assert (apart[found[:, None] == found] <= threshold).all()


def test_alike_processes_become_one_class():
    found = cluster(several([1.0, 1.02, 0.99, 2.0, 2.01]), 0.1)
    assert [(item.name, item.members) for item in found.classes] == [("worker 1", 2), ("worker 2", 3)]
    heavy, light = found.classes
    assert heavy.instructions / light.instructions == pytest.approx(2.005 / 1.0033, rel=1e-3)
    assert heavy.ilp(54) == pytest.approx(5.0, rel=1e-3)
    assert heavy.reuse(64).hit_fraction(1) == pytest.approx(0.5, abs=1e-3)
    assert heavy.reuse(64).cold_fraction == pytest.approx(0.25, abs=1e-3)


def test_the_threshold_says_how_alike():
    profile = several([1.0, 1.05, 1.1, 1.15])
    assert len(cluster(profile, 0.0).classes) == 4
    assert len(cluster(profile, 0.06).classes) == 2
    assert len(cluster(profile, 0.2).classes) == 1
    assert cluster(several([1.0] * 5), 0.0).only.members == 5


def test_masters_stay_apart():
    document = as_document(several([1.0, 1.0, 1.0]))
    document["classes"][2]["role"] = "master"
    found = cluster(parse_profile(document), 0.5)
    assert [(item.name, item.role, item.members) for item in found.classes] == [
        ("worker 1", "worker", 2),
        ("master 1", "master", 1),
    ]


def test_the_mean_counts_members():
    document = as_document(several([1.0, 1.04]))
    document["classes"][0]["members"] = 3
    found = cluster(parse_profile(document), 0.1).only
    assert found.members == 4
    one, other = several([1.0, 1.04]).classes
    assert found.mix["load"] == pytest.approx((3 * one.mix["load"] + other.mix["load"]) / 4, abs=1)


def test_a_single_process_is_left_as_it_is():
    profile = several([1.0, 3.0])
    (heavy, light) = cluster(profile, 0.1).classes
    assert heavy.windows == profile.classes[1].windows
    assert light.data_reuse == profile.classes[0].data_reuse


def test_bad_threshold():
    for threshold in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"threshold = .*; allowed: a finite number >= 0"):
            cluster(several([1.0]), threshold)
