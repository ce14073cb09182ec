"""Parts of a layer in both passes: products, scores, what goes through memory, exchanges that are not hidden.

Models that mix dense layers and layers of experts take the mean of both, weighted by their share of the layers.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.models.sources import DAO_2023, KORTHIKANTI_2022, LIU_2023
from dse.models.training.model.layer import (
    Machine,
    Widths,
    attention_time,
    elementwise_time,
    expert_time,
    feed_forward_time,
)

__all__: list[str] = []

_PRODUCTS = "ours: operations over a share of the peak, and bytes over a share of the bandwidth"
_MEAN = "ours: the mean over both kinds of layers"

expert_imbalance = assumption(
    1.0,
    unit="1",
    source="none: tokens are spread evenly over experts",
    doc="Tokens of the fullest expert over the mean, lambda",
    minimum=1,
)
expert_overlap = assumption(
    0.0,
    unit="1",
    source="none: nothing hides the exchanges of experts; real runs hide up to all of them",
    doc="Share of the exchanges of experts that is hidden, o_e",
    minimum=0,
    maximum=1,
)


@quantities(
    gives={"dense_matmul_time": "s", "expert_matmul_time": "s"},
    source=_PRODUCTS,
    valid={"tensor_parallel": (1, 16), "hidden": (1024, 25600)},
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def products_of_layers(
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
    micro_batch_tokens,
    tensor_parallel,
    expert_parallel,
    expert_imbalance,
    matmul_rate,
    memory_rate,
    operand_bytes,
):
    """Matrix products of a dense layer, and of a layer of experts, forward."""
    machine = Machine(matmul_rate, memory_rate, operand_bytes)
    widths = Widths(hidden, heads * head_size, kv_heads * head_size, attention_parameters, tensor_parallel)
    attention = attention_time(widths, micro_batch_tokens, machine)
    dense = feed_forward_time(hidden, ffn, matrices, tensor_parallel, micro_batch_tokens, machine)
    routed = (np.maximum(experts, 1.0) / expert_parallel, top_k, expert_imbalance, shared_experts)
    sparse = expert_time(hidden, expert_ffn, matrices, tensor_parallel, micro_batch_tokens, machine, routed)
    return attention + dense, attention + sparse


@quantity(unit="s", source=_PRODUCTS, label="products of a layer")
def layer_matmul_time(dense_matmul_time, expert_matmul_time, dense_share, sparse_share):
    """Matrix products of a layer forward, in the mean over both kinds."""
    return dense_share * dense_matmul_time + sparse_share * expert_matmul_time


@quantities(
    gives={"layer_core_time": "s", "layer_core_backward_time": "s"},
    source=f"{DAO_2023}; unfused: {KORTHIKANTI_2022}, scores go through memory",
    labels={"layer_core_time": "scores of the attention"},
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def scores(
    micro_batch,
    sequence,
    core_width,
    heads,
    context_parallel,
    tensor_parallel,
    fused_attention,
    core_rate_forward,
    core_rate_backward,
    memory_rate,
):
    """Scores of the attention, forward and backward: fused without the causal half, or whole and through memory."""
    shared = context_parallel * tensor_parallel
    fused = 2.0 * micro_batch * sequence * sequence * core_width / shared
    written = 11.0 * heads * micro_batch * sequence * sequence / shared / memory_rate
    whole = 2.0 * fused / core_rate_forward + written
    forward = np.where(fused_attention > 0.5, fused / core_rate_forward, whole)
    return forward, np.where(fused_attention > 0.5, 2.5 * fused / core_rate_backward, 2.0 * whole)


@quantities(
    gives={"dense_elementwise_time": "s", "expert_elementwise_time": "s"},
    source=f"{KORTHIKANTI_2022}: norms, residuals, activations, dropout; casts counted by us",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def elementwise_of_layers(
    hidden,
    heads,
    head_size,
    ffn,
    expert_ffn,
    top_k,
    shared_experts,
    matrices,
    dropout,
    micro_batch_tokens,
    tensor_parallel,
    sequence_parallel,
    operand_bytes,
    casts,
    memory_rate,
):
    """What a dense layer, and one of experts, does element by element, forward."""
    sharers = np.where(sequence_parallel > 0.5, tensor_parallel, 1.0)
    kinds = (sharers, dropout, matrices, np.where(operand_bytes < 2.0, casts, 0.0))
    dense = elementwise_time(hidden, heads * head_size, ffn, micro_batch_tokens, tensor_parallel, memory_rate, kinds)
    inner = expert_ffn * (top_k + shared_experts)
    return dense, elementwise_time(
        hidden, heads * head_size, inner, micro_batch_tokens, tensor_parallel, memory_rate, kinds
    )


@quantity(unit="s", source=_MEAN, label="element by element")
def layer_elementwise_time(dense_elementwise_time, expert_elementwise_time, dense_share, sparse_share):
    """What a layer does element by element forward, in the mean over both kinds."""
    return dense_share * dense_elementwise_time + sparse_share * expert_elementwise_time


@quantity(unit="s", source=f"{KORTHIKANTI_2022}: two all-reduces of a layer", label="exchange of tensor parallelism")
def tensor_exchange_time(tensor_gather_time, tensor_overlap_forward):
    """Exchanges of tensor parallelism forward that are not hidden: four gathers, 4 T_g (1 - o_f)."""
    return 4.0 * tensor_gather_time * (1.0 - tensor_overlap_forward)


@quantity(unit="s", source=f"{KORTHIKANTI_2022}: with sequence parallelism one gather more per half layer")
def tensor_exchange_backward_time(tensor_gather_time, tensor_overlap_backward, sequence_parallel):
    """Exchanges of tensor parallelism backward that are not hidden, (4 + 2 sp) T_g (1 - o_b)."""
    return (4.0 + 2.0 * sequence_parallel) * tensor_gather_time * (1.0 - tensor_overlap_backward)


@quantity(unit="1", source=f"{LIU_2023}: scores of its own part need no exchange")
def own_context_share(context_parallel):
    """Share of the scores that need no exchange of keys and values, 1/c."""
    return 1.0 / context_parallel


@quantities(
    gives={"context_exchange_time": "s", "context_exchange_backward_time": "s"},
    source=f"{LIU_2023}: what the scores of the other parts of the sequence do not hide",
    labels={"context_exchange_time": "exchange of context parallelism"},
)
def context_exchanges(context_gather_time, own_context_share, layer_core_time, layer_core_backward_time):
    """Exchanges of keys and values that the scores do not hide, forward and backward."""
    others = 1.0 - own_context_share
    forward = np.maximum(0.0, context_gather_time - others * layer_core_time)
    return forward, np.maximum(0.0, 2.0 * context_gather_time - others * layer_core_backward_time)


@quantity(unit="s", source="ours: tokens to their experts and back, in layers of experts", label="exchange of experts")
def expert_exchange_time(expert_round_trip_time, expert_overlap, sparse_share):
    """Exchanges of experts that are not hidden, in either pass, in the mean over both kinds of layers."""
    return sparse_share * expert_round_trip_time * (1.0 - expert_overlap)
