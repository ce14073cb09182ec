"""Does a job fit a budget of energy, and on how many nodes does it fit at most: a budget (J) or a cap on power (W)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.laws import EnergyScaling, Metric

__all__ = ["Fit", "MostNodes", "fits_budget", "max_nodes_under_budget", "max_nodes_under_cap"]

MOST_NODES = 100_000_000
"""Numbers of nodes that one question may look at."""


@dataclass(frozen=True)
class Fit:
    """Whether a job fits a budget.

    Attributes
    ----------
    fits : bool
    needs : float
        Energy of the job [J], with the error added where that was asked for.
    left : float
        Energy left over [J]; negative: missing.
    extrapolated : bool
        Whether the number of nodes lies outside of what was measured.
    """

    fits: bool
    needs: float
    left: float
    extrapolated: bool


@dataclass(frozen=True)
class MostNodes:
    """The largest number of nodes within a limit.

    Attributes
    ----------
    nodes : int or None
        None where no number of the range is within it.
    needs : float
        Energy [J] or power [W] there; NaN where there is none.
    left : float
        What is left of the limit there.
    admissible : int
        How many numbers of nodes of the range are within the limit.
    one_interval : bool
        Whether these have no gap.
    least : int or None
        The least of them.
    extrapolated : bool
        Whether `nodes` lies outside of what was measured.
    """

    nodes: int | None
    needs: float
    left: float
    admissible: int
    one_interval: bool
    least: int | None
    extrapolated: bool


def fits_budget(
    model: EnergyScaling, nodes: int, accumulated: float, budget: float, *, with_error: bool = False
) -> Fit:
    """Return whether accumulated + E(n) <= budget, and what is left.

    Parameters
    ----------
    model : EnergyScaling
    nodes : int
        n, 1 or more.
    accumulated, budget : float
        What has been used, and what there is [J].
    with_error : bool
        Take the energy with its error: E(n) (1 + %RMSE/100) inside the history, the end of its interval beyond.
    """
    _check(accumulated, budget)
    needs = float(_needs(model, "energy", with_error)(nodes))
    left = budget - (accumulated + needs)
    return Fit(accumulated + needs <= budget, needs, left, bool(np.any(model.extrapolated(nodes))))


def max_nodes_under_budget(
    model: EnergyScaling,
    accumulated: float,
    budget: float,
    node_range: tuple[int, int],
    *,
    with_error: bool = False,
) -> MostNodes:
    """Return the largest n of a range with accumulated + E(n) <= budget; every whole n is looked at, as E may fall.

    Parameters
    ----------
    model : EnergyScaling
    accumulated, budget : float
        What has been used, and what there is [J].
    node_range : (int, int)
        Least and largest n, both included.
    with_error : bool
        Take the energy with its error: E(n) (1 + %RMSE/100) inside the history, the end of its interval beyond.
    """
    _check(accumulated, budget)
    return _most(_needs(model, "energy", with_error), model, accumulated, budget, node_range)


def max_nodes_under_cap(
    model: EnergyScaling, cap: float, node_range: tuple[int, int], *, with_error: bool = False
) -> MostNodes:
    """Return the largest n of a range whose mean power is at most a cap [W].

    Parameters
    ----------
    model : EnergyScaling
    cap : float
        W, above 0.
    node_range : (int, int)
        Least and largest n, both included.
    with_error : bool
        Take the power with its error, as `max_nodes_under_budget` does.
    """
    if not 0.0 < cap < np.inf:
        raise InputError(f"{cap:g} W", key="cap", allowed="above 0")
    return _most(_needs(model, "power", with_error), model, 0.0, cap, node_range)


def _most(
    value: Callable[[Any], Any],
    model: EnergyScaling,
    accumulated: float,
    limit: float,
    node_range: tuple[int, int],
) -> MostNodes:
    first, last = node_range
    if not (float(first).is_integer() and float(last).is_integer() and 1 <= first <= last):
        raise InputError(f"nodes {first:g} to {last:g}", key="nodes", allowed="whole numbers from 1, the least first")
    if last - first >= MOST_NODES:
        raise InputError(f"{last - first + 1:,} numbers of nodes", key="nodes", allowed=f"up to {MOST_NODES:,}")
    best: tuple[int, float] | None = None
    count, least = 0, None
    for begin in range(int(first), int(last) + 1, _BLOCK):
        nodes = np.arange(begin, min(begin + _BLOCK, int(last) + 1))
        needs = np.asarray(value(nodes), dtype=float)
        within = np.flatnonzero(accumulated + needs <= limit)
        if len(within):
            least = int(nodes[within[0]]) if least is None else least
            best = int(nodes[within[-1]]), float(needs[within[-1]])
            count += len(within)
    if best is None or least is None:
        return MostNodes(None, float("nan"), float("nan"), 0, False, None, False)
    most, needed = best
    outside = bool(np.any(model.extrapolated(most)))
    left = limit - (accumulated + needed)
    return MostNodes(most, needed, left, count, count == most - least + 1, least, outside)


_BLOCK = 1 << 20


def _needs(model: EnergyScaling, metric: Metric, with_error: bool) -> Callable[[Any], Any]:
    return partial(model.most, metric) if with_error else getattr(model, metric)


def _check(accumulated: float, budget: float) -> None:
    for name, value in (("accumulated", accumulated), ("budget", budget)):
        if not 0.0 <= value < np.inf:
            raise InputError(f"{value:g} J", key=name, allowed="0 or more")
