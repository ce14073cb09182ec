"""Messages and waiting of a breadth-first search (Anghel 2017, Chapters 2 and 3) beside the law of its messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.evaluation.direct import evaluate_models

__all__ = ["message_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "system")


def message_claims() -> list[Claim]:
    """Return every figure on the messages of a search, and what is said on its waiting."""
    return [*_volume(), *_count(), *_trends(), *FIGURES.not_checkable()]


def _claim(title: str, computed: Any) -> Claim:
    return FIGURES.claim(f"search on 16 to 256 processes: {title}", computed)


def _search(target: str, scale: float, edge_factor: float, processes: Any, use: Any = None) -> Any:
    given = {"graph_scale": scale, "edge_factor": edge_factor, "nodes": processes}
    return evaluate_models(["applications.breadth_first_search"], [target], given, use)[target]


def _volume() -> list[Claim]:
    what = "scale 20, 64 edges per vertex, 64 processes"
    pair = float(_search("pair_bytes", 20, 64, 64.0)[0])
    twice = float(_search("pair_bytes", 20, 64, 128.0)[0])
    posted = float(_search("messages", 20, 64, 64.0)[0]) / 63.0 * 4096.0 / 1024.0
    return [
        _claim(f"{what}: bytes per pair, 512 KB measured", pair),
        _claim("bytes per pair over those with twice the processes", pair / twice),
        _claim(f"{what}: bytes per pair of the profiler", pair / 1024.0),
        _claim(f"{what}: the same, if each message counts as a buffer of 4,096 bytes", posted),
    ]


def _count() -> list[Claim]:
    what = "scale 20, 64 edges per vertex, 64 processes"
    messages = float(_search("messages", 20, 64, 64.0)[0]) / 63.0
    size = float(_search("message_size", 20, 64, 64.0)[0])
    records = float(_search("process_records", 26, 16, 262_144.0)[0])
    ideal = float(_search("messages", 35, 16, 262_144.0, {"coalescing": "full", "end_markers": "none"})[0])
    floor = float(_search("marker_messages", 26, 16, 262_144.0)[0])
    return [
        _claim(f"{what}: messages per pair, from 512 KB and 3.75 KB", messages),
        _claim(f"{what}: mean size of a message", size),
        _claim(f"{what}: mean size of a message of the profiler", size),
        _claim("scale 26 on 262,144 processes: records of a process", records),
        _claim("scale 35 on 262,144 processes: full messages of a process", ideal),
        _claim("262,144 processes: empty messages of a process in 6 levels, million", floor / 1e6),
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
    return [_claim(title, holds) for title, holds in rows]


def _share(scale: float, factor: float, processes: Any) -> Any:
    search = {"graph_scale": scale, "edge_factor": factor, "nodes": processes}
    records = evaluate_models(["applications.breadth_first_search"], ["process_records"], search)["process_records"]
    network = {"mesh_switches": np.asarray(processes) / 16.0, "nodes_per_switch": 16.0}
    links = {"node_link_bandwidth": 5e9, "switch_link_bandwidth": 5e9}
    given = {"graph_scale": scale, "edge_factor": factor, "compute_time": records * 100e-9, **network, **links}
    models = ["network", "system", "applications.breadth_first_search"]
    return evaluate_models(models, ["communication_share"], given, {"topology": "full-mesh"})["communication_share"]
