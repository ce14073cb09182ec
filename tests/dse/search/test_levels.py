"""Levels of bundles: the bounds of larger bundles are those of their rows."""

import numpy as np
import pytest

from dse.search.bundles.levels import Level


@pytest.mark.parametrize("seed", range(20))
def test_the_bounds_of_bundles_are_the_extremes_of_their_rows(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(length) for length in rng.integers(1, 12, 3))
    low = rng.normal(size=shape)
    high = low + rng.random(shape)
    finest = Level.of_rows({"x": low}, shape, {"x": high})
    for atom, rows in enumerate(shape):
        starts = np.unique(np.r_[0, rng.integers(0, rows, rng.integers(1, rows + 1))])
        least, most, _ = finest.merged(atom, starts).bounds["x"]
        parts = [range(begin, end) for begin, end in zip(starts, [*starts[1:], rows], strict=True)]
        wanted = [
            np.stack([extreme(table.take(part, axis=atom), axis=atom) for part in parts], axis=atom)
            for extreme, table in ((np.min, low), (np.max, high))
        ]
        assert np.array_equal(least, wanted[0])
        assert np.array_equal(most, wanted[1])
