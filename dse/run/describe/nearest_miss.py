"""Where nothing is feasible: the constraint that most designs break alone, and the design that comes nearest to it."""

from __future__ import annotations

import numpy as np

from dse.evaluation.problem import Problem
from dse.run.describe.margins import share_spared
from dse.run.disk.manifest import NearestMiss

__all__ = ["LOOKED_AT", "nearest_miss"]

LOOKED_AT = 4096  # designs of those given, evenly over them


def nearest_miss(problem: Problem, numbers: np.ndarray) -> NearestMiss | None:
    """Return which constraint stands in the way of most designs that meet all others, and by how much.

    Where no design meets all others, it is the constraint that most designs break. Each design that was looked at has
    the constraints of its alternative; ``short`` is what the nearest design lacks, as a share of the limit.

    Parameters
    ----------
    problem : Problem
    numbers : (n,) ndarray of int64
        Designs to look at, in rising order.
    """
    places = {constraint.place: constraint for constraint in problem.constraints}
    if not len(numbers) or not places:
        return None
    taken = np.unique(np.linspace(0, len(numbers) - 1, min(len(numbers), LOOKED_AT)).round().astype(np.int64))
    looked_at = numbers[taken]
    broken = {place: np.zeros(len(looked_at), dtype=bool) for place in places}
    spared = {place: np.full(len(looked_at), np.nan) for place in places}
    for record in problem.quantities(looked_at):
        here, values = record["positions"], record["values"]
        for constraint in problem.systems[record["product"]].constraints:
            met = np.asarray(values[constraint.quantity], dtype=bool).reshape(-1)
            broken[constraint.place][here] = ~np.broadcast_to(met, len(here))
            share = share_spared(constraint, values, len(here))
            if share is not None:
                spared[constraint.place][here] = share
    many = np.sum(list(broken.values()), axis=0)
    alone = {place: int((rows & (many == 1)).sum()) for place, rows in broken.items()}
    several = not any(alone.values())
    counts = {place: int(rows.sum()) for place, rows in broken.items()} if several else alone
    place = max(counts, key=lambda constraint: counts[constraint])
    if not counts[place]:
        return None
    rows = np.flatnonzero(broken[place] & (many == (many[broken[place]].min() if several else 1)))
    known = rows[np.isfinite(spared[place][rows])]
    nearest = None if not len(known) else int(known[np.argmax(spared[place][known])])
    return NearestMiss(
        constraint=places[place].text,
        designs=counts[place],
        looked_at=len(looked_at),
        alone=not several,
        design=None if nearest is None else int(looked_at[nearest]),
        short=None if nearest is None else float(-spared[place][nearest]),
    )
