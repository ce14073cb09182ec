"""Graph 500 on 262,144 nodes (Anghel 2017, Section 7.2): its printed designs, and what its figures imply.

The profile and the nodes are calculated back from the printed designs, so agreement with these is "fitted". The shapes
are not printed; what follows for other shapes and for the bytes that the code really sends was derived, and confirmed
by an independent program.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dse.authoring.library.claims import Claim, read_figures
from dse.models.system.claims.designs import (
    ARM,
    HASWELL,
    NODES,
    THESIS_PROFILE,
    Design,
    Machines,
    hyperx,
    machines,
    node_types,
    powers_of_two,
)

__all__ = ["graph500_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "system")
_LARGE, _MIDDLE, _SMALL = (64, 64, 64), (128, 64, 32), (256, 32, 32)
_SEARCH_26 = {"graph_scale": 26.0, "edge_factor": 16.0}
_SEARCH_35 = {"graph_scale": 35.0, "edge_factor": 16.0}


def graph500_claims() -> list[Claim]:
    """Return what was printed on this study, or derived from it, with what the models give."""
    designs = machines()
    return [
        *_printed(designs),
        *_frontier(designs),
        *_shapes(),
        *_back_calculation(designs),
        *_coalesced(designs),
        *_real_bytes(),
        *_all_messages(),
        *_ports(designs),
    ]


def _claim(title: str, computed: Any, published: Any = None) -> Claim:
    return FIGURES.claim(f"Graph 500 on 262,144 nodes: {title}", computed, published)


def _named(design: Design) -> str:
    kind = design.node_type.partition(" ")[0]
    names = {"hyperx": "HyperX", "fat-tree-3-level": "fat tree", "torus": "torus"}
    shape = "×".join(str(side) for side in design.shape[1:])
    if design.topology == "fat-tree-3-level":
        return f"{kind}, fat tree {'×'.join(str(side) for side in design.shape[:3])}"
    return f"{kind}, {names[design.topology]} p {design.shape[0]}, {shape}"


# ---- the thesis ------------------------------------------------------------------------------------------------------


def _printed(designs: Machines) -> list[Claim]:
    arm, haswell, small = (
        designs.one(*key) for key in ((ARM, "hyperx", *_LARGE), (HASWELL, "hyperx", *_LARGE), _CHEAP)
    )
    below = [design for design in designs if design.point[1] < 8.0]
    fast = [design for design in designs if design.point[0] <= 0.20]
    names = tuple(_named(design) for design in designs.frontier)
    return [
        _claim("time of ARM, HyperX p 64, 64×64", arm.point[0]),
        _claim("time of Haswell, HyperX p 64, 64×64", haswell.point[0]),
        _claim("power of Haswell, HyperX p 64, 64×64", haswell.point[1]),
        _claim("time of ARM, HyperX p 256, 32×32", small.point[0]),
        _claim("power of ARM, HyperX p 256, 32×32", small.point[1]),
        _claim("points of the frontier", len(designs.frontier)),
        _claim("ARM, HyperX p 64, 64×64 takes less than 8 MW", arm.point[1] < 8.0),
        _claim("fastest design below 8 MW", _named(min(below, key=lambda d: d.point))),
        _claim("Haswell designs below 8 MW", sum(design.node_type == HASWELL for design in below)),
        _claim("design of least power within 0.20 s", _named(min(fast, key=lambda d: d.point[1]))),
        _claim("fastest design of the frontier", names[0]),
        _claim("design of least power of the frontier", names[-1]),
    ]


_CHEAP = (ARM, "hyperx", *_SMALL)

_FIVE: tuple[tuple[str, tuple[int, ...]], ...] = (
    (HASWELL, _LARGE),
    (HASWELL, _MIDDLE),
    (ARM, _LARGE),
    (ARM, _MIDDLE),
    (ARM, _SMALL),
)
_BEATEN: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    (HASWELL, "hyperx", _SMALL),
    (ARM, "fat-tree-3-level", (64,) * 5),
    (HASWELL, "fat-tree-3-level", (64,) * 5),
    (ARM, "torus", (16, 8, 8, 8, 8, 4)),
    (ARM, "torus", (1, 16, 16, 16, 8, 8)),
)


def _frontier(designs: Machines) -> list[Claim]:
    rows = [(designs.one(kind, "hyperx", *shape), "") for kind, shape in _FIVE]
    rows += [(designs.one(kind, of, *shape), ", not on it") for kind, of, shape in _BEATEN]
    claims = []
    for design, where in rows:
        title = f"{_named(design)}{where}"
        claims.append(_claim(f"{title}: time", design.point[0]))
        claims.append(_claim(f"{title}: power", design.point[1]))
    on = {(design.node_type, design.shape) for design in designs.frontier}
    cheapest = min(design.point[1] for design in designs if design.node_type == HASWELL)
    return [
        *claims,
        _claim("the frontier is these five", on == set(_FIVE)),
        _claim("networks of the frontier", tuple(d.topology for d in designs.frontier)),
        _claim("Haswell designs below 11 MW", cheapest >= 11.0),
    ]


# ---- other shapes, other switches ------------------------------------------------------------------------------------


def _shapes() -> list[Claim]:
    """Points of the frontier of larger spaces: the printed constants make ever larger switches a free lunch."""
    every = [2**k for k in range(19)]
    printed = hyperx(powers_of_two(every, 1), topology="hyperx-as-printed").frontier
    counts = {
        "p 32 to 256": len(hyperx(powers_of_two([32, 64, 128, 256], 2)).frontier),
        "every p": len(hyperx(powers_of_two(every, 2)).frontier),
        "every p and dimensions of one switch, Eq. 5.41 as printed": len(printed),
    }
    claims = [_claim(f"frontier of HyperX of all powers of two, {title}", count) for title, count in counts.items()]
    title = "ports of the switch of least power of these, at 100 W"
    return [*claims, _claim(title, int(printed[-1].values["radix"]))]


def _ports(designs: Machines) -> list[Claim]:
    by_port = machines(use={"switch_power": "per-port"}, port_power=1.5625)
    keys = ((ARM, "hyperx", *_LARGE), _CHEAP, (ARM, "fat-tree-3-level", *(64,) * 5))
    powers = [by_port.one(*key).values["switches_power"] / 1e6 for key in keys]
    ports = tuple(int(designs.one(*key).values["radix"]) for key in keys[:2])
    smallest = min(design.values["radix"] for design in designs.frontier)
    order = [tuple(designs.one(*key).point[1] for key in keys), tuple(by_port.one(*key).point[1] for key in keys)]
    ranks = [tuple(sorted(range(3), key=power.__getitem__)) for power in order]
    ratios = [
        tuple(m.one(*key).values["switches_power"] / m.one(*keys[0]).values["switches_power"] for key in keys[1:])
        for m in (designs, by_port)
    ]
    return [
        _claim("ports of the switches of HyperX p 64, 64×64 and p 256, 32×32", ports),
        _claim("designs of the frontier with at most 64 ports", smallest > 64),
        _claim("1.56 W per port: switches of HyperX p 64, 64×64", powers[0]),
        _claim("1.56 W per port: switches of HyperX p 256, 32×32", powers[1]),
        _claim("1.56 W per port: switches of the fat tree", powers[2]),
        _claim("1.56 W per port: the order of the three by power stays", ranks[1], ranks[0]),
        _claim(
            "1.56 W per port: the ratios of their switches narrow",
            ratios[0][0] < ratios[1][0] < 1.0 < ratios[1][1] < ratios[0][1],
        ),
    ]


# ---- what the printed figures imply ----------------------------------------------------------------------------------


def _back_calculation(designs: Machines) -> list[Claim]:
    large, small = designs.one(ARM, "hyperx", *_LARGE), designs.one(*_CHEAP)
    count, size = THESIS_PROFILE["messages"], THESIS_PROFILE["message_size"]
    per_message = [
        (design.values["latency_time"] + design.values["transfer_time"]) / count * 1e6 for design in (large, small)
    ]
    arm, haswell = (node_types()[kind]["compute_time"] for kind in (ARM, HASWELL))
    records = 2.0 * 16.0 * 2.0**26 / NODES
    vertices = 2.0**26 / NODES
    really = 16.0 * records
    sent = count * size
    steps = vertices * NODES
    of_35 = sent / 16.0
    return [
        _claim("time of a message of 4,096 bytes, HyperX p 64, 64×64", per_message[0]),
        _claim("time of a message of 4,096 bytes, HyperX p 256, 32×32", per_message[1]),
        _claim("messages that 0.31 s - 0.24 s allow", (0.31 - 0.24) * 1e6 / (per_message[1] - per_message[0])),
        _claim("bytes a process sends", sent / 1e6),
        _claim("bytes a process would send at scale 26", really / 1e3),
        _claim("bytes sent over those of scale 26", sent / really),
        _claim("cycles of the ARM per record at scale 26", arm * 2.3e9 / records),
        _claim("bytes if every record of scale 26 counts as a full buffer", records * size / 1e6),
        _claim(
            "cycles per step of a scan over all processes for each vertex, ARM and Haswell",
            (arm * 2.3e9 / steps, haswell * 2.6e9 / steps),
        ),
        _claim(
            "cycles per record of a problem of these bytes, ARM and Haswell",
            (arm * 2.3e9 / of_35, haswell * 2.6e9 / of_35),
        ),
    ]


# ---- other messages --------------------------------------------------------------------------------------------------


def _coalesced(thesis: Machines) -> list[Claim]:
    use = {"coalescing": "full", "end_markers": "none"}
    coalesced = machines(_SEARCH_35, catalogue="graph500-nodes-coalesced", use=use)
    arm, haswell = (coalesced.one(kind, "hyperx", *_LARGE).point[0] for kind in (ARM, HASWELL))
    same = [(d.node_type, d.shape) for d in coalesced.frontier] == [(d.node_type, d.shape) for d in thesis.frontier]
    what = "scale 35, full messages"
    return [
        _claim(f"{what}: time of ARM, HyperX p 64, 64×64", arm),
        _claim(f"{what}: time of Haswell, HyperX p 64, 64×64", haswell),
        _claim(f"{what}: the same five designs are the frontier", same),
        _claim(f"{what}: time over that of the thesis", arm / thesis.one(ARM, "hyperx", *_LARGE).point[0]),
    ]


def _real_bytes() -> list[Claim]:
    designs = machines(_SEARCH_26, use={"coalescing": "none", "end_markers": "none"})
    large, small = designs.one(ARM, "hyperx", *_LARGE), designs.one(*_CHEAP)
    times = [design.values["latency_time"] + design.values["transfer_time"] for design in (large, small)]
    what = "scale 26, real bytes"
    return [
        _claim(f"{what}: time of all messages, HyperX p 64, 64×64", times[0] * 1e3),
        _claim(f"{what}: time of all messages, HyperX p 256, 32×32", times[1] * 1e3),
        _claim(f"{what}: time of a message, both HyperX", tuple(time / 8192 * 1e6 for time in times)),
        _claim(f"{what}: HyperX p 256, 32×32 is as fast as p 64, 64×64", small.point[0] / large.point[0]),
        _claim(f"{what}: and takes less power, so the conclusion reverses", small.point[1] < large.point[1]),
    ]


def _all_messages() -> list[Claim]:
    without, designs = (machines(_SEARCH_26, use=use) for use in ({"end_markers": "none"}, {}))
    hypers = [(designs.one(kind, "hyperx", *shape), kind, shape) for kind, shape in _FIVE]
    added = tuple(design.point[0] - without.one(kind, "hyperx", *shape).point[0] for design, kind, shape in hypers)
    return [_claim("scale 26, end markers of 6 levels: time added to each design of the frontier", added)]
