"""Engines beside one another: which answers more tokens per device at the speed that users ask, and how surely.

At equal prices the engine with the higher rate per device is the cheaper one. Else it is while its hour costs less
than the ratio of rates times that of the other: the break-even ratio, which needs no price.

An engine's times are off by one unknown factor f, uniform within the 90th percentile of its rows; those of cuts that
were not measured by another. A design then serves users at u/f with r/f tokens per device, so the best one at a speed
is looked for again in every draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dse.models.serving import catalogues
from dse.models.serving.best import Served, Task
from dse.models.serving.frontier import on_frontier

__all__ = ["Chance", "Side", "chances", "error_of", "side"]

DRAWS = 2000
UNSEEN_CUT = 0.3
"""Width of the error of cuts that were not measured: the 90th percentile of held-out rows."""


@dataclass(frozen=True)
class Side:
    """An engine with all its designs and how far its times are off.

    Attributes
    ----------
    name : str
        "B200 SXM trt mxfp4".
    best : Served
        The design with the most tokens per second of a device, within the limits.
    user, rate, seen : (n,) ndarray
        Rates of a user and of a device of the designs that no other beats; 1 where the cut was measured.
    median, wide : float
        Median and 90th percentile of the error, as shares.
    """

    name: str
    best: Served
    user: np.ndarray
    rate: np.ndarray
    seen: np.ndarray
    median: float
    wide: float


@dataclass(frozen=True)
class Chance:
    """What a draw of the errors leaves of a comparison.

    Attributes
    ----------
    better : float
        Share of the draws in which the first answers more tokens per device.
    ratio : tuple of float
        5th, 50th and 95th percentile of the ratio of rates: while an hour of the first costs less than that times an
        hour of the second, the first is the cheaper one.
    """

    better: float
    ratio: tuple[float, float, float]


def error_of(task: Task) -> tuple[float, float, float, str]:
    """Return median and 90th percentile of the error of an engine, the median of the nearest row, and which rows."""
    table = catalogues.catalogue("serving/errors")
    row = int(catalogues.error_case(task.device, task.stack, task.precision, task.architecture))
    median, wide, nearest = (float(table[key][row]) for key in ("median", "percentile_90", "nearest_median"))
    return median, wide, nearest, f"{int(table['rows'][row])} {table['kind'][row]} rows"


def side(task: Task, designs: Sequence[Served], best: Served) -> Side:
    """Return an engine with its designs, as `chances` compares it."""
    user, rate, seen = (
        np.array([design.values[name] for design in designs])
        for name in ("user_token_rate", "serving_tokens_per_device", "cut_seen")
    )
    # What another design of the same kind beats in both rates is never the best one in a draw.
    kinds = [np.flatnonzero((seen > 0.5) == kind) for kind in (False, True)]
    keep = np.concatenate([places[on_frontier(user[places], rate[places])] for places in kinds])
    median, wide, _, _ = error_of(task)
    name = f"{task.device} {task.stack} {task.precision}"
    return Side(name, best, user[keep], rate[keep], seen[keep], median, wide)


def chances(sides: Sequence[Side], user_rate: float, seed: int = 0, draws: int = DRAWS) -> list[list[Chance]]:
    """Compare each engine with each other one.

    Parameters
    ----------
    sides : sequence of Side
    user_rate : float
        Tokens a second that a user sees at least.
    seed, draws : int

    Returns
    -------
    list of list of Chance
        Of the row's engine against the column's.
    """
    rng = np.random.default_rng(seed)
    rates = np.stack([_drawn(each, user_rate, rng, draws) for each in sides])
    table = []
    for first in rates:
        row = []
        for second in rates:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(second > 0.0, first / second, np.inf)
            low, middle, high = np.percentile(ratio, (5.0, 50.0, 95.0), method="nearest")
            row.append(Chance(float(np.mean(first > second)), (float(low), float(middle), float(high))))
        table.append(row)
    return table


def _drawn(of: Side, user_rate: float, rng: np.random.Generator, draws: int) -> np.ndarray:
    """Return the best rate per device in each draw; 0 where nothing is quick enough for the users."""
    own = rng.uniform(1.0 - of.wide, 1.0 + of.wide, draws)[:, None]
    cut = np.where(of.seen[None, :] > 0.5, 1.0, rng.uniform(1.0 - UNSEEN_CUT, 1.0 + UNSEEN_CUT, draws)[:, None])
    factor = own * cut
    result: np.ndarray = np.where(of.user / factor >= user_rate, of.rate / factor, 0.0).max(axis=1)
    return result
