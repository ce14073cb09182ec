"""What a socket of many cores draws under vector load, by what it is made of.

Of N cores at the clock f that sustain R operations per second, in a process of the energy class n:

    d          = (n / 7 nm)^gamma (V(x) / V(2 GHz))^2 exp(u),   V(x) = 0.60 + 0.125 max(x - 1 GHz, 0) V,
                 x = 3.5 GHz f / (clock the core is built for), u an offset of the process
    cores      = N f e_core k d
    issue      = R / (operations per instruction) e_issue k d
    arithmetic = R (e_fma + o e_operand) d,                     o: operands per operation
    static     = N l k sqrt((n / 7 nm)^gamma) + c (bytes of level 2 and 3)
    memory     = b_out (bandwidth outside) + b_in (bandwidth in the package)

and a base; k = lean^leanness, 1 of big cores. "Outside" is the interface and what is on the die for it: modules of
memory come beside; a memory in the package is in the rating. It is a law of power in products of matrices, for cores
whose rating vector code runs into.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.models.node_class.sockets.table import Sockets

__all__ = ["BUILT_FOR", "CONSTANTS", "REFERENCE", "SocketLaw", "process_factor", "voltage"]

REFERENCE = 7e-9
"""The energy class of the constants [m]."""

BUILT_FOR = 3.5e9
"""The clock that the line of voltages is written for [Hz]."""

_LOWEST, _SLOPE, _KNEE, _AT = 0.60, 0.125e-9, 1e9, 2e9

CONSTANTS = {
    "core_energy": "J",
    "issue_energy": "J",
    "arithmetic_energy": "J",
    "operand_energy": "J",
    "process_exponent": "1",
    "lean_core_share": "1",
    "core_static_power": "W",
    "cache_static_power": "W/B",
    "outside_memory_energy": "J/B",
    "package_memory_energy": "J/B",
    "base_power": "W",
}
"""Names and units of the constants, in their order."""


@dataclass(frozen=True)
class SocketLaw:
    """Constants of the law in SI (`CONSTANTS`), and offsets of processes, 0 of others."""

    core_energy: float
    issue_energy: float
    arithmetic_energy: float
    operand_energy: float
    process_exponent: float
    lean_core_share: float
    core_static_power: float
    cache_static_power: float
    outside_memory_energy: float
    package_memory_energy: float
    base_power: float
    offsets: dict[str, float] = field(default_factory=dict)

    def parts(self, sockets: Sockets) -> dict[str, np.ndarray]:
        """Return the power of each part of each socket [W]."""
        offset = np.array([self.offsets.get(str(name), 0.0) for name in sockets.process])
        share = process_factor(sockets.energy_class, self.process_exponent)
        x = BUILT_FOR * sockets.clock / sockets.top_clock
        d = share * (voltage(x) / voltage(_AT)) ** 2 * np.exp(offset)
        k = self.lean_core_share**sockets.leanness
        operands = self.arithmetic_energy + sockets.instruction_operands * self.operand_energy
        static = sockets.cores * self.core_static_power * k * np.sqrt(share)
        return {
            "cores": sockets.cores * sockets.clock * self.core_energy * k * d,
            "issue": sockets.rate / sockets.instruction_flop * self.issue_energy * k * d,
            "arithmetic": sockets.rate * operands * d,
            "static": static + self.cache_static_power * sockets.cache,
            "memory": self.outside_memory_energy * sockets.outside + self.package_memory_energy * sockets.package,
            "base": np.full(len(sockets), self.base_power),
        }

    def power(self, sockets: Sockets) -> np.ndarray:
        """Return what each socket draws [W]."""
        return np.asarray(sum(self.parts(sockets).values()))


def voltage(frequency: Any) -> Any:
    """Return the supply of a core that is built for 3.5 GHz at a clock [V]."""
    return _LOWEST + _SLOPE * np.maximum(frequency - _KNEE, 0.0)


def process_factor(energy_class: Any, exponent: Any) -> Any:
    """Return the energy of an operation in a process over that at 7 nm."""
    return (energy_class / REFERENCE) ** exponent
