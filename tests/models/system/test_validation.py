"""The published figures of whole machines."""

from __future__ import annotations

from statistics import fmean

import pytest

from dse.models.system.accuracy import RUN_TIME
from dse.models.system.claims.published import claims

CLAIMS = claims()


def test_what_was_used_to_make_the_substitutes_is_fitted():
    """The three printed designs, and how many points their frontier has."""
    fitted = {claim.claim for claim in CLAIMS if claim.status == "fitted"}
    for design in ("ARM, HyperX p 64, 64×64", "Haswell, HyperX p 64, 64×64", "ARM, HyperX p 256, 32×32"):
        assert any(title.endswith(f"time of {design}") for title in fitted)
    assert any(title.endswith("points of the frontier") for title in fitted)


def test_published_errors():
    """The mean over the rows of Table 6.1, not of Table 6.3."""
    assert RUN_TIME.mean == pytest.approx(1 - 565.64 / 700, abs=1e-12)
    tables = {
        table: [claim.published for claim in CLAIMS if table in claim.source and "run time: mean" in claim.claim]
        for table in ("Table 6.1", "Table 6.3")
    }
    assert [len(rows) for rows in tables.values()] == [7, 4]
    assert RUN_TIME.mean == 1.0 - fmean(mean for mean, *_ in tables["Table 6.1"]) / 100.0
    for mean, largest, smallest, _ in (row for rows in tables.values() for row in rows):
        assert smallest < mean < largest <= 100
