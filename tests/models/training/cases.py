"""The golden cases as inputs of the model: read from their words by hand."""

from __future__ import annotations

import json
from pathlib import Path

from dse.models.training.claims.inputs import run_inputs

GOLDEN = {case["id"]: case["values"] for case in json.loads((Path(__file__).parent / "golden.json").read_text())}

_PLAIN = {"t": 1, "p": 1, "cp": 1, "d": 1, "e": 1, "b": 1, "v": 1, "sp": 0, "zero": 0, "recompute": "none"}
_PLAIN |= {"precision": "bf16", "device": "A100 80 GB", "grad_bytes": 2}
_TEXTS = ("model", "device", "precision", "recompute")


def inputs(**cells: object) -> dict[str, float]:
    """Return the inputs of a case; what is not a cell of a run goes in by the name of its quantity."""
    cells = {**_PLAIN, **cells}
    known = {
        "model",
        "device",
        "precision",
        "recompute",
        "t",
        "p",
        "cp",
        "d",
        "e",
        "b",
        "v",
        "B",
        "sp",
        "zero",
        "slots",
    }
    known |= {"sequence", "grad_bytes", "scale_out_share"}
    row = {key: str(value) for key, value in cells.items() if key in known}
    return {**run_inputs(row), **{key: value for key, value in cells.items() if key not in known}}


_K5 = {"grad_bytes": 4}
_H100 = {"device": "H100 SXM", "precision": "fp8", "sp": 1, "zero": 1}
_LLAMA = {"model": "llama3.1-405b", "device": "H100 SXM", "sp": 1, "zero": 1, "grad_bytes": 4, "slots": 8}
_LLAMA |= {"t": 8, "p": 16, "b": 1, "v": 8}
_LUMI = {"model": "lumi-175b", "device": "MI250X die", "t": 8, "p": 8, "b": 2, "B": 1024, "recompute": "full"}
_LUMI |= {"zero": 1, "scale_out_share": 0.38, "slots": 9}

STEPS: dict[str, tuple[str, dict[str, float]]] = {
    "S-LUMI-16": ("unfused", inputs(**_LUMI, d=2)),
    "S-LUMI-64": ("unfused", inputs(**_LUMI, d=8)),
    "S-405B-512": (
        "overlapped",
        inputs(model="llama3.1-405b", **_H100, t=8, p=8, cp=2, d=4, v=8, B=1152, slots=16),
    ),
    "S-GPT3-256": ("overlapped", inputs(model="gpt3-175b", **_H100, t=4, p=8, d=8, b=2, v=6, B=2048)),
    "S-GPT3-512": ("overlapped", inputs(model="gpt3-175b", **_H100, t=4, p=8, d=16, b=2, v=6, B=2048)),
    "S-L3-8192-cp1": ("overlapped", inputs(**_LLAMA, sequence=8192, d=64, B=2048)),
    "S-L3-16384-cp1": ("overlapped", inputs(**_LLAMA, sequence=8192, d=128, B=2048)),
    "S-L3-16384-cp16": ("overlapped", inputs(**_LLAMA, sequence=131072, cp=16, d=8, B=128)),
    "S-MoE1": (
        "overlapped",
        inputs(model="mixtral-8x7b", device="H100 SXM", t=2, p=4, d=16, e=8, B=256, sp=1, zero=1),
    ),
    "S-MoE2": (
        "overlapped",
        inputs(model="deepseek-v3", device="H800 SXM", precision="fp8", p=16, d=128, e=64, B=15360, zero=1, slots=4)
        | {"dispatch_bytes": 1.0, "expert_reach": 4.0},
    ),
    "S-Z3": ("fused", inputs(model="mpt-7b", d=64, b=8, B=1024, zero=3, recompute="full")),
    "S-HOST": (
        "unfused",
        inputs(model="gpt L=24 h=1024 a=16 V=51200", t=2, p=2, d=2, b=4, B=32, recompute="full"),
    ),
}
_SHAPES = {
    "megatron-22b": {"t": 8, "b": 4, "B": 4},
    "gpt3-175b": {"t": 8, "p": 8, "v": 3, "B": 64},
    "turing-530b": {"t": 8, "p": 35, "v": 3, "B": 280},
    "megatron-1t": {"t": 8, "p": 64, "B": 512},
}
for _place, (_model, _shape) in enumerate(_SHAPES.items()):
    STEPS[f"S{2 * _place + 1}"] = ("unfused", inputs(model=_model, **_shape, **_K5, recompute="full"))
    STEPS[f"S{2 * _place + 2}"] = ("unfused", inputs(model=_model, **_shape, **_K5, recompute="selective", sp=1))

LAYERS = {
    name: inputs(model="megatron-22b", t=8, b=4, B=4, recompute=recompute, sp=sp)
    for name, recompute, sp in (
        ("L1", "none", 0),
        ("L2", "none", 1),
        ("L3", "full", 0),
        ("L4", "selective", 0),
        ("L5", "selective", 1),
    )
}
"""Stack unfused."""

MEMORIES = {
    f"M{place + 1}": {
        kind: inputs(model=model, **{**shape, "B": 512 * shape.get("b", 1)}, **_K5, recompute=recompute, sp=sp)
        for kind, recompute, sp in (("none", "none", 0), ("selective", "selective", 1))
    }
    for place, (model, shape) in enumerate(_SHAPES.items())
}
SHARDED = {
    f"M6-z{zero}": inputs(model="llama3.1-70b", t=8, p=2, d=16, B=128, sp=1, zero=zero, **_K5) for zero in range(4)
}
