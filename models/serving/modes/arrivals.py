"""Requests that arrive at a rate, in place of a closed loop: a wager, since no such run was measured.

Prompts are a queue with one server: they arrive at random (Poisson), each takes S of the worker, whose squared
coefficient of variation c^2 is that of the lengths of prompts. Mean wait (Pollaczek-Khinchine) and the tail as an
exponential::

    rho = lambda S        w = rho S (1 + c^2)/(2 (1 - rho))        P(wait > t) = rho exp(-rho t/w)

so the wait of the share p of requests is at most w/rho ln(rho/(1 - p)), 0 where fewer than that wait at all. Time per
token is that of `requests` in flight, an upper bound where fewer are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import RelativeError, assumption, parameter, quantity
from dse.authoring.declare.requirement import requirement

__all__: list[str] = []

_TOGETHER: dict[str, Any] = {"slot": "serving_mode", "provider": "together", "default": True}
_APART: dict[str, Any] = {"slot": "serving_mode", "provider": "apart"}
_QUEUE = "ours: M/G/1, a wager; measured runs are closed loops that begin with a burst"
_LARGEST_LOAD = 0.999
_LOOPS = "212 measured closed loops at the rates they reached, median"

arrival_rate = parameter(
    unit="1/s", doc="Requests that arrive in a second, at a worker, or at all workers where prompts are apart", above=0
)
prompt_variation = assumption(
    0.0041,
    unit="1",
    source="lengths spread evenly over 0.8 to 1 of the nominal one, as the benchmark draws them",
    doc="Squared coefficient of variation of the time that a prompt takes",
    minimum=0,
)
arrivals_are_served = requirement(
    "arrival_rate <= request_capacity",
    name="arrivals",
    source="ours: a queue that grows without end is no design",
    doc="no more requests arrive than the worker ends",
)


@quantity(unit="1/s", source="ours: a closed loop of as many requests", **_TOGETHER)
def request_capacity(requests, own_step_time, output_tokens, time_per_token):
    """Requests a second that a worker ends with so many in flight."""
    return requests / (own_step_time + (output_tokens - 1.0) * time_per_token)


@quantity(unit="1/s", source="ours: the smaller of prompts and decoding", name="request_capacity", **_APART)
def apart_request_capacity(apart_request_rate):
    """Requests a second that all workers end."""
    return apart_request_rate * 1.0


@quantity(unit="s", source="ours: what a prompt costs all others", **_TOGETHER)
def prompt_service_time(prompt_stall):
    """Time that a prompt takes of the worker."""
    return prompt_stall * 1.0


@quantity(unit="s", source="ours: workers for prompts", name="prompt_service_time", **_APART)
def apart_prompt_service_time(prompt_serve_time):
    """Time that a prompt takes of all workers for prompts together."""
    return prompt_serve_time * 1.0


@quantity(unit="s", source=_QUEUE, **_TOGETHER)
def unqueued_first_token(front_time, own_step_time, decoding_step_time):
    """Time to the first token of a request that does not wait."""
    return front_time + own_step_time + decoding_step_time


@quantity(unit="s", source=_QUEUE, name="unqueued_first_token", **_APART)
def apart_unqueued_first_token(front_time, hand_over_time, prompt_own_step_time, time_per_token):
    """Time to the first token of a request that does not wait."""
    return front_time + hand_over_time + prompt_own_step_time + time_per_token


@quantity(unit="1", source=_QUEUE)
def arrival_load(arrival_rate, prompt_service_time):
    """Share of the time in which a prompt is computed, rho; at most 0.999."""
    return np.minimum(arrival_rate * prompt_service_time, _LARGEST_LOAD)


@quantity(unit="s", source=_QUEUE)
def waiting_prompt_time(arrival_load, prompt_service_time, prompt_variation):
    """Mean wait of the requests that wait, w/rho."""
    return prompt_service_time * (1.0 + prompt_variation) / (2.0 * (1.0 - arrival_load))


def _quantile(load: np.ndarray, wait: np.ndarray, above: float) -> np.ndarray:
    result: np.ndarray = wait * np.log(np.maximum(load / above, 1.0))
    return result


@quantity(
    unit="s",
    source=_QUEUE,
    label="first token, median, open arrivals",
    error=RelativeError(0.102, of=f"{_LOOPS}; 90th percentile 44.4 %"),
)
def open_first_token(unqueued_first_token, arrival_load, waiting_prompt_time):
    """Time to the first token, the median, where requests arrive at a rate."""
    return unqueued_first_token + _quantile(arrival_load, waiting_prompt_time, 0.5)


@quantity(
    unit="s",
    source=_QUEUE,
    label="first token, 99th percentile, open arrivals",
    error=RelativeError(0.854, of=f"{_LOOPS} that begin with a burst, which this queue does not have"),
)
def open_first_token_99(unqueued_first_token, arrival_load, waiting_prompt_time):
    """Time to the first token, 99th percentile, where requests arrive at a rate."""
    return unqueued_first_token + _quantile(arrival_load, waiting_prompt_time, 0.01)
