"""The golden cases as inputs of the model, read from their words."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dse.models.serving.catalogues import architecture, engine, prompts, worker

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "golden.json").read_text())}
GOLDEN = {name: case["values"] for name, case in CASES.items()}
PRECISIONS = {("gpt-oss-120b", "fp4"): "mxfp4"}
LENGTH = 0.9
"""Mean over nominal length."""


def words(text: str) -> dict[str, str]:
    """Return the inputs of a case by name, from "model gpt-oss-120b, device H100 SXM, n 16"."""
    pairs = (re.split(r":? ", one.strip(), maxsplit=1) for one in text.split(", "))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def inputs(text: str | dict[str, str]) -> dict[str, float]:
    """Return the inputs of a worker."""
    of = words(text) if isinstance(text, str) else text
    found = {**architecture(of["model"])}
    found |= engine(of["device"], of["stack"], PRECISIONS.get((of["model"], of["precision"]), of["precision"]))
    found |= worker(float(of.get("t", 1)), float(of.get("e", 1)), float(of.get("d", 1)))
    found |= {"input_tokens": LENGTH * float(of["isl"]), "output_tokens": LENGTH * float(of["osl"])}
    found["requests"] = float(of["n"])
    return found | ({"draft_rows": 2.0} if of.get("spec") == "mtp" else {})


def apart(name: str, batch: float) -> dict[str, float]:
    """Return the inputs of a case with workers for prompts and for decoding."""
    of_prompts, of_decoding = re.findall(r"(\d+) x \(\{(.*?)\}\)", CASES[name]["inputs"])
    pre, found = words(of_prompts[1]), inputs(of_decoding[1])
    cut = worker(float(pre.get("t", 1)), float(pre.get("e", 1)), float(pre.get("d", 1)))
    found |= prompts(cut) | {"prompt_workers": float(of_prompts[0]), "decode_workers": float(of_decoding[0])}
    return found | {"requests": batch}
