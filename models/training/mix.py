"""Training as a workload of a machine: time of so many tokens of Llama 3.1 405B, at the best of a list of cuts.

For studies of whole machines that ask for other work too (`dse.models.applications`): the cut is no axis, which would
multiply the space by hundreds, but the best of those with t up to the devices of a node, p up to 64, sequences whole,
one sequence a micro-batch, ZeRO stage 1, bf16, the stack of 2024 on. It is found once for each different machine;
``training_mix_tensor``, ``training_mix_pipeline`` and ``training_mix_data`` say which it is. Nodes are scale-up domains
as far as their devices reach each other so. Checkpoints and failures are left to the study.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities
from dse.authoring.declare.requirement import requirement
from dse.authoring.library.library import find_enumeration
from dse.authoring.watch.memoise import different_rows
from dse.evaluation.direct import evaluate_models
from dse.models.sources import LLAMA_2024, NARAYANAN_2021
from dse.models.training.catalogues import part
from dse.models.training.machine import devices as device_inputs
from dse.models.training.machine.network import exchange_software_latency

__all__ = ["exchange_software_latency"]

MODEL = "llama3.1-405b"
_LARGEST_NODE = 16
_AT_ONCE = 2048  # machines
_DEVICE = (
    "peak_bf16",
    "matmul_share_bf16",
    "core_share_forward",
    "core_share_backward",
    "device_memory_bandwidth",
    "device_memory_capacity",
    "scale_up_bandwidth",
    "scale_up_devices",
)
peak_bf16 = device_inputs.peak_bf16
matmul_share_bf16 = device_inputs.matmul_share_bf16
core_share_forward = device_inputs.core_share_forward
core_share_backward = device_inputs.core_share_backward
scale_up_bandwidth = device_inputs.scale_up_bandwidth
scale_up_devices = device_inputs.scale_up_devices

training_mix_tokens = parameter(unit="1", doc="Tokens of the training in the mix", above=0)
training_mix_batch = assumption(
    2048,
    unit="1",
    source=f"{LLAMA_2024}: 16 million tokens in sequences of 8,192",
    doc="Sequences of a step of the training in the mix",
    minimum=1,
    integer=True,
)
some_cut_fits = requirement(
    "training_mix_cuts >= 1",
    name="some_cut_fits",
    source="what does not fit the memory cannot be trained so",
    doc=f"one of the listed cuts of {MODEL} fits the machine",
)


@quantities(
    gives={
        "training_mix_time": "s",
        "training_mix_cuts": "1",
        "training_mix_tensor": "1",
        "training_mix_pipeline": "1",
        "training_mix_data": "1",
    },
    source=f"{NARAYANAN_2021} and others, as the model training; the least over a list of cuts",
    points_only=True,
    labels={"training_mix_time": "time of the training in the mix"},
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def best_of_the_list(
    peak_bf16,
    matmul_share_bf16,
    core_share_forward,
    core_share_backward,
    device_memory_bandwidth,
    device_memory_capacity,
    scale_up_bandwidth,
    scale_up_devices,
    devices_per_node,
    nodes,
    halo_bandwidth,
    message_latency,
    exchange_software_latency,
    training_mix_tokens,
    training_mix_batch,
):
    """Time of the tokens at the best cut, how many cuts fit, and t, p, d of the best; of the quickest if none fits."""
    device = (
        peak_bf16,
        matmul_share_bf16,
        core_share_forward,
        core_share_backward,
        device_memory_bandwidth,
        device_memory_capacity,
        scale_up_bandwidth,
        scale_up_devices,
    )
    machine = (devices_per_node, nodes, halo_bandwidth, message_latency, exchange_software_latency)
    given = (*device, *machine, training_mix_tokens, training_mix_batch)
    rows, place = different_rows([np.asarray(column, dtype=float) for column in given])
    parts_of_best = [
        _best([column[first : first + _AT_ONCE] for column in rows]) for first in range(0, len(rows[0]), _AT_ONCE)
    ]
    return tuple(np.concatenate(parts).take(place) for parts in zip(*parts_of_best, strict=True))


@cache
def _cuts() -> tuple[np.ndarray, np.ndarray]:
    """Return tensor and pipeline parallelism of the list."""
    options = {"architecture": MODEL, "batch": 1, "largest_tensor": _LARGEST_NODE, "largest_context": 1}
    columns = find_enumeration("training.parallelism").rows({**options, "largest_micro_batch": 1}).columns
    return columns["tensor_parallel"], columns["pipeline_parallel"]


@cache
def _model() -> dict[str, float]:
    return part("models", MODEL)


def _best(columns: list[np.ndarray]) -> tuple[Any, ...]:
    """Return time, cuts that fit, and the best one, for machines that all differ."""
    *device, per_node, nodes, halo, latency, software, tokens, batch = (column[:, None] for column in columns)
    tensor, pipeline = (column[None, :] for column in _cuts())
    values: dict[str, Any] = {**_model(), **dict(zip(_DEVICE, device, strict=True))}
    values |= {"peak_fp8": 0.0, "peak_fp4": 0.0, "matmul_share_fp8": 0.0, "matmul_share_fp4": 0.0}
    values |= {"matmul_precision": 0.0, "zero_stage": 1.0, "sequence_parallel": 1.0, "recomputation": 0.0}
    values |= {"context_parallel": 1.0, "expert_parallel": 1.0, "pipeline_chunks": 1.0, "micro_batch": 1.0}
    values |= {"tensor_parallel": tensor, "pipeline_parallel": pipeline, "batch": batch, "nodes": nodes}
    values |= {"devices_per_node": per_node, "scale_out_bandwidth": halo / per_node}
    values |= {"scale_out_latency": latency + software}
    values["scale_up_devices"] = np.minimum(values["scale_up_devices"], per_node)
    names = ["tokens_per_second", "training_memory", "usable_device_memory", "copies_of_machine", "data_replicas"]
    given = evaluate_models(["training"], names, values, {"data_parallelism": "from-machine"})
    shape = (len(columns[0]), tensor.shape[1])
    rate, memory, usable, copies, replicas = (np.broadcast_to(given[name], shape) for name in names)
    fits = (memory <= usable) & (copies >= 1.0) & (tensor <= per_node)
    many = fits.sum(axis=1)
    best = np.argmax(np.where(fits | (many == 0)[:, None], rate, 0.0), axis=1)
    row = np.arange(len(best))
    at = (tokens[:, 0] / rate[row, best], many, tensor[0, best], pipeline[0, best], replicas[row, best])
    return tuple(np.asarray(value, dtype=float) for value in at)
