"""How the caches place lines, as quantities: lines per set of each level, from which hit fractions follow.

The slot ``cache_organisation`` takes ``fully-associative`` (default: as the thesis and the published tool take every
level), or ``set-associative`` with `l1_ways`, `l2_ways` and `l3_ways` (`dse.models.processor.caches.associativity`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import parameter, quantities, quantity
from dse.errors import InputError
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

l1_ways = parameter(unit="1", doc="Lines per set of level 1", minimum=1, integer=True)
l2_ways = parameter(unit="1", doc="Lines per set of level 2", minimum=1, integer=True)
l3_ways = parameter(unit="1", doc="Lines per set of level 3", minimum=1, integer=True)

_SETS: dict[str, Any] = {
    "source": "A. J. Smith 1978, Hill and Smith 1989: lines placed at random, least recently used of a set replaced; "
    "within 0.026 of simulated hit fractions from two ways on, within 0.05 for one",
    "slot": "cache_organisation",
    "provider": "set-associative",
    "points_only": True,
}
_LINES = {"l1_lines_per_set": "1", "l2_lines_per_set": "1", "l3_lines_per_set": "1"}


@quantities(
    gives=_LINES,
    source=f"{ANGHEL_2017}, Section 3.3.3: an approximation, no cache of many lines is built so",
    slot="cache_organisation",
    provider="fully-associative",
    default=True,
)
def whole_levels():
    """Lines per set of each level; 0: a line may stand anywhere in the level."""
    return np.zeros(1), np.zeros(1), np.zeros(1)


def _lines_per_set(level: int, ways: Any, size: Any, cache_line: Any) -> Any:
    impossible = np.greater(size, 0.0) & np.greater(ways * cache_line, size)
    if np.any(impossible):
        many, small, line = (
            np.broadcast_to(array, impossible.shape)[impossible][0] for array in (ways, size, cache_line)
        )
        raise InputError(
            f"a level {level} of {small:g} B has {small / line:g} lines of {line:g} B, and not {many:g} in a set",
            key=f"l{level}_ways",
            allowed="at most the lines of the level",
        )
    return ways * 1.0


@quantity(unit="1", name="l1_lines_per_set", **_SETS)
def l1_sets(l1_ways, l1_size, cache_line):
    """Lines per set of level 1."""
    return _lines_per_set(1, l1_ways, l1_size, cache_line)


@quantity(unit="1", name="l2_lines_per_set", **_SETS)
def l2_sets(l2_ways, l2_size, cache_line):
    """Lines per set of level 2."""
    return _lines_per_set(2, l2_ways, l2_size, cache_line)


@quantity(unit="1", name="l3_lines_per_set", **_SETS)
def l3_sets(l3_ways, l3_size, cache_line):
    """Lines per set of level 3."""
    return _lines_per_set(3, l3_ways, l3_size, cache_line)
