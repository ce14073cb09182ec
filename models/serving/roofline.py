"""Serving as a roofline (slot ``serving_law``, component ``roofline``): nothing is fitted.

A replica of t p devices answers n requests at a time, prompts first, then one token of each per round.

With q = n/p requests in a stage and y = s_i + s_o/2 tokens of context::

    memory  = (w_b P_r + q y kv)/(t p W')            weights read in a step and the caches of the requests
    compute = 2 q (P_active - table)/(t p eta R) + 4 q y w_c L/(t p kappa R_b)
    time per token = p (max(memory, compute) + exchange + hop)

Prefills and decoding share the replica. Nothing is fitted here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.arithmetic.power import power
from dse.authoring.declare.declaration import parameter, quantity
from dse.models.training.cut.parallelism import context_parallel, pipeline_parallel, replica_devices, tensor_parallel
from dse.models.training.machine.exchange import gather_time
from dse.models.training.model.layer import (
    Machine,
    Widths,
    attention_time,
    elementwise_time,
    expert_time,
    feed_forward_time,
)
from dse.models.training.model.layer_parts import expert_imbalance

__all__ = ["context_parallel", "expert_imbalance", "pipeline_parallel", "replica_devices", "tensor_parallel"]

_LAW: dict[str, Any] = {"slot": "serving_law", "provider": "roofline"}
_OURS = "ours: roofline of a round of decoding (confidence medium; nothing is fitted)"

served_weight_bytes = parameter(unit="B", doc="Bytes of a weight, w_b", above=0)
cache_element_bytes = parameter(unit="B", doc="Bytes of a cached element, k_b", above=0)


@quantity(unit="B", source="keys and values of every layer, or what stands for them")
def token_cache_bytes(cache_elements, cache_element_bytes, layers):
    """Cache of a token, kv."""
    return cache_elements * cache_element_bytes * layers


@quantity(unit="1", source="ours: requests spread over the stages")
def stage_requests(requests, pipeline_parallel):
    """Requests that a stage handles at a time, q = n/p."""
    return requests / pipeline_parallel


@quantity(unit="1", source="ours: experts that at least one of q tokens is sent to, at random")
def touched_experts(experts, top_k, stage_requests):
    """Experts of a layer that a round of decoding touches, E (1 - (1 - k/E)^q)."""
    many = np.maximum(experts, 1.0)
    missed = power(np.maximum(0.0, 1.0 - np.minimum(top_k, many) / many), stage_requests)
    return experts * (1.0 - missed)


@quantity(unit="1", source="ours: every weight but the input table and the experts nobody needs")
def read_parameters(
    model_parameters,
    hidden,
    vocab,
    tied,
    layers,
    dense_layers,
    matrices,
    expert_ffn,
    experts,
    touched_experts,
):
    """Weights read in a round of decoding, P_r."""
    unread = (layers - dense_layers) * matrices * hidden * expert_ffn * (experts - touched_experts)
    return model_parameters - hidden * vocab * (1.0 - tied) - unread


@quantity(unit="s", source=_OURS)
def decode_memory_time(
    served_weight_bytes,
    read_parameters,
    stage_requests,
    input_tokens,
    output_tokens,
    token_cache_bytes,
    replica_devices,
    memory_rate,
):
    """Time of reading weights and caches in a round of decoding, on a stage."""
    caches = stage_requests * (input_tokens + output_tokens / 2.0) * token_cache_bytes
    return (served_weight_bytes * read_parameters + caches) / (replica_devices * memory_rate)


@quantity(unit="s", source=_OURS)
def decode_compute_time(
    model_active_parameters,
    hidden,
    vocab,
    tied,
    stage_requests,
    input_tokens,
    output_tokens,
    core_width,
    layers,
    replica_devices,
    matmul_rate,
    core_share_forward,
    peak_bf16,
):
    """Time of the arithmetic of a round of decoding, on a stage."""
    weights = 2.0 * stage_requests * (model_active_parameters - hidden * vocab * (1.0 - tied)) / matmul_rate
    context = input_tokens + output_tokens / 2.0
    core = 4.0 * stage_requests * context * core_width * layers / (core_share_forward * peak_bf16)
    return (weights + core) / replica_devices


@quantity(unit="s", source="as training: two levels")
def decode_exchange_time(
    layers,
    pipeline_parallel,
    stage_requests,
    hidden,
    tensor_parallel,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of the exchanges of a round of decoding, on a stage: those of tensor parallelism, and the hop."""
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    gather = gather_time(2.0 * stage_requests * hidden, tensor_parallel, 1.0, domain_devices, up, out)
    size = 2.0 * stage_requests * hidden / tensor_parallel
    near = tensor_parallel * pipeline_parallel <= domain_devices
    hop = np.where(near, size / scale_up_rate + scale_up_latency, size / scale_out_rate + scale_out_round)
    return 4.0 * (layers / pipeline_parallel) * gather + np.where(pipeline_parallel > 1.0, hop, 0.0)


@quantity(unit="s", source=_OURS, label="time per token", name="time_per_token", **_LAW)
def roofline_time_per_token(decode_memory_time, decode_compute_time, decode_exchange_time, pipeline_parallel):
    """Time between two tokens of an answer; one over it is the rate a user sees."""
    return pipeline_parallel * (np.maximum(decode_memory_time, decode_compute_time) + decode_exchange_time)


@quantity(
    unit="s",
    source="ours: a forward pass over the prompt, without the head",
    label="time to the first token",
    name="time_to_first_token",
    **_LAW,
)
def roofline_time_to_first_token(
    layers,
    hidden,
    heads,
    kv_heads,
    head_size,
    attention_parameters,
    ffn,
    matrices,
    experts,
    top_k,
    expert_ffn,
    shared_experts,
    expert_imbalance,
    dense_share,
    sparse_share,
    core_width,
    input_tokens,
    tensor_parallel,
    pipeline_parallel,
    matmul_rate,
    memory_rate,
    operand_bytes,
    core_share_forward,
    peak_bf16,
    domain_devices,
    scale_up_rate,
    scale_up_latency,
    scale_out_rate,
    scale_out_round,
):
    """Time of a prompt through all layers, no exchange hidden, and through the hops."""
    machine = Machine(matmul_rate, memory_rate, operand_bytes)
    queries = heads * head_size
    widths = Widths(hidden, queries, kv_heads * head_size, attention_parameters, tensor_parallel)
    kinds = (1.0, 0.0, matrices, 0.0)
    dense = feed_forward_time(hidden, ffn, matrices, tensor_parallel, input_tokens, machine)
    dense = dense + elementwise_time(hidden, queries, ffn, input_tokens, tensor_parallel, memory_rate, kinds)
    routed = (np.maximum(experts, 1.0), top_k, expert_imbalance, shared_experts)
    sparse = expert_time(hidden, expert_ffn, matrices, tensor_parallel, input_tokens, machine, routed)
    inner = expert_ffn * (top_k + shared_experts)
    sparse = sparse + elementwise_time(hidden, queries, inner, input_tokens, tensor_parallel, memory_rate, kinds)
    core = 2.0 * input_tokens * input_tokens * core_width / tensor_parallel / (core_share_forward * peak_bf16)
    up, out = (scale_up_rate, scale_up_latency), (scale_out_rate, scale_out_round)
    gather = gather_time(2.0 * input_tokens * hidden, tensor_parallel, 1.0, domain_devices, up, out)
    both = attention_time(widths, input_tokens, machine) + core + 4.0 * gather
    hop = 2.0 * input_tokens * hidden / tensor_parallel / scale_out_rate + scale_out_round
    return layers * (both + dense_share * dense + sparse_share * sparse) + (pipeline_parallel - 1.0) * hop


@quantity(
    unit="1/s",
    source="ours: prefills and decoding share the replica",
    label="tokens per second of a replica",
    name="serving_tokens_per_second",
    **_LAW,
)
def roofline_tokens_per_second(requests, output_tokens, time_to_first_token, time_per_token, pipeline_parallel):
    """Tokens that a replica answers in a second, n s_o/(n first/p + s_o per token)."""
    prompts = requests * time_to_first_token / pipeline_parallel
    return requests * output_tokens / (prompts + output_tokens * time_per_token)


@quantity(unit="1", source="the devices of a replica", name="serving_devices", **_LAW)
def roofline_devices(replica_devices):
    """Devices that these tokens come from: of a replica."""
    return replica_devices * 1.0


@quantity(
    unit="B",
    source="weights and caches, spread over the replica",
    label="memory of a device that serves",
    name="serving_memory",
    **_LAW,
)
def roofline_memory(
    served_weight_bytes, model_parameters, requests, input_tokens, output_tokens, token_cache_bytes, replica_devices
):
    """Memory of a device: its part of weights and of the caches of all requests."""
    caches = requests * (input_tokens + output_tokens) * token_cache_bytes
    return (served_weight_bytes * model_parameters + caches) / replica_devices


@quantity(unit="1", source="ours: arithmetic over the time of a round", name="serving_busy_share", **_LAW)
def roofline_busy_share(decode_compute_time, time_per_token, pipeline_parallel):
    """Share of decoding in which a device computes."""
    return pipeline_parallel * decode_compute_time / time_per_token


@quantity(
    unit="J",
    source="power of training's meters; the host by devices",
    label="energy per served token",
    name="serving_energy_per_token",
    **_LAW,
)
def roofline_energy_per_token(
    serving_tokens_per_second,
    replica_devices,
    serving_busy_share,
    device_power,
    active_power_share,
    waiting_device_power_share,
    host_power,
    host_devices,
):
    """Energy of devices and hosts per token answered."""
    added = (active_power_share - waiting_device_power_share) * serving_busy_share
    each = device_power * (waiting_device_power_share + added) + host_power / host_devices
    return each / (serving_tokens_per_second / replica_devices)
