"""Settings of large spaces on small ones: early joins, many levels, small pieces, few boxes and designs at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import dse.evaluation.plan as planning
from dse.search.bundles import bundles, innermost
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.frontier import archive, cover
from dse.search.groups import nested_groups, reduced_product, shared_axes, ties
from dse.search.schedule import gap, rounds, share
from dse.search.start import warm_start

__all__ = ["EAGER", "MANY_LEVELS", "SAMPLED", "SMALL_ROUNDS", "Settings", "changed"]

Settings = Mapping[ModuleType, Mapping[str, Any]]

MANY_LEVELS: Settings = {
    planning: {"_LIMITS": (4.0,)},
    archive: {"_BUFFER": 20, "_LOOKED_AT_FROM": 8},
    bundles: {"_FEWEST_BOXES": 4, "_PIECE": 64, "_POINTS": 16},
    cover: {"_BUFFER": 20, "_BLOCK": 8, "ENTRIES": 10_000},
    nested_groups: {"_FEWEST_ROWS": 2, "_LEAST_GAIN": 1.0001},
    reduced_product: {"_BUNDLES_FROM": 0},
}
"""Bundles of every space, in levels; groups of few rows; many merges, each with a look before."""

SMALL_ROUNDS: Settings = {
    bundles: {"_FEWEST_BOXES": 4, "_PIECE": 5, "_POINTS": 3},
    gap: {"_TABLE": 1_000, "_PIECE": 7},
    rounds: {"SHARES": 3},
    share: {"_TAKEN": 3, "_DESIGNS": 30, "_PIECE": 7, "_POINTS": 4, "_MOST_OPEN": 60},
}
"""So that small spaces can be stopped many times."""

SAMPLED: Settings = {
    warm_start: {"_SMALLEST_SPACE": 1, "_DESIGNS": 40, "_LEAST": 3, "_WORTHWHILE": 0, "_ROUNDS": 1},
}
"""A sampled start of small spaces."""

EAGER: Settings = {
    shared_axes: {"_MANY_LEFT": 0, "_WORTHWHILE": 1e-9},
    nested_groups: {"_FEWEST_ROWS": 2},
    bundles: {"_FEWEST_BOXES": 4, "_MANY": 0},
    innermost: {"_LEAST_ROWS": 1, "_BETTER": 1.0},
    ties: {"_SIZES": (2, 4, 8)},
}
"""Groups share axes wherever they can, however little that leaves out."""

_SEARCHES = {"exhaustive": ExhaustiveProduct, "bundles": bundles.BundleProduct}


@contextmanager
def changed(*settings: Settings, chunk: int | None = None, inner: int | None = None) -> Iterator[None]:
    """Change settings for a while, later ones over earlier ones; `chunk` designs a piece, `inner` rows together."""
    together = [(module, name, value) for own in settings for module, new in own.items() for name, value in new.items()]
    before = [(module, name, getattr(module, name)) for module, name, _ in together]
    defaults = [search.__init__.__kwdefaults__ for search in _SEARCHES.values()]
    defaults_before = [dict(own) for own in defaults]
    try:
        for module, name, value in together:
            setattr(module, name, value)
        for own in defaults:
            if chunk is not None:
                own["chunk"] = chunk
            if inner is not None and "inner" in own:
                own["inner"] = inner
        planning._cached.cache_clear()
        yield
    finally:
        for module, name, value in reversed(before):
            setattr(module, name, value)
        for own, old in zip(defaults, defaults_before, strict=True):
            own.update(old)
        planning._cached.cache_clear()
