"""Limits that hold one quantity to a figure, as they are written: what a form has fields for, and a question names."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PlainLimit", "plain_limit"]

_LIMIT = re.compile(
    r"\s*([A-Za-z_][A-Za-z0-9_@]*)\s*(<=|>=|<|>)\s*([+-]?[0-9][0-9_]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?)\s*([^\s].*)?"
)
_UNIT = re.compile(r"[A-Za-z%][A-Za-z0-9%/^*. -]*")


class PlainLimit(NamedTuple):
    """Quantity, relation ("<=", ">=", "<", ">"), and number with unit."""

    quantity: str
    relation: str
    figure: str


def plain_limit(text: str) -> PlainLimit | None:
    """Return the parts of a limit, None where it is another kind of condition.

    Examples
    --------
    >>> plain_limit("power<=20 MW")
    PlainLimit(quantity='power', relation='<=', figure='20 MW')
    >>> plain_limit("power <= 2 * base_power") is None
    True
    """
    match = _LIMIT.fullmatch(text)
    if match is None or (match[4] and not _UNIT.fullmatch(match[4])):
        return None
    return PlainLimit(match[1], match[2], f"{match[3]} {match[4] or ''}".strip())
