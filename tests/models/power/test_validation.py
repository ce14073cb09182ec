"""The published figures of power, and how good interpolation in the tables is."""

import numpy as np

from dse.authoring.library.claims import counts
from dse.models.power.claims.interpolation import left_out
from dse.models.power.claims.published import claims

CLAIMS = claims()


def test_counts():
    found = counts(CLAIMS)
    assert found["pass"] >= 180
    assert found["fitted"] == 0


def test_rows_left_out():
    records = left_out()
    assert all(len(record.errors) >= 3 for record in records)
    assert all(np.isfinite(record.errors).all() for record in records)
    worst = {record.table: np.abs(record.errors).max() for record in records if record.used}
    assert worst["caches over size"] < 0.22
    assert worst["cores over L1 size (32 KiB)"] < 0.06


def test_technologies_are_not_interpolated():
    """Because leakage would be far off."""
    leakage = [r for r in left_out() if r.table == "cores over technology" and "leakage" in r.value]
    assert len(leakage) == 2
    assert all(not record.used and np.abs(record.errors).max() > 0.25 for record in leakage)
