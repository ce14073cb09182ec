"""What the processor models give for a program on a machine, and for several that run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import RelativeError
from dse.models.processor.accuracy import ACCURACY
from dse.models.processor.caches.caches import local_hit_fraction
from dse.models.processor.core.roofline import Roofline, roofline
from dse.models.processor.predict.machine import Machine
from dse.models.processor.program.events import EventRates

__all__ = ["BOUNDS", "PARTS", "Mixture", "Prediction"]

_LATER = {
    "dispatch width": "dispatch_bound",
    "l1 bandwidth": "l1_bandwidth_bound",
    "l3 bandwidth": "l3_bandwidth_bound",
    "dram bandwidth": "dram_bandwidth_bound",
}
"""Bounds that hold whatever the window."""

BOUNDS: Mapping[str, Mapping[str, str]] = {
    "interaction": {
        "issue width": "issue_bound",
        "miss registers": "miss_register_bound",
        "parallelism": "parallelism_bound",
        "integer parallelism": "integer_parallelism_bound",
        "memory parallelism": "memory_parallelism_bound",
        "control parallelism": "control_parallelism_bound",
        "float parallelism": "float_parallelism_bound",
        "memory units": "memory_unit_bound",
        "integer units": "integer_unit_bound",
        "float units": "float_unit_bound",
        "control units": "control_unit_bound",
        "vector units": "vector_unit_bound",
        **_LATER,
    },
    "independent": {
        "issue width": "issue_bound",
        "parallelism": "common_parallelism_bound",
        "integer units": "common_integer_unit_bound",
        "float units": "common_float_unit_bound",
        "memory units": "common_memory_unit_bound",
        "control units": "common_control_unit_bound",
    },
}
"""Bounds of each model, and the quantities they are."""

PARTS: Mapping[str, Mapping[str, str]] = {
    "interaction": {
        "base": "full_window_cycles",
        "issue queue": "issue_queue_stalls",
        "reorder buffer": "reorder_buffer_stalls",
        "branches": "branch_cycles",
    },
    "independent": {
        "execution": "execution_cycles",
        "l1 misses": "l1_miss_cycles",
        "l2 misses": "l2_miss_cycles",
        "l3 misses": "l3_miss_cycles",
        "l1 hits": "l1_hit_cycles",
        "instruction misses": "fetch_miss_cycles",
        "branches": "branch_refill_cycles",
    },
}
"""Parts of the cycles per instruction of each model, and the quantities they are; without dispatch and bandwidth."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the models give for a program on a machine. All threads run the same program, each as long as any other.

    Attributes
    ----------
    cpi : float or array
        Cycles per instruction of a thread.
    cycles, seconds : float or array
        Of the run.
    instructions : float or array
        Of a thread, after splitting vectors to the width of the machine.
    threads : float or array
        That run.
    stack : dict of str to (float or array)
        Parts of `cpi`, which add up to it.
    bounds : dict of str to (float or array)
        Instructions per cycle that each resource allows; infinite where the program does not use it.
    hits : dict of str to (float or array)
        Share of all accesses answered up to "l1", "l2", "l3".
    accesses : dict of str to (float or array)
        Accesses per instruction that arrive at "l1", "l2", "l3" and "dram".
    bytes_per_second : dict of str to (float or array)
        Traffic of a thread to "l1", "l3" and "dram" [B/s]; whole lines.
    dram_reads, dram_writes : float or array
        Lines of a thread.
    flops, peak_flops : float or array
        Floating-point operations per second of a thread, and of a core at most.
    rates : EventRates
        The program as the models read it.
    machine : Machine
        The machine with what one thread has of level 3 and of the memory's bandwidth.
    model : str
    warnings : tuple of str
    """

    cpi: Any
    cycles: Any
    seconds: Any
    instructions: Any
    threads: Any
    stack: dict[str, Any]
    bounds: dict[str, Any]
    hits: dict[str, Any]
    accesses: dict[str, Any]
    bytes_per_second: dict[str, Any]
    dram_reads: Any
    dram_writes: Any
    flops: Any
    peak_flops: Any
    rates: EventRates = field(repr=False)
    machine: Machine = field(repr=False)
    model: str = "interaction"
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> dict[str, RelativeError]:
        """Published errors of the model, by quantity ("cpi", "seconds")."""
        return {quantity: error for (model, quantity), error in ACCURACY.items() if model == self.model}

    @property
    def dram_bytes_per_second(self) -> Any:
        """Traffic of a thread to the memory [B/s]."""
        return self.bytes_per_second["dram"]

    @property
    def total_dram_bytes_per_second(self) -> Any:
        """Traffic of all threads to the memory [B/s]."""
        return self.threads * self.bytes_per_second["dram"]

    @property
    def total_flops(self) -> Any:
        """Floating-point operations per second of all threads."""
        return self.threads * self.flops

    @property
    def local_hits(self) -> dict[str, Any]:
        """Share of the accesses arriving at a level that it answers."""
        arriving = self.accesses
        return {level: local_hit_fraction(arriving[level], arriving[below]) for level, below in pairwise(arriving)}

    @property
    def binding(self) -> Any:
        """The resource whose bound holds: a name, or an array of names.

        Dispatch width and bandwidths where they hold in spite of the stalls, else the least bound of a full window.
        """
        return _binding(self.bounds, self.stack)

    @property
    def roofline(self) -> Roofline:
        """The roofs over the program."""
        machine, rates = self.machine, self.rates
        line = machine["l3_line_bytes"]
        dram = (self.dram_reads + self.dram_writes) / self.instructions
        moved = {"l1": self.accesses["l1"] * rates.access_bytes, "l3": self.accesses["l3"] * line, "dram": dram * line}
        bandwidths = {"l1": machine["bw_l1_Bps"], "l3": machine["bw_l3_Bps"], "dram": machine["dram_bandwidth_Bps"]}
        units = (machine["fu_fp"], machine["fu_vector"], machine["vector_bits"])
        return roofline(rates.float_operations, moved, bandwidths, machine["f_core_hz"], *units)


@dataclass(frozen=True, eq=False)
class Mixture:
    """What the models give for several programs that run together.

    Attributes
    ----------
    predictions : tuple of Prediction
        Of each program.
    l3_shares : tuple of (float or array)
        Level 3 that one thread of each program has [B].
    dram_shares : tuple of (float or array)
        Bandwidth of the memory that one thread of each program has [B/s].
    """

    predictions: tuple[Prediction, ...]
    l3_shares: tuple[Any, ...]
    dram_shares: tuple[Any, ...]

    @property
    def seconds(self) -> Any:
        """Time until the last program ends."""
        longest = self.predictions[0].seconds
        for prediction in self.predictions[1:]:
            longest = np.maximum(longest, prediction.seconds)
        return longest


def _binding(bounds: Mapping[str, Any], stack: Mapping[str, Any]) -> Any:
    later = [name for name in _LATER if name in bounds]
    full = [name for name in bounds if name not in later]
    shape = np.broadcast_shapes(*(np.shape(bound) for bound in bounds.values()), *(np.shape(s) for s in stack.values()))
    names = np.array([*full, *later], dtype=object)

    def least(candidates: Sequence[str], start: int) -> tuple[np.ndarray, np.ndarray]:
        best, place = np.full(shape, np.inf), np.full(shape, start)
        for index, name in enumerate(candidates, start):
            closer = bounds[name] < best
            best, place = np.where(closer, bounds[name], best), np.where(closer, index, place)
        return best, place

    _, place = least(full, 0)
    if later:
        limited = (stack["dispatch"] > 0.0) | (stack["bandwidth"] > 0.0)
        _, other = least(later, len(full))
        place = np.where(limited, other, place)
    names_of_bounds = names[place]
    return names_of_bounds if place.ndim else str(names_of_bounds)
