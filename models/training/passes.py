"""A layer forward and backward: products, scores, what goes through memory, exchanges not hidden, and the host.

A pass takes the sum of these, or the time the host takes to launch it, whichever is longer. The backward pass has twice
the products; what is computed again comes on top. Models that mix dense layers and layers of experts take the mean of
both, weighted by their share of the layers.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declaration import assumption, quantities, quantity
from dse.models.sources import DAO_2023, KORTHIKANTI_2022, LIU_2023
from dse.models.training.layer import (
    Machine,
    Widths,
    attention_time,
    elementwise_time,
    expert_time,
    feed_forward_time,
)

__all__: list[str] = []

_PRODUCTS = "ours: operations over a share of the peak, and bytes over a share of the bandwidth"
_BACKWARD_HOST = 1.25
_MEAN = "ours: sum of the parts, or the host; the mean over both kinds of layers"

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


@quantity(
    unit="s",
    source=_MEAN,
    label="a layer forward",
    sum_of=(
        "layer_matmul_time",
        "layer_core_time",
        "layer_elementwise_time",
        "tensor_exchange_time",
        "context_exchange_time",
        "expert_exchange_time",
        "host_wait_time",
    ),
)
def layer_forward_time(
    dense_matmul_time,
    expert_matmul_time,
    layer_core_time,
    dense_elementwise_time,
    expert_elementwise_time,
    tensor_exchange_time,
    context_gather_time,
    own_context_share,
    expert_round_trip_time,
    expert_overlap,
    host_time,
    dense_share,
    sparse_share,
):
    """A layer forward, F.

    Scores and what they do not hide of the exchange K of keys and values are max(scores, K + scores/c), which rises in
    both.
    """
    core = np.maximum(layer_core_time, context_gather_time + own_context_share * layer_core_time)
    both = core + tensor_exchange_time
    dense = np.maximum(dense_matmul_time + dense_elementwise_time + both, host_time)
    exchange = expert_round_trip_time * (1.0 - expert_overlap)
    sparse = np.maximum(expert_matmul_time + expert_elementwise_time + both + exchange, host_time)
    return dense_share * dense + sparse_share * sparse


@quantity(unit="s", source=_MEAN, label="waiting for the host")
def host_wait_time(
    layer_forward_time,
    layer_matmul_time,
    layer_core_time,
    layer_elementwise_time,
    tensor_exchange_time,
    context_exchange_time,
    expert_exchange_time,
):
    """What is left of a layer forward: the device waits for the host to launch it."""
    work = layer_matmul_time + layer_core_time + layer_elementwise_time
    return np.maximum(
        layer_forward_time - (work + tensor_exchange_time + context_exchange_time + expert_exchange_time), 0.0
    )


@quantities(gives={"layers_again": "1", "scores_again": "1"}, source=f"{KORTHIKANTI_2022}: nothing, scores, or layers")
def computed_again(recomputation, fused_attention):
    """Share of layers, and of scores alone, computed again; fused attention keeps no scores: `selective` is nothing."""
    scores = np.where(fused_attention > 0.5, 0.0, np.where(recomputation > 0.5, 1.0, 0.0))
    return np.where(recomputation > 1.5, 1.0, 0.0), np.where(recomputation > 1.5, 0.0, scores)


@quantity(unit="s", source=f"{KORTHIKANTI_2022}: nothing, the scores, or the layer", label="computed again")
def recomputation_time(layers_again, scores_again, layer_forward_time, layer_core_time):
    """What the backward pass of a layer computes again."""
    return layers_again * layer_forward_time + scores_again * layer_core_time


@quantity(
    unit="s",
    source=_MEAN,
    label="a layer backward",
    sum_of=(
        "layer_matmul_backward_time",
        "layer_core_backward_time",
        "layer_elementwise_backward_time",
        "tensor_exchange_backward_time",
        "context_exchange_backward_time",
        "expert_exchange_backward_time",
        "host_wait_backward_time",
        "recomputation_time",
    ),
)
def layer_backward_time(
    dense_matmul_time,
    expert_matmul_time,
    layer_core_backward_time,
    dense_elementwise_time,
    expert_elementwise_time,
    tensor_exchange_backward_time,
    context_gather_time,
    own_context_share,
    expert_round_trip_time,
    expert_overlap,
    host_time,
    dense_share,
    sparse_share,
    recomputation_time,
):
    """A layer backward, K_b; keys and values go twice."""
    core = np.maximum(
        layer_core_backward_time, 2.0 * context_gather_time + own_context_share * layer_core_backward_time
    )
    both = core + tensor_exchange_backward_time
    least = _BACKWARD_HOST * host_time
    dense = np.maximum(2.0 * dense_matmul_time + 2.0 * dense_elementwise_time + both, least)
    exchange = expert_round_trip_time * (1.0 - expert_overlap)
    sparse = np.maximum(2.0 * expert_matmul_time + 2.0 * expert_elementwise_time + both + exchange, least)
    return dense_share * dense + sparse_share * sparse + recomputation_time


@quantity(unit="s", source=_PRODUCTS, label="products of a layer backward")
def layer_matmul_backward_time(layer_matmul_time):
    """Matrix products of a layer backward: for activations and for weights."""
    return 2.0 * layer_matmul_time


@quantity(unit="s", source=_MEAN, label="element by element backward")
def layer_elementwise_backward_time(layer_elementwise_time):
    """What a layer does element by element backward."""
    return 2.0 * layer_elementwise_time


@quantity(unit="s", source="as forward", label="exchange of experts backward")
def expert_exchange_backward_time(expert_exchange_time):
    """Exchanges of experts backward that are not hidden."""
    return expert_exchange_time * 1.0


@quantity(unit="s", source=_MEAN, label="waiting for the host backward")
def host_wait_backward_time(
    layer_backward_time,
    layer_matmul_time,
    layer_core_backward_time,
    layer_elementwise_time,
    tensor_exchange_backward_time,
    context_exchange_backward_time,
    expert_exchange_time,
    recomputation_time,
):
    """What is left of a layer backward: the device waits for the host to launch it."""
    work = 2.0 * layer_matmul_time + layer_core_backward_time + 2.0 * layer_elementwise_time
    exchanges = tensor_exchange_backward_time + context_exchange_backward_time + expert_exchange_time
    return np.maximum(layer_backward_time - (work + exchanges + recomputation_time), 0.0)


@quantity(unit="s", source="ours: both passes without exchanges and the host; what is computed again counts")
def layer_busy_time(
    layer_matmul_time,
    layer_core_time,
    layer_core_backward_time,
    layer_elementwise_time,
    layers_again,
    scores_again,
):
    """Time that a device computes for a layer, in both passes."""
    once = layer_matmul_time + layer_core_time + layer_elementwise_time
    again = layers_again * once + scores_again * layer_core_time
    return once + 2.0 * layer_matmul_time + layer_core_backward_time + 2.0 * layer_elementwise_time + again
