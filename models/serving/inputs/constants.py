"""Constants of serving: a base for all, and factors by class of device, software, format and kind of model.

``spaces/serving/constants.csv`` has them with what they were drawn to and the measured rows behind each. A base is an
assumption, so that a study can set or vary it; a factor stands in the table, and is 1 where the table has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.declare.declaration import Assumption, assumption
from dse.authoring.table import Table, read_table

__all__ = ["CLASSES", "FAMILIES", "FORMATS", "MAKERS", "STACKS", "constants", "factors"]

CLASSES = ("Hopper", "Blackwell", "CDNA3", "CDNA4")
"""Classes of devices, by the number in column ``device_class``."""
STACKS = ("vllm", "trt", "sglang", "atom")
"""Serving software, by the number in column ``stack``."""
FORMATS = ("none", "upcast", "mx", "fp8", "fp4")
"""How weights of experts are multiplied, by the number in column ``product_format``."""
FAMILIES = ("none", "gpt-oss-120b", "deepseek-r1")
"""Models whose spread of routing was fitted, by the number in column ``routing_family``."""
MAKERS = ("nv", "amd")

_FITTED = (
    "fitted by least squares of logarithms, drawn to a prior, on 251 measured configurations of a public benchmark "
    "(derived; spaces/serving/constants.csv has prior, spread and rows)"
)


@cache
def constants() -> Table:
    """Return the table of constants."""
    path = Path(str(files("dse.spaces"))) / "serving" / "constants.csv"
    return read_table(path, name="spaces/serving/constants.csv", empty=True)


@cache
def _values() -> dict[tuple[str, str], float]:
    table = constants()
    names, levels = (["" if str(cell) == "nan" else str(cell) for cell in table[key]] for key in ("name", "level"))
    return {(name, level): float(value) for name, level, value in zip(names, levels, table["value"], strict=True)}


def factors(name: str, levels: Sequence[str]) -> np.ndarray:
    """Return the factors of a constant at some levels, 1 where the table has none.

    Parameters
    ----------
    name : str
        As in the table: "tau".
    levels : sequence of str

    Returns
    -------
    (len(levels),) ndarray of float
    """
    return np.array([_values().get((name, level), 1.0) for level in levels])


def _base(name: str, doc: str, unit: str = "1", maximum: float | None = None) -> Assumption:
    return assumption(_values()[name, ""], unit=unit, source=_FITTED, doc=doc, minimum=0, maximum=maximum)


weight_bandwidth_share = _base("mu", "Share of the memory bandwidth at which weights are read, mu")
cache_bandwidth_share = _base("mukv", "Share of the memory bandwidth at which caches are read")
routing_spread = _base("gam", "Exponent of the experts that tokens reach, gamma; 1: uniform and independent")
product_share = _base("eta", "Share of the peak that products reach, eta")
decode_score_share = _base("kap", "Share of the bf16 peak that scores reach in decoding")
prompt_score_share = _base("kapp", "Share of the bf16 peak that scores of prompts reach")
expert_padding_rows = _base("tile", "Rows that pad the product of each expert")
row_imbalance = _base("imb", "Rows of the fullest rank of experts over what chance gives")
exchange_share = _base("ushare", "Share of the scale-up bandwidth that exchanges sustain", maximum=1)
reduce_latency_base = _base("alpha", "Latency of an all-reduce", "s")
swap_latency_base = _base("alphax", "Latency of an exchange of experts, one way", "s")
layer_gap = _base("tau", "Time per layer in which nothing is read or computed, decoding", "s")
prompt_layer_gap = _base("taup", "The same in a step with a prompt", "s")
step_overhead = _base("tau0", "Time per step beside its layers", "s")
request_overhead = _base("taur", "Time per request of a rank and step", "s")
copied_prompt_share = _base("dpa", "Cost of a prompt to the others where the attention has copies, prompts mixed in")
copied_prompt_time = _base("dpp", "Time of prompts where the attention has copies, prompts apart")
front_end_time = _base("front", "Client, front end and scheduler before the first token", "s")
hand_over_time = _base("hand", "Handing a cache over to a worker for decoding", "s")
