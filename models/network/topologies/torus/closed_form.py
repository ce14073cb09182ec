"""Torus of any number of dimensions, routed dimension by dimension, the shorter way round each ring.

After Anghel 2017, Sections 5.4.4 to 5.4.6 (uniform; Eqs. 5.23 to 5.34) and appendix table 1, corrected to leave out
messages to oneself. Shift, neighbours, complement and tornado are ours.

A ring of two switches has two links in each direction, as the formulas count them, unless ``double_link_at_2`` is
off. B is the effective bandwidth of a node: flows per node F times the least of bandwidth b over load, over the
dimensions; b0 is the bandwidth of a node link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.models.network.graphs.grid import GridTopology, Offset
from dse.models.network.graphs.topology import Shape

__all__ = ["Torus"]


def _one_link(size: Any, shape: Shape) -> Any:
    return np.equal(size, 2) & np.equal(shape["double_link_at_2"], 0)


class Torus(GridTopology):
    """Rings in every dimension."""

    def uniform_load(self, size: Any, shape: Shape) -> Any:
        """Uniform on a torus: `B = min(b0, 2·b·d/(p·⌊d/2⌋·⌈d/2⌉))`, least over the dimensions d, F = p·∏d.

        The load is p²·(∏d/d)·N with the ring constant N = ⌊d/2⌋·⌈d/2⌉/2 (Anghel 2017, Eqs. 5.23 and 5.34).
        """
        ring = np.where(_one_link(size, shape), 1.0, np.floor(size / 2.0) * np.ceil(size / 2.0) / 2.0)
        return np.where(size > 1, shape["p"] ** 2 * (self.switches(shape) / size) * ring, 0.0)

    def distance(self, size: Any, offset: Any) -> Any:
        """Return the shorter way round."""
        return np.minimum(offset, size - offset)

    def mean_distance(self, size: Any) -> Any:
        """Anghel 2017, appendix table 1."""
        return np.floor(size / 2.0) * np.ceil(size / 2.0) / size

    def complement_load(self, size: Any, shape: Shape) -> Any:
        """Complement on a torus: `B = min(b0, 4·b/(p·d))` for even d, `min(b0, b/(p·⌊(d + 1)/4⌋))` for odd d."""
        share = np.where(np.mod(size, 2.0) == 0, size / 4.0, np.floor((size + 1.0) / 4.0))
        return shape["p"] * np.where(_one_link(size, shape), 1.0, share)

    def complement_distance(self, size: Any) -> Any:
        """Return the mean of min(|d − 1 − 2x|, d − |d − 1 − 2x|) over x."""
        half = np.floor(size / 2.0)
        # Even sizes have the odd distances only, odd sizes every distance up to half of the ring.
        return np.where(np.mod(size, 2.0) == 0, half**2 + np.mod(half, 2.0), half * (half + 1.0)) / size

    def neighbour_load(self, size: Any, face: Any, shape: Shape) -> Any:
        """Nearest neighbours on a torus, a tile per switch: `B = min(b0, F·b/face)`, least over the dimensions.

        F is twice the number of dimensions of the process grid, the face of a tile what of it borders on the next one:
        so many flows go each way. In a ring of two, twice as many flows take two links; a single one carries 2·face.
        """
        return face * np.where(_one_link(size, shape), 2.0, 1.0)

    def offset_load(self, size: Any, offsets: Sequence[Offset], shape: Shape) -> Any:
        """Shift on a torus: `B = min(b0, b/load)`, the load the larger of both ways round.

        F = 1. Each way round it is Σ flows·distance over the offsets; half of the ring away, half of the flows go
        each way.
        """
        forward: Any = 0.0
        backward: Any = 0.0
        single = _one_link(size, shape)
        for offset, flows in offsets:
            forward = forward + flows * self._crossings(size, offset, single)
            backward = backward + flows * self._crossings(size, np.mod(size - offset, size), single)
        return np.maximum(forward, backward)

    def _crossings(self, size: Any, offset: Any, single: Any) -> Any:
        half = np.where(single, 1.0, size / 4.0)
        return np.where(2.0 * offset < size, offset, np.where(2.0 * offset == size, half, 0.0))

    def tornado_loads(self, shape: Shape) -> list[Any]:
        """Tornado on a torus: `B = min(b0, b/(p·((⌈d/2⌉ − 1) mod d)))`, almost half way round every ring; F = 1."""
        return [shape["p"] * self._tornado_offset(size) for size in shape["d"]]

    def _loads(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        if pattern == "tornado":
            return self.tornado_loads(shape)
        return super()._loads(shape, pattern, options, routing)

    def _traversals(self, shape: Shape, pattern: str, options: Mapping[str, Any], routing: str) -> Sequence[Any]:
        if pattern == "tornado":
            return [self._tornado_offset(size) for size in shape["d"]]
        return super()._traversals(shape, pattern, options, routing)

    def _tornado_offset(self, size: Any) -> Any:
        return np.mod(np.ceil(size / 2.0) - 1.0, size)

    def ports_of_dimension(self, size: Any, shape: Shape) -> Any:
        """Return two, none in a dimension of one switch, one in a ring of two with a single link."""
        return np.where(size > 1, np.where(_one_link(size, shape), 1.0, 2.0), 0.0)

    def eccentricity(self, size: Any) -> Any:
        """Return half of the ring."""
        return np.floor(size / 2.0)

    def cut_links(self, size: Any, shape: Shape) -> Any:
        """Return two links of a ring."""
        return np.where(_one_link(size, shape), 1.0, 2.0)
