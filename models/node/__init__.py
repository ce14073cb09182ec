"""Nodes: power, energy, area and cost of a processor with its memory, beside the time that `processor` gives.

A study takes both, ``models = ["processor", "node"]``. Each part of the node has quantities for its area, for what it
takes at rest and for what its work takes: cores with their level 1 caches (`core_power`), levels 2 and 3
(`cache_power`), on-chip network and memory interface (`uncore_power`) and the memory (`dram`). `totals` adds them up,
`silicon` adds up areas. Figures of the chip come from the tables and laws of `dse.models.power`.

What a design gains it pays for: a clock has its voltage (`supply`), a cache its latency (`cache_latency`), area and
leakage, a memory's bandwidth its power, and what the tables do not charge a core for is marked (`core_structures`).
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.node import (
    cache_latency,
    cache_power,
    core_power,
    core_structures,
    dram,
    inputs,
    silicon,
    supply,
    totals,
    uncore_power,
)

__all__: list[str] = []

globals().update(
    declarations(
        inputs, supply, core_structures, core_power, cache_power, cache_latency, uncore_power, dram, silicon, totals
    )
)
globals().update(dram.device_functions())
globals().update(totals.part_functions())
