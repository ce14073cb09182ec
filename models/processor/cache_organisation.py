"""How the caches place lines, as quantities: lines per set of each level, from which hit fractions follow.

The slot ``cache_organisation`` takes ``fully-associative`` (default: as the thesis and the published tool take every
level), or ``set-associative`` with `l1_ways`, `l2_ways` and `l3_ways` (`dse.models.processor.associativity`).
"""

from __future__ import annotations

import numpy as np

from dse.declaration import parameter, quantities
from dse.models.processor.node_inputs import THESIS

__all__: list[str] = []

l1_ways = parameter(unit="1", doc="Lines per set of level 1", minimum=1, integer=True)
l2_ways = parameter(unit="1", doc="Lines per set of level 2", minimum=1, integer=True)
l3_ways = parameter(unit="1", doc="Lines per set of level 3", minimum=1, integer=True)

_LINES = {"l1_lines_per_set": "1", "l2_lines_per_set": "1", "l3_lines_per_set": "1"}


@quantities(
    gives=_LINES,
    source=f"{THESIS}, Section 3.3.3: an approximation, no cache of many lines is built so",
    slot="cache_organisation",
    provider="fully-associative",
    default=True,
)
def whole_levels():
    """Lines per set of each level; 0: a line may stand anywhere in the level."""
    return np.zeros(1), np.zeros(1), np.zeros(1)


@quantities(
    gives=_LINES,
    source="A. J. Smith 1978, Hill and Smith 1989: lines placed at random, least recently used of a set replaced; "
    "within 0.026 of simulated hit fractions from two ways on, within 0.05 for one",
    slot="cache_organisation",
    provider="set-associative",
)
def sets_of_lines(l1_ways, l2_ways, l3_ways):
    """Lines per set of each level."""
    return l1_ways * 1.0, l2_ways * 1.0, l3_ways * 1.0
