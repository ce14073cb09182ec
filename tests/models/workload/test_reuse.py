"""Reuse histograms: published figures, both modes, and ranges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.workload.profile.reading import read_profile
from dse.models.workload.profile.reuse import ReuseHistogram, truncated

PUBLISHED = {
    "graph500-seq-csr": {512: 0.6302, 4096: 0.8584, 8192: 0.9296, 32768: 0.9597, 65536: 0.9619, 524288: 0.9993},
    "graph500-seq-list": {512: 0.4851, 4096: 0.6485, 8192: 0.7132, 524288: 0.9992},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_fractions(name):
    reuse = read_profile(name).only.reuse(64)
    for lines, fraction in PUBLISHED[name].items():
        assert reuse.hit_fraction(lines, "reference") == fraction
        exact = reuse.hit_fraction(lines + 1)
        assert fraction <= exact < fraction + 1e-4


def test_cutting_inflates_the_rarest_accesses():
    """The truncated curve of seq-csr sends 16 % more references to DRAM than there are."""
    reuse = read_profile("graph500-seq-csr").only.reuse(64)
    assert reuse.cold_fraction == pytest.approx(1 - 0.999398, abs=5e-7)
    assert (1 - reuse.hit_fraction(1e9, "reference")) / reuse.cold_fraction == pytest.approx(1.16, abs=0.005)


def test_truncation_does_not_round():
    assert truncated(2, 3) == 0.6666
    assert truncated(475163061, 475163062) == 0.9999
    assert truncated(3, 0) == 0.0
    assert truncated(29, 100) == 0.29  # floating point would give 0.2899


SMALL = ReuseHistogram(64, 100, (0, 1, 4, 16), (10, 20, 30, 20))


def test_corrected_hits_need_one_line_more_than_the_distance():
    lines, hits = SMALL.cumulative()
    assert np.interp([0, 1, 2, 3, 5, 9, 17, 1000], lines, hits) == pytest.approx([0, 0.1, 0.3, 0.3, 0.6, 0.6, 0.8, 0.8])
    assert SMALL.hit_fraction(4) == pytest.approx(0.45)
    assert SMALL.cold_fraction == pytest.approx(0.2)


def test_reference_reads_the_curve_at_the_capacity():
    assert SMALL.hit_fraction(np.array([0, 1, 4, 16, 99]), "reference") == pytest.approx([0.1, 0.3, 0.6, 0.8, 0.8])
    assert SMALL.hit_fraction(10, "reference") == pytest.approx(0.7)


def test_logarithmic_interpolation():
    assert SMALL.hit_fraction(13.0, logarithmic=True) == pytest.approx(0.6 + 0.2 * np.log2(13 / 9) / np.log2(17 / 9))
    assert SMALL.hit_fraction(0.5, logarithmic=True) == 0
    for lines in (1.0, 2.0, 9.0, 17.0, 400.0):
        assert SMALL.hit_fraction(lines, logarithmic=True) == pytest.approx(SMALL.hit_fraction(lines), abs=1e-15)


def test_other_steps_are_a_staircase():
    exact = ReuseHistogram(64, 100, (1, 3, 10), (20, 30, 10))
    assert exact.hit_fraction(np.array([1, 2, 3, 4, 10, 11])) == pytest.approx([0, 0.2, 0.2, 0.5, 0.5, 0.6])
    # Read at powers of two: 2 still has the value of 1, and so on.
    read = exact.hit_fraction(np.array([1, 2, 4, 8, 16, 64]), "reference")
    assert read == pytest.approx([0.2, 0.2, 0.5, 0.5, 0.6, 0.6])
    assert exact.hit_fraction(3, "reference") == pytest.approx(0.35)


def test_printed_fractions_alone():
    printed = ReuseHistogram(128, 50, (0, 1, 2), None, (0.1, 0.2, 0.4))
    assert printed.hit_fraction(2, "reference") == 0.4
    assert printed.hit_fraction(3) == pytest.approx(0.4)
    low, high, mass = printed.bins()
    assert (list(low), list(high), list(mass)) == ([0, 1, 2], [0, 1, 2], pytest.approx([0.1, 0.1, 0.2]))


def test_bins_hold_all_that_is_reused():
    low, high, mass = SMALL.bins()
    assert (list(low), list(high)) == ([0, 1, 3, 9], [0, 1, 4, 16])
    assert mass == pytest.approx([0.1, 0.2, 0.3, 0.2])


def test_references_added_by_splitting_hit_at_once():
    split = ReuseHistogram(64, 100, (2, 4), (40, 40), split_references=100)
    assert split.hit_fraction(1) == pytest.approx(0.5)
    assert split.hit_fraction(5) == pytest.approx(0.9)
    assert split.hit_fraction(4, "reference") == pytest.approx(0.9)
    assert split.bins()[2] == pytest.approx([0.5, 0.2, 0.2])


def test_nothing_reused():
    empty = ReuseHistogram(64, 10, (), ())
    assert empty.hit_fraction(5.0) == 0
    assert empty.hit_fraction(5.0, "reference") == 0
    assert empty.cold_fraction == 1


def test_unknown_mode():
    with pytest.raises(InputError, match=r"unknown mode 'exact'; allowed: reference, corrected"):
        SMALL.cumulative("exact")


histograms = st.builds(
    lambda pairs, cold, split: ReuseHistogram(
        64,
        sum(count for _, count in pairs) + cold,
        tuple(d for d, _ in sorted(pairs)),
        tuple(count for _, count in sorted(pairs)),
        split_references=split,
    ),
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2, 4, 8, 64, 1024, 3, 50]), st.integers(0, 1000)),
        min_size=1,
        unique_by=lambda pair: pair[0],
    ),
    st.integers(1, 100),
    st.sampled_from([0, 7]),
)


@given(histograms, st.sampled_from(["reference", "corrected"]), st.booleans())
def test_hits_rise_with_the_cache_and_ranges_hold_them(histogram, mode, logarithmic):
    lines = np.concatenate([np.arange(0, 70.0, 0.5), [1000, 1024, 1025, 1e6]])
    hits = histogram.hit_fraction(lines, mode, logarithmic=logarithmic)
    assert ((hits >= 0) & (hits <= 1)).all()
    assert (np.diff(hits) >= -1e-15).all()
    low, high, mass = histogram.bins(mode)
    assert (low <= high).all()
    assert (mass >= -1e-15).all()
    bounds = histogram.hit_fraction(Range(lines[:-10], lines[10:]), mode, logarithmic=logarithmic)
    for shift in (0, 3, 10):
        inside = hits[shift : len(hits) - 10 + shift]
        assert (bounds.low <= inside).all()
        assert (inside <= bounds.high).all()
