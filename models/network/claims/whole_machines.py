"""The configurations that were measured or studied: sizes, paths, bandwidths, and the study of 262,144 nodes.

What that study found in time and power stands in the family ``system``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from math import isqrt
from typing import Any

from dse.authoring.claims import Claim
from dse.models.network.bandwidth import effective_bandwidth, mean_path
from dse.models.network.claims.configurations import GRAPH_500, LU, Configuration
from dse.models.network.claims.printed_formula import EXACT, GIGA, NANO, REFERENCE, THESIS, claim
from dse.models.network.inputs import node_link_latency, switch_link_latency
from dse.models.network.parts import network_parts
from dse.models.network.power import constant_switches_power, electrical_link_energy, optical_link_energy, switch_power
from dse.models.network.traffic_choice import node_latency, switch_latency

__all__ = ["configuration_claims"]

NODES = 262_144
_ROUNDED: dict[str, Any] = {"absolute_tolerance": 5e-5}
_TEN_DIGITS: dict[str, Any] = {"relative_tolerance": 1e-6}


def configuration_claims() -> list[Claim]:
    """Return what was published, or recomputed independently, for whole machines."""
    return [*_measured(), *_large()]


# ---- appendix tables 2 and 7 -----------------------------------------------------------------------------------------

# by topology, in the order of the table: mean links, bandwidth with links of bandwidth 1, switches
_UNIFORM: dict[str, tuple[tuple[float, ...], tuple[float, ...], tuple[int, ...]]] = {
    "1-D torus": ((3.3333,), (1.0,), (4,)),
    "2-D torus": ((3.3333, 3.7143, 4.1333), (1.0, 1.0, 1.0), (4, 8, 16)),
    "3-D torus": ((3.7143, 4.1333, 4.5806, 5.0476), (1.0,) * 4, (8, 16, 32, 64)),
    "2-D HyperX": (
        (
            *(3.3333, 3.4286, 3.1429, 3.6000, 3.4667, 3.3333, 3.0667),
            *(3.6774, 3.5484, 3.4194, 3.2903, 3.6508, 3.5238, 3.3968),
        ),
        (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 0.5),
        (4, 8, 4, 16, 16, 8, 4, 32, 16, 16, 8, 32, 16, 16),
    ),
    "full mesh": (
        (3.0, 3.0, 2.8571, 3.0, 2.9333, 2.8, 2.9677, 2.9032, 2.9524),
        (1.0,) * 9,
        (4, 8, 4, 16, 8, 4, 16, 8, 16),
    ),
    "2-level fat tree": ((4.0, 3.7143, 3.6, 3.5484, 3.5238), (1.0, 1.0, 1.0, 0.6667, 0.3333), (8,) * 5),
    "3-level fat tree": ((5.1429, 4.9333, 4.8387, 4.7937), (1.0, 1.0, 1.0, 0.5), (24,) * 4),
}

_NEIGHBOURS: dict[str, tuple[float, ...]] = {
    "2-D HyperX": (2.75, 3.0, 3.0, 3.25, 3.0, 3.25, 2.9167, 2.8333, 3.0, 3.0, 2.9167, 2.875, 3.0),
    "full mesh": (2.75, 3.0, 2.625),
    "2-level fat tree": (3.0, 2.5),
    "3-level fat tree": (4.0, 3.25),
}
"""Mean links on a periodic square grid, ranks in the order of the nodes, by topology in the order of the table."""


def _measured() -> list[Claim]:
    found = []
    for benchmark, table, rows in (("Graph 500", "appendix table 2", GRAPH_500), ("NAS LU", "appendix table 7", LU)):
        for label, group in groupby(rows, key=lambda row: row.label):
            same = list(group)
            count = f"{len(same)} configurations" if len(same) > 1 else "1 configuration"
            what = f"{benchmark} on {label}, {count}"
            nodes = _each(same, lambda row: int(network_parts(row.topology, row.parameters).nodes))
            printed = tuple(row.processes for row in same)
            found.append(claim(f"{what}: processes", f"{THESIS}, {table}", printed, nodes))
            found += _paths(what, label, same) if rows is GRAPH_500 else [_neighbour_paths(what, label, same)]
    return found


def _each(rows: Sequence[Configuration], answer: Callable[[Configuration], Any]) -> tuple[Any, ...]:
    return tuple(answer(row) for row in rows)


def _paths(what: str, label: str, rows: Sequence[Configuration]) -> list[Claim]:
    links, bandwidths, switches = _UNIFORM[label]
    hops = _each(rows, lambda row: mean_path(row.topology, _unit(row, "l")).links)
    speeds = _each(rows, lambda row: effective_bandwidth(row.topology, _unit(row, "b")))
    counts = _each(rows, lambda row: int(network_parts(row.topology, row.parameters).switches))
    return [
        claim(f"{what}, uniform: mean links of a path", REFERENCE, links, hops, **_ROUNDED),
        claim(f"{what}, uniform: bandwidth over that of a link", REFERENCE, bandwidths, speeds, **_ROUNDED),
        claim(f"{what}: switches", REFERENCE, switches, counts),
    ]


def _neighbour_paths(what: str, label: str, rows: Sequence[Configuration]) -> Claim:
    def links(row: Configuration) -> float:
        side = isqrt(row.processes)
        return float(mean_path(row.topology, _unit(row, "l"), "nearest-neighbour", {"grid": (side, side)}).links)

    title = f"{what}, neighbours on a square grid: mean links of a path"
    return claim(title, REFERENCE, _NEIGHBOURS[label], _each(rows, links), **_ROUNDED)


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

# bandwidth GB/s, mean links, link latency ns, latency of a message us, switches, power of switches kW, ports
_LARGE: tuple[tuple[str, str, Mapping[str, Any], tuple[float, ...]], ...] = (
    (
        "HyperX p 64, 64×64",
        "hyperx",
        {"p": 64, "d": (64, 64), **_LINKS},
        (5, 3.968758, 28.6251, 3.006755, 4096, 409.6, 190),
    ),
    (
        "HyperX p 256, 32×32",
        "hyperx",
        {"p": 256, "d": (32, 32), **_LINKS},
        (0.625, 3.937507, 28.2501, 2.984505, 1024, 102.4, 318),
    ),
    (
        "torus 16×16×8×8×16",
        "torus",
        {"p": 1, "d": (16, 16, 8, 8, 16), **_LINKS},
        (2.5, 18.000061, 197.0007, 12.997043, 262_144, 26_214.4, 11),
    ),
    (
        "3-level fat tree m 64, 64, 64, w 1, 64, 64",
        "fat-tree-3-level",
        {"m1": 64, "m2": 64, "m3": 64, "w1": 64, "w2": 64, **_TREE},
        (5, 5.968277, 52.6193, 4.430413, 12_288, 1228.8, 128),
    ),
)


def _large() -> list[Claim]:
    place = f"{THESIS}, Section 7.2"
    found = []
    for what, topology, parameters, figures in _LARGE:
        bandwidth, links, latency, message, switches, power, ports = figures
        path, parts = mean_path(topology, parameters), network_parts(topology, parameters)
        whole = node_latency.value + path.link_latency + path.switches * switch_latency.value
        at_rest = float(constant_switches_power(parts.switches, switch_power.value))
        source = place if topology == "hyperx" else f"{place}: its size; {REFERENCE}"
        found += [
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
    return [*found, *_study(place)]


def _study(place: str) -> list[Claim]:
    printed = (0.9e3 * NANO, 0.7e3 * NANO, 2.5 * NANO, 12 * NANO)
    ours = tuple(one.value for one in (node_latency, switch_latency, node_link_latency, switch_link_latency))
    energies = tuple(one.value / 8 * 1e12 for one in (electrical_link_energy, optical_link_energy))
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
