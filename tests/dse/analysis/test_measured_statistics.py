"""The statistics of measured beside computed values: figures worked out by hand, ties, what is not defined."""

import statistics as plain

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.analysis.measured.statistics import correlation, order_is_lost, ranks, statistics
from dse.errors import InputError

M, C = [10, 20, 40, 15, 30, 60], [9, 22, 38, 20, 27, 75]
GOLDEN = {
    "mean_absolute_percentage_error": (15.555556, 8.333333, 22.777778),
    "mean_accuracy": (84.444444, 91.666667, 77.222222),
    "max_accuracy": (95.0, 95.0, 90.0),
    "min_accuracy": (66.666667, 90.0, 66.666667),
    "bias": (7.222222, -1.666667, 16.111111),
    "error_standard_deviation": (18.698386, 10.408330, 22.993558),
    "absolute_error_standard_deviation": (11.038653, 2.886751, 11.824331),
    "median_absolute_percentage_error": (10.0, 10.0, 25.0),
    "geometric_mean_ratio": (1.059030, 0.979760, 1.144714),
    "pearson": (0.972315, 0.991501, 0.976698),
    "pearson_log": (0.970815, 0.990450, 0.953751),
    "spearman": (1.0, 1.0, 1.0),
}


@pytest.mark.parametrize(("part", "rows"), [(0, slice(None)), (1, slice(0, 3)), (2, slice(3, 6))])
def test_golden_rows(part, rows):
    told = statistics(M[rows], C[rows])
    for key, wanted in GOLDEN.items():
        assert told[key] == pytest.approx(wanted[part], abs=5e-7), key
    assert told["within"]["0.2"] == pytest.approx((4 / 6, 1.0, 1 / 3)[part])


def test_golden_scaling_and_names():
    told = statistics(M, C, rows=[11, 12, 13, 14, 15, 16], limit=0.3)
    assert told["mape_after_scaling"] == pytest.approx(22.953216, abs=5e-7)
    assert told["worst"] == [14, 16, 11], "of equal errors the first"
    assert (told["max_accuracy_row"], told["min_accuracy_row"]) == (13, 14)
    assert told["within"] == pytest.approx({"0.05": 1 / 6, "0.1": 4 / 6, "0.2": 4 / 6, "0.5": 1.0, "0.3": 5 / 6})


def test_ties_have_mean_ranks():
    told = statistics([1, 2, 2, 4], [1, 3, 2, 2])
    assert told["spearman"] == pytest.approx(0.5)
    assert told["pearson"] == pytest.approx(0.324443, abs=5e-7)
    assert ranks([3, 1, 3, 3]).tolist() == [3.0, 1.0, 3.0, 3.0]


def test_small_errors_and_a_lost_order():
    # Energy of Hydro, strong scaling (Shoukourian et al. 2014, Table 1, the two figures of 285 nodes exchanged).
    measured = [7.5, 7.7, 7.3, 7.4, 7.5, 7.5, 7.7, 7.7]
    told = statistics(measured, [7.7, 7.6, 7.5, 7.5, 7.5, 7.4, 7.3, 7.3])
    assert told["mean_absolute_percentage_error"] == pytest.approx(2.4724, abs=5e-5)
    assert told["bias"] == pytest.approx(-0.7830, abs=5e-5)
    assert 100 - told["min_accuracy"] == pytest.approx(5.1948, abs=5e-5)
    assert told["pearson"] == pytest.approx(-0.3586, abs=5e-5)
    assert told["spearman"] == pytest.approx(-0.3355, abs=5e-5)
    assert told["relative_spread"] == pytest.approx(2.0, abs=0.05)
    assert order_is_lost(told)
    assert not order_is_lost(statistics(M, C))
    assert not order_is_lost(statistics(measured[:2], measured[:2])), "no order of two"


def test_what_is_not_defined():
    none = statistics([], [])
    assert none["n"] == 0
    assert {key for key, value in none.items() if value is None} > {"bias", "spearman", "mape_after_scaling"}
    one = statistics([2.0], [1.0])
    assert one["error_standard_deviation"] is None
    assert one["mean_accuracy"] == 50.0
    assert statistics([1, 1, 1], [1, 2, 3])["pearson"] is None
    assert statistics([1, 2, 3], [4, 4, 4])["spearman"] is None
    assert statistics([1, 2], [1, 2])["spearman"] is None
    assert statistics([1, 2, 4], [1, 0, 4])["mape_after_scaling"] is None


def test_zero_and_negative_measured_values():
    told = statistics([0.0, 10.0, -4.0], [1.0, 12.0, -5.0])
    assert (told["n"], told["without_error"], told["not_in_logarithms"]) == (3, 1, 2)
    assert told["mean_absolute_error"] == pytest.approx(4 / 3), "the only figure that counts all rows"
    assert told["mean_absolute_percentage_error"] == pytest.approx(22.5)
    assert told["geometric_mean_ratio"] == pytest.approx(1.2)
    assert told["pearson_log"] is None


def test_wrong_shapes_are_refused():
    for measured, computed in (([1, 2], [1]), ([[1]], [[1]]), ([1, np.nan], [1, 2])):
        with pytest.raises(InputError, match="finite numbers, as many of both"):
            statistics(measured, computed)


POSITIVE = st.floats(1e-6, 1e6)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=3, max_size=12))
def test_against_the_definitions_one_row_at_a_time(pairs):
    """A second way, which shares nothing: loops, and the library of Python."""
    m, c = map(list, zip(*pairs, strict=True))
    told = statistics(m, c)
    errors = [(b - a) / a for a, b in pairs]
    assert told["mean_absolute_percentage_error"] == pytest.approx(100 * plain.fmean(map(abs, errors)))
    assert told["error_standard_deviation"] == pytest.approx(100 * plain.stdev(errors), rel=1e-9, abs=1e-9)
    assert told["geometric_mean_ratio"] == pytest.approx(plain.geometric_mean([b / a for a, b in pairs]))
    left = []
    for k in range(len(m)):
        scale = plain.median(a / b for j, (a, b) in enumerate(pairs) if j != k)
        left.append(abs(scale * c[k] - m[k]) / m[k])
    assert told["mape_after_scaling"] == pytest.approx(100 * plain.fmean(left), rel=1e-9)
    order = [[sum(x < one for x in xs) + (sum(x == one for x in xs) + 1) / 2 for one in xs] for xs in (m, c)]
    assert ranks(m).tolist() == order[0]
    if len(set(m)) > 1 and len(set(c)) > 1:
        assert told["spearman"] == pytest.approx(plain.correlation(*order), abs=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(POSITIVE, min_size=3, max_size=9, unique=True), st.floats(0.1, 10.0))
def test_a_scale_is_no_error_of_shape(values, scale):
    told = statistics(values, [scale * one for one in values])
    assert told["mape_after_scaling"] == pytest.approx(0.0, abs=1e-9)
    assert told["geometric_mean_ratio"] == pytest.approx(scale)
    assert told["spearman"] is None or told["spearman"] == pytest.approx(1.0)


def test_correlation_of_very_large_and_very_small_values():
    assert correlation([1e200, 2e200, 4e200], [1e-200, 2e-200, 4e-200]) == pytest.approx(1.0)
