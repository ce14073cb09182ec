"""What cannot serve is on no frontier, and the reason is told by name; what is no number of serving is refused."""

from __future__ import annotations

import pytest

from dse.api import Study
from dse.authoring.library.library import find_enumeration, load_model
from dse.errors import InputError
from dse.models.serving.catalogues import architecture, engine, prompts, worker

MODEL = load_model("serving")
DECLARED = {**MODEL.parameters, **MODEL.assumptions}
GIVEN = {**architecture("gpt-oss-120b"), **engine("B200 SXM", "trt", "mxfp4"), **worker(4.0, 1.0, 1.0)}
GIVEN |= {"requests": 64.0, "input_tokens": 900.0, "output_tokens": 900.0}
APART = {**prompts(worker(4.0, 1.0, 1.0)), "prompt_workers": 1.0, "decode_workers": 1.0}
ROOFLINE = {"served_weight_bytes": 1.0, "cache_element_bytes": 1.0, "tensor_parallel": 8.0}
ROOFLINE |= {"pipeline_parallel": 1.0, "context_parallel": 1.0, "matmul_precision": 0.0}


def written(name, value):
    unit = DECLARED[name].unit
    return value if unit == "1" else f"{value!r} {unit}"


def study(axis, values, use=None, only=None, **given):
    """A study of a few designs that differ in one number; everything else is a row of a catalogue."""
    fixed = {key: value for key, value in {**(only or GIVEN), **given}.items() if key in DECLARED and key != axis}
    return {
        "name": "impossible",
        "models": ["serving"],
        "objectives": [{"minimize": "time_per_token"}],
        "use": {"serving_stack": "of-engine"} | (use or {}),
        "space": {"axes": {"row": fixed, axis: {"values": [written(axis, value) for value in values]}}},
    }


def loaded(document, folder, values):
    """The study with its catalogue beside it, and these values of what varies."""
    (_, row), (axis, _) = document["space"]["axes"].items()
    units = {name: DECLARED[name].unit for name in row}
    heading = [name if units[name] == "1" else f"{name} [{units[name]}]" for name in row]
    cells = [repr(float(value)) for value in row.values()]
    lines = [",".join(["name", *heading, "source"]), ",".join(["all", *cells, "a test"])]
    (folder / "row.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    axes = {"row": {"part": "row.csv"}, axis: {"values": values}}
    return Study({**document, "space": {"axes": axes}}, folder=folder)


_PLAIN = {**architecture("llama3.1-70b"), **engine("H100 SXM", "vllm", "fp8"), "requests": 1.0}
_PLAIN |= {"input_tokens": 900.0, "output_tokens": 900.0}
_LAW, _APART = {"serving_law": "roofline"}, {"serving_mode": "apart"}
CASES = {
    "serving.windows": study("window_layers", [60, 40, 36]),
    "serving.worker": study("worker_devices", [8, 2, 4]),
    "serving.ranks": study("expert_parallel", [3, 8, 4]),
    "serving.copies": study("requests", [3, 2, 8], **worker(1.0, 1.0, 4.0)),
    "serving.domain": study("domain_limit", [1, 2, 4]),
    "serving.engine_precision": study("peak_fp8", [0, 4.5e15]),
    "serving.serving_memory": study("requests", [200000, 100000, 64]),
    "serving.pair": study("unseen_pairs", [0, 1], stack=3.0),
    "serving.calibrated_only": study("expert_parallel", [4, 2, 1], calibrated_only=1.0),
    "serving.precision": study("matmul_precision", [2, 0], _LAW, _PLAIN, **ROOFLINE),
    "serving.prompt_worker": study("prompt_worker_devices", [8, 2, 4], _APART, **APART),
    "serving.prompt_domain": study("domain_limit", [1, 2, 4], _APART, **APART),
    "serving.prompt_memory": study("serving_reserve", [0.97, 0.95, 0.1], _APART, **APART),
}
CASES["serving.arrivals"] = study("arrival_rate", [1e4, 1e3, 0.1])
WARNS = {"serving.per_direction"}


def test_every_requirement_has_a_case():
    assert {item.label for item in MODEL.requirements.values()} == set(CASES) | WARNS


@pytest.mark.parametrize("name", CASES)
def test_only_the_possible_design_is_on_the_frontier(name, tmp_path):
    document = CASES[name]
    axis, values = [*document["space"]["axes"].items()][1]
    run = loaded(document, tmp_path, values["values"]).run()
    assert [written(axis, value) for value in run.frontier[axis].tolist()] == values["values"][-1:]
    condition = next(item.condition for item in MODEL.requirements.values() if item.label == name)
    assert run.manifest.certificate.infeasible[condition] == len(values["values"]) - 1
    assert len(loaded(document, tmp_path, values["values"][:-1]).run().frontier) == 0


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("requests", 0, ">= 1"),
        ("input_tokens", 0, ">= 1"),
        ("output_tokens", 1, ">= 2"),
        ("draft_rows", 0, ">= 1"),
        ("acceptance", 1, "<= 0.999999"),
        ("acceptance", -0.1, ">= 0"),
    ],
)
def test_what_is_no_request_is_refused(name, value, allowed, tmp_path):
    with pytest.raises(InputError, match=f"'{name}'") as refused:
        loaded(study(name, [value]), tmp_path, [value]).run()
    assert allowed in str(refused.value)


def enumerated(name, **given):
    return find_enumeration(f"serving.{name}").rows(given)


def test_software_without_rows_of_a_class_is_refused_with_the_pairs_that_have_some():
    asked = {"devices": ["MI300X"], "stacks": ["vllm"], "precisions": ["fp8"]}
    with pytest.raises(InputError, match="1 × no row of the software on this class") as refused:
        enumerated("engines", **asked)
    assert "sglang on CDNA3" in str(refused.value)
    assert "vllm on Hopper" in str(refused.value)
    rows = enumerated("engines", **asked, calibrated_only=False)
    assert rows.columns["unseen_pairs"].tolist() == [1.0]


def test_a_device_without_the_precision_is_refused():
    rows = enumerated("engines", devices=["H100 SXM", "B200 SXM"], stacks=["vllm"], precisions=["mxfp4", "fp4"])
    assert rows.labels == ("H100 SXM vllm mxfp4", "B200 SXM vllm mxfp4", "B200 SXM vllm fp4")
    assert rows.refused == {"the device lacks the precision": 1}


@pytest.mark.parametrize(
    ("model", "largest", "left", "heads", "experts", "narrow"),
    [
        ("gpt-oss-120b", 8, 24, 10, 5, 0),
        ("gpt-oss-120b", 72, 102, 298, 184, 67),
        ("deepseek-r1", 8, 24, 10, 5, 0),
        ("deepseek-r1", 72, 88, 298, 184, 81),
    ],
)
def test_counts_of_cuts(model, largest, left, heads, experts, narrow):
    rows = enumerated("cuts", architecture=model, largest=largest)
    reasons = {"heads do not divide": heads, "experts do not divide": experts, "experts cut too narrow": narrow}
    assert rows.kept == left
    assert rows.refused == {reason: count for reason, count in reasons.items() if count}
    assert "g8 t1 d8 e8" in rows.labels
    assert (rows.columns["worker_devices"] == rows.columns["attention_tensor"] * rows.columns["attention_copies"]).all()


@pytest.mark.parametrize("of", ["cuts", "architectures", "engines"])
def test_near_names(of):
    given = {
        "cuts": {"architecture": "gpt-oss-12b"},
        "architectures": {"names": ["gpt-oss-12b"]},
        "engines": {"devices": ["B200"], "stacks": ["trt"], "precisions": ["mxfp4"]},
    }[of]
    with pytest.raises(InputError, match="B200 SXM" if of == "engines" else "gpt-oss-120b"):
        enumerated(of, **given)
