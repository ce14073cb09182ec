"""The published figures of every family of models; docs/guide/accuracy.md has how many there are of each status."""

import csv
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from dse.authoring.library.claims import validations

FAMILIES = tuple(validations())

# Of a rule of thumb that is an order of sockets and no more: it may hit one of them.
HIT_BY_CHANCE = {"rated power of EPYC 7763"}


@cache
def claims_of(family):
    return validations()[family].claims()


def every_claim():
    return {family: claims_of(family) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_claim_fails(family):
    failed = [claim for claim in claims_of(family) if claim.status == "fail"]
    assert not failed, "\n".join(f"{one.claim}: published {one.published}, computed {one.computed}" for one in failed)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_claim_has_a_source_and_a_unit_and_a_note_where_it_is_no_plain_check(family):
    assert [one.claim for one in claims_of(family) if not (one.source and one.unit)] == []
    assert [one.claim for one in claims_of(family) if not (one.note or one.kind == "check")] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_claims_are_of_their_family(family):
    assert claims_of(family)
    assert {claim.model.partition(".")[0] for claim in claims_of(family)} == {family}


def test_no_figure_counts_twice():
    """A claim and its source name one figure, and a claim stands in one family."""
    named = Counter((claim.claim, claim.source) for found in every_claim().values() for claim in found)
    assert [one for one, times in named.items() if times > 1] == []
    titles = Counter(title for found in every_claim().values() for title in {claim.claim for claim in found})
    assert [one for one, times in titles.items() if times > 1] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_deviations_do_deviate(family):
    """A deviation that is gone should become a check."""
    for claim in claims_of(family):
        if claim.kind in ("deviation", "miss") and claim.claim not in HIT_BY_CHANCE:
            checked = replace(claim, kind="check", relative_tolerance=1e-3, absolute_tolerance=0.0)
            assert checked.status == "fail", claim.claim


@pytest.mark.parametrize("family", FAMILIES)
def test_what_cannot_be_checked_has_no_figure_of_ours(family):
    for claim in claims_of(family):
        assert (claim.computed is None) <= (claim.kind == "not checkable"), claim.claim


@pytest.mark.parametrize("family", FAMILIES)
def test_every_published_figure_of_a_file_is_a_claim(family):
    titles = {claim.claim for claim in claims_of(family)}
    for file in Path(str(validations()[family].__file__)).parent.glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert all(row["source"] for row in rows)
        assert [row["claim"] for row in rows if "claim" in row and row["claim"] not in titles] == []
