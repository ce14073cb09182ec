"""Units are converted once, at the edge; inside everything is coherent SI."""

import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import units
from dse.errors import InputError
from dse.units import (
    COHERENT,
    base_unit,
    check_si_unit,
    convert,
    display_unit,
    factor,
    format_number,
    parse_quantity,
    percent_text,
    registry,
    relative_change,
    same_dimension,
    told_apart,
    with_unit,
)


@pytest.mark.parametrize(
    ("written", "unit", "expected"),
    [
        ("2.6 GHz", "Hz", 2.6e9), ("2.6GHz", "Hz", 2.6e9), (" 10  ms ", "s", 0.01), ("1 ms", "s", 1 / 1000),
        ("3 us", "s", 3 / 1e6), ("7 ns", "s", 7 / 1e9), ("1 hour", "s", 3600.0), ("20 MW", "W", 20e6),
        ("32 GiB", "B", 32 * 2.0**30), ("8 bit", "B", 1.0), ("100 Gbit/s", "B/s", 12.5e9), ("40 GB/s", "B/s", 40e9),
        ("1.5 kJ", "J", 1500.0), ("5 pJ/bit", "J/B", 4e-11), ("4", "1", 4.0), (4, "1", 4.0), (0.5, "1", 0.5),
        ("50 percent", "1", 0.5), ("1_000", "1", 1000.0), ("1e3 s", "s", 1000.0), ("-3 J", "J", -3.0),
        (".5 s", "s", 0.5),
        ("25 degC", "K", 298.15), ("300 K", "K", 300.0), ("12 cycle", "1", 12.0), ("2 Gflop/s", "1/s", 2e9),
        ("3 m", "m", 3.0), ("100 mm^2", "m^2", 1e-4),
    ],
)  # fmt: skip
def test_numbers_with_units_are_read_into_si(written, unit, expected):
    assert parse_quantity(written, unit) == pytest.approx(expected, rel=1e-14)


def test_decimal_prefixes_are_converted_without_rounding_errors():
    for count in range(1, 200):
        assert parse_quantity(f"{count} ms", "s") == count / 1000
        assert parse_quantity(f"{count} us", "s") == count / 1e6
        assert parse_quantity(f"{count} GHz", "Hz") == count * 1e9
        assert parse_quantity(f"{count} KiB", "B") == count * 1024


def test_temperatures_start_where_their_scale_starts():
    assert convert(25.0, "degC", "K") == 298.15
    assert convert(32.0, "degF", "K") == pytest.approx(273.15)
    assert convert(5.0, "K", "K") == 5.0


@pytest.mark.parametrize(
    ("written", "unit", "expected"),
    [
        ("250 €", "EUR", 250.0), ("250 k€", "EUR", 250e3), ("20 M$", "USD", 20e6), ("0.36 €/kWh", "EUR/J", 1e-7),
        ("3 £", "GBP", 3.0), ("9 $/GB", "USD/B", 9e-9), ("300 K", "K", 300.0), ("2 euro", "EUR", 2.0),
    ],
)  # fmt: skip
def test_money_is_read_with_its_sign(written, unit, expected):
    assert parse_quantity(written, unit) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("written", "unit", "message"),
    [
        ("250k EUR", "EUR", "'250k EUR': a prefix alone is no unit; allowed: '250 kEUR' or '250e3 EUR'"),
        ("250K EUR", "EUR", "'250K EUR': a prefix alone is no unit; allowed: '250 kEUR' or '250e3 EUR'"),
        ("20M W", "W", "'20M W': a prefix alone is no unit; allowed: '20 MW' or '20e6 W'"),
        ("1.5 k", "1", "'1.5 k': a prefix alone is no unit; allowed: '1.5e3'"),
        ("2 G", "1", "'2 G': a prefix alone is no unit; allowed: '2e9'"),
        ("5 c", "m/s", "'c' would be speed of light, which is no unit here; allowed: s, Hz, B"),
        ("5e", "1", "'e' would be elementary charge, which is no unit here"),
        ("3 k J", "J", "'3 k J': a prefix alone is no unit; allowed: '3 kJ' or '3e3 J'"),
        ("3 J*k", "J", "'J*k' would be with boltzmann constant, which is no unit here"),
        ("250k EUR", "W", "'k EUR' would be with boltzmann constant"),
        ("€250", "EUR", "'€250' is not a number with a unit; allowed: a number with a unit that fits 'EUR', such as"),
        ("2 ¥", "JPY", "unreadable unit '¥'"),
    ],
)  # fmt: skip
def test_a_prefix_alone_and_constants_are_no_units(written, unit, message):
    with pytest.raises(InputError) as error:
        parse_quantity(written, unit)
    assert str(error.value).startswith(message)


def constants_of_pint():
    """Every name of a physical constant that pint has, from its own list."""
    for line in (files("pint") / "constants_en.txt").read_text(encoding="utf-8").splitlines():
        definition = line.partition("#")[0]
        if "=" in definition and not definition.startswith("@"):
            name, _, *others = (part.strip() for part in definition.split("="))
            yield from {name, *others} - {"_"}


CONSTANTS = sorted(constants_of_pint())


def test_no_physical_constant_is_a_unit():
    assert {"k", "c", "e", "g_0", "N_A", "hbar", "m_e", "R", "pi"} < set(CONSTANTS)
    written = [f"{prefix}{name}" for name in CONSTANTS for prefix in ("", "k", "M", "kilo")]
    accepted = []
    for unit in written:
        try:
            base_unit(unit)
        except InputError:
            continue
        accepted.append(unit)
    assert accepted == []


@given(
    st.lists(st.sampled_from(["W", "EUR", "s", "kB", "m", "J"]), max_size=2),
    st.sampled_from(CONSTANTS),
    st.sampled_from([" ", "*", "/"]),
)
def test_nor_among_other_words(words, constant, between):
    for text in (between.join([*words, constant]), between.join(["k", *words, constant]), f"{constant}**2"):
        with pytest.raises(InputError):
            base_unit(text)


_POWER = "[mass] * [length] ** 2 / [time] ** 3"
_ENERGY = "[mass] * [length] ** 2 / [time] ** 2"


@pytest.mark.parametrize(
    ("written", "unit", "message"),
    [
        ("2.6", "Hz", "'2.6' has no unit; allowed: a number with a unit that fits 'Hz', such as '2.6 GHz'"),
        (2.6, "W", "2.6 has no unit; allowed: a number with a unit that fits 'W', such as '20 MW'"),
        ("fast", "V", "'fast' is not a number with a unit; allowed: a number with a unit that fits 'V'"),
        ("", "1", "'' is not a number with a unit; allowed: a plain number"),
        (True, "1", "True is not a number; allowed: a plain number"),
        (None, "s", "None is not a number; allowed: a number with a unit that fits 's', such as '10 ms'"),
        ([1], "1", "[1] is not a number; allowed: a plain number"),
        (math.nan, "1", "nan is not finite; allowed: a plain number"),
        (math.inf, "1", "inf is not finite; allowed: a plain number"),
        ("1e999 s", "s", "1e999 s is not finite; allowed: a number with a unit that fits 's', such as '10 ms'"),
        ("3 GHZ", "Hz", "unknown unit 'GHZ'; did you mean 'GHz'?"),
        ("3 blorps", "V", "unknown unit 'blorps'; did you mean 'flop/s'?"),
        ("3 MW", "J", f"unit 'MW' does not fit 'J' ({_POWER} where {_ENERGY} is needed)"),
        ("3 MW", "1", f"unit 'MW' does not fit '1' ({_POWER} where a pure number is needed)"),
        ("3 percent", "s", "unit 'percent' does not fit 's' (a pure number where [time] is needed)"),
    ],
)  # fmt: skip
def test_wrong_quantities_are_refused_with_what_is_allowed(written, unit, message):
    with pytest.raises(InputError) as caught:
        parse_quantity(written, unit)
    assert str(caught.value) == message


@pytest.mark.parametrize("unit", ["GHZ ((", "1/", "**", "s s s)", "'", "\x00", "s" * 3000, "((((", "°"])
def test_any_unreadable_unit_is_an_input_error(unit):
    with pytest.raises(InputError):
        factor(unit, "s")


@pytest.mark.parametrize(
    "unit", ["s", "Hz", "B", "B/s", "J", "W", "1", "", "text", "J/B", "1/s", "m^2", "K", "V", "W/Hz"]
)
def test_coherent_si_units_are_accepted(unit):
    assert check_si_unit(unit) == unit


@pytest.mark.parametrize("unit", sorted(COHERENT))
def test_what_is_taken_for_coherent_is(unit):
    assert registry().Quantity(1.0, "dimensionless" if unit == "1" else unit).to_base_units().magnitude == 1.0


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ("GHz", "unit 'GHz' is not coherent SI (it is 1e+09 base units); allowed: s, Hz, B, B/s, J, W, …"),
        ("bit", "unit 'bit' is not coherent SI (it is 0.125 base units); allowed: s, Hz, B, B/s, J, W, …"),
        ("percent", "unit 'percent' is not coherent SI (it is 0.01 base units); allowed: s, Hz, B, B/s, J, W, …"),
        ("hour", "unit 'hour' is not coherent SI (it is 3600 base units); allowed: s, Hz, B, B/s, J, W, …"),
    ],
)
def test_other_units_are_refused_for_models(unit, message):
    with pytest.raises(InputError) as caught:
        check_si_unit(unit)
    assert str(caught.value) == message


def test_dimensions():
    assert same_dimension("GHz", "1/s")
    assert same_dimension("MB/s", "Gbit/s")
    assert same_dimension("cycle", "1")
    assert same_dimension("text", "text")
    assert not same_dimension("text", "1")
    assert not same_dimension("J", "W")
    assert not same_dimension("B", "1")
    assert factor("GiB", "B") == 2.0**30
    assert factor("Gbit/s", "B/s") == pytest.approx(1.25e8, rel=1e-15)
    assert factor("s", "s") == 1.0


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        ("Tflop/s", "flop/s"), ("(1) * (flop/s)", "flop/s"), ("(flop/s) * (s)", "1"), ("(1) / (flop/s)", "s"),
        ("(flop/s) / (flop)", "Hz"), ("(flop/s) / (Hz)", "1"), ("GHz", "Hz"), ("kflop", "1"),
    ],
)  # fmt: skip
def test_a_rate_of_operations_keeps_its_name(unit, base):
    """It has the dimension of a frequency, but nobody reads it as one."""
    assert base_unit(unit) == base
    assert same_dimension(unit, base)


@pytest.mark.parametrize(
    ("unit", "largest", "expected"),
    [
        ("Hz", 2.6e9, (1e9, "GHz")), ("s", 0.52, (1e-3, "ms")), ("s", 5000.0, (1.0, "s")), ("s", 3e-6, (1e-6, "µs")),
        ("W", 2e7, (1e6, "MW")), ("1", 5e9, (1.0, "")), ("text", 0.0, (1.0, "")), ("K", 300.0, (1.0, "K")),
        ("W", 0.0, (1.0, "W")), ("W", math.inf, (1.0, "W")), ("B", 1e12, (1e12, "TB")),
        ("1/s", 8.192e13, (1e12, "T/s")), ("1/s", 0.2, (1.0, "1/s")), ("1/s", 999.9, (1e3, "k/s")),
        ("flop/s", 1.2e18, (1e18, "Eflop/s")), ("m^2", 4.6e-5, (1e-6, "mm²")), ("m^2", 0.02, (1.0, "m²")),
        ("m^2", 1e-10, (1e-12, "µm²")), ("m^2", 0.0, (1.0, "m^2")), ("m", 2.2e-8, (1e-9, "nm")),
        ("m", 15.0, (1.0, "m")), ("J", 2e9, (1e9, "GJ")),
    ],
)  # fmt: skip
def test_display_units(unit, largest, expected):
    assert display_unit(unit, largest) == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (1234567.0, "1\u202f234\u202f567"), (2.6, "2.600"), (0.5234567, "0.5235"), (1e-7, "1.000e-07"),
     (123456.78, "123\u202f457"), (-2.5, "-2.500"), (1.5e20, "1.500e+20")],
)  # fmt: skip
def test_numbers_for_people(number, text):
    assert format_number(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(float("inf"), "infinite"), (-float("inf"), "-infinite"), (float("nan"), "not a number")]
)
def test_what_is_not_finite_is_told_in_words(number, text):
    assert format_number(number) == text
    assert with_unit(number, "W") == with_unit(number, "B") == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("٢ GHz", "'٢ GHz' is not a number with a unit; "),
        ("２ GHz", "'２ GHz' is not a number with a unit; "),
        ("1__0 GHz", "unknown unit '__0 GHz'"),
        (10**400, f"1{'0' * 56}… is not finite; "),
        pytest.param(10**5000, "a whole number of thousands of digits is not finite; ", id="5000 digits"),
    ],
)
def test_what_is_no_number_of_a_file(value, message):
    with pytest.raises(InputError) as caught:
        parse_quantity(value, "Hz")
    assert str(caught.value).startswith(message)


def test_digits_may_be_grouped_as_in_toml():
    assert parse_quantity("1_000.5 Hz", "Hz") == 1000.5


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (524288, "512 KiB"),
        (8388608, "8 MiB"),
        (1966080, "1.875 MiB"),
        (96e9, "96 GB"),
        (16e9, "16 GB"),
        (1e6, "1 MB"),
        (2.0**40, "1 TiB"),
        (1000, "1 kB"),
        (8e5, "800 kB"),
    ],
)
def test_sizes_of_caches_are_shown_as_they_are_built(size, shown):
    assert with_unit(float(size), "B") == shown


def test_R5_different_values_of_a_column_look_different():
    told = told_apart([1.0001, 1.00012, 20.0, 20.001, 20.001, math.nan, 3.5], lambda v, n: f"{v:.{n}g}")
    assert told == ["1.0001", "1.00012", "20", "20.001", "20.001", "nan", "3.5"]
    told = told_apart([1.00001, 20.0, 1.0], format_number)
    assert told == ["1.00001", "20", "1"]
    assert told_apart([163.84, 163.84000000000003], format_number) == ["163.8", "163.8"]
    assert told_apart([0.1, "a text", None], lambda v, n: with_unit(v, "s", n)) == ["100 ms", "a text", "–"]


def test_R5_a_percent_that_is_not_nothing_does_not_look_like_nothing():
    assert [percent_text(share) for share in (0.0, -5e-6, 5e-6, -0.02, 0.02)] == [
        "0.0 %",
        "> -0.1 %",
        "< 0.1 %",
        "-2.0 %",
        "2.0 %",
    ]
    assert [percent_text(share, 2, sign=True) for share in (-1e-5, 1e-5, 0.5)] == ["> -0.01 %", "< +0.01 %", "+50.00 %"]


def test_R6_below_zero_more_is_more():
    assert [relative_change(*pair) for pair in ((-8.0, -10.0), (-12.0, -10.0), (12.0, 10.0), (10.0, -10.0))] == [
        pytest.approx(one) for one in (0.2, -0.2, 0.2, 2.0)
    ]
    assert relative_change(1.0, 0.0) is None
    assert relative_change(-5.0, -5.0) == 0.0


@pytest.mark.parametrize(
    ("written", "unit", "expected"),
    [
        ("3 MEUR", "EUR", 3e6), ("2 kUSD", "USD", 2e3), ("5 dollar", "USD", 5.0), ("5 euro", "EUR", 5.0),
        ("0.36 EUR/kWh", "EUR/J", 1e-7), ("36 CHF/MWh", "CHF/J", 1e-8), ("8 USD/GB", "USD/B", 8e-9),
        ("31557600 EUR/year", "EUR/s", 1.0), ("360 g/kWh", "kg/J", 1e-7), ("3.6 l/kWh", "m^3/J", 1e-9),
        ("2 t", "kg", 2000.0),
    ],
)  # fmt: skip
def test_money_and_greenhouse_gases_are_read(written, unit, expected):
    assert parse_quantity(written, unit) == pytest.approx(expected, rel=1e-14)
    assert base_unit(written.split()[1]) == unit
    assert check_si_unit(unit) == unit


@pytest.mark.parametrize(
    ("unit", "target", "wanted"),
    [("USD", "EUR", "EUR"), ("kEUR", "USD", "USD"), ("USD/kWh", "EUR/J", "EUR"), ("GBP", "CHF", "CHF")],
)
def test_one_currency_is_no_other(unit, target, wanted):
    assert not same_dimension(unit, target)
    message = f"unit '{unit}' does not fit '{target}': currencies are not converted, give it in {wanted}"
    with pytest.raises(InputError, match=message):
        factor(unit, target)


def test_money_is_no_number_and_no_time():
    assert not same_dimension("EUR", "1")
    for target in ("s", "1"):
        with pytest.raises(InputError, match="money_in_EUR"):
            factor("EUR", target)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (312.34e6, "EUR", "312.3 MEUR"), (30e3, "USD", "30 kUSD"), (25.0, "CHF", "25 CHF"), (0.0, "EUR", "0 EUR"),
        (-3e6, "EUR", "-3 MEUR"), (0.36 / 3.6e6, "EUR/J", "0.3600 EUR/kWh"), (2e6 / 31557600, "EUR/s", "2 MEUR/year"),
        (2.86e8, "kg", "286\u202f000 t"), (318.0, "kg", "318 kg"), (341e-3 / 3.6e6, "kg/J", "341.0 g/kWh"),
    ],
)  # fmt: skip
def test_money_and_greenhouse_gases_are_shown(value, unit, shown):
    assert with_unit(value, unit).replace(".000", "") == shown


def test_common_units_are_what_the_registry_has_to_the_last_bit():
    """They are written down so that the registry, which takes a third of a second, need not load for them."""
    common = units._COMMON_SCALES
    assert {"GHz", "GB/s", "KiB", "ms", "Eflop/s", "1/s"} <= set(common)
    for unit, (base, _) in common.items():
        assert units._registry_base(unit) == base == units.base_unit(unit)
        assert units.dimensions_of(unit) == dict(units._unit(unit).dimensionality)
        for one, other in ((unit, base), (base, unit)):
            assert units._registry_factor(one, other) == units.factor(one, other), (one, other)
    for unit in [one for one, (_, scale) in common.items() if scale == 1.0]:
        for other in common:
            assert units._registry_same(unit, other) == units.same_dimension(unit, other), (unit, other)
            if units.same_dimension(unit, other):
                assert units._registry_factor(unit, other) == units.factor(unit, other), (unit, other)
                assert units._registry_factor(other, unit) == units.factor(other, unit), (other, unit)


def test_products_of_familiar_units_are_what_the_registry_has():
    for left in (unit for unit, (base, _) in units._COMMON_SCALES.items() if unit == base):
        for right in ("s", "Hz", "B", "B/s", "flop/s", "J", "W", "m^2", "kg/J", "EUR/J"):
            for sign in "*/":
                expected = units._registry_base(f"({left}) {sign} ({right})")
                assert units.product_unit(left, right, sign) == expected, (left, sign, right)


@pytest.mark.parametrize(
    ("unit", "value", "expected"),
    [
        ("s", 7200.0, "7\u202f200 s"),
        ("s", 9290.0, "2.581 h"),
        ("s", 3.0 * 86400.0, "72 h"),
        ("s", 453511.0, "5.249 days"),
        ("Hz", 1.0 / 1800.0, "2 1/h"),
        ("Hz", 0.5, "1\u202f800 1/h"),
        ("job/s", 1.0 / 1800.0, "2 jobs/h"),
        ("Hz", 0.0, "0 Hz"),
    ],
)
def test_long_times_are_hours_and_days_and_rare_events_are_counted_by_the_hour(unit, value, expected):
    assert with_unit(value, unit) == expected
    scale, shown = display_unit(unit, value)
    assert parse_quantity(f"{value / scale!r} {shown}", unit) == pytest.approx(value)
