"""The status of a claim, and figures read from a file."""

from dataclasses import replace

import pytest

from dse.authoring.library.claims import Claim, counts, counts_by_whose, read_figures


def claim(published, computed, **more):
    return Claim("family", "a figure", "a paper", published, computed, **more)


@pytest.mark.parametrize(
    ("published", "computed", "more", "status", "error"),
    [
        (1.0, 1.0, {}, "pass", 0.0),
        (1.0, 1.05, {}, "fail", 0.05),
        (1.0, 1.05, {"relative_tolerance": 0.1}, "pass", 0.05),
        (1.0, 0.85, {"relative_tolerance": 0.1}, "fail", -0.15),
        (0.0, 0.05, {"absolute_tolerance": 0.1}, "pass", None),
        (0.0, 0.5, {"absolute_tolerance": 0.1}, "fail", None),
        (3, 3, {}, "pass", 0.0),
        (1.0, float("nan"), {"relative_tolerance": 1.0}, "fail", None),
        (1.0, float("inf"), {}, "fail", float("inf")),
        (True, True, {}, "pass", None),
        (True, False, {}, "fail", None),
        ("ARM", "ARM", {}, "pass", None),
        ("ARM", "Haswell", {}, "fail", None),
        ((1, 2), (1, 2), {}, "pass", None),
        ((1, 2), [1, 2.1], {"relative_tolerance": 0.1}, "pass", None),
        ((1, 2), (1, 2, 3), {}, "fail", None),
        ((1, (2, "a")), (1, (2, "b")), {}, "fail", None),
        (1.0, None, {}, "fail", None),
        (1.0, 1.0, {"kind": "fitted"}, "fitted", 0.0),
        (1.0, 2.0, {"kind": "fitted"}, "fail", 1.0),
        (1.0, 2.0, {"kind": "deviation"}, "deviation", 1.0),
        (1.0, 2.0, {"kind": "miss"}, "miss", 1.0),
        (1.0, None, {"kind": "not checkable"}, "not checkable", None),
    ],
)
def test_status_and_error(published, computed, more, status, error):
    made = claim(published, computed, **more)
    assert made.status == status
    if published == computed == published or error is not None:
        assert made.error == (None if error is None else pytest.approx(error))


def test_counts_list_every_status():
    nothing = {"pass": 0, "fail": 0, "fitted": 0, "deviation": 0, "miss": 0, "not checkable": 0}
    assert counts([]) == nothing
    some = [claim(1, 1), claim(1, 2), claim(1, 1, kind="fitted"), claim(1, 1)]
    assert counts(some) == nothing | {"pass": 2, "fail": 1, "fitted": 1}


@pytest.mark.parametrize(
    ("source", "whose"),
    [
        ("Anghel 2017, Table 4.6", "published"),
        ("TOP500 2025-11", "published"),
        ("own derivation, hm-cost.py", "derived here"),
        ("ours: by hand", "derived here"),
        ("derived from Anghel 2017, Table 7.4", "derived here"),
        ("ours: event simulation of 40,000 jobs", "simulated here"),
        ("own runs of McPAT 1.3", "simulated here"),
    ],
)
def test_C1_whose_a_figure_is_follows_from_its_source(source, whose):
    assert replace(claim(1, 1), source=source).whose == whose


def test_C1_published_figures_are_counted_first():
    some = [replace(claim(1, 1), source=source) for source in ("ours", "Book 2001", "ours: event simulation")]
    found = counts_by_whose(some)
    assert list(found) == ["published", "derived here", "simulated here"]
    assert [own["pass"] for own in found.values()] == [1, 1, 1]


FIGURES = """claim,value,unit,source,place,page,relative_tolerance,absolute_tolerance,last_digit,kind,note
time,1.50,s,Book 2001,Table 2,89,,,0.501,,
count,10,,Book 2001,,,,,,fitted,as made
shape,"[[1, 2.5], true, ""x"", null]",,Book 2001,Fig. 1,,,,,,
rule,below 15 %,,Book 2001,,,0.1,0.2,,,
unknown,,W,Book 2001,,,,,,not checkable,no data
"""


@pytest.fixture
def figures(tmp_path):
    (tmp_path / "figures.csv").write_text(FIGURES)
    return read_figures(tmp_path / "figures.csv", "family")


def test_figures_of_a_file(figures):
    time = figures.claim("time", 2)
    assert (time.model, time.claim, time.source) == ("family", "time", "Book 2001, Table 2, p. 89")
    assert (time.published, time.computed, time.unit, time.kind) == (1.5, 2.0, "s", "check")
    assert time.absolute_tolerance == pytest.approx(0.00501)
    count = figures.claim("count", 10)
    assert (count.published, type(count.published), count.unit) == (10, int, "1")
    assert (count.kind, count.note, count.source, count.status) == ("fitted", "as made", "Book 2001", "fitted")
    assert figures.value("shape") == ((1, 2.5), True, "x", None)
    rule = figures.claim("rule", "below 15 %")
    assert (rule.published, rule.relative_tolerance, rule.absolute_tolerance) == ("below 15 %", 0.1, 0.2)
    assert [claim.claim for claim in figures.not_checkable()] == ["unknown"]
    assert figures.claim("unknown", None, 3.0).published == 3.0
    assert list(figures) == ["time", "count", "shape", "rule", "unknown"]


def test_a_figure_that_is_not_in_the_file(figures):
    with pytest.raises(KeyError):
        figures.claim("nothing", 1.0)
    with pytest.raises(ValueError, match="the file has what was published"):
        figures.claim("count", 10, 10)


def test_a_claim_stands_once_in_a_file(tmp_path):
    (tmp_path / "twice.csv").write_text("claim,value,source\na,1,x\na,2,x\n")
    with pytest.raises(ValueError, match="a claim stands twice"):
        read_figures(tmp_path / "twice.csv", "family")
