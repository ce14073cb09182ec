"""Compression of checkpoints: sizes counted bit by bit, limits, the published points, and studies that use them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.models.resilience.claims.compression import FIGURES, compressors
from dse.models.resilience.compression import (
    compression_ratio_with_refreshes,
    index_coded_ratio,
    index_coded_share,
    mean_error_of_tolerance,
    ratio_of_tolerance,
)

FUNCTIONS = [f for f in load_model("resilience").functions if f.module == "resilience.compression"]
LIMITS = {
    "compression_ratio": (1.0, 8.0),
    "index_coded_share_of_values": (0.0, 1.0),
    "index_bits": (6.0, 12.0),
    "value_bits": (32.0, 64.0),
    "values_per_table": (1e4, 1e6),
    "full_checkpoint_interval": (1.0, 20.0),
    "compression_tolerance": (0.0, 0.01),
}


def counted_ratio(coded, bits, width):
    """Original over compressed size, bits of one value after the other and those of the table at the end."""
    size = 0
    for one in coded:
        size += bits if one else width
    for _ in range(2**bits):
        size += width
    return len(coded) * width / size


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(1, 10), st.sampled_from([32, 64]))
def test_the_size_of_an_index_code_is_what_counting_bits_gives(coded, bits, width):
    share = sum(coded) / len(coded)
    found = index_coded_ratio(share, bits, value_bits=width, values=len(coded))
    assert float(found) == pytest.approx(counted_ratio(coded, bits, width), rel=1e-12)


@given(st.floats(1.0, 20.0), st.integers(1, 60))
def test_the_mean_ratio_is_of_all_bytes_of_a_cycle_of_checkpoints(ratio, interval):
    written = sum(1.0 if number == 0 else 1.0 / ratio for number in range(interval))
    assert float(compression_ratio_with_refreshes(ratio, interval)) == pytest.approx(interval / written, rel=1e-12)


def test_refreshes_take_all_or_nothing_at_their_ends():
    assert float(compression_ratio_with_refreshes(4.7, 1)) == 1.0
    assert float(compression_ratio_with_refreshes(4.7, np.inf)) == pytest.approx(4.7, rel=1e-15)
    means = compression_ratio_with_refreshes(4.7, np.arange(1, 50))
    assert (np.diff(means) > 0).all()


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(1, 16), st.floats(1.0, 1e9))
def test_a_code_gains_with_what_it_codes_and_never_beyond_its_limit(one, other, bits, values):
    low, high = sorted((one, other))
    less, more = (float(index_coded_ratio(share, bits, values=values)) for share in (low, high))
    assert less <= more * (1 + 1e-15)
    assert more <= 64 / bits * (1 + 1e-15)
    assert more <= float(index_coded_ratio(high, bits)) * (1 + 1e-15)


@given(st.floats(1.0, 6.0), st.integers(1, 10), st.floats(1e4, 1e9))
def test_the_share_that_a_ratio_needs_gives_that_ratio(ratio, bits, values):
    share = index_coded_share(ratio, bits, values=values)
    if share > 1.0:  # no share reaches the ratio
        with pytest.raises(InputError, match=r"'share' is 1\.\d*; allowed: 0 or more, at most 1"):
            index_coded_ratio(share, bits, values=values)
        return
    share = np.maximum(share, 0.0)  # rounding at a ratio of 1
    assert float(index_coded_ratio(share, bits, values=values)) == pytest.approx(ratio, rel=1e-9)


def test_shares_needed_for_published_ratios():
    assert index_coded_share(np.array([2.1, 2.98, 4.7])).tolist() == pytest.approx([0.5986, 0.7593, 0.8997], abs=5e-5)
    assert [float(index_coded_ratio(1.0, bits)) for bits in (8, 9, 10)] == pytest.approx([8, 64 / 9, 6.4])
    assert float(index_coded_share(8.1)) > 1.0


@pytest.mark.parametrize(
    ("tolerance", "ratio", "error"),
    [(0.001, 2.1, 0.0002), (0.005, 4.7, 0.0012), (0.003, 3.4, 0.0007), (0.0005, 2.1, 0.0001), (0.02, 4.7, 0.0012)],
)
def test_ratio_and_error_of_a_tolerance(tolerance, ratio, error):
    assert float(ratio_of_tolerance(tolerance)) == pytest.approx(ratio, rel=1e-12)
    assert float(mean_error_of_tolerance(tolerance)) == pytest.approx(error, rel=1e-12)


@given(st.floats(0.0, 0.1), st.floats(0.0, 0.1))
def test_a_larger_tolerance_never_costs_more_and_its_mean_error_is_within_it(one, other):
    low, high = sorted((one, other))
    assert ratio_of_tolerance(low) <= ratio_of_tolerance(high)
    assert mean_error_of_tolerance(low) <= mean_error_of_tolerance(high) <= high


def test_wide_indices_cap_the_ratio():
    assert float(ratio_of_tolerance(0.005, 16)) == 4.0
    assert float(ratio_of_tolerance(0.001, 16)) == 2.1


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_shapes_and_arguments(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


def test_rows_of_one_compressor_are_its_range():
    table = compressors()
    assert (table["compression_ratio"] >= 1.0).all()
    for name in set(table["scheme"]):
        rows = table.where(scheme=name)
        ends = dict(zip(rows["case"], rows["compression_ratio"], strict=True))
        if {"least", "most"} <= set(ends):
            assert ends["least"] < ends["most"]
    assert set(table.where(case="only")["scheme"]) == {"none", "fpzip"}


@pytest.mark.parametrize(
    ("claim", "rows"),
    [
        ("compression ratio of FPC", ("FPC least", "FPC most")),
        ("compression ratio of ISOBAR", ("ISOBAR least", "ISOBAR most")),
        ("compression ratio of PRIMACY", ("PRIMACY least", "PRIMACY most")),
        ("compression ratio of ALACRITY", ("ALACRITY least", "ALACRITY most")),
        ("compression ratio of climate data (CC), at most", ("climate most",)),
        ("compression ratio of IOFSL, about", ("IOFSL table",)),
        ("compression ratio of the BLCR study, at most", ("BLCR most",)),
        ("compression ratio of Active Flash, about", ("Active Flash most",)),
        ("compression ratio of ISABELA, at most", ("ISABELA most",)),
        ("compression ratio of fpzip", ("fpzip",)),
        ("compression ratio of APAX", ("APAX least", "APAX most")),
        ("compression ratio of clustering, least", ("clustering least",)),
        ("compression ratio of clustering, most: all values coded with 8 bits", ("clustering most",)),
        ("compression ratio at a tolerance of 0.1 % and 0.5 %", ("clustering 0.1 %", "clustering 0.5 %")),
    ],
)
def test_the_catalogue_has_what_was_published(claim, rows):
    """Each figure stands in the catalogue, for studies, and among the claims, as it was printed."""
    table, published = compressors(), FIGURES.value(claim)
    found = tuple(float(table.where(name=name)["compression_ratio"][0]) for name in rows)
    assert found == (published if isinstance(published, tuple) else (published,))


STUDY = {
    "name": "checkpoint-size",
    "models": ["resilience"],
    "objectives": [{"minimize": "compressed_share"}],
}


def test_a_row_of_the_catalogue_is_the_ratio():
    study = Study({**STUDY, "space": {"axes": {"compressor": {"part": "resilience/compression.csv"}}}})
    assert study.evaluate({"compressor": "PRIMACY most"})["compressed_share"] == pytest.approx(1 / 2.16)
    assert study.evaluate({"compressor": "none"})["compressed_share"] == 1.0


def by_tolerance(**values):
    given_ = {"full_checkpoint_interval": 10} | values
    axes = {"compression_tolerance": {"values": [0.0005, 0.003]}}
    use = {"compression": "tolerance"}
    also = ["compression_ratio", "incremental_compression_ratio", "compression_mean_error"]
    return Study({**STUDY, "also": also, "use": use, "set": given_, "space": {"axes": axes}})


def test_a_tolerance_gives_ratio_and_error_and_marks_what_was_not_published():
    found = by_tolerance().evaluate({"compression_tolerance": 0.003})
    assert found["incremental_compression_ratio"] == pytest.approx(3.4)
    assert found["compression_ratio"] == pytest.approx(10 / (1 + 9 / 3.4))
    assert found["compression_mean_error"] == pytest.approx(0.0007)
    frontier = by_tolerance().run().frontier
    assert len(frontier) == 1
    outside = Study(by_tolerance().document | {"space": {"axes": {"compression_tolerance": {"values": [0.0005]}}}})
    assert outside.run().frontier["extrapolated"].str.contains("compression_tolerance").all()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"full_checkpoint_interval": 0}, ("full_checkpoint_interval", "1")),
        ({"full_checkpoint_interval": 2.5}, ("full_checkpoint_interval", "whole")),
        ({"index_bits": 0}, ("index_bits",)),
    ],
)
def test_wrong_values_are_refused_by_name(values, words):
    with pytest.raises(InputError) as refused:
        by_tolerance(**values).evaluate({"compression_tolerance": 0.003})
    assert all(word in str(refused.value) for word in words)


def test_an_unknown_source_of_the_ratio_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="tolerance"):
        Study({**STUDY, "use": {"compression": "tolerances"}, "space": by_tolerance().document["space"]}).evaluate({})
