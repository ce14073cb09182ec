"""Every function of the family keeps the contract of model functions, and its bounds hold on ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dse.authoring.library.library import load_model, model_of
from dse.models.serving import in_euros

MODEL = load_model("serving")
OWN = [function for function in MODEL.functions if ".serving." in f".{function.module}."]
FUNCTIONS = [*OWN, *model_of(in_euros).functions]
WHOLE = {
    **{"device_class": (0, 3), "stack": (0, 3), "stack_number": (0, 3), "routing_family": (0, 2), "latent": (0, 1)},
    **{"product_format": (0, 4), "product_format_hopper": (0, 4), "error_case": (0, 21)},
}
SHARES = (
    *("acceptance", "serving_reserve", "decoding_busy_share", "decode_busy_share", "prompt_load", "arrival_load"),
    *("waiting_device_power_share", "active_power_share", "serving_busy_share", "pair_seen", "unseen_cut", "cut_seen"),
    *("prompt_limit_share", "prompt_wait_load", "dense_share", "sparse_share", "unseen_pairs", "calibrated_only"),
)
LIMITS: dict[str, tuple[float, float]] = dict.fromkeys(SHARES, (0.0, 0.9)) | {"dense_layers": (0.0, 0.5)}
LIMITS |= dict.fromkeys(("attention_tensor", "attention_copies", "expert_parallel", "worker_devices"), (1, 8))
LIMITS |= {
    "layers": (4, 60),
    "output_tokens": (2, 2000),
    "requests": (8, 500),
    "draft_rows": (1, 4),
    "experts": (8, 256),
}
LIMITS |= {"window_layers": (0, 4), "pipeline_parallel": (1, 4), "tensor_parallel": (1, 8), "replica_devices": (1, 8)}
LIMITS |= {name: (0, 3) for name in WHOLE if name in ("device_class", "stack", "stack_number")}


def drawn(name):
    return name.removeprefix("prompt_engine_").removeprefix("prompt_")


LIMITS |= {need: LIMITS[drawn(need)] for function in FUNCTIONS for need in function.needs if drawn(need) in LIMITS}
INDICES = {need for function in FUNCTIONS for need in function.needs if drawn(need) in WHOLE}
READ_FOR_NOTHING = ("engine_time_factor",)
"""It carries an error by engine, and is 1."""


def outputs(function):
    """Each output of a function for itself, of the shape of all arguments; indices are whole numbers."""
    for place, (name, unit) in enumerate(function.gives.items()):

        def one(place=place, **given):
            given = {
                key: np.floor(4.0 * value) % (WHOLE[drawn(key)][1] + 1) if key in INDICES else value
                for key, value in given.items()
            }
            found = function(*(given[need] for need in function.needs))
            value = found[place] if isinstance(found, tuple) else found
            if not all(isinstance(one, np.ndarray) for one in given.values()):
                return value
            shape = np.broadcast_shapes(*(one.shape for one in given.values())) if given else (1,)
            return np.broadcast_to(np.asarray(value, dtype=float), shape).copy()

        yield replace(function, name=name, function=one, gives={name: unit})


OUTPUTS = [one for function in FUNCTIONS for one in outputs(function)]


@pytest.mark.parametrize("function", OUTPUTS, ids=lambda function: f"{function.label}-{function.provider}")
def test_shapes_and_arguments(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize(
    "function",
    [one for one in OUTPUTS if not one.points_only and one.needs and not INDICES & set(one.needs)],
    ids=lambda function: f"{function.label}-{function.provider}",
)
def test_ranges_contain_points(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations():
    for function in OWN:
        assert function.doc.endswith("."), function.label
        for name in function.needs:
            assert name in {**MODEL.parameters, **MODEL.assumptions} or any(name in f.gives for f in MODEL.functions)
