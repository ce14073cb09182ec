"""Which law gives the times: fitted constants, or nothing fitted.

Slot ``serving_law``: ``calibrated``, ``roofline``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import RelativeError, assumption, quantity
from dse.authoring.declare.error_over import ErrorOver
from dse.authoring.table import read_table

__all__: list[str] = []

_LAW: dict[str, Any] = {"slot": "serving_law", "provider": "calibrated", "default": True}
_HELD_OUT = "279 configurations of a public benchmark that nothing was fitted on: median; their 90th percentile is"
_STEP = "ours: steps of the engine, constants fitted on 251 measured configurations"

error_case = assumption(
    21.0,
    unit="1",
    source="an engine of which nothing was measured",
    doc="Row of spaces/serving/errors.csv that says how far an engine is off",
    minimum=0,
    maximum=21,
    integer=True,
)
unseen_time_factor = assumption(
    1.0,
    unit="1",
    source="as computed",
    doc="Time per token over what is computed, where the cut was not measured; what [uncertain] widens",
    above=0,
)


@cache
def _by_engine() -> ErrorOver:
    """Return the deviations of time per token by engine, as wide as the 90th percentile of its rows."""
    table = read_table(Path(str(files("dse.spaces"))) / "serving" / "errors.csv", name="spaces/serving/errors.csv")
    cases = zip(table["error_case"].tolist(), table["percentile_90"].tolist(), strict=True)
    return ErrorOver("error_case", {case: (-wide, wide) for case, wide in cases}, "90th percentile of measured rows")


@quantity(unit="1", source="as computed; errors of spaces/serving/errors.csv", error=_by_engine())
def engine_time_factor(error_case):
    """Time per token over what is computed: 1; `error = "model"` gives each engine the error of its rows."""
    return 1.0 + 0.0 * error_case


@quantity(
    unit="s",
    source=_STEP,
    label="time per token",
    error=RelativeError(0.064, of=f"{_HELD_OUT} 29.4 %"),
    **_LAW,
)
def time_per_token(engine_time_per_token, engine_time_factor, unseen_cut, unseen_time_factor):
    """Time between two tokens of an answer; one over it is the rate a user sees."""
    return engine_time_per_token * engine_time_factor * np.where(unseen_cut > 0.5, unseen_time_factor, 1.0)


@quantity(
    unit="s",
    source=_STEP,
    label="time to the first token",
    error=RelativeError(0.235, of="279 configurations of a public benchmark that nothing was fitted on: median"),
    **_LAW,
)
def time_to_first_token(engine_first_token):
    """Time from the request to its first token, the median."""
    return engine_first_token * 1.0


@quantity(unit="s", source=_STEP, label="first token, 99th percentile of a burst", **_LAW)
def burst_first_token(engine_burst_first_token):
    """Time to the first token, 99th percentile where all prompts arrive at once."""
    return engine_burst_first_token * 1.0


@quantity(
    unit="1/s",
    source=_STEP,
    label="tokens per second",
    error=RelativeError(0.063, of=f"{_HELD_OUT} 27.7 %"),
    **_LAW,
)
def serving_tokens_per_second(engine_tokens_per_second):
    """Tokens answered in a second: of a worker, or of all workers where prompts are apart."""
    return engine_tokens_per_second * 1.0


@quantity(unit="1", source="ours: devices counted", **_LAW)
def serving_devices(engine_devices):
    """Devices that these tokens come from."""
    return engine_devices * 1.0


@quantity(unit="B", source="ours: weights and caches counted", label="memory of a device that serves", **_LAW)
def serving_memory(engine_memory):
    """Memory of a device that decodes."""
    return engine_memory * 1.0


@quantity(unit="1", source="ours: a wager, no power was measured", **_LAW)
def serving_busy_share(decode_busy_share):
    """Share of decoding in which a device reads or computes."""
    return decode_busy_share * 1.0


@quantity(unit="J", source="ours: a wager, no power was measured", label="energy per served token", **_LAW)
def serving_energy_per_token(engine_energy_per_token):
    """Energy of devices, hosts, cooling and conversion per token answered."""
    return engine_energy_per_token * 1.0


@quantity(unit="1/s", source="one over the time per token", label="tokens per second of a user")
def user_token_rate(time_per_token):
    """Tokens a second that a user sees."""
    return 1.0 / time_per_token


@quantity(unit="1/s", source="tokens over devices", label="tokens per second of a device")
def serving_tokens_per_device(serving_tokens_per_second, serving_devices):
    """Tokens that a device answers in a second."""
    return serving_tokens_per_second / serving_devices
