"""Identities with published forms, and what must rise or fall, over random models, machines and cuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.evaluation.direct import evaluate_models
from dse.models.training.claims.inputs import architecture, device
from dse.models.training.machine.exchange import gather_time, rounds
from tests.example_counts import examples

UP, OUT = (350e9, 10e-6), (35e9, 20e-6)
SIZES = [1, 2, 4, 8, 16]
TARGETS = ["step_time", "training_memory", "bubble_time", "device_busy_share", "pipeline_time", "training_goodput"]

MODELS = ["gpt3-175b", "llama3.1-70b", "mixtral-8x7b", "deepseek-v3", "gpt L=24 h=2048 a=16 V=51200"]
CUTS = st.fixed_dictionaries(
    {
        "tensor_parallel": st.sampled_from(SIZES),
        "pipeline_parallel": st.sampled_from([1, 2, 4, 8]),
        "context_parallel": st.sampled_from([1, 2, 4]),
        "data_parallel": st.sampled_from([1, 2, 16, 64]),
        "expert_parallel": st.just(1),
        "pipeline_chunks": st.sampled_from([1, 2]),
        "micro_batch": st.sampled_from([1, 2, 4]),
        "sequence_parallel": st.sampled_from([0, 1]),
        "zero_stage": st.sampled_from([0, 1, 2, 3]),
        "recomputation": st.sampled_from([0, 1, 2]),
        "matmul_precision": st.sampled_from([0, 1]),
        "batch": st.just(1024),
    }
)
STACKS = st.sampled_from(["unfused", "fused", "overlapped"])


def evaluated(model, cut, stack="overlapped", targets=TARGETS, **changed):
    values = {**architecture(model), **device("H100 SXM"), "store_write_bandwidth": 1e12, **cut, **changed}
    found = evaluate_models(["training"], targets, values, {"training_stack": stack})
    return {name: found[name] for name in targets}


@pytest.mark.parametrize("model", ["gpt3-175b", "megatron-22b", "turing-530b", "megatron-1t"])
def test_operations_are_those_of_narayanan(model):
    of = architecture(model)
    layers, h, s, vocab, batch = of["layers"], of["hidden"], of["sequence"], of["vocab"], 512.0
    printed = 72.0 * batch * s * layers * h * h * (1.0 + s / (6.0 * h) + vocab / (12.0 * layers * h))
    (found,) = evaluate_models(["training"], ["step_flop"], {**of, "batch": batch})["step_flop"]
    assert found == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize("model", ["gpt3-175b", "megatron-22b", "turing-530b", "megatron-1t"])
@pytest.mark.parametrize("t", [1, 8])
def test_activations_are_those_of_korthikanti(model, t):
    of = architecture(model)
    h, s, a = of["hidden"], of["sequence"], of["heads"]
    cut = {"tensor_parallel": t, "context_parallel": 1, "micro_batch": 2, "sequence_parallel": 0, "recomputation": 0}
    (found,) = evaluated(model, cut, "unfused", ["layer_activation_bytes"])["layer_activation_bytes"]
    assert found == pytest.approx(s * 2 * h * (10.0 + 24.0 / t + 5.0 * a * s / (h * t)), rel=1e-12)


@settings(max_examples=examples(200), deadline=None)
@given(
    size=st.floats(1.0, 1e12),
    members=st.integers(1, 4096),
    stride=st.integers(1, 64),
    domain=st.integers(1, 144),
)
def test_gathers(size, members, stride, domain):
    time = gather_time(size, members, stride, domain, UP, OUT)
    assert gather_time(size, 1, stride, domain, UP, OUT) == 0.0
    assert 2.0 ** rounds(float(members)) >= members > 2.0 ** (rounds(float(members)) - 1.0)
    assert gather_time(2.0 * size, members, stride, domain, UP, OUT) >= time
    fast = ((2.0 * UP[0], UP[1]), (2.0 * OUT[0], OUT[1]))
    assert gather_time(size, members, stride, domain, *fast) <= time
    if members * stride <= domain:  # nothing leaves the domain
        slow = (1.0, 1e9)
        assert gather_time(size, members, stride, domain, UP, slow) == time


@settings(max_examples=examples(120), deadline=None)
@given(model=st.sampled_from(MODELS), cut=CUTS, stack=STACKS)
def test_what_rises_and_falls(model, cut, stack):
    of = device("H100 SXM")
    faster = {name: np.array([1.0, 1.5]) * of[name] for name in ("device_memory_bandwidth", "scale_up_bandwidth")}
    faster["scale_out_bandwidth"] = np.array([1.0, 2.0]) * of["scale_out_bandwidth"]
    for name, values in faster.items():
        slow, fast = np.broadcast_to(evaluated(model, cut, stack, **{name: values})["step_time"], 2)
        assert fast <= slow * (1.0 + 1e-12)
    found = {name: float(value[0]) for name, value in evaluated(model, cut, stack).items()}
    assert found["bubble_time"] == 0.0 or cut["pipeline_parallel"] > 1
    assert 0.0 < found["device_busy_share"] <= 1.0
    assert 0.0 < found["training_goodput"] < 1.0
    stages = evaluated(model, cut, stack, zero_stage=np.arange(4.0))["training_memory"]
    assert (np.diff(np.broadcast_to(stages, 4)) <= 1e-6 * stages[0]).all()
    if cut["tensor_parallel"] <= 8:
        again = np.broadcast_to(evaluated(model, cut, stack, recomputation=np.arange(3.0))["training_memory"], 3)
        assert (np.diff(again) <= 1e-9 * again[0]).all()


@settings(max_examples=examples(60), deadline=None)
@given(model=st.sampled_from(MODELS), cut=CUTS)
def test_shards_take_no_more_time_where_weights_are_no_larger_than_gradients(model, cut):
    times = evaluated(model, cut, zero_stage=np.array([0.0, 1.0]), gradient_bytes=2.0)["step_time"]
    whole, shards = np.broadcast_to(times, 2)
    assert shards <= whole * (1.0 + 1e-12)


def test_data_parallelism_alone_scales_with_the_micro_batches():
    plain = {"tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "expert_parallel": 1}
    plain |= {"pipeline_chunks": 1, "micro_batch": 1, "sequence_parallel": 0, "zero_stage": 1, "recomputation": 0}
    plain |= {"matmul_precision": 0, "data_parallel": 16}
    model = "gpt L=24 h=2048 a=16 V=51200"
    found = evaluated(model, plain, batch=np.array([16.0, 64.0, 256.0]))["pipeline_time"]
    assert found == pytest.approx(found[0] * np.array([1.0, 4.0, 16.0]))


def test_a_domain_of_all_devices_never_uses_the_network():
    cut = {"tensor_parallel": 8, "pipeline_parallel": 2, "context_parallel": 1, "data_parallel": 4}
    cut |= {"expert_parallel": 1, "pipeline_chunks": 1, "micro_batch": 1, "sequence_parallel": 1, "zero_stage": 1}
    cut |= {"recomputation": 0, "matmul_precision": 0, "batch": 64, "scale_up_devices": 64}
    one, other = evaluated("llama3.1-70b", cut, scale_out_bandwidth=np.array([1e3, 1e12]))["step_time"] * np.ones(2)
    assert one == other


def test_goodput_falls_with_devices():
    goodput = evaluate_models(
        ["training"],
        ["training_goodput"],
        {**architecture("llama3.1-405b"), "store_write_bandwidth": 1e12}
        | {"tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1}
        | {"data_parallel": np.geomspace(64, 2**18, 13)},
    )["training_goodput"]
    assert (np.diff(goodput) < 0.0).all()
    assert ((goodput > 0.0) & (goodput < 1.0)).all()
