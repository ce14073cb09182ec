"""Rounds of an algorithm as arrays, with how many messages each has and how many bytes these carry together."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dse.models.collectives.algorithms.rounds import Round, rounds_of
from dse.models.collectives.on_topology import MOST_SHIFTS

__all__ = ["Schedule", "schedule", "shifts_between_all"]

_SUBTREES = ("binomial_pers", "vdg_rd", "vdg_ring")


class Schedule(NamedTuple):
    """Rounds, one entry each.

    Attributes
    ----------
    pattern : (rounds,) ndarray of str
        As of `Round`.
    distance, share, times : (rounds,) ndarray
        As of `Round`; of rounds that stand for others that were left out, `times` counts these too.
    moved : (rounds,) ndarray
        Bytes of all messages of the round, `times` included, in units of the size of the operation.
    whole : (rounds,) ndarray of bool
        False for an exchange that not all processes take part in.
    sampled : bool
        Whether rounds were left out: of many shifts, `MOST_SHIFTS` evenly spread ones stand for all.
    """

    pattern: np.ndarray
    distance: np.ndarray
    share: np.ndarray
    times: np.ndarray
    moved: np.ndarray
    whole: np.ndarray
    sampled: bool


@lru_cache(maxsize=512)
def schedule(algorithm: str, processes: int) -> Schedule:
    """Return the rounds of an algorithm of `ROUNDS`, for two processes or more."""
    every = rounds_of(algorithm, processes)
    kept, weight = every, 1.0
    if len(every) > MOST_SHIFTS:
        kept = [every[place] for place in np.rint(np.linspace(0, len(every) - 1, MOST_SHIFTS)).astype(int)]
        weight = len(every) / len(kept)
    times = np.array([round_.times for round_ in kept]) * weight
    moved = np.array([_moved(algorithm, round_, processes) for round_ in kept])
    return Schedule(
        np.array([round_.pattern for round_ in kept]),
        np.array([round_.distance for round_ in kept]),
        np.array([round_.share for round_ in kept]),
        times,
        moved * times,
        np.array([round_.pattern != "exchange" or round_.taking_part == processes for round_ in kept]),
        len(kept) < len(every),
    )


@lru_cache(maxsize=64)
def shifts_between_all(processes: int) -> tuple[np.ndarray, bool]:
    """Return the distances 1 … P - 1, or `MOST_SHIFTS` of them, evenly spread, and whether some were left out."""
    if processes - 1 <= MOST_SHIFTS:
        return np.arange(1, processes), False
    return np.rint(np.linspace(1, processes - 1, MOST_SHIFTS)).astype(int), True


def _moved(algorithm: str, round_: Round, processes: int) -> float:
    if round_.pattern == "exchange":
        return round_.taking_part * round_.share
    if round_.pattern in ("fold", "unfold"):
        return (processes - round_.distance) * round_.share
    if round_.pattern == "shift":
        # A scan sends to higher ranks only.
        senders = processes - round_.distance if algorithm == "scan_dissemination" else processes
        return senders * round_.share
    senders = (processes - round_.distance - 1) // (2 * round_.distance) + 1
    if algorithm not in _SUBTREES:
        return senders * round_.share
    last = min(round_.distance, processes - round_.distance - 2 * round_.distance * (senders - 1))
    largest = min(round_.distance, processes - round_.distance)
    return ((senders - 1) * round_.distance + last) * round_.share / largest
