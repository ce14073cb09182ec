"""A radio correlator: complex products of every pair of stations, spread over the machine, without communication.

Anghel 2017, Section 7.1.3: N_stat^2 N_pol^2 products per sample, so both orders of each pair, as printed.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_SECTION = f"{ANGHEL_2017}, Section 7.1.3"
_OPERATIONS = 8.0  # of a complex multiply-accumulate

correlator_stations = parameter(unit="1", doc="Stations", minimum=2, integer=True)
correlator_seconds = parameter(unit="s", doc="Time of observation that is correlated", above=0)
correlator_polarisations = assumption(
    2, unit="1", source=_SECTION, doc="Polarisations of a station", minimum=1, integer=True
)
correlator_sample_rate = assumption(
    600e6, unit="Hz", source=_SECTION, doc="Samples per station and polarisation", above=0
)
correlator_bytes_per_product = assumption(
    3.7,
    unit="B",
    source=f"{_SECTION}.1: 73.6 GB of traffic for 1.997e10 products, back-calculated from the printed results",
    doc="Memory traffic per complex product",
    minimum=0,
)
correlator_peak_share = assumption(
    0.5,
    unit="1",
    source="ours: half of the sums of a complex product do not pair with a multiplication (confidence low)",
    doc="Share of the peak rate the products reach",
    above=0,
    maximum=1,
)


@quantity(unit="1", source=f"{_SECTION}: N_stat^2 N_pol^2 f / 2 per second and beam")
def correlator_products(correlator_stations, correlator_polarisations, correlator_sample_rate, correlator_seconds):
    """Complex multiply-accumulates of the observation."""
    inputs = correlator_stations * correlator_polarisations
    return inputs * inputs * (correlator_sample_rate / 2.0) * correlator_seconds


@quantity(unit="s", source="eight operations per product, spread evenly")
def correlator_arithmetic_time(correlator_products, nodes, node_peak_flop_rate, correlator_peak_share):
    """Time of the arithmetic."""
    return _OPERATIONS * correlator_products / nodes / (node_peak_flop_rate * correlator_peak_share)


@quantity(unit="s", source="traffic over bandwidth")
def correlator_memory_time(correlator_products, correlator_bytes_per_product, nodes, node_memory_bandwidth):
    """Time of the traffic to and from the memories."""
    return correlator_products * correlator_bytes_per_product / nodes / node_memory_bandwidth


@quantity(
    unit="s",
    source="roofline: the slower of the two",
    max_of=("correlator_arithmetic_time", "correlator_memory_time"),
)
def correlator_time(correlator_arithmetic_time, correlator_memory_time):
    """Time of correlating the observation."""
    return np.maximum(correlator_arithmetic_time, correlator_memory_time)
