"""Hit fractions: sets and ways, sizes of lines, prefetching and writing."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dse.models.processor import CORRECTED, REFERENCE
from dse.models.processor.caches.associativity import associative_hit_fraction
from dse.models.processor.caches.caches import (
    ReuseCurve,
    cache_lines,
    curve_for,
    curve_hits,
    hit_fraction,
    level_reach,
    local_hit_fraction,
    prefetch_traffic,
    prefetched_latency,
)
from dse.models.processor.predict.python_machine import missing_stores_allocate, missing_stores_write
from dse.models.processor.program.events import event_rates

from .profiles import measured, thread_of, with_long_lines


def curve_of(name, behaviour=CORRECTED):
    return event_rates(measured(name), 256, behaviour).data_reuse.curves[0][0]


def curve_of_bins(low, high, share, line_bytes=64.0):
    low, high, share = (np.array(values, float) for values in (low, high, share))
    lines, hits = [0.0], [0.0]
    for least, most, upto in zip(low, high, np.cumsum(share), strict=True):
        if least > lines[-1]:
            lines.append(least)
            hits.append(hits[-1])
        lines.append(most + 1)
        hits.append(upto)
    return ReuseCurve(line_bytes, np.array(lines), np.array(hits), low, high, share)


SMALL = curve_of_bins([0, 1, 2, 3, 5, 9, 17], [0, 1, 2, 4, 8, 16, 40], [0.2, 0.1, 0.1, 0.15, 0.2, 0.1, 0.1])


@pytest.mark.parametrize("name", ["csr", "list"])
@pytest.mark.parametrize("behaviour", [REFERENCE, CORRECTED], ids=lambda one: one.name)
def test_hits_do_not_fall_with_capacity(name, behaviour):
    hits = hit_fraction(curve_of(name, behaviour), np.linspace(0, 1e6, 20_000))
    assert np.all(np.diff(hits) >= 0)
    assert hits[0] >= 0
    assert hits[-1] < 1


def test_a_line_at_distance_d_needs_d_plus_1_lines():
    curve = curve_of("csr")
    shares = dict(zip(curve.high, curve.share, strict=True))
    assert hit_fraction(curve, 0.0) == 0.0
    assert hit_fraction(curve, 1.0) == pytest.approx(shares[0.0])
    assert hit_fraction(curve, 2.0) == pytest.approx(shares[0.0] + shares[1.0])
    assert hit_fraction(curve, 5.0) == pytest.approx(shares[0.0] + shares[1.0] + shares[2.0] + shares[4.0])
    assert hit_fraction(curve_of("csr", REFERENCE), 4.0) == pytest.approx(hit_fraction(curve, 5.0), abs=1e-4)


def brute_force(curve, lines, ways):
    sets = max(lines // ways, 1)
    ways = min(ways, lines)
    total = 0.0
    for low, high, share in zip(curve.low, curve.high, curve.share, strict=True):
        distances = np.arange(low, high + 1)
        total += share * binom.cdf(ways - 1, distances, 1 / sets).mean()
    return total


@given(st.integers(1, 64), st.integers(1, 16))
def test_sets_and_ways_equal_the_sum_over_all_distances(lines, ways):
    assert associative_hit_fraction(SMALL, lines, ways) == pytest.approx(brute_force(SMALL, lines, ways), abs=1e-12)


@pytest.mark.parametrize(("lines", "ways"), [(512, 8), (4096, 8), (4096, 1), (32768, 16), (524288, 16), (1000, 7)])
def test_sets_and_ways_of_a_measured_profile(lines, ways):
    curve = curve_of("list")
    assert associative_hit_fraction(curve, lines, ways) == pytest.approx(brute_force(curve, lines, ways), abs=1e-9)


def test_one_way_keeps_a_line_with_the_chance_that_no_other_took_its_set():
    curve = curve_of_bins([5], [5], [1.0])
    assert associative_hit_fraction(curve, 32, 1) == pytest.approx((1 - 1 / 32) ** 5, rel=1e-12)


@pytest.mark.parametrize("name", ["csr", "list"])
@pytest.mark.parametrize("lines", [1, 8, 512, 4096, 300_000])
def test_one_set_is_fully_associative(name, lines):
    curve = curve_of(name)
    full = hit_fraction(curve, float(lines))
    assert associative_hit_fraction(curve, lines, lines) == pytest.approx(float(full), abs=1e-12)
    assert associative_hit_fraction(curve, lines, 2 * lines) == pytest.approx(float(full), abs=1e-12)


def test_more_ways_come_nearer_to_full_associativity():
    curve = curve_of("list")
    full = float(hit_fraction(curve, 4096.0))
    away = [abs(float(associative_hit_fraction(curve, 4096, ways)) - full) for ways in (1, 2, 4, 8, 64, 512, 4096)]
    assert away == sorted(away, reverse=True)
    assert away[-1] < 1e-12


def test_a_simulated_cache_with_random_sets():
    rng = np.random.default_rng(3)
    sets, ways, distance = 16, 4, 30
    hits = np.mean([np.sum(rng.integers(0, sets, distance) == 0) < ways for _ in range(20_000)])
    curve = curve_of_bins([distance], [distance], [1.0])
    assert associative_hit_fraction(curve, sets * ways, ways) == pytest.approx(hits, abs=0.01)


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 32)), min_size=1, max_size=8))
def test_arrays_of_sets_and_ways(pairs):
    lines, ways = (np.array(values) for values in zip(*pairs, strict=True))
    found = associative_hit_fraction(SMALL, lines, ways)
    one_by_one = [float(associative_hit_fraction(SMALL, a, b)) for a, b in pairs]
    np.testing.assert_array_equal(found, one_by_one)
    assert np.all((found >= 0) & (found <= 1))
    assert np.all(found[lines == 0] == 0)


def test_curves_by_size_of_lines():
    curves = event_rates(thread_of(with_long_lines("csr")), 256, CORRECTED).data_reuse.curves[0]
    assert [curve.line_bytes for curve in curves] == [64, 128]
    assert [curve_for(curves, size).line_bytes for size in (32, 64, 96, 97, 128, 256)] == [64, 64, 64, 128, 128, 128]
    sizes = np.array([64.0, 96.0, 97.0, 128.0])
    found = curve_hits(curves, 500.0, sizes)
    expected = [float(hit_fraction(curve_for(curves, size), 500.0)) for size in sizes]
    np.testing.assert_array_equal(found, expected)


def test_capacity_in_lines():
    np.testing.assert_array_equal(cache_lines(np.array([32768, 100, 0]), np.array([64, 64, 0])), [512, 1, 0])
    assert level_reach(256, 32, 1) == 288
    assert level_reach(256, 32, 0) == 256
    np.testing.assert_allclose(local_hit_fraction(np.array([0.4, 0.0]), np.array([0.1, 0.0])), [0.75, 0.0])


def test_prefetching():
    assert prefetched_latency(36.0, 12.0, 0.0, 100.0) == 36.0
    assert prefetched_latency(36.0, 12.0, 1.0, 100.0) == 12.0
    assert prefetched_latency(36.0, 12.0, 0.5, 10.0) == 31.0
    assert prefetch_traffic(0.3, 0.0, 0.1) == 0.3
    assert prefetch_traffic(0.3, 0.8, 1.0) == 0.3
    assert prefetch_traffic(0.3, 0.5, 0.5) == pytest.approx(0.45)


def test_writing():
    assert missing_stores_write(10.0, 0.3) == (7.0, 3.0, 10.0)
    assert missing_stores_allocate(10.0, 0.5) == (10.0, 5.0, 15.0)
