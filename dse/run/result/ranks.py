"""The order in which designs of a frontier are named: by the first objective, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.search.frontier.pareto import to_minimise

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ranks_of"]


def ranks_of(frontier: pd.DataFrame, objectives: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return the place of each row in the order of the names, from 0.

    Parameters
    ----------
    frontier : DataFrame
    objectives : sequence of (quantity, sense)
    """
    names = [name for name, _ in objectives]
    points = to_minimise(frontier[names].to_numpy(dtype=float), [sense for _, sense in objectives])
    order = np.lexsort([np.arange(len(points)), *points.T[::-1]])
    ranks = np.empty(len(points), dtype=np.int64)
    ranks[order] = np.arange(len(points))
    return ranks
