"""Functions whose result does not scale with its units are named, right ones are not, and all that come along pass."""

from pathlib import Path

import numpy as np
import pytest

from dse import Study, quantity
from dse.authoring.declare.declaration import ModelFunction
from dse.errors import ModelError
from dse.study.build.dimensions import dimension_faults, fault_of
from dse.study.file.headings import bundled_studies
from tests.example_counts import sampled

UNITS = {
    "t": "s",
    "e": "J",
    "p": "W",
    "b": "B",
    "r": "B/s",
    "f": "Hz",
    "h": "m",
    "a": "m^2",
    "v": "V",
    "k": "K",
    "n": "1",
    "c": "EUR",
    "q": "flop/s",
}
VALUES = {name: np.array([value]) for name, value in zip(UNITS, np.linspace(1.3, 7.9, len(UNITS)), strict=True)}
# Unit of the result, and a formula that has another: sums, forgotten times, logarithms, exponents, constants.
WRONG = [
    ("J", lambda p, e: p + e),
    ("W", lambda p, e: p + e),
    ("s", lambda t, n: t + n),
    ("B/s", lambda n, r: n + r),
    ("B", lambda b, r: b + r),
    ("J", lambda p, t: p),
    ("W", lambda e, t: e),
    ("W", lambda e, t: e * t),
    ("B/s", lambda b, t: b),
    ("B/s", lambda b, t: b * t),
    ("s", lambda b, r: b * r),
    ("s", lambda b, r: r / b),
    ("Hz", lambda t: t),
    ("s", lambda f: f),
    ("m", lambda h: np.log(h)),
    ("1", lambda h: np.log(h)),
    ("1", lambda b: np.log2(b)),
    ("s", lambda t: np.log(t)),
    ("1", lambda t: np.exp(-t)),
    ("1", lambda p: np.exp(p / 100.0)),
    ("1", lambda n, t: n**t),
    ("1", lambda n, h: 2.0**h * n),
    ("W", lambda p, b: p * 1.01**b),
    ("m", lambda a: a),
    ("m", lambda a: a**0.3),
    ("m^2", lambda h: h),
    ("m^2", lambda h: h**3),
    ("J", lambda v, n: v * v * n),
    ("K", lambda k: k + 273.15),
    ("s", lambda t: t + 1e-6),
    ("s", lambda t: np.maximum(t, 2.0)),
    ("s", lambda t, b: np.maximum(t, b)),
    ("s", lambda b, r: np.ceil(b / 64.0) / r),
    ("B", lambda b: np.ceil(b / 64.0) * 64.0),
    ("1", lambda t: np.where(t > 1.5, 1.0, t)),
    ("W", lambda f: 10.0 * f**2),
    ("EUR", lambda c, e: c * e),
    ("EUR", lambda c, p: c + p),
    ("1/s", lambda q, n: n / q),
    ("flop/s", lambda q, t: q * t),
    ("W", lambda p, t: p + p * t),
    ("s", lambda t: np.interp(t, [0.0, 9.0], [0.0, 3.0]) + 1.0),
]
RIGHT = [
    ("J", lambda p, t: p * t),
    ("W", lambda p, e, t: p + e / t),
    ("s", lambda b, r, t: np.maximum(b / r, t) + t),
    ("m", lambda a, h: np.sqrt(a) + h),
    ("1", lambda t, f: np.log(t * f) + np.ceil(t * f)),
    ("1", lambda n: np.log2(n) ** n),
    ("W", lambda p, n: p * 1.01**n),
    ("s", lambda t, b, r: np.where(t > b / r, t, b / r)),
    ("s", lambda t, f: np.cbrt(t / f) * np.cbrt(t)),
    ("EUR", lambda c, n: c * n),
    ("flop/s", lambda q, n, f: q * n + f),
]


def made(unit, formula):
    needs = formula.__code__.co_varnames[: formula.__code__.co_argcount]
    return ModelFunction("x", formula, needs, {"x": unit}, "made up for a test", module="made_up")


@pytest.mark.parametrize("place", range(len(WRONG)))
def test_a_wrong_function_is_named(place):
    function = made(*WRONG[place])
    fault = fault_of(function, VALUES, UNITS)
    assert fault is not None
    assert fault.quantity == "x"
    assert f"{fault.expected:.4g}" in fault.text


def test_there_are_forty_wrong_ones():
    assert len(WRONG) >= 40


@pytest.mark.parametrize("place", range(len(RIGHT)))
def test_a_right_function_is_not(place):
    assert fault_of(made(*RIGHT[place]), VALUES, UNITS) is None


@pytest.mark.parametrize("name", sampled(sorted(bundled_studies()), 12))
def test_models_that_come_along_scale_or_say_why_not(name):
    assert [fault.text for fault in dimension_faults(Study.load(name).compiled)] == []


MODEL = '''
from dse import parameter, quantity

servers = parameter(unit="1", doc="How many.")
server_bandwidth = parameter(unit="B/s", doc="Of a server.")


@quantity(unit="B/s", source="made up for a test"{more})
def bandwidth(servers, server_bandwidth):
    """A sum in place of a product."""
    return servers + server_bandwidth
'''
STUDY = """
name = "servers"
models = ["servers.py"]
objectives = [{ maximize = "bandwidth" }]

[set]
server_bandwidth = "10 GB/s"

[space.axes]
servers = { values = [1, 2, 4] }
"""


def test_check_names_the_function_of_ones_own_model(toy, dse):
    Path("servers.toml").write_text(STUDY)
    Path("servers.py").write_text(MODEL.replace("{more}", ""))
    out = dse.good("check", "servers.toml").out
    assert "units agree but for those inside these models" in out
    assert "bandwidth" in out
    (text,) = dse.good("check", "servers.toml", "--json").json["dimensions"]
    assert "'bandwidth' (B/s)" in text
    Path("servers.py").write_text(MODEL.replace("{more}", ', dimensional=False, reason="empirical"'))
    assert "units agree" in dse.good("check", "servers.toml").out


def test_a_reason_goes_with_what_is_not_dimensional():
    for given in ({"dimensional": False}, {"reason": "because"}):
        with pytest.raises(ModelError, match="reason"):

            @quantity(unit="s", source="made up for a test", **given)
            def time(nodes):
                return nodes
