"""The links of a Skywalk: complete graphs in the cabinets, and random perfect matchings of all switches.

The construction is ours, a substitute: Matsuoka et al. 2014, Section 5.3, say what their topology aims at, not how it
is drawn. Each of the s/c switches of a cabinet is linked with the others; every other link of a switch is of one of
k - (s/c - 1) perfect matchings of all switches, drawn at random so that no pair of switches is linked twice. So all
links of matchings run between cabinets.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dse.errors import InputError

__all__ = ["LARGEST", "skywalk_neighbours"]

LARGEST = 2048
"""Most switches: the best paths between all pairs of them are counted."""

_DRAWS = 20
_SWAPS = 50
"""So many attempts to mend each wrong pair of a matching."""


@lru_cache(maxsize=64)
def skywalk_neighbours(switches: int, cabinets: int, degree: int, seed: int) -> np.ndarray:
    """Return the switches next to each switch, those in its cabinet first.

    Parameters
    ----------
    switches, cabinets, degree : int
        Switch i is in cabinet i div (switches/cabinets); `degree` are its links to others.
    seed : int
        The same seed, the same links.

    Returns
    -------
    ndarray of int, shape (switches, degree)
        Column j from switches/cabinets - 1 on is a perfect matching.

    Raises
    ------
    InputError
        Nearly every pair of switches would be linked, so that no matching is left among them.

    Examples
    --------
    >>> skywalk_neighbours(8, 4, 4, 1)[0].tolist()[:1]
    [1]
    """
    together = switches // cabinets
    rng = np.random.default_rng([seed, switches, cabinets, degree])
    first = np.arange(switches) // together * together
    place = np.arange(together - 1)
    # The others of its cabinet: the places before its own, and those after it.
    own = np.arange(switches) - first
    inside = first[:, None] + place + (place >= own[:, None])
    for _ in range(_DRAWS):
        linked = np.equal(first[:, None], first)
        matchings = []
        for _ in range(degree - together + 1):
            found = _matching(linked, rng)
            if found is None:
                break
            linked[np.arange(switches), found] = True
            matchings.append(found)
        if len(matchings) == degree - together + 1:
            neighbours = np.column_stack([inside, *matchings])
            if _connected(neighbours):
                neighbours.setflags(write=False)
                return neighbours
    raise InputError(
        f"skywalk with s = {switches}, c = {cabinets}, k = {degree}, seed = {seed}: no {degree - together + 1} random "
        f"matchings without a pair of switches linked twice in {_DRAWS} draws",
        allowed=f"fewer links of a switch: of {switches - 1} others nearly all would be next to it",
    )


def _matching(linked: np.ndarray, rng: np.random.Generator) -> np.ndarray | None:
    """Draw a perfect matching of switches that are not linked yet; None where pairs cannot be mended by swaps."""
    switches = len(linked)
    pairs = rng.permutation(switches).reshape(-1, 2)
    for wrong in np.flatnonzero(linked[pairs[:, 0], pairs[:, 1]]):
        for _ in range(_SWAPS):
            (a, b), (c, d) = pairs[wrong], pairs[other := rng.integers(len(pairs))]
            if not linked[a, b]:
                break
            if other == wrong:
                continue
            if rng.integers(2):
                c, d = d, c
            # A swap may leave the other pair as wrong as it was, never make it so.
            if not linked[a, c] and (not linked[b, d] or linked[pairs[other][0], pairs[other][1]]):
                pairs[wrong], pairs[other] = (a, c), (b, d)
        if linked[pairs[wrong][0], pairs[wrong][1]]:
            return None
    if linked[pairs[:, 0], pairs[:, 1]].any():
        return None
    partner = np.empty(switches, dtype=np.int64)
    partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    return partner


def _connected(neighbours: np.ndarray) -> bool:
    """Return whether every switch can be reached from the first."""
    reached = np.zeros(len(neighbours), dtype=bool)
    front = np.array([0])
    while len(front):
        reached[front] = True
        near = np.unique(neighbours[front])
        front = near[~reached[near]]
    return bool(reached.all())
