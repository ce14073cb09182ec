"""Elasticities of a design: exponents of power laws, bottlenecks, and what is not exact saying so."""

from __future__ import annotations

import json
import math
import types
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dse import Study, assumption, lookup, parameter, quantities, quantity
from dse.arithmetic.duals import Mark
from dse.arithmetic.finite_differences import Point, evaluated_at, quotients, quotients_along
from dse.arithmetic.primitive import primitive, rising
from dse.cli.text.sensitivity_table import print_sensitivities
from dse.errors import InputError
from dse.report.record.collect import page_view

SOURCE = "made up for a test"


def module_of(*functions: Any, **declared: Any) -> Any:
    module = types.ModuleType("made_up")
    for name, item in declared.items():
        setattr(module, name, item)
    for function in functions:
        setattr(module, function.name, replace(function, module="made_up"))
    return module


def number(unit: str = "1", **limits: Any) -> Any:
    return parameter(unit=unit, doc="A number", **limits)


def given(value: float, **limits: Any) -> Any:
    return assumption(value, unit="1", source=SOURCE, doc="A number", **limits)


def study_of(module: Any, values: dict[str, Any], *objectives: str, **document: Any) -> Study:
    axes = {name: {"values": [value]} for name, value in values.items()}
    wanted = [{"minimize": name} for name in objectives]
    return Study({"name": "made-up", "objectives": wanted, "space": {"axes": axes}, **document}, models=[module])


def effects(study: Study, quantity: str, design: int = 0) -> dict[str, dict[str, Any]]:
    return {
        row["input"]: row["effects"][quantity]
        for row in study.sensitivities(design, [quantity])
        if quantity in row["effects"]
    }


def only(function: Any, values: dict[str, Any], **declared: Any) -> dict[str, dict[str, Any]]:
    """Effects on the one result of a function."""
    declared = {name: number() for name in values if name not in declared} | declared
    study = study_of(module_of(function, **declared), values, function.name)
    return effects(study, function.name)


def test_the_elasticities_of_a_power_law_are_its_exponents():
    @quantity(unit="J", source=SOURCE)
    def y(a, b, c):
        return 7.0 * a**2 * np.sqrt(b) / c**1.5

    found = only(y, {"a": "3 s", "b": "5 B/s", "c": 0.1}, a=number("s"), b=number("B/s"), c=given(2.0))
    assert {name: one["elasticity"] for name, one in found.items()} == pytest.approx({"a": 2, "b": 0.5, "c": -1.5})
    value = 7.0 * 9 * math.sqrt(5) / 0.1**1.5
    assert {name: one["derivative"] for name, one in found.items()} == pytest.approx(
        {"a": 2 * value / 3, "b": 0.5 * value / 5, "c": -1.5 * value / 0.1}
    )
    assert {name: one["unit"] for name, one in found.items()} == {"a": "J/s", "b": "J/(B/s)", "c": "J"}
    for one in found.values():
        assert {k: v for k, v in one.items() if k not in ("elasticity", "derivative", "unit")} == {
            "below": None,
            "kind": "exact",
            "one_sided": False,
            "numeric": [],
            "steps": [],
            "unknown": [],
            "reason": "",
        }


def test_what_does_not_bind_has_no_effect_and_a_tie_is_one_sided():
    @quantity(unit="1", source=SOURCE)
    def y(a, b):
        return np.maximum(a, b)

    found = only(y, {"a": 3.0, "b": 2.0})
    assert [(one["elasticity"], one["kind"], one["one_sided"]) for one in found.values()] == [
        (1.0, "exact", False),
        (0.0, "exact", False),
    ]
    found = only(y, {"a": 3.0, "b": 3.0})
    assert [(one["elasticity"], one["one_sided"]) for one in found.values()] == [(1.0, True), (1.0, True)]
    assert [one["below"] for one in found.values()] == [{"elasticity": 0.0, "derivative": 0.0}] * 2


def test_inputs_are_all_numbers_that_matter_and_only_these():
    @quantity(unit="s", source=SOURCE)
    def y(a, part_column, fixed, assumed, kind):
        return a * part_column * fixed * assumed * np.where(kind == "fast", 1.0, 2.0)

    @quantity(unit="s", source=SOURCE)
    def z(a, unrelated):
        return a + unrelated

    numbers = {name: number() for name in ("a", "part_column", "fixed", "unrelated")}
    module = module_of(y, z, kind=parameter(unit="text", doc="A text"), assumed=given(4.0), idle=given(9.0), **numbers)
    study = study_of(module, {"a": 2.0, "part_column": 3.0, "kind": "fast"}, "y", "z", set={"fixed": 5, "unrelated": 1})
    rows = study.sensitivities(0)
    assert {(row["input"], row["value"], row["unit"], row["from"], row["whole"]) for row in rows} == {
        ("a", 2.0, "1", "axis", False),
        ("part_column", 3.0, "1", "axis", False),
        ("fixed", 5.0, "1", "set", False),
        ("assumed", 4.0, "1", "assumption", False),
        ("unrelated", 1.0, "1", "set", False),
    }
    assert {row["input"]: list(row["effects"]) for row in rows}["unrelated"] == ["z"]
    assert {row["input"]: list(row["effects"]) for row in rows}["a"] == ["y", "z"]
    sizes = [max(abs(effect["elasticity"]) for effect in row["effects"].values()) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_an_input_of_zero_has_a_derivative_and_no_percent():
    @quantity(unit="1", source=SOURCE)
    def y(a, b):
        return a + 3.0 * b

    found = only(y, {"a": 2.0, "b": 0.0})
    assert (found["b"]["elasticity"], found["b"]["derivative"], found["b"]["kind"]) == (None, 3.0, "exact")
    assert found["a"]["elasticity"] == 1.0


def test_a_result_of_zero_has_a_derivative_and_no_percent():
    @quantity(unit="1", source=SOURCE)
    def y(a):
        return a - 2.0

    assert only(y, {"a": 2.0})["a"]["elasticity"] is None
    assert only(y, {"a": 2.0})["a"]["derivative"] == 1.0


# --- functions without a form for dual numbers --------------------------------------------------------------------


def _looked_up(a, b):
    x, y = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.array([math.sin(one) * other**3 for one, other in zip(x.flat, y.flat, strict=True)]).reshape(x.shape)


def test_a_function_for_points_is_differentiated_numerically_and_named():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def odd(a, b):
        return _looked_up(a, b)

    @quantity(unit="1", source=SOURCE)
    def y(odd, a, c):
        return odd * c + a

    module = module_of(odd, y, a=number(), b=number(), c=number())
    found = effects(study_of(module, {"a": 0.7, "b": 2.0, "c": 3.0}, "y"), "y")
    value = math.sin(0.7) * 8 * 3 + 0.7
    expected = {"a": 0.7 * (math.cos(0.7) * 24 + 1) / value, "b": 3 * math.sin(0.7) * 24 / value}
    assert {name: found[name]["elasticity"] for name in "ab"} == pytest.approx(expected, rel=1e-9)
    assert [(found[name]["kind"], found[name]["numeric"]) for name in "abc"] == [
        ("numeric", ["made_up.odd"]),
        ("numeric", ["made_up.odd"]),
        ("exact", []),
    ]


def test_only_the_needs_that_take_no_dual_number_are_numeric():
    """Half of the function is plain array code."""

    @quantity(unit="1", source=SOURCE, points_only=True)
    def y(a, b):
        return a * a * _looked_up(np.ones(1), b)

    found = only(y, {"a": 3.0, "b": 2.0})
    assert (found["a"]["kind"], found["a"]["derivative"]) == ("exact", 2 * 3.0 * math.sin(1.0) * 8)
    assert found["b"]["kind"] == "numeric"
    assert found["b"]["elasticity"] == pytest.approx(3.0, rel=1e-9)


def test_a_primitive_without_a_rule_is_a_function_without_a_form():
    def root(x):
        return np.sqrt(x)

    @quantity(unit="1", source=SOURCE)
    def y(a):
        return primitive(rising(root))(root)(a)

    (found,) = only(y, {"a": 3.0}).values()
    assert (found["kind"], found["numeric"]) == ("numeric", ["made_up.y"])
    assert found["elasticity"] == pytest.approx(0.5, rel=1e-9)


def test_no_effect_that_was_found_numerically_says_so():
    """Neither result of the numeric function matters here: one does not bind, the other does not change."""

    @quantities(gives={"p": "1", "q": "1"}, source=SOURCE, points_only=True)
    def pair(a):
        return _looked_up(a, np.ones(1)), np.full(np.shape(np.asarray(a)), 5.0)

    @quantity(unit="1", source=SOURCE)
    def y(p, q, b):
        return np.maximum(p, b) + q

    module = module_of(pair, y, a=number(), b=number())
    found = effects(study_of(module, {"a": 0.7, "b": 2.0}, "y"), "y")
    assert found["a"]["elasticity"] == 0.0
    assert found["a"]["numeric"] == ["made_up.pair"]
    assert found["b"]["kind"] == "exact"


def test_a_bend_and_an_end_of_a_table_are_one_sided():
    knots, heights = [1.0, 2.0, 4.0], [1.0, 3.0, 4.0]

    @quantity(unit="1", source=SOURCE, points_only=True)
    def y(a):
        points = np.asarray(a, dtype=float)
        if (points < 1).any() or (points > 4).any():
            raise InputError("outside the table")
        return np.interp(points, knots, heights)

    for a, slope, one_sided in ((1.5, 2.0, False), (2.0, 0.5, True), (1.0, 2.0, True), (4.0, 0.5, True)):
        (found,) = only(y, {"a": a}).values()
        assert found["derivative"] == pytest.approx(slope, rel=1e-9)
        assert (found["kind"], found["one_sided"]) == ("numeric", one_sided)


def test_an_input_that_cannot_be_varied_is_not_known_and_says_why():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def row(technology):
        if (np.asarray(technology) != 22.0).any():
            raise InputError("no such technology", allowed="22")
        return np.full(1, 5.0)

    @quantity(unit="1", source=SOURCE)
    def y(row, a):
        return row * a

    module = module_of(row, y, technology=number(), a=number())
    study = study_of(module, {"technology": 22.0, "a": 3.0}, "y")
    found = effects(study, "y")
    assert found["a"]["elasticity"] == 1.0
    unknown = found["technology"]
    assert (unknown["elasticity"], unknown["derivative"], unknown["kind"]) == (None, None, "unknown")
    assert (unknown["unknown"], unknown["reason"]) == (["made_up.row"], "no such technology; allowed: 22")


def test_what_is_not_known_does_not_matter_where_it_does_not_bind():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def row(technology):
        if (np.asarray(technology) != 22.0).any():
            raise InputError("no such technology")
        return np.full(1, 5.0)

    @quantity(unit="1", source=SOURCE)
    def y(row, a):
        return np.maximum(row, a)

    module = module_of(row, y, technology=number(), a=number())
    found = effects(study_of(module, {"technology": 22.0, "a": 7.0}, "y"), "y")
    assert (found["technology"]["elasticity"], found["technology"]["kind"]) == (0.0, "exact")


def test_what_moves_together_on_a_tie_is_differentiated_together():
    """The least of two equal bandwidths: neither has an effect alone, what both come from has."""

    @quantity(unit="1", source=SOURCE)
    def link(port, scale):
        return port * scale

    @quantity(unit="1", source=SOURCE, points_only=True)
    def least(port, link, other):
        points = np.broadcast_arrays(*(np.asarray(one, dtype=float) for one in (port, link, other)))
        rows = zip(*(one.flat for one in points), strict=True)
        return np.array([min(a, b) * c for a, b, c in rows]).reshape(points[0].shape)

    @quantity(unit="1", source=SOURCE)
    def y(least):
        return 1.0 / least

    module = module_of(link, least, y, **{name: number() for name in ("port", "scale", "other")})
    found = effects(study_of(module, {"port": 25.0, "scale": 1.0, "other": 3.0}, "y"), "y")
    assert found["port"]["elasticity"] == pytest.approx(-1.0, rel=1e-9)
    assert (found["port"]["kind"], found["port"]["one_sided"]) == ("numeric", False)
    assert found["scale"]["one_sided"] is True
    assert found["other"]["elasticity"] == pytest.approx(-1.0, rel=1e-9)
    found = effects(study_of(module, {"port": 25.0, "scale": 2.0, "other": 3.0}, "y"), "y")
    assert found["port"]["elasticity"] == pytest.approx(-1.0, rel=1e-9)
    assert found["scale"]["elasticity"] == 0.0


def test_an_argument_that_only_stands_there_leaves_no_mark():
    @quantity(unit="1", source=SOURCE)
    def y(a, beside):
        return a * 2.0

    @quantity(unit="1", source=SOURCE)
    def flat(a):
        return np.where(a > 1.0, 3.0, 4.0)

    found = only(y, {"a": 3.0, "beside": 4.0})
    assert [(one["elasticity"], one["kind"]) for one in found.values()] == [(1.0, "exact"), (0.0, "exact")]
    (found,) = only(flat, {"a": 3.0}).values()
    assert (found["elasticity"], found["kind"]) == (0.0, "exact")


def test_a_threshold_near_by_is_a_step():
    """Comparisons alone decide the result, so no derivative tells of it; the function is asked a little away."""

    @quantity(unit="1", source=SOURCE)
    def y(a):
        return np.where(a > 2.999, 3.0, 4.0)

    (found,) = only(y, {"a": 3.0}).values()
    assert (found["kind"], found["steps"]) == ("steps", ["made_up.y"])
    assert found["derivative"] == pytest.approx((3 - 4) / 0.06)


# --- steps --------------------------------------------------------------------------------------------------------


def test_a_staircase_is_the_change_over_a_percent_either_way():
    @quantity(unit="1", source=SOURCE)
    def lines(size):
        return np.floor(size / 64.0)

    @quantity(unit="1", source=SOURCE)
    def y(lines):
        return lines**2

    module = module_of(lines, y, size=number())
    (found,) = effects(study_of(module, {"size": 65536.0}, "y"), "y").values()
    up, down = (math.floor(65536 * factor / 64) for factor in (1.01, 0.99))
    assert (found["kind"], found["steps"], found["one_sided"]) == ("steps", ["made_up.lines"], False)
    assert found["derivative"] == pytest.approx((up**2 - down**2) / (0.02 * 65536), rel=1e-9)
    assert found["elasticity"] == pytest.approx(2.0, rel=0.06)


@pytest.mark.parametrize(
    "step",
    [np.ceil, np.rint, lambda x: x // 1.0, lambda x: x.astype(int), lambda x: lookup(np.arange(99.0), x)],
    ids=["ceil", "rint", "//", "astype", "lookup"],
)
def test_steps_are_never_silent(step):
    @quantity(unit="1", source=SOURCE)
    def y(a):
        return step(a) * 1.0

    (found,) = only(y, {"a": 40.4}).values()
    assert found["kind"] == "steps"
    assert found["steps"] == ["made_up.y"]


def test_steps_of_a_function_for_points_are_found():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def y(a):
        return np.array([float(int(one * 300)) for one in np.asarray(a, dtype=float).reshape(-1)])

    for a in (2.0, 2.0007, 2.0017):  # on a step, between two, just below the next
        (found,) = only(y, {"a": a}).values()
        assert (found["kind"], found["steps"]) == ("steps", ["made_up.y"])
        assert found["elasticity"] == pytest.approx(1.0, abs=0.1)


def test_a_comparison_of_equals_is_a_step():
    """One node needs no network; the smallest change would."""

    @quantity(unit="1", source=SOURCE)
    def y(a):
        return np.where(a > 1.0, a + 5.0, a)

    (found,) = only(y, {"a": 1.0}).values()
    assert (found["kind"], found["steps"]) == ("steps", ["made_up.y"])
    assert found["derivative"] == pytest.approx((6.01 - 0.99) / 0.02)
    (found,) = only(y, {"a": 1.1}).values()
    assert (found["kind"], found["derivative"]) == ("exact", 1.0)


def test_whole_numbers_are_varied_by_one_where_fractions_cannot_be():
    def whole_only(nodes):
        if (np.asarray(nodes) % 1 != 0).any():
            raise InputError("whole numbers, please")
        return np.asarray(nodes, dtype=float) ** 2

    @quantity(unit="1", source=SOURCE, points_only=True)
    def y(nodes):
        return whole_only(nodes)

    @quantity(unit="1", source=SOURCE)
    def z(nodes):
        return nodes**2

    nodes = number(integer=True, minimum=1)
    (found,) = only(y, {"nodes": 4.0}, nodes=nodes).values()
    assert (found["kind"], found["derivative"], found["one_sided"]) == ("steps", (25 - 9) / 2, False)
    assert (found["unknown"], found["reason"]) == (["made_up.y"], "whole numbers, please")
    (found,) = only(y, {"nodes": 1.0}, nodes=nodes).values()
    assert (found["derivative"], found["one_sided"]) == (4 - 1, True)
    (found,) = only(z, {"nodes": 4.0}, nodes=nodes).values()
    assert (found["kind"], found["elasticity"]) == ("exact", 2.0)
    (row,) = study_of(module_of(z, nodes=nodes), {"nodes": 4.0}, "z").sensitivities(0)
    assert row["whole"] is True


def test_assumptions_of_whole_numbers_are_varied_as_parameters_are():
    @quantity(unit="1", source=SOURCE)
    def y(links, a):
        return np.floor(links) ** 2 * a

    study = study_of(module_of(y, links=given(4.0, integer=True), a=number()), {"a": 1.0}, "y")
    row, _ = study.sensitivities(0)
    assert (row["input"], row["from"], row["whole"]) == ("links", "assumption", True)
    assert row["effects"]["y"]["derivative"] == (25 - 9) / 2


def test_limits_of_an_input_are_kept():
    @quantity(unit="1", source=SOURCE)
    def y(share):
        return np.floor(100.0 * share)

    (found,) = only(y, {"share": 1.0}, share=given(1.0, maximum=1.0)).values()
    assert found["derivative"] == pytest.approx((100 - 99) / 0.01)
    assert found["one_sided"] is True


# --- ties, and steps that do not bind -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["flops first", "band first"])
def test_N1_both_sides_of_a_tie_whatever_the_order_of_the_arguments(order, capsys):
    @quantity(unit="s", source=SOURCE)
    def t(flops, band):
        times = 8.0 / flops, 8.0 / band
        return np.maximum(*(times if order == "flops first" else times[::-1]))

    study = study_of(module_of(t, flops=number(), band=number()), {"flops": 4.0, "band": 4.0}, "t")
    for one in effects(study, "t").values():
        assert (one["elasticity"], one["derivative"], one["one_sided"]) == (0.0, 0.0, True)
        assert one["below"] == {"elasticity": -1.0, "derivative": -0.5}
        assert one["kind"] == "exact"
    lines = [line.split() for line in printed(study, capsys).splitlines()]
    assert ["flops", "4", "0", "/", "-1", "%"] in lines
    assert ["band", "4", "0", "/", "-1", "%"] in lines
    view = page_view(study.run()).short.effects[0][0]
    assert [(one.input, one.elasticity, one.below, one.one_sided) for one in view] == [
        ("flops", 0.0, -1.0, True),
        ("band", 0.0, -1.0, True),
    ]


def test_N1_both_sides_through_a_function_for_points_and_a_table():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def least(a, b):
        points = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        return np.array([min(one, other) for one, other in zip(*(x.flat for x in points), strict=True)])

    @quantity(unit="1", source=SOURCE)
    def y(least):
        return 12.0 / least

    module = module_of(least, y, a=number(), b=number())
    found = effects(study_of(module, {"a": 3.0, "b": 3.0}, "y"), "y")
    for name in "ab":
        assert found[name]["kind"] == "numeric"
        assert found[name]["elasticity"] == pytest.approx(0.0, abs=1e-9)
        assert found[name]["below"]["elasticity"] == pytest.approx(-1.0, rel=1e-9)

    @quantity(unit="1", source=SOURCE)
    def z(a):
        return np.interp(10.0 - a, [1.0, 2.0, 4.0], [1.0, 3.0, 4.0])

    (found,) = only(z, {"a": 8.0}).values()
    assert (found["derivative"], found["below"]["derivative"], found["one_sided"]) == (-2.0, -0.5, True)


def test_N1_what_two_sides_have_alike_is_no_corner():
    @quantity(unit="1", source=SOURCE)
    def y(a, b):
        return np.abs(a - b) + a

    found = only(y, {"a": 3.0, "b": 3.0})
    assert (found["a"]["derivative"], found["a"]["below"]["derivative"]) == (2.0, 0.0)
    assert (found["b"]["derivative"], found["b"]["below"]["derivative"]) == (1.0, -1.0)


@pytest.mark.parametrize("order", ["constant first", "steps first"])
def test_N2_on_a_tie_the_steps_of_both_are_kept(order):
    @quantity(unit="1", source=SOURCE)
    def y(a):
        pair = 12.0, 12.0 * np.ceil(a / 4.0)
        return np.maximum(*(pair if order == "constant first" else pair[::-1]))

    (found,) = only(y, {"a": 4.0}).values()
    assert (found["kind"], found["steps"]) == ("steps", ["made_up.y"])
    assert found["elasticity"] == pytest.approx((24 - 12) / 0.08 * 4 / 12)


@pytest.mark.parametrize(
    "binds",
    [
        lambda steps, other: np.maximum(10.0 * steps, other),
        lambda steps, other: np.maximum(other, 10.0 * steps),
        lambda steps, other: -np.minimum(-10.0 * steps, -other),
        lambda steps, other: np.clip(10.0 * steps, 12.0, 99.0),
        lambda steps, other: np.where(steps > 1.5, 10.0 * steps, other),
        lambda steps, other: np.maximum(np.minimum(10.0 * steps, 50.0), other),
    ],
    ids=["first", "second", "minimum", "clip", "where", "twice"],
)
def test_N3_a_staircase_at_its_edge_behind_another_argument(binds):
    @quantity(unit="1", source=SOURCE)
    def switches(a):
        return np.ceil(a / 4.0)

    @quantity(unit="1", source=SOURCE)
    def y(switches, b):
        return binds(switches, 12.0 + 0.0 * b) + b

    module = module_of(switches, y, a=number(), b=number())
    found = effects(study_of(module, {"a": 4.0, "b": 1.0}, "y"), "y")
    assert (found["a"]["kind"], found["a"]["steps"]) == ("steps", ["made_up.switches"])
    assert found["a"]["derivative"] == pytest.approx((21 - 13) / 0.08)
    assert found["b"]["kind"] == "exact"
    found = effects(study_of(module, {"a": 3.0, "b": 1.0}, "y"), "y")["a"]
    assert (found["kind"], found["steps"], found["derivative"]) == ("exact", [], 0.0)


def test_N3_steps_behind_a_function_for_points_and_of_whole_numbers():
    @quantity(unit="1", source=SOURCE)
    def switches(nodes):
        return np.ceil(nodes / 24.0)

    @quantity(unit="W", source=SOURCE, points_only=True)
    def power(switches):
        return np.array([max(10.0 * one, 12.0) for one in np.asarray(switches, dtype=float).reshape(-1)])

    nodes = number(integer=True, minimum=1)
    module = module_of(switches, power, nodes=nodes)
    found = effects(study_of(module, {"nodes": 24}, "power"), "power")["nodes"]
    assert (found["kind"], found["derivative"]) == ("steps", (20 - 12) / 2)
    found = effects(study_of(module, {"nodes": 20}, "power"), "power")["nodes"]
    assert (found["kind"], found["derivative"], found["steps"]) == ("numeric", 0.0, [])


def test_N3_a_curve_beside_steps_that_do_not_bind_is_no_step():
    @quantity(unit="1", source=SOURCE)
    def y(nodes, speed):
        return np.maximum(100.0 / nodes / speed**2, np.ceil(nodes / 24.0))

    module = module_of(y, nodes=number(integer=True, minimum=1), speed=number())
    found = effects(study_of(module, {"nodes": 6, "speed": 1.0}, "y"), "y")
    assert {name: (one["kind"], one["elasticity"]) for name, one in found.items()} == {
        "nodes": ("exact", pytest.approx(-1.0)),
        "speed": ("exact", pytest.approx(-2.0)),
    }


def test_N4_a_note_stands_at_the_cell_it_is_of(capsys):
    @quantity(unit="1", source=SOURCE)
    def y(a):
        return np.ceil(a)

    @quantity(unit="1", source=SOURCE)
    def z(a):
        return 2.0 * a

    study = study_of(module_of(y, z, a=number()), {"a": 7.0}, "y", "z")
    lines = [" ".join(line.split()) for line in printed(study, capsys).splitlines()]
    assert "a 7 +7.14 % in steps +1 %" in lines


def test_N4_an_input_of_zero_of_a_stepped_function_says_why(capsys):
    @quantity(unit="1", source=SOURCE)
    def y(a, b):
        return np.ceil(a) + b

    study = study_of(module_of(y, a=number(), b=number()), {"a": 0.0, "b": 1.0}, "y")
    found = effects(study, "y")["a"]
    assert (found["kind"], found["derivative"]) == ("unknown", None)
    assert found["reason"] == "it is 0, of which a percent is nothing, and its effect comes in steps"
    assert f"not known of a: {found['reason']} (made_up.y)\n" in printed(study, capsys)


def test_R6_a_percent_of_a_negative_value_is_of_its_size():
    @quantity(unit="1", source=SOURCE)
    def y(a, b):
        return a + b

    found = only(y, {"a": 1.0, "b": -5.0})
    assert {name: one["elasticity"] for name, one in found.items()} == {"a": 0.25, "b": 1.25}


# --- index sets, other quantities, refusals -----------------------------------------------------------------------


def test_members_of_an_index_set_have_their_own_effects():
    @quantity(unit="1", source=SOURCE)
    def part(work, speed):
        return work / speed

    @quantity(unit="1", source=SOURCE, over="crew", by="sum")
    def y(part):
        return part

    module = module_of(part, y, work=number(integer=True), speed=number())
    members = {"root": {"set": {"work": 6}}, "leaf": {"set": {"work": 2}}}
    found = effects(study_of(module, {"speed": 4.0}, "y", index={"crew": members}), "y")
    assert {name: one["elasticity"] for name, one in found.items()} == {
        "work@root": 0.75,
        "work@leaf": 0.25,
        "speed": -1,
    }
    rows = study_of(module, {"speed": 4.0}, "y", index={"crew": members}).sensitivities(0)
    assert {row["input"]: row["whole"] for row in rows} == {"speed": False, "work@root": True, "work@leaf": True}


def test_derived_quantities_of_a_study():
    @quantity(unit="s", source=SOURCE)
    def y(a):
        return a**3

    document = {"quantities": {"product": "y * min(a, 5) / 2"}, "also": ["product"]}
    study = study_of(module_of(y, a=number()), {"a": 2.0}, "y", **document)
    assert effects(study, "product")["a"]["elasticity"] == pytest.approx(4.0)
    with pytest.raises(
        InputError, match=r"^no quantity 'products' that is a number; allowed: .*did you mean 'product'"
    ):
        study.sensitivities(0, ["products"])


def test_what_makes_a_function_fail_is_told_as_ever():
    @quantity(unit="1", source=SOURCE, points_only=True)
    def y(a):
        return np.asarray(a) * 2.0

    study = study_of(module_of(y, a=number()), {"a": 2.0}, "y")
    with pytest.raises(InputError, match=r"^there is no design 7; allowed: 0 to 0$"):
        study.sensitivities(7)


# --- difference quotients -----------------------------------------------------------------------------------------


def quotient(function, x):
    """Slope and marks of a function at one point."""
    point = np.array([x])
    found = quotients(lambda at: {"y": function(at["x"])}, {"x": point}, ["x"], {"y": function(point)})["x"]["y"]
    return float(found.slope[0]), Mark(int(found.marks[0])), found.reason


@pytest.mark.parametrize("x", [1e-12, 0.3, 2.0, -5.0, 4e9])
def test_a_quotient_of_a_smooth_function(x):
    for function, slope in (
        (lambda at: np.exp(at / x), math.e / x),
        (lambda at: at**3, 3 * x**2),
        (lambda at: np.sin(at / x), math.cos(1) / x),
        (lambda at: 7.0 + 0.0 * at, 0.0),
        (lambda at: (at / x - 1.0) ** 2 + 1.0, 0.0),
    ):
        found, marks, reason = quotient(function, x)
        assert found == pytest.approx(slope, rel=1e-7, abs=1e-6 / abs(x))
        assert marks & ~Mark.STEPS == Mark.NUMERIC
        assert reason == ""


def test_a_quotient_at_zero_takes_shares_of_one():
    assert quotient(lambda at: 3.0 * at + 1.0, 0.0)[0] == pytest.approx(3.0)


def test_a_quotient_that_jumps_on_one_side_or_on_both():
    slope, marks, _ = quotient(lambda at: np.floor(at) + at, 2.0)
    assert slope == pytest.approx(1.0)
    assert marks == Mark.NUMERIC | Mark.ONE_SIDED | Mark.STEPS
    slope, marks, reason = quotient(lambda at: np.where(at == 2.0, 9.0, at), 2.0)
    assert math.isnan(slope)
    assert marks == Mark.NUMERIC | Mark.ONE_SIDED | Mark.STEPS
    assert reason == "it jumps here"


def test_all_points_of_all_arguments_go_to_the_function_together():
    calls = []

    def product(values):
        calls.append({name: np.shape(value) for name, value in values.items()})
        return {"y": values["a"] ** 2 * values["b"], "text": "no number"}

    values = {"a": np.array([3.0]), "b": np.array([5.0]), "kind": np.array(["fast"])}
    found = quotients(product, values, ["a", "b"], {"y": np.array([45.0])})
    assert calls == [{"a": (12,), "b": (12,), "kind": (1,)}]  # three on each side, as nothing bends
    assert {name: float(one["y"].slope[0]) for name, one in found.items()} == pytest.approx({"a": 30, "b": 9}, rel=1e-9)


def test_several_designs_at_once():
    values = {"a": np.array([2.0, 3.0, 4.0]), "b": np.array([5.0]), "c": np.array([1.0, 2.0, 3.0])}
    base = values["a"] ** 2 * values["b"] + values["c"]
    found = quotients(lambda at: {"y": at["a"] ** 2 * at["b"] + at["c"]}, values, ["a", "b"], {"y": base})
    assert found["a"]["y"].slope == pytest.approx([20, 30, 40], rel=1e-9)
    assert found["b"]["y"].slope == pytest.approx([4, 9, 16], rel=1e-9)


def test_what_is_refused_does_not_change_the_others():
    """One argument cannot be varied at all, one has an end above, one may not vary along a list."""
    sizes = []

    def picky(values):
        sizes.append(max(len(value) for value in values.values()))
        if (values["fixed"] != 1.0).any():
            raise InputError("fixed")
        if (values["ended"] > 2.0).any():
            raise InputError("ended")
        if len(set(values["alike"])) > 1:
            raise InputError("no sweeps")
        return {"y": values["free"] ** 2 + values["ended"] ** 3 + values["alike"] ** 2 + values["fixed"]}

    values = {name: np.array([x]) for name, x in {"free": 3.0, "fixed": 1.0, "ended": 2.0, "alike": 4.0}.items()}
    found = quotients(picky, values, list(values), {"y": np.array([34.0])})
    slopes = {name: float(one["y"].slope[0]) for name, one in found.items()}
    assert slopes == pytest.approx({"free": 6, "fixed": math.nan, "ended": 12, "alike": 8}, rel=1e-6, nan_ok=True)
    assert [found[name]["y"].reason for name in values] == ["", "fixed", "", ""]
    assert int(found["ended"]["y"].marks[0]) == Mark.NUMERIC | Mark.ONE_SIDED
    assert sizes[0] == 24  # three points on each side of four arguments


@pytest.mark.parametrize("designs", [1, 3])
def test_quotients_along_directions(designs):
    x, y = np.linspace(1.0, 2.0, designs), np.linspace(3.0, 5.0, designs)
    speeds = [{"x": np.full(designs, 2.0), "y": np.full(designs, -1.0)}, {"x": np.zeros(designs), "y": np.ones(1)}]
    values = {"x": x, "y": y, "kind": np.array(["fast"])}
    found = quotients_along(lambda at: {"z": at["x"] ** 2 * at["y"]}, values, speeds, {"z": x**2 * y})
    assert found[0]["z"].slope == pytest.approx(4 * x * y - x**2, rel=1e-8)
    assert found[1]["z"].slope == pytest.approx(x**2, rel=1e-8)


def test_points_are_answered_in_their_order_or_refused_one_by_one():
    def root(values):
        if (values["x"] < 0).any():
            raise InputError("negative")
        return {"y": np.sqrt(values["x"])}

    points = [Point("x", np.array([x])) for x in (4.0, -1.0, 9.0, 16.0, -4.0)]
    told = evaluated_at(root, {"x": np.array([1.0])}, points, ["y"])
    assert [one["y"].item() if isinstance(one, dict) else str(one) for one in told] == [2, "negative", 3, 4, "negative"]
    assert evaluated_at(root, {"x": np.array([1.0])}, [], ["y"]) == []


# --- explanations -------------------------------------------------------------------------------------------------


def test_explain_has_them_and_they_are_json():
    study = Study.load("hybrid-arm-lu")
    told = study.explain(123).as_dict()
    assert told["sensitivities"] == study.sensitivities(123)
    assert study.run().explain(0).sensitivities[0]["effects"].keys() == {"run_time", "energy"}
    assert json.loads(json.dumps(told["sensitivities"], allow_nan=False)) == told["sensitivities"]


def printed(study, capsys, design=0):
    rows = study.sensitivities(design)
    print_sensitivities(rows, [one.quantity for one in study.compiled.objectives])
    return capsys.readouterr().out


def test_the_table_has_the_ten_largest_of_each_objective(capsys):
    names = [f"a{place}" for place in range(14)]

    @quantity(unit="1", source=SOURCE)
    def y(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11):
        every = (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
        return sum((place + 1.0) * one for place, one in enumerate(every)) * -1.0

    @quantity(unit="1", source=SOURCE)
    def z(a0, a12, a13):
        return a0 / a12 + 0.0 * a13

    module = module_of(y, z, **{name: number() for name in names})
    out = printed(study_of(module, dict.fromkeys(names, 1.0), "y", "z"), capsys)
    listed = [line.split() for line in out.splitlines() if line.startswith("a") and line.split()[0] in names]
    assert {line[0] for line in listed} == set(names) - {"a1", "a13"}
    assert out.startswith("What a percent more would change")
    assert next(line for line in listed if line[0] == "a11") == ["a11", "1", "-0.154", "%"]
    assert next(line for line in listed if line[0] == "a0") == ["a0", "1", "-0.0128", "%", "+1", "%"]
    assert next(line for line in listed if line[0] == "a12") == ["a12", "1", "-1", "%"]


def test_the_table_says_what_is_not_exact(capsys):
    @quantity(unit="1", source=SOURCE, points_only=True)
    def odd(a, technology):
        if (np.asarray(technology) != 22.0).any():
            raise InputError("no such technology")
        return _looked_up(a, np.ones(1))

    @quantity(unit="1", source=SOURCE)
    def y(odd, b, c, nodes):
        return odd + np.floor(b) + np.maximum(c, 3.0) + nodes

    module = module_of(
        odd, y, a=number(), b=number(), c=number(), technology=number(), nodes=number(integer=True, minimum=1)
    )
    values = {"a": 0.7, "technology": 22.0, "b": 7.0, "c": 3.0, "nodes": 4.0}
    lines = [" ".join(line.split()) for line in printed(study_of(module, values, "y"), capsys).splitlines()]
    assert any(line.startswith("a 0.7000 ") and line.endswith("% numeric") for line in lines)
    assert any(line.startswith("b 7 ") and line.endswith("% in steps") for line in lines)
    assert any(line.startswith("c 3 ") and line.endswith("+0.205 / 0 %") for line in lines)
    assert any(line.startswith("nodes 4 ") and line.endswith("% as if continuous") for line in lines)
    assert "numeric: through difference quotients of made_up.odd" in lines
    assert "in steps: the change over one percent (of a whole number, over one) either way, in made_up.y" in lines
    assert "not known of technology: cannot be varied in made_up.odd" in lines


def test_a_design_on_which_nothing_has_an_effect_has_no_table(capsys):
    @quantity(unit="1", source=SOURCE)
    def y(a):
        return np.maximum(a, 5.0)

    assert printed(study_of(module_of(y, a=number()), {"a": 2.0}, "y"), capsys) == ""
