"""Workers for prompts, where they and decoding are apart: their cut, and an engine of their own if wished.

Slot ``prompt_device``: ``same`` (the engine of decoding), ``own`` (another engine: columns of the enumeration
``serving.prompt_engines``, whose names begin with ``prompt_engine_``). The quantities are those of a worker that
decodes, by the same formulas, under names that begin with ``prompt_``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Declaration, ModelFunction, Parameter, parameter, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.serving.accounts import memory, power
from dse.models.serving.inputs import cards, engines, requests, stacks
from dse.models.serving.steps.kinds import step_functions
from dse.models.training.energy import host_power
from dse.models.training.machine import devices

__all__: list[str] = []

_SAME: dict[str, Any] = {"slot": "prompt_device", "provider": "same", "default": True}
_OWN: dict[str, Any] = {"slot": "prompt_device", "provider": "own"}
_COUNT = "ours: devices counted"
_PROMPT_TOKENS = 8192.0
_WORDS = "workers for prompts"

RATES = {
    "attention_rate": "1/s",
    "expert_rate": "1/s",
    "table_rate": "1/s",
    "weight_rate": "B/s",
    "cache_rate": "B/s",
    "decode_score_rate": "1/s",
    "prefill_score_rate": "1/s",
    "exchange_rate": "B/s",
    "reduce_latency": "s",
    "swap_latency": "s",
    "decode_gap": "s",
    "launch_gap": "s",
    "request_time": "s",
    "attention_weight_bytes": "B",
    "expert_weight_bytes": "B",
    "table_weight_bytes": "B",
    "cached_bytes": "B",
    "joined_devices": "1",
    "usable_serving_memory": "B",
    "full_device_power": "W",
    "device_class": "1",
    "stack_number": "1",
}
"""What a worker needs of its engine, with units."""
_CUT = ("worker_devices", "attention_tensor", "attention_copies", "expert_parallel")
_OF_CUT = (requests.expert_tensor, cards.cache_parts, memory.weight_memory, memory.request_memory)
_OF_ENGINE = (
    *(item for item in vars(engines).values() if isinstance(item, ModelFunction) and item.name != "routing_exponent"),
    *(stacks.stack_factors, stacks.request_time, requests.joined_devices, memory.usable_serving_memory),
    *(power.full_device_power, replace(stacks.stack_of_engine, slot=None, provider=None)),
)
_NEEDED = {need for function in _OF_ENGINE for need in function.needs}
_COLUMNS: dict[str, Parameter] = {
    name: item
    for module in (engines, stacks, devices)
    for name, item in vars(module).items()
    if isinstance(item, Parameter) and name in _NEEDED | RATES.keys()
} | {"host_power": host_power, "host_devices": parameter(unit="1", doc="Devices of a host", minimum=1)}


def _renamed(function: ModelFunction, names: dict[str, str], slot: dict[str, Any]) -> ModelFunction:
    """Return a function under other names of what it reads and gives."""
    return replace(
        function,
        name=f"prompt_{function.name}",
        needs=tuple(names.get(need, need) for need in function.needs),
        gives={names.get(name, name): unit for name, unit in function.gives.items()},
        labels={names.get(name, name): f"{label}, {_WORDS}" for name, label in function.labels.items()},
        valid={names.get(name, name): limits for name, limits in function.valid.items()},
        doc=f"{function.doc[:-1]} ({_WORDS}).",
        **slot,
    )


def _passed(source: str, target: str, unit: str, slot: dict[str, Any]) -> ModelFunction:
    @quantity(unit=unit, source="an input, or the engine of decoding", **slot)
    def passed(value):
        return value * 1.0

    words = source.replace("_", " ").removeprefix("prompt engine ")
    return replace(passed, name=target, needs=(source,), gives={target: unit}, doc=f"{words}, of the {_WORDS}.")


def _declared() -> dict[str, Declaration]:
    """Return the inputs and quantities of the workers for prompts, by name."""
    made: dict[str, Declaration] = {
        f"prompt_{name}": replace(getattr(requests, name), doc=f"{getattr(requests, name).doc} ({_WORDS})")
        for name in _CUT
    }
    made |= {f"prompt_engine_{name}": replace(item, doc=f"{item.doc} ({_WORDS})") for name, item in _COLUMNS.items()}
    computed = {name for function in (*_OF_ENGINE, *_OF_CUT) for name in function.gives}
    inner = {name: f"prompt_{name}" for name in (*computed, *RATES, *_CUT)}
    outer = {name: f"prompt_engine_{name}" for name in _COLUMNS} | {name: f"prompt_{name}" for name in computed}
    columns = [name for name in RATES if name in _COLUMNS]
    functions = [_passed(name, f"prompt_{name}", unit, _SAME) for name, unit in RATES.items()]
    own = [_passed(f"prompt_engine_{name}", f"prompt_{name}", RATES[name], _OWN) for name in columns]
    own += [_renamed(function, outer, _OWN) for function in _OF_ENGINE]
    made |= {f"{function.name}_same": function for function in functions}
    made |= {f"{function.name}_own": function for function in own}
    made |= {f"prompt_{function.name}": _renamed(function, inner, {}) for function in _OF_CUT}
    for kind, words in (("prompt_batch", "a batch of prompts"), ("prompt_own", "a prompt for each copy")):
        made |= step_functions(kind, f"{words}, {_WORDS}", lambda name: inner.get(name, name), "launch_gap")
    return made


globals().update(_declared())

prompts_fit = requirement(
    "prompt_memory <= prompt_usable_serving_memory",
    name="prompt_memory",
    source="what does not fit cannot be served so",
    doc="weights and the caches of a batch of prompts fit the memory of the workers for prompts",
)
prompt_whole_worker = requirement(
    "prompt_worker_devices == prompt_attention_tensor * prompt_attention_copies",
    name="prompt_worker",
    source=_COUNT,
    doc="a worker for prompts has the devices that share its attention, times its copies",
)
prompt_within_domain = requirement(
    "prompt_worker_devices <= prompt_joined_devices",
    name="prompt_domain",
    source="ours: exchanges of a worker stay within a scale-up domain",
    doc="a worker for prompts is no wider than the scale-up domain of its devices",
)


@quantity(unit="1", source="ours: prompts go in chunks of 8,192 tokens")
def prompt_batch_rank_prompts(input_tokens):
    """Prompts of a copy in a batch, floor(max(1, 8192/s_i))."""
    return np.floor(np.maximum(1.0, _PROMPT_TOKENS / input_tokens))


@quantity(unit="1", source="ours: workers for prompts decode nothing")
def prompt_batch_rank_requests():
    """Running requests in a batch of prompts: none."""
    return 0.0


@quantity(unit="1", source="ours: one prompt at a time")
def prompt_own_rank_prompts():
    """Prompts of a copy in the time of a prompt of its own."""
    return 1.0


@quantity(unit="1", source="ours: workers for prompts decode nothing")
def prompt_own_rank_requests():
    """Running requests in a step of one prompt for each copy: none."""
    return 0.0


@quantity(unit="B", source="ours: weights, and caches of a batch", label="memory of a device for prompts")
def prompt_memory(prompt_weight_memory, prompt_request_memory, prompt_batch_rank_prompts):
    """Memory of a device for prompts: weights, and the caches of the prompts of a batch."""
    return prompt_weight_memory + prompt_request_memory * prompt_batch_rank_prompts
