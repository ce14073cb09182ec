"""The best algorithm of an operation, and which it is: all algorithms, arities and numbers of pieces are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from dse.errors import InputError, shown
from dse.models.collectives.algorithms.composition import Given
from dse.models.collectives.algorithms.loggp import LogGP, network
from dse.models.collectives.algorithms.registry import Algorithm, algorithms_of
from dse.models.collectives.costs.cost import (
    DESCRIPTOR_RULES,
    STATIC_SCOPES,
    Cost,
    asked,
    check_choice,
    priced,
    tuned_pieces,
)

__all__ = ["METRICS", "MOST_ARITY", "best"]

METRICS = ("time", "energy", "dynamic_energy", "memory")
MOST_ARITY = 64
_TOGETHER = 200_000  # cases and arities that are computed at once


def best(
    collective: str,
    processes: npt.ArrayLike,
    message_size: npt.ArrayLike,
    net: LogGP | str = "infiniband",
    *,
    metric: str = "time",
    memory_cap: npt.ArrayLike | None = None,
    among: tuple[str, ...] | None = None,
    static_scope: str = "per_process",
    descriptor_rule: str = "hm",
) -> Cost:
    """Return the cost of the best algorithm, with its name, its arity and its pieces.

    Parameters
    ----------
    collective, processes, message_size, net, static_scope, descriptor_rule
        As for `dse.models.collectives.costs.cost`.
    metric : {"time", "energy", "dynamic_energy", "memory"}
        What is to be least.
    memory_cap : array_like, optional
        Most descriptors of a process [B].
    among : tuple of str, optional
        The algorithms to look at. Default: all of the operation.

    Returns
    -------
    Cost
        Each case by the algorithm that is best there; `Cost.algorithm` names it. A tie goes to the one that
        `COLLECTIVES` lists first, then to the smaller arity.

    Raises
    ------
    InputError
        Also when nothing fits `memory_cap`, or nothing in `among` is defined.

    Notes
    -----
    Arities are 2 to 64, beside the flat tree of P - 1, and the pieces those beside the least of the metric. An
    algorithm that is not defined for a number of processes is left out there.

    Examples
    --------
    >>> found = best("bcast", 1024, [8, 2**20])
    >>> found.algorithm.tolist()
    ['fibonacci', 'double_tree_pipe']
    """
    chosen = algorithms_of(collective)
    check_choice(metric, METRICS, "metric")
    check_choice(static_scope, STATIC_SCOPES, "static_scope")
    check_choice(descriptor_rule, DESCRIPTOR_RULES, "descriptor_rule")
    for name in among or ():
        check_choice(name, tuple(chosen), "among")
    given = asked(collective, processes, message_size, network(net))
    cap = np.asarray(np.inf if memory_cap is None else memory_cap, dtype=float)
    if not np.all(cap >= 0):
        raise InputError(shown(memory_cap), key="memory_cap", allowed="a number of bytes >= 0")
    given = _with_shape(given, cap)
    winner: Cost | None = None
    least = np.zeros(1)
    for name, algorithm in chosen.items():
        if among is not None and name not in among:
            continue
        for candidate in _candidates(algorithm, given, metric, cap, static_scope, descriptor_rule):
            value = np.where(candidate.memory <= cap, getattr(candidate, metric), np.nan)
            if winner is None:
                winner, least = candidate, np.where(np.isnan(value), np.inf, value)
                continue
            better = value < least
            least = np.where(better, value, least)
            winner = Cost(
                *(np.where(better, getattr(candidate, f.name), getattr(winner, f.name)) for f in fields(Cost))
            )
    if winner is None or np.isinf(least).any():
        where = np.isinf(np.broadcast_to(least, np.shape(least)))
        ranks = np.broadcast_to(given.processes, where.shape)[where][0]
        allowed = "a larger memory_cap" if memory_cap is not None else "other algorithms"
        raise InputError(f"no algorithm of {collective} for {ranks} processes fits", allowed=allowed)
    return winner


def _with_shape(given: Given, cap: np.ndarray) -> Given:
    """Return what is asked in the shape that the limits of memory have too."""
    try:
        shape = np.broadcast_shapes(given.processes.shape, cap.shape)
    except ValueError:
        raise InputError(
            f"memory_cap has the shape {cap.shape} and the cases {given.processes.shape}",
            allowed="shapes that broadcast with each other",
        ) from None
    return given._replace(processes=np.broadcast_to(given.processes, shape), size=np.broadcast_to(given.size, shape))


def _candidates(
    algorithm: Algorithm, given: Given, metric: str, cap: npt.ArrayLike, static_scope: str, descriptor_rule: str
) -> Iterator[Cost]:
    if algorithm.tuned == "arity":
        yield from _arities(algorithm, given, metric, cap, static_scope, descriptor_rule)
        return
    if algorithm.tuned == "pieces":
        net = given.net
        single = priced(algorithm, given, static_scope=static_scope, descriptor_rule=descriptor_rule)
        yield single
        if metric in ("time", "energy"):
            interfaces = given.processes if static_scope == "per_process" else 1.0
            watts = np.asarray(net.static_power) * interfaces if metric == "energy" else 0.0
            joules = np.asarray(net.message_energy) if metric == "energy" else 0.0
            with np.errstate(divide="ignore", invalid="ignore"):
                most = np.where(single.memory > 0, np.asarray(cap) / single.memory, np.inf)
            fitting = tuned_pieces(
                algorithm, given, watts=watts, joules=joules, most=np.where(np.isnan(most), np.inf, most)
            )
            yield priced(algorithm, fitting, static_scope=static_scope, descriptor_rule=descriptor_rule)
        return
    yield priced(algorithm, given, static_scope=static_scope, descriptor_rule=descriptor_rule)


def _arities(
    algorithm: Algorithm, given: Given, metric: str, cap: npt.ArrayLike, static_scope: str, descriptor_rule: str
) -> Iterator[Cost]:
    """Yield the best of each handful of arities, the smaller first."""
    last = int(min(MOST_ARITY, max(given.processes.max(initial=2) - 1, 2)))
    step = max(1, _TOGETHER // max(given.processes.size, 1))
    for first in range(2, last + 1, step):
        arity = np.arange(first, min(first + step, last + 1)).reshape(-1, *(1 for _ in given.processes.shape))
        candidate = priced(
            algorithm, given._replace(arity=arity), static_scope=static_scope, descriptor_rule=descriptor_rule
        )
        value = np.where(candidate.memory <= np.asarray(cap), getattr(candidate, metric), np.inf)
        place = np.expand_dims(np.argmin(value, axis=0), 0)
        yield Cost(*(np.take_along_axis(getattr(candidate, f.name), place, axis=0)[0] for f in fields(Cost)))
