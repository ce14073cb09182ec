"""Bandwidths and paths beside those of an independent program that routes every flow: no published figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dse.authoring.claims import Claim
from dse.models.network.bandwidth import effective_bandwidth, mean_path
from dse.models.network.claims.printed_formula import GIGA, NANO, REFERENCE, claim

__all__ = ["reference_claims"]

_NODE, _FAST, _SLOW, _GLOBAL = 2.5, 12.0, 10.0, 100.0
"""Latencies in ns."""

Row = tuple[str, str, Mapping[str, Any], str, Mapping[str, Any], tuple[float, float, float]]


def _mesh(a: int, p: int, b0: float, b1: float) -> dict[str, Any]:
    return {"a": a, "p": p, "b0": b0, "b1": b1, "l0": _NODE, "l1": _FAST}


def _two(m1: int, m2: int, w1: int, b0: float, b1: float) -> dict[str, Any]:
    return {"m1": m1, "m2": m2, "w1": w1, "b0": b0, "b1": b1, "l0": _NODE, "l1": _FAST}


def _three(w1: int, w2: int) -> dict[str, Any]:
    sizes = {"m1": 8, "m2": 4, "m3": 4, "w1": w1, "w2": w2}
    return {**sizes, "b0": 7.0, "b1": 7.0, "b2": 7.0, "l0": _NODE, "l1": _FAST, "l2": _FAST}


def _grid(p: int, d: tuple[int, ...], b0: float, b: tuple[float, ...], last: float = _FAST) -> dict[str, Any]:
    return {"p": p, "d": d, "b0": b0, "b": b, "l0": _NODE, "l": (*[_FAST] * (len(d) - 1), last)}


def _groups(g: int, b0: float, bl: float) -> dict[str, Any]:
    sizes = {"a": 4, "p": 2, "h": 2, "g": g}
    return {**sizes, "b0": b0, "bl": bl, "bg": 7.0, "l0": _NODE, "ll": _FAST, "lg": _GLOBAL}


def _shift(step: int) -> dict[str, Any]:
    return {"step": step}


def _on(grid: tuple[int, int], *tiles: tuple[int, int]) -> dict[str, Any]:
    return {"grid": grid, "tiles": tiles}


_ALL: dict[str, Any] = {}
_OTHERS = {"include_self": False}
_M, _T2, _T3, _T, _H = "full-mesh", "fat-tree-2-level", "fat-tree-3-level", "torus", "hyperx"
_NEAR, _DOR = "nearest-neighbour", "dimension-order"
_SHIFTED = _grid(3, (4, 3), 70, (5, 4), _SLOW)

# title, topology, parameters, pattern, its parameters; bandwidth GB/s, link latency of a path ns, links of a path
_ROWS: tuple[Row, ...] = (
    ("a 6, p 10", _M, _mesh(6, 10, 7, 7), "uniform", _ALL, (4.2, 15.16949153, 2.847457627)),
    ("a 6, p 10, slow", _M, _mesh(6, 10, 7, 2), "uniform", _ALL, (1.2, 15.16949153, 2.847457627)),
    ("a 6, p 10, slow, others only", _M, _mesh(6, 10, 7, 2), "uniform", _OTHERS, (1.18, 15.16949153, 2.847457627)),
    ("a 6, p 10, by 4", _M, _mesh(6, 10, 7, 7), "shift", _shift(4), (1.75, 9.8, 2.4)),
    ("a 6, p 10, by 23", _M, _mesh(6, 10, 7, 7), "shift", _shift(23), (1, 17, 3)),
    ("a 6, p 10, by 30", _M, _mesh(6, 10, 7, 7), "shift", _shift(30), (0.7, 17, 3)),
    ("a 6, p 10, by 57", _M, _mesh(6, 10, 7, 7), "shift", _shift(57), (2.333333333, 8.6, 2.3)),
    ("a 6, p 10, 10×6, tile 5×2", _M, _mesh(6, 10, 7, 7), _NEAR, _on((10, 6), (5, 2)), (5.6, 9.2, 2.35)),
    ("m 16, 8, w1 4", _T2, _two(16, 8, 4, 7, 7), "uniform", _ALL, (2, 26.16535433, 3.763779528)),
    ("m 16, 8, w1 4, by 5", _T2, _two(16, 8, 4, 7, 7), "shift", _shift(5), (5.6, 12.5, 2.625)),
    ("m 16, 8, w1 4, by 123", _T2, _two(16, 8, 4, 7, 7), "shift", _shift(123), (5.6, 12.5, 2.625)),
    ("m 16, 8, w1 1, 16×8, tile 4×4", _T2, _two(16, 8, 1, 7, 7), _NEAR, _on((16, 8), (4, 4)), (1.75, 11, 2.5)),
    ("m 8, 4, 4, w 4, 2", _T3, _three(4, 2), "uniform", _ALL, (2.333333333, 45.81889764, 5.401574803)),
    ("m 8, 4, 4, w 4, 2, by 20", _T3, _three(4, 2), "shift", _shift(20), (2.8, 44, 5.25)),
    ("m 8, 4, 4, w 4, 2, by 118", _T3, _three(4, 2), "shift", _shift(118), (3.5, 36.5, 4.625)),
    (
        "m 8, 4, 4, w 2, 1, 16×8, tiles 8×4, 4×2",
        _T3,
        _three(2, 1),
        _NEAR,
        _on((16, 8), (8, 4), (4, 2)),
        (2.333333333, 18.5, 3.125),
    ),
    ("4×4×4", _T, _grid(1, (4, 4, 4), 7, (2, 2, 2)), "uniform", _ALL, (4, 41.57142857, 5.047619048)),
    ("5×3, p 2", _T, _grid(2, (5, 3), 7, (2, 3)), "uniform", _ALL, (1.666666667, 28.17241379, 3.931034483)),
    ("6, p 2", _T, _grid(2, (6,), 70, (2,)), "uniform", _ALL, (1.333333333, 24.63636364, 3.636363636)),
    ("5×4, p 2, by 7", _T, _grid(2, (5, 4), 70, (2, 3), _SLOW), "shift", _shift(7), (0.6666666667, 30, 4.2)),
    (
        "4×4, p 4, 8×8, tile 2×2",
        _T,
        _grid(4, (4, 4), 70, (2, 3), _SLOW),
        _NEAR,
        _on((8, 8), (2, 2)),
        (4, 10.5, 2.5),
    ),
    ("8×6", _T, _grid(1, (8, 6), 70, (2, 3), _SLOW), "complement", {}, (1, 45.66666667, 5.666666667)),
    ("4×3, p 4", _H, _grid(4, (4, 3), 7, (5, 5)), "uniform", _ALL, (3.75, 22.36170213, 3.446808511)),
    ("4×2, p 2, 4×4", _H, _grid(2, (4, 2), 70, (5, 5)), _NEAR, _on((4, 4)), (5, 17, 3)),
    ("6×3, p 2, 4×9", _H, _grid(2, (6, 3), 70, (5, 5)), _NEAR, _on((4, 9)), (10, 16, 2.916666667)),
    ("4×3, p 3, by 16", _H, _SHIFTED, "shift", _shift(16), (1.6, 27, 4)),
    ("4×3, p 3, by 16, dimension order", _H, {**_SHIFTED, "routing": _DOR}, "shift", _shift(16), (1.333333333, 27, 4)),
    ("6×2, p 2, 4×6", _H, _grid(2, (6, 2), 70, (5, 1)), _NEAR, _on((4, 6)), (2, 16, 2.916666667)),
    ("a 4, p 2, h 2, g 9", "dragonfly", _groups(9, 70, 7), "uniform", _ALL, (7.411764706, 112.3802817, 4.338028169)),
    ("a 4, p 2, h 2, g 5", "dragonfly", _groups(5, 70, 7), "uniform", _ALL, (7.777777778, 103.6666667, 4.205128205)),
    ("a 4, p 2, h 2, g 9, by 8", "dragonfly", _groups(9, 7, 7), "shift", _shift(8), (0.875, 123, 4.5)),
    ("a 4, p 2, h 2, g 9, by 11", "dragonfly", _groups(9, 7, 1), "shift", _shift(11), (0.25, 123, 4.5)),
    ("m 4, 16, w1 2", _T2, _two(4, 16, 2, 70, 7), "transpose", {}, (3.5, 29, 4)),
    ("m 16, 4, w1 2", _T2, _two(16, 4, 2, 70, 7), "bit-reversal", {}, (1.166666667, 25.57142857, 3.714285714)),
    (
        "q 5, p 4",
        "slim-fly",
        {"q": 5, "p": 4, "b0": 7.0, "b1": 7.0, "l0": _NODE, "l1": _FAST},
        "uniform",
        _ALL,
        (6.730769231, 26.94974874, 3.829145729),
    ),
)

# torus of 2×4 switches with 2 nodes each, uniform: bandwidths of the dimensions; GB/s with two links in a ring of 2, 1
_RINGS_OF_TWO = (((6.0, 3.0), (3.0, 3.0)), ((3.0, 30.0), (6.0, 3.0)))


def reference_claims() -> list[Claim]:
    """Return one claim per reference case: bandwidth in GB/s, link latency of a path in ns, and links of a path."""
    found = [_one(*row) for row in _ROWS]
    for speeds, expected in _RINGS_OF_TWO:
        ring = {"p": 2, "d": (2, 4), "b0": 70 * GIGA, "b": tuple(speed * GIGA for speed in speeds)}
        got = tuple(
            float(effective_bandwidth("torus", {**ring, "double_link_at_2": double})) / GIGA for double in (True, False)
        )
        title = f"torus 2×4, p 2, b {speeds[0]:g} and {speeds[1]:g}, uniform: GB/s, two links and one in a ring of 2"
        found.append(claim(title, REFERENCE, expected, got, relative_tolerance=1e-8))
    return found


def _one(
    what: str,
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str,
    options: Mapping[str, Any],
    expected: tuple[float, float, float],
) -> Claim:
    routing = parameters.get("routing", "minimal")
    scaled = {name: _scaled(name, value) for name, value in parameters.items() if name != "routing"}
    bandwidth = effective_bandwidth(topology, scaled, pattern, options, routing=routing)
    path = mean_path(topology, scaled, pattern, options, routing=routing)
    got = (float(bandwidth) / GIGA, float(path.link_latency) / NANO, float(path.links))
    title = f"{topology} {what}, {pattern}: GB/s, ns, links"
    return claim(title, REFERENCE, expected, got, relative_tolerance=1e-8)


def _scaled(name: str, value: Any) -> Any:
    """Return bandwidths in B/s and latencies in s."""
    scale = {"b": GIGA, "l": NANO}.get(name[0], 1)
    if scale == 1:
        return value
    return tuple(entry * scale for entry in value) if isinstance(value, tuple) else value * scale
