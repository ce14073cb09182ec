"""The best way to cut a model, as a second implementation found it over the same enumerations."""

from __future__ import annotations

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import find_enumeration
from dse.evaluation.direct import evaluate_models
from dse.models.training.claims.inputs import architecture, device

COMMON = {"sequence_parallel": 1.0, "gradient_bytes": 2.0, "zero_stage": 1.0, "recomputation": 0.0}
FP8 = {"matmul_precision": 1.0}


def best(model, name, devices, batch, **options):
    rows = find_enumeration("training.parallelism").rows(
        {"architecture": model, "devices": devices, "batch": batch, **options}
    )
    values = {**architecture(model), **device(name), **COMMON, **FP8, **rows.columns, "batch": float(batch)}
    values["sequence_parallel"] = np.where(rows.columns["tensor_parallel"] > 1.0, 1.0, 0.0)
    found = evaluate_models(["training"], ["step_time", "training_memory", "usable_device_memory"], values)
    fits = found["training_memory"] <= found["usable_device_memory"]
    place = int(np.argmin(np.where(fits, found["step_time"], np.inf)))
    return rows.labels[place], found["step_time"][place], found["training_memory"][place]


@pytest.mark.parametrize(
    ("name", "devices", "label", "time"),
    [
        ("H100 SXM", 16384, "t8 p32 d64 c1 e1 v4 b1", 5.898240),
        ("GB200", 9216, "t8 p12 d96 c1 e1 v1 b1", 5.457919),
    ],
)
def test_a_model_of_ten_to_the_twelve(name, devices, label, time):
    found = best("megatron-1t", name, devices, 6144, chunks=[1, 2, 4], largest_micro_batch=2)
    assert found[0] == label
    assert found[1] == pytest.approx(time, rel=1e-6)


def test_llama_on_8192():
    found = best("llama3.1-405b", "H100 SXM", 8192, 1536, chunks=[1, 2, 4, 8], largest_micro_batch=4)
    assert found[0] == "t4 p16 d32 c4 e1 v4 b1"
    assert found[1:] == pytest.approx((5.077384, 69.52845e9), rel=1e-6)


def test_the_cut_of_mlperf_stands_beside_the_study():
    run = Study.load("training-llama-405b").run(trust=False)
    (reference,) = run.references
    assert reference["values"]["step_time"] == pytest.approx(5.301, abs=5e-4)
    assert run.frontier["step_time"].min() == pytest.approx(5.077384, rel=1e-6)
