"""Chains of thousands of functions are resolved without recursion."""

import pytest

from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError
from dse.graph.graph import Input
from dse.graph.resolve import resolve

MANY = 5_000
SUPPLIED = {"q0": Input("q0", "1", "axis", "study")}


def step(k, needs):
    """Return a function that gives the k-th quantity."""
    return ModelFunction(f"q{k}", lambda x: x + 1.0, (needs,), {f"q{k}": "1"}, "made up")


def test_a_chain_is_resolved_in_its_order_however_it_is_given():
    chain = [step(k, f"q{k - 1}") for k in range(1, MANY + 1)]
    graph = resolve([f"q{MANY}"], models=[], supplied=SUPPLIED, extra=chain[::-1])
    assert [function.name for function in graph.functions] == [f"q{k}" for k in range(1, MANY + 1)]


def test_a_chain_that_closes_is_a_cycle():
    chain = [step(k, f"q{k - 1}") for k in range(2, MANY + 1)] + [step(1, f"q{MANY}")]
    with pytest.raises(InputError, match=r"in a cycle: q5000 → q4999 → .* → q1 → q5000"):
        resolve([f"q{MANY}"], models=[], supplied=SUPPLIED, extra=chain)
