"""Two naive laws that get the same rows: a roofline times a constant, and the most similar measured row, scaled.

The roofline is the model with every share 1, no gap and no latency. Its one constant is the median of measured over
computed rows. The most similar row has the least sum of: 4 for another model, 3 for other software, 2 for another
device (1 of the same class), 2 where only one of both has prompts apart, 1 for another precision, and the logarithms
of the ratios of requests per device, lengths and devices; it is scaled by the ratio of both rooflines. A row is never
its own neighbour.
"""

from __future__ import annotations

import numpy as np

from dse.models.serving.claims.measured import FIGURES, Rows, computed, engine_numbers, measured_figures
from dse.models.serving.inputs.constants import CLASSES, FAMILIES, FORMATS, factors

__all__ = ["bare_roofline", "nearest_row", "scaled_roofline"]

_ZERO = (
    *("expert_padding_rows", "reduce_latency_base", "swap_latency_base", "layer_gap", "prompt_layer_gap"),
    *("step_overhead", "request_overhead", "front_end_time", "hand_over_time"),
)
_ONE = (
    *("cache_bandwidth_share", "decode_score_share", "prompt_score_share", "row_imbalance", "exchange_share"),
    *("copied_prompt_share", "copied_prompt_time"),
)


def bare_roofline(of: Rows) -> dict[str, np.ndarray]:
    """Return what every figure is with every share 1, no gap and no latency."""
    number = engine_numbers(of)
    hopper = number["device_class"] == CLASSES.index("Hopper")
    form = np.where(hopper, number["product_format_hopper"], number["product_format"]).astype(int)
    group, family = number["device_class"].astype(int), number["routing_family"].astype(int)
    change = {name: np.zeros(len(of)) for name in _ZERO} | {name: np.ones(len(of)) for name in _ONE}
    # A base of one over the factors leaves a share of 1.
    change["weight_bandwidth_share"] = 1.0 / factors("mu", CLASSES)[group]
    change["routing_spread"] = 1.0 / factors("gam", FAMILIES)[family]
    change["product_share"] = 1.0 / (factors("eta", CLASSES)[group] * factors("eta", FORMATS)[form])
    return computed(of, change)


def scaled_roofline(of: Rows, bare: dict[str, np.ndarray], fitted: np.ndarray) -> dict[str, np.ndarray]:
    """Return the roofline times the median of measured over computed of the rows that are fitted."""
    measured = measured_figures(of)
    return {name: bare[name] * np.nanmedian((measured[name] / bare[name])[fitted]) for name in FIGURES}


def nearest_row(of: Rows, bare: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return of each row the most similar other one, times the ratio of their rooflines."""
    table = of.table

    def differs(name: str) -> np.ndarray:
        result: np.ndarray = (table[name][:, None] != table[name][None, :]).astype(float)
        return result

    def apart(values: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.abs(np.log(values[:, None] / values[None, :]))
        return result

    group = engine_numbers(of)["device_class"]
    distance = 4.0 * differs("model") + 3.0 * differs("stack") + differs("precision") + 2.0 * differs("disaggregated")
    distance += differs("device") + (group[:, None] != group[None, :])
    load = table["concurrency"] / table["devices"]
    for values in (load, table["isl"], table["osl"], table["devices"]):
        distance += apart(np.asarray(values, dtype=float))
    np.fill_diagonal(distance, np.inf)
    measured, answers = measured_figures(of), {}
    for name in FIGURES:
        known = np.where(np.isfinite(measured[name])[None, :], distance, np.inf)
        near = np.argmin(known, axis=1)
        answers[name] = measured[name][near] * bare[name] / bare[name][near]
    return answers
