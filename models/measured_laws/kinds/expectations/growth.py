"""Growth of a quantity with one size, without its coefficient: exact exponents, and which of two grows faster.

``2^(k x) · x^i · log2(x)^j`` with rational k, i and j. What grows faster in the end is the one with the larger
exponents in this order: exponentials before powers, powers before logarithms (Shudler et al. 2019, Section 2.3, whose
space has no falling powers; strong scaling needs them).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any, Literal

import numpy as np

__all__ = ["CONSTANT", "Growth", "GrowthClass", "leading"]

GrowthClass = Literal["logarithmic", "polynomial", "exponential"]


@total_ordering
@dataclass(frozen=True)
class Growth:
    """``2^(exponential · x) · x^power · log2(x)^logarithm``.

    Attributes
    ----------
    exponential, power, logarithm : Fraction
    """

    exponential: Fraction = Fraction(0)
    power: Fraction = Fraction(0)
    logarithm: Fraction = Fraction(0)

    @property
    def exponents(self) -> tuple[Fraction, Fraction, Fraction]:
        """The exponents, the one that decides first."""
        return self.exponential, self.power, self.logarithm

    @property
    def kind(self) -> GrowthClass:
        """The class of its fastest component; a constant counts as logarithmic."""
        if self.exponential:
            return "exponential"
        return "polynomial" if self.power else "logarithmic"

    @property
    def dominating(self) -> Growth:
        """Its fastest component alone."""
        if self.exponential:
            return Growth(exponential=self.exponential)
        return Growth(power=self.power) if self.power else self

    def __lt__(self, other: Growth) -> bool:
        """Whether it grows more slowly in the end."""
        return self.exponents < other.exponents

    def __mul__(self, other: Growth) -> Growth:
        """Return the product: exponents add up."""
        return Growth(*(own + two for own, two in zip(self.exponents, other.exponents, strict=True)))

    def __truediv__(self, other: Growth) -> Growth:
        """Return the quotient: exponents are subtracted."""
        return self * other**-1

    def __pow__(self, exponent: Fraction | int) -> Growth:
        """Return a power: exponents are multiplied."""
        return Growth(*(own * exponent for own in self.exponents))

    def at(self, size: Any) -> Any:
        """Return its value at sizes above 0 (above 1 where the logarithm's exponent is no whole number >= 0)."""
        x = np.asarray(size, dtype=float)
        value = 2.0 ** (float(self.exponential) * x) * x ** float(self.power)
        return value * np.log2(x) ** float(self.logarithm) if self.logarithm else value

    def text(self, variable: str = "p") -> str:
        """Write it as `dse.models.measured_laws.kinds.expectations.language.parse_growth` reads it."""
        parts = []
        if self.power:
            parts.append(variable + _exponent(self.power))
        if self.exponential:
            parts.append("2^" + (variable if self.exponential == 1 else f"({self.exponential} {variable})"))
        if self.logarithm:
            parts.append(f"log{_exponent(self.logarithm)} {variable}")
        return " ".join(parts) or "1"


CONSTANT = Growth()


def leading(growths: Iterable[Growth]) -> Growth:
    """Return the growth of a sum: that of its fastest term."""
    return max(growths)


def _exponent(value: Fraction) -> str:
    if value == 1:
        return ""
    return f"^{value}" if value.denominator == 1 and value > 0 else f"^({value})"
