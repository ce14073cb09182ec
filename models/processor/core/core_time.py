"""Time and traffic of a node, as quantities, from the cycles per instruction of either model.

The slot ``processor_model`` takes ``interaction`` (events overlap; Anghel 2017, Section 4.2.3 and the published tool:
`full_window`, `stalls`, `throughput`), or ``independent`` (they do not; Section 4.2.1, Eqs. 4.1 to 4.7: `independent`).
"""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity
from dse.models.processor.core.full_window import INTERACTION
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []


@quantity(unit="s", source=f"{ANGHEL_2017}, Section 4.2")
def run_time(instructions, cycles_per_instruction, frequency):
    """Time of the threads: all run the same program, each as long as any other."""
    return instructions * cycles_per_instruction / frequency


@quantity(unit="B/s", source=INTERACTION, slot="programs", provider="one", default=True)
def dram_traffic(dram_accesses, cache_line, frequency, cycles_per_instruction, running_threads):
    """Traffic of all threads to the memory."""
    return running_threads * dram_accesses * cache_line * frequency / cycles_per_instruction


@quantity(unit="flop/s", source=INTERACTION, slot="programs", provider="one", default=True)
def float_rate(float_operations, frequency, cycles_per_instruction, running_threads):
    """Floating-point operations per second of all threads."""
    return running_threads * float_operations * frequency / cycles_per_instruction
