"""What whole machines are made of, and how long paths are, where the family of networks has no claim of it."""

from __future__ import annotations

from itertools import groupby
from math import isqrt
from typing import Any

from dse.authoring.claims import Claim
from dse.models.network import mean_path, network_parts
from dse.models.network.claims.configurations import LU, Configuration
from dse.models.system._designs import NODES
from dse.models.system.inputs import THESIS

__all__ = ["path_claims"]

_OPEN: dict[str, tuple[float, ...]] = {
    "2-D HyperX": (*(2.6667, 2.8333, 3.0, 3.1667, 3.0, 3.2, 2.8, 2.7, 2.9, 3.0, 2.8, 2.7857, 2.9286),),
    "full mesh": (2.6667, 3.0, 2.5714),
    "2-level fat tree": (3.0, 2.4286),
    "3-level fat tree": (3.6667, 3.1429),
}
"""Mean links of a message of NAS LU, whose grid has edges, by topology in the order of appendix table 7."""


def path_claims() -> list[Claim]:
    """Return the switches of a large fat tree by both pictures, and paths on grids with edges."""
    return [*_switches(), *_open_grids()]


def _switches() -> list[Claim]:
    tree = {"m1": 64, "m2": 64, "m3": 64, "w1": 64, "w2": 64}
    real = int(network_parts("fat-tree-3-level", tree).switches)
    return [
        Claim(
            "system",
            f"fat tree of {NODES:,} nodes: switches of the picture with one fat switch per subtree",
            f"{THESIS}, Section 5.2",
            64 * 64 + 64 + 1,
            real,
            kind="deviation",
            note="the fat switches have up to 262,144 ports; real ones of 128 ports are 12,288, and these draw power",
        )
    ]


def _open_grids() -> list[Claim]:
    found = []
    for label, group in groupby(LU, key=lambda row: row.label):
        links = tuple(_periodic(row) for row in group)
        found.append(
            Claim(
                "system",
                f"NAS LU on {label}: mean links of a message on a grid with edges",
                f"counted on the graphs of {THESIS}, appendix table 7",
                _OPEN[label],
                links,
                kind="deviation",
                note="the model takes grids without edges, as the thesis does: up to 9 % more links than LU crosses",
            )
        )
    return found


def _periodic(row: Configuration) -> float:
    side = isqrt(row.processes)
    # Latencies of 1 only make the parameters complete; links are counted.
    latencies: dict[str, Any] = {f"l{level}": 1.0 for level in range(3 if row.topology == "fat-tree-3-level" else 2)}
    if "d" in row.parameters:
        latencies = {"l0": 1.0, "l": 1.0}
    parameters = {**row.parameters, **latencies}
    return float(mean_path(row.topology, parameters, "nearest-neighbour", {"grid": (side, side)}).links)
