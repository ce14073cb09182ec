"""What the command `dse collectives` shows, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.collectives.algorithms.registry import algorithms_of
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import Cost, cost

__all__ = ["listed"]

_NUMBERS = ("time", "messages", "bytes", "dynamic_energy", "static_energy", "energy", "memory", "arity", "pieces")


def listed(
    operation: str, processes: int, size: float, network: str, *, metric: str, static_scope: str
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return every algorithm of an operation, the least by the metric first, and the best; numbers in SI.

    A number is None where the algorithm is not defined. Trees are listed with their best arity, pipelines with their
    best number of pieces.
    """
    winner = best(operation, processes, size, network, metric=metric, static_scope=static_scope)
    rows = []
    for name, algorithm in algorithms_of(operation).items():
        if algorithm.is_defined(np.array([processes]))[0]:
            priced = best(operation, processes, size, network, metric=metric, among=(name,), static_scope=static_scope)
        else:
            priced = cost(name, operation, processes, size, network, undefined="nan", static_scope=static_scope)
        closed_form = str(algorithm.status(np.array([processes]))[0])
        rows.append({**_plain(priced), "defined": algorithm.defined, "closed_form": closed_form})
    rows.sort(key=lambda row: (row[metric] is None, row[metric] or 0.0))
    return rows, _plain(winner)


def _plain(priced: Cost) -> dict[str, Any]:
    values: dict[str, Any] = {"algorithm": str(priced.algorithm)}
    for name in _NUMBERS:
        number = float(getattr(priced, name))
        values[name] = None if np.isnan(number) else number
    return values
