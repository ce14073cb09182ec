"""A quantity taken apart: a product, a mean and a sum are found by what the function does, not by what it is called."""

import numpy as np
import pytest
from engine_problems import function, model

from dse.analysis.explain.decomposition import decompose, way_down
from dse.graph.graph import Input
from dse.graph.resolve import resolve

VALUES = {"a": 3.0, "b": 5.0, "c": 7.0, "d": 2.0, "w": 1.0, "v": 3.0}
FORMULAS = {
    "product": ("a b", lambda a, b: a * b),
    "quotient": ("a b c", lambda a, b, c: a * b / c),
    "mean": ("a b c w v", lambda a, b, c, w, v: np.exp((w * np.log(a) + v * np.log(b) + w * np.log(c)) / (2 * w + v))),
    "hidden_sum": ("a b c", lambda a, b, c: a + 4 * b + c),
    "rounded": ("a b", lambda a, b: np.floor(a * b / 4) + np.log(b)),
    "alias": ("product", lambda product: 1.0 * product),
    "double": ("product", lambda product: 2.0 * product),
    "top": ("alias d", lambda alias, d: alias + 0.1 * d),
    "refusing": ("a b", lambda a, b: a * b if float(np.max(a)) < 4 else 1 / 0),
}


@pytest.fixture(scope="module")
def made():
    functions = [function(name, needs, formula) for name, (needs, formula) in FORMULAS.items()]
    supplied = {name: Input(name, "1", "axis", "study") for name in VALUES}
    graph = resolve([*FORMULAS], models=[model(functions)], supplied=supplied)
    return graph, graph.evaluate({name: np.array([value]) for name, value in VALUES.items()})


def shares(apart):
    return {member.name: pytest.approx(member.share) for member in apart.members}


def test_factors_stand_with_their_powers(made):
    apart = decompose(*made, "quotient")
    assert (apart.kind, apart.value) == ("product", pytest.approx(15 / 7))
    assert shares(apart) == {"a": 1, "b": 1, "c": -1}
    assert np.prod([m.value**m.share for m in apart.members]) == pytest.approx(apart.value)


def test_a_weighted_geometric_mean_shows_its_members_with_their_weights_and_not_the_weights(made):
    apart = decompose(*made, "mean")
    assert (apart.kind, apart.value) == ("mean", pytest.approx((3 * 5**3 * 7) ** 0.2))
    assert shares(apart) == {"b": 0.6, "a": 0.2, "c": 0.2}
    assert apart.next == "b"


def test_a_sum_that_no_model_declares_shows_its_shares(made):
    apart = decompose(*made, "hidden_sum")
    assert apart.kind == "sum"
    assert shares(apart) == {"b": 20 / 30, "c": 7 / 30, "a": 3 / 30}


def test_what_is_neither_is_not_said_to_be(made):
    assert decompose(*made, "rounded") is None
    assert decompose(*made, "refusing") is None
    assert decompose(*made, "a") is None


def test_the_way_down_goes_where_most_of_it_comes_from(made):
    graph, arrays = made
    top, product = way_down(graph, arrays, "top")
    assert (top.kind, top.next) == ("sum", "alias")
    assert (product.name, product.also) == ("product", "alias")
    assert [step.also for step in way_down(graph, arrays, "double")] == [""], "twice a quantity is no name of it"
