"""Messages and waiting of a breadth-first search (Anghel 2017, Chapters 2 and 3) beside the law of its messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.claims import Claim
from dse.evaluation.direct import evaluate_models
from dse.models.system.inputs import THESIS

__all__ = ["message_claims"]

_LAW = "derived from the Graph 500 reference code, version 2"
_CHAPTER = f"{THESIS}, Chapter 2"
_NO_TRACE = "needs traces of the program; no model of ours says what a process waits for"


def message_claims() -> list[Claim]:
    """Return every figure on the messages of a search, and what is said on its waiting."""
    return [*_volume(), *_count(), *_trends(), *_not_checkable()]


def _claim(title: str, source: str, published: Any, computed: Any, **rest: Any) -> Claim:
    return Claim("system", f"search on 16 to 256 processes: {title}", source, published, computed, **rest)


def _search(target: str, scale: float, edge_factor: float, processes: Any, use: Any = None) -> Any:
    given = {"graph_scale": scale, "edge_factor": edge_factor, "nodes": processes}
    return evaluate_models(["applications.breadth_first_search"], [target], given, use)[target]


def _volume() -> list[Claim]:
    what = "scale 20, 64 edges per vertex, 64 processes"
    pair = float(_search("pair_bytes", 20, 64, 64.0)[0])
    twice = float(_search("pair_bytes", 20, 64, 128.0)[0])
    posted = float(_search("messages", 20, 64, 64.0)[0]) / 63.0 * 4096.0 / 1024.0
    return [
        _claim(
            f"{what}: bytes per pair, 512 KB measured", _CHAPTER, 512 * 1024.0, pair, unit="B", relative_tolerance=0.01
        ),
        _claim("bytes per pair over those with twice the processes", _LAW, 4.0, pair / twice, relative_tolerance=1e-12),
        _claim(
            f"{what}: bytes per pair of the profiler",
            f"{THESIS}, Section 3.5.4",
            554.0,
            pair / 1024.0,
            unit="KiB",
            kind="deviation",
            note="the tool counts the receive buffers that were posted, not the bytes received",
        ),
        _claim(
            f"{what}: the same, if each message counts as a buffer of 4,096 bytes",
            f"{THESIS}, Section 3.5.4",
            554.0,
            posted,
            unit="KiB",
            relative_tolerance=0.02,
        ),
    ]


def _count() -> list[Claim]:
    what = "scale 20, 64 edges per vertex, 64 processes"
    messages = float(_search("messages", 20, 64, 64.0)[0]) / 63.0
    size = float(_search("message_size", 20, 64, 64.0)[0])
    records = float(_search("process_records", 26, 16, 262_144.0)[0])
    ideal = float(_search("messages", 35, 16, 262_144.0, {"coalescing": "full", "end_markers": "none"})[0])
    floor = float(_search("marker_messages", 26, 16, 262_144.0)[0])
    near: dict[str, Any] = {"relative_tolerance": 0.02}
    return [
        _claim(f"{what}: messages per pair, from 512 KB and 3.75 KB", _CHAPTER, 136.5, messages, **near),
        _claim(f"{what}: mean size of a message", _CHAPTER, 3.75 * 1024, size, unit="B", **near),
        _claim(
            f"{what}: mean size of a message of the profiler",
            f"{THESIS}, Section 3.5.4",
            4096.0,
            size,
            unit="B",
            kind="deviation",
            note="the tool counts the receive buffers that were posted",
        ),
        _claim("scale 26 on 262,144 processes: records of a process", _LAW, 8192.0, records),
        _claim(
            "scale 35 on 262,144 processes: full messages of a process", _LAW, 16_384.0, ideal, relative_tolerance=1e-5
        ),
        _claim(
            "262,144 processes: empty messages of a process in 6 levels, million",
            _LAW,
            1.6,
            floor / 1e6,
            absolute_tolerance=0.05,
        ),
    ]


def _trends() -> list[Claim]:
    """Whether the share of communication goes as the traces say, with the same time per record everywhere."""
    by_processes = _share(20.0, 16.0, [16.0, 64.0, 256.0])
    by_scale = [float(_share(scale, 16.0, 64.0)[0]) for scale in (16.0, 20.0, 24.0)]
    by_factor = [float(_share(20.0, factor, 64.0)[0]) for factor in (16.0, 64.0, 256.0)]
    rows = (
        ("the share of communication grows with the processes", bool(np.all(np.diff(by_processes) > 0))),
        ("the share of communication falls with the scale", bool(np.all(np.diff(by_scale) < 0))),
        ("the share of communication falls with the edges per vertex", bool(np.all(np.diff(by_factor) < 0))),
    )
    return [_claim(title, _CHAPTER, True, found) for title, found in rows]


def _share(scale: float, factor: float, processes: Any) -> Any:
    search = {"graph_scale": scale, "edge_factor": factor, "nodes": processes}
    records = evaluate_models(["applications.breadth_first_search"], ["process_records"], search)["process_records"]
    network = {"mesh_switches": np.asarray(processes) / 16.0, "nodes_per_switch": 16.0}
    links = {"node_link_bandwidth": 5e9, "switch_link_bandwidth": 5e9}
    given = {"graph_scale": scale, "edge_factor": factor, "compute_time": records * 100e-9, **network, **links}
    models = ["network", "system", "applications.breadth_first_search"]
    return evaluate_models(models, ["communication_share"], given, {"topology": "full-mesh"})["communication_share"]


def _not_checkable() -> list[Claim]:
    rows: tuple[tuple[str, Any], ...] = (
        ("standard tracing: share of polling in every case, typically", ("> 50 %", "> 60 %")),
        ("256 processes, 16 edges per vertex: share of communication, of waiting for data", ("> 80 %", "> 75 %")),
        ("true compute time below that of standard tracing", "about 40 %"),
        ("cost of tracing", "< 15 % of the run"),
        ("the share of waiting falls with the scale and rises with edges per vertex and processes", "stated"),
        ("shares of communication quoted from others", ("60 %", "< 50 %")),
        ("standard deviation of bytes per pair, of message sizes", ("8.6 %", "0.7 %")),
        ("time slices with uniform traffic, with full messages only", ("80 %", "65 %")),
    )
    return [_claim(title, _CHAPTER, stated, None, kind="not checkable", note=_NO_TRACE) for title, stated in rows]
