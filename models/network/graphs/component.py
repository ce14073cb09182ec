"""A topology as a component of the slot ``topology``: what the file ``component.py`` of a topology declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dse.models.network.graphs.accuracy import Accuracy
from dse.models.network.graphs.topology import Topology
from dse.models.network.patterns.pattern_quantities import QUANTITIES

__all__ = ["Component"]


@dataclass(frozen=True)
class Component:
    """A topology with a routing and a set of equations.

    Attributes
    ----------
    provider : str
        Its name in the slot ``topology``.
    topology : Topology
    sizes, bandwidths, latencies : dict of str to str or tuple of str
        The quantity behind each symbol; tuples have one per dimension.
    optical : dict of str to str
        The quantity with the optical share of each class of links.
    sources, path_sources : dict of str to str
        By key of `QUANTITIES`, where bandwidths and paths were published; all others are ours.
    accuracy : dict of str to Accuracy
        By pattern, the published error of its bandwidth.
    routing, equations : str
        As of `bandwidth.effective_bandwidth`.
    patterns : sequence of str
        Keys of `QUANTITIES` it has; all by default.
    sub_domains : bool
        Whether process grids are mapped in tiles where they fit; else ranks follow the nodes.
    converted : dict of str to callable
        By symbol, how its value follows from the quantity behind it, where it is not the same.
    """

    provider: str
    topology: Topology
    sizes: Mapping[str, str | tuple[str, ...]]
    bandwidths: Mapping[str, str | tuple[str, ...]]
    latencies: Mapping[str, str | tuple[str, ...]]
    optical: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)
    path_sources: Mapping[str, str] = field(default_factory=dict)
    accuracy: Mapping[str, Accuracy] = field(default_factory=dict)
    routing: str = "minimal"
    equations: str = "corrected"
    patterns: Sequence[str] = tuple(QUANTITIES)
    sub_domains: bool = True
    converted: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def variant(self, provider: str, **changes: Any) -> Component:
        """Return another component of the same topology."""
        return replace(self, provider=provider, **changes)
