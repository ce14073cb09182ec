"""Where one algorithm overtakes another, in message size and in processes, and maps of the winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.costs.best import METRICS, best
from dse.models.collectives.costs.cost import Cost, check_choice, cost, one_array

__all__ = ["WinnerMap", "crossover_processes", "crossover_sizes", "winner_map"]

_LARGEST = 2.0**40
_GRID, _HALVINGS = 600, 90


def crossover_sizes(
    collective: str,
    first: str,
    second: str,
    processes: int,
    net: LogGP | str = "infiniband",
    *,
    metric: str = "time",
    largest: float = _LARGEST,
    **options: Any,
) -> np.ndarray:
    """Return the message sizes [B] up to `largest` where two algorithms cost the same, rising.

    Parameters
    ----------
    collective, first, second, processes, net
        As for `dse.models.collectives.costs.cost`, which takes the `options` too.
    metric : {"time", "energy", "dynamic_energy", "memory"}
    largest : float

    Notes
    -----
    The difference is looked at for 600 sizes, and halved between two of different sign: two crossings between
    neighbours, which lie less than 5 % apart, are not found.
    """
    check_choice(metric, METRICS, "metric")

    def difference(sizes: np.ndarray) -> np.ndarray:
        at_first, other = (
            getattr(cost(name, collective, processes, sizes, net, **options), metric) for name in (first, second)
        )
        return np.asarray(at_first - other)

    sizes = np.concatenate([[0.0], np.geomspace(1.0, largest, _GRID)])
    sign = np.sign(difference(sizes))
    turns = np.flatnonzero(sign[:-1] * sign[1:] < 0)
    low, high, at_low = sizes[turns], sizes[turns + 1], sign[turns]
    for _ in range(_HALVINGS if len(turns) else 0):
        middle = (low + high) / 2.0
        same = np.sign(difference(middle)) == at_low
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    touching = sizes[1:-1][(sign[1:-1] == 0) & (sign[:-2] * sign[2:] < 0)]
    return np.sort(np.concatenate([(low + high) / 2.0, touching]))


def crossover_processes(
    collective: str,
    first: str,
    second: str,
    message_size: float,
    net: LogGP | str = "infiniband",
    *,
    among: npt.ArrayLike | None = None,
    metric: str = "time",
    **options: Any,
) -> list[tuple[int, str]]:
    """Return the numbers of processes from which on the other of two algorithms is better, and its name.

    Parameters
    ----------
    among : array_like of int, optional
        The numbers of processes to look at, rising. Default: the powers of two from 2 to 2^20.

    Returns
    -------
    list of (int, str)
        First the smallest number where one of them is better, then each change. Where they cost the same, or one is
        not defined, nothing changes.
    """
    check_choice(metric, METRICS, "metric")
    ranks = np.asarray(2 ** np.arange(1, 21) if among is None else among)
    first_values, other = (
        getattr(
            cost(name, collective, ranks, message_size, net, undefined="nan", **options),
            metric,
        )
        for name in (first, second)
    )
    changes: list[tuple[int, str]] = []
    for count, sign in zip(ranks.tolist(), np.sign(np.nan_to_num(first_values - other)).tolist(), strict=True):
        name = second if sign > 0 else first
        if sign != 0 and (not changes or changes[-1][1] != name):
            changes.append((count, name))
    return changes


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """The best algorithm by processes and message size.

    Attributes
    ----------
    collective, metric : str
    processes, sizes : (m,), (n,) ndarray
    cost : Cost
        Arrays of (m, n); `Cost.algorithm` has the winners.
    """

    collective: str
    metric: str
    processes: np.ndarray
    sizes: np.ndarray
    cost: Cost

    @property
    def names(self) -> list[str]:
        """The algorithms that win somewhere, the one with most cases first."""
        winners, counts = np.unique(self.cost.algorithm, return_counts=True)
        return [str(winners[place]) for place in np.argsort(-counts, kind="stable")]


def winner_map(
    collective: str,
    processes: Sequence[int] | np.ndarray,
    sizes: Sequence[float] | np.ndarray,
    net: LogGP | str = "infiniband",
    *,
    metric: str = "time",
    **options: Any,
) -> WinnerMap:
    """Return which algorithm is best for every number of processes and message size; options as for `best`."""
    ranks, bytes_ = one_array("processes", processes, (1,)), one_array("sizes", sizes, (1,))
    cheapest = best(collective, ranks[:, None], bytes_[None, :], net, metric=metric, **options)
    return WinnerMap(collective, metric, ranks, bytes_, cheapest)
