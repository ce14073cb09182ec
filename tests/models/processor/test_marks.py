"""What a study may not take on trust is marked: threads that wait, latencies out of order, lines of another size."""

import pytest

from .small_studies import marks, small_study

CSR = "graph500-seq-csr"
UNREAD = ("miss_registers", "l1_bandwidth", "l3_bandwidth", "dram_bandwidth", "dispatch_width", "branch_factor")
UNREAD += ("vector_units",)
"""What the model of independent events does not read."""


def marked(axes, use=None, **changes):
    return marks(small_study(CSR, axes, use, **changes))


def test_threads_that_wait_for_a_core_are_marked():
    assert marked({"threads": [7, 14, 15]}) == ["", "", "threads_per_core"]


@pytest.mark.parametrize(
    ("use", "changes"),
    [({}, {}), ({"processor_model": "independent"}, dict.fromkeys(UNREAD))],
    ids=["interaction", "independent"],
)
def test_latencies_that_fall_from_level_to_level_are_marked(use, changes):
    """Level 3 answers after 13.85 ns, so a memory that answers before was given as an increment."""
    found = marked({"dram_latency": [10e-9, 13e-9, 14e-9, 83e-9]}, use, **changes)
    assert found == ["latency_out_of_order", "latency_out_of_order", "", ""]


def test_the_latency_of_a_missing_level_does_not_count():
    assert marked({"l2_size": [0.0, 2.0**18], "l2_latency_cycles": [1, 12]}) == ["", "", "latency_out_of_order", ""]
    assert marked({"l3_size": [0.0, 2.0**25], "l3_latency": [1e-9, 14e-9]}) == ["", "", "latency_out_of_order", ""]


def test_clocks_too_slow_for_latencies_in_cycles_are_marked():
    """Level 2 takes 12 cycles at any clock, level 3 13.85 ns: below 0.87 GHz it would answer first."""
    assert marked({"frequency": [0.8e9, 0.9e9, 2.6e9]}) == ["latency_out_of_order", "", ""]


def test_lines_of_another_size_than_those_of_the_profile_are_marked():
    """Graph 500 was profiled with lines of 64 B, the synthetic program with 64 and 128 B."""
    axes = {"l1_size": [2.0**15]}
    assert [marked(axes, cache_line=line) for line in ("63 B", "64 B", "128 B")] == [
        ["line_mismatch"],
        [""],
        ["line_mismatch"],
    ]
    two = small_study("synthetic-dense", axes, {"branch_estimate": "constant"}, cache_line="128 B")
    assert marks(two) == [""]
