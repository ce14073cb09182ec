"""A quantity over one size: its law by `dse.models.measured_laws.fitting`, and the growth of that law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import Runs, fit
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import Parameter
from dse.models.measured_laws.fitting.quality import adjusted_r2
from dse.models.measured_laws.fitting.terms import Term
from dse.models.measured_laws.kinds.expectations.growth import CONSTANT, Growth, leading
from dse.models.measured_laws.tables.series import Reduction, reduce_repetitions

__all__ = ["FittedSeries", "fit_series", "growth_of", "growth_of_term", "largest_within"]


@dataclass(frozen=True)
class FittedSeries:
    """A quantity measured, or computed, at several sizes.

    Attributes
    ----------
    sizes, values : tuple of float
        In rising order, one value for each size: those given for it, reduced.
    law : Law
    variable : str
    reduced : str
        How repetitions became one value.
    """

    sizes: tuple[float, ...]
    values: tuple[float, ...]
    law: Law
    variable: str
    reduced: Reduction = "median"

    @property
    def growth(self) -> Growth:
        """The growth of the law."""
        return growth_of(self.law)

    @property
    def adjusted_r2(self) -> float | None:
        """How well the law fits (`quality.adjusted_r2`); None for a constant law."""
        computed = np.array([self.law.at({self.variable: size}) for size in self.sizes])
        return adjusted_r2(self.law, np.array(self.values), computed)


@lru_cache(maxsize=64)
def _runs(variable: str, sizes: tuple[float, ...], log2: bool) -> Runs:
    """Return what all fits over the same sizes share."""
    return Runs.of({variable: sizes}, log2=[variable] if log2 else ())


def fit_series(
    values: Sequence[float],
    sizes: Sequence[float],
    variable: str = "p",
    *,
    unit: str = "1",
    exponential: bool = False,
    reduced: Reduction = "median",
) -> FittedSeries:
    """Fit the law of one quantity over one size.

    Parameters
    ----------
    values : sequence of float
        Above 0 where the unit is that of a time, 0 or more else [unit].
    sizes : sequence of float
        In any order; sizes that are repeated count once.
    variable : str
    unit : str
    exponential : bool
        Whether powers of ``2^size`` are looked for, not powers of the size; ``2^(k x) x^j`` then, j at most 2.
    reduced : {"median", "first quartile", "mean", "minimum"}
        What becomes of the values of one size.

    Raises
    ------
    InputError
        Fewer than five different sizes, values that nothing can be measured at.
    """
    given = np.asarray(values, dtype=float)
    places = np.asarray(sizes, dtype=float)
    if len(given) != len(places):
        raise InputError(f"{len(given)} values for {len(places)} sizes", allowed="one for each size")
    for value, size in zip(given, places, strict=True):
        least = "above 0" if unit == "s" else "0 or more"
        if not (math.isfinite(value) and value >= 0.0 and (value > 0.0 or unit != "s")):
            raise InputError(f"value {value:g} at {variable} = {size:g}", allowed=f"a finite number, {least}")
    different = np.unique(places)
    counting = [reduce_repetitions(given[places == size], reduced) for size in different]
    law = fit(counting, _runs(variable, tuple(different.tolist()), exponential), unit=unit)
    return FittedSeries(tuple(different.tolist()), tuple(counting), law, variable, reduced)


def growth_of(law: Law, parameter: str | None = None) -> Growth:
    """Return the growth of a law along one of its parameters: that of its fastest term.

    Parameters
    ----------
    law : Law
    parameter : str, optional
        By default the only one.
    """
    names = [own.name for own in law.parameters]
    if parameter is None and len(names) != 1:
        raise InputError(f"the law has {len(names)} parameters", allowed=f"a parameter: {', '.join(names)}")
    if parameter is not None and parameter not in names:
        raise InputError(f"the law has no parameter '{parameter}'", allowed=names, wrong=parameter, candidates=names)
    place = names.index(parameter) if parameter else 0
    growths = [
        growth_of_term(term, law.parameters, place)
        for term, coefficient in zip(law.terms, law.coefficients, strict=True)
        if coefficient
    ]
    return leading(growths or [CONSTANT])


def growth_of_term(term: Term, parameters: Sequence[Parameter], place: int = 0) -> Growth:
    """Return the growth of a term along the parameter at a place."""
    power, logarithms = term.factors[place].exponent, Fraction(term.factors[place].logarithms)
    if parameters[place].log2:  # a factor of the size 2^x, whose logarithm is x
        return Growth(exponential=power, power=logarithms)
    return Growth(power=power, logarithm=logarithms)


def largest_within(law: Law, limit: float, *, factor: float = 1.0, largest: int = 2**40) -> int:
    """Return the largest whole size at which a law of one parameter, times a factor, stays within a limit.

    The memory wall of a machine: memory of a rank times ranks of a node, within the memory of the node.

    Parameters
    ----------
    law : Law
        Rising.
    limit : float
        In the unit of the law.
    factor : float
    largest : int
        Where the search ends.

    Raises
    ------
    InputError
        Not even 1 fits, or `largest` does.
    """
    [parameter] = law.parameters

    def fits(size: int) -> bool:
        return factor * law.at({parameter.name: size}) <= limit

    low, high = 1, largest
    if not fits(low):
        raise InputError(f"nothing fits within {limit:g} {law.unit}: {factor * law.at({parameter.name: 1}):g} at 1")
    if fits(high):
        raise InputError(f"{parameter.name} = {largest} fits within {limit:g} {law.unit} too: there is no wall")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
