"""Primitives: formulas that need a range rule of their own, because rounding or cancellation hides their sign."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dse.ranges import Range

__all__ = ["primitive", "rising"]


def primitive(range_rule: Callable[..., Range]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a formula a rule for ranges: called with any `Range` among its arguments, the rule answers instead.

    The rule gets every argument as a `Range` (points as ranges of width 0) and must return bounds that contain the
    floating-point result of the formula for every choice of points.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def dispatch(*args: Any) -> Any:
            if any(isinstance(argument, Range) for argument in args):
                return range_rule(*(Range.of(argument) for argument in args))
            return function(*args)

        return dispatch

    return decorate


def rising(function: Callable[..., Any], *, ulps: int = 16) -> Callable[..., Range]:
    """Return the range rule of a formula that rises in every argument, up to a rounding of `ulps` last places."""

    def rule(*ranges: Range) -> Range:
        low = function(*(argument.low for argument in ranges))
        high = function(*(argument.high for argument in ranges))
        return Range(low - ulps * np.spacing(np.abs(low)), high + ulps * np.spacing(np.abs(high)))

    return rule
