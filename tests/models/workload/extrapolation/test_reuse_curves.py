"""Curves of reuse distances: there and back, longer and shorter, and always from 1 down to the first touches."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.workload.extrapolation.reuse_curves import curve, histogram_document, knots, tail_of
from dse.models.workload.profile.reading import read_profile
from dse.models.workload.profile.reuse import ReuseHistogram


def histogram(counts, first_touches, **more):
    distances = knots(2 ** (len(counts) - 2)) if len(counts) > 1 else [0]
    assert len(distances) == len(counts)
    return ReuseHistogram(64, sum(counts) + first_touches, tuple(distances), tuple(counts), **more)


def back(document):
    pairs = document["histogram"]
    distances, counts = zip(*pairs, strict=True)
    return ReuseHistogram(64, document["references"], distances, counts)


def test_knots():
    assert knots(0) == [0]
    assert knots(1) == [0, 1]
    assert knots(5) == [0, 1, 2, 4, 8]
    assert knots(8) == [0, 1, 2, 4, 8]


def test_the_metrics_of_a_histogram():
    one = histogram([40, 20, 10, 10, 5, 5], 10)
    assert curve(one) == pytest.approx(
        {
            ("references",): 100.0,
            ("first_touches",): 10.0,
            ("beyond", 0): 0.6,
            ("beyond", 1): 0.4,
            ("beyond", 2): 0.3,
            ("beyond", 4): 0.2,
        }
    )
    assert tail_of(one).beyond == pytest.approx((0.6, 0.4, 0.3, 0.2, 0.15, 0.1))


@settings(max_examples=examples(60))
@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20), st.integers(1, 10**6))
def test_the_same_parameters_give_the_same_curve(counts, first_touches):
    one = histogram([*counts[:-1], counts[-1] + 1], first_touches)
    document, unseen = histogram_document(curve(one), [tail_of(one)], counted=True)
    again = back(document)
    assert again.references == one.references
    assert again.distances == one.distances
    np.testing.assert_allclose(again.counts, one.counts, atol=1)
    assert unseen < 1e-9


@settings(max_examples=examples(60))
@given(
    st.lists(st.floats(0, 1.5), min_size=3, max_size=12),
    st.floats(1, 1e6),
    st.floats(0, 2e6),
    st.lists(st.integers(0, 1000), min_size=3, max_size=12),
)
def test_any_metrics_give_a_valid_histogram(beyond, references, first_touches, counts):
    """Laws know nothing of one another: shares may rise, pass 1, and first touches may pass the references."""
    run = tail_of(histogram(counts, 5))
    values = {("references",): references, ("first_touches",): first_touches}
    values |= {("beyond", distance): share for distance, share in zip(knots(2**10), beyond, strict=False)}
    document, unseen = histogram_document(values, [run], counted=True)
    found = np.array(document["histogram"])
    assert (np.diff(found[:, 0]) > 0).all()
    assert (found[:, 1] >= 0).all()
    assert found[:, 1].sum() <= document["references"]
    assert 0.0 <= unseen <= 1.0
    printed, _ = histogram_document(values, [run], counted=False)
    shares = np.array(printed["printed"])[:, 1]
    assert (np.diff(shares) >= -1e-15).all()
    assert shares.min() >= 0.0
    assert shares.max() <= 1.0


def test_a_larger_run_has_the_curve_of_the_largest_stretched():
    """Reuses at the end of the curve move with the lines; those near stay."""
    one = histogram([400, 100, 0, 0, 0, 0, 0, 0, 300, 100], 100)  # distances 64 to 128 and 128 to 256 of 100 lines
    values = curve(one) | {("references",): 16000.0, ("first_touches",): 1600.0}
    document, unseen = histogram_document(values, [tail_of(one)], counted=True)
    found = back(document)
    assert found.distances[-1] == 256 * 16
    assert found.cold_fraction == pytest.approx(0.1)
    lines, hits = found.cumulative("corrected")
    assert np.interp(2, lines, hits) == pytest.approx(0.5)
    assert np.interp(64, lines, hits) == pytest.approx(0.5, abs=0.02)
    assert np.interp(4097, lines, hits) == pytest.approx(0.9)
    # Beyond the last law at 64 the curve is that of the run, over four times as many doublings.
    middle = np.interp(2**9 + 1, lines, hits)
    assert 0.5 < middle < 0.9
    assert unseen == pytest.approx(0.9 - np.interp(257, lines, hits), abs=0.01)


def test_a_smaller_run_ends_where_its_lines_end():
    one = histogram([400, 100, 0, 0, 0, 0, 0, 0, 300, 100], 100)
    values = curve(one) | {("references",): 250.0, ("first_touches",): 25.0}
    document, _ = histogram_document(values, [tail_of(one)], counted=True)
    assert document["histogram"][-1][0] == 64
    assert sum(count for _, count in document["histogram"]) == 225


def test_cumulative_fractions_alone_come_back():
    one = ReuseHistogram(None, 1000, (3, 7, 20), None, printed=(0.5, 0.75, 0.9))
    tail = tail_of(one)
    assert tail.distances == (0, 1, 2, 4, 8, 16, 32)
    assert tail.beyond == pytest.approx((1.0, 1.0, 1.0, 0.5, 0.25, 0.25, 0.1))
    document, _ = histogram_document(curve(one), [tail], counted=False)
    assert document["printed"] == [
        [distance, pytest.approx(1 - share)] for distance, share in zip(tail.distances, tail.beyond, strict=True)
    ]


def test_measured_histograms_come_back():
    one = read_profile("graph500-seq-csr").only.reuse(64)
    document, _ = histogram_document(curve(one), [tail_of(one)], counted=True)
    again, caches = back(document), 2.0 ** np.arange(0, 22)
    np.testing.assert_allclose(again.hit_fraction(caches), one.hit_fraction(caches), atol=1e-8)


def test_odd_histograms():
    empty = ReuseHistogram(64, 0, (), ())
    assert histogram_document(curve(empty), [tail_of(empty)], counted=True) == ({"references": 0, "histogram": []}, 0.0)
    cold = ReuseHistogram(64, 10, (), ())
    document, _ = histogram_document(curve(cold), [tail_of(cold)], counted=True)
    assert document["references"] == 10
    assert sum(count for _, count in document["histogram"]) == 0
    with pytest.raises(InputError, match="split_references; allowed: profiles whose vectors are not yet fitted"):
        curve(histogram([1, 2], 3, split_references=4))
