"""Random systems of odd numbers (`tests/odd_problems.py`): every method gives the frontier or refuses."""

import sys
from collections import Counter

import cloudpickle
import pytest
from example_counts import examples
from odd_problems import check


@pytest.mark.slow
@pytest.mark.parametrize("group", range(4))
def test_random_systems_of_odd_numbers_equal_the_definition_or_are_refused(group):
    count = examples(100)
    said = Counter(check(seed) for seed in range(group * count, group * count + count))
    assert said["answered"] > 0.3 * count
    assert said["refused"] > 0.1 * count


def test_some_random_systems_of_odd_numbers():
    assert {check(seed) for seed in range(1000, 1020)} == {"answered", "refused"}


@pytest.mark.slow
def test_systems_of_odd_numbers_are_the_same_on_two_processes(own_workers):
    for name in ("engine_problems", "odd_problems"):
        cloudpickle.register_pickle_by_value(sys.modules[name])
    for seed in range(2000, 2006):
        check(seed, (1, 2))
