"""The functions of a table of measurements, by name, each with its law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.document import FunctionEntry
from dse.models.measured_laws.kinds.expectations.expectation import Expectation
from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries, fit_series
from dse.models.measured_laws.kinds.expectations.growth import CONSTANT
from dse.models.measured_laws.tables.series import Reduction
from dse.models.measured_laws.tables.table import Measurements

__all__ = ["MeasuredFunctions", "entries_of", "measured_functions"]

_FEWEST = 5


@dataclass(frozen=True)
class MeasuredFunctions:
    """What was measured of functions.

    Attributes
    ----------
    series : dict of str to FittedSeries
    marked : tuple of str
        Functions that the measurements mark as litmus test.
    warnings : dict of str to tuple of str
    """

    series: dict[str, FittedSeries] = field(default_factory=dict)
    marked: tuple[str, ...] = ()
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)


def entries_of(measurements: Measurements) -> dict[str, FunctionEntry]:
    """Return an entry for every metric of every region that was measured.

    Named by the region where there is one metric, by the metric where there is one region, else by both.
    """
    table = measurements.table[measurements.table["rank"].isna()]
    pairs = list(dict.fromkeys(zip(table["region"], table["metric"], strict=True)))
    regions, metrics = {region for region, _ in pairs}, {metric for _, metric in pairs}
    entries = {}
    for region, metric in pairs:
        name = metric if len(regions) == 1 else region or metric
        if len(regions) > 1 and len(metrics) > 1:
            name = f"{region or 'whole program'}: {metric}"
        entries[name] = FunctionEntry(region=region, metric=metric)
    return entries


def measured_functions(
    measurements: Measurements,
    entries: Mapping[str, FunctionEntry],
    expectations: Mapping[str, Expectation],
    parameter: str | None = None,
    reduced: Reduction = "median",
) -> MeasuredFunctions:
    """Fit the law of every function.

    Parameters
    ----------
    measurements : Measurements
    entries : mapping of str to FunctionEntry
        A function without region and metric is the region of its name, else the metric of its name.
    expectations : mapping of str to Expectation
        Exponentials are looked for where one is expected.
    parameter : str, optional
        The size; where it is not given, the variable of the expectation if it was measured, else what varies.
    reduced : {"median", "first quartile", "mean", "minimum"}
        What becomes of repetitions.

    Raises
    ------
    InputError
        A function that was not measured, fewer than five sizes, values that are impossible.
    """
    functions = MeasuredFunctions()
    marked = []
    for name, entry in entries.items():
        expected = expectations.get(name)
        axis = parameter
        if axis is None and expected is not None and expected.variable in measurements.parameters:
            axis = expected.variable
        try:
            region, metric = _place(measurements, name, entry)
            series = measurements.series(metric, region, axis, at=entry.at or None, fewest=_FEWEST)
            if expected is not None and expected.growth != CONSTANT and expected.variable != series.parameter:
                raise InputError(
                    f"the growth '{expected.growth.text(expected.variable)}' is in {expected.variable}, "
                    f"the size is {series.parameter}",
                    key="growth",
                    allowed=series.parameter,
                )
            sizes, values = series.flat()
            exponential = expected is not None and bool(expected.growth.exponential)
            fitted = fit_series(
                values.tolist(),
                sizes.tolist(),
                series.parameter,
                unit=series.unit,
                exponential=exponential,
                reduced=reduced,
            )
        except InputError as error:
            raise error.within(key=f"functions.{name}") from None
        functions.series[name] = fitted
        functions.warnings[name] = series.warnings
        if series.litmus:
            marked.append(name)
    return MeasuredFunctions(functions.series, tuple(marked), functions.warnings)


def _place(measurements: Measurements, name: str, entry: FunctionEntry) -> tuple[str | None, str | None]:
    """Return region and metric of a function."""
    if entry.region is not None or entry.metric is not None:
        return entry.region, entry.metric
    if name in measurements.regions:
        return name, None
    if name in measurements.metrics:
        return None, name
    names = [known for known in (*measurements.regions, *measurements.metrics) if known]
    raise InputError(f"'{name}' was not measured", allowed=names, wrong=name, candidates=names)
