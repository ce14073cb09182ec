"""The network configurations that were measured for Anghel 2017: appendix tables 2 (Graph 500) and 7 (NAS LU)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["GRAPH_500", "LU", "Configuration"]


@dataclass(frozen=True)
class Configuration:
    """One row: the shape of a part of a machine, and the processes that ran on it, one per node."""

    topology: str
    label: str
    parameters: Mapping[str, Any]
    processes: int


def _grid(topology: str, label: str, rows: Sequence[tuple[int, tuple[int, ...], int]]) -> list[Configuration]:
    return [Configuration(topology, label, {"p": p, "d": d}, processes) for p, d, processes in rows]


def _mesh(rows: Sequence[tuple[int, int, int]]) -> list[Configuration]:
    return [Configuration("full-mesh", "full mesh", {"p": p, "a": a}, processes) for p, a, processes in rows]


def _trees(two: Sequence[tuple[int, int]], three: Sequence[tuple[int, int]]) -> list[Configuration]:
    """Trees have four switches of level 1 (per subtree), four links up and, with three levels, two subtrees."""
    lower, upper = {"w0": 1, "w1": 4}, {"w0": 1, "w1": 4, "w2": 2}
    return [
        *(
            Configuration("fat-tree-2-level", "2-level fat tree", {**lower, "m1": m1, "m2": 4}, processes)
            for m1, processes in two
        ),
        *(
            Configuration("fat-tree-3-level", "3-level fat tree", {**upper, "m1": m1, "m2": 4, "m3": 2}, processes)
            for m1, processes in three
        ),
    ]


GRAPH_500: tuple[Configuration, ...] = (
    *_grid("torus", "1-D torus", [(1, (4,), 4)]),
    *_grid("torus", "2-D torus", [(1, (2, 2), 4), (1, (2, 4), 8), (1, (4, 4), 16)]),
    *_grid("torus", "3-D torus", [(1, (2, 2, 2), 8), (1, (2, 2, 4), 16), (1, (2, 4, 4), 32), (1, (4, 4, 4), 64)]),
    *_grid(
        "hyperx",
        "2-D HyperX",
        [
            (1, (2, 2), 4),
            (1, (4, 2), 8),
            (2, (2, 2), 8),
            (1, (4, 4), 16),
            (1, (8, 2), 16),
            (2, (4, 2), 16),
            (4, (2, 2), 16),
            (1, (8, 4), 32),
            (2, (4, 4), 32),
            (2, (8, 2), 32),
            (4, (4, 2), 32),
            (2, (8, 4), 64),
            (4, (4, 4), 64),
            (4, (8, 2), 64),
        ],
    ),
    *_mesh(
        [(1, 4, 4), (1, 8, 8), (2, 4, 8), (1, 16, 16), (2, 8, 16), (4, 4, 16), (2, 16, 32), (4, 8, 32), (4, 16, 64)]
    ),
    *_trees([(1, 4), (2, 8), (4, 16), (8, 32), (16, 64)], [(1, 8), (2, 16), (4, 32), (8, 64)]),
)
"""Appendix table 2: uniform pattern, on Blue Gene/Q (tori), Magnus (HyperX, full mesh) and Eagle (fat trees)."""

LU: tuple[Configuration, ...] = (
    *_grid(
        "hyperx",
        "2-D HyperX",
        [
            (4, (2, 2), 16),
            (2, (4, 2), 16),
            (1, (4, 4), 16),
            (1, (8, 2), 16),
            (1, (5, 5), 25),
            (1, (12, 3), 36),
            (3, (4, 3), 36),
            (3, (6, 2), 36),
            (2, (6, 3), 36),
            (1, (6, 6), 36),
            (2, (9, 2), 36),
            (4, (4, 4), 64),
            (2, (8, 4), 64),
        ],
    ),
    *_mesh([(2, 8, 16), (1, 16, 16), (4, 16, 64)]),
    *_trees([(4, 16), (16, 64)], [(2, 16), (8, 64)]),
)
"""Appendix table 7: neighbours on a square grid of two dimensions, on Magnus and Eagle."""
