r"""Prefetching by strides, as a component: what was recorded of each access, in place of a guess from two curves.

The slot ``prefetching`` takes ``strides`` where the profile has them (`dse.models.workload.profile.strides`). Of what a
level answers, the share that a stride prefetcher would have asked for is

    coverage = covered references at distances between the lines above and its own / all references there

(the memory: beyond level 3, first touches among them). A covered answer is as late as the level above, the bandwidths
hold. A share d of the missing loads waits for another miss, so of the m misses that a reorder buffer holds (1 - d) m go
on beside one another, and the cycles of misses per instruction are at least

    d (1 - stores) miss_cycles / max(1, (1 - d) m)

which bounds the full window beside the miss registers (ours, both).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.errors import InputError
from dse.models.codesign import prefetching
from dse.models.codesign.points import each_point
from dse.models.processor.core.full_window import INTERACTION
from dse.models.processor.core.ratios import per_unit
from dse.models.workload.profile.profile import WorkloadProfile
from dse.models.workload.profile.strides import StrideCurve, stride_curve

__all__ = ["chained_miss_cycles"]

_WAGER = "ours: a stride prefetcher covers what its table foresees, at any lead (a wager)"
_STRIDES: dict[str, Any] = {"slot": "prefetching", "provider": "strides"}


@quantities(
    gives={
        "prefetch_coverage_l2": "1",
        "prefetch_coverage_l3": "1",
        "prefetch_coverage_dram": "1",
        "dependent_misses": "1",
    },
    source=_WAGER,
    points_only=True,
    **_STRIDES,
)
def covered_by_strides(profile, cache_line, l1_size, l2_size, l3_share, run_processes, problem_size, problem_size_2):
    """Share of what level 2, level 3 and the memory answer that strides foresee; loads past level 1 that wait."""
    point = (run_processes, problem_size, problem_size_2)
    return each_point((profile,), point, _covered, cache_line, l1_size, l2_size, l3_share)


@once_per_combination
def _covered(profile, cache_line, l1_size, l2_size, l3_share):
    curve = _curve(profile, float(np.ravel(cache_line)[0]))
    line = np.asarray(cache_line, dtype=float)
    # A level that is missing, or smaller than those above, adds nothing to what they reach.
    reach = [np.floor(np.asarray(l1_size, dtype=float) / line)]
    for size in (l2_size, l3_share):
        reach.append(np.maximum(reach[-1], np.floor(np.asarray(size, dtype=float) / line)))
    shares = [curve.coverage(above, here) for above, here in zip(reach, (*reach[1:], np.inf), strict=True)]
    return (*shares, curve.waiting(reach[0]))


def _curve(profile: WorkloadProfile, line_bytes: float) -> StrideCurve:
    """Return the strides of the lines that are nearest in size."""
    known = [entry for entry in profile.only.data_reuse if entry.line is not None and entry.covered]
    if not known:
        raise InputError(
            f"'{profile.name}' has no strides of its accesses",
            key="use.prefetching",
            allowed='"none", "streams", or a profile recorded anew by dse profile record',
        )
    return stride_curve(min(known, key=lambda entry: (abs((entry.line or 0) - line_bytes), entry.line)))


def _by_strides(function: ModelFunction, beside: tuple[str, ...] = ()) -> ModelFunction:
    """Return a latency behind prefetching for what strides cover: the same formula."""
    return replace(function, source=_WAGER, provider="strides", beside=beside)


strided_level_2 = _by_strides(prefetching.streamed_level_2, ("none", "streams"))
strided_level_3 = _by_strides(prefetching.streamed_level_3)
strided_memory = _by_strides(prefetching.streamed_memory)


# ---- misses that wait for misses -------------------------------------------------------------------------------------


def chained_miss_cycles(
    miss_cycles: np.ndarray, misses: np.ndarray, dependent: np.ndarray, store_share: np.ndarray, window: np.ndarray
) -> np.ndarray:
    """Cycles per instruction of misses that wait for other misses, as far as a window does not hold several chains.

    Parameters
    ----------
    miss_cycles, misses : float or array
        Latency of all misses per instruction [cycles], and their number per instruction.
    dependent : float or array
        Share of the missing loads that wait for another one.
    store_share : float or array
        Share of the accesses that are stores, which nobody waits for.
    window : float or array
        Instructions of the reorder buffer.

    Examples
    --------
    >>> float(chained_miss_cycles(20.0, 0.1, 1.0, 0.0, 200.0))
    20.0
    >>> float(chained_miss_cycles(20.0, 0.1, 0.5, 0.0, 200.0))
    1.0
    """
    chains = np.maximum(1.0, (1.0 - dependent) * misses * window)
    result: np.ndarray = dependent * (1.0 - store_share) * miss_cycles / chains
    return result


def _registers(provider: str, *, default: bool = False) -> ModelFunction:
    """Return the bound of the miss registers alone, as the processor model has it."""

    @quantity(
        unit="1",
        name="miss_register_bound",
        source=INTERACTION,
        slot="prefetching",
        provider=provider,
        default=default,
    )
    def registers_of_misses(miss_cycles, miss_registers):
        """Cycles per instruction while each miss holds a miss register."""
        return per_unit(miss_cycles, miss_registers)

    return registers_of_misses


registers_of_waited = _registers("none", default=True)
registers_of_streams = _registers("streams")


@quantity(unit="1", name="miss_register_bound", source=f"{INTERACTION}; chains of misses are ours", **_STRIDES)
def registers_and_chains(
    miss_cycles, miss_registers, l2_hits, l3_hits, dram_accesses, dependent_misses, store_share, reorder_buffer
):
    """Cycles per instruction while each miss holds a miss register, and misses wait for others they depend on."""
    chained = chained_miss_cycles(
        miss_cycles, l2_hits + l3_hits + dram_accesses, dependent_misses, store_share, reorder_buffer
    )
    return np.maximum(per_unit(miss_cycles, miss_registers), chained)
