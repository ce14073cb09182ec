"""Which links of a star the flows cross: the arm of the source and that of the destination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.flow_routing import Crossed, FlowNetwork, Flows, read_sizes
from dse.models.network.topologies.star.closed_form import ARM

__all__ = ["star_network"]


def star_network(parameters: Mapping[str, Any], routing: str) -> FlowNetwork:
    """Return a star as the engine sees it."""
    s, p = read_sizes("star", parameters, "s", "p")
    return FlowNetwork({"s": s, "p": p}, s, p, (ARM,), _loads)


def _loads(flows: Flows) -> list[Crossed]:
    out, into = np.bincount(flows.source, flows.number), np.bincount(flows.destination, flows.number)
    return [Crossed(float(max(out.max(), into.max())), 2.0 * float(flows.number.sum()))]
