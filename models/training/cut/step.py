"""A step of training: the pipeline, its bubble, the head, the exchange of gradients and weights, the optimizer.

With lambda_s layers on the longest stage, m micro-batches and v chunks (Narayanan et al. 2021)::

    stage = lambda_s (F + K_b) [+ T_h if p = 1]
    pipeline = m (stage + T_pp);  bubble = (p - 1)/v (stage + T_pp)
    T = pipeline + bubble + (T_h if p > 1) + data exchange + optimizer

Slot ``pipeline_schedule``: ``one-forward-one-backward``, ``all-forward-first`` (as long, more in memory) and
``zero-bubble``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import NARAYANAN_2021, RAJBHANDARI_2020

__all__: list[str] = []

_STAGES = f"{NARAYANAN_2021}: stages of a pipeline"
_ONE: dict[str, Any] = {"slot": "pipeline_schedule", "provider": "one-forward-one-backward", "default": True}
_ALL: dict[str, Any] = {"slot": "pipeline_schedule", "provider": "all-forward-first"}
_ZERO: dict[str, Any] = {"slot": "pipeline_schedule", "provider": "zero-bubble"}

optimizer_bytes = assumption(
    46.0,
    unit="B",
    source="ours: counted for Adam in 32 bits: reads and writes, norm, unscaling, zeroing; 30 to 60",
    doc="Bytes through memory of a step of the optimizer, per parameter of the shard",
    above=0,
)
hidden_data_share = assumption(
    0.0,
    unit="1",
    source="ours: runs that overlap the exchange show no net gain at scale; 0 to 0.5",
    doc="Share of the exchange of gradients and weights that the backward pass hides, without ZeRO-3, h_d",
    minimum=0,
    maximum=1,
)
_ZERO_3_HIDDEN = 0.5


@quantity(unit="1", source=_STAGES)
def stage_layers(layers, pipeline_parallel, pipeline_chunks, stage_slots):
    """Layers of the longest stage, lambda_s = v ceil(L/(p v))."""
    even = pipeline_chunks * np.ceil(layers / (pipeline_parallel * pipeline_chunks))
    return np.where(stage_slots > 0.0, stage_slots, even)


@quantity(unit="1", source="ours: a device has 1/e of the experts of its layers")
def held_layer_parameters(
    dense_share, sparse_share, dense_layer_parameters, attention_parameters, expert_layer_parameters, expert_parallel
):
    """Weights of a layer that the devices of one tensor group hold, q P_D + (1 - q)(P_a + (P_M - P_a)/e)."""
    of_experts = attention_parameters + (expert_layer_parameters - attention_parameters) / expert_parallel
    return dense_share * dense_layer_parameters + sparse_share * of_experts


@quantity(unit="1", source="ours: with one stage both tables, else the larger part")
def table_parameters(hidden, vocab, tied, pipeline_parallel):
    """Weights of the tables on the stage that has most, h V (1 if p > 1 else 2 - tied)."""
    return hidden * vocab * np.where(pipeline_parallel > 1.0, 1.0, 2.0 - tied)


@quantity(unit="1", source=_STAGES)
def stage_parameters(stage_layers, held_layer_parameters, table_parameters, tensor_parallel):
    """Weights of a device of the longest stage, P_l."""
    return (stage_layers * held_layer_parameters + table_parameters) / tensor_parallel


@quantity(
    unit="s",
    source="ours: products of the output table in 16 bits, and the loss through memory",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def head_time(micro_batch_tokens, hidden, vocab, tensor_parallel, head_rate, memory_rate):
    """Output table and loss of a micro-batch, both passes, T_h = 6 x h V/(t eta R_b) + 24 x V/(t W')."""
    shared = micro_batch_tokens * vocab / tensor_parallel
    return 6.0 * shared * hidden / head_rate + 24.0 * shared / memory_rate


@quantity(unit="s", source="ours: one stage has the head in every micro-batch, several are balanced around it")
def stage_head_time(head_time, pipeline_parallel):
    """The head of a micro-batch on the longest stage: none where there are several."""
    return np.where(pipeline_parallel > 1.0, 0.0, head_time)


@quantity(unit="s", source=_STAGES, label="a micro-batch on the longest stage")
def stage_time(stage_layers, layer_forward_time, layer_backward_time, stage_head_time):
    """A micro-batch on the longest stage, both passes; with the head where there is one stage."""
    return stage_layers * (layer_forward_time + layer_backward_time) + stage_head_time


@quantity(unit="1", source=f"{NARAYANAN_2021}: each chunk receives and sends")
def exposed_hops(hop_overlap, pipeline_chunks, pipeline_parallel):
    """Hops of a micro-batch that are not hidden, 2 v (1 - o_p); none with one stage."""
    return np.where(pipeline_parallel > 1.0, 2.0 * pipeline_chunks * (1.0 - hop_overlap), 0.0)


@quantity(unit="s", source=f"{NARAYANAN_2021}: each chunk receives and sends")
def stage_exchange_time(hop_time, exposed_hops):
    """Time of the hops of a micro-batch that are not hidden, T_pp."""
    return exposed_hops * hop_time


@quantity(unit="s", source=_STAGES, label="the pipeline, full")
def pipeline_time(micro_batches, stage_time, stage_exchange_time):
    """All micro-batches through the longest stage, m (stage + T_pp)."""
    return micro_batches * (stage_time + stage_exchange_time)


@quantity(unit="1", source=_STAGES, **_ONE)
def bubble_rounds(pipeline_parallel, pipeline_chunks):
    """Micro-batches for which a stage waits while the pipeline fills and drains, (p - 1)/v."""
    return (pipeline_parallel - 1.0) / pipeline_chunks


@quantity(unit="1", name="bubble_rounds", source=_STAGES, **_ALL)
def bubble_of_all_forward(pipeline_parallel, pipeline_chunks):
    """Micro-batches for which a stage waits when every forward pass comes first: as many."""
    return (pipeline_parallel - 1.0) / pipeline_chunks


@quantity(
    unit="1",
    name="bubble_rounds",
    source="ours: a third is left where gradients of weights fill the gaps (confidence low)",
    **_ZERO,
)
def bubble_of_split_backward(pipeline_parallel, pipeline_chunks):
    """Micro-batches for which a stage waits when gradients of weights fill the gaps."""
    return (pipeline_parallel - 1.0) / pipeline_chunks / 3.0


@quantity(unit="s", source=_STAGES, label="the pipeline, filling and draining")
def bubble_time(bubble_rounds, stage_time, stage_exchange_time):
    """Filling and draining the pipeline, (p - 1)/v (stage + T_pp)."""
    return bubble_rounds * (stage_time + stage_exchange_time)


_FLIGHT = f"{NARAYANAN_2021}: micro-batches whose activations the first stage keeps"


def _in_flight(layers: Any, stages: Any, chunks: Any, kept: Any) -> Any:
    interleaved = layers * (1.0 + (stages - 1.0) / (stages * chunks))
    return np.where(chunks > 1.0, interleaved, layers / stages * kept)


@quantity(unit="1", source=_FLIGHT, **_ONE)
def layers_in_flight(layers, pipeline_parallel, pipeline_chunks, micro_batches):
    """Layers whose activations the first stage keeps: (L/p) min(p, m), interleaved L (1 + (p - 1)/(p v))."""
    return _in_flight(layers, pipeline_parallel, pipeline_chunks, np.minimum(pipeline_parallel, micro_batches))


@quantity(unit="1", name="layers_in_flight", source=_FLIGHT, **_ALL)
def layers_in_flight_of_all_forward(layers, pipeline_parallel, micro_batches):
    """Layers whose activations the first stage keeps when every forward pass comes first, (L/p) m."""
    return layers / pipeline_parallel * micro_batches


@quantity(unit="1", name="layers_in_flight", source=_FLIGHT, **_ZERO)
def layers_in_flight_of_split_backward(layers, pipeline_parallel, pipeline_chunks, micro_batches):
    """Layers whose activations the first stage keeps, as with one forward and one backward pass in turn."""
    return _in_flight(layers, pipeline_parallel, pipeline_chunks, np.minimum(pipeline_parallel, micro_batches))


@quantity(unit="s", source="ours: stages are balanced around the head", label="the head")
def last_head_time(head_time, pipeline_parallel):
    """The head of the last micro-batch, where there are several stages: the others hide behind the longest stage."""
    return np.where(pipeline_parallel > 1.0, head_time, 0.0)


@quantities(
    gives={
        "gradient_gathers": "1",
        "weight_gathers": "1",
        "exposed_gather_share": "1",
        "least_gather_share": "1",
    },
    source=f"{RAJBHANDARI_2020}: gradients and weights by stage",
)
def gathers_of_step(zero_stage, micro_batches, hidden_data_share):
    """Gathers of gradients and of weights in a step, the share of them not hidden, and the share that is the least.

    Two of gradients without shards; one of each with them. Stage 3 sums gradients and gathers weights twice in every
    micro-batch, and the passes hide half of it at most.
    """
    each, shards = zero_stage > 2.5, zero_stage > 0.5
    gradients = np.where(each, micro_batches, np.where(shards, 1.0, 2.0))
    weights = np.where(each, 2.0 * micro_batches, np.where(shards, 1.0, 0.0))
    exposed = np.where(each, _ZERO_3_HIDDEN, 1.0 - hidden_data_share)
    return gradients, weights, exposed, np.where(each, 1.0, 0.0)


@quantity(unit="s", source=f"{RAJBHANDARI_2020}: gradients and weights by stage")
def step_gather_time(gradient_gathers, weight_gathers, gradient_gather_time, weight_gather_time):
    """Exchange of gradients and weights in a step, hidden or not, Z."""
    return gradient_gathers * gradient_gather_time + weight_gathers * weight_gather_time


@quantity(
    unit="s", source=f"{RAJBHANDARI_2020}: what the passes do not hide", label="exchange of gradients and weights"
)
def data_exchange_time(step_gather_time, exposed_gather_share, least_gather_share, pipeline_time):
    """Exchange of gradients and weights that is not hidden."""
    return np.maximum(exposed_gather_share * step_gather_time, least_gather_share * step_gather_time - pipeline_time)


@quantity(
    unit="s",
    source="ours: bytes of Adam through memory, and gradients and weights of the stage",
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def optimizer_time(stage_parameters, shard_devices, zero_stage, optimizer_bytes, memory_rate):
    """The optimizer, (46 P_l/(n with shards, else 1) + 8 P_l)/W'."""
    sharers = np.where(zero_stage > 0.5, shard_devices, 1.0)
    return (optimizer_bytes * stage_parameters / sharers + 8.0 * stage_parameters) / memory_rate


@quantity(
    unit="s",
    source="ours: what follows one another",
    label="time of a step",
    sum_of=("pipeline_time", "bubble_time", "last_head_time", "data_exchange_time", "optimizer_time"),
)
def step_time(
    pipeline_time,
    bubble_time,
    last_head_time,
    step_gather_time,
    exposed_gather_share,
    least_gather_share,
    optimizer_time,
):
    """A step: a batch forward and backward, gradients summed, weights changed; T.

    The pipeline and what it does not hide of the exchange Z are max(pipeline + exposed Z, least Z), which rises in all.
    """
    exposed = pipeline_time + exposed_gather_share * step_gather_time
    both = np.maximum(exposed, least_gather_share * step_gather_time)
    return both + bubble_time + last_head_time + optimizer_time


@quantity(unit="1", source="ours: products, scores and memory traffic over all; exchanges and waiting do not count")
def device_busy_share(
    micro_batches, stage_layers, layer_busy_time, head_time, pipeline_parallel, optimizer_time, step_time
):
    """Share of a step in which a device computes."""
    heads = np.where(pipeline_parallel > 1.0, 1.0, micro_batches)
    busy = micro_batches * stage_layers * layer_busy_time + head_time * heads + optimizer_time
    return np.minimum(busy / step_time, 1.0)


@quantity(unit="1", source="model operations over the bf16 peak, as runs are published")
def model_flop_utilisation(step_flop, training_devices, peak_bf16, step_time):
    """Model operations over what the devices in use could do in bf16, Q/(N R_b T)."""
    return step_flop / (training_devices * peak_bf16 * step_time)


within_reach = requirement(
    "model_flop_utilisation <= 0.75",
    name="utilisation",
    source="ours: runs of spaces/training/measured.csv reached at most 0.56 of the bf16 peak in bf16 and 0.89 in fp8",
    doc="model operations above 75 % of the bf16 peak; measured runs reached at most 56 % in bf16 and 89 % in fp8",
    warns=True,
)


@quantity(unit="1", source="model operations over the peak of the precision")
def precision_utilisation(step_flop, training_devices, matmul_peak, step_time):
    """Model operations over what the devices in use could do at the precision of the products, Q/(N R T)."""
    return step_flop / (training_devices * np.maximum(matmul_peak, 1.0) * step_time)


@quantity(
    unit="1/s",
    source="tokens of a step over its time",
    label="tokens per second",
    valid={"training_devices": (1, 20000)},
)
def tokens_per_second(batch, sequence, step_time, training_devices):
    """Tokens trained in a second, B s/T."""
    return batch * sequence / step_time


@quantity(unit="1/s", source="model operations over time and devices in use")
def device_flop_rate_of_step(step_flop, training_devices, step_time):
    """Model operations of a device in a second, as papers print them."""
    return step_flop / (training_devices * step_time)
