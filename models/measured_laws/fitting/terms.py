"""The terms of laws, ``x^i log2(x)^j`` in one parameter and products of these over parameters, and their order.

The form is the performance-model normal form (Shudler et al. 2019, Sections 2.3 and 3). Its printed space has no
negative exponents, so nothing in it can fall with the number of processes as strong scaling does: they are added here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import Parameter

__all__ = ["CONSTANT", "Factor", "Term", "factor_space", "study_exponents"]


@total_ordering
@dataclass(frozen=True)
class Factor:
    """A power of a size times a power of its binary logarithm.

    Attributes
    ----------
    exponent : Fraction
    logarithms : int
        Exponent of the logarithm.
    """

    exponent: Fraction = Fraction(0)
    logarithms: int = 0

    def __lt__(self, other: Factor) -> bool:
        """Whether it grows more slowly: powers first, then logarithms."""
        return (self.exponent, self.logarithms) < (other.exponent, other.logarithms)

    @property
    def constant(self) -> bool:
        """Whether it does not depend on the size."""
        return not self.exponent and not self.logarithms

    @property
    def intricacy(self) -> int:
        """How much it must earn to be preferred.

        0 when constant, 1 for x, 1/x and log x; one more for any other power and for each logarithm beside a power or
        beside another one, two where the power falls.
        """
        if self.constant:
            return 0
        beside = self.logarithms - (not self.exponent)
        falling = bool(self.exponent < 0 and self.logarithms)
        return 1 + (abs(self.exponent) not in (0, 1)) + beside + falling

    def at(self, size: Any) -> Any:
        """Return its value at sizes > 0."""
        value = np.asarray(size, dtype=float) ** float(self.exponent)
        return value * np.log2(size) ** self.logarithms if self.logarithms else value

    def text(self, parameter: Parameter) -> str:
        """Write it with the name of a parameter."""
        parts = []
        if self.exponent:
            power = _power(self.exponent)
            if parameter.log2:
                parts.append(f"2^{_multiple(self.exponent, parameter.name)}")
            else:
                parts.append(parameter.name + power)
        if self.logarithms:
            log = parameter.name if parameter.log2 else f"log2({parameter.name})"
            parts.append(log + _power(Fraction(self.logarithms)))
        return "·".join(parts)


def _power(exponent: Fraction) -> str:
    if exponent == 1:
        return ""
    return f"^{exponent}" if exponent.denominator == 1 and exponent > 0 else f"^({exponent})"


def _multiple(exponent: Fraction, name: str) -> str:
    if exponent == 1:
        return name
    sign = "-" if exponent < 0 else ""
    top, bottom = abs(exponent.numerator), exponent.denominator
    inner = f"{sign}{'' if top == 1 else f'{top} '}{name}{'' if bottom == 1 else f'/{bottom}'}"
    return f"({inner})"


CONSTANT = Factor()


@dataclass(frozen=True)
class Term:
    """A product of one factor for each parameter."""

    factors: tuple[Factor, ...]

    @property
    def constant(self) -> bool:
        """Whether it depends on nothing."""
        return all(factor.constant for factor in self.factors)

    def at(self, sizes: np.ndarray) -> Any:
        """Return its values.

        Parameters
        ----------
        sizes : ndarray, shape (..., parameters)
        """
        value: Any = np.ones(np.shape(sizes)[:-1])
        for place, factor in enumerate(self.factors):
            if not factor.constant:
                value = value * factor.at(sizes[..., place])
        return value

    def text(self, parameters: Sequence[Parameter]) -> str:
        """Write it with the names of the parameters; a constant is the empty text."""
        return "·".join(
            factor.text(parameter)
            for factor, parameter in zip(self.factors, parameters, strict=True)
            if not factor.constant
        )


def study_exponents(largest: Fraction = Fraction(2)) -> tuple[Fraction, ...]:
    """Return the multiples of 1/4 and of 1/3 from 0 to the largest (Shudler et al. 2019, study of MPI libraries)."""
    if largest < 0:
        raise InputError(f"largest exponent = {largest}", allowed="a number >= 0")
    steps = {Fraction(n, d) for d in (3, 4) for n in range(int(largest * d) + 1)}
    return tuple(sorted(steps))


def factor_space(
    largest: Fraction = Fraction(2), smallest: Fraction = Fraction(-2), logarithms: int = 2
) -> tuple[Factor, ...]:
    """Return the factors a law may have in one parameter, the constant first.

    Parameters
    ----------
    largest, smallest : Fraction
        Of the exponents.
    logarithms : int
        Largest exponent of the logarithm; with falling powers at most 1.
    """
    factors = {Factor(i, j) for i in study_exponents(largest) for j in range(logarithms + 1)}
    factors |= {Factor(-i, j) for i in study_exponents(-smallest) if i for j in range(min(logarithms, 1) + 1)}
    return (CONSTANT, *sorted(factors - {CONSTANT}))
