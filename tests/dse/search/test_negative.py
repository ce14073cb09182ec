"""A time, a power, an energy … below 0 is an error that names the design, wherever it costs nothing to look."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from dse import Study, parameter, quantities, quantity
from dse.errors import InputError, ModelError, NegativeError
from dse.units import never_negative

SOURCE = "made up for a test"
METHODS = ["exhaustive", "bundles", "groups"]


def _module(**functions: Any) -> Any:
    module = types.ModuleType("machine")
    module.nodes = parameter(unit="1", doc="Nodes")
    module.clock = parameter(unit="Hz", doc="Clock")
    module.delay = parameter(unit="s", doc="Delay of a message")
    for name, item in functions.items():
        setattr(module, name, item)
    return module


def _table(signed: bool = False) -> Any:
    @quantity(unit="s", source=SOURCE, signed=signed)
    def run_time(nodes):
        return 1.0 / (nodes - 32.5)

    return run_time


def _joined(unit: str = "s", signed: bool = False) -> Any:
    @quantity(unit=unit, source=SOURCE, signed=signed)
    def run_time(nodes, clock, delay):
        return 60.0 + nodes * delay - clock * 1e-9

    return run_time


@quantity(unit="W", source=SOURCE)
def power(nodes, clock):
    return nodes * clock * 1e-9


NODES = {"values": [16, 32, 48, 64]}
CLOCKS = {"linspace": ["1 GHz", "100 GHz", 100]}
DELAYS = {"linspace": ["0 s", "1 s", 50]}


def _study(*functions: Any, **changes: Any) -> Study:
    document: dict[str, Any] = {
        "name": "below",
        "objectives": [{"minimize": "run_time"}, {"minimize": "power"}],
        "space": {"axes": {"nodes": NODES, "clock": CLOCKS, "delay": DELAYS}},
    }
    module = _module(power=power, **{function.name: function for function in functions})
    return Study({**document, **changes}, models=[module])


def test_E9_a_table_with_a_negative_time_is_refused_and_the_design_named():
    study = _study(_table(), space={"axes": {"nodes": NODES, "clock": CLOCKS}})
    with pytest.raises(NegativeError) as caught:
        study.run()
    assert str(caught.value) == (
        "'run_time' of design 0 (nodes = 16, clock = 1 GHz) is -0.0606061 s; it is the first quantity that is negative "
        "(tests.dse.search.test_negative.run_time); allowed: 0 and more, unless it is declared with signed = true"
    )
    assert len(_study(_table(signed=True), space=study.spec.space.model_dump(exclude_defaults=True)).run().frontier)


@pytest.mark.parametrize("method", METHODS)
def test_E9_every_method_finds_a_minimised_objective_below_0(method):
    with pytest.raises(NegativeError, match=r"'run_time' of design \d+ .* is -"):
        _study(_joined()).run(method=method)
    assert _study(_joined(signed=True)).run(method=method).frontier["run_time"].min() < 0
    assert _study(_joined(unit="1")).run(method=method).frontier["run_time"].min() < 0


@pytest.mark.parametrize("method", METHODS)
def test_E9_negative_values_of_infeasible_designs_in_the_loop_are_none(method):
    study = _study(_joined(), constraints=["run_time >= 5 s"])
    assert study.run(method=method).frontier["run_time"].min() >= 5


@pytest.mark.parametrize("method", METHODS)
def test_E9_a_constraint_reads_a_negative_quantity(method):
    """Neither objective is below 0; what the constraint reads is, of feasible designs."""

    @quantity(unit="J", source=SOURCE)
    def left(nodes, clock, delay):
        return nodes * clock * 1e-9 - delay * 20

    @quantity(unit="s", source=SOURCE)
    def run_time(nodes, clock, delay):
        return 1e3 / (nodes * clock * 1e-9 + delay)

    study = _study(run_time, left, constraints=["left <= 1 MJ"])
    with pytest.raises(NegativeError, match=r"'left' of design \d+"):
        study.run(method=method)


@pytest.mark.parametrize("method", METHODS)
def test_E9_a_quantity_that_is_only_shown_is_looked_at_on_the_frontier(method):
    @quantity(unit="B/s", source=SOURCE)
    def shown(nodes, clock, delay):
        return clock * 1e-9 - 90 - delay

    @quantity(unit="s", source=SOURCE)
    def run_time(nodes, clock, delay):
        return 1e3 / (nodes * clock * 1e-9) + delay

    with pytest.raises(NegativeError, match=r"'shown' of design"):
        _study(run_time, shown, also=["shown"]).run(method=method)


def test_E9_the_sample_is_looked_at_too(tmp_path):
    """The frontier is one design without a fault; others of the sample have one, in a quantity that is only shown."""

    @quantity(unit="J", source=SOURCE)
    def shown(nodes, clock, delay):
        return 1.0 - delay * clock * 1e-9 * (nodes - 16)

    @quantity(unit="s", source=SOURCE)
    def run_time(nodes, clock, delay):
        return nodes * clock * 1e-9 * (1.0 + delay)

    study = _study(run_time, shown, also=["shown"])
    with pytest.raises(NegativeError, match=r"'shown' of design"):
        study.run(tmp_path / "run")
    with pytest.raises(NegativeError, match=r"'shown' of design"):
        study.run()


def test_E9_a_maximised_objective_below_0():
    @quantity(unit="B/s", source=SOURCE)
    def rate(nodes, clock, delay):
        return clock * 1e-9 - 90 - delay * nodes

    with pytest.raises(NegativeError, match="'rate' of design"):
        _study(rate, objectives=[{"maximize": "rate"}]).run(method="exhaustive")


def test_E9_an_input_below_0():
    space = {"axes": {"nodes": NODES, "clock": CLOCKS, "delay": {"values": ["-1 s", "1 s"]}}}
    with pytest.raises(NegativeError, match=r"'delay' of design 0 .* is -1 s; .*\(an input\)"):
        _study(_joined(), space=space, constraints=["run_time > 0"]).run()


def test_E9_quantities_of_a_study():
    """A difference may be negative, a product only where the study says so."""
    space = {"axes": {"nodes": NODES, "clock": CLOCKS}}

    def run(quantity: Any) -> Any:
        study = {"objectives": [{"minimize": "power"}], "also": ["left"], "quantities": {"left": quantity}}
        return _study(**study, space=space).run().frontier["left"].iloc[0]

    assert run("power - 40 W") == -24.0
    assert run("-power") == -16.0
    assert run({"expression": "2 * (power - 40 W)", "signed": True}) == -48.0
    assert run({"expression": "(power - 40 W)"}) == -24.0
    for text in ("2 * (power - 40 W)", {"expression": "power - 40 W + 1 W"}):
        with pytest.raises(NegativeError, match="'left' of design 0"):
            run(text)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"expresion": "power"}, "quantities.left: unknown key 'expresion'"),
        ({"expression": "power", "signed": "perhaps"}, "quantities.left.signed"),
        (3, "quantities.left: 3 is no text"),
    ],
)
def test_E9_faults_of_an_entry(entry, message):
    with pytest.raises(InputError) as caught:
        _study(quantities={"left": entry})
    assert message.split(":")[0] in str(caught.value)
    assert message.partition(": ")[2] in str(caught.value)


def test_E9_several_quantities_of_a_function():
    @quantities(gives={"run_time": "s", "slack": "s"}, source=SOURCE, signed=("slack",))
    def times(nodes, clock):
        return nodes / clock, nodes - 100.0 + 0.0 * clock

    assert times.signed == ("slack",)
    with pytest.raises(ModelError, match="'signed' names 'other'"):
        quantities(gives={"a": "s"}, source=SOURCE, signed=("other",))(lambda nodes: nodes)
    assert quantities(gives={"a": "s", "b": "J"}, source=SOURCE, signed=True)(lambda x: (x, x)).signed == ("a", "b")
    space = {"axes": {"nodes": NODES, "clock": CLOCKS}}
    found = _study(times, space=space, also=["slack"]).run().frontier
    assert (found["slack"] < 0).all()


@pytest.mark.parametrize("unit", ["s", "W", "J", "B", "m", "m^2", "B/s", "J/B", "s/B", "W/m^2"])
def test_E9_units_that_are_never_negative(unit):
    assert never_negative(unit)


@pytest.mark.parametrize("unit", ["1", "Hz", "K", "V", "USD", "USD/s", "text", "flop/s", "1/s", "table"])
def test_E9_units_that_may_be(unit):
    assert not never_negative(unit)


def test_E9_nan_among_infeasible_designs_stays_what_it_was():
    @quantity(unit="s", source=SOURCE)
    def run_time(nodes, clock, delay):
        return np.where(nodes > 40, np.nan, nodes * delay + 1e9 / clock)

    assert len(_study(run_time, constraints=["nodes <= 40"]).run(method="exhaustive").frontier)
