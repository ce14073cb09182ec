"""Fitted factors as a file (JSON): what a study reads, with the points they were fitted to."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dse.errors import InputError, shown
from dse.models.measurements.fit_header import FIT_FORMAT, refuse_other_fits
from dse.models.measurements.text_table import read_bounded
from dse.models.scaling_factors.fitting import LARGEST_SINGLE, FittedFactor
from dse.models.scaling_factors.forms import FORMS
from dse.models.scaling_factors.scaling_profile import ScalingProfile

__all__ = ["KIND", "as_document", "read_fitted", "write_fitted"]

KIND = "scaling-factors"
_LARGEST = 4 * 1024 * 1024


class _Factor(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    form: str
    single: float = Field(gt=0, le=LARGEST_SINGLE)
    growth: float = Field(ge=0, le=1)
    ranks: list[float] = Field(min_length=2, max_length=100_000)
    values: list[float] = Field(min_length=2, max_length=100_000)
    left_out_error: float | None = None
    quality: Literal["fitted", "few points", "exact"] = "fitted"
    measured: list[Annotated[float, Field(gt=0, le=LARGEST_SINGLE)]] = Field(default=[], max_length=100_000)


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    format: Literal["dse-fit/1"]
    kind: Literal["scaling-factors"]
    source: str = ""
    sha256: str = Field("", pattern=r"^([0-9a-f]{64})?$")
    date: str = Field("", pattern=r"^(\d{4}-\d\d-\d\d)?$")
    synthetic: bool = False
    name: str = ""
    mode: Literal["strong", "weak"]
    times: Literal["measured", "modelled"]
    notes: list[str] = []
    factors: dict[str, _Factor]


def as_document(profile: ScalingProfile) -> dict[str, Any]:
    """Return fitted factors as they stand in the file."""
    return {
        "format": FIT_FORMAT,
        "kind": KIND,
        "source": profile.source,
        "sha256": profile.sha256,
        "date": profile.date,
        "synthetic": profile.synthetic,
        "name": profile.name,
        "mode": profile.mode,
        "times": profile.times,
        "notes": list(profile.notes),
        "factors": {
            name: {
                "form": one.form,
                "single": one.single,
                "growth": one.growth,
                "ranks": list(one.ranks),
                "values": list(one.values),
                "left_out_error": one.left_out_error,
                "quality": one.quality,
                "measured": list(one.measured),
            }
            for name, one in profile.factors.items()
        },
    }


def write_fitted(profile: ScalingProfile, file: Path) -> None:
    """Write fitted factors; a file that exists is not overwritten."""
    text = json.dumps(as_document(profile), indent=1, allow_nan=False) + "\n"
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name") from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None


def read_fitted(file: Path) -> ScalingProfile:
    """Read fitted factors, with every check."""
    data = read_bounded(file, _LARGEST)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("is no JSON", file=file, allowed="a file of dse scaling fit") from None
    refuse_other_fits(document, KIND, file)
    try:
        found = _Document.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{first['msg']}: {shown(first['input'])}", file=file, key=key, allowed="a file of dse scaling fit"
        ) from None
    if set(found.factors) not in ({"LB", "Ser", "Trf"}, {"LB", "CommEff"}):
        raise InputError("other factors", file=file, key="factors", allowed="LB, Ser and Trf, or LB and CommEff")
    for name, one in found.factors.items():
        if one.form not in FORMS:
            raise InputError(
                f"'{one.form}' is no form", file=file, key=f"factors.{name}", allowed=list(FORMS), wrong=one.form
            )
        if len(one.measured) not in (0, len(one.ranks)):
            raise InputError(
                "measured values that are none", file=file, key=f"factors.{name}", allowed="one for each P"
            )
        if len(one.ranks) != len(one.values) or not all(math.isfinite(rank) and rank >= 1 for rank in one.ranks):
            raise InputError("points that are none", file=file, key=f"factors.{name}", allowed="a value for each P")
    factors = {
        name: FittedFactor(
            one.form,
            one.single,
            one.growth,
            tuple(one.ranks),
            tuple(one.values),
            one.left_out_error,
            one.quality,
            tuple(one.measured),
        )
        for name, one in found.factors.items()
    }
    return ScalingProfile(
        factors,
        found.mode,
        found.name,
        found.source,
        found.times,
        found.synthetic,
        tuple(found.notes),
        found.sha256,
        found.date,
    )
