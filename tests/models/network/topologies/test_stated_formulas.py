"""The formulas in the docstrings of closed forms, typed in as they stand there."""

import math

import pytest

from dse.models.network import effective_bandwidth

FAST, B = 1e13, 2e9
MESH = {"a": 6, "p": 10, "b0": FAST, "b1": B}
SQUARE = {"a": 4, "p": 16, "b0": FAST, "b1": B}
TREE = {"m1": 8, "m2": 4, "m3": 4, "w1": 4, "w2": 2, "b0": FAST, "b1": B, "b2": B}


def grid(p, *d):
    return {"d": d, "p": p, "b0": FAST, "b": B}


def groups(bl, bg):
    return {"a": 4, "p": 2, "h": 2, "g": 9, "b0": FAST, "bl": bl, "bg": bg}


def tiled(sides, *tiles):
    return {"grid": sides, "tiles": tiles}


NEAR = "nearest-neighbour"
STATED = [
    ("full-mesh", MESH, "uniform", {}, B * 6 / 10),
    ("full-mesh", MESH, "shift", {"step": 23}, B / max(10 - 3, 3)),
    ("full-mesh", MESH, "complement", {}, B / 10),
    ("full-mesh", SQUARE, "butterfly", {}, B / max(1, 16 / 2)),
    ("full-mesh", SQUARE, "exchange", {"exchange_bit": 5}, B / 16),
    ("full-mesh", SQUARE, "transpose", {}, B / max(1, 16 / 4)),
    ("full-mesh", SQUARE, "bit-reversal", {}, B / max(1, 16 / 4)),
    ("full-mesh", MESH, NEAR, tiled((15, 4), (5, 2)), min(4 * B / (2 * 1), 4 * B / (5 * 2))),
    ("fat-tree-3-level", TREE, "uniform", {}, min(128 * 4 * B / (8 * 120), 128 * 4 * 2 * B / (8 * 4 * (128 - 32)))),
    ("fat-tree-3-level", TREE, "shift", {"step": 118}, min(4 * B / 8, 4 * 2 * B / 10)),
    ("fat-tree-3-level", TREE, "complement", {}, min(4 * B / 8, 4 * 2 * B / 32)),
    ("fat-tree-3-level", TREE, "exchange", {"exchange_bit": 4}, 4 * B / 8),
    ("fat-tree-3-level", TREE, "exchange", {"exchange_bit": 5}, min(4 * B / 8, 4 * 2 * B / 32)),
    ("fat-tree-3-level", TREE, NEAR, tiled((16, 8), (8, 4), (4, 2)), min(4 * 4 * B / 12, 4 * 4 * 2 * B / 24)),
    ("torus", grid(2, 5, 3), "uniform", {}, min(2 * B * 5 / (2 * 2 * 3), 2 * B * 3 / (2 * 1 * 2))),
    ("torus", grid(2, 6, 3), "uniform", {}, min(2 * B * 6 / (2 * 3 * 3), 2 * B * 3 / (2 * 1 * 2))),
    ("torus", grid(3, 8, 6), "complement", {}, 4 * B / (3 * 8)),
    ("torus", grid(3, 9), "complement", {}, B / (3 * ((9 + 1) // 4))),
    ("torus", grid(3, 9, 8), "tornado", {}, B / (3 * (math.ceil(9 / 2) - 1))),
    ("torus", grid(8, 4, 4), NEAR, tiled((16, 8), (4, 2)), min(4 * B / 2, 4 * B / 4)),
    ("torus", grid(1, 8), "shift", {"step": 3}, B / 3),
    ("torus", grid(2, 4, 16), "exchange", {"exchange_bit": 2}, B / (2 * 4 / 4)),
    ("torus", grid(2, 4, 16), "exchange", {"exchange_bit": 5}, B / (2 * 4)),
    ("hyperx", grid(4, 4, 4), "exchange", {"exchange_bit": 4}, B / 4),
    ("hyperx", grid(4, 4, 3), "uniform", {}, B * 3 / 4),
    ("hyperx", grid(4, 4, 3), "complement", {}, B / 4),
    ("hyperx", grid(8, 4, 4), NEAR, tiled((16, 8), (4, 2)), min(4 * B / 2, 4 * B / 4)),
    ("hyperx", grid(2, 4, 3), NEAR, tiled((4, 6)), min(4 * B / (2 * 2), 4 * B / (2 / 2))),
    ("dragonfly", groups(B, FAST), "uniform", {}, 4 * 9 * B / (2 * (2 * 9 - 1))),
    ("dragonfly", groups(FAST, B), "uniform", {}, 9 * 2 * B / (2 * (9 - 1))),
    ("dragonfly", groups(B, FAST), "complement", {}, B / 2),
    ("dragonfly", groups(FAST, B), "complement", {}, B / (4 * 2)),
    ("slim-fly", {"q": 5, "p": 4, "b0": FAST, "b1": B}, "uniform", {}, 2 * 5**2 * B / (4 * (3 * 5 - 2))),
]


@pytest.mark.parametrize(("topology", "parameters", "pattern", "options", "stated"), STATED)
def test_stated_formula(topology, parameters, pattern, options, stated):
    found = effective_bandwidth(topology, parameters, pattern, options)
    assert found == pytest.approx(stated, rel=1e-14)
    slow = effective_bandwidth(topology, {**parameters, "b0": stated / 3}, pattern, options)
    assert slow == pytest.approx(stated / 3, rel=1e-14)
