"""Hit fractions of a cache hierarchy from reuse distances, and the accesses that reach each level.

Hit fractions are *absolute*: of all references, not of those that reach the level. Accesses are per instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

__all__ = ["ReuseCurve", "cache_lines", "curve_for", "curve_hits", "hit_fraction", "level_reach", "local_hit_fraction"]
__all__ += ["prefetch_traffic", "prefetched_latency"]


@dataclass(frozen=True, eq=False)
class ReuseCurve:
    """Fraction of references that hit in a fully associative cache with least-recently-used replacement.

    Attributes
    ----------
    line_bytes : float
        Size of the lines the distances count.
    lines, hits : (n,) ndarray
        Capacities in lines, rising, and the fraction of references that hit; straight lines between, and beyond both
        ends the first and the last. First touches count as references, so the last is at most 1.
    low, high, share : (m,) ndarray
        Bins of distances in other lines, from `low` to `high`, over which a share of the references spreads evenly.
    """

    line_bytes: float
    lines: np.ndarray
    hits: np.ndarray
    low: np.ndarray
    high: np.ndarray
    share: np.ndarray


def curve_for(curves: Sequence[ReuseCurve], line_bytes: float) -> ReuseCurve:
    """Return the curve whose lines are nearest in size; half-way between two sizes (96 B) the smaller is taken."""
    return min(curves, key=lambda curve: (abs(curve.line_bytes - line_bytes), curve.line_bytes))


def cache_lines(reach_bytes: np.ndarray, line_bytes: np.ndarray) -> np.ndarray:
    """Whole lines that `reach_bytes` hold, floor(bytes / line).

    Both may be 0 where a machine lacks the level; so a line counts as at least one byte.
    """
    result: np.ndarray = np.floor(reach_bytes / np.maximum(line_bytes, 1.0))
    return result


def level_reach(size_bytes: np.ndarray, upper_reach_bytes: np.ndarray, exclusive: np.ndarray) -> np.ndarray:
    """Bytes that a level holds together with those above it.

    Parameters
    ----------
    size_bytes : float or array
        Of the level [B].
    upper_reach_bytes : float or array
        Reach of the level above [B].
    exclusive : float or array
        1 where the level holds only what those above do not, 0 where it also holds what they do.
    """
    result: np.ndarray = size_bytes + exclusive * upper_reach_bytes
    return result


def hit_fraction(curve: ReuseCurve, lines: np.ndarray) -> np.ndarray:
    """Fraction of references that a fully associative cache of so many lines answers."""
    result: np.ndarray = np.interp(lines, curve.lines, curve.hits)
    return result


def curve_hits(curves: Sequence[ReuseCurve], lines: np.ndarray, line_bytes: np.ndarray) -> np.ndarray:
    """Hit fraction from the curve whose lines are nearest in size to those of the cache, where it depends on designs.

    Parameters
    ----------
    curves : sequence of ReuseCurve
        In rising size of lines.
    lines, line_bytes : float or array
        Of the cache.
    """
    hits = hit_fraction(curves[0], lines)
    for smaller, curve in pairwise(curves):
        boundary = (smaller.line_bytes + curve.line_bytes) / 2.0
        hits = np.where(line_bytes <= boundary, hits, hit_fraction(curve, lines))
    return hits


def local_hit_fraction(arriving: np.ndarray, leaving: np.ndarray) -> np.ndarray:
    """Share of the accesses arriving at a level that it answers; 0 where none arrive."""
    arrives = np.not_equal(arriving, 0.0)
    return np.where(arrives, (arriving - leaving) / np.where(arrives, arriving, 1.0), 0.0)


def prefetched_latency(
    latency: np.ndarray, upper_latency: np.ndarray, coverage: np.ndarray, lead_cycles: np.ndarray | float
) -> np.ndarray:
    """Mean latency of a level when part of its answers were asked for in advance.

    Parameters
    ----------
    latency, upper_latency : float or array
        Of the level and of the one above [cycles from the core].
    coverage : float or array
        Share of the level's answers that a prefetch had asked for, 0 to 1. At 0 the result is `latency` itself.
    lead_cycles : float or array
        How far ahead.
    """
    result: np.ndarray = (1.0 - coverage) * latency + coverage * np.maximum(upper_latency, latency - lead_cycles)
    return result


def prefetch_traffic(arriving: np.ndarray, coverage: np.ndarray, accuracy: np.ndarray) -> np.ndarray:
    """Accesses that reach a level, with prefetches of lines that nobody uses.

    Parameters
    ----------
    arriving : float or array
        Accesses that the program makes there.
    coverage, accuracy : float or array
        Share of them that prefetches cover, and share of the prefetched lines that are used, above 0.
    """
    result: np.ndarray = arriving * (1.0 + coverage * (1.0 - accuracy) / accuracy)
    return result
