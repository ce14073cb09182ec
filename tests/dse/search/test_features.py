"""Random searches of every feature (`tests/searched_features.py`); `python -m benchmarks random-searches` has more."""

import pytest
from searched_features import FEATURES


@pytest.mark.parametrize("feature", FEATURES)
def test_random_searches_of_a_feature_equal_brute_force(feature):
    assert sum(FEATURES[feature](seed) for seed in range(8)) > 0
