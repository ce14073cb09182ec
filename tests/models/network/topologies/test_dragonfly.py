"""Dragonfly: its wiring, which closed forms, routing and picture share."""

from collections import Counter

import numpy as np
import pytest
from example_counts import sampled

from dse.models.network.topologies.dragonfly.component import DRAGONFLY
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


def test_shifts_of_many_dragonflies_are_counted_flow_by_flow():
    """Each flow takes one local link to every global link of its pair of groups, and one from there."""
    shapes = [(a, p, h, a * h // k + 1, k) for a in (1, 2, 3, 6) for p in (1, 3) for h in (1, 2) for k in (1, 2)]
    designs = [(a, p, h, g, step) for a, p, h, g, k in shapes if a * h % k == 0 for step in range(0, a * p * g, 5)]
    columns = np.array(designs, dtype=float).T
    traffic = DRAGONFLY.shift(dict(zip("aphg", columns, strict=False)), columns[4])
    for place, (a, p, h, g, step) in enumerate(designs):
        copies, group = a * h // (g - 1), a * p
        local, between, hops = Counter(), Counter(), [0.0, 0.0]
        for source in range(group if step else 0):
            away, there = divmod(source + step, group)[0] % g, (source + step) % group // p
            paths = [[(source // p, there)]] if away == 0 else []
            for copy in range(copies if away else 0):
                leaves = switch_of_port(port_to(away, copy, g), h)
                enters = switch_of_port(port_to(g - away, copy, g), h)
                paths.append([(source // p, leaves), (enters, there)])
                between[away] += 1.0 / copies / copies
                hops[1] += 1.0 / copies / group
            for path in paths:
                for link in path:
                    local[link] += (link[0] != link[1]) / len(paths)
        hops[0] = sum(local.values()) / group
        found = [float(own[place]) for kind in ("local", "global") for own in traffic[kind][:2]]
        wanted = [max(local.values(), default=0.0), hops[0], max(between.values(), default=0.0), hops[1]]
        assert found == pytest.approx(wanted), (a, p, h, g, step)
