"""The graph of a Slim Fly, that of McKay, Miller and Siran over a field of prime order (Besta and Hoefler 2014)."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

import numpy as np

__all__ = ["is_field_order", "neighbours_of_switches"]


def is_field_order(number: int) -> bool:
    """Return whether it is a prime of the form 4 w + 1: the orders q that are supported."""
    prime = number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
    return prime and number % 4 == 1


@lru_cache(maxsize=4)
def neighbours_of_switches(q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the adjacency of the switches, and the numbers of those next to each."""
    numbers = np.arange(q)
    square = np.zeros(q, dtype=bool)
    square[numbers**2 % q] = True
    steps = np.stack([np.flatnonzero(square)[1:], np.flatnonzero(~square)])
    part, column, row = (index[..., None] for index in np.indices((2, q, q)))
    inside = (part * q + column) * q + (row + steps[:, None, None]) % q
    across = ((1 - part) * q + numbers) * q + (row + np.where(part == 0, -1, 1) * column * numbers) % q
    near = np.concatenate([inside, across], axis=-1).reshape(2 * q * q, -1)
    adjacency = np.zeros((len(near), len(near)), dtype=bool)
    np.put_along_axis(adjacency, near, True, axis=1)
    return adjacency, near
