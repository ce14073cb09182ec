"""Primitives: formulas that need a rule of their own for ranges, signs and dual numbers.

Rounding or cancellation hides the sign of such a formula from the rules of its operations, or a guard its derivative.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from dse.arithmetic.duals import Dual
from dse.arithmetic.duck_array import Operand
from dse.arithmetic.monotonicity import Signed, bounds_of, unsigned
from dse.arithmetic.ranges import Range
from dse.arithmetic.steps import recorded

__all__ = ["primitive", "rising"]

Formula: TypeAlias = Callable[..., Any]
"""It returns the kind of its arguments, an array for arrays, which Python's types cannot say of any number of them."""


def primitive(
    range_rule: Callable[..., Range],
    dual_rule: Formula | None = None,
    sign_rule: Formula | None = None,
) -> Callable[[Formula], Formula]:
    """Give a formula its rules: called with a stand-in among its arguments, the rule answers instead.

    Parameters
    ----------
    range_rule : callable
        Gets every argument as a `Range` (points as ranges of width 0) and must return bounds that contain the
        floating-point result of the formula for every choice of points.
    dual_rule : callable, optional
        Gets the arguments as they are: the formula itself where the rules of its operations serve, or
        `dse.arithmetic.duals.by_partials`. Without it, dual numbers are refused.
    sign_rule : callable, optional
        Gets the arguments as they are, some of them `dse.arithmetic.monotonicity.Signed`: the formula itself where the
        rules of its operations serve. What it claims must hold for the floating-point result. Without it, no sign is
        known.
    """

    def decorate(function: Formula) -> Formula:
        @functools.wraps(function)
        def dispatch(*args: Operand) -> Any:
            step = recorded(function.__name__, dispatch, args)
            if step is not None:
                return step
            if any(isinstance(argument, Signed) for argument in args):
                if sign_rule is None:
                    return unsigned(dispatch(*(bounds_of(argument) for argument in args)), *args)
                return sign_rule(*args)
            if any(isinstance(argument, Range) for argument in args):
                return range_rule(*(Range.of(argument) for argument in args))
            if any(isinstance(argument, Dual) for argument in args):
                if dual_rule is None:
                    Dual.refuse(f"the primitive {function.__name__}", "its dual_rule, such as by_partials(…)")
                return dual_rule(*args)
            return function(*args)

        return dispatch

    return decorate


def rising(function: Callable[..., np.ndarray], *, ulps: int = 16) -> Callable[..., Range]:
    """Return the range rule of a formula that rises in every argument, up to a rounding of `ulps` last places."""

    def rule(*ranges: Range) -> Range:
        low = function(*(argument.low for argument in ranges))
        high = function(*(argument.high for argument in ranges))
        return Range(low - ulps * np.spacing(np.abs(low)), high + ulps * np.spacing(np.abs(high)))

    return rule
