"""The status of a claim."""

import pytest

from dse.authoring.claims import Claim, counts


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
        (1.0, 2.0, {"kind": "deviation"}, "documented deviation", 1.0),
        (1.0, None, {"kind": "not checkable"}, "not checkable", None),
    ],
)
def test_status_and_error(published, computed, more, status, error):
    made = claim(published, computed, **more)
    assert made.status == status
    if published == computed == published or error is not None:
        assert made.error == (None if error is None else pytest.approx(error))


def test_counts_list_every_status():
    assert counts([]) == {"pass": 0, "fail": 0, "fitted": 0, "documented deviation": 0, "not checkable": 0}
    some = [claim(1, 1), claim(1, 2), claim(1, 1, kind="fitted"), claim(1, 1)]
    assert counts(some) == {"pass": 2, "fail": 1, "fitted": 1, "documented deviation": 0, "not checkable": 0}
