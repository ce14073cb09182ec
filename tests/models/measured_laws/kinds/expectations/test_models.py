"""The project's own models grow as they should, from 2^4 to 2^20 processes."""

import time

import numpy as np
import pytest

from dse.models.collectives import cost
from dse.models.network.parts.parts import network_parts

COLLECTIVES = {
    ("barrier", "dissemination"): "log p",
    ("bcast", "binomial"): "log p",  # the litmus test: the chain of fits, judged by a closed form
    ("bcast", "flat"): "p",
    ("bcast", "chain"): "p",
    ("reduce", "binomial"): "log p",
    ("allreduce", "butterfly"): "log p",
    ("allreduce", "rabenseifner"): "log p",
    ("allreduce", "ring_allreduce"): "p",
    ("scan", "scan_dissemination"): "log p",
    ("gather", "flat_pers"): "p",
    ("allgather", "ring_allgather"): "p",
    ("alltoall", "pairwise"): "p",
    ("alltoall", "bruck_alltoall"): "p log p",
    ("reduce_scatter", "reduce_scatter_halving"): "p",
}
EDGES = np.array([4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 100])
"""Even edges of cubes, so that the bisection is exact."""


def collective(operation, algorithm):
    size = 0 if operation == "barrier" else 8
    return lambda p: cost(algorithm, operation, p, size).time


@pytest.mark.parametrize(("operation", "algorithm"), COLLECTIVES)
def test_times_of_collectives(assert_growth, operation, algorithm):
    assert_growth(collective(operation, algorithm), COLLECTIVES[operation, algorithm], match=["exact"])


def test_guidelines_of_the_best_known_algorithms(assert_rule):
    models = {
        "allreduce": collective("allreduce", "butterfly"),
        "reduce": collective("reduce", "binomial"),
        "bcast": collective("bcast", "binomial"),
        "allgather": collective("allgather", "ring_allgather"),
        "gather": collective("gather", "flat_pers"),
        "ring": collective("allreduce", "ring_allreduce"),
    }
    assert_rule(models, "allreduce <= reduce + bcast")
    assert_rule(models, "allgather <= gather + bcast")
    with pytest.raises(AssertionError):  # a ring pays for small messages what it saves for large ones
        assert_rule(models, "ring <= reduce + bcast")


def test_bisection_of_a_cubic_torus(assert_growth):
    def bisection(topology, **sizes):
        parts = [network_parts(topology, {name: value[place] for name, value in sizes.items()}) for place in range(11)]
        assert all(np.all(one.bisection_exact) for one in parts)
        return [float(one.bisection_bandwidth) for one in parts]

    cubes = [[int(edge)] * 3 for edge in EDGES]
    common = {"p": [1] * 11, "b0": [1e12] * 11, "b": [[1.0] * 3] * 11}
    ways = bisection("torus", d=cubes, **common)
    assert ways == [2.0 * edge**2 for edge in EDGES]
    assert_growth(ways, "p^(2/3)", sizes=EDGES**3, match=["exact"], larger_is_better=True)
    full = bisection("hyperx", d=cubes, **common)
    assert_growth(full, "p^(4/3)", sizes=EDGES**3, match=["exact"], larger_is_better=True)


def test_bisection_of_a_full_fat_tree(assert_growth):
    even = [2**power for power in range(2, 11)]
    shapes = [{"m1": m, "m2": m, "w1": m, "b0": 1e9, "b1": 1e9} for m in even]
    ways = [float(network_parts("fat-tree-2-level", shape).bisection_bandwidth) for shape in shapes]
    assert_growth(ways, "p", sizes=[m * m for m in even], match=["exact"], larger_is_better=True)


def test_fifty_expectations_take_a_second_of_the_processor(assert_growth):
    begun = time.process_time()
    for count in range(50):
        assert_growth(lambda p, count=count: (count + 1.0) + p ** (2 / 3), "p^(2/3)", match=["exact"])
    assert time.process_time() - begun < 3.0  # 0.6 s alone; the machine of a test may be slower, and busy
