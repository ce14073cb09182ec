"""Parameters of a topology over designs as columns, one entry per design: a parameter may be several sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["entries_of", "from_columns", "of_designs"]


def entries_of(value: Any) -> tuple[Any, ...]:
    """Return what a parameter is made of: its sides, or itself."""
    return value if isinstance(value, tuple) else (value,)


def from_columns(parameters: Mapping[str, Any], columns: Iterable[np.ndarray]) -> dict[str, Any]:
    """Return parameters of which each entry is the next of the columns."""
    each = iter(columns)
    return {
        name: tuple(next(each) for _ in value) if isinstance(value, tuple) else next(each)
        for name, value in parameters.items()
    }


def of_designs(parameters: Mapping[str, Any], chosen: np.ndarray) -> dict[str, Any]:
    """Return parameters of some designs alone, by their rows or by a mask."""
    return {
        name: tuple(entry[chosen] for entry in value) if isinstance(value, tuple) else value[chosen]
        for name, value in parameters.items()
    }
