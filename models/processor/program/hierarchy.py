"""Hit fractions of the levels of a machine's caches, from the reuse of a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.watch.memoise import distinct
from dse.models.processor.caches.associativity import associative_hit_fraction
from dse.models.processor.caches.caches import cache_lines, curve_for
from dse.models.processor.program.events import Reuse

__all__ = ["INSTRUCTION_BYTES", "instruction_hits", "level_hits"]

INSTRUCTION_BYTES = 4.0
"""Of an instruction in a cache: profiles count instructions in no machine's encoding (ours: as on RISC machines)."""


def level_hits(reuse: Reuse, reach_bytes: Any, line_bytes: Any, ways: Any = 0.0) -> Any:
    """Return the hit fraction of a level that reaches so far.

    Parameters
    ----------
    reuse : Reuse
    reach_bytes, line_bytes : float or array
    ways : float or array
        Lines per set; 0 is fully associative.
    """
    lines = cache_lines(reach_bytes, line_bytes)
    whole = reuse.hits(lines, line_bytes)
    if not np.any(np.greater(ways, 0.0)):
        return whole

    def read(curves: Any) -> Any:
        sizes, place = distinct(line_bytes)
        chosen = [curve_for(curves, float(size)) for size in sizes]
        hits: Any = 0.0
        for curve in curves:
            here = np.array([nearest is curve for nearest in chosen])
            if here.any():
                hits = np.where(here[place], associative_hit_fraction(curve, lines, ways), hits)
        return hits

    return np.where(np.greater(ways, 0.0), reuse.each(read), whole)


def instruction_hits(reuse: Reuse, size_bytes: Any, line_bytes: Any) -> Any:
    """Return the hit fraction of an instruction cache, from reuse distances that count lines of instructions."""
    return level_hits(reuse, size_bytes / INSTRUCTION_BYTES, line_bytes / INSTRUCTION_BYTES)
