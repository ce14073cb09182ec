"""Patterns of programs that are made up, their peers counted rank by rank."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from dse.models.workload.laws.patterns import dims_create, pattern_of
from dse.models.workload.profile.profile import Communication, Peer, PointToPoint, ProcessClass


def stencil(ranks, dimensions, sizes, *, periodic=True):
    """Return bytes by offset of a stencil: `sizes` by how many coordinates differ, the last dimension fastest."""
    sides = dims_create(ranks, dimensions)
    held = Counter()
    for place in np.ndindex(*sides):
        for step in product((-1, 0, 1), repeat=dimensions):
            moved = np.add(place, step)
            inside = ((moved >= 0) & (moved < sides)).all()
            if any(step) and (periodic or inside):
                offset = np.ravel_multi_index(moved % sides, sides) - np.ravel_multi_index(place, sides)
                held[int(offset) % ranks] += sizes[np.count_nonzero(step) - 1]
    return held


def told(held, ranks):
    peers = tuple(Peer(offset, 1, size) for offset, size in sorted(held.items()))
    p2p = PointToPoint(len(peers), 0, sent_messages=len(peers), sent_bytes=0, sent_peers=peers)
    return pattern_of([ProcessClass("all", ranks, {}, comm=Communication(p2p))], ranks)


@pytest.mark.parametrize("ranks", [16, 27, 64, 72, 256])
@pytest.mark.parametrize("periodic", [True, False])
def test_stencils_of_faces(ranks, periodic):
    for dimensions in (2, 3):
        if min(dims_create(ranks, dimensions)) > 2:
            found = told(stencil(ranks, dimensions, [1000] + [0] * dimensions, periodic=periodic), ranks)
            assert (found.name, found.guessed) == (f"neighbour-{dimensions}d", False)


@pytest.mark.parametrize(("ranks", "dimensions"), [(64, 2), (256, 2), (64, 3), (216, 3)])
def test_corners_do_not_change_the_dimensions(ranks, dimensions):
    sizes = [1000, 300] if dimensions == 2 else [1000, 20, 8]
    assert told(stencil(ranks, dimensions, sizes), ranks).name == f"neighbour-{dimensions}d"


@pytest.mark.parametrize("ranks", [16, 64, 256])
def test_others(ranks):
    everyone = np.arange(ranks)
    swapped = Counter()
    for bit in range(int(np.log2(ranks))):
        swapped.update(Counter(dict.fromkeys(np.unique(((everyone ^ (1 << bit)) - everyone) % ranks).tolist(), 100)))
    assert told(swapped, ranks).name == "exchange"
    assert told(dict.fromkeys(range(1, ranks), 8), ranks).name == "uniform"
    assert not told(dict.fromkeys(range(1, ranks), 8), ranks).guessed
    ring = told({1: 8, ranks - 1: 8}, ranks)
    assert (ring.name, ring.step) == ("shift", 1)
    assert told({0: 8}, ranks) is None
