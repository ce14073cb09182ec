"""Accelerators: what they sustain of their peaks, at the precision of the matrix products.

Bandwidths are per device and direction. A device whose peak at a precision is 0 lacks it: it is refused by a
requirement, and never takes the peak of another.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import KORTHIKANTI_2022

__all__: list[str] = []

_SHARES = f"{KORTHIKANTI_2022}, Tables 4 and 5 together (fitted, rounded)"
_RATE = "ours: a share of the peak that large products reach"

matmul_precision = parameter(
    unit="1",
    doc="Precision of the matrix products: 0 for 16 bits (bf16), 1 for 8 (fp8), 2 for 4 (fp4)",
    minimum=0,
    maximum=2,
    integer=True,
)
peak_bf16 = parameter(unit="1/s", doc="Dense peak rate of matrix products in bf16, R_b", above=0)
peak_fp8 = parameter(unit="1/s", doc="Dense peak rate of matrix products in fp8; 0: none", minimum=0)
peak_fp4 = parameter(unit="1/s", doc="Dense peak rate of matrix products in fp4; 0: none", minimum=0)
matmul_share_bf16 = parameter(unit="1", doc="Share of the bf16 peak that large products reach", above=0, maximum=1)
matmul_share_fp8 = parameter(unit="1", doc="Share of the fp8 peak; 0 where there is none", minimum=0, maximum=1)
matmul_share_fp4 = parameter(unit="1", doc="Share of the fp4 peak; 0 where there is none", minimum=0, maximum=1)
core_share_forward = parameter(unit="1", doc="Share of the bf16 peak of fused attention, forward", above=0, maximum=1)
core_share_backward = parameter(unit="1", doc="Share of the bf16 peak of fused attention, backward", above=0, maximum=1)
device_memory_bandwidth = parameter(unit="B/s", doc="Bandwidth of the memory of a device, W", above=0)
device_memory_capacity = parameter(unit="B", doc="Memory of a device, C", above=0)
device_power = parameter(unit="W", doc="Rated power of a device", above=0)
scale_up_bandwidth = parameter(
    unit="B/s",
    doc="Bandwidth of a device to those of its scale-up domain, per direction (data sheets often give both), U",
    above=0,
)
scale_up_devices = parameter(unit="1", doc="Devices of a scale-up domain, S", minimum=1, integer=True)
memory_share = assumption(
    0.85,
    unit="1",
    source=_SHARES,
    doc="Share of the bandwidth of its memory that a device sustains, mu; 0.8 to 0.9",
    above=0,
    maximum=1,
)
scale_up_share = assumption(
    0.77,
    unit="1",
    source="bus rates that collective tests print for eight devices (recalled; confidence medium); 0.7 to 0.85",
    doc="Share of the scale-up bandwidth that collective operations sustain",
    above=0,
    maximum=1,
)
scale_up_latency = assumption(
    10e-6,
    unit="s",
    source="ours: launch and one round within a node (confidence low)",
    doc="Time of a round of a collective operation within a scale-up domain, l_u",
    minimum=0,
)
per_direction = requirement(
    "scale_up_bandwidth <= 1.2 TB/s",
    name="per_direction",
    source="no device of the catalogue has more than 900 GB/s per direction",
    doc="the bandwidth of a scale-up link is per direction; data sheets often print the sum of both",
    warns=True,
)
has_precision = requirement(
    "matmul_peak > 0 * peak_bf16",
    name="precision",
    source="a peak of 0 means that the device lacks the precision",
    doc="the device has the precision of the products",
)


@quantities(
    gives={"matmul_peak": "1/s", "matmul_share": "1"},
    source="data sheets; shares fitted or assumed, as the row of the device says",
)
def products_at_precision(
    matmul_precision, peak_bf16, peak_fp8, peak_fp4, matmul_share_bf16, matmul_share_fp8, matmul_share_fp4
):
    """Peak of the precision, R, and the share of it that large products reach, eta."""
    low, lower = matmul_precision > 0.5, matmul_precision > 1.5
    peak = np.where(lower, peak_fp4, np.where(low, peak_fp8, peak_bf16))
    return peak, np.where(lower, matmul_share_fp4, np.where(low, matmul_share_fp8, matmul_share_bf16))


@quantity(
    unit="B", source="bits of the precision", dimensional=False, reason="bytes of the numbers stand in the formula"
)
def operand_bytes(matmul_precision):
    """Bytes of an operand of a product, beta: 2, 1 or 0.5."""
    return np.where(matmul_precision > 1.5, 0.5, np.where(matmul_precision > 0.5, 1.0, 2.0))


@quantity(unit="1/s", source=_RATE, dimensional=False, reason="at least one operation a second")
def matmul_rate(matmul_peak, matmul_share):
    """Rate of large matrix products, eta R; at least one operation a second, which a device without it never beats."""
    return np.maximum(matmul_peak * matmul_share, 1.0)


@quantity(
    unit="1/s",
    source=f"{_RATE}; the head stays in 16 bits",
    dimensional=False,
    reason="at least one operation a second",
)
def head_rate(peak_bf16, matmul_share):
    """Rate of the products of the output table, eta R_b; at least one operation a second."""
    return np.maximum(peak_bf16 * matmul_share, 1.0)


@quantity(unit="B/s", source=_SHARES)
def memory_rate(device_memory_bandwidth, memory_share):
    """Bandwidth of its memory that a device sustains, W' = mu W."""
    return device_memory_bandwidth * memory_share
