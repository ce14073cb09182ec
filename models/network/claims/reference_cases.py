"""Bandwidths and paths beside those of an independent program that routes every flow: no published figures.

The cases stand in ``reference-cases.csv``: bandwidths in GB/s, latencies in ns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.bandwidth.bandwidth import effective_bandwidth, mean_path
from dse.models.network.claims.printed_formula import GIGA, NANO, REFERENCE, claim
from dse.models.network.claims.tables import number, rows_of

__all__ = ["reference_claims"]

# torus of 2×4 switches with 2 nodes each, uniform: bandwidths of the dimensions; GB/s with two links in a ring of 2, 1
_RINGS_OF_TWO = (((6.0, 3.0), (3.0, 3.0)), ((3.0, 30.0), (6.0, 3.0)))


def reference_claims() -> list[Claim]:
    """Return one claim per reference case: bandwidth in GB/s, link latency of a path in ns, and links of a path."""
    claims = [_case(row) for row in rows_of("reference-cases.csv")]
    for speeds, expected in _RINGS_OF_TWO:
        ring = {"p": 2, "d": (2, 4), "b0": 70 * GIGA, "b": tuple(speed * GIGA for speed in speeds)}
        got = tuple(
            float(effective_bandwidth("torus", {**ring, "double_link_at_2": double})) / GIGA for double in (True, False)
        )
        title = f"torus 2×4, p 2, b {speeds[0]:g} and {speeds[1]:g}, uniform: GB/s, two links and one in a ring of 2"
        claims.append(claim(title, REFERENCE, expected, got, relative_tolerance=1e-8))
    return claims


def _case(row: Mapping[str, str]) -> Claim:
    topology, pattern, routing = row["topology"], row["pattern"], row["routing"]
    parameters = {name: _scaled(name, value) for name, value in json.loads(row["parameters"]).items()}
    options = json.loads(row["pattern_parameters"])
    bandwidth = effective_bandwidth(topology, parameters, pattern, options, routing=routing)
    path = mean_path(topology, parameters, pattern, options, routing=routing)
    expected = tuple(number(row[name]) for name in ("bandwidth_GBps", "link_latency_ns", "links"))
    got = (float(bandwidth) / GIGA, float(path.link_latency) / NANO, float(path.links))
    title = f"{topology} {row['case']}, {pattern}: GB/s, ns, links"
    return claim(title, row["source"], expected, got, relative_tolerance=1e-8)


def _scaled(name: str, value: Any) -> Any:
    """Return bandwidths in B/s and latencies in s."""
    scale = {"b": GIGA, "l": NANO}.get(name[0], 1)
    if scale == 1:
        return value
    return tuple(entry * scale for entry in value) if isinstance(value, list) else value * scale
