"""Arrays on the page: what is read back is what was written, in few bytes."""

import base64
import json
import math

import numpy as np
import pytest

from dse.report.html.tags import safe_json
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_array, encode_view

TYPES = {"f32": "<f4", "f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8"}


def decoded(packed):
    if "c" in packed:
        return np.full(packed["n"], np.nan if packed["c"] is None else packed["c"])
    raw = base64.b64decode(packed["b"])
    if packed["t"] == "bits":
        bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[: packed["n"] * packed["w"]]
        places = 2 ** np.arange(packed["w"], dtype=np.uint64)
        return bits.reshape(packed["n"], packed["w"]).astype(np.uint64) @ places
    return np.frombuffer(raw, dtype=TYPES[packed["t"]])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u8"),
        ([0, 256], "u16"),
        ([0, 65_536], "u32"),
        ([3, 2**32], "u64"),
        ([3, 2**62], "u64"),
    ],
)
def test_whole_numbers_take_the_smallest_type(values, kind):
    packed = encode_array(np.array(values, dtype=np.int64))
    assert packed["t"] == kind
    assert decoded(packed).tolist() == values


@pytest.mark.parametrize(("largest", "width"), [(1, 1), (4, 3), (300, 9), (2**20, 21), (2**33, 34), (2**53 - 1, 53)])
def test_many_whole_numbers_take_no_more_bits_than_the_largest_needs(largest, width):
    values = np.random.default_rng(width).integers(0, largest, 5001, endpoint=True)
    values[7] = largest
    packed = encode_array(values)
    assert (packed["t"], packed["w"], packed["n"]) == ("bits", width, 5001)
    assert len(base64.b64decode(packed["b"])) == -(-5001 * width // 8)
    assert decoded(packed).tolist() == values.tolist()


@pytest.mark.parametrize(("largest", "kind"), [(255, "u8"), (65_535, "u16"), (2**32 - 1, "u32"), (2**53, "u64")])
def test_many_whole_numbers_that_gain_nothing(largest, kind):
    packed = encode_array(np.array([0, largest] * 3000))
    assert packed["t"] == kind
    assert decoded(packed).tolist() == [0, largest] * 3000


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_floats(kind):
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=20), [np.nan, np.inf, -np.inf]])
    assert encode_array(values, kind)["t"] == kind
    np.testing.assert_allclose(decoded(encode_array(values, kind)), values, rtol=1e-6 if kind == "f32" else 0)


@pytest.mark.parametrize(
    ("values", "constant"), [(np.full(9, 2.5), 2.5), (np.full(4, np.nan), None), (np.zeros(3, np.uint8), 0)]
)
def test_constants_are_written_once(values, constant):
    assert encode_array(values) == {"n": len(values), "c": constant}


def test_constant_infinity_is_no_json_number():
    packed = encode_array(np.full(2, math.inf))
    assert decoded(packed).tolist() == [math.inf] * 2


def test_empty():
    assert decoded(encode_array(np.zeros(0))).tolist() == []
    assert decoded(encode_array(np.zeros(0, np.int64))).tolist() == []


def test_whole_record(runs):
    """It is JSON, and the numbers of the frontier keep every digit."""
    run = runs("hybrid-xeon-sp")
    document = json.loads(safe_json(encode_view(page_view(run))))
    energy = next(o for o in document["objectives"] if o["quantity"] == "energy")
    assert decoded(energy["front"]).tolist() == run.frontier["energy"].tolist()
    assert document["rows"] == {"drawn": 216, "frontier": 13, "details": 216}
    assert document["single"] is False
    assert decoded(document["kinds"]).tolist() == page_view(run).kinds.tolist()
