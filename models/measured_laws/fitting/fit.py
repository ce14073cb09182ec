"""Fitting a law to a metric measured in several runs.

The form is the performance-model normal form: sums of products of ``x^i log2(x)^j``, one factor for each of one to
three parameters (Shudler et al. 2019; with falling powers, and steep ones where the runs ask for them: `steepness`).
Coefficients minimise squared relative errors; terms are chosen by leave-one-out cross-validation (`choice`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.choice import Candidates, candidates, choose
from dse.models.measured_laws.fitting.guards import Guards
from dse.models.measured_laws.fitting.hypotheses import Space, hypothesis_space, search
from dse.models.measured_laws.fitting.law import Alternative, Law
from dse.models.measured_laws.fitting.parameters import (
    COMFORTABLE_VALUES,
    FEWEST_VALUES,
    Parameter,
    coordinates,
    fewest_runs,
)
from dse.models.measured_laws.fitting.repetition_noise import RepetitionNoise, repetition_noise
from dse.models.measured_laws.fitting.steepness import largest_powers
from dse.models.measured_laws.fitting.terms import CONSTANT, Term, factor_space
from dse.models.measured_laws.fitting.whole_powers import nearly_exact, whole_powers

__all__ = ["MOST_PARAMETERS", "Runs", "fit"]

MOST_PARAMETERS = 3
_MOST_TERMS, _RUNS_PER_TERM, _RUNS_FOR_SUMS = 4, 3, 6
_EQUAL, _STEPS = 1e-12, 6


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs at different values of one to three parameters; what fits of several metrics have in common.

    Attributes
    ----------
    parameters : tuple of Parameter
    points : tuple of tuple of float
        The value of each parameter in each run; runs may be repeated.
    target : tuple of float or None
        Where the laws will be asked, if that is known: what foretells nonsense there is not chosen.
    """

    parameters: tuple[Parameter, ...]
    points: tuple[tuple[float, ...], ...]
    target: tuple[float, ...] | None = None
    _spaces: dict[tuple[int, ...], tuple[Space, list[np.ndarray]]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        values: Mapping[str, Sequence[float]],
        *,
        log2: Iterable[str] = (),
        target: Mapping[str, float] | None = None,
    ) -> Runs:
        """Make runs from columns.

        Parameters
        ----------
        values : mapping of str to sequence of float
            The values of each parameter, as many as there are runs.
        log2 : iterable of str
            Parameters whose values are binary logarithms of a size, such as the scale of Graph 500.
        target : mapping of str to float, optional

        Raises
        ------
        InputError
            Too few runs or values, values that are no positive numbers, or too many parameters.
        """
        names, logarithms = list(values), set(log2)
        for name in logarithms - set(names):
            raise InputError(f"log2: no parameter '{name}'", allowed=names, wrong=name, candidates=names)
        if not 1 <= len(names) <= MOST_PARAMETERS:
            raise InputError(f"{len(names)} parameters ({', '.join(names)})", allowed=f"1 to {MOST_PARAMETERS}")
        lengths = {len(values[name]) for name in names}
        if len(lengths) != 1:
            counts = ", ".join(f"{len(values[name])} of {name}" for name in names)
            raise InputError(f"the parameters have different numbers of values: {counts}")
        parameters = tuple(Parameter(name, name in logarithms) for name in names)
        points = tuple(zip(*(values[name] for name in names), strict=True))
        aim = None
        if target is not None:
            for name in names:
                if name not in target:
                    raise InputError(f"the target has no value of '{name}'", allowed=names)
            aim = tuple(float(target[name]) for name in names)
        runs = cls(parameters, points, aim)
        runs._check()
        return runs

    def _check(self) -> None:
        need = fewest_runs(len(self.parameters))
        for place, parameter in enumerate(self.parameters):
            different = len(np.unique(self.sizes[:, place]))
            if different == 1:
                raise InputError(
                    f"{parameter.name} is {self.points[0][place]:g} in every run, so nothing says how it matters",
                    allowed=f"at least {FEWEST_VALUES} different values",
                )
            if different < FEWEST_VALUES:
                raise InputError(
                    f"{parameter.name} has {different} different values", allowed=f"at least {FEWEST_VALUES}"
                )
        if len(self.sizes) < need:
            count, runs = len(self.parameters), len(self.sizes)
            raise InputError(
                f"{runs} run{'s' if runs > 1 else ''} with different parameters for a law of {count} "
                f"parameter{'s' if count > 1 else ''}",
                allowed=f"at least {need}: five values along each parameter, one run shared",
            )

    @cached_property
    def _grouped(self) -> tuple[np.ndarray, np.ndarray]:
        points = [dict(zip((p.name for p in self.parameters), point, strict=True)) for point in self.points]
        sizes, group = np.unique(coordinates(self.parameters, points), axis=0, return_inverse=True)
        return sizes, group.reshape(-1)

    @property
    def sizes(self) -> np.ndarray:
        """Different runs, shape (runs, parameters)."""
        return self._grouped[0]

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each parameter."""
        return tuple((min(values), max(values)) for values in zip(*self.points, strict=True))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Parameters with few values."""
        warnings = []
        for place, parameter in enumerate(self.parameters):
            along = np.unique(self.sizes[:, place])
            if len(along) < COMFORTABLE_VALUES:
                warnings.append(
                    f"{parameter.name} has {len(along)} different values: with fewer than {COMFORTABLE_VALUES}, terms "
                    "that grow differently look alike"
                )
            if along[-1] < 2.0 * along[0]:
                hint = (
                    ""
                    if parameter.log2
                    else f"; if it is the binary logarithm of a size, say so (log2: {parameter.name})"
                )
                warnings.append(f"{parameter.name} spans only a factor {along[-1] / along[0]:.3g}{hint}")
        return tuple(warnings)

    def space(self, values: np.ndarray) -> tuple[Space, list[np.ndarray]]:
        """Return the hypotheses for the values of the different runs, and their factors at the `_lookouts`."""
        powers = largest_powers(self.sizes, values)
        if powers not in self._spaces:
            space = hypothesis_space(self.sizes, [factor_space(Fraction(power)) for power in powers])
            self._spaces[powers] = space, space.tables_at(self._lookouts)
        return self._spaces[powers]

    @cached_property
    def _lookouts(self) -> np.ndarray:
        """Where a law must not foretell nonsense: at the runs and on the way to the target."""
        largest = self.sizes.max(axis=0)
        aim = largest
        if self.target is not None:
            aim = np.array([p.coordinate(value) for p, value in zip(self.parameters, self.target, strict=True)])
        middle = np.exp(np.log(self.sizes).mean(axis=0))
        ways = [np.geomspace(begin, aim, _STEPS) for begin in (middle, largest)]
        return np.concatenate([self.sizes, *ways])

    def medians(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the median of each different run."""
        return np.array([np.median(values_of_run) for values_of_run in self._repetitions(values)])

    def noise(self, values: Sequence[float] | np.ndarray) -> RepetitionNoise | None:
        """Return what repeated runs tell of the noise of their medians."""
        return repetition_noise(self._repetitions(values)) if len(self.sizes) < len(self.points) else None

    def _repetitions(self, values: Sequence[float] | np.ndarray) -> list[np.ndarray]:
        group, given = self._grouped[1], np.asarray(values, dtype=float)
        return [given[group == place] for place in range(len(self.sizes))]


def fit(
    values: Sequence[float],
    parameters: Runs | Mapping[str, Sequence[float]],
    *,
    log2: Iterable[str] = (),
    target: Mapping[str, float] | None = None,
    bounds: tuple[float, float] = (0.0, np.inf),
    unit: str = "1",
    guards: Guards | None = None,
) -> Law:
    """Fit a law.

    Parameters
    ----------
    values : sequence of float
        The metric in each run, >= 0 [unit].
    parameters : mapping of str to sequence of float, or Runs
        The values of one to three parameters in each run. Repeated runs count once, with the median of the metric.
    log2 : iterable of str
        Parameters whose values are binary logarithms of a size.
    target : mapping of str to float, optional
        Where the law will be asked: laws that leave `bounds` on the way there are not chosen.
    bounds : (float, float)
        What the metric can be.
    unit : str
    guards : Guards, optional
        What the law must not do beside.

    Returns
    -------
    Law

    Raises
    ------
    InputError
        Values that are not finite or outside the bounds; too few runs (four per parameter and one) or values.
    """
    runs = parameters if isinstance(parameters, Runs) else Runs.of(parameters, log2=log2, target=target)
    given = _checked(values, runs, bounds)
    measured = runs.medians(given)
    warnings: list[str] = []
    if np.ptp(measured) <= _EQUAL * np.abs(measured).max():
        return _constant(runs, float(np.median(measured)), unit, bounds)
    smallest = np.abs(measured[measured != 0]).min()
    weights = 1.0 / np.maximum(np.abs(measured), smallest)
    if (measured == 0).any():
        none = int((measured == 0).sum())
        warnings.append(f"{none} of {len(measured)} runs have none: errors there are relative to {smallest:.3g}")
    count, (space, lookouts) = len(measured), runs.space(measured)
    most = 1 if count < _RUNS_FOR_SUMS else min(_MOST_TERMS, count // _RUNS_PER_TERM)
    groups = search(space, weights, measured, most)
    fitted = [candidates(space, group, weights, measured, lookouts, bounds) for group in groups]
    for polynomial in whole_powers(space, measured):
        fitted.append(nearly_exact(candidates(space, polynomial, weights, measured, lookouts, bounds), count))
    if guards is not None:
        fitted = [_guarded(guards, space, group) for group in fitted]
    choice = choose(fitted, count)
    law, place = fitted[choice.place[0]], choice.place[1]
    scale = space.scale(law.terms[place])
    freedom = max(count - law.terms.shape[1], 1)
    covariance = law.solution.inverse[place] * law.solution.squares[place] / freedom / (scale[:, None] * scale)
    if choice.stopped:
        warnings.append("a law that fits better was refused: it leaves what is possible on the way to the target")

    def alternative(at: tuple[int, int]) -> Alternative:
        group, index = fitted[at[0]], at[1]
        terms = group.terms[index]
        coefficients = group.solution.coefficients[index] / space.scale(terms)
        error = float(np.sqrt(group.solution.left_out[index] / count))
        return Alternative(tuple(map(space.term, terms)), tuple(coefficients.tolist()), error)

    chosen = alternative(choice.place)
    return Law(
        terms=chosen.terms,
        coefficients=chosen.coefficients,
        cross_validation_error=chosen.cross_validation_error,
        uncertainties=tuple(np.sqrt(np.diag(covariance)).tolist()),
        covariance=tuple(map(tuple, covariance.tolist())),
        parameters=runs.parameters,
        unit=unit,
        runs=count,
        ranges=runs.ranges,
        bounds=bounds,
        ambiguous_with=tuple(alternative(at) for at in choice.alike),
        possible=tuple(alternative(at) for at in choice.possible),
        measured=tuple(zip(runs.sizes[:, 0].tolist(), measured.tolist(), strict=True))
        if len(runs.parameters) == 1
        else (),
        noise=runs.noise(given),
        warnings=tuple(warnings),
    )


def _guarded(guards: Guards, space: Space, group: Candidates) -> Candidates:
    """Return candidates of which those are not plausible that the guards refuse."""
    allowed = guards.allowed(space, group.terms, group.solution.coefficients)
    return replace(group, plausible=group.plausible & allowed)


def _checked(values: Sequence[float], runs: Runs, bounds: tuple[float, float]) -> np.ndarray:
    if len(values) != len(runs.points):
        raise InputError(f"{len(values)} values for {len(runs.points)} runs", allowed="one for each run")
    given = np.asarray(values, dtype=float)
    wrong = ~np.isfinite(given) | (given < bounds[0]) | (given > bounds[1])
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"value {given[place]:g} of run {place}", allowed=f"a number from {bounds[0]:g} to {bounds[1]:g}"
        )
    return given


def _constant(runs: Runs, value: float, unit: str, bounds: tuple[float, float]) -> Law:
    return Law(
        terms=(Term((CONSTANT,) * len(runs.parameters)),),
        coefficients=(value,),
        cross_validation_error=0.0,
        uncertainties=(0.0,),
        covariance=((0.0,),),
        parameters=runs.parameters,
        unit=unit,
        runs=len(runs.sizes),
        ranges=runs.ranges,
        bounds=bounds,
    )
