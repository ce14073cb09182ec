"""The configurations of the paper, evaluated with the sample tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dse.models.hybrid.model import HybridModel
from dse.search.frontier.pareto import pareto_mask

__all__ = ["GHZ", "PROGRAMS", "SPACES", "Sweep", "at", "sample_model", "sweep"]

PROGRAMS = ("LU", "SP", "BT", "CP", "LB")
GHZ = 1e9
SPACES: dict[str, tuple[tuple[float, ...], ...]] = {
    "xeon": (tuple(2**k for k in range(9)), tuple(range(1, 9)), (1.2 * GHZ, 1.5 * GHZ, 1.8 * GHZ)),
    "arm": (tuple(range(1, 21)), tuple(range(1, 5)), (0.2 * GHZ, 0.5 * GHZ, 0.8 * GHZ, 1.1 * GHZ, 1.4 * GHZ)),
}
"""Nodes, cores and frequencies of the configurations of Figs. 8 and 9, by system."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """All configurations of one program on one system; arrays of one element per configuration."""

    designs: tuple[np.ndarray, np.ndarray, np.ndarray]
    results: Mapping[str, np.ndarray]
    frontier: np.ndarray
    """Indices of the configurations on the time-energy frontier, fastest first."""

    def design(self, index: int) -> tuple[float, float, float]:
        """Return (nodes, cores, frequency in GHz) of a configuration."""
        nodes, cores, frequency = (float(axis[index]) for axis in self.designs)
        return nodes, cores, frequency / GHZ

    @property
    def frontier_designs(self) -> list[tuple[float, float, float]]:
        """The configurations on the frontier, fastest first."""
        return [self.design(i) for i in self.frontier]

    def span(self, quantity: str) -> tuple[float, float]:
        """Smallest and largest value over all configurations."""
        return float(self.results[quantity].min()), float(self.results[quantity].max())

    @property
    def frontier_ucr(self) -> tuple[float, float]:
        """Smallest and largest useful computation ratio on the frontier."""
        ratios = self.results["useful_computation_ratio"][self.frontier]
        return float(ratios.min()), float(ratios.max())


@lru_cache(maxsize=2)
def sample_model(system: str) -> HybridModel:
    """Return the model of the sample tables of a system; tables are read once."""
    return HybridModel.of_sample(system)


def sweep(system: str, program: str, **options: Any) -> Sweep:
    """Evaluate all configurations of a program on a system and find their time-energy frontier.

    Parameters
    ----------
    system : {"xeon", "arm"}
        Which sample tables and which space.
    program : str
        One of `PROGRAMS`.
    **options
        As `HybridModel.evaluate` takes them.
    """
    nodes, cores, frequency = (axis.ravel() for axis in np.meshgrid(*SPACES[system], indexing="ij"))
    results = sample_model(system).evaluate(nodes, cores, frequency, program, **options)
    mask = pareto_mask(np.column_stack([results["run_time"], results["energy"]]))
    frontier = np.flatnonzero(mask)
    return Sweep((nodes, cores, frequency), results, frontier[np.argsort(results["run_time"][frontier], kind="stable")])


def at(system: str, program: str, nodes: float, cores: float, ghz: float, **options: Any) -> dict[str, float]:
    """Evaluate one configuration of the sample tables; the frequency in GHz."""
    results = sample_model(system).evaluate(nodes, cores, ghz * GHZ, program, **options)
    return {name: float(value) for name, value in results.items()}
