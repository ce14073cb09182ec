"""Rows M5 to M7 for traces: refused by name, without a warning of NumPy."""

import warnings

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.replay import classify, read_trace, traffic_of_matrix
from dse.models.replay.network.network import Network
from dse.models.replay.trace import assembling


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: traffic_of_matrix([["a", "b"], ["c", "d"]]), "the matrix is .*; allowed: rows of numbers"),
        (lambda: traffic_of_matrix([["0", "8"], ["8", "0"]]), "the matrix is"),
        (lambda: traffic_of_matrix([[0, 1], [2]]), "the matrix is"),
        (
            lambda: traffic_of_matrix([[0, 1e308], [1e308, 0]]),
            "row 0 column 1: 1e.308; allowed: bytes from 0 to 1e.100",
        ),
        (lambda: classify(np.ones((3, 3))), "traffic: the traffic is"),
        (lambda: Network(latency=0.0, overhead=0.0, bandwidth=1e-320), "network.bandwidth"),
    ],
)
def test_M5_M6_what_is_no_traffic_is_refused_by_name(asked, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=words):
            asked()


def test_M6_the_largest_matrix_has_a_pattern():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert classify(traffic_of_matrix([[0, 1e100, 0], [0, 0, 1e100], [1e100, 0, 0]])).name == "shift"


@pytest.mark.parametrize(
    ("value", "words"), [(-1.0, "row 1: rank: -1"), (-7.0, "row 1: rank: -7"), (np.nan, "row 1: rank: missing")]
)
def test_M7_a_rank_of_minus_1_is_not_missing(value, words):
    with pytest.raises(InputError, match=words):
        assembling._first(assembling._whole("rank", np.array([0.0, value])))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_rate_of_flops_is_above_0_whatever_the_format(tmp_path, rate):
    trace = tmp_path / "rank.0.json"
    trace.write_text('{"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 1, "type": 4, "name": "k", "num_ops": 5}]}')
    for file in (trace, "stencil-9"):
        with pytest.raises(InputError, match=r"flop_rate: .*; allowed: flops per second > 0"):
            read_trace(file, flop_rate=rate)
