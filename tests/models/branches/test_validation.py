"""The published figures of branch prediction."""

import pytest

from dse.models.branches.validation import claims
from dse.validation import counts

CLAIMS = claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim)
def test_no_claim_fails(claim):
    assert claim.status != "fail", f"{claim.claim}: published {claim.published}, computed {claim.computed}"
    assert claim.source
    assert claim.note or claim.kind == "check"


def test_counts():
    found = counts(CLAIMS)
    assert found["pass"] >= 20
    assert found["documented deviation"] == 4
    assert len({claim.claim for claim in CLAIMS}) == len(CLAIMS)


def test_deviations_do_deviate():
    for claim in CLAIMS:
        if claim.kind == "deviation":
            assert claim.published != pytest.approx(claim.computed, rel=1e-3), claim.claim
