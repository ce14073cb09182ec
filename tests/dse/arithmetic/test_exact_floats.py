"""Numbers of every kind become float64 without loss, or not at all."""

import re

import numpy as np
import pytest

from dse.arithmetic.exact_floats import as_float64


def test_E1_numbers_of_every_kind_become_float64():
    kinds = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32]
    for kind in kinds:
        info = np.finfo(kind) if np.dtype(kind).kind == "f" else np.iinfo(kind)
        values = np.array([0, 1, 100, info.max if np.dtype(kind).itemsize < 8 else 2**53], dtype=kind)
        found = as_float64(values)
        assert found.dtype == np.float64
        assert [int(one) if one < 2**60 else float(one) for one in found] == [
            int(one) if one < 2**60 else float(one) for one in values
        ]
    assert as_float64(np.array([True, False])).tolist() == [1.0, 0.0]
    assert as_float64(True).tolist() == 1.0
    assert as_float64(7).tolist() == 7.0
    assert as_float64(10**18).tolist() == 1e18
    assert as_float64([1, 2]).tolist() == [1.0, 2.0]
    assert as_float64(np.array([1.5], dtype=">f8")).dtype.isnative


def test_E1_float64_is_not_copied():
    values = np.arange(5.0)
    assert as_float64(values) is values


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([2**53 + 1]), "is an integer beyond 2**53: 9007199254740993"),
        (np.array([2**60]), "is an integer beyond 2**53"),
        (np.array([-(2**53) - 1]), "is an integer beyond 2**53"),
        (np.array([2**64 - 1], dtype=np.uint64), "is an integer beyond 2**53"),
        (2**53 + 1, "is an integer beyond 2**53"),
        (10**400, "is an integer beyond 2**53: one of 1329 bits"),
        (np.array([1.0], dtype=np.longdouble), "which does not become float64 without loss"),
        (np.array([1j]), "is complex128"),
        (1j, "is complex128"),
        (np.array(["2026-01-01"], dtype="M8[D]"), "is datetime64"),
        (np.array([1], dtype="m8[s]"), "is timedelta64"),
        (np.array([1.0], dtype=object), "is object"),
        (None, "is object"),
        ("text", "is <U4"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "is a masked array"),
    ],
)
def test_E1_what_loses_something_is_refused(value, reason):
    if isinstance(value, np.ndarray) and value.dtype == np.longdouble and value.dtype.itemsize == 8:
        pytest.skip("long doubles are float64 here")
    with pytest.raises(ValueError, match=re.escape(reason)):
        as_float64(value)
