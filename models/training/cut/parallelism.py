"""How a model is cut over devices: tensor, context, data (experts inside it) and pipeline parallelism, in that order.

N = t p c d devices hold the model d times over; e of the d share the experts. A step of B sequences is d times m
micro-batches of b sequences, of which a device sees x = b s/c tokens at a time.

Slot ``data_parallelism``: ``given`` (d is a parameter, or a column of an enumeration), ``from-machine`` (d is what the
devices of the machine leave, so that the cut does not depend on the machine).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.sources import NARAYANAN_2021, RAJBHANDARI_2020

__all__: list[str] = []

_COUNT = "ours: devices and sequences counted"
_GIVEN: dict[str, Any] = {"slot": "data_parallelism", "provider": "given", "default": True}
_MACHINE: dict[str, Any] = {"slot": "data_parallelism", "provider": "from-machine"}

tensor_parallel = parameter(unit="1", doc="Devices that share each layer, t", minimum=1, integer=True)
pipeline_parallel = parameter(unit="1", doc="Stages of the pipeline, p", minimum=1, integer=True)
context_parallel = parameter(unit="1", doc="Devices that share each sequence, c", minimum=1, integer=True)
data_parallel = parameter(unit="1", doc="Copies of the model that share the batch, d", minimum=1, integer=True)
expert_parallel = parameter(unit="1", doc="Copies that share the experts, e; it divides d", minimum=1, integer=True)
pipeline_chunks = parameter(
    unit="1", doc="Chunks of layers of a stage, v: 1, or more when stages are interleaved", minimum=1, integer=True
)
micro_batch = parameter(unit="1", doc="Sequences of a micro-batch, b", minimum=1, integer=True)
sequence_parallel = parameter(
    unit="1",
    doc="1: what tensor parallelism leaves whole is cut along the sequence, 0: not",
    minimum=0,
    maximum=1,
    integer=True,
)
zero_stage = parameter(
    unit="1",
    doc="What the copies of the model share (ZeRO): 0 nothing, 1 the optimizer, 2 gradients too, 3 weights too",
    minimum=0,
    maximum=3,
    integer=True,
)
recomputation = parameter(
    unit="1",
    doc="What the backward pass computes again: 0 nothing, 1 scores of unfused attention, 2 the layer",
    minimum=0,
    maximum=2,
    integer=True,
)
stage_slots = assumption(
    0.0,
    unit="1",
    source=f"{NARAYANAN_2021}: as many layers as the fullest stage has",
    doc="Layers of the longest stage where they are not v ceil(L/(p v)), as where tables count as layers; 0: they are",
    minimum=0,
    integer=True,
)
nodes = parameter(unit="1", doc="Nodes of the machine", minimum=1, integer=True)
devices_per_node = parameter(unit="1", doc="Devices of a node", minimum=1, integer=True)

one_replica = requirement(
    "copies_of_machine >= 1",
    name="one_replica",
    source="each copy of the model takes t p c devices",
    doc="the machine has the devices of one copy of the model",
)
whole_rounds = requirement(
    "interleaving_remainder <= 0",
    name="whole_rounds",
    source=f"{NARAYANAN_2021}: interleaved stages take micro-batches in rounds of p",
    doc="interleaved stages have micro-batches in a multiple of their number",
)
experts_fit = requirement(
    "expert_remainder <= 0",
    name="whole_experts",
    source=f"{RAJBHANDARI_2020}; ours: a device holds whole experts, and they divide the copies of the model",
    doc="the experts, and the copies of the model, divide by the expert parallelism",
)


@quantity(unit="1", source=_COUNT)
def replica_devices(tensor_parallel, pipeline_parallel, context_parallel):
    """Devices of one copy of the model, t p c."""
    return tensor_parallel * pipeline_parallel * context_parallel


@quantity(unit="1", source="the study", **_GIVEN)
def data_replicas(data_parallel):
    """Copies of the model that share the batch, d."""
    return data_parallel * 1.0


@quantity(unit="1", source=_COUNT, **_GIVEN)
def machine_nodes(replica_devices, data_parallel, devices_per_node):
    """Nodes that the devices fill, the last one perhaps in part."""
    return np.ceil(replica_devices * data_parallel / devices_per_node)


@quantity(unit="1", source=_COUNT, name="machine_nodes", **_MACHINE)
def nodes_of_machine(nodes):
    """Nodes of the machine, whatever of them the training fills."""
    return nodes * 1.0


@quantity(unit="1", source=_COUNT, **_MACHINE)
def copies_of_machine(machine_devices, replica_devices):
    """Copies of the model that the machine has devices for, floor(N/(t p c))."""
    return np.floor(machine_devices / replica_devices)


@quantity(unit="1", source=_COUNT, name="data_replicas", **_MACHINE)
def replicas_of_machine(copies_of_machine):
    """Copies of the model that share the batch, d: as many as the machine has devices for, at least 1."""
    return np.maximum(copies_of_machine, 1.0)


@quantity(unit="1", source=_COUNT)
def machine_devices(machine_nodes, devices_per_node):
    """Devices of the machine."""
    return machine_nodes * devices_per_node


@quantity(unit="1", source=_COUNT, label="devices in use")
def training_devices(replica_devices, data_replicas):
    """Devices in use, N = t p c d."""
    return replica_devices * data_replicas


@quantity(unit="1", source=_COUNT)
def shard_devices(data_replicas, context_parallel):
    """Devices over which gradients are summed and shards spread, n = d c."""
    return data_replicas * context_parallel


@quantities(
    gives={"micro_batches": "1", "part_batch": "1", "batch_share": "1", "interleaving_remainder": "1"},
    source=_COUNT,
    marks=("part_batch",),
    mark_words={"part_batch": "fill the last micro-batch in part"},
)
def micro_batches_of_step(batch, data_replicas, micro_batch, pipeline_parallel, pipeline_chunks):
    """Micro-batches of a copy, m = ceil(B/(d b)); whether the last is filled in part; the share filled; m mod p."""
    together = data_replicas * micro_batch
    many = np.ceil(batch / together)
    part = np.where(many * together > batch, 1.0, 0.0)
    rest = np.where(pipeline_chunks > 1.0, many - pipeline_parallel * np.floor(many / pipeline_parallel), 0.0)
    return many, part, batch / (many * together), rest


@quantity(unit="1", source=_COUNT)
def expert_remainder(experts, expert_parallel, data_replicas):
    """What is left of experts and of copies when they are divided among e; every expert counts where there are none."""
    rest = experts - expert_parallel * np.floor(experts / expert_parallel)
    copies = data_replicas - expert_parallel * np.floor(data_replicas / expert_parallel)
    none = np.where(experts > 0.0, 0.0, 1.0)
    return np.where(expert_parallel > 1.0, rest + copies + none, 0.0)


@quantity(unit="1", source=_COUNT, valid={"sequence": (1, 131072)})
def micro_batch_tokens(micro_batch, sequence, context_parallel):
    """Tokens of a micro-batch on a device, x = b s/c."""
    return micro_batch * sequence / context_parallel
