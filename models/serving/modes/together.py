"""Prompts and decoding together on a worker (slot ``serving_mode``, component ``together``).

In the life of a request each of the other n - 1 has its prompt computed once, so with continuous batching::

    time per token = T(n, 0)/A + (n - 1)/s_o stall
    X = n/(own + (s_o - 1) time per token)           requests a second of a closed loop
    rho = min(X stall, 0.95);  wait = rho stall/(2 (1 - rho))
    first token = front end + own + T(n, 0) + wait    median
    rate = n s_o/(first token + (s_o - 1) time per token)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantity

__all__: list[str] = []

_MODE: dict[str, Any] = {"slot": "serving_mode", "provider": "together", "default": True}
_BATCHES = "ours; Kwon et al. 2023 for continuous batching"
_LARGEST_LOAD = 0.95


@quantity(unit="s", source=_BATCHES, **_MODE)
def engine_time_per_token(decoding_step_time, accepted, requests, output_tokens, prompt_stall):
    """Time between two tokens of an answer: a step over the tokens it yields, and the prompts of all others."""
    return decoding_step_time / accepted + (requests - 1.0) / output_tokens * prompt_stall


@quantity(unit="1", source="ours: one server with a fixed time of service", **_MODE)
def prompt_load(requests, own_step_time, output_tokens, time_per_token, prompt_stall):
    """Share of the time in which a prompt is computed, at most 0.95."""
    arrivals = requests / (own_step_time + (output_tokens - 1.0) * time_per_token)
    return np.minimum(arrivals * prompt_stall, _LARGEST_LOAD)


@quantity(unit="s", source="ours: median, with the wait of a queue with a fixed time of service", **_MODE)
def engine_first_token(front_time, own_step_time, decoding_step_time, prompt_load, prompt_stall):
    """Time to the first token, the median."""
    wait = prompt_load * prompt_stall / (2.0 * (1.0 - prompt_load))
    return front_time + own_step_time + decoding_step_time + wait


@quantity(unit="s", source="ours: all prompts arrive at once, as at the start of a closed loop", **_MODE)
def engine_burst_first_token(front_time, own_step_time, requests, prompt_stall):
    """Time to the first token, 99th percentile where the prompts of all requests arrive at once."""
    return front_time + own_step_time + requests * prompt_stall


@quantity(unit="1/s", source="ours: a closed loop", **_MODE)
def engine_tokens_per_second(requests, output_tokens, time_to_first_token, time_per_token):
    """Tokens that a worker answers in a second, n s_o/(first token + (s_o - 1) per token)."""
    return requests * output_tokens / (time_to_first_token + (output_tokens - 1.0) * time_per_token)


@quantity(unit="1", source="ours: devices counted", **_MODE)
def engine_devices(worker_devices):
    """Devices of a worker."""
    return worker_devices * 1.0


@quantity(unit="W", source="ours: devices of a worker", **_MODE)
def engine_power(worker_devices, decode_device_power):
    """Power of a worker: its devices with their part of the hosts."""
    return worker_devices * decode_device_power
