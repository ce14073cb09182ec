"""The network configurations that were measured for Anghel 2017: appendix tables 2 (Graph 500) and 7 (NAS LU).

They stand in ``configurations.csv``, with paths, bandwidths and switches that an independent program counted for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dse.models.network.claims.tables import number, rows_of, sizes_of

__all__ = ["GRAPH_500", "LU", "Configuration"]


@dataclass(frozen=True)
class Configuration:
    """One row: the shape of a part of a machine, and the processes that ran on it, one per node.

    Attributes
    ----------
    source, table, benchmark, pattern : str
    topology, label : str
        By name, and in words.
    parameters : dict
        Sizes by symbol.
    processes : int
    links : float
        Mean links of a path under the pattern, counted by an independent program.
    bandwidth, switches : float, int or None
        Bandwidth of a node over that of a link, and switches, where they were counted.
    """

    source: str
    table: str
    benchmark: str
    pattern: str
    topology: str
    label: str
    parameters: Mapping[str, Any]
    processes: int
    links: float
    bandwidth: float | None
    switches: int | None


def _configurations(benchmark: str) -> tuple[Configuration, ...]:
    return tuple(
        Configuration(
            source=row["source"],
            table=row["table"],
            benchmark=row["benchmark"],
            pattern=row["pattern"],
            topology=row["topology"],
            label=row["label"],
            parameters=sizes_of(row),
            processes=int(row["processes"]),
            links=float(row["reference_links"]),
            bandwidth=number(row["reference_bandwidth_over_link"]),
            switches=number(row["reference_switches"]),
        )
        for row in rows_of("configurations.csv")
        if row["benchmark"] == benchmark
    )


GRAPH_500 = _configurations("Graph 500")
"""Appendix table 2: uniform pattern, on Blue Gene/Q (tori), Magnus (HyperX, full mesh) and Eagle (fat trees)."""

LU = _configurations("NAS LU")
"""Appendix table 7: neighbours on a square grid of two dimensions, on Magnus and Eagle."""
