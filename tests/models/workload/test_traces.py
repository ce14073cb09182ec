"""Trace tools: closed forms, brute force and the example of the thesis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.workload.locality.traces import (
    COLD,
    heat_map,
    issue_cycles,
    measure_ilp,
    reuse_distances,
    reuse_histogram,
    spans_by_type,
)

CHAIN_THEN_FREE = [[i - 1] if 0 < i < 100 else [] for i in range(1200)]


@pytest.mark.parametrize(
    ("producers", "window", "ilp"),
    [
        ([[]] * 240, 24, 24),
        ([[]] * 240, None, 240),
        ([[i - 1] if i else [] for i in range(50)], None, 1),
        ([[i - 1] if i else [] for i in range(50)], 8, 1),
        ([[i - 2] if i > 1 else [] for i in range(100)], None, 2),
        ([[i - 2] if i > 1 else [] for i in range(100)], 24, 2),
        (CHAIN_THEN_FREE, None, 12),
    ],
)
def test_closed_forms(producers, window, ilp):
    assert len(producers) / measure_ilp(producers, window=window).span == ilp


@pytest.mark.parametrize(
    ("window", "span", "in_order"), [(None, 100, 100), (32, 119, 134), (64, 100, 117), (128, 100, 108)]
)
def test_a_chain_before_free_instructions(window, span, in_order):
    assert measure_ilp(CHAIN_THEN_FREE, window=window).span == span
    if window is not None:
        assert measure_ilp(CHAIN_THEN_FREE, window=window, in_order=True).span == in_order


def test_serial_instructions_issue_one_per_cycle():
    assert list(issue_cycles([[]] * 4, serial=[True] * 4)) == [0, 1, 2, 3]
    assert list(issue_cycles([[], [], [0], []], serial=[False, True, False, True])) == [0, 0, 1, 1]


def test_spans_by_type_count_new_last_cycles():
    assert spans_by_type([0, 0, 2, 1, 2, 3], ["mem", "int", "mem", "mem", "int", "mem"]) == {"mem": 3, "int": 2}
    found = measure_ilp([[], [0], [0], [1]], ["mem", "int", "int", "fp"])
    assert (found.span, found.spans) == (3, {"mem": 1, "int": 1, "fp": 1})


producer_lists = st.integers(1, 60).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, i - 1), max_size=3) if i else st.just([]) for i in range(n)))
)


@given(producer_lists, st.integers(1, 20))
def test_windows_only_slow_down(producers, window):
    spans = [measure_ilp(producers, window=size).span for size in (1, window, None)]
    assert spans[0] == len(producers)
    assert spans[0] >= spans[1] >= spans[2]
    assert measure_ilp(producers, window=window, in_order=True).span >= spans[1]
    assert len(producers) / spans[1] <= window
    cycles = issue_cycles(producers, window=window)
    assert all(cycles[i] > cycles[j] for i, sources in enumerate(producers) for j in sources)
    assert np.bincount(cycles).max() <= window


def test_impossible_traces():
    with pytest.raises(InputError, match="instruction 1 depends on 1; allowed: 0 to 0"):
        issue_cycles([[], [1]])
    with pytest.raises(InputError, match="window = 0; allowed: a whole number >= 1, or None"):
        issue_cycles([[]], window=0)
    assert measure_ilp([]).span == 0


def brute_force(lines):
    found = []
    for place, line in enumerate(lines):
        before = [i for i in range(place) if lines[i] == line]
        found.append(len(set(lines[before[-1] + 1 : place])) if before else COLD)
    return found


@given(st.lists(st.integers(0, 600), max_size=80), st.sampled_from([1, 16, 64]))
def test_reuse_distances_against_brute_force(addresses, line):
    lines = [address // line for address in addresses]
    assert list(reuse_distances(addresses, line)) == brute_force(lines)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=120))
def test_a_histogram_gives_the_hits_of_a_cache(lines):
    """At bin limits the corrected curve is what an LRU cache does; the reference curve is one line too lucky."""
    histogram = reuse_histogram(lines, 1)
    distances = np.array(brute_force(lines))
    for capacity in (1, 2, 3, 5, 9, 17, 33):
        recent, hits = [], 0
        for line in lines:
            hits += line in recent
            recent = ([line, *(other for other in recent if other != line)])[:capacity]
        assert histogram.hit_fraction(capacity) == pytest.approx(hits / len(lines))
        assert ((distances != COLD) & (distances < capacity)).sum() == hits
    assert histogram.cold_fraction == pytest.approx(len(set(lines)) / len(lines))


def random_access(rng, increment):
    """The algorithm of Anghel 2017, Listing 3.1, with and without the increment it prints."""
    addresses = []
    for _ in range(3000):
        first = (rng.random(15) * 90).astype(int)
        addresses += [*(4 * first), *(4 * (first + 10 + (np.arange(15) if increment else 0)))]
    return addresses


OFFSETS = np.arange(-400, 401, 4)


def test_heat_map_of_the_published_example():
    found = heat_map(random_access(np.random.default_rng(1), False), 4, OFFSETS, [14, 15, 16])
    peak = found[1][list(OFFSETS).index(40)]
    assert peak == pytest.approx(0.50, abs=0.01)
    found[1][list(OFFSETS).index(40)] = 0
    assert found.max() < 0.013


def test_heat_map_with_the_printed_inequalities():
    found = heat_map(random_access(np.random.default_rng(1), False), 4, OFFSETS, [15], as_printed=True)[0]
    assert found[list(OFFSETS).index(44)] == pytest.approx(0.51, abs=0.01)


def test_heat_map_with_the_printed_increment():
    found = heat_map(random_access(np.random.default_rng(1), True), 4, OFFSETS, [15, 16])
    smeared = found[0][(OFFSETS >= 40) & (OFFSETS <= 96)]
    assert smeared == pytest.approx(0.037, abs=0.004)
    assert found[1].max() < 0.02


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), min_size=2, max_size=25),
    st.integers(-12, 12),
    st.booleans(),
)
def test_heat_map_against_the_definition(accesses, offset, closed):
    lag = 1
    pairs = list(zip(accesses, accesses[lag:], strict=False))
    bytes_of = [(set(range(a + offset, a + offset + n)), set(range(b, b + m))) for (a, n), (b, m) in pairs]
    if closed:
        hits = sum(a + n + offset >= b and a + offset <= b + m for (a, n), (b, m) in pairs)
    else:
        hits = sum(bool(first & second) for first, second in bytes_of)
    addresses, sizes = zip(*accesses, strict=True)
    found = heat_map(addresses, sizes, [offset], [lag], as_printed=closed)
    assert found[0, 0] == pytest.approx(hits / len(pairs))


def test_heat_map_of_too_long_a_lag():
    with pytest.raises(InputError, match="lag 3; allowed: 1 to 2"):
        heat_map([0, 4, 8], 4, [0], [3])
