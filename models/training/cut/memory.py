"""Memory of a device: weights, gradients and optimizer states, activations in flight, the logits.

With n = d c devices that share the batch (Rajbhandari et al. 2020, Korthikanti et al. 2022)::

    k = w/(n if ZeRO-3) + g_b/(n if ZeRO-2) + o/(n if ZeRO-1)      bytes per parameter: w = 2, o = 12
    activations = x ((8 h + 2 h drop)/(t if sequence parallel) + (2 (a d_h + 2 k_v d_h) + 2 a d_h + 2 g F + scores)/t)
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import KORTHIKANTI_2022, RAJBHANDARI_2020

__all__: list[str] = []

weight_bytes = assumption(
    2.0, unit="B", source=f"{RAJBHANDARI_2020}: weights in 16 bits", doc="Bytes of a weight, w", above=0
)
optimizer_state_bytes = assumption(
    12.0,
    unit="B",
    source=f"{RAJBHANDARI_2020}: Adam in 32 bits: weights, momentum, variance",
    doc="Bytes of the states of the optimizer per parameter, o",
    minimum=0,
)
memory_reserve = assumption(
    0.05,
    unit="1",
    source="ours: buffers of exchanges, fragmentation, the runtime",
    doc="Share of the memory of a device that is left free",
    minimum=0,
    maximum=1,
)
fits = requirement(
    "training_memory <= usable_device_memory",
    name="memory",
    source="what does not fit cannot be trained so",
    doc="states, activations and logits fit the memory of a device",
)


@quantity(unit="B", source=f"{RAJBHANDARI_2020}: stages of ZeRO")
def parameter_state_bytes(zero_stage, shard_devices, weight_bytes, gradient_bytes, optimizer_state_bytes):
    """Bytes of a parameter on a device with its gradient and states, k."""
    weights = weight_bytes / np.where(zero_stage > 2.5, shard_devices, 1.0)
    gradients = gradient_bytes / np.where(zero_stage > 1.5, shard_devices, 1.0)
    return weights + gradients + optimizer_state_bytes / np.where(zero_stage > 0.5, shard_devices, 1.0)


@quantity(unit="B", source=f"{RAJBHANDARI_2020}", label="states of the layers")
def state_memory(layers, pipeline_parallel, held_layer_parameters, parameter_state_bytes, tensor_parallel):
    """Weights, gradients and states of the layers of a stage on a device."""
    return layers / pipeline_parallel * held_layer_parameters * parameter_state_bytes / tensor_parallel


@quantity(unit="B", source=f"{RAJBHANDARI_2020}", label="states of the tables")
def embedding_memory(table_parameters, parameter_state_bytes, tensor_parallel):
    """Weights, gradients and states of the tables of input and output on a device."""
    return table_parameters * parameter_state_bytes / tensor_parallel


@quantity(
    unit="B",
    source=f"{KORTHIKANTI_2022}, Equations 1 to 6; gated parts and grouped keys counted by us",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def layer_activation_bytes(
    micro_batch_tokens,
    hidden,
    heads,
    head_size,
    kv_heads,
    matrices,
    ffn,
    expert_ffn,
    top_k,
    shared_experts,
    dense_share,
    sparse_share,
    dropout,
    sequence,
    tensor_parallel,
    sequence_parallel,
    recomputation,
    fused_attention,
):
    """Activations that a layer keeps of a micro-batch on a device; with full recomputation its input, 2 h x."""
    queries, keys = heads * head_size, kv_heads * head_size
    inner = dense_share * ffn + sparse_share * expert_ffn * (top_k + shared_experts)
    kept = np.where((fused_attention > 0.5) | (recomputation > 0.5), 0.0, 5.0 * heads * sequence)
    whole = (8.0 + 2.0 * dropout) * hidden / np.where(sequence_parallel > 0.5, tensor_parallel, 1.0)
    cut = (2.0 * (queries + 2.0 * keys) + 2.0 * queries + 2.0 * matrices * inner + kept) / tensor_parallel
    return micro_batch_tokens * np.where(recomputation > 1.5, 2.0 * hidden, whole + cut)


@quantity(unit="B", source=f"{KORTHIKANTI_2022}", label="activations")
def activation_memory(layer_activation_bytes, layers_in_flight):
    """Activations in flight on a device of the first stage."""
    return layer_activation_bytes * layers_in_flight


@quantity(
    unit="B",
    source="ours: logits of a micro-batch in 32 bits",
    label="logits",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def logit_memory(micro_batch_tokens, vocab, tensor_parallel):
    """Logits of a micro-batch on a device, 4 x V/t."""
    return 4.0 * micro_batch_tokens * vocab / tensor_parallel


@quantity(
    unit="B",
    source=f"{RAJBHANDARI_2020}; {KORTHIKANTI_2022}",
    label="memory of a device",
    sum_of=("state_memory", "embedding_memory", "activation_memory", "logit_memory"),
)
def training_memory(state_memory, embedding_memory, activation_memory, logit_memory):
    """Memory that training takes on a device."""
    return state_memory + embedding_memory + activation_memory + logit_memory


@quantity(unit="B", source="ours: what the reserve leaves")
def usable_device_memory(device_memory_capacity, memory_reserve):
    """Memory of a device without the reserve."""
    return device_memory_capacity * (1.0 - memory_reserve)
