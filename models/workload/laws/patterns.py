"""The pattern of the messages of a program, from who sends to whom.

Offsets are folded to at most half of the ranks, since a message to the rank behind is as far as one to the rank in
front. Of a grid of ranks (``MPI_Dims_create``), an offset around the edge belongs to its dimension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from dse.models.workload.profile.profile import ProcessClass

__all__ = ["MOST_NEIGHBOURS", "Pattern", "dims_create", "folded", "joined_offsets", "pattern_of", "peer_bytes"]

MOST_NEIGHBOURS = 6
_MOST_BYTES, _ALIKE = 0.9, 4.0


@dataclass(frozen=True)
class Pattern:
    """Who sends to whom.

    Attributes
    ----------
    name : str
        "neighbour-2d", "neighbour-3d", "shift", "exchange" or "uniform".
    guessed : bool
        Whether no rule applies, and uniform stands for what is not known.
    step : int
        Of a shift, in ranks.
    self_share : float
        Share of the bytes that a rank sends to itself; no message.
    """

    name: str
    guessed: bool = False
    step: int = 0
    self_share: float = 0.0


@lru_cache(maxsize=4096)
def dims_create(processes: int, dimensions: int) -> tuple[int, ...]:
    """Return the sides that ``MPI_Dims_create`` gives so many ranks: as equal as can be, none rising.

    Examples
    --------
    >>> dims_create(64, 3), dims_create(16384, 3), dims_create(2, 3)
    ((4, 4, 4), (32, 32, 16), (2, 1, 1))
    """
    return min(_boxes(processes, dimensions, processes), key=lambda sides: (sides[0] - sides[-1], sides))


def _boxes(ranks: int, dimensions: int, longest: int) -> list[tuple[int, ...]]:
    """Return the boxes of so many ranks whose sides do not rise."""
    if dimensions == 1:
        return [(ranks,)] if ranks <= longest else []
    sides = [side for side in _divisors(ranks) if side <= longest and side**dimensions >= ranks]
    return [(side, *rest) for side in sides for rest in _boxes(ranks // side, dimensions - 1, side)]


@lru_cache(maxsize=4096)
def _divisors(number: int) -> tuple[int, ...]:
    low = [divisor for divisor in range(1, isqrt(number) + 1) if number % divisor == 0]
    return tuple({*low, *(number // divisor for divisor in low)})


def peer_bytes(classes: Sequence[ProcessClass]) -> dict[int, float]:
    """Return the bytes by offset of all processes of a run; those received where none that are sent are known."""
    by_offset: dict[int, float] = {}
    for item in classes:
        p2p = None if item.comm is None else item.comm.p2p
        for peer in () if p2p is None else p2p.sent_peers or p2p.peers:
            by_offset[peer.offset] = by_offset.get(peer.offset, 0.0) + float(peer.bytes) * item.members
    return by_offset


def folded(offsets: Mapping[int, float], processes: int) -> dict[int, float]:
    """Return bytes by offset of at most half of the ranks, without what a rank sends to itself, rising."""
    by_distance: dict[int, float] = {}
    for offset, held in offsets.items():
        near = min(offset % processes, -offset % processes)
        if near:
            by_distance[near] = by_distance.get(near, 0.0) + held
    return dict(sorted(by_distance.items()))


def joined_offsets(offsets: Mapping[int, float], processes: int, dimensions: int) -> dict[tuple[int, ...], float]:
    """Return the bytes of folded offsets, those around the edge of a dimension joined with it, the largest stride last.

    Examples
    --------
    >>> joined_offsets({1: 3.0, 3: 1.0, 4: 3.0, 12: 1.0, 16: 4.0}, 64, 3)
    {(1, 3): 4.0, (4, 12): 4.0, (16,): 4.0}
    """
    left, joined = dict(offsets), {}
    stride = 1
    for side in reversed(dims_create(processes, dimensions)):
        if side > 1:
            around = stride * (side - 1) % processes
            both = dict.fromkeys((stride, min(around, processes - around)))
            members = tuple(sorted(offset for offset in both if offset in left))
            if members:
                joined[members] = sum(left.pop(offset) for offset in members)
        stride *= side
    joined |= {(offset,): held for offset, held in left.items()}
    return joined


def pattern_of(classes: Sequence[ProcessClass], processes: int) -> Pattern | None:
    """Return the pattern of a run; None where no process sends to another.

    Notes
    -----
    A shift: one offset. Neighbours: at least 90 % of the bytes go to the offsets of a grid of two or three dimensions.
    Uniform: those of all P - 1 offsets differ by less than a factor of 4. Exchange: powers of two. Neighbours, too,
    where 90 % go to at most six offsets that are no such grid. Else uniform, guessed.
    """
    every = peer_bytes(classes)
    near = folded(every, processes)
    whole = sum(near.values())
    if whole <= 0.0:
        return None
    own = 1.0 - whole / sum(every.values())
    (most, step) = max((held, offset) for offset, held in near.items())
    if most >= _MOST_BYTES * whole:
        return Pattern("shift", step=step, self_share=own)
    on_grid = {dimensions: _on_grid(near, processes, dimensions) for dimensions in (2, 3)}
    for dimensions, held in on_grid.items():
        if held >= _MOST_BYTES * whole:
            return Pattern(f"neighbour-{dimensions}d", self_share=own)
    others = [held for offset, held in every.items() if offset % processes]
    if len(others) == processes - 1 and max(others) < _ALIKE * min(others):
        return Pattern("uniform", self_share=own)
    if sum(held for offset, held in near.items() if offset & (offset - 1) == 0) >= _MOST_BYTES * whole:
        return Pattern("exchange", self_share=own)
    joined = sorted(joined_offsets(near, processes, 3).values(), reverse=True)
    if sum(joined[:MOST_NEIGHBOURS]) >= _MOST_BYTES * whole:
        # Corners beside the faces of a grid: that of the dimensions whose faces carry more.
        flat = on_grid[2] > on_grid[3] or (on_grid[2] == on_grid[3] and len(joined) <= 2)
        return Pattern("neighbour-2d" if flat else "neighbour-3d", self_share=own)
    return Pattern("uniform", guessed=True, self_share=own)


def _on_grid(near: Mapping[int, float], processes: int, dimensions: int) -> float:
    """Return the bytes that go to neighbours on the grid of the ranks, where every dimension of it is used."""
    sides = dims_create(processes, dimensions)
    if min(sides) < 2:
        return 0.0
    offsets: set[int] = set()
    stride = 1
    for side in reversed(sides):
        around = stride * (side - 1)
        own = {stride, min(around % processes, -around % processes)}
        if not own & near.keys():
            return 0.0
        offsets |= own
        stride *= side
    return sum(held for offset, held in near.items() if offset in offsets)
