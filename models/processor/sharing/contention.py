"""Threads that run together on one machine: level 3 and bandwidth by use, and how busy the memory is.

A thread is a graph in which its share of level 3 (`l3_share`), its share of the memory's bandwidth
(`dram_bandwidth_share`) and, where lines wait for the memory, the use of the memory (`dram_utilisation`) are open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.models.processor.sharing.open_graph import OpenGraph
from dse.models.processor.sharing.sharing import bandwidth_shares, cache_shares, queueing_utilisation

__all__ = ["Chip"]


@dataclass(frozen=True)
class Chip:
    """What threads share.

    Attributes
    ----------
    frequency, cache_line, dram_bandwidth : float or array
    l3_requests, dram_requests : str
        The quantities of a thread that say how many lines it asks level 3 and the memory for, per instruction.
    """

    frequency: Any
    cache_line: Any
    dram_bandwidth: Any
    l3_requests: str = "l3_accesses"
    dram_requests: str = "dram_accesses"

    @classmethod
    def of(cls, values: Mapping[str, Any], **names: str) -> Chip:
        """Return the chip that quantities describe."""
        shared = ("frequency", "cache_line", "dram_bandwidth")
        return cls(**{name: values[name] for name in shared}, **names)

    def shared_by_use(
        self, threads: Sequence[OpenGraph], members: Sequence[Any], l3_size: Any
    ) -> tuple[list[Any], list[Any], np.ndarray]:
        """Divide level 3 and the memory's bandwidth among threads of several programs, by what they use.

        Parameters
        ----------
        threads : sequence of OpenGraph
            One of each program.
        members : sequence of (float or array)
            Threads of each program.
        l3_size : float or array

        Returns
        -------
        list of ndarray
            Level 3 of one thread of each program [B].
        list of ndarray
            Bandwidth of one thread of each program [B/s].
        ndarray of bool
            Where the shares of level 3 settled.
        """
        idle = np.zeros(())
        alone = [thread.fill(dram_bandwidth_share=self.dram_bandwidth, dram_utilisation=idle) for thread in threads]

        def per_second(requests: str, shares: Sequence[Any]) -> list[Any]:
            wanted = (requests, "cycles_per_instruction")
            pairs = [thread.read(wanted, l3_share=share) for thread, share in zip(alone, shares, strict=True)]
            return [self.frequency * asked / cycles for asked, cycles in pairs]

        shares, settled = cache_shares(lambda shares: per_second(self.l3_requests, shares), l3_size, members)
        demands = [rate * self.cache_line for rate in per_second(self.dram_requests, shares)]
        return shares, bandwidth_shares(demands, self.dram_bandwidth, members), settled

    def utilisation(self, threads: Sequence[OpenGraph], members: Sequence[Any]) -> Any:
        """Return the share of the memory's bandwidth that threads use at the latency this use leads to.

        Parameters
        ----------
        threads : sequence of OpenGraph
            One of each program, with its shares.
        members : sequence of (float or array)
            Threads of each program.
        """
        wanted = (self.dram_requests, "cycles_per_instruction")

        def utilisation_at(utilisation: Any) -> Any:
            used: Any = 0.0
            for thread, count in zip(threads, members, strict=True):
                requests, cycles = thread.read(wanted, dram_utilisation=utilisation)
                used = used + count * self.frequency * requests * self.cache_line / cycles
            return used / self.dram_bandwidth

        return queueing_utilisation(utilisation_at, np.shape(utilisation_at(0.0)))
