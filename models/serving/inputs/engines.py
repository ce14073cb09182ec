"""An engine: a device, its software and a precision, as the rates that the parts of a step run at.

A device whose peak at a precision is 0 lacks it: such a design is infeasible by name and never takes another peak.
Weights in mxfp4 are widened on Hopper, which multiplies in bf16.
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.lookup import lookup
from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.models.serving.inputs.constants import CLASSES, FAMILIES, FORMATS, factors

__all__: list[str] = []

_FITTED = "ours: a peak of a data sheet times a fitted share"
_CARD = "cards of the models (low confidence for caches)"
_HOPPER, _CDNA3, _FIRST_AMD = 0.0, 2.0, 2.0

device_class = parameter(
    unit="1",
    doc="Class of the device: 0 Hopper, 1 Blackwell, 2 CDNA3, 3 CDNA4",
    minimum=0,
    maximum=len(CLASSES) - 1,
    integer=True,
)
attention_weight_bytes = parameter(unit="B", doc="Bytes of a weight of attention, shared and dense parts, w_a", above=0)
expert_weight_bytes = parameter(unit="B", doc="Bytes of a weight of an expert, w_e", above=0)
table_weight_bytes = parameter(unit="B", doc="Bytes of a weight of the tables, w_h", above=0)
cache_bytes = parameter(unit="B", doc="Bytes of a cached element, k_b", above=0)
cache_bytes_hopper = parameter(unit="B", doc="The same on Hopper", above=0)
cache_bytes_cdna3 = parameter(unit="B", doc="The same on CDNA3", above=0)
attention_precision = parameter(
    unit="1", doc="Peak of the products of attention: 0 bf16, 1 fp8, 2 fp4", minimum=0, maximum=2, integer=True
)
expert_precision = parameter(
    unit="1", doc="Peak of the products of experts: 0 bf16, 1 fp8, 2 fp4", minimum=0, maximum=2, integer=True
)
expert_precision_hopper = parameter(unit="1", doc="The same on Hopper", minimum=0, maximum=2, integer=True)
product_format = parameter(
    unit="1",
    doc="Format of products: 0 none that was measured, 1 upcast, 2 mx, 3 fp8, 4 fp4",
    minimum=0,
    maximum=len(FORMATS) - 1,
    integer=True,
)
product_format_hopper = parameter(unit="1", doc="The same on Hopper", minimum=0, maximum=len(FORMATS) - 1, integer=True)
given_cache_bytes = assumption(
    0.0, unit="B", source=_CARD, doc="Bytes of a cached element whatever the precision says; 0: what it says", minimum=0
)
has_engine_precision = requirement(
    "engine_peak > 0 * peak_bf16",
    name="engine_precision",
    source="a peak of 0 means that the device lacks the precision",
    doc="the device has the precision of the products",
)


def _peak(precision: np.ndarray, bf16: np.ndarray, fp8: np.ndarray, fp4: np.ndarray) -> np.ndarray:
    return np.where(precision > 1.5, fp4, np.where(precision > 0.5, fp8, bf16))


@quantities(gives={"attention_peak": "1/s", "expert_peak": "1/s", "engine_peak": "1/s"}, source="data sheets")
def engine_peaks(
    attention_precision, expert_precision, expert_precision_hopper, device_class, peak_bf16, peak_fp8, peak_fp4
):
    """Peaks that products of attention and of experts run at, R_a and R_e; the least of both."""
    own = np.where(device_class == _HOPPER, expert_precision_hopper, expert_precision)
    attention = _peak(attention_precision, peak_bf16, peak_fp8, peak_fp4)
    experts = _peak(own, peak_bf16, peak_fp8, peak_fp4)
    return attention, experts, np.minimum(attention, experts)


@quantity(unit="B", source=_CARD)
def cached_bytes(cache_bytes, cache_bytes_hopper, cache_bytes_cdna3, device_class, given_cache_bytes):
    """Bytes of a cached element, k_b."""
    hopper, cdna3 = device_class == _HOPPER, device_class == _CDNA3
    own = np.where(hopper, cache_bytes_hopper, np.where(cdna3, cache_bytes_cdna3, cache_bytes))
    return np.where(given_cache_bytes > 0.0, given_cache_bytes, own)


@quantity(unit="1", source=_FITTED)
def engine_product_share(product_share, device_class, product_format, product_format_hopper):
    """Share of the peak that products reach, eta: the base, of the class, of the format."""
    own = np.where(device_class == _HOPPER, product_format_hopper, product_format)
    return product_share * lookup(factors("eta", CLASSES), device_class) * lookup(factors("eta", FORMATS), own)


@quantities(
    gives={"attention_rate": "1/s", "expert_rate": "1/s", "table_rate": "1/s"},
    source=f"{_FITTED}; tables stay in bf16",
)
def product_rates(engine_product_share, attention_peak, expert_peak, peak_bf16):
    """Rates of products of attention, experts and the output table; at least one operation a second."""
    peaks = (attention_peak, expert_peak, peak_bf16)
    return tuple(np.maximum(engine_product_share * peak, 1.0) for peak in peaks)


@quantities(
    gives={"decode_score_rate": "1/s", "prefill_score_rate": "1/s"},
    source=f"{_FITTED}; recalled: kernels of latent attention reach 0.4 to 0.7 of the peak",
)
def score_rates(peak_bf16, decode_score_share, prompt_score_share):
    """Rates of scores, in decoding and of prompts."""
    return peak_bf16 * decode_score_share, peak_bf16 * prompt_score_share


@quantities(gives={"weight_rate": "B/s", "cache_rate": "B/s"}, source=_FITTED)
def read_rates(device_memory_bandwidth, device_class, weight_bandwidth_share, cache_bandwidth_share):
    """Bandwidth at which weights are read, mu W, and caches."""
    own = lookup(factors("mu", CLASSES), device_class)
    return device_memory_bandwidth * (weight_bandwidth_share * own), device_memory_bandwidth * cache_bandwidth_share


@quantities(gives={"exchange_rate": "B/s", "reduce_latency": "s", "swap_latency": "s"}, source=_FITTED)
def exchange_constants(scale_up_bandwidth, device_class, exchange_share, reduce_latency_base, swap_latency_base):
    """Bandwidth of an exchange, u U; latency of an all-reduce and of an exchange of experts, one way."""
    maker = np.where(device_class < _FIRST_AMD, 0.0, 1.0)
    reduce, swap = (lookup(factors(name, ("nv", "amd")), maker) for name in ("alpha", "alphax"))
    return scale_up_bandwidth * exchange_share, reduce_latency_base * reduce, swap_latency_base * swap


@quantities(gives={"decode_gap": "s", "launch_gap": "s"}, source=_FITTED)
def gaps(layer_gap, prompt_layer_gap, stack_gap_factor, stack_prompt_gap_factor, device_class, latent):
    """Time per layer in which nothing is read or computed: in decoding, and in a step with a prompt."""
    kinds = ("ordinary", "mla")
    decode = lookup(factors("tau", CLASSES), device_class) * lookup(factors("tau", kinds), latent)
    prompt = lookup(factors("taup", CLASSES), device_class) * lookup(factors("taup", kinds), latent)
    return layer_gap * stack_gap_factor * decode, prompt_layer_gap * stack_prompt_gap_factor * prompt


@quantity(unit="1", source=_FITTED)
def routing_exponent(routing_spread, routing_family):
    """Exponent of the experts that tokens reach, gamma."""
    return routing_spread * lookup(factors("gam", FAMILIES), routing_family)
