"""What the probe run refuses and learns of model functions, before anything is searched."""

import numpy as np
import pytest
from engine_problems import Case, axis, function

from dse.errors import ModelError
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Product

METHODS = ("exhaustive", "bundles", "groups")


def _structure(body, values=(1.0, 4.0, 2.0, 3.0), needs="a b", gives=None):
    axes = (axis("a", values), axis("b", [1.0, 2.0, 3.0]))
    case = Case([Product("", axes)], [function("f", needs, body, gives)], {"f": "min"})
    return case.problem().structure(0)


MIXING = {
    "a running maximum along an unsorted axis": lambda a, b: np.maximum.accumulate(a, axis=0) + b,
    "a running maximum, the other way": lambda a, b: np.minimum.accumulate(a[::-1], axis=0)[::-1] + b,
    "a running sum": lambda a, b: np.cumsum(a, axis=0) + b,
    "a mean": lambda a, b: a + b - (a + b).mean(),
    "a sort": lambda a, b: np.sort(a, axis=0) + b,
    "a neighbour": lambda a, b: np.roll(a, 1, axis=0) + b,
    "a rank": lambda a, b: np.argsort(np.argsort(a, axis=0), axis=0) + b,
}


@pytest.mark.parametrize("values", [(1.0, 4.0, 2.0, 3.0), (1.0, 2.0, 3.0, 4.0), (4.0, 3.0, 2.0, 1.0), (2.0, 9.0, 3.0)])
@pytest.mark.parametrize("what", MIXING)
def test_E7_a_function_that_mixes_designs_is_refused_by_name(what, values):
    with pytest.raises(ModelError, match=r"^f gives 'f' = .* it mixes designs"):
        _structure(MIXING[what], values)


def test_E7_values_of_exact_operations_must_be_equal_to_the_bit():
    noise = iter(range(1, 100))
    with pytest.raises(ModelError, match=r"^f gives 'f' = .* is another at every call"):
        _structure(lambda a, b: a + b + 1e-15 * next(noise))
    with pytest.raises(ModelError, match=r"^f gives 'f' = .* is another at every call"):
        _structure(lambda a, b: np.exp(a) + b + 1e-9 * next(noise))
    assert _structure(lambda a, b: np.exp(a) ** 0.3 + np.log(b)).axes["f"] == {0, 1}


@pytest.mark.parametrize("method", METHODS)
def test_E7_no_method_accepts_a_running_maximum(method):
    axes = (axis("a", [1.0, 9.0, 2.0, 3.0, 4.0]), axis("b", [1.0, 2.0]))
    mixed = function("f", "a", lambda a: np.maximum.accumulate(a, axis=0) if np.ndim(a) else a)
    case = Case([Product("", axes)], [mixed, function("x", "f b", lambda f, b: f - b)], {"x": "min", "f": "max"})
    with pytest.raises(ModelError, match=r"^f gives 'f'"):
        search(case.problem(), SearchOptions(method))


def test_E8_interpolation_between_knots_that_do_not_rise_is_refused_by_name():
    with pytest.raises(ModelError, match=r"^f fails: ValueError: np\.interp needs knots that rise"):
        _structure(lambda a, b: np.interp(a, [1.0, 3.0, 2.0], [0.0, 1.0, 5.0]) + b)
    with pytest.raises(ModelError, match=r"^f fails: ValueError: np\.interp needs knots that rise"):
        _structure(lambda a, b: np.interp(x=a, xp=[3.0, 1.0], fp=[0.0, 1.0]) + b)
    assert _structure(lambda a, b: np.interp(a, [1.0, 2.0, 3.0], [0.0, 5.0, 1.0]) + b).axes["f"] == {0, 1}


def test_E8_a_masked_array_is_refused_by_name():
    with pytest.raises(ModelError, match=r"^f gives 'f', which is a masked array, whose mask would be lost"):
        _structure(lambda a, b: np.ma.masked_where(np.asarray(a + b) > 3.0, np.asarray(a + b)))


def test_E3_functions_that_compute_with_integers_are_noted():
    integer = {
        "cast and multiplied": lambda a, b: a.astype(int) * b.astype(int),
        "cast alone": lambda a, b: a.astype(np.int32) / b,
        "counted": lambda a, b: np.where(a > 2, 3, 4) * np.where(b > 1, 1, 2),
    }
    floating = {
        "float": lambda a, b: np.floor(a) * b,
        "chosen": lambda a, b: np.where(a > 2, 3, 4) * b,
        "condition": lambda a, b: (a > 2) * b,
    }
    for what, body in integer.items():
        assert _structure(body).integers == {0}, what
    for what, body in floating.items():
        assert _structure(body).integers == set(), what
