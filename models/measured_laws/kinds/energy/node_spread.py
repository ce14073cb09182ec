"""Nodes of one kind do not draw the same power: what the best and the worst ones would draw for the same job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["PowerBounds", "power_bounds"]


@dataclass(frozen=True)
class PowerBounds:
    """Power of a job on the least and on the most hungry nodes [W]."""

    least: float
    most: float

    @property
    def width(self) -> float:
        """Their difference, n (P_max - P_min), whatever nodes the job ran on."""
        return self.most - self.least


def power_bounds(
    job_power: float,
    used_nodes: Any,
    least_node_power: float,
    most_node_power: float,
    reference_job_power: float | None = None,
) -> PowerBounds:
    """Return the power of a job if all its nodes were the best, or the worst, of the machine (Eqs. 8 and 9).

    P_min = P - sum over used nodes of (P_u - P_least), P_max = P + sum of (P_most - P_u).

    Parameters
    ----------
    job_power : float
        Mean power of the job [W].
    used_nodes : array_like
        Power of each node it ran on, measured under one load [W].
    least_node_power, most_node_power : float
        The least and the most of all nodes of the machine under that load [W].
    reference_job_power : float, optional
        Power of the same nodes under that load [W]. Where given, the spread is scaled by `job_power` over it, for a
        job that is lighter.

    Raises
    ------
    InputError
        No node, a power that is not above 0, a node outside of least and most, or bounds that reach 0.
    """
    nodes = np.asarray(used_nodes, dtype=float).reshape(-1)
    if not len(nodes):
        raise InputError("no node", key="used_nodes", allowed="the power of each node in use")
    if not 0.0 < least_node_power <= most_node_power < np.inf:
        raise InputError(
            f"{least_node_power:g} to {most_node_power:g} W", key="least_node_power", allowed="above 0, the least first"
        )
    if not np.all((nodes >= least_node_power) & (nodes <= most_node_power)):
        wrong = nodes[~((nodes >= least_node_power) & (nodes <= most_node_power))][0]
        raise InputError(
            f"a node of {wrong:g} W", key="used_nodes", allowed=f"{least_node_power:g} to {most_node_power:g} W"
        )
    if not 0.0 < job_power < np.inf:
        raise InputError(f"{job_power:g} W", key="job_power", allowed="above 0")
    if reference_job_power is not None and not 0.0 < reference_job_power < np.inf:
        raise InputError(f"{reference_job_power:g} W", key="reference_job_power", allowed="above 0")
    scale = 1.0 if reference_job_power is None else job_power / reference_job_power
    least = job_power - scale * float(np.sum(nodes - least_node_power))
    if least <= 0.0:
        raise InputError(
            f"the best nodes would draw {least:g} W",
            key="job_power",
            allowed="a spread measured under the load of the job, or 'reference_job_power'",
        )
    return PowerBounds(least, job_power + scale * float(np.sum(most_node_power - nodes)))
