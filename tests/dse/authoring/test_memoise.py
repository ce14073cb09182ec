"""What is called once per combination of values gives what it gives when called for every design."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.watch.memoise import KnownRows, combinations, distinct, kinds_of_rows, once_per_combination
from dse.errors import InputError

DESIGNS = 3_000


class Counted:
    """A function of two arrays that notes how many entries it was called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, a, b):
        self.calls.append(np.broadcast_shapes(np.shape(a), np.shape(b)))
        return np.sqrt(a) * b + a, b * 2.0, np.full(np.shape(b), 7.0)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def same(found, expected):
    return all(
        np.array_equal(one, other) and one.dtype == other.dtype for one, other in zip(found, expected, strict=True)
    )


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_any_few_values_in_any_order_give_what_they_give_alone(values, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.choice(values, DESIGNS), rng.choice(values[:3], DESIGNS)
    quick = once_per_combination(Counted())
    assert same(quick(a, b), Counted()(a, b))


@pytest.mark.parametrize("kinds", [1, 2, 50, 120, DESIGNS])
def test_it_is_called_for_each_combination_once(kinds, rng):
    counted = Counted()
    quick = once_per_combination(counted)
    a = rng.permutation(np.resize(rng.random(kinds), DESIGNS))
    first = quick(a, np.array([3.0]))
    assert counted.calls == [(max(2, kinds),)]
    assert same(first, Counted()(a, np.array([3.0])))
    again = quick(a[::-1].copy(), np.array([3.0]))
    assert len(counted.calls) == (1 if kinds < DESIGNS else 2)
    assert same(again, Counted()(a[::-1], np.array([3.0])))


def test_other_values_are_computed_anew(rng):
    counted = Counted()
    quick = once_per_combination(counted)
    for b in (1.0, 2.0, 1.0, 3.0):
        a = rng.integers(1, 4, DESIGNS) * b
        assert same(quick(a, np.array([b])), Counted()(a, np.array([b])))
    assert len(counted.calls) == 3


def test_what_does_not_vary_stays_one_number(rng):
    quick = once_per_combination(Counted())
    for a in (rng.integers(1, 4, DESIGNS) * 1.0, np.ones(DESIGNS)):
        found = quick(a, np.array([2.0]))
        assert [one.shape for one in found] == [(DESIGNS,), (1,), (1,)]


def test_a_change_of_the_arguments_afterwards_changes_nothing(rng):
    quick = once_per_combination(lambda a: a)
    one = np.array([5.0])
    found = quick(one)
    one[0] = 6.0
    assert found == 5.0
    assert quick(np.array([5.0])) == 5.0
    with pytest.raises(ValueError, match="read-only"):
        found += 1.0


def test_grids_and_short_arrays_go_to_it_as_they_are():
    counted = Counted()
    quick = once_per_combination(counted)
    a, b = np.arange(1.0, 101.0).reshape(100, 1), np.arange(1.0, 4.0).reshape(1, 3)
    assert same(quick(a, b), Counted()(a, b))
    quick(np.ones(5), np.array([1.0]))
    assert counted.calls == [(100, 3), (5,)]


def test_objects_are_told_apart_by_what_they_are(rng):
    class Table:
        def __init__(self, factor):
            self.factor = factor

    quick = once_per_combination(lambda table, a, shift: table.factor * a + shift)
    a = rng.integers(1, 4, DESIGNS) * 1.0
    for factor in (2.0, 3.0, 2.0):
        for shift in (0.0, 1.0):
            assert np.array_equal(quick(Table(factor), a, shift), factor * a + shift)


def test_not_a_number_and_texts_go_the_long_way(rng):
    a = np.where(rng.random(DESIGNS) < 0.1, np.nan, 4.0)
    found = once_per_combination(Counted())(a, np.array([1.0]))
    assert np.array_equal(found[0], Counted()(a, np.array([1.0]))[0], equal_nan=True)
    names = rng.choice(np.array(["x", "yy"], dtype=object), DESIGNS)
    lengths = once_per_combination(lambda names: np.array([len(name) for name in names]))
    assert np.array_equal(lengths(names), [len(name) for name in names])


def test_a_refusal_is_that_of_the_function(rng):
    @once_per_combination
    def picky(a):
        if (a > 2).any():
            raise InputError("too large", key="a", allowed="at most 2")
        return a

    with pytest.raises(InputError, match="too large"):
        picky(rng.integers(1, 4, DESIGNS) * 1.0)


def test_values_in_one_slot_are_told_apart(rng, monkeypatch):
    """With two slots all tries collide: the function is called on everything, and the result is the same."""
    monkeypatch.setattr("dse.authoring.watch.memoise._SLOT_BITS", 1)
    a = rng.integers(1, 9, DESIGNS) * 1.0
    assert combinations([a]) is None
    counted = Counted()
    assert same(once_per_combination(counted)(a, np.array([2.0])), Counted()(a, np.array([2.0])))
    assert counted.calls == [(DESIGNS,)]


def test_a_kind_of_every_row(rng):
    columns = [rng.integers(0, 5, DESIGNS) * 0.1, np.full(DESIGNS, 3.0), rng.integers(0, 3, DESIGNS) * 1e9]
    rows, kind = combinations(columns)
    assert len(rows) == 15
    for column in columns:
        assert np.array_equal(column[rows][kind], column)


@pytest.mark.parametrize("kinds", [1, 3, 50, 2_000])
@pytest.mark.parametrize("shape", [(DESIGNS,), (40, 75), (6, 1)])
def test_different_values_rise(kinds, shape, rng):
    values = rng.choice(np.concatenate([[0.0, -0.0], rng.normal(size=kinds)]), shape)
    different, place = distinct(values)
    assert np.array_equal(different, np.unique(values))
    assert np.array_equal(different[place], values)


def test_rows_that_are_known_are_not_computed_again():
    asked = []

    def compute(columns):
        asked.append(len(columns[0]))
        return [columns[0] + columns[1], columns[0] * columns[1]]

    known = KnownRows(compute, most=4)
    rows = [np.array([1.0, 2.0, 3.0]), np.array([5.0, 6.0, 7.0])]
    np.testing.assert_array_equal(known.results(rows), [[6, 8, 10], [5, 12, 21]])
    np.testing.assert_array_equal(known.results([row[::-1] for row in rows]), [[10, 8, 6], [21, 12, 5]])
    np.testing.assert_array_equal(known.results([np.array([2.0, 9.0]), np.array([6.0, 1.0])]), [[8, 10], [12, 9]])
    assert asked == [3, 1]
    # More rows at once than are kept are computed, and leave what is known as it is.
    many = np.arange(9.0)
    np.testing.assert_array_equal(known.results([many, many]), [many + many, many * many])
    known.results(rows)
    assert asked == [3, 1, 9]


def test_kinds_of_rows_are_the_first_of_each():
    firsts, kind = kinds_of_rows([np.array([[1.0], [2.0], [1.0]]), np.array([3.0, 3.0])])
    assert kind.shape == (3, 2)
    assert firsts.tolist() == [0, 2]
    np.testing.assert_array_equal(kind[:, 0], [0, 1, 0])
