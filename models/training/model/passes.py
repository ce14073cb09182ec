"""A layer forward and backward: the sum of its parts, or the host.

A pass takes the sum of products, scores, memory traffic and exchanges, or the time the host takes to launch it if that
is longer. The backward pass has twice the products; what is computed again comes on top. Models that mix dense layers
and layers of experts take the mean of both, weighted by their share of the layers.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.sources import KORTHIKANTI_2022

__all__: list[str] = []

_PRODUCTS = "ours: operations over a share of the peak, and bytes over a share of the bandwidth"
_BACKWARD_HOST = 1.25
_MEAN = "ours: sum of the parts, or the host; the mean over both kinds of layers"


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
