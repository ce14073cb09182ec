"""All paths of least cost between the switches of any network, and the loads of flows that split equally over them.

A path costs its links first and then the length of its cables: the best paths have the fewest links, and among these
the shortest cables. Lengths are compared to the micrometre, so that the order of additions makes no difference. Or
links alone count, and all paths of fewest links are equally good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["EqualCostPaths", "equal_cost_paths"]

_MICROMETRE = 1e-6
_LINK = 1 << 52
"""Cost of a link; all the cables of a path are shorter than so many micrometres."""


class EqualCostPaths(NamedTuple):
    """The best paths between all pairs of switches; arrays have a row and a column for each switch.

    Attributes
    ----------
    neighbours : ndarray of int, shape (switches, links of a switch)
        The switch at the other end of each link of a switch.
    lengths : ndarray, the same shape
        Its cable, m.
    hops : ndarray of int
        Links on the best paths.
    cable : ndarray
        Length of their cables, m; NaN where cables do not count.
    paths : ndarray
        How many best paths there are.
    on_the_way : ndarray of bool, shape (links of a switch, switches, switches)
        For a link of a switch v to a switch t, and a switch s: whether a best path from s to t takes it last.
    """

    neighbours: np.ndarray
    lengths: np.ndarray
    hops: np.ndarray
    cable: np.ndarray
    paths: np.ndarray
    on_the_way: np.ndarray

    def loads(self, flows: np.ndarray) -> np.ndarray:
        """Return what every link carries, of the shape of `neighbours`: link j of switch v, in the direction from v.

        Parameters
        ----------
        flows : ndarray, shape (switches, switches)
            From the switch of the column to that of the row; they split equally over all best paths.
        """
        beyond = np.zeros_like(self.paths)
        carried = np.zeros(self.neighbours.shape)
        # Flows from s reach t over v: a flow that goes on from t has gone through v as well.
        for _ in range(int(self.hops.max(initial=0))):
            each = (flows + beyond) / self.paths
            beyond = np.zeros_like(beyond)
            for link, near in enumerate(self.neighbours.T):
                share = np.where(self.on_the_way[link], self.paths * each[near], 0.0)
                carried[:, link] = share.sum(axis=1)
                beyond += share
        return carried


def equal_cost_paths(neighbours: np.ndarray, lengths: np.ndarray, *, cables_count: bool = True) -> EqualCostPaths:
    """Find the best paths between all pairs of switches.

    Parameters
    ----------
    neighbours : ndarray of int, shape (switches, links of a switch)
        The switch at the other end of each link. Every link stands in the rows of both its ends, as often as there are
        parallel links; a switch with fewer links than others names itself in the places that are left.
    lengths : ndarray, the same shape
        Cables, m.
    cables_count : bool
        Whether only the shortest cables among the paths of fewest links are good enough.

    Returns
    -------
    EqualCostPaths

    Raises
    ------
    ValueError
        Some switches cannot be reached.
    """
    switches = len(neighbours)
    step = _LINK + cables_count * np.rint(lengths / _MICROMETRE).astype(np.int64)
    far = np.int64(2 * _LINK * min(switches, 500))
    cost = np.full((switches, switches), far)
    np.fill_diagonal(cost, 0)
    before = cost + 1
    while not np.array_equal(before, cost):
        before = cost.copy()
        for link, near in enumerate(neighbours.T):
            np.minimum(cost, before[near] + step[:, link, None], out=cost)
    if (cost == far).any():
        raise ValueError("some switches cannot be reached")
    on_the_way = np.stack([cost + step[:, link, None] == cost[near] for link, near in enumerate(neighbours.T)])
    hops = cost // _LINK
    arrives = [cost[near] + step[:, link, None] == cost for link, near in enumerate(neighbours.T)]
    itself = np.eye(switches)
    paths = itself
    for _ in range(int(hops.max(initial=0))):
        paths = sum((last * paths[near] for last, near in zip(arrives, neighbours.T, strict=True)), start=itself)
    cable = (cost % _LINK) * _MICROMETRE if cables_count else np.full(cost.shape, np.nan)
    return EqualCostPaths(neighbours, lengths, hops, cable, paths, on_the_way)
