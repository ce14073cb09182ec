"""The software: what fuses the attention, what hides exchanges behind products, and what it costs to launch a layer.

Slot ``training_stack``: ``unfused`` (2021 and 2022: scores go through memory), ``fused`` (2023: fused attention, the
causal half skipped) and ``overlapped`` (2024 on: exchanges of tensor parallelism hidden in the forward pass too).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities
from dse.models.sources import DAO_2023, KORTHIKANTI_2022

__all__: list[str] = []

_GIVES = {
    "fused_attention": "1",
    "tensor_overlap_forward": "1",
    "hop_overlap": "1",
    "casts": "1",
    "gathered_weight_bytes": "B",
    "host_time": "s",
    "core_rate_forward": "1/s",
    "core_rate_backward": "1/s",
}

tensor_overlap_backward = assumption(
    0.8,
    unit="1",
    source=f"{KORTHIKANTI_2022}, Tables 4 and 5 together (fitted, rounded)",
    doc="Share of the exchanges of tensor parallelism that the backward pass hides, o_b",
    minimum=0,
    maximum=1,
)
overlap_share = assumption(
    0.8,
    unit="1",
    source="ours: as in the backward pass of the earlier stacks; stack of 2024 on (confidence medium); 0 to 1",
    doc="Share of exchanges of tensor parallelism forward and of hops that the stack of 2024 on hides, o_f, o_p",
    minimum=0,
    maximum=1,
)
unfused_core_share = assumption(
    0.60,
    unit="1",
    source=f"{KORTHIKANTI_2022}, Tables 4 and 5 together (fitted, rounded); 0.4 to 0.7",
    doc="Share of the bf16 peak that unfused products of scores reach",
    above=0,
    maximum=1,
)
unfused_host_time = assumption(
    1.1e-3,
    unit="s",
    source="VIA-Research vTrain (MIT, KAIST 2024): every second of 1,440 measured rows of one node (fitted)",
    doc="Time the host takes to launch a layer forward, stack of 2021 and 2022",
    minimum=0,
)
fused_host_time = assumption(
    0.5e-3,
    unit="s",
    source="ours: compiled kernels (assumed, of little weight for wide models)",
    doc="Time the host takes to launch a layer forward, stack of 2023",
    minimum=0,
)
overlapped_host_time = assumption(
    0.3e-3,
    unit="s",
    source="ours: captured kernels (assumed, of little weight for wide models)",
    doc="Time the host takes to launch a layer forward, stack of 2024 on",
    minimum=0,
)


@quantities(
    gives=_GIVES,
    source=f"{KORTHIKANTI_2022}: software of its time",
    slot="training_stack",
    provider="unfused",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def unfused_stack(peak_bf16, unfused_core_share, unfused_host_time):
    """Scores written to memory, no exchange hidden forward, weights gathered in 16 bits."""
    rate = peak_bf16 * unfused_core_share
    return 0.0, 0.0, 0.0, 0.0, 2.0, unfused_host_time * 1.0, rate, rate * 1.0


@quantities(
    gives=_GIVES,
    source=f"{DAO_2023}: software of 2023",
    slot="training_stack",
    provider="fused",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def fused_stack(peak_bf16, core_share_forward, core_share_backward, fused_host_time):
    """Fused attention without the causal half, operands cast below 16 bits, weights gathered in 16 bits."""
    forward, backward = peak_bf16 * core_share_forward, peak_bf16 * core_share_backward
    return 1.0, 0.0, 0.0, 1.0, 2.0, fused_host_time * 1.0, forward, backward


@quantities(
    gives=_GIVES,
    source="ours: software of 2024 on, which hides exchanges in both passes",
    slot="training_stack",
    provider="overlapped",
    default=True,
    dimensional=False,
    reason="bytes of the weights that are gathered stand in the formula",
)
def overlapped_stack(
    peak_bf16, core_share_forward, core_share_backward, overlapped_host_time, overlap_share, operand_bytes
):
    """Fused attention, four fifths of the exchanges hidden, weights gathered in one byte below 16 bits."""
    gathered = np.where(operand_bytes < 2.0, 1.0, 2.0)
    forward, backward = peak_bf16 * core_share_forward, peak_bf16 * core_share_backward
    return 1.0, overlap_share * 1.0, overlap_share * 1.0, 1.0, gathered, overlapped_host_time * 1.0, forward, backward
