"""Power of a processor from its parts, each split into a static and a dynamic share.

Anghel 2017, Eq. 4.8: cores with their private caches, the last-level cache, the on-chip network (the equation prints
"memory", its text and the reference tool mean the network) and the remainder. The hierarchical form (reference tool)
adds the efficiency of power delivery at each level: core, die, socket, card, ...

    P_i = (n_i * P_(i-1) + P_memory,i + P_remainder,i) / efficiency_i

Static power is there for the whole run, dynamic power while a core computes; idle cores draw static power only.
Plain arithmetic throughout, which takes ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Range
from dse.models.power.limits import refuse

__all__ = ["NOTHING", "Power", "level_power", "processor_power", "socket_power"]


@dataclass(frozen=True)
class Power:
    """Power in W.

    Attributes
    ----------
    static : array_like
        There whenever the part is switched on.
    dynamic : array_like
        There while it works.
    """

    static: Any
    dynamic: Any

    @property
    def total(self) -> Any:
        """Static and dynamic power."""
        return self.static + self.dynamic

    def __add__(self, other: Power) -> Power:
        return Power(self.static + other.static, self.dynamic + other.dynamic)

    def times(self, count: Any, working: Any = None) -> Power:
        """Power of `count` such parts, of which `working` work (default: all)."""
        return Power(count * self.static, (count if working is None else working) * self.dynamic)

    def over(self, efficiency: Any) -> Power:
        """Power drawn from a supply of that efficiency, 0 to 1."""
        return Power(self.static / efficiency, self.dynamic / efficiency)


NOTHING = Power(0.0, 0.0)


def processor_power(
    core: Power,
    cores: Any,
    *,
    cache: Power = NOTHING,
    network: Power = NOTHING,
    remainder: Power = NOTHING,
    working: Any = None,
) -> Power:
    """Power of a processor (Anghel 2017, Eq. 4.8).

    Parameters
    ----------
    core : Power
        Of one core with its private L1 and L2 caches, at work.
    cores : array_like
        Cores of the processor.
    cache, network, remainder : Power
        Of the last-level cache, the on-chip network, and all else (memory controllers, ...).
    working : array_like, optional
        Cores at work; the others draw static power only. Default: all.
    """
    return core.times(cores, working) + cache + network + remainder


def level_power(
    below: Power, count: Any, *, memory: Power = NOTHING, remainder: Power = NOTHING, efficiency: Any = 1.0
) -> Power:
    """Power of one level of the hierarchy.

    Parameters
    ----------
    below : Power
        Of one element of the level below.
    count : array_like
        Elements.
    memory, remainder : Power
        What this level adds.
    efficiency : array_like
        Of its power delivery, above 0 and at most 1.
    """
    _check(efficiency)
    return (below.times(count) + memory + remainder).over(efficiency)


def socket_power(
    core: Power,
    cores: Any,
    *,
    dies: Any = 1.0,
    cache: Power = NOTHING,
    network: Power = NOTHING,
    dram: Power = NOTHING,
    die_efficiency: Any = 1.0,
    socket_efficiency: Any = 1.0,
) -> Power:
    """Power of a socket with its memory, as the reference tool (IBM ExaBounds) composes it.

    Parameters
    ----------
    core : Power
        Of one core with its private caches.
    cores : array_like
        Cores of a die.
    dies : array_like
        Dies of the socket.
    cache, network : Power
        Last-level cache and on-chip network of one die.
    dram : Power
        Memory of the socket.
    die_efficiency, socket_efficiency : array_like
        Of power delivery, above 0 and at most 1.
    """
    die = level_power(core, cores, memory=cache, remainder=network, efficiency=die_efficiency)
    return level_power(die, dies, memory=dram, efficiency=socket_efficiency)


def _check(efficiency: Any) -> None:
    if not isinstance(efficiency, Range):
        values = np.asarray(efficiency, dtype=float)
        refuse("efficiency", ~((values > 0) & (values <= 1)), values, "above 0 and at most 1")
