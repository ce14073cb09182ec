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
    return {one.name: one for one in low_latency_topologies()}


def _order() -> list[Claim]:
    found = _compared()
    skywalks = [one for one in found.values() if one.name.startswith("skywalk")]
    best = min(one.mean.latency for one in skywalks)
    below = [one for one in found.values() if one.mean.latency < best]
    high = sorted(one.name for one in below if one.degree > HIGH_RADIX)
    others = [one for one in found.values() if one.degree < HIGH_RADIX and not one.name.startswith("random")]
    pairs = [(one, found[one.name.replace("skywalk", "random")]) for one in skywalks]
    return [
        FIGURES.claim(
            "test network: most links of a switch of Skywalk, HyperX and dragonfly",
            (max(one.degree for one in skywalks), *(found[name].degree for name in high)),
        ),
        FIGURES.claim(
            "test network: torus, hypercube and Skywalk of 5 to 11 links, by latency",
            tuple(one.name for one in sorted(others, key=lambda one: one.mean.latency)),
        ),
        FIGURES.claim(
            "test network: all that has less latency than Skywalk, above 15 links of a switch",
            tuple(high) if len(high) == len(below) else tuple(one.name for one in below),
        ),
        FIGURES.claim(
            "test network: Skywalk has less latency than links at random, of as many links of a switch",
            all(one.mean.latency < other.mean.latency for one, other in pairs),
        ),
    ]


def _counts() -> list[Claim]:
    found = []
    for name, one in _compared().items():
        for what, value in (
            ("hops", one.mean.hops),
            ("cable", one.mean.cable),
            ("latency", one.mean.latency / NANO),
        ):
            title = f"256 switches in 64 cabinets: {what} of {name}"
            if title in FIGURES:
                found.append(FIGURES.claim(title, value))
    return found


def _bounds() -> list[Claim]:
    skywalks = [one for one in _compared().values() if one.name.startswith("skywalk")]
    return [
        FIGURES.claim(
            "256 switches: least mean hops with 5, 7, 9 and 11 links of a switch",
            tuple(one.least_hops for one in skywalks),
        )
    ]
