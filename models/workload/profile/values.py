"""The kinds of values that a profile holds: each checked as it is read, and as JSON Schema says it to an editor."""

from __future__ import annotations

import math
import unicodedata
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from dse.errors import shown

__all__ = [
    "BitsAt",
    "Count",
    "Counted",
    "FractionAt",
    "Ilp",
    "Line",
    "Name",
    "Number",
    "Plain",
    "Positive",
    "Probability",
    "SizeCounted",
    "Text",
    "Window",
]

_LARGEST = 2**63 - 1


def _refused(value: Any, allowed: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{problem}", {"problem": shown(value), "allowed": allowed})


def _count(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= _LARGEST:
        raise _refused(value, f"a whole number >= {least}")
    return value


def _positive(value: Any) -> int:
    return _count(value, 1)


def _probability(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise _refused(value, "a number from 0 to 1")
    return float(value)


def _ilp(value: Any) -> float:
    if type(value) not in (int, float) or not (math.isfinite(value) and value >= 0):
        raise _refused(value, "a number >= 0")
    return float(value)


def _window(value: Any) -> float:
    if value == "inf":
        return math.inf
    if type(value) is not int or not 1 <= value <= _LARGEST:
        raise _refused(value, 'a whole number >= 1, or "inf"')
    return value


def _line(value: Any) -> int | None:
    if value == "address":
        return None
    if type(value) is not int or not 1 <= value <= _LARGEST:
        raise _refused(value, 'a whole number >= 1, or "address" for distances between single addresses')
    return value


def _pair(value: Any, second: Any, allowed: str) -> tuple[int, Any]:
    try:
        first, other = value
        return _count(first), second(other)
    except (PydanticCustomError, TypeError, ValueError):
        raise _refused(value, allowed) from None


def _counted(value: Any) -> tuple[int, int]:
    return _pair(value, _count, "[upper distance, count], both whole numbers >= 0")


def _size_bin(value: Any) -> tuple[int, int, int]:
    try:
        upper, messages, held = value
        return _count(upper), _count(messages), _count(held)
    except (PydanticCustomError, TypeError, ValueError):
        raise _refused(value, "[upper bytes, messages, bytes], all whole numbers >= 0") from None


def _fraction_at(value: Any) -> tuple[int, float]:
    return _pair(value, _probability, "[whole number >= 0, number from 0 to 1]")


def _bits_at(value: Any) -> tuple[int, float]:
    return _pair(value, _ilp, "[whole number >= 0, number >= 0]")


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise _refused(value, "a finite number")
    return float(value)


def _plain(value: Any) -> int | float | str | bool:
    if isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise _refused(value, "a number, a text, true or false")


def _text(value: Any) -> Any:
    # Source and licence are printed, so control characters would reach the terminal.
    if isinstance(value, str) and any(
        unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t" for character in value
    ):
        raise _refused(value, "a text without control characters")
    return value


def _name(value: Any) -> Any:
    if isinstance(value, str) and not (
        1 <= len(value) <= 200 and not any(unicodedata.category(character) in ("Cc", "Cs") for character in value)
    ):
        raise _refused(value, "1 to 200 characters on one line, none of them a control character")
    return value


def _list_of(*items: dict[str, Any]) -> WithJsonSchema:
    kinds = list({str(item): item for item in items}.values())
    each = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return WithJsonSchema({"type": "array", "items": each, "minItems": len(items), "maxItems": len(items)})


_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": _LARGEST}
_ABOVE_ZERO: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": _LARGEST}
_SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
_AMOUNT: dict[str, Any] = {"type": "number", "minimum": 0}

Count = Annotated[int, BeforeValidator(_count), WithJsonSchema(_WHOLE)]
Positive = Annotated[int, BeforeValidator(_positive), WithJsonSchema(_ABOVE_ZERO)]
Probability = Annotated[float, BeforeValidator(_probability), WithJsonSchema(_SHARE)]
Ilp = Annotated[float, BeforeValidator(_ilp), WithJsonSchema(_AMOUNT)]
Counted = Annotated[tuple[int, int], BeforeValidator(_counted), _list_of(_WHOLE, _WHOLE)]
SizeCounted = Annotated[tuple[int, int, int], BeforeValidator(_size_bin), _list_of(_WHOLE, _WHOLE, _WHOLE)]
FractionAt = Annotated[tuple[int, float], BeforeValidator(_fraction_at), _list_of(_WHOLE, _SHARE)]
BitsAt = Annotated[tuple[int, float], BeforeValidator(_bits_at), _list_of(_WHOLE, _AMOUNT)]
Number = Annotated[float, BeforeValidator(_number), WithJsonSchema({"type": "number"})]
Plain = Annotated[Any, BeforeValidator(_plain), WithJsonSchema({"type": ["number", "string", "boolean"]})]
Line = Annotated[
    Any, BeforeValidator(_line), WithJsonSchema({"anyOf": [_ABOVE_ZERO, {"const": "address", "type": "string"}]})
]
Name = Annotated[str, BeforeValidator(_name), WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 200})]
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string"})]
Window = Annotated[
    Any, BeforeValidator(_window), WithJsonSchema({"anyOf": [_ABOVE_ZERO, {"const": "inf", "type": "string"}]})
]
