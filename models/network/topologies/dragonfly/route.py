"""Which links of a dragonfly the flows cross: local, global, local, equally over the links of the two groups.

Switch of a dragonfly = switches per group times group + place in the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.flow_routing import (
    FLOW_LIMIT,
    Crossed,
    FlowNetwork,
    Flows,
    LinkTable,
    chunks,
    read_sizes,
    read_whole_number,
    refuse_many,
)
from dse.models.network.topologies.dragonfly.wiring import (
    GLOBAL,
    LOCAL,
    all_pairs_once,
    links_per_pair,
    port_to,
    switch_of_port,
    uneven,
)

__all__ = ["dragonfly_network"]


def dragonfly_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a dragonfly as the engine sees it; a single group is allowed here."""
    a, p, h = read_sizes("dragonfly", parameters, "a", "p", "h")
    g = read_whole_number("g", parameters.get("g", all_pairs_once(a, h)))
    if uneven(a, h, g):
        refused = f"{g} groups, a*h = {a * h} global ports per group"
        raise InputError(refused, key="g", allowed="groups with a*h divisible by g - 1")
    return FlowNetwork({"a": a, "p": p, "h": h, "g": g}, a * g, p, (LOCAL, GLOBAL), partial(_loads, a, h, g))


def _loads(a: int, h: int, g: int, flows: Flows) -> list[Crossed]:
    """Route local, global, local through the direct links of the two groups."""
    source, destination, number = flows
    from_group, to_group = source // a, destination // a
    offset = to_group - from_group
    offset += g * (offset < 0)
    near, far = np.flatnonzero(offset == 0), np.flatnonzero(offset)
    copies = links_per_pair(a, h, g) if g > 1 else 1
    parts = len(near) + 2 * len(far) * copies
    local = LinkTable(a * a * g, parts)
    local_total = float(number[near].sum())
    local.add(source[near] * a + destination[near] % a, number[near] * copies)
    source, destination, number, offset = source[far], destination[far], number[far], offset[far]
    pairs = LinkTable(g * g, len(far))
    pairs.add(from_group[far] * g + offset, number)
    for outwards, switch, away in ((True, source, offset), (False, destination, g - offset)):
        # The local hop beside the global link depends only on the switch and on the offset of the other group.
        ends = LinkTable(a * g * g, len(far))
        if copies > 1:
            ends.add(switch * g + away, number)
            key, load = ends.sums()
            switch, away = np.divmod(key, g)
        else:
            load = number
        split = len(switch) * copies
        workload = f"{len(switch):,} flows split over {copies:,} links between two groups make {split:,} parts"
        refuse_many(workload, split, 4 * FLOW_LIMIT, "take fewer nodes, or fewer global ports")
        for chunk in chunks(len(switch), copies):
            port = port_to(away[chunk], np.arange(copies)[:, None], g)
            outlet, place = switch_of_port(port, h), switch[chunk] % a
            other = outlet != place
            group = switch[chunk] - place
            link = (switch[chunk] * a + outlet) if outwards else (group + outlet) * a + place
            share = np.broadcast_to(load[chunk], other.shape)[other]
            local.add(link[other], share)
            local_total += float(share.sum()) / copies
    return [Crossed(local.largest() / copies, local_total), Crossed(pairs.largest() / copies, float(number.sum()))]
