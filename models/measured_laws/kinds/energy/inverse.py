"""What two measured energies of one problem say about it: idle power times serial share, and the energy on one node."""

from __future__ import annotations

from dataclasses import dataclass

from dse.errors import InputError

__all__ = ["StrongScalingLine", "from_two_points"]


@dataclass(frozen=True)
class StrongScalingLine:
    """The line E(n) = E(1) (1 + (n - 1) k (1 - p)) through two points.

    Attributes
    ----------
    slope : float
        Energy that a further node costs, E(1) k (1 - p) [J].
    energy_one_node : float
        E(1) = T(1) P_node [J].
    waiting_share : float
        k (1 - p) = slope/E(1): power of waiting nodes times the serial share.
    """

    slope: float
    energy_one_node: float
    waiting_share: float

    @property
    def within_amdahl(self) -> bool:
        """Whether a serial share and an idle power of 0 to 1 can give it; below 0 caches or the like gained more."""
        return self.energy_one_node > 0.0 and 0.0 <= self.waiting_share <= 1.0


def from_two_points(first: tuple[float, float], second: tuple[float, float]) -> StrongScalingLine:
    """Return the line through two points (nodes, energy [J]). What lies outside of Amdahl's bounds is not clipped.

    Raises
    ------
    InputError
        Equal numbers of nodes, fewer than one, or energies that are not above 0.
    """
    (n1, e1), (n2, e2) = first, second
    if not (n1 >= 1.0 and n2 >= 1.0) or n1 == n2:
        raise InputError(f"{n1:g} and {n2:g} nodes", key="nodes", allowed="two different numbers, 1 or more")
    if not (e1 > 0.0 and e2 > 0.0):
        raise InputError(f"energies {e1:g} and {e2:g} J", key="energy", allowed="above 0")
    slope = (e2 - e1) / (n2 - n1)
    first_node = e1 - (n1 - 1.0) * slope
    return StrongScalingLine(slope, first_node, slope / first_node if first_node else float("inf"))
