"""Who sends to whom, where the processes of a grid run, and patterns that do not fit the machine."""

import doctest

import numpy as np
import pytest

import dse.models.network.patterns.destinations as module
from dse.errors import InputError
from dse.models.network.patterns.destinations import destinations, node_of_rank
from dse.models.network.patterns.patterns import PATTERNS, flows_per_node, read_options

OPTIONS = {
    "shift": {"step": 3},
    "exchange": {"exchange_bit": 2},
    "nearest-neighbour": {"grid": (4, 4), "tiles": [(2, 2)]},
}


@pytest.mark.parametrize(
    ("pattern", "options", "rings", "expected"),
    [
        ("shift", {"step": -2}, (), [6, 7, 0, 1, 2, 3, 4, 5]),
        ("complement", {}, (), [7, 6, 5, 4, 3, 2, 1, 0]),
        ("bit-reversal", {}, (), [0, 4, 2, 6, 1, 5, 3, 7]),
        ("butterfly", {}, (), [0, 4, 2, 6, 1, 5, 3, 7]),
        ("exchange", {"exchange_bit": 0}, (), [1, 0, 3, 2, 5, 4, 7, 6]),
        ("exchange", {"exchange_bit": 1}, (), [2, 3, 0, 1, 6, 7, 4, 5]),
        ("tornado", {}, (), [3, 4, 5, 6, 7, 0, 1, 2]),
        ("tornado", {}, (4,), [2, 3, 4, 5, 6, 7, 0, 1]),
        ("tornado", {}, (2, 2), [0, 1, 2, 3, 4, 5, 6, 7]),
        ("nearest-neighbour", {"grid": (8,)}, (), [1, 2, 3, 4, 5, 6, 7, 0, 7, 0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_eight_nodes(pattern, options, rings, expected):
    source, destination = destinations(pattern, 8, options, rings=rings, nodes_per_switch=2)
    assert destination.tolist() == expected
    assert source.tolist() == [*range(8)] * (len(expected) // 8)


def test_squares():
    assert destinations("transpose", 9)[1].tolist() == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert destinations("butterfly", 16)[1].tolist() == [0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15]


def sent_by_each(pattern, nodes, options=None):
    return flows_per_node(pattern, read_options(pattern, options, nodes, (4,)), nodes)


@pytest.mark.parametrize("pattern", [name for name in PATTERNS if name != "uniform"])
def test_as_many_arrive_as_leave(pattern):
    sent = sent_by_each(pattern, 16, OPTIONS.get(pattern))
    source, destination = destinations(pattern, 16, OPTIONS.get(pattern), blocks=(4,))
    assert (np.bincount(source) == sent).all()
    assert (np.bincount(destination) == sent).all()
    if pattern not in OPTIONS:
        assert destinations(pattern, 1)[1].tolist() == [0]


def test_flows_per_node():
    sizes = np.array([4.0, 16.0])
    assert sent_by_each("uniform", sizes).tolist() == [4, 16]
    assert sent_by_each("uniform", sizes, {"include_self": False}).tolist() == [3, 15]
    assert sent_by_each("nearest-neighbour", 4, {"grid": (2, 2, 1)}) == 6
    assert sent_by_each("tornado", sizes) == 1


def test_two_levels_of_tiles():
    """A subtree of 8 nodes takes a tile of 4 by 2, a switch of 2 nodes one of 1 by 2."""
    assert node_of_rank((8, 4), [(4, 2), (1, 2)]).tolist() == [
        [0, 2, 4, 6, 8, 10, 12, 14],
        [1, 3, 5, 7, 9, 11, 13, 15],
        [16, 18, 20, 22, 24, 26, 28, 30],
        [17, 19, 21, 23, 25, 27, 29, 31],
    ]
    assert node_of_rank((3, 2, 2)).ravel().tolist() == list(range(12))


def tiled(grid, *tiles):
    return "nearest-neighbour", {"grid": grid, "tiles": tiles}


@pytest.mark.parametrize(
    ("nodes", "pattern", "told"),
    [
        (16, ("uniform", {}), "uniform: every node sends to all; allowed: shift"),
        (16, ("shifts", {}), "unknown pattern 'shifts'; allowed: uniform, shift"),
        (16, ("shift", {}), "the pattern 'shift' needs 'step'"),
        (16, ("shift", {"step": 1.5}), "step = 1.5; allowed: a whole number"),
        (16, ("shift", {"step": float("nan")}), "step = nan; allowed: a whole number"),
        (16, ("uniform", {"self": 1}), "has no parameter 'self'; allowed: include_self"),
        (16, ("uniform", {"include_self": "no"}), "include_self = 'no'; allowed: True or False"),
        (16, ("complement", {"step": 1}), "has no parameter 'step'; allowed: no parameters"),
        (12, ("transpose", {}), "transpose: nodes = 12; allowed: a square number"),
        (12, ("bit-reversal", {}), "bit-reversal: nodes = 12; allowed: a power of 2"),
        (12, ("butterfly", {}), "butterfly: nodes = 12; allowed: a power of 2"),
        (12, ("exchange", {"exchange_bit": 1}), "exchange: nodes = 12; allowed: a power of 2"),
        (16, ("exchange", {}), "the pattern 'exchange' needs 'exchange_bit'"),
        (16, ("exchange", {"exchange_bit": 4}), "exchange_bit = 4 on 16 nodes; allowed: 2^exchange_bit < nodes"),
        (1, ("exchange", {"exchange_bit": 0}), "exchange_bit = 0 on 1 nodes; allowed: 2^exchange_bit < nodes"),
        (16, ("exchange", {"exchange_bit": -1}), "exchange_bit = -1; allowed: a whole number >= 0"),
        (16, ("exchange", {"exchange_bit": 0.5}), "exchange_bit = 0.5; allowed: a whole number >= 0"),
        (16, tiled(5), "grid = 5; allowed: a sequence"),
        (16, tiled(()), "grid = (); allowed: a sequence"),
        (16, tiled((16, 0)), "grid[1] = 0; allowed: a whole number >= 1"),
        (16, tiled((4, 3)), "grid = (4, 3); allowed: one process per node, 16 in all"),
        (16, tiled((4, 4), (3, 1)), "tiles[0] = (3, 1); allowed: sides that divide those of the grid, 4×4"),
        (16, tiled((4, 4), (4,)), "tiles[0] has 1 sides; allowed: 2, as the grid"),
        (16, tiled((4, 4), (2, 1)), "tiles[0] = (2, 1); allowed: one process per node of a block, 4 in all"),
        (
            16,
            tiled((4, 4), (2, 2), (1, 1)),
            "2 levels of tiles; allowed: 1 (blocks of 4 nodes), or none: linear mapping",
        ),
        (16, tiled((4, 4), 4), "tiles[0] = 4; allowed: a sequence"),
    ],
)
def test_wrong_patterns(nodes, pattern, told):
    with pytest.raises(InputError) as caught:
        destinations(pattern[0], nodes, pattern[1], blocks=(4,))
    assert told in str(caught.value)


def test_examples():
    assert doctest.testmod(module).failed == 0
