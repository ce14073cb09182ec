"""Patterns that a traffic matrix is compared with, each as its flows of equal weight."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Candidate", "candidates", "grids"]


class Candidate(NamedTuple):
    """A pattern with its parameters.

    Attributes
    ----------
    name : str
    parameters : dict
    source, destination : ndarray of int, optional
        Its flows, one entry for each; a pair may stand twice. None of the uniform pattern and of shifts, whose flows
        are never listed.
    """

    name: str
    parameters: dict[str, Any]
    source: np.ndarray | None = None
    destination: np.ndarray | None = None


def candidates(ranks: int) -> Iterator[Candidate]:
    """Yield the patterns of a number of ranks in the order in which a tie is decided."""
    rank = np.arange(ranks)
    yield Candidate("uniform", {})
    for step in range(1, ranks):
        yield Candidate("shift", {"step": step})
    for dimensions in (1, 2, 3):
        for sides in grids(ranks, dimensions):
            for periodic in (True, False):
                flows = _neighbours(rank, sides, periodic)
                yield Candidate(f"{dimensions}-D neighbour", {"grid": list(sides), "periodic": periodic}, *flows)
    yield _listed("complement", {}, rank, ranks - 1 - rank)
    side = round(ranks**0.5)
    if side * side == ranks:
        yield _listed("transpose", {}, rank, (rank % side) * side + rank // side)
    bits = ranks.bit_length() - 1
    if ranks == 1 << bits:
        for bit in range(bits):
            yield _listed("exchange", {"bit": bit}, rank, rank ^ (1 << bit))
        turned = np.zeros_like(rank)
        for bit in range(bits):
            turned |= ((rank >> bit) & 1) << (bits - 1 - bit)
        yield _listed("bit reversal", {}, rank, turned)
        yield _listed("hypercube", {}, np.tile(rank, bits), (rank ^ (1 << np.arange(bits))[:, None]).reshape(-1))
    workers, master = rank[1:], np.zeros(ranks - 1, dtype=rank.dtype)
    yield _listed("master-worker", {}, np.append(master, workers), np.append(workers, master))
    yield _listed("pipeline", {}, rank[:-1], rank[1:])


def _listed(name: str, parameters: dict[str, Any], source: np.ndarray, destination: np.ndarray) -> Candidate:
    """Return a pattern without what stays at its rank."""
    leaves = source != destination
    return Candidate(name, parameters, source[leaves], destination[leaves])


def grids(ranks: int, dimensions: int) -> list[tuple[int, ...]]:
    """Return all ordered grids of a number of ranks, ascending: sides of at least 2, of one dimension at least 3."""
    if dimensions == 1:
        return [(ranks,)] if ranks >= 3 else []
    divisors = [side for side in range(2, ranks + 1) if ranks % side == 0]
    factored = []
    for sides in product(divisors, repeat=dimensions - 1):
        inner = int(np.prod(sides))
        if ranks % inner == 0 and ranks // inner >= 2:
            factored.append((*sides, ranks // inner))
    return sorted(factored)


def _neighbours(rank: np.ndarray, sides: tuple[int, ...], periodic: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the flows of a grid to the next in each direction, dimension 1 fastest; a ring of two has each twice."""
    sources, destinations = [], []
    stride = 1
    for side in sides:
        place = rank // stride % side
        for step in (1, -1):
            inside = np.ones(len(rank), dtype=bool) if periodic else (place + step >= 0) & (place + step < side)
            moved = rank + ((place + step) % side - place) * stride
            sources.append(rank[inside])
            destinations.append(moved[inside])
        stride *= side
    return np.concatenate(sources), np.concatenate(destinations)
