"""An analysis as plain values, the document of `dse trace show --json`: SI units, keys that stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.models.replay.analysis.analysis import Analysis
from dse.models.replay.analysis.waits import Waits
from dse.models.replay.analysis.waits_beside import SCALASCA_WAITS, WaitBeside
from dse.models.replay.network.patterns import Pattern
from dse.models.replay.network.traffic import Spread, Traffic, Volumes

__all__ = ["as_document", "pattern_document", "waits_beside_document"]

_MOST_RANKS = 1024
"""Of a traffic matrix that is written as a whole; of more ranks the flows are."""


def as_document(analysis: Analysis) -> dict[str, Any]:
    """Return what was found, for JSON."""
    trace, network = analysis.trace, analysis.network
    parts = analysis.parts
    names = ("compute", "calls", "dependency", "network", "idle")
    rows = zip(*(getattr(parts, name).tolist() for name in names), strict=True)
    return {
        "name": trace.name,
        "ranks": trace.ranks,
        "events": trace.events,
        "synthetic": trace.synthetic,
        "source": trace.source,
        "warnings": list(trace.warnings),
        "network": {
            "latency": float(network.latency),
            "overhead": float(network.overhead),
            "receiver_overhead": float(network.receiver_overhead),
            "bandwidth": float(network.bandwidth),
            "eager_limit": network.eager_limit,
            "collectives": network.collectives,
        },
        "times": analysis.times,
        "modes": {
            mode.replace("-", "_"): {"time": float(replay.time), "finish": replay.finish.tolist()}
            for mode, replay in analysis.modes.items()
        },
        "breakdown": [{"rank": rank, **dict(zip(names, row, strict=True))} for rank, row in enumerate(rows)],
        "run": _run(analysis),
        "traffic": _traffic(analysis.traffic),
        "expanded_collectives": {name: list(algorithms) for name, algorithms in analysis.expanded.items()},
        "volumes": _volumes(analysis.volumes),
        "intervals": _intervals(analysis),
        "pattern": pattern_document(analysis.pattern),
        "factors": analysis.factors._asdict(),
        "factors_measured": None if analysis.factors_measured is None else analysis.factors_measured._asdict(),
        "factors_by_region": {name: factors._asdict() for name, factors in analysis.factors_by_region.items()},
        "waits": _waits(analysis.waits),
        "not_modelled": None if analysis.not_modelled is None else analysis.not_modelled.tolist(),
    }


def _run(analysis: Analysis) -> dict[str, float] | None:
    if analysis.run is None:
        return None
    names = ("compute", "point_to_point", "data_dependencies", "network_delay", "speedup_bound")
    return {name: float(getattr(analysis.run, name)) for name in names}


def _traffic(traffic: Traffic) -> dict[str, Any]:
    if traffic.ranks > _MOST_RANKS:
        names = ("source", "destination", "bytes", "messages")
        return {"flows": {name: getattr(traffic, name).tolist() for name in names}}
    return {name: traffic.matrix(name).tolist() for name in ("bytes", "messages")}


def _spread(spread: Spread) -> dict[str, float]:
    return spread._asdict()


def _volumes(volumes: Volumes) -> dict[str, Any]:
    counts, edges = volumes.bytes_histogram
    of_size, size_edges = volumes.size_histogram
    return {
        "pairs": volumes.pairs,
        "active_pairs": volumes.active_pairs,
        "bytes_of_all_pairs": _spread(volumes.all_bytes),
        "bytes_of_active_pairs": _spread(volumes.active_bytes),
        "mean_message_size": _spread(volumes.message_size),
        "bytes_histogram": {"counts": np.asarray(counts).tolist(), "edges": np.asarray(edges).tolist()},
        "size_histogram": {"counts": np.asarray(of_size).tolist(), "edges": np.asarray(size_edges).tolist()},
        "sizes": volumes.sizes.tolist(),
    }


def _intervals(analysis: Analysis) -> list[dict[str, Any]]:
    windows = analysis.intervals
    names = (
        "begin",
        "active_share",
        "mean_bytes",
        "bytes_deviation",
        "mean_size",
        "size_deviation",
        "messages",
        "like_uniform",
    )
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(getattr(windows, name).tolist() for name in names), strict=True)
    ]


def pattern_document(pattern: Pattern) -> dict[str, Any]:
    """Return a pattern with its runners-up, for JSON."""
    return {
        "name": pattern.name,
        "parameters": pattern.parameters,
        "score": pattern.score,
        "ambiguous": pattern.ambiguous,
        "runners_up": [scored._asdict() for scored in pattern.runners_up],
    }


def waits_beside_document(beside: list[WaitBeside]) -> list[dict[str, Any]]:
    """Return waiting times of every rank, found here and in a profile [s]."""
    return [
        {
            "kind": name,
            "here": here.tolist(),
            "profile": None if profile is None else profile.tolist(),
            "metrics": list(SCALASCA_WAITS[name]),
        }
        for name, here, profile in beside
    ]


def _waits(waits: Waits) -> dict[str, Any]:
    pairs = zip(waits.waiting.tolist(), waits.causing.tolist(), waits.seconds.tolist(), strict=True)
    return {
        "late_sender": waits.late_sender.tolist(),
        "late_receiver": waits.late_receiver.tolist(),
        "collective": waits.collective.tolist(),
        "caused": waits.caused.tolist(),
        "most": waits.most,
        "pairs": [{"rank": rank, "cause": cause, "seconds": seconds} for rank, cause, seconds in pairs],
    }
