"""A declaration needs a unit and a source, and an argument is a quantity: nothing else is accepted."""

import numpy as np
import pytest

import dse
from dse.authoring.declare.declaration import Column, named, quantities, quantity, table_parameter
from dse.errors import ModelError

WHERE = f"{__name__}.test_declarations_that_hide_something_are_refused.<locals>"


def test_a_quantity_takes_its_name_from_the_function_and_its_needs_from_the_arguments():
    @quantity(unit="s", source="Eq. 2", valid={"nodes": (1, 8)}, sum_of=("a", "b"))
    def run_time(work, nodes):
        """Time of a run.

        More.
        """
        return work / nodes

    assert (run_time.name, run_time.needs, dict(run_time.gives)) == ("run_time", ("work", "nodes"), {"run_time": "s"})
    assert (run_time.source, run_time.doc) == ("Eq. 2", "Time of a run.\n\nMore.")
    assert (run_time.valid, run_time.sum_of) == ({"nodes": (1, 8)}, ("a", "b"))
    assert run_time(np.array([6.0]), 2).tolist() == [3.0]
    assert run_time.label == f"{__name__}.run_time"


def test_several_providers_give_one_name_and_one_function_gives_several():
    @quantity(unit="1", source="x", name="hops", slot="network", provider="torus", default=True)
    def torus_hops(nodes):
        return nodes

    @quantities(gives={"hops": "1", "cost": "1"}, source="x", slot="network", provider="tree")
    def tree(nodes):
        return nodes, nodes

    assert (torus_hops.name, dict(torus_hops.gives), torus_hops.default) == ("torus_hops", {"hops": "1"}, True)
    assert (dict(tree.gives), tree.slot, tree.provider) == ({"hops": "1", "cost": "1"}, "network", "tree")


def test_an_assumption_of_whole_numbers():
    assert dse.assumption(2, unit="1", source="x", doc="d", integer=True).integer is True
    assert dse.assumption(2, unit="1", source="x", doc="d").integer is False
    with pytest.raises(ModelError, match=r"^assumption of 2.5 1: it takes whole numbers only$"):
        dse.assumption(2.5, unit="1", source="x", doc="d", integer=True)


def test_declarations_that_hide_something_are_refused():
    def defaulted(a, b=2):
        return a

    def starred(*a):
        return a

    def keyword(*, a):
        return a

    def plain(a):
        return a

    any_source = quantity(unit="1", source="x")
    no_source, half_slot = quantity(unit="1", source=""), quantity(unit="1", source="x", slot="s")
    other_range = quantity(unit="1", source="x", valid={"b": (0, 1)})
    cases = [
        (lambda: any_source(defaulted), "defaulted: argument 'b' has a default; declare an assumption instead"),
        (lambda: any_source(starred), "starred: argument 'a' must be a plain positional argument"),
        (lambda: any_source(keyword), "keyword: argument 'a' must be a plain positional argument"),
        (lambda: no_source(plain), "plain: 'source' is empty; a formula without a source is not allowed"),
        (lambda: half_slot(plain), "plain: 'slot' and 'provider' go together"),
        (lambda: quantities(gives={}, source="x")(plain), "plain: gives no quantity"),
        (lambda: other_range(plain), "plain: 'valid' names 'b', which is not among its arguments ['a']"),
    ]
    for make, message in cases:
        with pytest.raises(ModelError) as caught:
            make()
        assert str(caught.value) == f"{WHERE}.{message}"
    with pytest.raises(ModelError) as caught:
        dse.assumption(3, unit="W", source="", doc="d")
    assert str(caught.value) == "assumption of 3 W: 'source' is empty; a default without a source is not allowed"


def test_declarations_are_named_by_the_attribute_they_are_assigned_to():
    power = named(dse.assumption(3, unit="W", source="book", doc="d"), "power", "dse.models.network")
    assert (power.name, power.module, power.value, power.unit) == ("power", "network", 3.0, "W")
    clock = named(dse.parameter(unit="Hz", doc="d", above=0), "clock", "mine")
    assert (clock.name, clock.module, clock.above) == ("clock", "mine", 0)
    table = named(table_parameter(columns={"a": Column("1")}, doc="d"), "points", "mine")
    assert (table.name, list(table.columns)) == ("points", ["a"])
