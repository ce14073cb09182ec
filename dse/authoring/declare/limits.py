"""The limits of meaningful values, and the one place where they are checked."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from dse.errors import InputError

__all__ = ["Limited", "within"]

Numbers: TypeAlias = np.ndarray | float
Truths: TypeAlias = np.ndarray | np.bool_


def within(values: Numbers, minimum: float | None, maximum: float | None, above: float | None) -> Truths:
    """Return which values are between inclusive limits and above an exclusive one; NaN is not."""
    fine: Truths = np.equal(values, values)
    if minimum is not None:
        fine = fine & (values >= minimum)
    if maximum is not None:
        fine = fine & (values <= maximum)
    if above is not None:
        fine = fine & (values > above)
    return fine


class Limited:
    """What has limits: `minimum` and `maximum` inclusive, `above` exclusive, `integer` for whole numbers."""

    name: str
    unit: str
    minimum: float | None
    maximum: float | None
    above: float | None
    integer: bool

    def within(self, values: Numbers) -> Truths:
        """Return which values are inside the limits, whole numbers or not."""
        return within(values, self.minimum, self.maximum, self.above)

    def allows(self, values: Numbers) -> Truths:
        """Return which values are meaningful: finite, inside the limits, and whole where they must be."""
        fine: Truths = np.isfinite(values) & self.within(values)
        return fine & np.equal(values, np.round(values)) if self.integer else fine

    def check(self, values: np.ndarray) -> None:
        """Refuse values beyond the limits.

        Raises
        ------
        InputError
            With the first of them, and the limit it breaks.
        """
        unit = "" if self.unit == "1" else f" {self.unit}"
        rules = []
        if self.minimum is not None:
            rules.append((np.less(values, self.minimum), f">= {self.minimum:g}{unit}"))
        if self.maximum is not None:
            rules.append((np.greater(values, self.maximum), f"<= {self.maximum:g}{unit}"))
        if self.above is not None:
            rules.append((np.less_equal(values, self.above), f"> {self.above:g}{unit}"))
        if self.integer:
            rules.append((np.not_equal(values, np.round(values)), "whole numbers"))
        for wrong, allowed in rules:
            if wrong.any():
                raise InputError(f"'{self.name}' is {values[wrong][0]:g}{unit}", allowed=allowed)
