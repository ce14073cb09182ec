"""Units: converted once, at the edge, by pint; inside, every float is SI (s, Hz, B, B/s, J, W).

The byte is the base unit of information here (pint's own is the bit), ``1`` is the unit of a count, and
``cycle``, ``flop``, ``message`` … are counts. Each currency is a dimension of its own: no rate of exchange is known, so
euros and dollars are neither added nor compared. Units are those of a list: pint also knows constants of physics, and
``250k EUR`` would be a product with Boltzmann's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, SupportsFloat, TypeVar

from dse.errors import InputError, shown

if TYPE_CHECKING:
    import pint

__all__ = ["base_unit", "check_si_unit", "display_unit", "factor", "format_number", "parse_quantity", "same_dimension"]
__all__ += [
    "CURRENCIES",
    "beside",
    "common_units",
    "counts_in",
    "dimensions_of",
    "left_in_words",
    "never_negative",
    "product_unit",
    "unit_names",
]

_V = TypeVar("_V")
TEXT = "text"
_DIGITS, _MOST_DIGITS = 4, 12
_ENERGY = {"[mass]": 1.0, "[length]": 2.0, "[time]": -2.0}
_WORD_POWERS: dict[str, dict[str, float]] = {
    "1": {},
    "s": {"[time]": 1.0},
    "Hz": {"[time]": -1.0},
    "flop": {},
    "B": {"[information]": 1.0},
    "J": _ENERGY,
    "W": {**_ENERGY, "[time]": -3.0},
    "m": {"[length]": 1.0},
    "kg": {"[mass]": 1.0},
    "K": {"[temperature]": 1.0},
    "A": {"[current]": 1.0},
    "V": {**_ENERGY, "[time]": -3.0, "[current]": -1.0},
}
"""The powers of the base dimensions in the words that SI units of `_COMMON_SCALES` are made of."""
_NEVER_NEGATIVE = frozenset(("s", "W", "J", "B", "m", "m^2", "m**2"))
_COUNTS = ("cycle", "flop", "operation", "instruction", "message", "sample", "bank", "node", "core", "job")
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY", "CNY")
_WORD_POWERS |= {name: {f"[money_in_{name}]": 1.0} for name in CURRENCIES}
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
_ALLOWED = frozenset(
    (
        *("second", "minute", "hour", "day", "week", "month", "year", "hertz", "revolutions_per_minute"),
        *("meter", "angstrom", "inch", "foot", "mile", "hectare", "liter", "gallon", "gram", "metric_ton", "pound"),
        *(
            "joule",
            "watt",
            "watt_hour",
            "electron_volt",
            "calorie",
            "british_thermal_unit",
            "horsepower",
            "volt_ampere",
        ),
        *("kelvin", "degree_Celsius", "degree_Fahrenheit", "delta_degree_Celsius", "delta_degree_Fahrenheit"),
        *("ampere", "ampere_hour", "coulomb", "volt", "ohm", "siemens", "farad", "henry", "tesla", "weber"),
        *("newton", "pascal", "bar", "mole", "candela", "lumen", "lux", "becquerel", "gray", "sievert"),
        *("byte", "bit", "baud", "percent", "permille", "ppm", "count", "radian", "degree", "turn"),
        *(*_COUNTS, *CURRENCIES),
    )
)
"""The units of a study by pint's names, without prefixes. Physical constants are none, nor are units nobody means by
the letter they have: molar (M), gauss (G), poise (P)."""
_PREFIX_EXPONENTS = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_LONE_PREFIX = re.compile(r"([kKMGTP])(?:\s+(\S.*))?\Z", re.DOTALL)
COHERENT = frozenset(("1", "s", "Hz", "B", "B/s", "flop/s", "J", "W"))
"""Units that need no look at the registry, which takes a third of a second to load."""
_FAMILIAR = ["1", "s", "Hz", "B", "B/s", "J", "W", "K", "V", "m", "m^2", "m^3", "J/B", "A", "kg", "kg/J", "m^3/J"]
_FAMILIAR += [f"{name}{per}" for name in CURRENCIES for per in ("", "/J", "/B", "/s")]
_PREFIX_POWERS = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_COMMON_SCALES = {unit: (unit, 1.0) for unit in COHERENT} | {"1/s": ("Hz", 1.0)}
_COMMON_SCALES |= {
    f"{prefix}{unit}": (unit, float(f"1e{power}"))
    for unit in ("Hz", "B", "B/s", "flop/s", "J", "W")
    for prefix, power in _PREFIX_POWERS.items()
}
_COMMON_SCALES |= {f"{prefix}iB": ("B", 1024.0**power) for power, prefix in enumerate("KMGT", 1)}
_COMMON_SCALES |= {"ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9)}
_COMMON_SCALES |= {unit: (unit, 1.0) for unit in _FAMILIAR if unit not in _COMMON_SCALES}
_COMMON_SCALES |= {unit: (unit, 1.0) for unit in ("1/B", "s/B", "kg*m**2/B/s**3")}
_COMMON_SCALES |= {"W/B": ("kg*m**2/B/s**3", 1.0), "%": ("1", 0.01), "percent": ("1", 0.01)}
_COMMON_SCALES |= {"1/m^2": ("1/m**2", 1.0), "1/m**2": ("1/m**2", 1.0), "1/cm^2": ("1/m**2", 1e4)}
_COMMON_SCALES |= {"mm": ("m", 1e-3), "nm": ("m", 1e-9), "mm^2": ("m^2", 1e-6), "nJ": ("J", 1e-9), "pJ": ("J", 1e-12)}
_COMMON_SCALES |= {"W/GB": ("kg*m**2/B/s**3", 1e-9), "g/kWh": ("kg/J", 2.7777777777777777e-10)}
_COMMON_SCALES |= {"A/m": ("A/m", 1.0), "uA/um": ("A/m", 1.0), "nA/um": ("A/m", 1e-3), "pJ/bit": ("J/B", 8e-12)}
_COMMON_SCALES |= {"bit": ("B", 0.125), "Gbit/s": ("B/s", 1.25e8), "kWh": ("J", 3.6e6)}
_COMMON_SCALES |= {f"{prefix}iB/s": ("B/s", 1024.0**power) for power, prefix in enumerate("KMGT", 1)}
_COMMON_SCALES |= {"min": ("s", 60.0), "hour": ("s", 3600.0), "day": ("s", 86400.0), "year": ("s", 31557600.0)}
"""What is written in most headings: its SI unit and its size, as the registry has it (tested), which need not load."""
_BACKWARDS = {"W/GB": 1e9, "g/kWh": 3.6e9, "nA/um": 999.9999999999999}
"""What the registry multiplies by on the way back, where that is not one through the size to the last bit."""

_NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(.*?)\s*\Z", re.DOTALL)
_COMMON = [
    "s",
    "ms",
    "us",
    "ns",
    "min",
    "hour",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "B",
    "kB",
    "MB",
    "GB",
    "TB",
    "PB",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "bit",
    "Mbit",
    "Gbit",
    "B/s",
    "MB/s",
    "GB/s",
    "TB/s",
    "Mbit/s",
    "Gbit/s",
    "J",
    "kJ",
    "MJ",
    "GJ",
    "W",
    "mW",
    "kW",
    "MW",
    "GW",
    "pJ",
    "nJ",
    "pJ/bit",
    "J/B",
    "K",
    "degC",
    "V",
    "mm^2",
    "1",
    "percent",
    "flop/s",
    "Gflop/s",
    "kg",
    "t",
    "year",
    "kWh",
    "MWh",
    *CURRENCIES,
]


_LISTED = "s, Hz, B, bit, W, J, Wh, m, kg, K, V, A, EUR, USD, percent, … each with a prefix right before it (kEUR, MW)"


@lru_cache(maxsize=1)
def registry() -> pint.UnitRegistry:
    """Return the one unit registry of the process."""
    import pint

    # Empty at first: a registry that is made with its units remembers the dimensions of bits, which are then redefined.
    units: pint.UnitRegistry = pint.UnitRegistry(None, on_redefinition="ignore", cache_folder=None)
    units.load_definitions(Path(pint.__file__).parent / "default_en.txt")
    units.default_system = "mks"
    units.define("byte = [information] = B = octet")
    units.define("bit = byte / 8")
    for name in _COUNTS:
        units.define(f"{name} = []")
    for name in CURRENCIES:
        units.define(f"{name} = [money_in_{name}]")
    units.define("@alias USD = dollar")
    units.define("@alias EUR = euro")
    return units


@lru_cache(maxsize=4096)
def _unit(unit: str) -> pint.Unit:
    import pint

    text = "dimensionless" if unit in ("1", "") else unit
    for sign, name in _SIGNS.items():
        text = text.replace(sign, name)
    try:
        parsed = registry().Unit(text)
    except (
        pint.errors.PintError,
        ValueError,
        TypeError,
        AttributeError,
        SyntaxError,
        RecursionError,
        KeyError,
    ) as error:
        raise InputError(f"unknown unit '{unit}'", wrong=unit, candidates=_COMMON) from error
    except Exception as error:  # pint lets tokenizer errors through, whose classes depend on the Python version
        raise InputError(f"unreadable unit '{unit}'", wrong=unit, candidates=_COMMON) from error
    for word in _names_of(parsed):
        name = _without_prefix(str(word))
        if name not in _ALLOWED:
            in_words = f"'{unit}' would be {'with ' if name != str(parsed) else ''}{name.replace('_', ' ')}"
            raise InputError(f"{in_words}, which is no unit here", allowed=_LISTED, wrong=unit, candidates=_COMMON)
    return parsed


def _names_of(unit: pint.Unit) -> dict[str, float]:
    """Return the power of each word of a unit: ``{"byte": 1.0, "second": -1.0}``."""
    powers = registry().Quantity(1.0, unit).unit_items()
    return {str(word): float(power) for word, power in powers}  # type: ignore[arg-type]  # pint allows complex powers


def _without_prefix(name: str) -> str:
    """Return a unit of the registry without its prefix: ``watt`` of ``megawatt``."""
    if name in _ALLOWED:
        return name
    return next((base for _, base, _ in registry().parse_unit_name(name)), name)


@lru_cache(maxsize=4096)
def factor(unit: str, target: str) -> float:
    """Return what a value in `unit` is multiplied by to be in `target`.

    Raises
    ------
    InputError
        An unknown unit, or two units of different dimension.
    """
    if unit in _COMMON_SCALES and target in _COMMON_SCALES:
        scale, size = _COMMON_SCALES[unit][1], _COMMON_SCALES[target][1]
        if 1.0 in (scale, size) and same_dimension(unit, target):
            return scale if size == 1.0 else _BACKWARDS.get(target, 1.0 / size)
    return _registry_factor(unit, target)


def _registry_factor(unit: str, target: str) -> float:
    written, wanted = _unit(unit), _unit(target)
    if written.dimensionality != wanted.dimensionality:
        paid, asked = _currencies(unit), _currencies(target)
        if paid and asked and paid != asked:
            raise InputError(f"unit '{unit}' does not fit '{target}': currencies are not converted, give it in {asked}")
        raise InputError(
            f"unit '{unit}' does not fit '{target}' ({_dimension(unit)} where {_dimension(target)} is needed)"
        )
    return float(registry().Quantity(1.0, written).to(wanted).magnitude) if written != wanted else 1.0


def _currencies(unit: str) -> str:
    """Return the currencies a unit is made of, as text."""
    currencies = [name for name in CURRENCIES if f"[money_in_{name}]" in _unit(unit).dimensionality]
    return " and ".join(currencies)


def unit_names() -> dict[str, str]:
    """Return every word that is a unit of a study, without prefixes, each with the name of the unit."""
    return {str(word): unit.name for word, unit in registry()._units.items() if unit.name in _ALLOWED}


def common_units(unit: str) -> list[str]:
    """Return those of the units that are written most which have the dimension of `unit`."""
    return [name for name in _COMMON if same_dimension(name, unit)]


def _dimension(unit: str) -> str:
    text = str(_unit(unit).dimensionality)
    return "a pure number" if text == "dimensionless" else text


@lru_cache(maxsize=4096)
def dimensions_of(unit: str) -> dict[str, float]:
    """Return the powers of the base dimensions in a unit: ``{"[time]": -1.0}`` of a frequency; none of a count."""
    if unit in _COMMON_SCALES:
        return _powers_of_words(_COMMON_SCALES[unit][0])
    powers: object = _unit(unit).dimensionality
    return {str(base): float(power) for base, power in dict(powers).items()}  # type: ignore[call-overload]


@lru_cache(maxsize=256)
def _powers_of_words(unit: str) -> dict[str, float]:
    """Return the powers of the base dimensions in words joined by ``*`` and ``/``, each with a power of one digit."""
    powers: dict[str, float] = {}
    for sign, word, power in re.findall(r"(^|[*/])(\w+)(?:(?:\*\*|\^)(\d))?", unit):
        for base, own in _WORD_POWERS[word].items():
            powers[base] = powers.get(base, 0.0) + own * float(power or 1) * (-1.0 if sign == "/" else 1.0)
    return {base: power for base, power in powers.items() if power}


@lru_cache(maxsize=4096)
def same_dimension(unit: str, other: str) -> bool:
    """Tell whether values in the two units can be compared and added."""
    if TEXT in (unit, other):
        return unit == other
    if unit in _COMMON_SCALES and other in _COMMON_SCALES:
        first, second = (_COMMON_SCALES[name][0].replace("flop/s", "Hz") for name in (unit, other))
        return first == second
    return _registry_same(unit, other)


def _registry_same(unit: str, other: str) -> bool:
    return bool(_unit(unit).dimensionality == _unit(other).dimensionality)


@lru_cache(maxsize=4096)
def base_unit(unit: str) -> str:
    """Return the name of the coherent SI unit of the same dimension: the familiar one where there is one.

    Operations are counts, so a rate of them has the dimension of a frequency, but keeps its name: ``flop/s``.
    """
    return _COMMON_SCALES[unit][0] if unit in _COMMON_SCALES else _registry_base(unit)


def _registry_base(unit: str) -> str:
    if same_dimension(unit, "1/s") and _flops(unit) == 1:
        return "flop/s"
    for familiar in _FAMILIAR:
        if same_dimension(unit, familiar):
            return familiar
    return f"{registry().Quantity(1.0, _unit(unit)).to_base_units().units:~C}"


@lru_cache(maxsize=1024)
def product_unit(left: str, right: str, sign: str) -> str:
    """Return the base unit of what has one unit times (``*``) or per (``/``) what has another."""
    if left in _COMMON_SCALES and right in _COMMON_SCALES:
        first, second = _COMMON_SCALES[left][0], _COMMON_SCALES[right][0]
        turn = 1.0 if sign == "*" else -1.0
        powers = dict(_powers_of_words(first))
        for base, power in _powers_of_words(second).items():
            powers[base] = powers.get(base, 0.0) + turn * power
        powers = {base: power for base, power in powers.items() if power}
        if powers == {"[time]": -1.0}:
            return "flop/s" if ("flop" in first) + turn * ("flop" in second) == 1 else "Hz"
        for familiar in _FAMILIAR:
            if _powers_of_words(familiar) == powers:
                return familiar
    return base_unit(f"({left}) {sign} ({right})")


def _flops(unit: str) -> float:
    """Return the power in which operations stand in a unit."""
    return sum(power for word, power in _names_of(_unit(unit)).items() if word.endswith("flop"))


@lru_cache(maxsize=4096)
def counts_in(unit: str) -> tuple[str, ...]:
    """Return the counts among the words of a unit (``node`` of ``W/node``); operations have a unit of their own."""
    if unit in _COMMON_SCALES:
        return ()
    words = _names_of(_unit(unit))
    return tuple(name for name in _COUNTS if name != "flop" and any(word.endswith(name) for word in words))


def never_negative(unit: str) -> bool:
    """Tell whether a unit is one of time, power, energy, bytes, length or area, or of these per something else.

    Money may be negative, and so may counts, temperatures and what is made by multiplying.
    """
    return unit.partition("/")[0] in _NEVER_NEGATIVE


@lru_cache(maxsize=4096)
def check_si_unit(unit: str) -> str:
    """Return `unit` when it is coherent SI (factor 1 to base units); models may use no other."""
    if unit == TEXT or unit in COHERENT or _COMMON_SCALES.get(unit, ("", 0.0))[1] == 1.0:
        return unit
    scale = registry().Quantity(1.0, _unit(unit)).to_base_units().magnitude
    if not math.isclose(scale, 1.0, rel_tol=1e-12):
        raise InputError(
            f"unit '{unit}' is not coherent SI (it is {scale:g} base units)", allowed="s, Hz, B, B/s, J, W, …"
        )
    return unit


def parse_quantity(value: object, unit: str) -> float:
    """Return a number of a file or command line in SI `unit`.

    Parameters
    ----------
    value : int, float or str
        A bare number is only accepted where `unit` is ``1``; elsewhere the unit is written: ``"2.6 GHz"``.
    unit : str
        The coherent SI unit that is needed.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise InputError(f"{value!r} is not a number", allowed=_example(unit))
    if isinstance(value, str):
        match = _NUMBER.match(value)
        if not match:
            raise InputError(f"'{value}' is not a number with a unit", allowed=_example(unit))
        number, written = float(match[1]), match[2]
    else:
        try:
            number, written = float(value), ""
        except OverflowError:  # a whole number beyond 1.8e308
            number, written = math.inf, ""
    if not math.isfinite(number):
        raise InputError(f"{value if isinstance(value, str) else shown(value)} is not finite", allowed=_example(unit))
    if not written:
        if not same_dimension(unit, "1"):
            raise InputError(f"{value!r} has no unit", allowed=_example(unit))
        return number
    try:
        return convert(number, written, unit)
    except InputError:
        if isinstance(value, str) and (meant := _prefix_meant(value, written, unit)):
            raise InputError(f"'{value}': a prefix alone is no unit", allowed=meant) from None
        raise


def _prefix_meant(value: str, written: str, unit: str) -> str:
    """Return how a number whose prefix stands apart from its unit is written: '250k EUR' is '250 kEUR'."""
    match = _LONE_PREFIX.match(written)
    if not match:
        return ""
    prefix, rest = match[1], match[2] or ""
    number = value.strip()[: -len(written)].strip()
    together = f"{'k' if prefix == 'K' else prefix}{rest}" if rest else ""
    larger = f"'{number}e{_PREFIX_EXPONENTS[prefix]}{' ' * bool(rest)}{rest}'" if "e" not in number.lower() else ""
    try:
        if not same_dimension(rest or "1", unit):
            return ""
        if together:
            _unit(together)
    except InputError:
        together = ""
    return " or ".join(text for text in (f"'{number} {together}'" if together else "", larger) if text)


def unit_of(text: str) -> str:
    """Return the unit a number is written with, empty where there is none."""
    match = _NUMBER.match(text)
    return match[2] if match else ""


def convert(number: float, unit: str, target: str) -> float:
    """Convert one number, dividing by a whole factor where that is the exact way (1 ms is 1/1000 s)."""
    scale, inverse = factor(unit, target), factor(target, unit)
    if "deg" in unit:  # a temperature scale may start elsewhere than at 0 K
        return float(registry().Quantity(number, _unit(unit)).to(_unit(target)).magnitude)
    if scale < 1.0 and math.isclose(inverse, round(inverse), rel_tol=1e-13):
        return number / round(inverse)
    return number * (round(scale) if scale > 1.0 and math.isclose(scale, round(scale), rel_tol=1e-13) else scale)


def _example(unit: str) -> str:
    if same_dimension(unit, "1"):
        return "a plain number"
    examples = {name: f"'250 k{name}'" for name in CURRENCIES}
    examples |= {"Hz": "'2.6 GHz'", "s": "'10 ms'", "W": "'20 MW'", "J": "'1 kJ'", "B": "'32 GiB'", "B/s": "'40 GB/s'"}
    return f"a number with a unit that fits '{unit}'" + (f", such as {examples[unit]}" if unit in examples else "")


_PREFIXES = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m")]
_PREFIXES += [(1e-6, "µ"), (1e-9, "n"), (1e-12, "p")]
_PREFIXED = ("Hz", "B/s", "B", "J", "W", "flop/s", "s")
# From which size on, the divisor, the name. "m/s" would be a speed, so rates have no prefix below 1.
_STEPS = {
    "1/s": [*((scale, scale, f"{prefix}/s") for scale, prefix in _PREFIXES if scale > 1.0), (0.0, 1.0, "1/s")],
    "m^2": [(1e-2, 1.0, "m²"), (1e-8, 1e-6, "mm²"), (0.0, 1e-12, "µm²")],
    "m": [(1e-2, 1.0, "m"), (1e-4, 1e-3, "mm"), (1e-7, 1e-6, "µm"), (0.0, 1e-9, "nm")],
    "kg": [(1e3, 1e3, "t"), (0.0, 1.0, "kg")],
    "kg/J": [(0.0, 1e-3 / 3.6e6, "g/kWh")],
    "m^3/J": [(0.0, 1e-3 / 3.6e6, "l/kWh")],
}
for _currency in CURRENCIES:
    _STEPS[_currency] = [(1e6, 1e6, f"M{_currency}"), (1e3, 1e3, f"k{_currency}"), (0.0, 1.0, _currency)]
    _STEPS[f"{_currency}/J"] = [(0.0, 1.0 / 3.6e6, f"{_currency}/kWh")]
    _STEPS[f"{_currency}/B"] = [(0.0, 1e-9, f"{_currency}/GB")]
    _STEPS[f"{_currency}/s"] = [
        (scale / 31557600.0 if prefix else 0.0, scale / 31557600.0, f"{prefix}{_currency}/year")
        for scale, prefix in ((1e6, "M"), (1e3, "k"), (1.0, ""))
    ]


def _binary(size: float) -> tuple[float, str] | None:
    """Return divisor and name of the binary multiple in which a size is a whole number of sixteenths, or None."""
    if size % 1000.0 == 0.0:
        return None
    for power, name in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        scale = 1024.0**power
        if size >= scale:
            return (scale, name) if (16.0 * size / scale).is_integer() else None
    return None


_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_MEGAWATT_HOURS = {"GJ": 1.0 / 3.6, "TJ": 1e3 / 3.6, "PJ": 1e6 / 3.6, "EJ": 1e9 / 3.6}
_LONG = {"s": ((3.0 * _DAY, _DAY, "days"), (2.0 * _HOUR, _HOUR, "h"))}
_BY_THE_HOUR = {"Hz": "1/h", "job/s": "jobs/h"}  # rates below one a second


def display_unit(unit: str, largest: float) -> tuple[float, str]:
    """Return the divisor and the unit in which values up to `largest` are read most easily."""
    if unit == "1" or unit == TEXT:
        return 1.0, ""
    binary = _binary(abs(largest)) if unit == "B" and math.isfinite(largest) else None
    if binary is not None:
        return binary
    if unit in _LONG and math.isfinite(largest):
        for least, scale, shown in _LONG[unit]:
            if abs(largest) > least:
                return scale, shown
    if unit in _BY_THE_HOUR and 0.0 < abs(largest) < 1.0:
        return 1.0 / _HOUR, _BY_THE_HOUR[unit]
    if unit in _STEPS and largest and math.isfinite(largest):
        return next((scale, shown) for least, scale, shown in _STEPS[unit] if abs(largest) >= least * 0.9995)
    if unit not in _PREFIXED or not largest or not math.isfinite(largest):
        return 1.0, unit
    for scale, prefix in _PREFIXES:
        if abs(largest) >= scale * 0.9995 and not (unit == "s" and scale > 1.0):
            return scale, prefix + unit
    return 1.0, unit


def beside(value: float, unit: str, digits: int = 4) -> str:
    """Write a large energy in MWh or GWh, as it stands in bills; nothing of what is no such.

    Examples
    --------
    >>> beside(7.2, "GJ"), beside(7.2, "TJ"), beside(7.2, "MJ")
    ('2 MWh', '2 GWh', '')
    """
    if unit not in _MEGAWATT_HOURS:
        return ""
    energy, name = value * _MEGAWATT_HOURS[unit], "MWh"
    if abs(energy) >= 1000.0:
        energy, name = energy / 1000.0, "GWh"
    return f"{format_number(energy, digits)} {name}"


def format_number(value: float, digits: int = 4) -> str:
    """Write a number for people: four significant digits, thousands separated by a thin blank."""
    value = float(value)
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite" if value > 0 else "-infinite"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    if 1e-3 <= abs(value) < 1e6:
        text = f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
        return text.replace(",", "\u202f")
    return f"{value:.{digits - 1}e}"


def told_apart(values: Sequence[_V], write: Callable[[_V, int], str]) -> list[str]:
    """Write the values of a column, with more digits where different ones would look alike.

    Parameters
    ----------
    values : sequence
    write : callable
        Writes a value with a number of significant digits.

    Returns
    -------
    list of str
        With four digits; those that look alike and differ with as many as tell them apart, if twelve do: what is then
        left is rounding.
    """
    texts = [write(value, _DIGITS) for value in values]
    alike: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        alike.setdefault(_without_zeros(text), []).append(place)
    for places in alike.values():
        if len({values[place] for place in places}) == 1:
            continue
        different = len({_without_zeros(write(values[place], _MOST_DIGITS)) for place in places})
        digits = _DIGITS
        while different > 1:
            digits += 1
            finer = [write(values[place], digits) for place in places]
            if len({_without_zeros(text) for text in finer}) == different:
                for place, text in zip(places, finer, strict=True):
                    texts[place] = text
                break
    return texts


def _without_zeros(text: str) -> str:
    """Return a number as the eye takes it: 1.000 s is 1 s."""
    number, blank, unit = text.partition(" ")
    if "." in number and "e" not in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number}{blank}{unit}"


def percent_text(share: float, decimals: int = 1, *, sign: bool = False) -> str:
    """Write a share in percent; one that would look like nothing, or like nothing below it, as less than what shows.

    Examples
    --------
    >>> percent_text(0.125), percent_text(-4e-6), percent_text(4e-6), percent_text(0.25, 2, sign=True)
    ('12.5 %', '> -0.1 %', '< 0.1 %', '+25.00 %')
    """
    percent, least = 100.0 * share, 10.0**-decimals
    if percent and abs(percent) < 0.5 * least:
        return f"< {least:{'+' if sign else ''}.{decimals}f} %" if percent > 0 else f"> {-least:.{decimals}f} %"
    return f"{percent:{'+' if sign else ''}.{decimals}f} %"


def left_in_words(seconds: float) -> str:
    """Say how long the rest takes: in seconds, in minutes, or that it is hours; nothing below a second.

    Examples
    --------
    >>> left_in_words(0.4), left_in_words(90.0), left_in_words(900.0), left_in_words(1e9)
    ('', 'about 90 s left', 'about 15 min left', 'hours left')
    """
    if seconds < 1.0:
        return ""
    if seconds < 2.0 * _MINUTE:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / _MINUTE:.0f} min left" if seconds < 2.0 * _HOUR else "hours left"


def relative_change(value: float, base: float) -> float | None:
    """Return by what share of its size a value differs from another, None where that is 0: below 0, more is less."""
    return math.copysign(value / base - 1.0, (value - base)) if base else None


def with_unit(value: str | SupportsFloat | None, unit: str, digits: int = 4) -> str:
    """Write a value with its unit for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or unit == TEXT:
        return str(value)
    if value is None:
        return "–"
    if not math.isfinite(float(value)):
        return format_number(float(value))
    scale, name = display_unit(unit, abs(float(value)))
    return f"{format_number(float(value) / scale, digits)} {name}".strip()
