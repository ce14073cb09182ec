"""Every function of the family keeps the contract of model functions, and its bounds hold on ranges."""

from dataclasses import replace

import numpy as np
import pytest

from dse.authoring.library.library import load_model, model_of
from dse.models.training import accelerator_nodes, dimensions

MODEL = load_model("training")
MODULES = [model_of(dimensions), model_of(accelerator_nodes)]
FUNCTIONS = [function for model in (MODEL, *MODULES) for function in model.functions]
LIMITS = {
    "matmul_precision": (0, 2),
    "sequence_parallel": (0, 1),
    "zero_stage": (0, 3),
    "recomputation": (0, 2),
    "tied": (0, 1),
    "dropout": (0, 1),
    "matrices": (2, 3),
    "fused_attention": (0, 1),
    "casts": (0, 1),
}
SHARES = (
    *("dense_share", "sparse_share", "memory_share", "scale_up_share", "scale_out_share", "matmul_share"),
    *("tensor_overlap_forward", "tensor_overlap_backward", "hop_overlap", "expert_overlap", "own_context_share"),
    *("hidden_data_share", "exposed_gather_share", "least_gather_share", "reach_share", "device_busy_share"),
    *("memory_reserve", "layers_again", "scores_again", "active_power_share"),
    *("waiting_device_power_share", "training_goodput", "exposed_dimension_share"),
)
LIMITS |= dict.fromkeys(SHARES, (0.0, 1.0)) | {"own_context_share": (0.1, 1.0), "training_goodput": (0.1, 1.0)}
LIMITS |= {name: (0, 3) for i in range(1, 5) for name in (f"dimension_{i}_algorithm",)}
LIMITS |= {name: (0, 2) for i in range(1, 5) for name in (f"dimension_{i}_topology",)}
LIMITS |= {f"{group}_members_{i}": (1, 16) for group in dimensions._GROUPS for i in range(1, 5)}
LIMITS |= {f"dimension_{i}_devices": (1, 16) for i in range(1, 5)} | {"pipelined_dimensions": (0, 1)}
LIMITS |= dict.fromkeys(
    ("tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel", "data_replicas", "pipeline_chunks"),
    (1, 16),
)
LIMITS |= dict.fromkeys(("micro_batches", "shard_devices", "domain_devices", "devices_per_node", "top_k"), (1, 64))
READ_FOR_THEIR_RANGE = ("tokens_per_second",)
"""They read what marks designs, and compute nothing from it."""


CONSTANTS = ("fused_attention", "tensor_overlap_forward", "hop_overlap", "casts", "gathered_weight_bytes")
"""Of the stacks: the same for all designs, most of them."""


def outputs(function):
    """Each output of a function for itself, of the shape of all arguments: what depends on few of them is smaller."""
    for place, (name, unit) in enumerate(function.gives.items()):

        def one(place=place, **given):
            found = function(*(given[need] for need in function.needs))
            value = found[place] if isinstance(found, tuple) else found
            if not isinstance(found, tuple) or not all(isinstance(one, np.ndarray) for one in given.values()):
                return value
            return np.broadcast_to(value, np.broadcast_shapes(*(one.shape for one in given.values()))).copy()

        yield replace(function, name=name, function=one, gives={name: unit})


OUTPUTS = [one for function in FUNCTIONS for one in outputs(function)]


@pytest.mark.parametrize("function", OUTPUTS, ids=lambda function: function.label)
def test_shapes_and_arguments(function, check_contract):
    if function.name not in READ_FOR_THEIR_RANGE:
        check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize(
    "function",
    [f for f in OUTPUTS if not f.points_only and f.name not in CONSTANTS],
    ids=lambda function: function.label,
)
def test_ranges_contain_points(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations(check_declarations):
    check_declarations(MODEL)
