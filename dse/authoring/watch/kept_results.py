"""Results of costly functions of the project, asked for again in later runs: kept by whoever runs them, or not at all.

A function says by `recalled` that what it gives depends on its arguments and on the code of the project alone. Where
somebody keeps results (`results_kept_by`), they are looked up first. Functions of a user's own code never say so: what
they read is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np

__all__ = ["Keeper", "recalled", "results_kept_by"]


class Keeper(Protocol):
    """Keeps arrays by the name of a function and its arguments, or fails to in silence."""

    def recall(self, name: str, arguments: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray | None:
        """Return the result of these arguments, an array of floats of this shape, or None."""

    def keep(self, name: str, arguments: Sequence[np.ndarray], result: np.ndarray) -> None:
        """Keep a result."""


_KEEPER: ContextVar[Keeper | None] = ContextVar("who keeps results", default=None)


@contextmanager
def results_kept_by(keeper: Keeper | None) -> Iterator[None]:
    """Have results kept while the block runs; by nobody, where `keeper` is None."""
    before = _KEEPER.set(keeper)
    try:
        yield
    finally:
        _KEEPER.reset(before)


def recalled(
    name: str, arguments: Sequence[np.ndarray], shape: tuple[int, ...], compute: Callable[[], np.ndarray]
) -> np.ndarray:
    """Return a result that somebody kept, else compute it and have it kept.

    Parameters
    ----------
    name : str
        Of what is computed: with the arguments it decides the result, to the bit.
    arguments : sequence of ndarray of float
    shape : tuple of int
        Of the result.
    compute : callable
        Gives it, as an array of floats.
    """
    keeper = _KEEPER.get()
    if keeper is None:
        return compute()
    known = keeper.recall(name, arguments, shape)
    if known is None:
        known = compute()
        keeper.keep(name, arguments, known)
    return known
