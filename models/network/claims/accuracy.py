"""The published accuracies of the bandwidth formulas, and what the text and the tables say about each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.claims.printed_formula import claim
from dse.models.network.claims.tables import rows_of
from dse.models.network.parts.parts import network_parts
from dse.models.sources import ANGHEL_2017

__all__ = ["SIMULATED", "Simulated", "accuracy_claims"]


@dataclass(frozen=True)
class Simulated:
    """One row of the published accuracies: what was simulated, and how well the formulas agree with it.

    Attributes
    ----------
    source, table, pattern, topology : str
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

    source: str
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


def _simulated() -> Iterator[Simulated]:
    for row in rows_of("simulated-accuracies.csv"):
        yield Simulated(
            source=row["source"],
            table=row["table"],
            pattern=row["pattern"],
            topology=row["topology"],
            which=row["which"],
            mean=float(row["mean_percent"]),
            largest=float(row["largest_percent"]),
            smallest=float(row["smallest_percent"]),
            correlation=float(row["correlation"]),
            nodes=(int(row["least_nodes"]), int(row["most_nodes"])),
            shapes=row["shapes"],
        )


# Of the full mesh, largest and smallest are printed the wrong way round.
SIMULATED: tuple[Simulated, ...] = tuple(_simulated())
"""Every row of Tables 5.10 to 5.12."""


def accuracy_claims() -> list[Claim]:
    """Return the sizes that were simulated, the summaries of the text, and what its tables say of each other."""
    return [*_sizes(), *_summaries(), *_consistency()]


# smallest and largest shapes of the ranges, where both are among the simulated ones
_ENDS: tuple[tuple[str, str, dict[str, Any], dict[str, Any]], ...] = (
    ("uniform", "torus", {"p": 1, "d": (2, 2, 2)}, {"p": 1, "d": (15, 15, 15)}),
    ("shift", "full-mesh", {"p": 8, "a": 12}, {"p": 64, "a": 24}),
    ("shift", "fat-tree-2-level", {"m1": 12, "m2": 2, "w1": 2}, {"m1": 64, "m2": 16, "w1": 8}),
    (
        "shift",
        "fat-tree-3-level",
        {"m1": 12, "m2": 2, "m3": 2, "w1": 2, "w2": 4},
        {"m1": 40, "m2": 8, "m3": 4, "w1": 4, "w2": 8},
    ),
    ("nearest-neighbour", "full-mesh", {"p": 8, "a": 128}, {"p": 64, "a": 16}),
    ("nearest-neighbour", "hyperx", {"p": 1, "d": (10, 10)}, {"p": 10, "d": (10, 10)}),
)


def _sizes() -> list[Claim]:
    printed = {(row.pattern, row.topology): row.nodes for row in SIMULATED if not row.which}
    claims = []
    for pattern, topology, least, most in _ENDS:
        ours = (int(network_parts(topology, least).nodes), int(network_parts(topology, most).nodes))
        title = f"{pattern}, {topology}: nodes of the smallest and largest shape simulated"
        claims.append(claim(title, f"{ANGHEL_2017}, Section 5.7", printed[pattern, topology], ours))
    squares = tuple(int(network_parts("hyperx", {"p": p, "d": d}).nodes) for p, d in ((2, (4, 4)), (12, (10, 10))))
    title = "uniform, hyperx: nodes of the smallest and largest shape simulated"
    note = "p from 2 and d1 = d2 from 4 make 32 nodes; 16 needs p = 1"
    source = f"{ANGHEL_2017}, Section 5.7.2"
    claims.append(claim(title, source, printed["uniform", "hyperx"], squares, kind="deviation", note=note))
    return claims


def _rows(pattern: str, *topologies: str) -> list[Simulated]:
    return [
        row
        for row in SIMULATED
        if row.pattern == pattern and not row.which and (not topologies or row.topology in topologies)
    ]


_TREES_AND_MESH = ("fat-tree-2-level", "fat-tree-3-level", "full-mesh")
_OTHERS = (*_TREES_AND_MESH, "hyperx")


def _summaries() -> list[Claim]:
    """The text on Tables 5.10 to 5.12 and Section 5.9: "more than …"."""
    claims = []
    for pattern, topologies, mean, correlation, place in (
        ("uniform", _OTHERS, 97.0, None, "Section 5.7.2"),
        ("uniform", (), None, 0.97, "Section 5.7.2"),
        ("shift", (), 92.0, 0.98, "Section 5.7.3"),
        ("nearest-neighbour", _TREES_AND_MESH, 89.0, 0.98, "Section 5.7.4"),
    ):
        rows = _rows(pattern, *topologies)
        which = ", ".join(topologies) or "all topologies"
        if mean is not None:
            above = all(row.mean > mean for row in rows)
            claims.append(
                claim(
                    f"text on {pattern}, {which}: mean accuracy above {mean:g} %",
                    f"{ANGHEL_2017}, {place}",
                    True,
                    above,
                )
            )
        if correlation is not None:
            least = min(row.correlation for row in rows)
            title = f"text on {pattern}, {which}: correlations above {correlation}"
            note = f"the smallest in the table is {least}: at least, not above"
            rest: dict[str, Any] = {} if least > correlation else {"kind": "deviation", "note": note}
            claims.append(claim(title, f"{ANGHEL_2017}, {place}", True, least > correlation, **rest))
    return claims


def _consistency() -> list[Claim]:
    mesh = _rows("uniform", "full-mesh")[0]
    note = "largest and smallest are swapped: the mean of 99.4 lies between them the other way round"
    tori = [row for row in SIMULATED if row.pattern == "uniform" and row.topology == "torus"]
    everything, parts = tori[0], tori[1:]
    ends = (everything.largest, everything.smallest)
    weight = (everything.mean - parts[1].mean) / (parts[0].mean - parts[1].mean)
    return [
        claim(
            "uniform, full-mesh: largest and smallest accuracy in percent",
            f"{ANGHEL_2017}, Table 5.10",
            (mesh.largest, mesh.smallest),
            tuple(_ordered((mesh.largest, mesh.smallest))),
            kind="deviation",
            note=note,
        ),
        claim(
            "uniform, torus: largest and smallest accuracy of all, from equal and different sizes, in percent",
            f"{ANGHEL_2017}, Table 5.10",
            ends,
            (max(row.largest for row in parts), min(row.smallest for row in parts)),
        ),
        claim(
            "uniform, torus: share of equal sizes the three means imply is between 0 and 1",
            f"{ANGHEL_2017}, Table 5.10",
            True,
            0.0 < weight < 1.0,
        ),
    ]


def _ordered(values: Iterable[float]) -> list[float]:
    return sorted(values, reverse=True)
