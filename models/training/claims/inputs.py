"""What a published run was, as inputs of the model: rows of the catalogues, and models written in place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dse.errors import InputError
from dse.models.training.catalogues import part

__all__ = ["RECOMPUTATIONS", "architecture", "device", "device_of", "number", "run_inputs"]

PRECISIONS = {"bf16": 0.0, "fp8": 1.0, "fp4": 2.0}
RECOMPUTATIONS = {"none": 0.0, "selective": 1.0, "full": 2.0}
_GPT = re.compile(r"gpt L=(?P<layers>\d+) h=(?P<hidden>\d+) a=(?P<heads>\d+) V=(?P<vocab>\d+)")
_AXES = {
    "t": "tensor_parallel",
    "p": "pipeline_parallel",
    "cp": "context_parallel",
    "d": "data_parallel",
    "e": "expert_parallel",
    "b": "micro_batch",
    "v": "pipeline_chunks",
    "B": "batch",
    "sp": "sequence_parallel",
    "zero": "zero_stage",
    "slots": "stage_slots",
}
_OPTIONAL = {"sequence": "sequence", "grad_bytes": "gradient_bytes", "scale_out_share": "scale_out_share"}


def architecture(name: str) -> dict[str, float]:
    """Return the numbers of an architecture: a row of ``models.csv``, or a model of the kind "gpt L=24 h=1024 …"."""
    written = _GPT.fullmatch(name)
    if written is None:
        return part("models", name)
    layers, hidden, heads, vocab = (float(number) for number in written.groups())
    return {
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_size": hidden / heads,
        "ffn": 4.0 * hidden,
        "matrices": 2.0,
        "vocab": vocab,
        "sequence": 1024.0,
        "experts": 0.0,
        "top_k": 0.0,
        "expert_ffn": 0.0,
        "shared_experts": 0.0,
        "dense_layers": layers,
        "attention_parameters": 4.0 * hidden * hidden,
        "core_width": hidden,
        "tied": 1.0,
        "dropout": 1.0,
        "cache_elements": 2.0 * hidden,
    }


def device(name: str) -> dict[str, float]:
    """Return the numbers of a row of ``devices.csv``."""
    return part("devices", name)


def device_of(row: Mapping[str, str]) -> dict[str, float]:
    """Return the numbers of the device of a run: those of ``devices.csv``, but for cells of its own of these names."""
    figures = device(row["device"])
    return figures | {name: number(row, name) for name in figures if row.get(name)}


def number(row: Mapping[str, str], key: str) -> float:
    """Return a cell as a number.

    Raises
    ------
    InputError
        There is no such column, or the cell is empty or no number.
    """
    text = row.get(key, "")
    try:
        return float(text or "none")
    except ValueError:
        problem = f"'{text}'" if text else "is missing" if key not in row else "is empty"
        raise InputError(problem, key=key, allowed="a number") from None


def run_inputs(row: Mapping[str, str]) -> dict[str, float]:
    """Return the inputs of a run from the cells of its row, cells that are empty left out.

    Raises
    ------
    InputError
        A precision or recomputation that is not known, or a cell that is no number.
    """
    inputs = {**architecture(row["model"]), **device_of(row)}
    for key, names in (("precision", PRECISIONS), ("recompute", RECOMPUTATIONS)):
        given = row.get(key, "")
        if given not in names:
            raise InputError(f"'{given}'", key=key, allowed=list(names), wrong=given, candidates=names)
    inputs["matmul_precision"] = PRECISIONS[row["precision"]]
    inputs["recomputation"] = RECOMPUTATIONS[row["recompute"]]
    inputs |= {name: number(row, key) for key, name in (_AXES | _OPTIONAL).items() if row.get(key)}
    return inputs
