"""Made-up series whose growth is known, inside the family that is fitted and outside of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["KNOWN", "OUTSIDE", "TARGETS", "Series", "series"]

Growth = Callable[[np.ndarray], np.ndarray]
TARGETS = (4.0, 16.0, 64.0)
"""Over the largest size."""
_FIRST = 5
"""The smallest size is 2^5."""


class Known(NamedTuple):
    """A growth, and its power and logarithms; rising ones rise tenfold over the sizes, the falling one starts at 10."""

    shape: Growth
    exponent: float
    logarithms: int


KNOWN: dict[str, Known] = {
    "1": Known(np.ones_like, 0.0, 0),
    "log": Known(np.log2, 0.0, 1),
    "log^2": Known(lambda p: np.log2(p) ** 2, 0.0, 2),
    "p^.5": Known(np.sqrt, 0.5, 0),
    "p^.5 log": Known(lambda p: np.sqrt(p) * np.log2(p), 0.5, 1),
    "p": Known(lambda p: p, 1.0, 0),
    "p log": Known(lambda p: p * np.log2(p), 1.0, 1),
    "p^1.25": Known(lambda p: p**1.25, 1.25, 0),
    "p^1.5": Known(lambda p: p**1.5, 1.5, 0),
    "p^2": Known(lambda p: p**2, 2.0, 0),
    "c + 1/p": Known(lambda p: 1.0 / p, -1.0, 0),
}
OUTSIDE: dict[str, Growth] = {
    "1 + a p^.4": lambda p: p**0.4,
    "1 + a p^.7": lambda p: p**0.7,
    "1 + a p^1.1": lambda p: p**1.1,
    "p^.5 + .02 p": lambda p: np.sqrt(p) + 0.02 * p,
    "2 + 300/p + .01 p": lambda p: 2.0 + 300.0 / p + 0.01 * p,
}
"""Powers off the grid of terms, and sums of two growths."""


class Series(NamedTuple):
    """Sizes, the runs at each, their medians, and the truth at the targets."""

    growth: str
    sizes: np.ndarray
    runs: np.ndarray
    values: np.ndarray
    targets: np.ndarray
    truth: np.ndarray

    def plain(self) -> dict[str, Any]:
        return {"sizes": self.sizes.tolist(), "values": self.values.tolist(), "targets": self.targets.tolist()}


def _law(name: str, sizes: np.ndarray) -> Growth:
    shape = KNOWN[name].shape if name in KNOWN else OUTSIDE[name]
    if " + " in name and not name.startswith(("c ", "1 ")):
        return shape
    begin, end = shape(sizes[:1])[0], shape(sizes[-1:])[0]
    if begin == end:
        return shape
    if end < begin:
        return lambda p: 1.0 + 9.0 * shape(p) / begin
    return lambda p: 1.0 + 9.0 * (shape(p) - begin) / (end - begin)


def series(name: str, count: int, noise: float, repetitions: int, generator: np.random.Generator) -> Series:
    """Return the median of runs with relative normal noise at 2^5, 2^6 ..."""
    sizes = 2.0 ** np.arange(_FIRST, _FIRST + count)
    targets = sizes[-1] * np.array(TARGETS)
    law = _law(name, sizes)
    runs = law(sizes) * (1.0 + noise * generator.standard_normal((repetitions, count)))
    return Series(name, sizes, runs, np.median(runs, axis=0), targets, law(targets))
