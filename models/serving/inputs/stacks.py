"""Serving software: what its kernels wait, what a request costs it, and whether it mixes prompts into decoding.

Slot ``serving_stack``: ``vllm``, ``trt``, ``sglang``, ``atom``, or ``of-engine``, where the software is a column of
an axis (the enumeration ``serving.engines``).
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.lookup import lookup
from dse.authoring.declare.declaration import ModelFunction, parameter, quantities, quantity
from dse.models.serving.inputs.constants import STACKS, factors

__all__: list[str] = []

_SOURCE = "the public benchmark InferenceMAX: software of December 2025 and January 2026 (fitted)"
_MIXES = np.array([1.0, 1.0, 0.0, 0.0])

stack = parameter(
    unit="1",
    doc="Serving software: 0 vllm, 1 trt, 2 sglang, 3 atom",
    minimum=0,
    maximum=len(STACKS) - 1,
    integer=True,
)


def _component(name: str, number: float) -> ModelFunction:
    @quantity(
        unit="1", source=_SOURCE, slot="serving_stack", provider=name, name="stack_number", default=name == "vllm"
    )
    def stack_number():
        """Which software serves."""
        return number

    return stack_number


vllm_stack, trt_stack, sglang_stack, atom_stack = (
    _component(name, float(number)) for number, name in enumerate(STACKS)
)


@quantity(unit="1", source="the axis", slot="serving_stack", provider="of-engine", name="stack_number")
def stack_of_engine(stack):
    """Which software serves, as the row of the engine says."""
    return stack * 1.0


@quantities(
    gives={
        "stack_gap_factor": "1",
        "stack_prompt_gap_factor": "1",
        "stack_request_factor": "1",
        "stack_front_factor": "1",
        "mixes_prompts": "1",
    },
    source=_SOURCE,
)
def stack_factors(stack_number):
    """Factors of software of the gaps, of the time per request and of the front end; 1 where it mixes prompts in."""
    tables = [factors(name, STACKS) for name in ("tau", "taup", "taur", "front")]
    return tuple(lookup(table, stack_number) for table in (*tables, _MIXES))


@quantity(unit="s", source=_SOURCE)
def front_time(front_end_time, stack_front_factor):
    """Time of client, front end and scheduler before the first token."""
    return front_end_time * stack_front_factor


@quantity(unit="s", source=_SOURCE)
def request_time(request_overhead, stack_request_factor):
    """Time that each request of a rank adds to a step."""
    return request_overhead * stack_request_factor
