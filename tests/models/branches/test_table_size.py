"""Misprediction rate by the size of a predictor's table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.branches.max_outcome import max_outcome_miss_rate
from dse.models.branches.table_size import table_miss_rate, table_range_factor

MEASURED = {1024: 0.045, 4096: 0.030}
curves = st.dictionaries(st.integers(0, 20).map(lambda power: 2**power), st.floats(0.0, 0.5), min_size=1, max_size=6)


def test_between_two_tables_by_hand():
    """Half way in log2; outside the nearest one; never below an unlimited table."""
    found = table_miss_rate(MEASURED, [256, 1024, 2048, 4096, 16384], 0.024)
    assert found.tolist() == pytest.approx([0.045, 0.045, 0.0375, 0.030, 0.030], rel=1e-12)
    assert table_miss_rate(MEASURED, 16384, 0.035).item() == 0.035
    assert table_range_factor(MEASURED, [256, 1024, 2048, 4096, 16384]).tolist() == [4, 1, 1, 1, 4]


@given(curves, st.floats(0.0, 0.5))
def test_a_larger_table_never_misses_more(rates, unlimited):
    sizes = [2**power for power in range(24)]
    found = table_miss_rate(rates, sizes, unlimited)
    assert all(after <= before for before, after in itertools.pairwise(found))
    assert (found >= unlimited).all()
    assert found.max() <= max(unlimited, *rates.values())


@given(curves)
def test_measured_tables_have_their_rate_where_none_rises(rates):
    falling = dict(zip(sorted(rates), sorted(rates.values(), reverse=True), strict=True))
    np.testing.assert_array_equal(table_miss_rate(falling, list(falling)), list(falling.values()))


def test_what_lies_between_measured_tables_of_a_trace():
    """A predictor measured at 16, 256 and 4,096 entries: what it misses at those between lies between."""
    rng = np.random.default_rng(5)
    outcomes = (rng.random(40_000) < 0.5 + 0.45 * np.sin(np.arange(40_000) / 7.0)).astype(int)
    rate = {size: max_outcome_miss_rate(outcomes, 12, table=size) for size in (16, 64, 256, 1024, 4096)}
    whole = max_outcome_miss_rate(outcomes, 12)
    told = table_miss_rate({size: rate[size] for size in (16, 256, 4096)}, [64, 1024], whole)
    assert rate[16] >= told[0] >= rate[256] >= told[1] >= rate[4096]
    assert told == pytest.approx([rate[64], rate[1024]], abs=0.05)


@pytest.mark.parametrize("entries", [0, 3, 1000, -2, 0.5, math.nan, math.inf])
def test_sizes_that_are_no_powers_of_two_are_refused(entries):
    with pytest.raises(InputError, match=r"branch_table: a table of .* entries; allowed: a power of two"):
        table_miss_rate(MEASURED, [1024, entries])
