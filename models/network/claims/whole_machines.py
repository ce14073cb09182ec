"""The configurations that were measured or studied: sizes, paths, bandwidths, and the study of 262,144 nodes.

What that study found in time and power stands in the family ``system``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import isqrt
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.bandwidth.bandwidth import effective_bandwidth, mean_path
from dse.models.network.claims.configurations import GRAPH_500, LU, Configuration
from dse.models.network.claims.printed_formula import EXACT, GIGA, NANO, REFERENCE, claim
from dse.models.network.claims.tables import number, rows_of, sizes_of
from dse.models.network.graphs.inputs import node_link_latency, switch_link_latency
from dse.models.network.parts.parts import network_parts
from dse.models.network.parts.power import (
    constant_switches_power,
    electrical_link_energy,
    optical_link_energy,
    switch_power,
)
from dse.models.network.traffic_choice import node_latency, switch_latency
from dse.models.sources import ANGHEL_2017

__all__ = ["configuration_claims"]

NODES = 262_144
_ROUNDED: dict[str, Any] = {"absolute_tolerance": 5e-5}
_TEN_DIGITS: dict[str, Any] = {"relative_tolerance": 1e-6}


def configuration_claims() -> list[Claim]:
    """Return what was published, or recomputed independently, for whole machines."""
    return [*_measured(), *_large()]


# ---- appendix tables 2 and 7 -----------------------------------------------------------------------------------------


def _measured() -> list[Claim]:
    claims = []
    for rows in (GRAPH_500, LU):
        for label, group in groupby(rows, key=lambda row: row.label):
            same = list(group)
            count = f"{len(same)} configurations" if len(same) > 1 else "1 configuration"
            what = f"{same[0].benchmark} on {label}, {count}"
            nodes = _each(same, lambda row: int(network_parts(row.topology, row.parameters).nodes))
            printed = tuple(row.processes for row in same)
            claims.append(claim(f"{what}: processes", f"{same[0].source}, {same[0].table}", printed, nodes))
            claims += _paths(what, same) if rows is GRAPH_500 else [_neighbour_paths(what, same)]
    return claims


def _each(rows: Sequence[Configuration], answer: Callable[[Configuration], Any]) -> tuple[Any, ...]:
    return tuple(answer(row) for row in rows)


def _paths(what: str, rows: Sequence[Configuration]) -> list[Claim]:
    hops = _each(rows, lambda row: mean_path(row.topology, _unit(row, "l")).links)
    speeds = _each(rows, lambda row: effective_bandwidth(row.topology, _unit(row, "b")))
    counts = _each(rows, lambda row: int(network_parts(row.topology, row.parameters).switches))
    return [
        claim(
            f"{what}, uniform: mean links of a path", REFERENCE, _each(rows, lambda row: row.links), hops, **_ROUNDED
        ),
        claim(
            f"{what}, uniform: bandwidth over that of a link",
            REFERENCE,
            _each(rows, lambda row: row.bandwidth),
            speeds,
            **_ROUNDED,
        ),
        claim(f"{what}: switches", REFERENCE, _each(rows, lambda row: row.switches), counts),
    ]


def _neighbour_paths(what: str, rows: Sequence[Configuration]) -> Claim:
    def links(row: Configuration) -> float:
        side = isqrt(row.processes)
        return float(mean_path(row.topology, _unit(row, "l"), "nearest-neighbour", {"grid": (side, side)}).links)

    title = f"{what}, neighbours on a square grid: mean links of a path"
    return claim(title, REFERENCE, _each(rows, lambda row: row.links), _each(rows, links), **_ROUNDED)


def _unit(row: Configuration, kind: str) -> dict[str, Any]:
    """Return the parameters with bandwidths (b) or latencies (l) of 1."""
    if "d" in row.parameters:
        return {**row.parameters, f"{kind}0": 1.0, kind: 1.0}
    levels = {"fat-tree-3-level": 3}.get(row.topology, 2)
    return {**row.parameters, **{f"{kind}{level}": 1.0 for level in range(levels)}}


# ---- Section 7.2 -----------------------------------------------------------------------------------------------------

_LINKS: dict[str, Any] = {"b0": 5 * GIGA, "b": 5 * GIGA, "l0": node_link_latency.value, "l": switch_link_latency.value}
_TREE: dict[str, Any] = {f"b{i}": 5 * GIGA for i in range(3)} | {"l0": node_link_latency.value}
_TREE |= {f"l{i}": switch_link_latency.value for i in (1, 2)}

_Row = tuple[str, str, dict[str, Any], tuple[Any, ...]]


def _large_machines() -> tuple[_Row, ...]:
    """Return name, topology, parameters, and what an independent program counted."""
    columns = (
        "bandwidth_GBps",
        "links",
        "link_latency_ns",
        "message_latency_us",
        "switches",
        "switches_power_kW",
        "ports",
    )
    return tuple(
        (
            row["what"],
            row["topology"],
            sizes_of(row) | (_LINKS if row["d"] else _TREE),
            tuple(number(row[f"reference_{name}"]) for name in columns),
        )
        for row in rows_of("large-machines.csv")
    )


_LARGE = _large_machines()


def _large() -> list[Claim]:
    place = f"{ANGHEL_2017}, Section 7.2"
    claims = []
    for what, topology, parameters, figures in _LARGE:
        bandwidth, links, latency, message, switches, power, ports = figures
        path, parts = mean_path(topology, parameters), network_parts(topology, parameters)
        whole = node_latency.value + path.link_latency + path.switches * switch_latency.value
        at_rest = float(constant_switches_power(parts.switches, switch_power.value))
        source = place if topology == "hyperx" else f"{place}: its size; {REFERENCE}"
        claims += [
            claim(f"{what}: nodes", source, NODES, int(parts.nodes)),
            claim(
                f"{what}, uniform: bandwidth per node",
                REFERENCE,
                bandwidth * GIGA,
                effective_bandwidth(topology, parameters),
                unit="B/s",
                **EXACT,
            ),
            claim(f"{what}, uniform: mean links of a path", REFERENCE, links, path.links, **_TEN_DIGITS),
            claim(
                f"{what}, uniform: link latency of a path",
                REFERENCE,
                latency * NANO,
                path.link_latency,
                unit="s",
                relative_tolerance=2e-6,
            ),
            claim(
                f"{what}, uniform: latency of a message",
                REFERENCE,
                message * 1e3 * NANO,
                whole,
                unit="s",
                **_TEN_DIGITS,
            ),
            claim(f"{what}: switches", REFERENCE, switches, int(parts.switches)),
            claim(f"{what}: ports of a switch", REFERENCE, ports, int(parts.ports)),
            claim(f"{what}: power of the switches", REFERENCE, power * 1e3, at_rest, unit="W", **EXACT),
        ]
    return [*claims, *_study(place)]


def _study(place: str) -> list[Claim]:
    printed = (0.9e3 * NANO, 0.7e3 * NANO, 2.5 * NANO, 12 * NANO)
    ours = tuple(latency.value for latency in (node_latency, switch_latency, node_link_latency, switch_link_latency))
    energies = tuple(energy.value / 8 * 1e12 for energy in (electrical_link_energy, optical_link_energy))
    small, big = (float(effective_bandwidth(_LARGE[i][1], _LARGE[i][2])) for i in (1, 0))
    saved = float(network_parts(*_LARGE[0][1:3]).switches - network_parts(*_LARGE[1][1:3]).switches)
    return [
        claim("default latencies of node, switch, node link and switch link", place, printed, ours, unit="s", **EXACT),
        claim("default power of a switch", place, 100.0, switch_power.value, unit="W"),
        claim("default energy of a bit on electrical and optical links, pJ", place, (70.0, 70.0), energies, **EXACT),
        claim(
            "processes of the study, printed once as 256,144",
            place,
            256_144,
            int(network_parts(*_LARGE[0][1:3]).nodes),
            kind="deviation",
            note="a slip: everywhere else it is 262,144, which is what the shapes give",
        ),
        claim("bandwidth of the larger HyperX over that of the smaller", REFERENCE, 8.0, big / small, **EXACT),
        claim(
            "power saved by the switches of the smaller HyperX",
            REFERENCE,
            307_200.0,
            saved * switch_power.value,
            unit="W",
            **EXACT,
        ),
    ]
