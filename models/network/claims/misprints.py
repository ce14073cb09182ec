"""Slips in the text and in intermediate steps of Anghel 2017, chapter 5, beside ours; and its worked examples."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.bandwidth.bandwidth import effective_bandwidth, link_loads
from dse.models.network.claims.printed_formula import EXACT, GIGA, claim
from dse.models.network.parts.parts import network_parts
from dse.models.network.patterns.tiles import tiling
from dse.models.network.topologies.fat_tree.closed_form import UPPER
from dse.models.sources import ANGHEL_2017

__all__ = ["misprint_claims"]


def misprint_claims() -> list[Claim]:
    """Return the worked examples of chapter 5, and its slips that no equation of a summary has."""
    return [*_examples(), *_rings(), *_trees(), *_tiles(), *_conventions()]


def _slip(title: str, section: str, printed: float, ours: float, note: str, unit: str = "1") -> Claim:
    return claim(title, f"{ANGHEL_2017}, {section}", printed, float(ours), unit=unit, kind="deviation", note=note)


def _load(topology: str, parameters: dict[str, Any], name: str) -> float:
    """Return the uniform load of a link class."""
    return next(
        float(link_class.load) for link_class in link_loads(topology, parameters).classes if link_class.name == name
    )


def _examples() -> list[Claim]:
    ring = _load("torus", {"d": (5,), "p": 2}, "dimension 1")
    a, p, b1 = 16, 8, 5 * GIGA
    mesh = {"a": a, "p": p, "b0": 100 * GIGA, "b1": b1}
    cut = network_parts("full-mesh", mesh).bisection_bandwidth
    shift = effective_bandwidth("full-mesh", mesh, "shift", {"step": 3 * p})
    what, place = f"full mesh a {a}, p {p}, b1 5 GB/s", f"{ANGHEL_2017}, Section 5.8"
    fast = {"unit": "B/s", **EXACT}
    return [
        claim(
            "ring of 5 switches with 2 nodes: flows on a link, 3 p²", f"{ANGHEL_2017}, Section 5.4.4", 12, ring, **EXACT
        ),
        claim(f"{what}: bisection bandwidth, b1 a²/4", place, b1 * a * a / 4, cut, **fast),
        claim(f"{what}: bisection bandwidth per node, b1 a/2p", place, b1 * a / (2 * p), 2 * cut / (a * p), **fast),
        claim(f"{what}, uniform: bandwidth, b1 a/p", place, b1 * a / p, effective_bandwidth("full-mesh", mesh), **fast),
        claim(f"{what}, shift by 3 p: bandwidth, b1/p", place, b1 / p, shift, **fast),
    ]


def _rings() -> list[Claim]:
    size, m = 6, 3
    pairs = _load("torus", {"d": (size,), "p": 1}, "dimension 1")
    terms = [m - 0.5 - i for i in range(m - 1)]
    last = m - 0.5 - (m - 0.5 + 1)
    algebra = "the last term is 0.5; the printed sum m²/2 is right"
    even = _load("torus", {"d": (6, 4, 4), "p": 1}, "dimension 1")
    odd = _load("torus", {"d": (5, 3), "p": 1}, "dimension 1")
    halves = "(floor + floor)/2 where floor·ceil/2 is meant, as in Eq. 5.32"
    floors = "floor·floor/2 where floor·ceil/2 is meant, as in Eq. 5.27"
    return [
        claim(
            "ring of 6: pairs of switches over a link, m²/2", f"{ANGHEL_2017}, Section 5.4.4", m * m / 2, pairs, **EXACT
        ),
        claim(
            "rings of 2 to 9: pairs of switches over a link, Eq. 5.23",
            f"{ANGHEL_2017}, Eq. 5.23",
            tuple(floor(d / 2) * ceil(d / 2) / 2 for d in range(2, 10)),
            tuple(_load("torus", {"d": (d,), "p": 1}, "dimension 1") for d in range(2, 10)),
            **EXACT,
        ),
        _slip("ring of 6: sum of the printed terms", "Section 5.4.4", sum(terms) + last, pairs, algebra),
        _slip("torus 6×4×4: flows on an X link", "Section 5.4.6, items 2 to 4", 16 * (3 + 3) / 2, even, halves),
        _slip("torus 5×3: flows on an X link", "Section 5.4.5", 3 * (2 * 2) / 2, odd, floors),
    ]


def _trees() -> list[Claim]:
    two = {"m1": 16, "m2": 8, "w1": 4, "b0": 7 * GIGA, "b1": 7 * GIGA}
    three = {"m1": 8, "m2": 4, "m3": 4, "w1": 4, "w2": 2, "b0": 7 * GIGA, "b1": 7 * GIGA, "b2": 7 * GIGA}
    step_2, step_3, volume, short = 40, 50, 2, 5
    below_2 = min(7 * GIGA, 7 * GIGA * 4 / step_2)
    below_3 = min(7 * GIGA, 7 * GIGA * 4 / 8, 7 * GIGA * 4 * 2 / step_3)
    printed = 4 * 4 * (8 - short) * volume + 4 * (4 - 1) * short * volume + 4 * short
    nodes = network_parts("fat-tree-3-level", three).nodes
    up = network_parts("fat-tree-3-level", three).links[UPPER] / 4
    return [
        _slip(
            "2-level fat tree m 16, 8, w1 4, 7 GB/s, shift by 40: bandwidth from the text",
            "Section 5.5.2",
            below_2,
            effective_bandwidth("fat-tree-2-level", two, "shift", {"step": step_2}),
            "the text shares b1 w1 among s flows where m1 leave the switch, as in Eq. 5.53",
            "B/s",
        ),
        _slip(
            "3-level fat tree m 8, 4, 4, w 1, 4, 2, 7 GB/s, shift by 50: bandwidth from the text",
            "Section 5.5.3",
            below_3,
            effective_bandwidth("fat-tree-3-level", three, "shift", {"step": step_3}),
            "the text shares b2 w1 w2 among s flows where m1 m2 leave the subtree, as in Eq. 5.59",
            "B/s",
        ),
        _slip(
            "3-level fat tree m 8, 4, 4, shift by 5, flows of volume 2: volume of all",
            "Eq. 5.56",
            printed,
            volume * nodes,
            "the last term of the numerator, m3 s, lacks the volume",
        ),
        _slip(
            "3-level fat tree w 1, 4, 2: links down from level 3 to a subtree",
            "Section 5.4.3",
            4,
            up,
            "the text has w1 links, its formula w1 w2",
        ),
        _slip(
            "w0 = 2: capacity above a switch of level 1 in an XGFT over that of the traditional fat tree",
            "Section 5.2, Figs. 5.3 and 5.4",
            1,
            _xgft_over_traditional(2),
            "the two pictures are equivalent only when the w0 links of a node go to one switch; in an XGFT to w0",
        ),
    ]


def _xgft_over_traditional(w0: int) -> float:
    """Links up from m1 nodes: w1 from each of their w0 switches in an XGFT, w1 in our reading."""
    m2, w1 = 4, 2
    ours = network_parts("fat-tree-2-level", {"m1": 2, "m2": m2, "w0": w0, "w1": w1}).links["level 1-2"] / m2
    result: float = w0 * w1 / ours
    return result


def _tiles() -> list[Claim]:
    d1, d2, b0, b1 = 5, 2, 70 * GIGA, 7 * GIGA
    mesh = {"a": 2, "p": d1 * d2, "b0": b0, "b1": b1}
    wide = effective_bandwidth("full-mesh", mesh, "nearest-neighbour", {"grid": (2 * d1, d2), "tiles": ((d1, d2),)})
    cut = tiling((16.0, 8.0), (4.0, 4.0))
    inside = 4 * cut.volume - cut.leaving
    note = "counts the processes inside only; flows along the sides and of the corners stay too: 4 d1 d2 − 2 (d1 + d2)"
    return [
        _slip(
            "full mesh, D1 = 2 d1, D2 = d2 (tile 5×2, b1 7 GB/s): bandwidth from the text",
            "Section 5.6.2",
            4 * min(b0 / 4, b1 / (2 * d1)),
            wide,
            "b1/(2 d1) where b1/(2 d2) is meant, as in Table 5.5",
            "B/s",
        ),
        _slip("tile 4×4 of a grid 16×8: flows inside", "Sections 5.6.3 and 5.6.4", 4 * (4 - 2) * (4 - 2), inside, note),
    ]


def _conventions() -> list[Claim]:
    mesh = {"a": 6, "p": 10, "b0": 7 * GIGA, "b1": 2 * GIGA}
    without = effective_bandwidth("full-mesh", mesh, "uniform", {"include_self": False})
    return [
        _slip(
            "full mesh a 6, p 10, 7 and 2 GB/s, uniform: Eq. 5.8 for the simulator's pattern",
            "Sections 5.4 and 5.7.1",
            1.2 * GIGA,
            without,
            "Section 5.4 counts messages of a node to itself, the simulator has none: (n − 1)/n of the network term",
            "B/s",
        ),
    ]
