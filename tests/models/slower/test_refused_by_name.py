"""Rows M5 to M7 for the hiding of latency: refused by name, or the limit, without a warning of NumPy."""

import warnings

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.slower import node_rate, work_of_mix, work_of_thread


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            lambda: node_rate(work_of_mix(0.08, 0.24), latency=3e-6),
            "latency: 3e-06 cycles; allowed: cycles, 0 or from 1",
        ),
        (lambda: node_rate(work_of_mix(0.08, 0.24), latency=[8192, 0.5]), "latency: 0.5 cycles"),
        (lambda: node_rate(work_of_mix(0.08, 0.24), latency=[1, 2], tasks=[1, 2, 3]), "'latency' has the shape"),
        (lambda: work_of_mix(0.08, 0.24, memory_service_cycles=1e300), "memory_service_cycles: 1e.300"),
        (lambda: work_of_thread(1e300, 0.1, 1.0, 0.1), "cycles_per_instruction: 1e.300"),
        (
            lambda: work_of_mix(0.08, 0.24, register_cycles=0, l1_cycles=0, l2_cycles=0, memory_service_cycles=0),
            "register_cycles: an instruction of the mix takes no cycles",
        ),
        (lambda: node_rate(work_of_mix("a", 0.24), latency=10), "network_fraction: 'a' is no number"),
        (lambda: node_rate(work_of_mix(None, 0.24), latency=10), "network_fraction: None is no number"),
    ],
)
def test_M5_M6_M7_nonsense_is_refused_by_name(asked, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=words):
            asked()


def test_M6_the_largest_that_is_taken_gives_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        work = work_of_mix(0.08, 0.24, memory_service_cycles=1e100)
        found = node_rate(work, latency=1e100, overhead=1e100, tasks=4, cores=3)
        assert np.isfinite(found.core_rate)
        assert node_rate(work_of_mix(0.08, 0.24), latency=0.0).core_rate > 0.0
