"""Limits of declared values: what is inside, what is meaningful, and how values beyond are refused."""

import numpy as np
import pytest

from dse.authoring.declare.declaration import assumption, parameter
from dse.authoring.declare.limits import within
from dse.errors import InputError

VALUES = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan])


@pytest.mark.parametrize(
    ("limits", "inside"),
    [
        ({}, [1, 1, 1, 1, 1, 1, 0]),
        ({"minimum": 0}, [0, 1, 1, 1, 1, 1, 0]),
        ({"above": 0}, [0, 0, 1, 1, 1, 1, 0]),
        ({"minimum": 0, "maximum": 1}, [0, 1, 1, 1, 0, 0, 0]),
    ],
)
def test_what_is_within(limits, inside):
    declared = parameter(unit="1", doc="a number", **limits)
    assert declared.within(VALUES).tolist() == [bool(one) for one in inside]
    assert within(VALUES, **{"minimum": None, "maximum": None, "above": None, **limits}).tolist() == [
        bool(one) for one in inside
    ]


def test_what_is_meaningful_is_finite_and_whole_where_it_must_be():
    declared = parameter(unit="1", doc="a count", minimum=0, integer=True)
    assert declared.allows(VALUES).tolist() == [False, True, False, True, True, False, False]
    assert parameter(unit="1", doc="a number", maximum=1).allows(VALUES).tolist() == [True] * 4 + [False] * 3


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"minimum": 0}, "is -1 m; allowed: >= 0 m"),
        ({"maximum": 1}, "is 2 m; allowed: <= 1 m"),
        ({"above": 0}, "is -1 m; allowed: > 0 m"),
        ({"integer": True}, "is 0.5 m; allowed: whole numbers"),
    ],
)
def test_the_first_value_beyond_a_limit_is_told(limits, message):
    declared = assumption(1.0, unit="m", source="test", doc="a length", **limits)
    with pytest.raises(InputError) as error:
        declared.check(VALUES[:5])
    assert message in str(error.value)
    declared.check(np.array([1.0]))
