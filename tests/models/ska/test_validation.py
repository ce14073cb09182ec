"""The published figures of the SKA1-Low station and correlator."""

import pytest

from dse.models.ska.validation import claims
from dse.validation import counts

CLAIMS = claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim)
def test_no_claim_fails(claim):
    assert claim.status != "fail", f"{claim.claim}: published {claim.published}, computed {claim.computed}"
    assert claim.source
    assert claim.note or claim.kind == "check"


def test_counts():
    assert counts(CLAIMS) == {
        "pass": 65,
        "fail": 0,
        "fitted": 27,
        "documented deviation": 4,
        "not checkable": 2,
    }


def test_deviations_do_deviate():
    """A deviation that is gone should become a check."""
    for claim in CLAIMS:
        if claim.kind == "deviation":
            assert claim.published != pytest.approx(claim.computed, rel=0.01), claim.claim
