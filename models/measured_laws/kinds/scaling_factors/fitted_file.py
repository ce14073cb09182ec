"""Fitted factors as a file (JSON): what a study reads, with the points they were fitted to."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import FittedDocument, Strict, read_fitted
from dse.models.measured_laws.kinds.scaling_factors.fitting import LARGEST_SINGLE, FittedFactor
from dse.models.measured_laws.kinds.scaling_factors.forms import FORMS
from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import ScalingProfile

__all__ = ["FittedFactors", "as_document", "read_factors_fit"]

_OF_PROFILE = ("source", "sha256", "date", "synthetic", "name", "mode", "times", "notes")


class FactorModel(Strict):
    """A fitted factor with its points."""

    form: str
    single: float = Field(gt=0, le=LARGEST_SINGLE)
    growth: float = Field(ge=0, le=1)
    ranks: tuple[float, ...] = Field(min_length=2, max_length=100_000)
    values: tuple[float, ...] = Field(min_length=2, max_length=100_000)
    left_out_error: float | None = None
    quality: Literal["fitted", "few points", "exact"] = "fitted"
    measured: tuple[Annotated[float, Field(gt=0, le=LARGEST_SINGLE)], ...] = Field(default=(), max_length=100_000)


class FittedFactors(FittedDocument):
    """A fitted model of kind "scaling-factors"; without hash and date where factors came from elsewhere."""

    largest: ClassVar[int] = 4 * 1024 * 1024

    kind: Literal["scaling-factors"] = "scaling-factors"
    source: str = ""
    sha256: str = Field("", pattern=r"^([0-9a-f]{64})?$")
    date: str = Field("", pattern=r"^(\d{4}-\d\d-\d\d)?$")
    name: str = ""
    mode: Literal["strong", "weak"]
    times: Literal["measured", "modelled"]
    notes: tuple[str, ...] = ()
    factors: dict[str, FactorModel]


def as_document(profile: ScalingProfile) -> FittedFactors:
    """Return fitted factors as they stand in the file."""
    factors = {name: vars(factor) for name, factor in profile.factors.items()}
    return FittedFactors.model_validate(
        {**{field: getattr(profile, field) for field in _OF_PROFILE}, "factors": factors}
    )


def read_factors_fit(file: Path) -> ScalingProfile:
    """Read fitted factors, with every check."""
    content = read_fitted(file, FittedFactors)
    if set(content.factors) not in ({"LB", "Ser", "Trf"}, {"LB", "CommEff"}):
        raise InputError("other factors", file=file, key="factors", allowed="LB, Ser and Trf, or LB and CommEff")
    for name, factor in content.factors.items():
        if factor.form not in FORMS:
            raise InputError(
                f"'{factor.form}' is no form", file=file, key=f"factors.{name}", allowed=list(FORMS), wrong=factor.form
            )
        if len(factor.measured) not in (0, len(factor.ranks)):
            raise InputError(
                "measured values that are none", file=file, key=f"factors.{name}", allowed="one for each P"
            )
        if len(factor.ranks) != len(factor.values) or not all(
            math.isfinite(rank) and rank >= 1 for rank in factor.ranks
        ):
            raise InputError("points that are none", file=file, key=f"factors.{name}", allowed="a value for each P")
    factors = {name: FittedFactor(**dict(factor)) for name, factor in content.factors.items()}
    return ScalingProfile(factors, **{field: getattr(content, field) for field in _OF_PROFILE})
