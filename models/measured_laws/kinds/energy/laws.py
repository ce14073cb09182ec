"""Three models of one job over nodes behind one interface: by Amdahl, by Gustafson, or through measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.interval import Prediction
from dse.models.measured_laws.kinds.energy import bounds
from dse.models.measured_laws.kinds.energy.history import History
from dse.models.measured_laws.kinds.energy.prediction import predict
from dse.models.measured_laws.kinds.energy.predictor import RMSE_LIMIT, Curve, fit_curve

__all__ = ["UNITS", "AmdahlEnergy", "EnergyScaling", "FittedEnergy", "GustafsonEnergy", "Metric"]

Metric = Literal["energy", "power", "time"]

_LEAST_SHARE, _LOOKED_UP = 1e-3, 65

UNITS: dict[Metric, Literal["J", "W", "s"]] = {"energy": "J", "power": "W", "time": "s"}


class EnergyScaling(Protocol):
    """Energy [J], mean power [W] and time [s] of one job as functions of arrays of nodes."""

    def energy(self, nodes: Any) -> Any:
        """Return the energy to solution [J]."""

    def power(self, nodes: Any) -> Any:
        """Return the mean power of the run [W]."""

    def time(self, nodes: Any) -> Any:
        """Return the time to solution [s]."""

    def extrapolated(self, nodes: Any) -> Any:
        """Return which numbers of nodes lie outside of what the model was made from."""

    def percent_error(self, metric: Metric) -> float:
        """Return the error of a metric at the points it was fitted to, in percent; 0 where none is known."""

    def most(self, metric: Metric, nodes: Any) -> Any:
        """Return what a metric is at most, with its error."""


@dataclass(frozen=True)
class _ClosedForm:
    one_node_time: float
    node_power: float
    idle_share: float
    parallel_share: float

    def __post_init__(self) -> None:
        for name in ("one_node_time", "node_power"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise InputError(f"{value:g}", key=name, allowed="above 0")
        for name in ("idle_share", "parallel_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{getattr(self, name):g}", key=name, allowed="0 to 1")

    def extrapolated(self, nodes: Any) -> Any:
        """Return False for each: a closed form has no history."""
        return np.zeros(np.shape(nodes), dtype=bool)

    def percent_error(self, metric: Metric) -> float:
        """Return 0: a closed form publishes no error."""
        return 0.0

    def most(self, metric: Metric, nodes: Any) -> Any:
        """Return the value itself."""
        return getattr(self, metric)(nodes)


@dataclass(frozen=True)
class AmdahlEnergy(_ClosedForm):
    """A problem of fixed size: T(1) [s], P_node [W], k, p (Eqs. 1 to 4)."""

    def energy(self, nodes: Any) -> Any:
        """Return T(1) P_node (1 + (n - 1) k (1 - p)) [J]."""
        one_node_energy = self.one_node_time * self.node_power
        return one_node_energy * bounds.strong_energy(_counts(nodes), self.idle_share, self.parallel_share)

    def power(self, nodes: Any) -> Any:
        """Return the mean power of the run [W]."""
        return self.node_power * bounds.strong_power(_counts(nodes), self.idle_share, self.parallel_share)

    def time(self, nodes: Any) -> Any:
        """Return T(1) ((1 - p) + p/n) [s]."""
        return self.one_node_time * bounds.strong_time(_counts(nodes), self.parallel_share)


@dataclass(frozen=True)
class GustafsonEnergy(_ClosedForm):
    """A problem that grows with the nodes in constant time: T [s], P_node [W], k, p* (Eqs. 5 and 6)."""

    def energy(self, nodes: Any) -> Any:
        """Return T P(n) [J]."""
        return self.one_node_time * self.power(nodes)

    def power(self, nodes: Any) -> Any:
        """Return P_node ((1 - p*) (1 + (n - 1) k) + p* n) [W]."""
        return self.node_power * bounds.weak_power(_counts(nodes), self.idle_share, self.parallel_share)

    def time(self, nodes: Any) -> Any:
        """Return the same time for every number of nodes [s]."""
        return np.full(np.shape(_counts(nodes)), self.one_node_time)


class FittedEnergy:
    """Through measurements: at a number of nodes that was measured their value, elsewhere the fitted curve.

    What was not measured follows from the other two by energy = power times time.

    Parameters
    ----------
    histories : mapping of str to History
        "energy" [J], "power" [W], "time" [s]; one at least.
    rmse_limit : float
        Percent, for each fit.
    stored : bool
        Whether measured numbers of nodes give what was measured; False: the curve everywhere.
    curves : mapping of str to Curve, optional
        Where they were fitted before.
    """

    def __init__(
        self,
        histories: Mapping[Metric, History],
        rmse_limit: float = RMSE_LIMIT,
        *,
        stored: bool = True,
        curves: Mapping[Metric, Curve] | None = None,
    ) -> None:
        if not histories:
            raise InputError("no measurements", allowed="energy, power or time by nodes")
        self.histories = dict(histories)
        self.curves = (
            {name: fit_curve(measured, rmse_limit) for name, measured in histories.items()}
            if curves is None
            else curves
        )
        self.stored = stored

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What it can tell: what was measured, and the third of two."""
        names: tuple[Metric, ...] = ("energy", "power", "time")
        return names if len(self.histories) > 1 else tuple(self.histories)

    def energy(self, nodes: Any) -> Any:
        """Return the energy to solution [J]."""
        self._refuse_unknown("energy")
        if "energy" in self.histories:
            return self._value("energy", nodes)
        return self._value("power", nodes) * self._value("time", nodes)

    def power(self, nodes: Any) -> Any:
        """Return the mean power of the run [W]."""
        self._refuse_unknown("power")
        if "power" in self.histories:
            return self._value("power", nodes)
        return self._value("energy", nodes) / self._value("time", nodes)

    def time(self, nodes: Any) -> Any:
        """Return the time to solution [s]."""
        self._refuse_unknown("time")
        if "time" in self.histories:
            return self._value("time", nodes)
        return self._value("energy", nodes) / self._value("power", nodes)

    def extrapolated(self, nodes: Any) -> Any:
        """Return which numbers of nodes lie outside of any of the histories."""
        outside = np.zeros(np.shape(nodes), dtype=bool)
        for curve in self.curves.values():
            outside = outside | curve.extrapolated(nodes)
        return outside

    def percent_error(self, metric: Metric) -> float:
        """Return the %RMSE of the fit [percent]; of what follows from two, the root of the sum of their squares."""
        if metric in self.curves:
            return self.curves[metric].percent_rmse
        if metric not in self.metrics:
            return 0.0
        return math.hypot(*(curve.percent_rmse for curve in self.curves.values()))

    def most(self, metric: Metric, nodes: Any) -> Any:
        """Return a metric with its error: E(n) (1 + %RMSE/100) inside the history, the end of its interval beyond.

        Beyond, the interval is looked up on 65 numbers of nodes, evenly spread in the logarithm, and drawn between.

        Raises
        ------
        InputError
            The measurements tell no interval beyond them.
        """
        n = _counts(nodes)
        value = np.asarray(getattr(self, metric)(n), dtype=float)
        outside = np.asarray(self.extrapolated(n))
        if not outside.any():
            return value * (1.0 + self.percent_error(metric) / 100.0)
        asked = np.unique(n[outside])
        grid = asked if len(asked) <= _LOOKED_UP else np.geomspace(asked[0], asked[-1], _LOOKED_UP)
        ends = [self.predict(metric, float(count)) for count in grid]
        tops = [interval.high for interval in ends if interval is not None]
        if len(tops) < len(grid):
            fault = f"the error of the {metric} beyond the runs is not known from so few"
            raise InputError(fault, allowed="three numbers of nodes, or repetitions")
        above = np.array(tops) / np.asarray(getattr(self, metric)(grid), dtype=float)
        factor = np.exp(np.interp(np.log(n), np.log(grid), np.log(np.maximum(above, 1.0))))
        return value * np.where(outside, factor, 1.0 + self.percent_error(metric) / 100.0)

    def predict(self, metric: Metric, nodes: float, level: float = 0.9) -> Prediction | None:
        """Return between what a metric lies on a number of nodes, with a probability of `level`, in SI units.

        What follows from two others has both of their relative deviations, as the root of the sum of their squares.

        Returns
        -------
        Prediction or None
            None where the measurements cannot tell: two numbers of nodes, each measured once.
        """
        if not 0.0 < level < 1.0:
            raise InputError(f"level = {level:g}", allowed="a number between 0 and 1, such as 0.9")
        self._refuse_unknown(metric)
        if metric in self.histories:
            return predict(self.histories[metric], self.curves[metric], float(_counts(nodes)), level)
        parts = {known: self.predict(known, nodes, level) for known in self.histories}
        value, away = float(getattr(self, metric)(nodes)), [0.0, 0.0]
        for name, part in parts.items():
            if part is None:
                return None
            at = float(self._value(name, nodes))
            shares = part.low / at - 1.0, part.high / at - 1.0
            if metric != "energy" and name != "energy":  # what divides by more is less
                shares = -shares[1] / (1.0 + shares[1]), -shares[0] / max(1.0 + shares[0], _LEAST_SHARE)
            away = [math.hypot(total, share) for total, share in zip(away, shares, strict=True)]
        return Prediction(value * max(1.0 - away[0], 0.0), value * (1.0 + away[1]))

    def _refuse_unknown(self, metric: Metric) -> None:
        if metric not in self.metrics:
            raise InputError(
                f"the {metric} was not measured",
                allowed=f"a column '{metric}', or both others; measured: {', '.join(self.histories)}",
            )

    def _value(self, metric: Metric, nodes: Any) -> Any:
        n = _counts(nodes)
        history, curve = self.histories[metric], self.curves[metric]
        if not self.stored:
            return curve.at(n, metric)
        known, values = np.array(history.nodes), np.array(history.values)
        place = np.minimum(np.searchsorted(known, n), len(known) - 1)
        measured = known[place] == n
        # A curve that is below 0 somewhere is no matter where it is not asked.
        if not np.all(measured):
            curve.at(n[~measured], metric)
        return np.where(measured, values[place], curve.unchecked(n))


def _counts(nodes: Any) -> np.ndarray:
    n = np.asarray(nodes, dtype=float)
    if not np.all((n >= 1.0) & np.isfinite(n)):
        raise InputError(f"{n[~((n >= 1.0) & np.isfinite(n))].flat[0]:g} nodes", key="nodes", allowed="1 or more")
    return n
