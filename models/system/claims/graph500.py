"""Graph 500 on 262,144 nodes (Anghel 2017, Section 7.2): its printed designs, and what its figures imply.

The profile and the nodes are calculated back from the printed designs, so agreement with these is "fitted". The shapes
are not printed; what follows for other shapes and for the bytes that the code really sends was derived, and confirmed
by an independent program.
"""

from __future__ import annotations

from typing import Any

from dse.authoring.claims import Claim
from dse.models.system._designs import (
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
from dse.models.system.inputs import THESIS

__all__ = ["graph500_claims"]

_PLACE = f"{THESIS}, Section 7.2"
_DERIVED = f"derived from {THESIS}, Section 7.2, and confirmed by an independent program"
_BACK = "profile and nodes are calculated back from this"
_SHAPES = "the thesis prints no list of shapes: those were taken that leave five"
_TIME: dict[str, Any] = {"unit": "s", "absolute_tolerance": 0.005}
_POWER: dict[str, Any] = {"unit": "MW", "absolute_tolerance": 0.05}
_LARGE, _MIDDLE, _SMALL = (64, 64, 64), (128, 64, 32), (256, 32, 32)
_SEARCH_26 = {"graph_scale": 26.0, "edge_factor": 16.0}
_SEARCH_35 = {"graph_scale": 35.0, "edge_factor": 16.0}


def graph500_claims() -> list[Claim]:
    """Return what was printed on this study, or derived from it, with what the models give."""
    found = machines()
    return [
        *_printed(found),
        *_frontier(found),
        *_shapes(),
        *_back_calculation(found),
        *_coalesced(found),
        *_real_bytes(),
        *_all_messages(),
        *_ports(found),
    ]


def _claim(title: str, source: str, published: Any, computed: Any, **rest: Any) -> Claim:
    return Claim("system", f"Graph 500 on 262,144 nodes: {title}", source, published, computed, **rest)


def _named(design: Design) -> str:
    kind = design.node_type.partition(" ")[0]
    names = {"hyperx": "HyperX", "fat-tree-3-level": "fat tree", "torus": "torus"}
    shape = "×".join(str(side) for side in design.shape[1:])
    if design.topology == "fat-tree-3-level":
        return f"{kind}, fat tree {'×'.join(str(side) for side in design.shape[:3])}"
    return f"{kind}, {names[design.topology]} p {design.shape[0]}, {shape}"


# ---- the thesis ------------------------------------------------------------------------------------------------------


def _printed(found: Machines) -> list[Claim]:
    arm, haswell, small = (found.one(*key) for key in ((ARM, "hyperx", *_LARGE), (HASWELL, "hyperx", *_LARGE), _CHEAP))
    fitted: dict[str, Any] = {"kind": "fitted", "note": _BACK}
    seconds: dict[str, Any] = {"unit": "s", "absolute_tolerance": 0.01}
    watts: dict[str, Any] = {"unit": "MW", "relative_tolerance": 0.03}
    below = [design for design in found if design.point[1] < 8.0]
    fast = [design for design in found if design.point[0] <= 0.20]
    names = tuple(_named(design) for design in found.frontier)
    return [
        _claim("time of ARM, HyperX p 64, 64×64", _PLACE, 0.24, arm.point[0], **seconds, **fitted),
        _claim("time of Haswell, HyperX p 64, 64×64", _PLACE, 0.18, haswell.point[0], **seconds, **fitted),
        _claim("power of Haswell, HyperX p 64, 64×64", _PLACE, 12.0, haswell.point[1], **watts, **fitted),
        _claim("time of ARM, HyperX p 256, 32×32", _PLACE, 0.31, small.point[0], **seconds, **fitted),
        _claim("power of ARM, HyperX p 256, 32×32", _PLACE, 3.58, small.point[1], **watts, **fitted),
        _claim("points of the frontier", _PLACE, 5, len(found.frontier), kind="fitted", note=_SHAPES),
        _claim("ARM, HyperX p 64, 64×64 takes less than 8 MW", _PLACE, True, arm.point[1] < 8.0),
        _claim("fastest design below 8 MW", _PLACE, _named(arm), _named(min(below, key=lambda d: d.point))),
        _claim("Haswell designs below 8 MW", _PLACE, 0, sum(design.node_type == HASWELL for design in below)),
        _claim(
            "design of least power within 0.20 s", _PLACE, _named(haswell), _named(min(fast, key=lambda d: d.point[1]))
        ),
        _claim("fastest design of the frontier", _PLACE, _named(haswell), names[0]),
        _claim("design of least power of the frontier", _PLACE, _named(small), names[-1]),
    ]


_CHEAP = (ARM, "hyperx", *_SMALL)

_FIVE: tuple[tuple[str, tuple[int, ...], float, float], ...] = (
    (HASWELL, _LARGE, 0.180, 12.00),
    (HASWELL, _MIDDLE, 0.210, 11.77),
    (ARM, _LARGE, 0.240, 3.92),
    (ARM, _MIDDLE, 0.270, 3.70),
    (ARM, _SMALL, 0.310, 3.58),
)
_BEATEN: tuple[tuple[str, str, tuple[int, ...], float, float], ...] = (
    (HASWELL, "hyperx", _SMALL, 0.250, 11.65),
    (ARM, "fat-tree-3-level", (64,) * 5, 0.257, 4.78),
    (HASWELL, "fat-tree-3-level", (64,) * 5, 0.197, 12.88),
    (ARM, "torus", (16, 8, 8, 8, 8, 4), 0.452, 5.20),
    (ARM, "torus", (1, 16, 16, 16, 8, 8), 0.372, 29.95),
)


def _frontier(found: Machines) -> list[Claim]:
    rows = [(found.one(kind, "hyperx", *shape), time, power, "") for kind, shape, time, power in _FIVE]
    rows += [(found.one(kind, of, *shape), time, power, ", not on it") for kind, of, shape, time, power in _BEATEN]
    printed = [found.one(*key) for key in ((ARM, "hyperx", *_LARGE), (HASWELL, "hyperx", *_LARGE), _CHEAP)]
    claims = []
    for design, time, power, where in rows:
        title = f"{_named(design)}{where}"
        used: dict[str, Any] = {"kind": "fitted", "note": _BACK} if design in printed else {}
        claims.append(_claim(f"{title}: time", _DERIVED, time, design.point[0], **_TIME, **used))
        claims.append(_claim(f"{title}: power", _DERIVED, power, design.point[1], **_POWER, **used))
    on = {(design.node_type, design.shape) for design in found.frontier}
    cheapest = min(design.point[1] for design in found if design.node_type == HASWELL)
    return [
        *claims,
        _claim("the frontier is these five", _DERIVED, True, on == {(kind, shape) for kind, shape, _, _ in _FIVE}),
        _claim("networks of the frontier", _DERIVED, ("hyperx",) * 5, tuple(d.topology for d in found.frontier)),
        _claim("Haswell designs below 11 MW", _DERIVED, True, cheapest >= 11.0),
    ]


# ---- other shapes, other switches ------------------------------------------------------------------------------------


def _shapes() -> list[Claim]:
    """Points of the frontier of larger spaces: the printed constants make ever larger switches a free lunch."""
    every = [2**k for k in range(19)]
    printed = hyperx(powers_of_two(every, 1), topology="hyperx-as-printed").frontier
    rows: list[tuple[str, int, int, dict[str, str]]] = [
        ("p 32 to 256", 16, len(hyperx(powers_of_two([32, 64, 128, 256], 2)).frontier), {}),
        ("every p", 37, len(hyperx(powers_of_two(every, 2)).frontier), {}),
        (
            "every p and dimensions of one switch, Eq. 5.41 as printed",
            43,
            len(printed),
            {"note": "9 where a dimension of one switch does not limit the bandwidth"},
        ),
    ]
    claims = [
        _claim(f"frontier of HyperX of all powers of two, {title}", _DERIVED, wanted, count, **rest)
        for title, wanted, count, rest in rows
    ]
    title = "ports of the switch of least power of these, at 100 W"
    return [*claims, _claim(title, _DERIVED, NODES, int(printed[-1].values["radix"]))]


def _ports(found: Machines) -> list[Claim]:
    by_port = machines(use={"switch_power": "per-port"}, port_power=1.5625)
    keys = ((ARM, "hyperx", *_LARGE), _CHEAP, (ARM, "fat-tree-3-level", *(64,) * 5))
    powers = [by_port.one(*key).values["switches_power"] / 1e6 for key in keys]
    ports = tuple(int(found.one(*key).values["radix"]) for key in keys[:2])
    smallest = min(design.values["radix"] for design in found.frontier)
    order = [tuple(found.one(*key).point[1] for key in keys), tuple(by_port.one(*key).point[1] for key in keys)]
    ranks = [tuple(sorted(range(3), key=one.__getitem__)) for one in order]
    ratios = [
        tuple(m.one(*key).values["switches_power"] / m.one(*keys[0]).values["switches_power"] for key in keys[1:])
        for m in (found, by_port)
    ]
    near: dict[str, Any] = {"unit": "MW", "absolute_tolerance": 0.005}
    return [
        _claim("ports of the switches of HyperX p 64, 64×64 and p 256, 32×32", _DERIVED, (190, 318), ports),
        _claim("designs of the frontier with at most 64 ports", _DERIVED, True, smallest > 64),
        _claim("1.56 W per port: switches of HyperX p 64, 64×64", _DERIVED, 1.22, powers[0], **near),
        _claim("1.56 W per port: switches of HyperX p 256, 32×32", _DERIVED, 0.51, powers[1], **near),
        _claim("1.56 W per port: switches of the fat tree", _DERIVED, 2.05, powers[2], **near),
        _claim("1.56 W per port: the order of the three by power stays", _DERIVED, ranks[0], ranks[1]),
        _claim(
            "1.56 W per port: the ratios of their switches narrow",
            _DERIVED,
            True,
            ratios[0][0] < ratios[1][0] < 1.0 < ratios[1][1] < ratios[0][1],
        ),
    ]


# ---- what the printed figures imply ----------------------------------------------------------------------------------


def _back_calculation(found: Machines) -> list[Claim]:
    large, small = found.one(ARM, "hyperx", *_LARGE), found.one(*_CHEAP)
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
    micro: dict[str, Any] = {"unit": "us", "absolute_tolerance": 5e-4}
    tenth: dict[str, Any] = {"absolute_tolerance": 0.05}
    return [
        _claim("time of a message of 4,096 bytes, HyperX p 64, 64×64", _DERIVED, 3.826, per_message[0], **micro),
        _claim("time of a message of 4,096 bytes, HyperX p 256, 32×32", _DERIVED, 9.538, per_message[1], **micro),
        _claim(
            "messages that 0.31 s - 0.24 s allow",
            _DERIVED,
            12_255.0,
            (0.31 - 0.24) * 1e6 / (per_message[1] - per_message[0]),
            absolute_tolerance=1.0,
            kind="fitted",
            note="12,255 messages are what this gives",
        ),
        _claim("bytes a process sends", _DERIVED, 50.2, sent / 1e6, unit="MB", **tenth),
        _claim("bytes a process would send at scale 26", _DERIVED, 131.072, really / 1e3, unit="kB"),
        _claim("bytes sent over those of scale 26", _DERIVED, 380.0, sent / really, relative_tolerance=0.01),
        _claim(
            "cycles of the ARM per record at scale 26",
            _DERIVED,
            54_000.0,
            arm * 2.3e9 / records,
            relative_tolerance=0.005,
        ),
        _claim(
            "bytes if every record of scale 26 counts as a full buffer",
            _DERIVED,
            33.6,
            records * size / 1e6,
            unit="MB",
            **tenth,
        ),
        _claim(
            "cycles per step of a scan over all processes for each vertex, ARM and Haswell",
            _DERIVED,
            (6.6, 5.2),
            (arm * 2.3e9 / steps, haswell * 2.6e9 / steps),
            **tenth,
        ),
        _claim(
            "cycles per record of a problem of these bytes, ARM and Haswell",
            _DERIVED,
            (141.0, 110.0),
            (arm * 2.3e9 / of_35, haswell * 2.6e9 / of_35),
            absolute_tolerance=0.55,
        ),
    ]


# ---- other messages --------------------------------------------------------------------------------------------------


def _coalesced(thesis: Machines) -> list[Claim]:
    use = {"coalescing": "full", "end_markers": "none"}
    found = machines(_SEARCH_35, catalogue="graph500-nodes-coalesced", use=use)
    arm, haswell = (found.one(kind, "hyperx", *_LARGE).point[0] for kind in (ARM, HASWELL))
    same = [(d.node_type, d.shape) for d in found.frontier] == [(d.node_type, d.shape) for d in thesis.frontier]
    what = "scale 35, full messages"
    return [
        _claim(f"{what}: time of ARM, HyperX p 64, 64×64", _DERIVED, 0.321, arm, **_TIME),
        _claim(f"{what}: time of Haswell, HyperX p 64, 64×64", _DERIVED, 0.241, haswell, **_TIME),
        _claim(f"{what}: the same five designs are the frontier", _DERIVED, True, same),
        _claim(
            f"{what}: time over that of the thesis",
            _DERIVED,
            1.34,
            arm / thesis.one(ARM, "hyperx", *_LARGE).point[0],
            absolute_tolerance=0.02,
        ),
    ]


def _real_bytes() -> list[Claim]:
    found = machines(_SEARCH_26, use={"coalescing": "none", "end_markers": "none"})
    large, small = found.one(ARM, "hyperx", *_LARGE), found.one(*_CHEAP)
    times = [design.values["latency_time"] + design.values["transfer_time"] for design in (large, small)]
    what = "scale 26, real bytes"
    milli: dict[str, Any] = {"unit": "ms", "absolute_tolerance": 0.05}
    return [
        _claim(f"{what}: time of all messages, HyperX p 64, 64×64", _DERIVED, 24.7, times[0] * 1e3, **milli),
        _claim(f"{what}: time of all messages, HyperX p 256, 32×32", _DERIVED, 24.7, times[1] * 1e3, **milli),
        _claim(
            f"{what}: time of a message, both HyperX",
            _DERIVED,
            (3.010, 3.010),
            tuple(time / 8192 * 1e6 for time in times),
            unit="us",
            absolute_tolerance=5e-4,
        ),
        _claim(
            f"{what}: HyperX p 256, 32×32 is as fast as p 64, 64×64",
            _DERIVED,
            1.0,
            small.point[0] / large.point[0],
            relative_tolerance=1e-5,
        ),
        _claim(
            f"{what}: and takes less power, so the conclusion reverses", _DERIVED, True, small.point[1] < large.point[1]
        ),
    ]


def _all_messages() -> list[Claim]:
    without, found = (machines(_SEARCH_26, use=use) for use in ({"end_markers": "none"}, {}))
    hypers = [(found.one(kind, "hyperx", *shape), kind, shape) for kind, shape, _, _ in _FIVE]
    added = tuple(design.point[0] - without.one(kind, "hyperx", *shape).point[0] for design, kind, shape in hypers)
    return [
        _claim(
            "scale 26, end markers of 6 levels: time added to each design of the frontier",
            _DERIVED,
            (4.7,) * 5,
            added,
            unit="s",
            absolute_tolerance=0.05,
        )
    ]
