"""The parts of a step of the engine, as plain formulas: b running requests, and p prompts.

A rank of the attention has b/d requests and p/d prompts, so m = v b/d + (p/d) s_i rows; the worker has q = m d
tokens. Each part is the sum over the layers it is in. Weights are read once a step, or multiplied, whichever takes
longer. The arguments named ``rank_requests``, ``rank_prompts``, ``rank_rows`` and ``gap`` stand for those of a step:
the module `kinds` makes quantities of them.
"""

from __future__ import annotations

import numpy as np

from dse.models.serving.steps.experts import fullest_experts, fullest_rows, reached_experts

__all__ = [
    "cache_time",
    "draft_time",
    "exchange_time",
    "expert_time",
    "gap_time",
    "head_time",
    "other_time",
    "projection_time",
    "rank_rows",
    "score_time",
    "step_time",
]


def rank_rows(rank_requests, rank_prompts, draft_rows, input_tokens):
    """Rows of a rank of the attention, m = v b/d + (p/d) s_i."""
    return draft_rows * rank_requests + rank_prompts * input_tokens


def _product(
    weights: np.ndarray,
    rows: np.ndarray,
    weight_bytes: np.ndarray,
    tensor: np.ndarray,
    weight_rate: np.ndarray,
    rate: np.ndarray,
) -> np.ndarray:
    result: np.ndarray = np.maximum(
        weight_bytes * weights / (tensor * weight_rate), 2.0 * rows * weights / (tensor * rate)
    )
    return result


def projection_time(
    layers, attention_parameters, attention_weight_bytes, rank_rows, attention_tensor, weight_rate, attention_rate
):
    """Products of the attention, over all layers: L max(w_a P_a/(t W'), 2 m P_a/(t eta R_a))."""
    return layers * _product(
        attention_parameters, rank_rows, attention_weight_bytes, attention_tensor, weight_rate, attention_rate
    )


def cache_time(
    layers,
    rank_requests,
    draft_rows,
    context_seen,
    cache_elements,
    cached_bytes,
    cache_parts,
    cache_rate,
    decode_elements,
    attention_tensor,
    decode_score_rate,
):
    """Caches read, or scores of decoding: the longer of both, over all layers."""
    seen = rank_requests * context_seen
    read = seen * cache_elements * cached_bytes / (cache_parts * cache_rate)
    return layers * np.maximum(read, 2.0 * draft_rows * seen * decode_elements / (attention_tensor * decode_score_rate))


def score_time(layers, rank_prompts, input_tokens, prompt_seen, core_width, attention_tensor, prefill_score_rate):
    """Scores of prompts over all layers, half of them masked."""
    rows = rank_prompts * input_tokens * prompt_seen
    return layers * rows * 4.0 * core_width / (attention_tensor * prefill_score_rate)


def expert_time(
    layers,
    dense_layers,
    experts,
    top_k,
    routing_exponent,
    expert_elements,
    expert_weight_bytes,
    rank_rows,
    attention_copies,
    expert_parallel,
    expert_tensor,
    expert_padding_rows,
    row_imbalance,
    weight_rate,
    expert_rate,
):
    """Routed experts on the fullest rank, over the layers that have them: read, or multiplied with their padding."""
    tokens = rank_rows * attention_copies
    reached = reached_experts(experts, top_k, tokens, routing_exponent)
    fullest = fullest_experts(reached, experts, expert_parallel)
    rows = fullest_rows(tokens * top_k / expert_parallel, expert_parallel)
    uneven = np.where(expert_parallel > 1.0, row_imbalance, 1.0)
    read = fullest * expert_elements * expert_weight_bytes / (expert_tensor * weight_rate)
    multiplied = 2.0 * (rows * uneven + expert_padding_rows * fullest) * expert_elements / (expert_tensor * expert_rate)
    return (layers - dense_layers) * np.maximum(read, multiplied)


def other_time(
    layers,
    dense_layers,
    expert_elements,
    shared_experts,
    dense_elements,
    attention_weight_bytes,
    rank_rows,
    attention_tensor,
    weight_rate,
    attention_rate,
):
    """Shared experts and dense feed-forward parts, over the layers that have them."""
    of = (rank_rows, attention_weight_bytes, attention_tensor, weight_rate, attention_rate)
    shared = (layers - dense_layers) * _product(expert_elements * shared_experts, *of)
    return shared + dense_layers * _product(dense_elements, *of)


def exchange_time(
    layers,
    rank_rows,
    hidden,
    top_k,
    worker_devices,
    attention_tensor,
    attention_copies,
    expert_parallel,
    expert_tensor,
    exchange_rate,
    reduce_latency,
    swap_latency,
):
    """Two all-reduces a layer, or where the attention has copies rows to and from the devices of their experts."""
    reduced = 2.0 * 2.0 * rank_rows * hidden * (1.0 - 1.0 / attention_tensor) / exchange_rate
    reduces = np.where(attention_tensor > 1.0, 2.0 * (reduced + reduce_latency), 0.0)
    sent = 3.0 * rank_rows * hidden * np.minimum(top_k, expert_parallel) * expert_tensor
    swaps = sent * (1.0 - 1.0 / worker_devices) / exchange_rate + 2.0 * swap_latency
    return layers * np.where(attention_copies > 1.0, swaps, reduces)


def head_time(
    hidden,
    vocab,
    table_weight_bytes,
    rank_requests,
    rank_prompts,
    attention_tensor,
    weight_rate,
    table_rate,
):
    """The output table, once."""
    rows = rank_requests + rank_prompts
    return _product(hidden * vocab, rows, table_weight_bytes, attention_tensor, weight_rate, table_rate)


def gap_time(layers, gap, step_overhead, request_time, rank_requests):
    """Gaps of all layers, and what a step and each of its requests take beside them."""
    return layers * gap + step_overhead + request_time * rank_requests


def draft_time(
    layers,
    draft_rows,
    projection_time,
    cache_time,
    score_time,
    expert_time,
    other_time,
    exchange_time,
    gap,
    head_time,
):
    """Drafts: for each a mean layer with its gap, and the output table once more."""
    all_layers = projection_time + cache_time + score_time + expert_time + other_time + exchange_time + layers * gap
    return (draft_rows - 1.0) * (all_layers / layers + head_time)


def step_time(
    projection_time,
    cache_time,
    score_time,
    expert_time,
    other_time,
    exchange_time,
    head_time,
    gap_time,
    draft_time,
):
    """Time of a step: its parts, one after another."""
    layers = projection_time + cache_time + score_time + expert_time + other_time + exchange_time
    return layers + head_time + gap_time + draft_time
