"""Exchanges of training on scale-up domains joined by a network: provider ``two-level`` of ``training_collectives``.

What each parallelism sends: tensor 2 x h bytes per gather, context the keys and values of a layer, experts their tokens
out and back, data the gradients and weights of a stage, the pipeline 2 x h/t bytes per hop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.models.sources import HOEFLER_2014, KORTHIKANTI_2022, LIU_2023, NARAYANAN_2021, RAJBHANDARI_2020
from dse.models.training.machine.exchange import all_to_all_time, gather_time

__all__: list[str] = []

_TWO: dict[str, Any] = {"slot": "training_collectives", "provider": "two-level", "default": True}
_LEVELS = f"{HOEFLER_2014} within a domain, then between domains (ours)"

gradient_bytes = assumption(
    4.0,
    unit="B",
    source=f"{RAJBHANDARI_2020}: gradients summed in 32 bits; 2 where they are kept in 16",
    doc="Bytes of a gradient, in memory and on the way",
    above=0,
)
dispatch_bytes = assumption(
    0.0,
    unit="B",
    source="ours: tokens are sent in 8 bits where products have such operands, else in 16",
    doc="Bytes of an element of a token on its way to experts, delta; 0: 2, and 1 with products in fp8",
    minimum=0,
)
expert_reach = assumption(
    0.0,
    unit="1",
    source="none: tokens go wherever their experts are",
    doc="Most scale-up domains that a token is sent to; 0: no limit",
    minimum=0,
)


@quantity(
    unit="B",
    source=f"{KORTHIKANTI_2022}: activations of a micro-batch in 16 bits",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def tensor_gather_bytes(micro_batch_tokens, hidden):
    """Bytes of a gather of tensor parallelism, 2 x h."""
    return 2.0 * micro_batch_tokens * hidden


@quantity(
    unit="B",
    source=f"{LIU_2023}: keys and values of the whole sequence in 16 bits",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def context_gather_bytes(micro_batch_tokens, kv_heads, head_size, context_parallel, tensor_parallel):
    """Bytes of the keys and values of a layer, 4 x k_v d_h c/t."""
    return 4.0 * micro_batch_tokens * kv_heads * head_size * context_parallel / tensor_parallel


@quantity(
    unit="B",
    source=f"{NARAYANAN_2021}: activations between two stages, each device its part",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def hop_bytes(micro_batch_tokens, hidden, tensor_parallel):
    """Bytes that a device sends to the next stage, 2 x h/t."""
    return 2.0 * micro_batch_tokens * hidden / tensor_parallel


@quantity(unit="B", source="ours: every token to each of its experts")
def combine_bytes(micro_batch_tokens, hidden, top_k, tensor_parallel):
    """Bytes that a device sends back from experts, 2 x h k/t."""
    return 2.0 * micro_batch_tokens * hidden * top_k / tensor_parallel


@quantity(unit="1", source="ours: a token goes once to each domain and is spread inside it")
def reach_share(expert_reach, top_k):
    """Share of the bytes between domains that is sent, min(1, reach/k)."""
    return np.where(expert_reach > 0.0, np.minimum(1.0, expert_reach / np.maximum(top_k, 1.0)), 1.0)


@quantity(unit="s", source=_LEVELS, **_TWO)
def tensor_gather_time(
    tensor_gather_bytes,
    tensor_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of a gather of tensor parallelism."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    return gather_time(tensor_gather_bytes, tensor_parallel, 1.0, domain_devices, up, out)


@quantity(unit="s", source=_LEVELS, **_TWO)
def context_gather_time(
    context_gather_bytes,
    context_parallel,
    tensor_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of gathering keys and values, K."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    return gather_time(context_gather_bytes, context_parallel, tensor_parallel, domain_devices, up, out)


@quantity(unit="B", source=dispatch_bytes.source, dimensional=False, reason="bytes of the numbers stand in the formula")
def sent_token_bytes(dispatch_bytes, operand_bytes):
    """Bytes of an element of a token on its way to experts."""
    of_precision = np.where(operand_bytes == 1.0, 1.0, 2.0)
    return np.where(dispatch_bytes > 0.0, dispatch_bytes, of_precision)


@quantity(unit="s", source="ours: both networks at once", **_TWO)
def expert_round_trip_time(
    combine_bytes,
    sent_token_bytes,
    expert_parallel,
    tensor_parallel,
    context_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_uniform_rate,
    scale_out_round,
    reach_share,
):
    """Time of sending tokens to their experts and back."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_uniform_rate, scale_out_round)
    group = (expert_parallel, tensor_parallel * context_parallel, domain_devices, up, out, reach_share)
    sent = all_to_all_time(combine_bytes * (sent_token_bytes / 2.0), *group)
    return sent + all_to_all_time(combine_bytes, *group)


@quantity(unit="s", source=_LEVELS, **_TWO)
def gradient_gather_time(
    stage_parameters,
    gradient_bytes,
    shard_devices,
    tensor_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of summing the gradients of a stage into shards."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    return gather_time(stage_parameters * gradient_bytes, shard_devices, tensor_parallel, domain_devices, up, out)


@quantity(unit="s", source=_LEVELS, **_TWO)
def weight_gather_time(
    stage_parameters,
    gathered_weight_bytes,
    shard_devices,
    tensor_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of gathering the weights of a stage from shards."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    size = stage_parameters * gathered_weight_bytes
    return gather_time(size, shard_devices, tensor_parallel, domain_devices, up, out)


@quantity(unit="s", source="ours: one message, within a domain where all devices are in one", **_TWO)
def hop_time(
    hop_bytes, training_devices, domain_devices, scale_up_rate, scale_up_latency, scale_out_rate, scale_out_round
):
    """Time of a message to the next stage, T_hop."""
    near = hop_bytes / scale_up_rate + scale_up_latency
    return np.where(training_devices <= domain_devices, near, hop_bytes / scale_out_rate + scale_out_round)
