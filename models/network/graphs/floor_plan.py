"""The floor that the cabinets of a machine stand on, and the lengths of the cables between them.

Cabinets stand in rows, one after the other. A cable runs along the rows and across them (Manhattan), with some slack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["CABLE_LATENCY", "HOP_LATENCY", "FloorPlan"]

HOP_LATENCY = 60e-9
"""Latency of a header in one switch, s: the least of Matsuoka et al. 2014, Section 5.3."""

CABLE_LATENCY = 5e-9
"""Latency of a metre of cable, s/m (Matsuoka et al. 2014, Section 5.3)."""


class FloorPlan(NamedTuple):
    """A floor; lengths in m. Its defaults are assumptions of ours.

    Attributes
    ----------
    cabinets_per_row : int
    cabinet_width : float
        From a cabinet to the next one of its row.
    cabinet_depth : float
        From a row to the next one, the aisle included.
    cable_slack : float
        What a cable between cabinets has beyond the way along the floor.
    inside_cable : float
        Length of a cable inside a cabinet.
    """

    cabinets_per_row: int = 8
    cabinet_width: float = 0.6
    cabinet_depth: float = 2.1
    cable_slack: float = 2.0
    inside_cable: float = 2.0

    def cable_lengths(self, first: Any, other: Any) -> np.ndarray:
        """Return the lengths of cables between cabinets by number, m.

        A cable is ``cabinet_width · |Δcolumn| + cabinet_depth · |Δrow| + cable_slack`` long; `inside_cable` where both
        ends are in the same cabinet.

        Parameters
        ----------
        first, other : array_like of int
            Cabinets, numbered along the rows.

        Examples
        --------
        >>> FloorPlan().cable_lengths([0, 0, 0], [0, 1, 17]).round(1).tolist()
        [2.0, 2.6, 6.8]
        """
        (row, column), (there, aside) = (np.divmod(np.asarray(end), self.cabinets_per_row) for end in (first, other))
        along = self.cabinet_width * np.abs(aside - column) + self.cabinet_depth * np.abs(there - row)
        return np.where(np.equal(first, other), self.inside_cable, along + self.cable_slack)
