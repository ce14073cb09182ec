"""The published figures of hybrid programs."""

from dse.authoring.library.claims import counts
from dse.models.hybrid.claims.published import TABLE_2, claims

CLAIMS = claims()


def test_counts():
    """Nothing that the tables were made to give counts as validated."""
    assert counts(CLAIMS) == {
        "pass": 15,
        "fail": 0,
        "fitted": 96,
        "deviation": 3,
        "miss": 5,
        "not checkable": 6,
    }


def test_largest_published_error():
    """ "Below 15 %" in the text, 15 % in the table."""
    assert max(max(means) for means in TABLE_2.values()) == 15
