"""What the reference tool does and what is done instead, one switch per difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dse.errors import InputError

__all__ = ["CORRECTED", "REFERENCE", "Behaviour", "behaviour_of"]


@dataclass(frozen=True)
class Behaviour:
    """How the models behave where the published tool and this project differ.

    Attributes
    ----------
    name : str
    missing_values : {"tool", "refused"}
        Machine parameters that are not given take the defaults of the tool, or are refused.
    hits : {"tool", "counts", "exact"}
        Hit fractions from cumulative fractions cut to four decimals, with hits up to a distance of as many lines as
        the cache has; the same from the counts; or from the counts with hits up to one line less.
    inclusion : {"tool", "inclusive", "machine"}
        Level 2 adds to level 1 and level 3 holds all (so the model of interacting events), both hold all (so that of
        independent ones), or what the machine says of each level.
    clamped : bool
        Hit fractions do not fall from level to level, and the reorder buffer never fills before it starts to.
    latencies : {"cycles", "time"}
        Latencies of level 3 and of the memory stay the same in cycles, or in seconds, when the clock changes.
    branch_factor : float or None
        Mispredictions over the estimate of the profile; None: that of the machine, and never more than half.
    divided : {"tool", "all"}
        Static sharing of a core leaves the vector units and the overlap of penalties undivided, or divides all.
    ilp : {"tool", "by order"}
        A profile's in-order figures replace the out-of-order ones on every core, or are used on in-order cores.
    window : {"tool", "issue queue"}
        Parallelism of the window of 54 instructions, or of a window as long as the issue queue.
    access_bytes : {"four", "measured"}
        Bytes of an access at the first level: 4, or as the vectors of the profile say.
    all_latencies : bool
        Bitwise operations, comparisons, conversions and control have a latency too.
    shared_first_levels : bool
        Static sharing of a core divides its first two caches.
    associativity : bool
        Levels that state their ways are set-associative; otherwise all are fully associative.
    prefetching : bool
        Prefetching as the machine states it; it states none by default.
    write_policy : {"published", "write_allocate"}
        Stores that miss write to memory, or fetch a line and write it back later.
    queueing : bool
        The memory latency grows with the load of the memory.
    """

    name: str
    missing_values: Literal["tool", "refused"] = "refused"
    hits: Literal["tool", "counts", "exact"] = "exact"
    inclusion: Literal["tool", "inclusive", "machine"] = "machine"
    clamped: bool = True
    latencies: Literal["cycles", "time"] = "time"
    branch_factor: float | None = None
    divided: Literal["tool", "all"] = "all"
    ilp: Literal["tool", "by order"] = "by order"
    window: Literal["tool", "issue queue"] = "issue queue"
    access_bytes: Literal["four", "measured"] = "measured"
    all_latencies: bool = False
    shared_first_levels: bool = False
    associativity: bool = False
    prefetching: bool = True
    write_policy: Literal["published", "write_allocate"] = "published"
    queueing: bool = False


REFERENCE = Behaviour(
    "reference",
    missing_values="tool",
    hits="tool",
    inclusion="tool",
    clamped=False,
    latencies="cycles",
    branch_factor=1.71,
    divided="tool",
    ilp="tool",
    window="tool",
    access_bytes="four",
    prefetching=False,
)
"""As the published tool."""

CORRECTED = Behaviour("corrected")
"""With its errors corrected; extensions are off."""


def behaviour_of(mode: str | Behaviour) -> Behaviour:
    """Return the behaviour of a mode.

    Parameters
    ----------
    mode : {"reference", "corrected"} or Behaviour

    Raises
    ------
    InputError
        Another name.
    """
    if isinstance(mode, Behaviour):
        return mode
    known = {behaviour.name: behaviour for behaviour in (REFERENCE, CORRECTED)}
    if mode not in known:
        raise InputError(f"unknown mode '{mode}'", key="mode", allowed=list(known), wrong=str(mode), candidates=known)
    return known[mode]
