"""What cannot be trained or served is on no frontier, and the reason is told by name."""

from __future__ import annotations

import pytest

from dse.api import Study
from dse.authoring.library.library import load_model, model_of
from dse.models.training import dimensions, mix

SMALL = {
    "models": ["training"],
    "objectives": [{"minimize": "step_time"}],
    "set": {
        "batch": 64,
        "tensor_parallel": 1,
        "pipeline_parallel": 1,
        "context_parallel": 1,
        "data_parallel": 8,
        "expert_parallel": 1,
        "pipeline_chunks": 1,
        "micro_batch": 1,
        "sequence_parallel": 0,
        "zero_stage": 1,
        "recomputation": 0,
        "matmul_precision": 0,
    },
    "space": {
        "axes": {
            "architecture": {"part": "training/models.csv", "where": {"name": "megatron-1.7b"}},
            "device": {"part": "training/devices.csv", "where": {"name": "A100 80 GB"}},
        }
    },
}


def study(axis, values, use=None, models=None, axes=None, **given):
    fixed = {key: value for key, value in {**SMALL["set"], **given}.items() if key != axis and value is not None}
    found = {**SMALL["space"]["axes"], **(axes or {}), axis: {"values": list(values)}}
    return {**SMALL, "name": "impossible", "set": fixed, "use": use or {}, "space": {"axes": found}} | (
        {"models": models} if models else {}
    )


_NETWORK = {f"dimension_{i}_{what}": value for i in (1, 2, 3, 4) for what, value in (("topology", 1), ("algorithm", 1))}
_NETWORK |= {f"dimension_{i}_bandwidth": "100 GB/s" for i in (1, 2, 3, 4)}
_NETWORK |= {"collective_chunks": 4, "pipelined_dimensions": 0}
_DIMENSIONS = {
    "use": {"training_collectives": "dimensions"},
    "models": ["training", "training.dimensions"],
    **_NETWORK,
}
CASES = {
    "training.precision": study("matmul_precision", [2, 1, 0]),
    "training.memory": study("micro_batch", [64, 32, 1]),
    "training.whole_rounds": study("pipeline_chunks", [4, 2, 1], batch=8, data_parallel=2, pipeline_parallel=3),
    "training.whole_experts": study("expert_parallel", [4, 2, 1]),
    "training.one_replica": study(
        "tensor_parallel",
        [16, 9, 8],
        use={"data_parallelism": "from-machine"},
        nodes=1,
        devices_per_node=8,
        data_parallel=None,
    ),
    "training.dimensions.dimension_devices": study(
        "dimension_4_devices",
        [4, 2, 1],
        **_DIMENSIONS,
        dimension_1_devices=8,
        dimension_2_devices=1,
        dimension_3_devices=1,
    ),
    "training.dimensions.powers_of_two": study(
        "tensor_parallel",
        [6, 3, 4],
        **_DIMENSIONS,
        dimension_1_devices=2,
        dimension_2_devices=2,
        dimension_3_devices=4,
        dimension_4_devices=2,
    ),
}
WARNS = {"training.per_direction", "training.utilisation"}
ELSEWHERE = {"training.mix.some_cut_fits"}  # test_mix.py


EVERY = [
    item
    for model in (load_model("training"), model_of(dimensions), model_of(mix))
    for item in model.requirements.values()
]


def test_every_requirement_has_a_case():
    assert {item.label for item in EVERY} == set(CASES) | WARNS | ELSEWHERE


@pytest.mark.parametrize("name", CASES)
def test_only_the_possible_design_is_on_the_frontier(name):
    document = CASES[name]
    axis, values = next((key, axis) for key, axis in document["space"]["axes"].items() if "values" in axis)
    run = Study(document).run(trust=False)
    assert run.frontier[axis].tolist() == [values["values"][-1]]
    condition = next(item.condition for item in EVERY if item.label == name)
    assert run.manifest.certificate.infeasible[condition] == 2
    assert [text for text in run.manifest.constraints_text if text.endswith(f"(required by {name})")]
    only = {**document["space"], "axes": {**document["space"]["axes"], axis: {"values": values["values"][:-1]}}}
    assert len(Study({**document, "space": only}).run(trust=False).frontier) == 0
