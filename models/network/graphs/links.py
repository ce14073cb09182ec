"""Link classes: capacity, load and traversals, from which bandwidth, bottleneck, path length and latency follow.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), Section 5.3: a link
shared by x flows gives each capacity/x, a flow runs at its worst link, and the slowest flow decides when all are done
(Eqs. 5.1 to 5.3). With equal volumes and F flows per node

    effective bandwidth of a node = F · min over classes of (capacity / largest load)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NODE", "LinkClass", "LinkLoads", "Traffic"]

NODE = "node"
"""Name of the class of the links between nodes and switches."""


class Traffic(NamedTuple):
    """What a pattern does to the links of one class.

    Attributes
    ----------
    load : ndarray
        Largest number of flows on one directed link of the class (trees: on the bundle of links that leave a switch of
        level 1, or a subtree). Fractions where flows are split; NaN where there is no closed form.
    traversals : ndarray
        Mean number of links of the class crossed by a message that leaves its node.
    length : ndarray
        Mean length of the cables of these links, m; 0 where cables have no lengths.
    """

    load: Any
    traversals: Any
    length: Any = 0.0


@dataclass(frozen=True)
class LinkClass:
    """Links that are alike, and what a pattern does to them. Every field may be an array over designs.

    Attributes
    ----------
    name : str
    capacity : ndarray
        Of one directed link (trees: of the bundle `load` is counted on), B/s.
    load : ndarray
        Largest number of flows on it.
    traversals : ndarray
        Mean number of links of this class on the path of a message that leaves its node.
    latency : ndarray
        Of one link, s; the mean of those crossed, where it depends on the length of the cable.
    optical : bool
        Whether the links are taken to be optical.
    """

    name: str
    capacity: Any
    load: Any
    traversals: Any
    latency: Any
    optical: bool

    def bandwidth_of_node(self, flows_per_node: Any) -> Any:
        """Return the bandwidth that the busiest link leaves to the flows of a node, B/s; infinite where it has none.

        Flows over load first: a ratio of whole numbers, so that equal links give equal bandwidths to the last bit. The
        link of a node carries the flows of the node.
        """
        if self.name == NODE:
            return np.multiply(self.capacity, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.divide(flows_per_node, self.load)
            return np.where(np.equal(self.load, 0.0), np.inf, self.capacity * share)


@dataclass(frozen=True)
class LinkLoads:
    """The link classes of a topology under a pattern.

    Attributes
    ----------
    flows_per_node : ndarray
        Flows that each node sends, F.
    classes : tuple of LinkClass
        The node links first.
    routed : ndarray of bool
        Where the loads were counted by routing every flow, because there is no closed form.
    """

    flows_per_node: Any
    classes: tuple[LinkClass, ...]
    routed: Any

    @property
    def effective_bandwidth(self) -> Any:
        """Bandwidth each node has for the pattern, B/s (Anghel 2017, Eq. 5.3)."""
        least = self.classes[0].bandwidth_of_node(self.flows_per_node)
        for link_class in self.classes[1:]:
            least = np.minimum(least, link_class.bandwidth_of_node(self.flows_per_node))
        return least

    @property
    def bottleneck(self) -> Any:
        """Position in `classes` of the class that limits; the first of equals."""
        least = self.classes[0].bandwidth_of_node(self.flows_per_node)
        position: Any = 0
        for index, link_class in enumerate(self.classes[1:], 1):
            share = link_class.bandwidth_of_node(self.flows_per_node)
            position = np.where(share < least, index, position)
            least = np.minimum(least, share)
        return position

    @property
    def utilisation(self) -> dict[str, Any]:
        """Load of the busiest link of each class over its capacity, when nodes send at the effective bandwidth."""
        # A single node that sends to no one has no flows.
        rate = self.effective_bandwidth / np.maximum(self.flows_per_node, 1.0)
        return {link_class.name: rate * link_class.load / link_class.capacity for link_class in self.classes}

    @property
    def links(self) -> Any:
        """Mean number of links on the path of a message that leaves its node."""
        return sum(link_class.traversals for link_class in self.classes)

    @property
    def link_latency(self) -> Any:
        """Mean latency of the links on the path of a message that leaves its node, s."""
        return sum(link_class.traversals * link_class.latency for link_class in self.classes)
