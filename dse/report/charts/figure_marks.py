"""Which designs a figure draws, and what tells them apart beside their place: colours and shapes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLOURS", "SHAPES", "Group", "at_random", "evenly", "groups_of", "kinds_of", "within_bytes"]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a", "#8c6d31")
"""Told apart with deuteranopia too (the first six: Okabe and Ito 2008)."""

SHAPES = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "triangle-down",
    "pentagon",
    "star",
    "hexagon",
    "bowtie",
)

_LINE_BREAK = 14  # bytes of "<br>" in the JSON of a figure, where it stands as \u003cbr\u003e


class Group(NamedTuple):
    """Designs that are drawn alike: which rows, their colour (None: that of all), their shape, their name."""

    rows: np.ndarray
    colour: str | None
    shape: str
    name: str


def kinds_of(texts: Sequence[str], key: str, name: str, most: int) -> list[str]:
    """Return the different texts of a column, in the order they appear.

    Raises
    ------
    InputError
        More than there are colours or shapes.
    """
    kinds = list(dict.fromkeys(texts))
    if len(kinds) > most:
        raise InputError(
            f"'{name}' has {len(kinds)} different values", key=key, allowed=f"a column with at most {most} of them"
        )
    return kinds


def groups_of(front: pd.DataFrame) -> list[Group]:
    """Return the groups of a frontier whose columns ``kind`` and ``symbol``, where it has them, set designs apart."""
    columns = {key: front[key].to_numpy(dtype=object) for key in ("kind", "symbol") if key in front}
    kinds = [list(dict.fromkeys(texts)) for texts in columns.values()]
    groups = []
    for chosen in product(*kinds):
        rows = np.ones(len(front), dtype=bool)
        styles = {}
        for (key, texts), text, known in zip(columns.items(), chosen, kinds, strict=True):
            rows &= texts == text
            styles[key] = known.index(text)
        if rows.any():
            colour = COLOURS[styles["kind"]] if "kind" in styles else None
            groups.append(Group(rows, colour, SHAPES[styles.get("symbol", 0)], ", ".join(dict.fromkeys(chosen))))
    return groups


def evenly(count: int, most: int) -> np.ndarray:
    """Return the places of at most so many of some rows, at equal distances, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).astype(int))


def at_random(count: int, most: int) -> np.ndarray:
    """Return the places of at most so many of some rows, always the same ones.

    In a space, which is a product, rows at equal distances may all have one value of an axis.
    """
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def within_bytes(texts: Sequence[str], most: int) -> int:
    """Return how many of some texts, on average, the JSON of a figure holds in so many bytes; all, where they fit."""
    total = sum(len(json.dumps(text)) + _LINE_BREAK * text.count("\n") for text in texts)
    return len(texts) if total <= most else max(1, int(len(texts) * most / total))
