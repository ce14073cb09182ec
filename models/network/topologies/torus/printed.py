"""Torus as Anghel 2017 prints it: Eqs. 5.23 to 5.34 (uniform)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.models.network.graphs.grid import class_name
from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.printed import refuse_unprinted, with_self
from dse.models.network.graphs.topology import Formula, Shape, Topology

__all__ = ["PRINTED"]

LARGEST_TORUS = 5
"""Dimensions of the largest torus of the thesis (Section 7.2); Eq. 5.34 is printed for any number, paths for three."""


def _uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.23, 5.25, 5.31, 5.33 and 5.34; appendix table 1, where a message to oneself has no links."""
    with_self(topology, options)
    sizes, p, nodes = shape["d"], shape["p"], topology.nodes(shape)
    longer: Any = sum(np.greater(size, 1) * 1 for size in sizes)
    refuse_unprinted("uniform", topology, longer > LARGEST_TORUS, f"its largest torus has {LARGEST_TORUS} dimensions")
    for size in sizes:
        single = np.equal(size, 2) & np.equal(shape["double_link_at_2"], 0)
        refuse_unprinted("uniform", topology, single, "it counts two links in a ring of two switches")
    traffic = {NODE: Traffic(nodes, 2.0 - 2.0 / nodes)}
    for position, size in enumerate(sizes):
        ring = np.floor(size / 2.0) * np.ceil(size / 2.0)
        traffic[class_name(position)] = Traffic(p * nodes / size * ring / 2.0, ring / size)
    return traffic


PRINTED: dict[str, Formula] = {"uniform": _uniform}
