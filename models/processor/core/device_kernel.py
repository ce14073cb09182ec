"""A kernel on a device by its roofline: the slot's third component, from counted operations and bytes.

The other two follow the instructions of a thread through a core. Of a kernel on a graphics processor the counters say
what it did: operations by precision, bytes by level of memory, and how full the device was. Its time is that of the
roof that binds.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities
from dse.models.sources import WILLIAMS_2009

__all__: list[str] = []

_SOURCE = f"{WILLIAMS_2009}: the roof that binds, with one for each level of memory"

kernel_double_operations = parameter(unit="flop", doc="Operations in double precision of a kernel", minimum=0)
kernel_single_operations = parameter(unit="flop", doc="Operations in single precision of a kernel", minimum=0)
kernel_half_operations = parameter(unit="flop", doc="Operations in half precision of a kernel", minimum=0)
kernel_level_1_bytes = parameter(unit="B", doc="Bytes that a kernel moves from and to its first level", minimum=0)
kernel_level_2_bytes = parameter(unit="B", doc="Bytes that a kernel moves from and to the second level", minimum=0)
kernel_memory_bytes = parameter(unit="B", doc="Bytes that a kernel moves from and to the memory", minimum=0)
kernel_occupancy = parameter(
    unit="1", doc="Warps or waves that were active over those the device can hold", above=0, maximum=1
)
kernel_double_rate = parameter(unit="flop/s", doc="Peak rate of the device in double precision", above=0)
kernel_single_rate = parameter(unit="flop/s", doc="Peak rate of the device in single precision", above=0)
kernel_half_rate = parameter(unit="flop/s", doc="Peak rate of the device in half precision", above=0)
kernel_level_1_bandwidth = parameter(unit="B/s", doc="Bandwidth of all first levels of the device", above=0)
kernel_level_2_bandwidth = parameter(unit="B/s", doc="Bandwidth of the second level of the device", above=0)
kernel_memory_bandwidth = parameter(unit="B/s", doc="Bandwidth of the memory of the device", above=0)
kernel_full_occupancy = assumption(
    0.5,
    unit="1",
    source="ours: half of the warps hide the latency of the units and of the memory; below, rates fall in proportion "
    "(a rule of thumb, confidence low)",
    doc="Occupancy from which a kernel reaches the roofs",
    above=0,
    maximum=1,
)


@quantities(
    gives={"device_compute_seconds": "s", "device_memory_seconds": "s", "device_seconds": "s"},
    source=_SOURCE,
    slot="processor_model",
    provider="roofline",
)
def kernel_roofline(
    kernel_double_operations,
    kernel_single_operations,
    kernel_half_operations,
    kernel_level_1_bytes,
    kernel_level_2_bytes,
    kernel_memory_bytes,
    kernel_occupancy,
    kernel_double_rate,
    kernel_single_rate,
    kernel_half_rate,
    kernel_level_1_bandwidth,
    kernel_level_2_bandwidth,
    kernel_memory_bandwidth,
    kernel_full_occupancy,
):
    """Time of the operations, of the slowest level of memory, and of the kernel: the longer, over how full it was."""
    operations = kernel_double_operations / kernel_double_rate + kernel_single_operations / kernel_single_rate
    operations = operations + kernel_half_operations / kernel_half_rate
    levels = np.maximum(
        kernel_level_1_bytes / kernel_level_1_bandwidth, kernel_level_2_bytes / kernel_level_2_bandwidth
    )
    levels = np.maximum(levels, kernel_memory_bytes / kernel_memory_bandwidth)
    reached = np.minimum(kernel_occupancy / kernel_full_occupancy, 1.0)
    return operations, levels, np.maximum(operations, levels) / reached
