"""Strides of a profile: from counts of a record to shares, their reading, their mean, and the laws."""

import json
from dataclasses import replace

import numpy as np
import pytest
from raw_files import raw_record, raw_thread

from dse.errors import InputError
from dse.models.workload.extrapolation.process_classes import cluster
from dse.models.workload.laws.reuse_quantiles import ReuseTable, StrideShares
from dse.models.workload.profile.alike_classes import with_alike_joined
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.documents import as_document
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.profile.reuse import ReuseHistogram
from dse.models.workload.profile.strides import mean_shares, shares_by_bin, stride_curve
from dse.models.workload.record.raw_records import RawRecord
from dse.models.workload.record.recorded import recorded_profile


def _thread(scale=1):
    data = {
        **{"kind": "data", "line_bytes": 64, "references": 400, "cold": 40, "bins": [[0, 200], [1, 100], [2, 60]]},
        "covered": {"bins": [[0, 20, 10], [2, 6 * scale, 6]], "first": [4, 1]},
        "dependent": {"bins": [[0, 10, 4], [2, 6, 2]], "first": [2, 2]},
    }
    return raw_thread(reuse=[data])


def _document(**changes):
    record = RawRecord.model_validate(raw_record(threads=[_thread()], **changes))
    return recorded_profile([record])


def test_shares_stand_at_the_ends_of_the_bins():
    reuse = _document(sampling={"ilp_bursts": 0.1, "reuse_rate": 1.0, "strides": 0.1})["classes"][0]["data_reuse"][0]
    assert reuse["covered"] == [[0, 0.5], [2, 1.0]]
    assert reuse["covered_first_touches"] == 0.25
    # Beyond 0: 2 + 2 of 6 + 2 loads; beyond 1 the same; beyond 2 both first touches.
    assert reuse["dependent"] == [[0, 0.5], [1, 0.5], [2, 1.0]]


def test_the_share_of_the_run_is_told():
    sampled = _document(sampling={"ilp_bursts": 0.1, "reuse_rate": 1.0, "strides": 0.1})
    assert sampled["run"]["sampling"] == {"ilp_bursts": 0.1, "strides": 0.1}


def test_bins_of_a_sample_of_lines_are_joined():
    made = shares_by_bin([8, 16], [(0, 5, 0), (4, 3, 3), (8, 2, 2), (16, 10, 1)], (0, 0))
    assert made == {"covered": [[8, 0.5], [16, 0.1]], "covered_first_touches": 0.0}


def test_a_profile_reads_back_the_same():
    profile = parse_profile(_document())
    assert profile.only.data_reuse[0].covered == ((0, 0.5), (2, 1.0))
    assert parse_profile(json.loads(json.dumps(as_document(profile)))).classes == profile.classes


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"covered": [[3, 0.5]]}, "distance 3 is not in the histogram"),
        ({"covered": [[0, 1.5]]}, "number from 0 to 1"),
        ({"covered": [[1, 0.5], [0, 0.5]]}, "distances that rise"),
        ({"covered_first_touches": None}, "covered_first_touches"),
        ({"dependent": [[7, 0.5]]}, "dependent"),
    ],
)
def test_shares_that_cannot_be_are_refused(change, problem):
    document = _document()
    document["classes"][0]["data_reuse"][0] |= change
    with pytest.raises(InputError, match=problem):
        checked_document(document)


def test_instructions_have_no_strides():
    document = _document()
    document["classes"][0]["inst_reuse"] = [
        {"line_instructions": 16, "references": 4, "histogram": [[0, 4]], "covered": [[0, 1.0]]}
    ]
    with pytest.raises(InputError, match="covered"):
        checked_document(document)


HISTOGRAM = ReuseHistogram(
    line=64,
    references=100,
    distances=(0, 1, 2, 4, 8),
    counts=(40, 10, 10, 20, 10),
    covered=((0, 0.0), (1, 0.0), (2, 0.5), (4, 1.0), (8, 0.25)),
    covered_first_touches=0.5,
    dependent=((0, 0.1), (1, 0.1), (2, 0.2), (4, 0.4), (8, 0.8)),
)


def test_a_level_is_covered_as_far_as_its_distances_are():
    """Lines 3 to 5 hold the distances 3 and 4; the memory answers 10 references and 10 first touches."""
    curve = stride_curve(HISTOGRAM)
    assert float(curve.coverage(3.0, 5.0)) == pytest.approx(1.0)
    assert float(curve.coverage(2.0, 5.0)) == pytest.approx((5.0 + 20.0) / 30.0)
    assert float(curve.coverage(9.0, np.inf)) == pytest.approx(0.5)
    assert float(curve.coverage(5.0, np.inf)) == pytest.approx((2.5 + 5.0) / 20.0)
    assert float(curve.coverage(5.0, 5.0)) == 0.0
    assert float(curve.waiting(4.0)) == pytest.approx(0.4)
    assert 0.2 < float(curve.waiting(3.0)) < 0.4


def test_levels_together_cover_what_all_of_them_do():
    curve = stride_curve(HISTOGRAM)
    hits = [HISTOGRAM.hit_fraction(lines) for lines in (1.0, 3.0, 6.0)] + [1.0]
    parts = [
        float(curve.coverage(above, here)) * (high - low)
        for above, here, low, high in zip((1.0, 3.0, 6.0), (3.0, 6.0, np.inf), hits, hits[1:], strict=False)
    ]
    assert sum(parts) == pytest.approx(float(curve.coverage(1.0, np.inf)) * (1.0 - hits[0]))


def test_a_histogram_without_strides_is_refused():
    with pytest.raises(InputError, match="has no strides"):
        stride_curve(replace(HISTOGRAM, covered=()))


def test_the_mean_weighs_references():
    entries = [
        {
            "references": 10,
            "histogram": [[0, 4], [1, 2]],
            "covered": [[0, 1.0], [1, 0.5]],
            "covered_first_touches": 1.0,
        },
        {"references": 30, "histogram": [[0, 12], [1, 2]], "covered": [[0, 0.0]], "covered_first_touches": 0.0},
    ]
    mean = mean_shares(entries)
    assert mean == {"covered": [[0, 0.25], [1, 0.5]], "covered_first_touches": 0.2}
    assert mean_shares([entries[0], {"references": 1, "histogram": []}]) == {}


def test_alike_processes_keep_their_strides():
    document = _document()
    document["classes"] *= 2
    document["classes"][1] = {**document["classes"][1], "name": "process 1 thread 0"}
    joined = with_alike_joined(document)["classes"]
    assert len(joined) == 1
    assert joined[0]["data_reuse"][0]["covered"] == [[0, 0.5], [2, 1.0]]
    profile = cluster(parse_profile(document), 1.0)
    assert profile.only.data_reuse[0].covered_first_touches == 0.25
    assert profile.only.data_reuse[0].covered[0] == (0, 0.5)


def test_laws_keep_shares_between_0_and_1_and_follow_the_quantiles():
    """Half of the reuses are streams whose distance grows with the size, half are jumps: so it is at any size."""
    sizes = [100, 200, 400, 800]
    table = ReuseTable(
        np.array([[float(size)] for size in sizes]),
        tuple((2, size) for size in sizes),
        tuple((0.5, 1.0) for _ in sizes),
        StrideShares(tuple((0.0, 1.0) for _ in sizes), tuple((0.3, 0.1) for _ in sizes), (0.9, 0.8, 0.7, 0.6)),
    )
    found = table.document(10_000.0, 100.0, [3200.0])
    covered, counts = dict(map(tuple, found["covered"])), dict(map(tuple, found["histogram"]))
    streams = sum(counts[upper] * share for upper, share in covered.items())
    assert streams == pytest.approx(4950, rel=0.01)
    assert covered[4096] == 1.0
    assert covered[2] == 0.0
    assert 0.3 < found["covered_first_touches"] < 0.6
    assert all(0.0 <= share <= 1.0 for _, share in found["dependent"])
    assert "covered" not in replace(table, strides=None).document(10_000.0, 100.0, [3200.0])
