"""Values of PISA files: numbers that may be texts, lists that may be single objects, and the paths of their keys."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal, overload

from dse.errors import InputError, shown

__all__ = ["at", "decimal", "listed", "table", "whole"]


def at(key: str, part: str | int) -> str:
    """Return the path of a part."""
    if isinstance(part, int):
        return f"{key}[{part}]"
    return f"{key}.{part}" if key else str(part)


def table(value: Any, key: str) -> Mapping[str, Any]:
    """Return an object."""
    if not isinstance(value, Mapping):
        raise InputError(f"{shown(value)} is no object", key=key, allowed="{ … }")
    return value


@overload
def listed(value: Any, key: str) -> list[Any]: ...
@overload
def listed(value: Any, key: str, *, with_keys: Literal[True]) -> list[tuple[Any, str]]: ...
def listed(value: Any, key: str, *, with_keys: bool = False) -> list[Any]:
    """Return a list; a single object, as early files have it, is a list of one."""
    if isinstance(value, Mapping):
        return [(value, key)] if with_keys else [value]
    if not isinstance(value, list):
        raise InputError(f"{shown(value)} is no list", key=key, allowed="[ … ], or one object")
    return [(item, f"{key}[{place}]") for place, item in enumerate(value)] if with_keys else value


def whole(value: Any, key: str) -> int:
    """Return a whole number that is not negative; it may be written as a text."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,18}\s*", value):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        value = int(value)
    if type(value) is not int or value < 0:
        raise InputError(shown(value), key=key, allowed="a whole number >= 0, as a number or a text")
    return value


def decimal(value: Any, key: str) -> float:
    """Return a number; it may be written as a text."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(shown(value), key=key, allowed="a finite number, as a number or a text")
    return number
