"""Memory of a device that serves: its part of the weights, and the caches of its requests."""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.serving.inputs.cards import layers_seen

__all__: list[str] = []

_COUNT = "ours: weights and cached elements counted"

serving_reserve = assumption(
    0.1,
    unit="1",
    source="ours: activations, buffers of exchanges, fragmentation of the caches",
    doc="Share of the memory of a device that is left free when it serves",
    minimum=0,
    maximum=1,
)
caches_fit = requirement(
    "serving_memory <= usable_serving_memory",
    name="serving_memory",
    source="what does not fit cannot be served so",
    doc="weights and caches fit the memory of the devices of a worker",
)


@quantity(unit="B", source="usable memory without the reserve")
def usable_serving_memory(device_memory_capacity, serving_reserve):
    """Memory of a device without the reserve."""
    return device_memory_capacity * (1.0 - serving_reserve)


@quantity(unit="B", source=_COUNT, dimensional=False, reason="bytes of the numbers stand in the formula")
def weight_memory(
    layers,
    dense_layers,
    hidden,
    vocab,
    attention_parameters,
    experts,
    shared_experts,
    expert_elements,
    dense_elements,
    attention_weight_bytes,
    expert_weight_bytes,
    table_weight_bytes,
    worker_devices,
    attention_tensor,
):
    """Weights on a device: attention, experts with their router in 16 bits, dense parts and tables."""
    routed = experts * expert_elements * expert_weight_bytes / worker_devices
    shared = shared_experts * expert_elements * attention_weight_bytes / attention_tensor
    attention = layers * attention_weight_bytes * attention_parameters / attention_tensor
    dense = dense_layers * dense_elements * attention_weight_bytes / attention_tensor
    tables = 2.0 * table_weight_bytes * hidden * vocab / attention_tensor
    return attention + (layers - dense_layers) * (routed + shared + 2.0 * hidden * experts) + dense + tables


@quantity(unit="B", source=_COUNT)
def request_memory(
    cache_elements, cached_bytes, cache_parts, input_tokens, output_tokens, layers, window, window_layers
):
    """Cache of a request on a device of its copy, at its end."""
    seen = layers_seen(input_tokens + output_tokens, layers, window, window_layers)
    return cache_elements * cached_bytes / cache_parts * seen


@quantity(unit="B", source=_COUNT)
def cache_memory(request_memory, requests, attention_copies):
    """Caches on a device: those of the requests of its copy."""
    return request_memory * (requests / attention_copies)


@quantity(unit="B", source=_COUNT, sum_of=("weight_memory", "cache_memory"))
def engine_memory(weight_memory, cache_memory):
    """Memory of a device of a worker that decodes: weights and caches."""
    return weight_memory + cache_memory


@quantity(unit="1", source=_COUNT, label="requests that fit")
def most_requests(usable_serving_memory, weight_memory, request_memory, attention_copies):
    """Requests that fit the memory of a worker: of a copy a whole number, times the copies."""
    left = np.maximum(usable_serving_memory - weight_memory, 0.0)
    return np.floor(left / request_memory) * attention_copies
