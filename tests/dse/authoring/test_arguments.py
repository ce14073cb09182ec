"""Arguments of functions that people call: sequences are arrays, nonsense is refused by name, shapes fit together."""

import numpy as np
import pytest

from dse.authoring.declare.arguments import Range, checked
from dse.errors import InputError


@checked(size=Range(least=0.0), rate=Range(above=0.0, infinite=True), share=Range(least=0.0, most=1.0))
def time_of(size, rate, share=1.0, *, note="", ends=None):
    """Return a time."""
    return size / (rate * share), note, ends


@checked(pair=(Range(least=0.0), Range(above=0.0)), further=Range(least=1.0))
def of_pair(pair, further=None):
    return pair[0] / pair[1], further


def test_numbers_lists_and_arrays_are_read_alike():
    np.testing.assert_array_equal(time_of([1, 2], (4, np.inf))[0], [0.25, 0.0])
    assert float(time_of(3, rate=2)[0]) == 1.5
    assert time_of(1.0, 1.0, note="kept", ends=3)[1:] == ("kept", 3)
    np.testing.assert_array_equal(of_pair(([1.0, 2.0], 4))[0], [0.25, 0.5])
    assert of_pair((1, 1))[1] is None
    assert time_of.__doc__ == "Return a time."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: time_of(-1, 1), "'size' is -1; allowed: 0 or more, finite"),
        (lambda: time_of([0, np.nan], 1), "'size' is nan; allowed: 0 or more, finite"),
        (lambda: time_of(np.inf, 1), "'size' is inf; allowed: 0 or more, finite"),
        (lambda: time_of(1, [1.0, 0.0]), "'rate' is 0; allowed: above 0, may be infinite"),
        (lambda: time_of(1, 1, 9), "'share' is 9; allowed: 0 or more, at most 1"),
        (lambda: time_of("much", 1), "'size' is 'much'; allowed: numbers, 0 or more, finite"),
        (lambda: time_of([[1, 2], [3]], 1), "'size' is [[1, 2], [3]]; allowed: numbers, 0 or more, finite"),
        (
            lambda: time_of([1, 2], [1, 2, 3]),
            "'size' has the shape (2,), 'rate' has the shape (3,); allowed: shapes that",
        ),
        (lambda: of_pair((1.0, 0.0)), "'pair[1]' is 0; allowed: above 0, finite"),
        (lambda: of_pair((1.0,)), "'pair' is (1.0,); allowed: 2 numbers or arrays"),
        (lambda: of_pair(([1, 2], [1, 2, 3])), "'pair[0]' has the shape (2,), 'pair[1]' has the shape (3,)"),
        (lambda: of_pair((1, 1), 0.5), "'further' is 0.5; allowed: 1 or more, finite"),
    ],
)
def test_what_is_none_is_refused_by_name(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(message)


def test_a_range_of_no_argument_is_a_fault_of_the_code():
    with pytest.raises(TypeError, match="has no argument 'sizes'"):
        checked(sizes=Range())(time_of)
