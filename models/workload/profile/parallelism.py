"""Instruction-level parallelism: the spans of a profile, and ILP as a function of the issue queue.

The span is the number of cycles the ideal machine needs: the last issue cycle + 1 (Anghel 2017, Section 3.3.2 counts
from 1 and prints the last cycle). A span by type is the number of times an instruction of this type reached a new last
cycle. From both follow two definitions of ILP by type: `common` divides the instructions of a type by the span of the
program (Anghel 2017, Eq. 3.1), `own` by the span of the type.

Between profiled windows ILP is a power law of the window, ILP = a W^b (Karkhanis, Smith 2004), continued beyond
the first and the last of several windows. It never exceeds the ILP of the unbounded window nor, for all instructions
together, the window itself; a single window gives its value to all others (`window_mismatch` tells how far they are).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dse.models.workload.profile.reuse import Mode, truncated

__all__ = ["TYPES", "IlpWindow", "Order", "interpolated_ilp", "window_mismatch"]

Order = Literal["ooo", "in", "base", "base-wait"]
TYPES = ("mem", "int", "control", "fp")
"""Types of instructions with a span of their own; ``int`` holds address arithmetic too."""

_WIDEST = 2.0**40


@dataclass(frozen=True)
class IlpWindow:
    """Spans measured with one window.

    Attributes
    ----------
    window : float
        Entries of the window; ``inf`` for the unbounded one.
    order : str
        "ooo" or "in": whether instructions leave the window in program order; "base": in any order, but control
        instructions one after the other, at most one in a cycle (BASE, Anghel 2017, figure 3.9a); "base-wait": so, and
        all others after the control instruction before them (as in Lam and Wilson 1992).
    span : int
        Cycles of the program.
    spans : mapping of str to int
        Cycles by type (`TYPES`), where they are known.
    reference : mapping of str to float
        ILP in reference mode under "all" and the types, where it is not instructions over span cut to four decimals:
        as the tool printed it, or once vectors have been split.
    """

    window: float
    order: Order
    span: int
    spans: Mapping[str, int]
    reference: Mapping[str, float] = field(default_factory=dict)

    def ilp(self, counts: Mapping[str, int], of: str = "all", mode: Mode = "corrected") -> float:
        """Return instructions over span, of the program ("all") or of one type with its own span."""
        if mode == "reference" and of in self.reference:
            return self.reference[of]
        span = self.span if of == "all" else self.spans[of]
        if mode == "reference":
            return truncated(counts[of], span)
        return counts[of] / span if span else 0.0


def interpolated_ilp(points: Sequence[tuple[float, float]], window: Any, *, limited: bool) -> Any:
    """Return the ILP at a window.

    Parameters
    ----------
    points : sequence of (float, float)
        Windows and the ILP measured with each.
    window : float, array or range
        Entries of the issue queue.
    limited : bool
        Whether ILP cannot exceed the window: so for all instructions together.
    """
    finite = sorted(point for point in points if np.isfinite(point[0]))
    unbounded = [ilp for size, ilp in points if not np.isfinite(size)]
    most = unbounded[0] if unbounded else np.inf
    value: Any = most
    if len(finite) == 1:
        value = finite[0][1]
    elif finite:
        value = np.exp(np.interp(np.log(window), *_power_law(finite)))
    value = np.minimum(value, most)
    return np.minimum(value, window) if limited else value


def _power_law(points: Sequence[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of windows and of ILP, with a first and a last point that continue the power law."""
    sizes, values = np.log(np.array(points, dtype=float)).T
    slopes = np.diff(values) / np.diff(sizes)
    before, after = min(0.0, sizes[0] - 1.0), max(np.log(_WIDEST), sizes[-1] + 1.0)
    ends = values[0] - slopes[0] * (sizes[0] - before), values[-1] + slopes[-1] * (after - sizes[-1])
    return np.array([before, *sizes, after]), np.array([ends[0], *values, ends[1]])


def window_mismatch(windows: Sequence[float], window: Any) -> Any:
    """Return the factor between a window and the nearest profiled one on the other side: 1 inside their range."""
    finite = [size for size in windows if np.isfinite(size)]
    if not finite:
        return np.inf
    return np.maximum(np.maximum(window / max(finite), min(finite) / window), 1.0)
