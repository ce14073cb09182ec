"""Dragonfly: its wiring, which closed forms, routing and picture share."""

import numpy as np
import pytest
from example_counts import sampled

from dse.models.network.topologies.dragonfly.wiring import (
    all_pairs_once,
    links_per_pair,
    port_to,
    switch_of_port,
    uneven,
)

GROUPS = [(a, h, g) for a in range(1, 7) for h in range(1, 5) for g in range(2, a * h + 2) if a * h % (g - 1) == 0]


@pytest.mark.parametrize(("a", "h", "g"), sampled(GROUPS, 24))
def test_every_port_has_one_cable_and_every_pair_of_groups_the_same_number(a, h, g):
    assert not uneven(a, h, g)
    copies = links_per_pair(a, h, g)
    ends = {}
    for group in range(g):
        for offset in range(1, g):
            for copy in range(copies):
                here = group, port_to(offset, copy, g)
                ends[here] = (group + offset) % g, port_to(g - offset, copy, g)
    assert sorted(ends) == [(group, port) for group in range(g) for port in range(a * h)]
    assert all(ends[there] == here for here, there in ends.items())
    assert {switch_of_port(port, h) for _, port in ends} == set(range(a))


def test_uneven_groups():
    """A single group is even: it has no other group to reach."""
    a, h, g = 4, 2, np.arange(1, 12)
    assert g[~uneven(a, h, g)].tolist() == [1, 2, 3, 5, 9]
    assert all_pairs_once(a, h) == 9
    assert links_per_pair(a, h, all_pairs_once(a, h)) == 1
