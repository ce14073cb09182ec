"""Everything that was measured of a program, each metric with a law of its own, at a size nobody has run.

Counts, bytes, messages and memory are nearly without noise, so their growth is found exactly; times are not. A table
of measurements is enough here; whole workload profiles are extrapolated by `dse.models.workload.extrapolation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, WARN_BEYOND, distance
from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries
from dse.models.measured_laws.kinds.expectations.measured import entries_of, measured_functions
from dse.models.measured_laws.tables.table import Measurements

__all__ = ["Prediction", "ProfileModel", "fit_profile"]


@dataclass(frozen=True)
class Prediction:
    """A metric at a size.

    Attributes
    ----------
    value : float
        SI.
    band : (float, float)
        Of all laws that are possible.
    unit : str
    """

    value: float
    band: tuple[float, float]
    unit: str


@dataclass(frozen=True)
class ProfileModel:
    """Laws by metric.

    Attributes
    ----------
    series : mapping of str to FittedSeries
    """

    series: Mapping[str, FittedSeries]

    def warnings(self, size: float) -> tuple[str, ...]:
        """Return the metrics of which a size is more than 64 times beyond what was measured."""
        far = {name: self._distance(fitted, size) for name, fitted in self.series.items()}
        return tuple(
            f"{name}: {size:g} is {how:.4g} times beyond the sizes measured"
            for name, how in far.items()
            if how > WARN_BEYOND
        )

    def at(self, size: float, *, refuse_beyond: float = REFUSE_BEYOND) -> dict[str, Prediction]:
        """Return every metric at a size.

        Parameters
        ----------
        size : float
            Above 0.
        refuse_beyond : float
            Largest distance, size over largest size measured (or smallest over size).

        Raises
        ------
        InputError
            A size that is farther away.
        """
        predictions = {}
        for name, fitted in self.series.items():
            how = self._distance(fitted, size)
            if how > refuse_beyond:
                raise InputError(
                    f"{name}: {fitted.variable} = {size:g} is {how:.4g} times beyond the sizes measured",
                    allowed=f"at most {refuse_beyond:g} times, or a larger refuse_beyond",
                )
            point = {fitted.variable: size}
            predictions[name] = Prediction(fitted.law.at(point), fitted.law.band(point), fitted.law.unit)
        return predictions

    def _distance(self, fitted: FittedSeries, size: float) -> float:
        [parameter] = fitted.law.parameters
        return distance(parameter, size, [fitted.sizes[0], fitted.sizes[-1]])


def fit_profile(measurements: Measurements, parameter: str | None = None) -> ProfileModel:
    """Fit every metric of every region by itself.

    Parameters
    ----------
    measurements : Measurements
    parameter : str, optional
        The size; by default what varies.

    Raises
    ------
    InputError
        Fewer than five sizes of a metric.
    """
    return ProfileModel(measured_functions(measurements, entries_of(measurements), {}, parameter).series)
