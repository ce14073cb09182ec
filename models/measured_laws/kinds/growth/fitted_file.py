"""The file of a fitted law, of kind "law" among the files of fitted models."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from dse.authoring.declare.error_over import ErrorOver
from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import FittedDocument, Strict, read_fitted
from dse.models.measured_laws.fitting.law import Alternative, Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, Parameter
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.fitting.terms import Factor, Term
from dse.units import check_si_unit

__all__ = ["FittedFile", "FittedLaw", "FittedModel", "FittedTerm", "Measured", "Noise", "read_law"]

LAWS = ("fitted_value", "fitted_time", "fitted_energy", "fitted_power", "fitted_bytes")
"""The quantities that are a law."""

_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Finite = Annotated[float, Field(allow_inf_nan=False)]


class FittedTerm(Strict):
    """``coefficient * x^exponent * log2(x)^logarithms``; the exponent is a fraction such as "-1/3"."""

    coefficient: _Finite
    exponent: Annotated[str, Field(pattern=r"^-?\d{1,4}(/\d{1,4})?$")] = "0"
    logarithms: Annotated[int, Field(ge=0, le=4)] = 0

    def factor(self) -> Factor:
        """Return the term without its coefficient."""
        return Factor(Fraction(self.exponent), self.logarithms)

    @model_validator(mode="after")
    def _is_a_fraction(self) -> FittedTerm:
        if self.exponent.endswith("/0") or abs(self.factor().exponent) > 8:
            raise ValueError(f"exponent '{self.exponent}': a fraction from -8 to 8")
        return self


class Measured(Strict):
    """A size, the value that counts there, and how often it was measured."""

    size: _Positive
    value: _Finite
    repetitions: Annotated[int, Field(ge=1)] = 1


class Noise(Strict):
    """What repetitions tell of the values that count: their relative variance, and its degrees of freedom."""

    variance: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    freedom: Annotated[int, Field(ge=1)]


_Terms = Annotated[list[FittedTerm], Field(min_length=1, max_length=8)]


class FittedLaw(Strict):
    """A sum of terms in one parameter, with all that its intervals rest on.

    That is the runs, the covariance of the coefficients, and the `ensemble` of sums that fit about as well.
    """

    metric: str
    region: str = ""
    parameter: str
    unit: str
    terms: _Terms
    covariance: Annotated[list[list[_Finite]], Field(min_length=1, max_length=8)]
    ensemble: Annotated[list[_Terms], Field(max_length=10_000)]
    runs: Annotated[list[Measured], Field(min_length=3, max_length=10_000)]
    cross_validation_error: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    adjusted_r2: Annotated[float, Field(le=1, allow_inf_nan=False)] | None = None
    level: Annotated[float, Field(gt=0, lt=1)] = 0.9
    noise: Noise | None = None

    @model_validator(mode="after")
    def _in_order(self) -> FittedLaw:
        sizes = [run.size for run in self.runs]
        if any(before >= other for before, other in itertools.pairwise(sizes)):
            raise ValueError("runs: the sizes rise")
        if {len(self.covariance), *map(len, self.covariance)} != {len(self.terms)}:
            raise ValueError("covariance: a row and a column for each term")
        return self

    @cached_property
    def law(self) -> Law:
        """The law as it was fitted."""
        values = [run.value for run in self.runs]
        alike = np.ptp(values) <= 1e-12 * np.abs(values).max()
        return Law(
            terms=tuple(map(_term, self.terms)),
            coefficients=tuple(term.coefficient for term in self.terms),
            cross_validation_error=self.cross_validation_error,
            uncertainties=tuple(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).tolist()),
            covariance=tuple(map(tuple, self.covariance)),
            parameters=(Parameter(self.parameter),),
            unit=self.unit,
            runs=len(self.runs),
            ranges=((self.smallest, self.largest),),
            possible=tuple(
                Alternative(tuple(map(_term, terms)), tuple(term.coefficient for term in terms), float("nan"))
                for terms in self.ensemble
            ),
            measured=() if alike else tuple((run.size, run.value) for run in self.runs),
            noise=None if self.noise is None else RepetitionNoise(self.noise.variance, self.noise.freedom),
        )

    @property
    def smallest(self) -> float:
        """Least size measured."""
        return self.runs[0].size

    @property
    def largest(self) -> float:
        """Greatest size measured."""
        return self.runs[-1].size

    def value(self, sizes: np.ndarray) -> np.ndarray:
        """Return the law at sizes, of their shape [unit]."""
        sizes = np.asarray(sizes, dtype=float)
        return sum((term.coefficient * term.factor().at(sizes) for term in self.terms), np.zeros(sizes.shape))

    def distance(self, sizes: np.ndarray) -> np.ndarray:
        """Return how many times a size lies beyond the runs; 1 inside them."""
        sizes = np.asarray(sizes, dtype=float)
        return np.maximum(1.0, np.maximum(sizes / self.largest, self.smallest / sizes))

    def interval(self, size: float, level: float | None = None) -> tuple[float, float]:
        """Return between what the value lies with a probability of `level`, the file's by default (`Law.band`)."""
        return self.law.band({self.parameter: size}, level or self.level)

    def deviations(self, size: float) -> tuple[float, float]:
        """Return how far the ends of the interval are from the value, over the value: at most and at least 0."""
        low, high = self.interval(size)
        value = float(self.value(np.array(size)))
        ends = [(end - value) / (value or float(np.finfo(float).tiny)) for end in (low, high)]
        return min(*ends, 0.0), max(*ends, 0.0)


def _term(term: FittedTerm) -> Term:
    return Term((term.factor(),))


class FittedFile(FittedDocument):
    """A fitted model of kind "law"."""

    largest: ClassVar[int] = 16_000_000
    plain_texts: ClassVar[bool] = True

    kind: Literal["law"] = "law"
    source: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    date: date
    synthetic: bool = False
    model: FittedLaw
    application: str = ""
    reduced: str = "median"
    warnings: list[str] = Field(default=[])


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A file as a study uses it."""

    name: str
    content: FittedFile

    @property
    def sources(self) -> Sequence[str]:
        """Where its numbers come from."""
        return (f"fitted to {self.content.source} ({self.content.date.isoformat()})",)

    @property
    def synthetic(self) -> bool:
        """Whether the measurements are made up."""
        return self.content.synthetic

    def errors_over(self, given: Mapping[str, np.ndarray | None]) -> Mapping[str, ErrorOver]:
        """Return the error of each quantity that the law gives: at each size the ends of its interval.

        Parameters
        ----------
        given : mapping of str to ndarray or None
            ``fitted_size``: every size that a study asks for, None where it computes them.

        Raises
        ------
        InputError
            The sizes are computed: how far they reach is not known before the search.
        """
        sizes, law = given.get("fitted_size"), self.content.model
        if sizes is None:
            raise InputError(
                "the error of a fitted law depends on fitted_size, which is computed here",
                file=self.name,
                allowed='fitted_size set, or varied by an axis; or a share, such as "8 %"',
            )
        asked = [float(size) for size in sizes if law.distance(size) <= REFUSE_BEYOND]
        deviations = {size: law.deviations(size) for size in asked}
        if not any(low < high for low, high in deviations.values()):
            return {}
        return dict.fromkeys(
            LAWS, ErrorOver("fitted_size", deviations, f"{100 * law.level:g} % interval of {self.name}")
        )


def read_law(path: Path) -> FittedModel:
    """Read a fitted law.

    Raises
    ------
    InputError
        No such file, too large, not of the format; with the place in it.
    """
    content = read_fitted(path, FittedFile)
    try:
        check_si_unit(content.model.unit)
    except InputError as error:
        raise error.within(file=path, key="model.unit") from None
    return FittedModel(path.name, content)
