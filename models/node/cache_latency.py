"""Latency that goes with the size of a cache, so that none is larger for nothing.

A cache of another size than that of the machine whose latencies are known takes that machine's latency plus the
difference of the tables' access times. Latencies are from the core, so a slower level 2 makes level 3 later too; the
memory's stays as the study gives it, because the differences are below 1 % of it. Level 2 is in the clock and supply of
its core, so its access times stretch with the supply; level 3 is not. How the distance to level 3 grows with the number
of cores is not known, and left out.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.errors import InputError
from dse.models.node.inputs import FACTORS, MCPAT, goes_with
from dse.models.power.caches import cache_energies

__all__: list[str] = []

_MACHINE = "Xeon E5-2697 v3 (22 nm, 2.6 GHz) as IBM ExaBounds describes it (2017, confidence medium)"
_OURS = "ours: latency of a known machine and the difference of the tables' access times"

catalogue_l2_size = assumption(
    262144, unit="B", source=_MACHINE, doc="Level 2 of the machine whose latencies are known", above=0
)
catalogue_l2_latency_cycles = assumption(
    12, unit="1", source=_MACHINE, doc="Cycles of an access that its level 2 answers, from the core", minimum=0
)
catalogue_l3_size = assumption(
    36700160, unit="B", source=_MACHINE, doc="Level 3 of the machine whose latencies are known", above=0
)
catalogue_l3_latency = assumption(
    36 / 2.6e9, unit="s", source=_MACHINE, doc="Time of an access that its level 3 answers, from the core", minimum=0
)


def _difference(
    level: str, size: np.ndarray, known_size: np.ndarray, technology: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return access time of a cache less that of one of a known size (0 where there is none), and a mark."""
    there = np.greater(size, 0.0)
    sizes = np.where(there, size, known_size)
    own, known = (
        cache_energies(level, size=cache_size, technology=technology, allowed=True)
        for cache_size in (sizes, known_size)
    )
    return (
        np.where(there, own.access_time - known.access_time, 0.0),
        np.where(there & (own.extrapolated | known.extrapolated), 1.0, 0.0),
    )


@quantities(
    gives={"l2_time_difference": "s", "l2_time_outside_tables": "1"},
    source=MCPAT,
    valid=FACTORS,
    points_only=True,
    signed=("l2_time_difference",),
    dimensional=False,
    reason="a fit over capacities in bytes",
)
@once_per_combination
def l2_time(l2_size, catalogue_l2_size, technology):
    """How much longer an access to level 2 takes than to that of the known machine, at the nominal supply."""
    return _difference("L2", l2_size, catalogue_l2_size, technology)


@quantities(
    gives={"l3_time_difference": "s", "l3_time_outside_tables": "1"},
    source=f"{MCPAT}: an array as large as all of level 3",
    valid=FACTORS,
    points_only=True,
    signed=("l3_time_difference",),
    dimensional=False,
    reason="a fit over capacities in bytes",
)
@once_per_combination
def l3_time(l3_size, catalogue_l3_size, technology):
    """How much longer an access to level 3 takes than to that of the known machine."""
    return _difference("L3", l3_size, catalogue_l3_size, technology)


@quantities(
    gives={"l2_latency_cycles": "1", "l3_latency": "s"},
    source=_OURS,
    valid={"l2_time_outside_tables": (0, 0), "l3_time_outside_tables": (0, 0)},
    slot="cache_latency",
    provider="tables",
    default=True,
)
def cache_latencies(
    catalogue_l2_latency_cycles,
    catalogue_l3_latency,
    l2_time_difference,
    l3_time_difference,
    l2_time_outside_tables,
    l3_time_outside_tables,
    delay_factor,
    frequency,
):
    """Cycles of an access that level 2 answers, and time of one that level 3 answers, from the core."""
    private = l2_time_difference * delay_factor
    return catalogue_l2_latency_cycles + private * frequency, catalogue_l3_latency + private + l3_time_difference


@quantity(
    unit="B",
    source="the tables have no access times of level 1, so a study gives its latency together with its size",
    points_only=True,
)
def charged_l1_size(l1_size, l1_latency_cycles):
    """Level 1 data cache whose area and power are charged; sizes that vary at one latency are refused."""
    if not goes_with(l1_size, l1_latency_cycles):
        raise InputError(
            "the size of level 1 varies and its latency does not vary with it",
            key="l1_size",
            allowed="one size, or a part axis whose rows bring l1_size and l1_latency_cycles",
        )
    return l1_size + 0.0
