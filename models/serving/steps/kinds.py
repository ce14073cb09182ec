"""The steps that modes are made of, each with its parts as quantities.

=========== ======================================= ==========================================================
Step        Requests and prompts of a worker        Gap
=========== ======================================= ==========================================================
``decoding`` n running requests                      in decoding: launches are captured
``mixed``   n running requests and p prompts        with a prompt: launched one by one
``prompts`` p prompts alone                         with a prompt
``own``     a prompt for each copy                  with a prompt
=========== ======================================= ==========================================================

p = max(d, n/s_o): one prompt per copy, more where requests end faster than one per step. The same formulas serve all;
a quantity is named ``decoding_projection_time``, ``mixed_projection_time`` and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantity
from dse.models.serving.steps import parts

__all__ = ["KINDS", "PARTS", "step_functions"]

KINDS = ("decoding", "mixed", "prompts", "own")
PARTS = (
    "projection_time",
    "cache_time",
    "score_time",
    "expert_time",
    "other_time",
    "exchange_time",
    "head_time",
    "gap_time",
    "draft_time",
)
"""Parts of a step, in the order of its sum."""
_SOURCE = "ours: bytes and operations of a step counted; shares, latencies and gaps fitted"
_WORDS = {
    "decoding": "a step of decoding",
    "mixed": "a step with running requests and prompts",
    "prompts": "a step of prompts alone",
    "own": "a step of one prompt per copy",
}
_BYTES = "bytes of the numbers stand in the formula"
_VALID: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "exchange_time": {"worker_devices": (1, 32)},
    "head_time": {"rank_requests": (0, 512)},
    "score_time": {"input_tokens": (1, 16384)},
}


def _declared(formula: Callable[..., Any], name: str, rename: Callable[[str], str], words: str) -> ModelFunction:
    """Return the quantity of a formula for a kind of step, its arguments under the names they have there."""
    made = quantity(unit="1" if name.endswith("rows") else "s", source=_SOURCE)(formula)
    gives = {rename(name): unit for unit in made.gives.values()}
    total = formula is parts.step_time
    return replace(
        made,
        name=rename(name),
        needs=tuple(rename(need) for need in made.needs),
        gives=gives,
        doc=f"{made.doc[:-1]} ({words}).",
        valid={rename(need): limits for need, limits in _VALID.get(name, {}).items()},
        sum_of=tuple(rename(part) for part in PARTS) if total else (),
        undimensional=_BYTES if name == "exchange_time" else "",
    )


def step_functions(
    kind: str, words: str, outside: Callable[[str], str] = str, gap: str = "launch_gap"
) -> dict[str, ModelFunction]:
    """Return the quantities of a kind of step, by name.

    Parameters
    ----------
    kind : str
        What the names of its quantities begin with.
    words : str
        What the step is.
    outside : callable, optional
        The name under which it reads what is not of the step: another device or cut.
    gap : str
        The gap of its layers.
    """
    own = {"rank_requests", "rank_prompts", "rank_rows", "gap", "step_time", *PARTS}

    def rename(name: str) -> str:
        if name == "gap":
            return outside(gap)
        return f"{kind}_{name}" if name in own else outside(name)

    made = [_declared(getattr(parts, name), name, rename, words) for name in ("rank_rows", *PARTS, "step_time")]
    return {function.name: function for function in made}


_COUNT = "ours: requests and prompts counted"


@quantity(unit="1", source=_COUNT)
def decoding_rank_requests(requests, attention_copies):
    """Requests of a copy in a step of decoding, n/d."""
    return requests / attention_copies


@quantity(unit="1", source=_COUNT)
def decoding_rank_prompts():
    """Prompts in a step of decoding: none."""
    return 0.0


@quantity(unit="1", source=_COUNT)
def mixed_rank_requests(requests, attention_copies):
    """Requests of a copy in a step with prompts, n/d."""
    return requests / attention_copies


@quantity(unit="1", source=_COUNT, valid={"requests": (4, 8192)})
def step_prompts(requests, output_tokens, attention_copies):
    """Prompts of a step, p = max(d, n/s_o)."""
    return np.maximum(attention_copies, requests / output_tokens)


@quantity(unit="1", source=_COUNT)
def mixed_rank_prompts(step_prompts, attention_copies):
    """Prompts of a copy in a step with running requests, p/d."""
    return step_prompts / attention_copies


@quantity(unit="1", source=_COUNT)
def prompts_rank_requests():
    """Running requests in a step of prompts alone: none."""
    return 0.0


@quantity(unit="1", source=_COUNT)
def prompts_rank_prompts(step_prompts, attention_copies):
    """Prompts of a copy in a step of prompts alone, p/d."""
    return step_prompts / attention_copies


@quantity(unit="1", source=_COUNT)
def own_rank_requests():
    """Running requests in a step of one prompt per copy: none."""
    return 0.0


@quantity(unit="1", source=_COUNT)
def own_rank_prompts():
    """Prompts of a copy in a step of one prompt per copy."""
    return 1.0


for _kind in KINDS:
    _gap = "decode_gap" if _kind == "decoding" else "launch_gap"
    globals().update(step_functions(_kind, _WORDS[_kind], gap=_gap))
