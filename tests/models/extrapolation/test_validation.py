"""The published figures of extrapolation."""

import pytest

from dse.models.extrapolation.validation import claims
from dse.validation import counts

CLAIMS = claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim)
def test_no_claim_fails(claim):
    assert claim.status != "fail", f"{claim.claim}: published {claim.published}, computed {claim.computed}"
    assert claim.source
    assert claim.note or claim.kind == "check"


def test_counts():
    assert counts(CLAIMS) == {"pass": 3, "fail": 0, "fitted": 13, "documented deviation": 0, "not checkable": 6}
    assert len({claim.claim for claim in CLAIMS}) == len(CLAIMS)
