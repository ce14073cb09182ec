"""Prompts and decoding on workers of their own (slot ``serving_mode``, component ``apart``).

W_p workers compute prompts, W_d decode, each with b requests. A prompt takes `serve` of all workers for prompts
together, of which they are used at most a share; above it the first token waits without end::

    serve = T'(0, p)/(p W_p) chi_p        X_p = share/serve        X_d = W_d b/(s_o time per token)
    X = min(X_p, X_d)                     rate per device = X s_o/(W_p G_p + W_d G_d)
    first token = front end + handing over + own + time per token + rho serve/(2 (1 - rho)),  rho = X serve

What decides is written once, so that the parts of a design can be pruned by themselves (groups).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

_MODE: dict[str, Any] = {"slot": "serving_mode", "provider": "apart"}
_APART = "ours; Zhong et al. 2024 and Patel et al. 2024 for prompts apart"

prompt_workers = parameter(unit="1", doc="Workers for prompts, W_p", minimum=1, integer=True)
decode_workers = parameter(unit="1", doc="Workers that decode, W_d", minimum=1, integer=True)
prompt_limit_share = assumption(
    0.9,
    unit="1",
    source="ours: above it the first token waits too long",
    doc="Share of the time that workers for prompts are used at most",
    above=0,
    maximum=0.99,
)


@quantity(unit="s", source=_APART, name="engine_time_per_token", **_MODE)
def apart_time_per_token(decoding_step_time, accepted):
    """Time between two tokens of an answer: a step over the tokens it yields."""
    return decoding_step_time / accepted


@quantity(unit="s", source=_APART)
def prompt_worker_time(prompt_batch_step_time, prompt_batch_rank_prompts, prompt_attention_copies, copied_prompt_time):
    """Time that a prompt takes of a worker for prompts, T'(0, p)/p, more where its attention has copies."""
    copied = np.where(prompt_attention_copies > 1.0, copied_prompt_time, 1.0)
    return prompt_batch_step_time / (prompt_batch_rank_prompts * prompt_attention_copies) * copied


@quantity(unit="s", source=_APART)
def prompt_serve_time(prompt_worker_time, prompt_workers):
    """Time that a prompt takes of all workers for prompts together."""
    return prompt_worker_time / prompt_workers


@quantity(unit="1/s", source=_APART)
def prompt_limit(prompt_serve_time, prompt_limit_share):
    """Requests a second that the workers for prompts take, X_p."""
    return prompt_limit_share / prompt_serve_time


@quantity(unit="1/s", source=_APART)
def decode_worker_limit(requests, output_tokens, time_per_token):
    """Requests a second that a worker ends that decodes."""
    return requests / (output_tokens * time_per_token)


@quantity(unit="1/s", source=_APART)
def decode_limit(decode_worker_limit, decode_workers):
    """Requests a second that all workers end that decode, X_d."""
    return decode_worker_limit * decode_workers


@quantity(unit="1/s", source=_APART)
def apart_request_rate(prompt_limit, decode_limit):
    """Requests a second, the smaller of what prompts and decoding take."""
    return np.minimum(prompt_limit, decode_limit)


@quantity(unit="1", source="ours: one server with a fixed time of service")
def prompt_wait_load(prompt_limit_share, decode_limit, prompt_serve_time):
    """Share of the time that workers for prompts are used."""
    return np.minimum(prompt_limit_share, decode_limit * prompt_serve_time)


@quantity(unit="s", source=_APART, name="engine_first_token", **_MODE)
def apart_first_token(
    front_time, hand_over_time, prompt_own_step_time, time_per_token, prompt_wait_load, prompt_serve_time
):
    """Time to the first token: a prompt, its wait, handing over the cache, and a step."""
    wait = prompt_serve_time * (prompt_wait_load / (2.0 * (1.0 - prompt_wait_load)))
    return front_time + hand_over_time + prompt_own_step_time + time_per_token + wait


@quantity(unit="s", source="ours: all prompts arrive at once", name="engine_burst_first_token", **_MODE)
def apart_burst_first_token(
    front_time, hand_over_time, prompt_own_step_time, time_per_token, requests, decode_workers, prompt_serve_time
):
    """Time to the first token where the prompts of all requests arrive at once: the last one's."""
    last = requests * decode_workers * prompt_serve_time
    return front_time + hand_over_time + prompt_own_step_time + time_per_token + last


@quantity(unit="1/s", source=_APART, name="engine_tokens_per_second", **_MODE)
def apart_tokens_per_second(apart_request_rate, output_tokens):
    """Tokens that all workers answer in a second."""
    return apart_request_rate * output_tokens


@quantity(unit="1", source="ours: devices counted", name="engine_devices", **_MODE)
def apart_devices(prompt_workers, prompt_worker_devices, decode_workers, worker_devices):
    """Devices of all workers."""
    return prompt_workers * prompt_worker_devices + decode_workers * worker_devices


@quantity(unit="W", source="ours: devices for prompts are busy all the time", name="engine_power", **_MODE)
def apart_power(prompt_workers, prompt_worker_power, decode_workers, decode_worker_power):
    """Power of all workers, with hosts."""
    return prompt_workers * prompt_worker_power + decode_workers * decode_worker_power


@quantity(unit="W", source="ours: devices counted")
def prompt_worker_power(prompt_worker_devices, prompt_full_device_power):
    """Power of a worker for prompts."""
    return prompt_worker_devices * prompt_full_device_power


@quantity(unit="W", source="ours: devices counted")
def decode_worker_power(worker_devices, decode_device_power):
    """Power of a worker that decodes."""
    return worker_devices * decode_device_power
