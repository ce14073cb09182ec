"""The law without fitted constants: the numbers and limits that it had when training held it."""

from __future__ import annotations

import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.evaluation.direct import evaluate_models
from dse.models.training.claims.inputs import architecture, device
from tests.models.training.cases import GOLDEN, inputs

CLOSE = 1e-9
ROOFLINE = {"serving_law": "roofline"}


MODEL = load_model("serving")
KNOWN = {**MODEL.parameters, **MODEL.assumptions}


def value(target, values):
    values = {name: one for name, one in values.items() if name in KNOWN}  # the cases hold what training needs, too
    return float(evaluate_models(["serving"], [target], values, ROOFLINE)[target][0])


_SERVED = {"served_weight_bytes": 1.0, "cache_element_bytes": 1.0, "B": 1}
SERVING = {
    "V1": inputs(model="llama2-70b", device="H100 SXM", precision="fp8", t=2, **_SERVED)
    | {"requests": 700, "input_tokens": 294, "output_tokens": 294},
    "V2": inputs(model="llama3.1-405b", device="H100 SXM", precision="fp8", t=8, **_SERVED)
    | {"requests": 32, "input_tokens": 1024, "output_tokens": 256},
    "V3": inputs(model="mixtral-8x7b", device="H100 SXM", t=2, **_SERVED)
    | {"requests": 16, "input_tokens": 2048, "output_tokens": 128}
    | {"served_weight_bytes": 2.0, "cache_element_bytes": 2.0},
    "V4": inputs(model="llama3.1-405b", device="H100 SXM", precision="fp8", t=8, p=2, **_SERVED)
    | {"requests": 64, "input_tokens": 1024, "output_tokens": 256},
}


@pytest.mark.parametrize("name", SERVING)
def test_serving(name):
    of = {"time_per_token": "time_per_token", "time_to_first": "time_to_first_token"}
    of |= {"tokens_per_s": "serving_tokens_per_second", "memory": "serving_memory"}
    for key, quantity in of.items():
        assert value(quantity, SERVING[name]) == pytest.approx(GOLDEN[name][key], rel=CLOSE)


@pytest.mark.parametrize("requests", [1, 16, 256])
def test_a_replica_answers_no_more_than_its_rounds(requests):
    given = {"served_weight_bytes": 1.0, "cache_element_bytes": 1.0, "input_tokens": 512.0, "output_tokens": 128.0}
    values = {**architecture("llama3.1-70b"), **device("H100 SXM"), **given, "requests": float(requests)}
    values |= {"tensor_parallel": 4.0, "pipeline_parallel": 2.0, "context_parallel": 1.0, "matmul_precision": 1.0}
    names = ["serving_tokens_per_second", "time_per_token"]
    rate, each = (float(evaluate_models(["serving"], names, values, ROOFLINE)[name][0]) for name in names)
    assert rate <= requests / each


STUDY = {
    "name": "impossible",
    "models": ["serving"],
    "objectives": [{"minimize": "time_per_token"}],
    "use": ROOFLINE,
    "set": {
        "served_weight_bytes": "2 B",
        "cache_element_bytes": "2 B",
        "input_tokens": 1024,
        "output_tokens": 256,
        "tensor_parallel": 1,
        "pipeline_parallel": 1,
        "context_parallel": 1,
        "matmul_precision": 0,
    },
    "space": {
        "axes": {
            "architecture": {"part": "training/models.csv", "where": {"name": "megatron-1.7b"}},
            "device": {"part": "training/devices.csv", "where": {"name": "A100 80 GB"}},
            "requests": {"values": [4000, 3000, 1]},
        }
    },
}


def test_what_does_not_fit_is_not_served():
    run = Study(STUDY).run(trust=False)
    assert run.frontier["requests"].tolist() == [1]
    assert run.manifest.certificate.infeasible["serving_memory <= usable_serving_memory"] == 2
