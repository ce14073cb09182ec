"""How well the bandwidth formulas agree with flit-level simulation: Anghel 2017, Section 5.7, Tables 5.10 to 5.12."""

from __future__ import annotations

from dataclasses import dataclass

from dse.authoring.declaration import RelativeError

__all__ = ["ACCURACY", "SIMULATED", "SIMULATOR", "VALID_NODES", "Simulated"]

SIMULATOR = "flit-level simulation of InfiniBand-like switches and 7 GB/s links"


@dataclass(frozen=True)
class Simulated:
    """One row of the published accuracies: what was simulated, and how well the formulas agree with it.

    Attributes
    ----------
    table, pattern, topology : str
    which : str
        Which simulations of the topology; empty for all.
    mean, largest, smallest : float
        Accuracy in percent: 1 minus the relative error, as printed.
    correlation : float
    nodes : tuple of int
        Least and most nodes.
    shapes : str
        Sizes that were simulated.
    """

    table: str
    pattern: str
    topology: str
    which: str
    mean: float
    largest: float
    smallest: float
    correlation: float
    nodes: tuple[int, int]
    shapes: str

    @property
    def error(self) -> RelativeError:
        """The mean relative error; the thesis prints no standard deviation."""
        low, high = self.nodes
        nodes = f"{low:,} nodes" if low == high else f"{low:,} to {high:,} nodes"
        of = f"{SIMULATOR} of {nodes} ({self.shapes}); Anghel 2017, {self.table}"
        return RelativeError(mean=round(1.0 - self.mean / 100.0, 6), of=of)


_UNIFORM, _SHIFT, _NEIGHBOUR = "uniform", "shift", "nearest-neighbour"
_TREE_2, _TREE_3 = "fat-tree-2-level", "fat-tree-3-level"
_TORI = "p 1, d1 2-15, d2 2-64, d3 2-80"

SIMULATED: tuple[Simulated, ...] = (
    Simulated(
        "Table 5.10", _UNIFORM, _TREE_2, "", 98.9, 99.3, 98.7, 0.99, (1024, 1224), "w0 1, w1 2-39, m1 25-61, m2 20-42"
    ),
    Simulated(
        "Table 5.10",
        _UNIFORM,
        _TREE_3,
        "",
        98.8,
        99.0,
        98.6,
        0.98,
        (1026, 1200),
        "w0 1, w1 3-39, w2 2-6, m1 18-61, m2 3-10, m3 6",
    ),
    # Largest and smallest are printed the wrong way round.
    Simulated("Table 5.10", _UNIFORM, "full-mesh", "", 99.4, 99.0, 99.5, 0.99, (1026, 1170), "p 13-80, a 13-80"),
    Simulated("Table 5.10", _UNIFORM, "hyperx", "", 97.9, 99.7, 94.2, 0.99, (16, 1200), "p 2-14, d1 = d2 4-10"),
    Simulated("Table 5.10", _UNIFORM, "torus", "", 83.4, 99.5, 38.8, 0.97, (8, 3375), _TORI),
    Simulated(
        "Table 5.10", _UNIFORM, "torus", "equal sizes", 93.1, 99.5, 81.1, 0.99, (8, 3375), "p 1, d1 = d2 = d3 2-15"
    ),
    Simulated("Table 5.10", _UNIFORM, "torus", "different sizes", 77.3, 97.3, 38.8, 0.93, (8, 3375), _TORI),
    Simulated("Table 5.11", _SHIFT, _TREE_2, "", 92.8, 99.7, 78.0, 0.98, (24, 1024), "w0 1, w1 2-8, m1 12-64, m2 2-16"),
    Simulated(
        "Table 5.11",
        _SHIFT,
        _TREE_3,
        "",
        94.1,
        99.8,
        78.0,
        0.99,
        (48, 1280),
        "w0 1, w1 2-4, w2 4-8, m1 12-40, m2 2-8, m3 2-4",
    ),
    Simulated("Table 5.11", _SHIFT, "full-mesh", "", 96.7, 99.8, 82.0, 0.99, (96, 1536), "p 8-64, a 12-24"),
    Simulated(
        "Table 5.12",
        _NEIGHBOUR,
        _TREE_2,
        "",
        91.1,
        99.8,
        80.4,
        0.98,
        (1024, 1024),
        "w0 1, w1 2, 4, 8, m1 8-32, m2 32-128",
    ),
    Simulated(
        "Table 5.12",
        _NEIGHBOUR,
        _TREE_3,
        "",
        89.7,
        99.7,
        75.0,
        0.98,
        (1024, 1024),
        "w0 1, w1 2, 4, w2 4, m1 2, 8, 32, m2 4, 16, m3 2-128",
    ),
    Simulated("Table 5.12", _NEIGHBOUR, "full-mesh", "", 97.8, 99.8, 95.0, 0.99, (1024, 1024), "p 8-64, a 16-128"),
    Simulated(
        "Table 5.12",
        _NEIGHBOUR,
        "hyperx",
        "",
        83.0,
        91.8,
        52.0,
        0.89,
        (100, 1000),
        "p 1-5, 10, d1 = d2 = 10, k and m 1, 2, 5, 10",
    ),
)
"""Every row of Tables 5.10 to 5.12."""

ACCURACY: dict[tuple[str, str], RelativeError] = {
    (row.topology, row.pattern): row.error for row in SIMULATED if not row.which
}
"""Published error of the bandwidth, by topology and pattern."""

VALID_NODES: dict[tuple[str, str], tuple[float, float]] = {
    (row.topology, row.pattern): (float(row.nodes[0]), float(row.nodes[1])) for row in SIMULATED if not row.which
}
"""Least and most nodes of the machines it was measured on."""
