"""The published figures of whole machines."""

from __future__ import annotations

import pytest

from dse.models.system.accuracy import GRAPH_500_ACCURACY, LU_ACCURACY, RUN_TIME
from dse.models.system.validation import claims

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
    assert len(GRAPH_500_ACCURACY) == 7
    assert len(LU_ACCURACY) == 4
    for row in (*GRAPH_500_ACCURACY, *LU_ACCURACY):
        assert row.smallest < row.mean < row.largest <= 100
