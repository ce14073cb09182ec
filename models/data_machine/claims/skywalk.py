"""Topologies of low latency: what Matsuoka et al. 2014, Section 5.3, say of theirs beside ours, on one floor.

The paper prints an order and degrees; the hops, cables and latencies are of an independent program. What is drawn at
random is a mean over five seeds, and agrees within the spread of them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.data_machine.low_latency import OnOneFloor, low_latency_topologies

__all__ = ["skywalk_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "data_machine")
HIGH_RADIX = 15  # links of a switch that the order of the paper speaks of
NANO = 1e-9


def skywalk_claims() -> list[Claim]:
    """Return the figures of topologies on one floor, with what the models give."""
    return [*_order(), *_counts(), *_bounds(), *FIGURES.not_checkable()]


@lru_cache(maxsize=1)
def _compared() -> dict[str, OnOneFloor]:
    return {topology.name: topology for topology in low_latency_topologies()}


def _order() -> list[Claim]:
    compared = _compared()
    skywalks = [topology for topology in compared.values() if topology.name.startswith("skywalk")]
    best = min(topology.mean.latency for topology in skywalks)
    below = [topology for topology in compared.values() if topology.mean.latency < best]
    high = sorted(topology.name for topology in below if topology.degree > HIGH_RADIX)
    others = [
        topology
        for topology in compared.values()
        if topology.degree < HIGH_RADIX and not topology.name.startswith("random")
    ]
    pairs = [(topology, compared[topology.name.replace("skywalk", "random")]) for topology in skywalks]
    return [
        FIGURES.claim(
            "test network: most links of a switch of Skywalk, HyperX and dragonfly",
            (max(topology.degree for topology in skywalks), *(compared[name].degree for name in high)),
        ),
        FIGURES.claim(
            "test network: torus, hypercube and Skywalk of 5 to 11 links, by latency",
            tuple(topology.name for topology in sorted(others, key=lambda topology: topology.mean.latency)),
        ),
        FIGURES.claim(
            "test network: all that has less latency than Skywalk, above 15 links of a switch",
            tuple(high) if len(high) == len(below) else tuple(topology.name for topology in below),
        ),
        FIGURES.claim(
            "test network: Skywalk has less latency than links at random, of as many links of a switch",
            all(skywalk.mean.latency < other.mean.latency for skywalk, other in pairs),
        ),
    ]


def _counts() -> list[Claim]:
    claims = []
    for name, topology in _compared().items():
        for what, value in (
            ("hops", topology.mean.hops),
            ("cable", topology.mean.cable),
            ("latency", topology.mean.latency / NANO),
        ):
            title = f"256 switches in 64 cabinets: {what} of {name}"
            if title in FIGURES:
                claims.append(FIGURES.claim(title, value))
    return claims


def _bounds() -> list[Claim]:
    skywalks = [topology for topology in _compared().values() if topology.name.startswith("skywalk")]
    return [
        FIGURES.claim(
            "256 switches: least mean hops with 5, 7, 9 and 11 links of a switch",
            tuple(topology.least_hops for topology in skywalks),
        )
    ]
