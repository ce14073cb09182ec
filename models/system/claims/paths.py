"""What whole machines are made of, and how long paths are, where the family of networks has no claim of it."""

from __future__ import annotations

from itertools import groupby
from math import isqrt
from pathlib import Path
from typing import Any

from dse.authoring.library.claims import Claim, read_figures
from dse.models.network import mean_path, network_parts
from dse.models.network.claims.configurations import LU, Configuration
from dse.models.system.claims.designs import NODES

__all__ = ["path_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "system")


def path_claims() -> list[Claim]:
    """Return the switches of a large fat tree by both pictures, and paths on grids with edges."""
    return [*_switches(), *_open_grids()]


def _switches() -> list[Claim]:
    tree = {"m1": 64, "m2": 64, "m3": 64, "w1": 64, "w2": 64}
    real = int(network_parts("fat-tree-3-level", tree).switches)
    return [
        FIGURES.claim(f"fat tree of {NODES:,} nodes: switches of the picture with one fat switch per subtree", real)
    ]


def _open_grids() -> list[Claim]:
    claims = []
    for label, group in groupby(LU, key=lambda row: row.label):
        links = tuple(_periodic(row) for row in group)
        claims.append(FIGURES.claim(f"NAS LU on {label}: mean links of a message on a grid with edges", links))
    return claims


def _periodic(row: Configuration) -> float:
    side = isqrt(row.processes)
    # Latencies of 1 only make the parameters complete; links are counted.
    latencies: dict[str, Any] = {f"l{level}": 1.0 for level in range(3 if row.topology == "fat-tree-3-level" else 2)}
    if "d" in row.parameters:
        latencies = {"l0": 1.0, "l": 1.0}
    parameters = {**row.parameters, **latencies}
    return float(mean_path(row.topology, parameters, "nearest-neighbour", {"grid": (side, side)}).links)
