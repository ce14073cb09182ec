"""How many examples a test takes: a share of random ones, a sample of many parameters; all if ``DSE_EXAMPLES=all``."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from itertools import cycle, islice, product
from typing import Any, TypeVar

__all__ = ["ALL_EXAMPLES", "examples", "sampled", "sampled_product"]

Parameter = TypeVar("Parameter")

_LEAST = 15
"""Of a test with fewer examples nothing is left out."""

ALL_EXAMPLES = os.environ.get("DSE_EXAMPLES") == "all"
_FEW = 5 if os.environ.get("DSE_EXAMPLES") == "few" else None
"""So many at most in `make check`."""


def examples(count: int) -> int:
    """Return a sixth of the examples of a test, the first ones, and at least 15 of those it has.

    ``DSE_EXAMPLES=all make test`` takes all of them, `make check` five.
    """
    return count if ALL_EXAMPLES else min(max(-(-count // 6), min(count, _LEAST)), _FEW or count)


def sampled(parameters: Iterable[Parameter], count: int) -> list[Parameter]:
    """Return `count` of the parameters of a test that states one rule for all of them, in their order.

    The first and the last are among them, the others are drawn with a fixed seed. ``DSE_EXAMPLES=all make test`` takes
    all of them. Not for hand values, printed figures, or functions of a model: each of those says something of its own.
    """
    every = list(parameters)
    if ALL_EXAMPLES or len(every) <= count:
        return every
    drawn = random.Random(len(every)).sample(range(1, len(every) - 1), count - 2)
    return [every[place] for place in sorted({0, len(every) - 1, *drawn})]


def sampled_product(subjects: Sequence[Any], *axes: Sequence[Any], each: int) -> list[tuple[Any, ...]]:
    """Return every subject with `each` combinations of the other axes, for a test that states one rule for all.

    The combinations are dealt out in an order with a fixed seed, so that all of them occur where the subjects suffice,
    and none twice with one subject. ``DSE_EXAMPLES=all make test`` takes every subject with every combination.
    A tuple among the subjects or on an axis is spread out: it holds parameters that belong together.
    """
    every = list(product(*axes))
    order = list(every)
    random.Random(len(every)).shuffle(order)
    deal = cycle(order)
    rows = []
    for subject in subjects:
        chosen = every if ALL_EXAMPLES else list(islice(deal, min(each, len(every))))
        rows += [(subject, *combination) for combination in chosen]
    return [tuple(part for value in row for part in (value if isinstance(value, tuple) else (value,))) for row in rows]
