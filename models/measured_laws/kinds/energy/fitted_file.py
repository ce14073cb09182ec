"""Fitted curves of one job as a file: what was measured, the curves, their errors, and where they come from."""

from __future__ import annotations

import math
from datetime import date
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dse.models.measured_laws.documents.fitted_file import FittedDocument, Strict
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise
from dse.models.measured_laws.kinds.energy.history import LARGEST_HISTORY, History
from dse.models.measured_laws.kinds.energy.laws import UNITS, FittedEnergy
from dse.models.measured_laws.kinds.energy.predictor import Case, Curve
from dse.models.measured_laws.kinds.energy.segments import Segment

__all__ = ["EnergyModel", "energy_model", "fitted_energy"]

_Number = Annotated[float, Field(allow_inf_nan=False)]
_Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class SegmentModel(Strict):
    """A polynomial of ((n - center)/scale), coefficients from the constant up."""

    first: _Positive
    last: _Positive
    center: _Number
    scale: _Positive
    coefficients: Annotated[tuple[_Number, ...], Field(min_length=1, max_length=4)]


class NoiseModel(Strict):
    """What repetitions tell of the values: their relative variance, and its degrees of freedom."""

    variance: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
    freedom: Annotated[int, Field(ge=1)]


class CurveModel(Strict):
    """A curve with its measurements."""

    unit: Literal["J", "W", "s"]
    nodes: Annotated[tuple[_Positive, ...], Field(min_length=2, max_length=LARGEST_HISTORY)]
    values: Annotated[tuple[_Positive, ...], Field(min_length=2, max_length=LARGEST_HISTORY)]
    repetitions: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=2, max_length=LARGEST_HISTORY)]
    spread: _Number | None
    case: Case
    segments: Annotated[tuple[SegmentModel, ...], Field(min_length=1, max_length=3)]
    percent_rmse: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
    percent_left_out: _Number | None
    admissible: bool
    interpolates: bool
    noise: NoiseModel | None = None

    @model_validator(mode="after")
    def _joined(self) -> CurveModel:
        if not len(self.nodes) == len(self.values) == len(self.repetitions):
            raise ValueError("nodes, values and repetitions are of different length")
        if any(before >= other for before, other in pairwise(self.nodes)):
            raise ValueError("nodes do not rise")
        ends = [(segment.first, segment.last) for segment in self.segments]
        joined = all(before[1] == other[0] for before, other in pairwise(ends))
        if not joined or any(first >= other for first, other in ends):
            raise ValueError("segments do not follow one another")
        return self


class EnergyModel(FittedDocument):
    """A fitted model of kind "energy"."""

    kind: Literal["energy"] = "energy"
    source: Annotated[tuple[str, ...], Field(min_length=1, max_length=100)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    date: date
    synthetic: bool
    scope: str
    rmse_limit: _Positive
    curves: Annotated[dict[Literal["energy", "power", "time"], CurveModel], Field(min_length=1)]

    @model_validator(mode="after")
    def _units(self) -> EnergyModel:
        for name, curve in self.curves.items():
            if curve.unit != UNITS[name]:
                raise ValueError(f"{name} is in {curve.unit}, not {UNITS[name]}")
        return self


def energy_model(
    fitted: FittedEnergy,
    *,
    source: tuple[str, ...],
    synthetic: bool,
    scope: str,
    sha256: str,
    fitted_on: date,
    rmse_limit: float,
) -> EnergyModel:
    """Return fitted curves as a file holds them."""
    curves = {}
    for name, history in fitted.histories.items():
        curve = fitted.curves[name]
        curves[name] = CurveModel(
            unit=UNITS[name],
            nodes=history.nodes,
            values=history.values,
            repetitions=history.repetitions,
            spread=None if math.isnan(history.spread) else history.spread,
            case=curve.case,
            segments=tuple(SegmentModel(**vars(segment)) for segment in curve.segments),
            percent_rmse=curve.percent_rmse,
            percent_left_out=None if math.isnan(curve.percent_left_out) else curve.percent_left_out,
            admissible=curve.admissible,
            interpolates=curve.interpolates,
            noise=None if history.noise is None else NoiseModel(**history.noise._asdict()),
        )
    return EnergyModel(
        source=source,
        synthetic=synthetic,
        scope=scope,
        sha256=sha256,
        date=fitted_on,
        rmse_limit=rmse_limit,
        curves=curves,
    )


def fitted_energy(model: EnergyModel) -> FittedEnergy:
    """Return the curves of a file; nothing is fitted again."""
    histories, curves = {}, {}
    for name, curve in model.curves.items():
        spread = math.nan if curve.spread is None else curve.spread
        noise = None if curve.noise is None else RepetitionNoise(curve.noise.variance, curve.noise.freedom)
        histories[name] = History(curve.nodes, curve.values, curve.repetitions, spread, noise=noise)
        curves[name] = Curve(
            curve.case,
            tuple(Segment(**part.model_dump()) for part in curve.segments),
            curve.percent_rmse,
            math.nan if curve.percent_left_out is None else curve.percent_left_out,
            curve.admissible,
            curve.interpolates,
        )
    return FittedEnergy(histories, model.rmse_limit, curves=curves)
