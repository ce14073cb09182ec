"""Every formula at the numbers a second implementation gives."""

from __future__ import annotations

import numpy as np
import pytest

from dse.evaluation.direct import evaluate_models
from dse.models.training.claims.inputs import architecture
from dse.models.training.machine.dimension_costs import ALGORITHMS, TOPOLOGIES, joined
from dse.models.training.machine.exchange import all_to_all_time, gather_time
from tests.models.training.cases import GOLDEN, LAYERS, MEMORIES, SHARDED, STEPS, inputs

CLOSE = 1e-9


def value(target, values, stack="overlapped", **use):
    found = evaluate_models(["training"], [target], values, {"training_stack": stack, **use})
    return float(found[target][0])


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("P-")])
def test_parameters(name):
    found = architecture(name.removeprefix("P-"))
    assert value("model_parameters", found) == pytest.approx(GOLDEN[name]["total"], rel=CLOSE)
    assert value("model_active_parameters", found) == pytest.approx(GOLDEN[name]["active"], rel=CLOSE)


@pytest.mark.parametrize(("name", "model", "batch"), [("F-gpt3", "gpt3-175b", 1536), ("F-405b", "llama3.1-405b", 1152)])
def test_operations(name, model, batch):
    found = value("step_flop", {**architecture(model), "batch": batch})
    assert found == pytest.approx(GOLDEN[name]["flop"], rel=CLOSE)


UP, OUT = (300e9 * 0.77, 10e-6), (25e9 * 0.70, 20e-6)


@pytest.mark.parametrize(("name", "members", "stride"), [("C1", 8, 1), ("C2", 64, 1), ("C3", 16, 4), ("C4", 16, 8)])
def test_gathers(name, members, stride):
    assert gather_time(1e9, members, stride, 8, UP, OUT) == pytest.approx(GOLDEN[name]["s"], rel=CLOSE)


@pytest.mark.parametrize(("key", "reach"), [("s", 1.0), ("reach_half", 0.5)])
def test_all_to_all(key, reach):
    assert all_to_all_time(1e9, 64, 1, 8, UP, OUT, reach) == pytest.approx(GOLDEN["C5"][key], rel=CLOSE)


OF_LAYER = {
    "gemm": "layer_matmul_time",
    "core_forward": "layer_core_time",
    "core_backward": "layer_core_backward_time",
    "elementwise": "layer_elementwise_time",
    "tp_forward": "tensor_exchange_time",
    "tp_backward": "tensor_exchange_backward_time",
    "forward": "layer_forward_time",
    "backward": "layer_backward_time",
}


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in LAYERS for key in GOLDEN[name]])
def test_layers(name, key):
    assert value(OF_LAYER[key], LAYERS[name], "unfused") == pytest.approx(GOLDEN[name][key], rel=CLOSE)


OF_STEP = {
    "T": "step_time",
    "stage": "stage_time",
    "pipe": "pipeline_time",
    "bubble": "bubble_time",
    "dp": "data_exchange_time",
    "opt": "optimizer_time",
    "busy": "device_busy_share",
    "Pl": "stage_parameters",
    "gemm": "expert_matmul_time",
    "experts_exchange": "expert_round_trip_time",
    "F": "layer_forward_time",
    "B": "layer_backward_time",
}


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in STEPS for key in GOLDEN[name]])
def test_steps(name, key):
    stack, values = STEPS[name]
    passes = (
        2.0 if key == "experts_exchange" else 1.0
    )  # the golden numbers of these two are of a layer of experts, the exchange in both passes
    assert passes * value(OF_STEP[key], values, stack) == pytest.approx(GOLDEN[name][key], rel=CLOSE, abs=1e-300)


@pytest.mark.parametrize("name", MEMORIES)
def test_memory(name):
    none, selective = MEMORIES[name]["none"], MEMORIES[name]["selective"]
    golden = GOLDEN[name]
    assert value("state_memory", none, "unfused") == pytest.approx(golden["state"], rel=CLOSE)
    assert value("embedding_memory", none, "unfused") == pytest.approx(golden["embedding"], rel=CLOSE)
    assert value("activation_memory", none, "unfused") == pytest.approx(golden["activations_none"], rel=CLOSE)
    assert value("activation_memory", selective, "unfused") == pytest.approx(golden["activations_selective"], rel=CLOSE)


def test_memory_of_llama():
    _, values = STEPS["S-405B-512"]
    of = {"state": "state_memory", "embedding": "embedding_memory", "activations": "activation_memory"}
    of |= {"logits": "logit_memory", "total": "training_memory"}
    for key, name in of.items():
        assert value(name, values) == pytest.approx(GOLDEN["M5"][key], rel=CLOSE)


@pytest.mark.parametrize("name", SHARDED)
def test_memory_by_what_is_sharded(name):
    assert value("state_memory", SHARDED[name]) == pytest.approx(GOLDEN[name]["state"], rel=CLOSE)
    assert value("training_memory", SHARDED[name]) == pytest.approx(GOLDEN[name]["total"], rel=CLOSE)


@pytest.mark.parametrize(
    ("name", "model", "devices", "store"), [("R1", "llama3.1-405b", 16384, 2e12), ("R2", "megatron-1t", 32768, 1e12)]
)
def test_goodput(name, model, devices, store):
    values = inputs(model=model, d=devices, B=devices) | {"store_write_bandwidth": store}
    of = {"mtbf": "training_mean_time_between_failures", "delta": "training_checkpoint_cost"}
    of |= {"tau": "training_checkpoint_interval", "goodput": "training_goodput"}
    for key, quantity in of.items():
        assert value(quantity, values) == pytest.approx(GOLDEN[name][key], rel=1e-8)


@pytest.mark.parametrize(("key", "busy"), [("full", 1.0), ("part", 0.663), ("waiting", 0.0)])
def test_power_of_a_node(key, busy):
    from dse.models.training.energy import training_device_power, training_host_power

    devices = training_device_power(8.0, 8.0, 700.0, busy, 0.99, 0.34)
    assert devices + training_host_power(8.0, 1500.0, 8.0) == pytest.approx(GOLDEN["E1"][key], rel=CLOSE)


BANDWIDTHS = (400e9, 200e9, 100e9, 50e9)
SIZES, JOINS = (4, 4, 8, 8), ("full", "ring", "switch", "switch")
WAYS = {
    "N1": (("ring",) * 4, 0, 3, 0),
    "N2": (("ring",) * 4, 3, 10, 1),
    "N3": (("direct", "halving", "direct", "ring"), 3, 10, 1),
    "N4": (("tree",) * 4, 0, 10, 1),
}


@pytest.mark.parametrize("name", WAYS)
def test_dimensions(name):
    ways, low, high, piped = WAYS[name]
    # The data group lies above the tensor group: t = 2^low, d = 2^(high - low).
    values = {"tensor_parallel": 2.0**low, "context_parallel": 1.0, "data_parallel": 2.0 ** (high - low)}
    values |= {"expert_parallel": 1.0, "collective_chunks": 4, "pipelined_dimensions": piped, "batch": 1024}
    values |= {"pipeline_parallel": 2.0 ** (10 - high), "devices_per_node": 8.0}
    for place, (size, join, way, bandwidth) in enumerate(zip(SIZES, JOINS, ways, BANDWIDTHS, strict=True)):
        values[f"dimension_{place + 1}_devices"] = size
        values[f"dimension_{place + 1}_topology"] = TOPOLOGIES.index(join)
        values[f"dimension_{place + 1}_algorithm"] = ALGORITHMS.index(way)
        values[f"dimension_{place + 1}_bandwidth"] = bandwidth
    parts = [f"data_{what}_{i}" for what in ("members", "byte_time", "latency") for i in (1, 2, 3, 4)]
    parts.append("exposed_dimension_share")
    found = evaluate_models(["training", "training.dimensions"], parts, values, {"training_collectives": "dimensions"})
    by_dimension = [found[part] for part in parts]
    time = joined(np.full(1, 1e9), by_dimension[:4], by_dimension[4:8], by_dimension[8:12], by_dimension[12])
    assert float(time[0]) == pytest.approx(GOLDEN[name]["s"], rel=CLOSE)


def test_every_case_is_looked_at():
    looked = {*STEPS, *LAYERS, *MEMORIES, *SHARDED, *WAYS, "M5", "R1", "R2", "E1", "F-gpt3", "F-405b"}
    looked |= {name for name in GOLDEN if name.startswith(("P-", "C", "X", "V"))}
    assert looked == set(GOLDEN)
    assert len(GOLDEN) == 60
