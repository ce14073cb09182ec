"""The links of a Skywalk: complete graphs in the cabinets, and random perfect matchings of all switches.

The construction is ours, a substitute: Matsuoka et al. 2014, Section 5.3, say what their topology aims at, not how it
is drawn. Each of the s/c switches of a cabinet is linked with the others; every other link of a switch is of one of
k - (s/c - 1) perfect matchings of all switches, drawn at random so that no pair of switches is linked twice. So all
links of matchings run between cabinets. Where nearly all switches are linked and no such draw succeeds, the matchings
that are drawn are those of the pairs left out.
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
        The columns from switches/cabinets - 1 on are links between cabinets.

    Raises
    ------
    InputError
        Sizes that make no Skywalk; no draw succeeds.

    Examples
    --------
    >>> skywalk_neighbours(8, 4, 4, 1)[0].tolist()[:1]
    [1]
    """
    _refuse_sizes(switches, cabinets, degree, seed)
    together = switches // cabinets
    rng = np.random.default_rng([seed, switches, cabinets, degree])
    first = np.arange(switches) // together * together
    place = np.arange(together - 1)
    # The others of its cabinet: the places before its own, and those after it.
    own = np.arange(switches) - first
    inside = first[:, None] + place + (place >= own[:, None])
    within = np.equal(first[:, None], first)
    wanted, others = degree - together + 1, switches - together
    # Links are drawn first, and left out only where that fails: a seed keeps the graph it has.
    for drawn in [wanted] * _DRAWS + [others - wanted] * _DRAWS:
        matchings = _matchings(within, drawn, rng)
        if matchings is None:
            continue
        if drawn == wanted:
            neighbours = np.column_stack([inside, *matchings])
        else:
            neighbours = np.column_stack([inside, _all_but(within, matchings)])
        if _connected(neighbours):
            neighbours.setflags(write=False)
            return neighbours
    raise InputError(
        f"skywalk with s = {switches}, c = {cabinets}, k = {degree}, seed = {seed}: no {wanted} random "
        f"matchings without a pair of switches linked twice in {2 * _DRAWS} draws",
        allowed=f"fewer links of a switch: of {switches - 1} others nearly all would be next to it",
    )


def _refuse_sizes(switches: int, cabinets: int, degree: int, seed: int) -> None:
    """Refuse sizes that are none, of which no links can be drawn."""
    for name, value, least in (
        ("switches", switches, 2),
        ("cabinets", cabinets, 2),
        ("degree", degree, 1),
        ("seed", seed, 0),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise InputError(f"{name} = {value!r}", allowed=f"a whole number >= {least}")
    if switches > LARGEST:
        raise InputError(f"switches = {switches}", allowed=f"at most {LARGEST:,}")
    if switches % 2 or switches % cabinets:
        raise InputError(f"switches = {switches}", allowed=f"an even number that the {cabinets} cabinets divide")
    if not switches // cabinets <= degree < switches:
        raise InputError(
            f"degree = {degree}", allowed=f"from {switches // cabinets}, one link out of the cabinet, to {switches - 1}"
        )


def _matchings(within: np.ndarray, count: int, rng: np.random.Generator) -> list[np.ndarray] | None:
    """Draw perfect matchings without a pair twice or within a cabinet; None where one of them is not found."""
    linked = within.copy()
    matchings = []
    for _ in range(count):
        matching = _matching(linked, rng)
        if matching is None:
            return None
        linked[np.arange(len(within)), matching] = True
        matchings.append(matching)
    return matchings


def _all_but(within: np.ndarray, matchings: list[np.ndarray]) -> np.ndarray:
    """Return the switches of other cabinets next to each switch where the pairs of some matchings are not linked."""
    linked = ~within
    for matching in matchings:
        linked[np.arange(len(within)), matching] = False
    return np.nonzero(linked)[1].reshape(len(within), -1)


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
