"""What a core, a cache and the memory do per instruction, for the power tables to charge.

From the shares of a profile and the rates a processor model gives (Anghel 2017, Section 4.3, and what the reference
tool hands to McPAT). McPAT charges no fills, so they are counted here: a read miss is a write of the line that comes.
Everything is plain arithmetic and takes ranges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["CacheActivity", "CoreActivity", "MemoryActivity", "cache_activity", "core_activity", "memory_activity"]

POLICIES = ("published", "write-allocate")


class CoreActivity(NamedTuple):
    """Events of a core per instruction.

    Attributes
    ----------
    integer, multiply, float, load, store, branch : array_like
        Shares of the instructions by the class they are charged as; they add up to 1.
    mispredicts : array_like
    wrong_path : array_like
        Instructions fetched on a wrong path and thrown away; each is charged the mean of the mix.
    instruction_misses, read_misses, write_misses : array_like
        Of the two L1 caches.
    extra_reads, extra_writes : array_like
        L1 accesses beyond one per load and store (wide vectors).
    float_lanes, integer_lanes : array_like
        Lanes of vector operations beyond one per instruction.
    """

    integer: Any
    multiply: Any
    float: Any
    load: Any
    store: Any
    branch: Any
    mispredicts: Any = 0.0
    wrong_path: Any = 0.0
    instruction_misses: Any = 0.0
    read_misses: Any = 0.0
    write_misses: Any = 0.0
    extra_reads: Any = 0.0
    extra_writes: Any = 0.0
    float_lanes: Any = 0.0
    integer_lanes: Any = 0.0


def core_activity(
    *,
    load: Any,
    store: Any,
    integer: Any,
    address: Any,
    floating_point: Any,
    control: Any,
    multiply: Any = 0.0,
    other: Any = 0.0,
    misses_per_control: Any = 0.0,
    wrong_path_per_miss: Any = 0.0,
    hit_fraction: Any = 1.0,
    instruction_misses: Any = 0.0,
    extra_reads: Any = 0.0,
    extra_writes: Any = 0.0,
    float_lanes: Any = 0.0,
    integer_lanes: Any = 0.0,
) -> CoreActivity:
    """Events of a core per instruction from the shares of a profile.

    Parameters
    ----------
    load, store, integer, address, floating_point, control : array_like
        Shares of the instructions, as of a profile; address arithmetic is charged as integer.
    multiply : array_like
        Share of integer multiplications and divisions, part of `integer`. The reference tool charges them as ALU
        operations: 0.
    other : array_like
        All else (vector moves, selects, ...), charged as integer.
    misses_per_control : array_like
        Mispredictions per control instruction.
    wrong_path_per_miss : array_like
        Instructions fetched after each and thrown away: at most width times the cycles until it is resolved. McPAT and
        the reference tool count none.
    hit_fraction : array_like
        Of loads and stores in the L1 data cache.
    instruction_misses : array_like
        Of the L1 instruction cache, per instruction.
    extra_reads, extra_writes, float_lanes, integer_lanes : array_like
        As of `CoreActivity`. For vectors of l lanes, lanes are the sum of (l - 1) times their share.

    Returns
    -------
    CoreActivity
    """
    misses = 1.0 - hit_fraction
    mispredicts = control * misses_per_control
    return CoreActivity(
        integer=integer + address + other - multiply,
        multiply=multiply,
        float=floating_point,
        load=load,
        store=store,
        branch=control,
        mispredicts=mispredicts,
        wrong_path=mispredicts * wrong_path_per_miss,
        instruction_misses=instruction_misses,
        read_misses=load * misses,
        write_misses=store * misses,
        extra_reads=extra_reads,
        extra_writes=extra_writes,
        float_lanes=float_lanes,
        integer_lanes=integer_lanes,
    )


class CacheActivity(NamedTuple):
    """Accesses to a cache per instruction."""

    read_hits: Any
    read_misses: Any
    write_hits: Any
    write_misses: Any


def cache_activity(
    load: Any, store: Any, reaching: Any, leaving: Any, *, policy: str = "published", dirty: Any = None
) -> CacheActivity:
    """Accesses to an L2 or L3 cache per instruction.

    Parameters
    ----------
    load, store : array_like
        Shares of the instructions.
    reaching, leaving : array_like
        Accesses per instruction that come to the cache, and that miss it too.
    policy : {"published", "write-allocate"}
        Published: both are split as loads and stores are. Write-allocate: every access is the read of a line, and
        lines thrown out above are written if they are dirty.
    dirty : array_like, optional
        Share of dirty lines. Default: that of stores.

    Returns
    -------
    CacheActivity
    """
    if policy not in POLICIES:
        raise InputError(f"policy is '{policy}'", key="policy", allowed=POLICIES)
    stores = store / (load + store)
    # No fewer reach a cache than leave it, which ranges of both do not know.
    hits = np.maximum(reaching - leaving, 0.0)
    if policy == "write-allocate":
        return CacheActivity(hits, leaving, reaching * (stores if dirty is None else dirty), 0.0 * leaving)
    loads = load / (load + store)
    return CacheActivity(hits * loads, leaving * loads, hits * stores, leaving * stores)


class MemoryActivity(NamedTuple):
    """Lines read from and written to memory per instruction."""

    reads: Any
    writes: Any


def memory_activity(
    load: Any, store: Any, accesses: Any, *, policy: str = "published", dirty: Any = None
) -> MemoryActivity:
    """Lines that a core's accesses to memory read and write, per instruction.

    Parameters
    ----------
    load, store : array_like
        Shares of the instructions.
    accesses : array_like
        Accesses to memory per instruction.
    policy, dirty
        As of `cache_activity`. Published: store misses are writes (Anghel 2017, Eqs. 4.9 and 4.10).

    Returns
    -------
    MemoryActivity
    """
    if policy not in POLICIES:
        raise InputError(f"policy is '{policy}'", key="policy", allowed=POLICIES)
    stores = store / (load + store)
    if policy == "write-allocate":
        return MemoryActivity(accesses, accesses * (stores if dirty is None else dirty))
    return MemoryActivity(accesses * (load / (load + store)), accesses * stores)
