"""How well bandwidth formulas agree with packets simulated here, where no simulation of them is published.

The rows of ``spaces/network/simulated-bandwidths.csv`` are those of a packet simulator that shares no code with the
models (``benchmarks/packets``): credits, virtual cut-through, queues of inputs that outputs serve in turn.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from dse.authoring.declare.declaration import RelativeError

__all__ = ["FILE", "SimulatedRow", "error_simulated_here", "rows_simulated_here"]

FILE = "network/simulated-bandwidths.csv"

_UNIFORM = {"uniform": "uniform-without-self"}
"""What stands for a pattern: the simulator has no messages of a node to itself."""

_SAME = 1e-3
"""Of random traffic: a simulation that is no more than so much above the model does not exceed it."""


@dataclass(frozen=True)
class SimulatedRow:
    """One machine under one pattern.

    Attributes
    ----------
    component, pattern : str
        In the slots ``topology`` and ``pattern``; the pattern "valiant" is any over random switches.
    sizes, options : str
        By symbol, as the file has them: "d 4x4x4 p 1".
    row : str
        The row of published accuracies in whose ranges the machine is; else empty.
    nodes : int
    model, simulated : float
        B/s.
    oldest_first : float or None
        Simulated, with outputs that serve the oldest packet first; where the first is more than 5 % below the model.
    bound : float or None
        What no routing exceeds, B/s.
    """

    component: str
    pattern: str
    sizes: str
    options: str
    row: str
    nodes: int
    model: float
    simulated: float
    oldest_first: float | None
    bound: float | None

    @property
    def ratio(self) -> float:
        """The model over the simulation."""
        return self.model / self.simulated


@lru_cache(maxsize=1)
def rows_simulated_here() -> tuple[SimulatedRow, ...]:
    """Return the rows of the file."""
    with (Path(str(files("dse.spaces"))) / FILE).open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return tuple(_read(row) for row in rows)


def _read(row: Mapping[str, str]) -> SimulatedRow:
    return SimulatedRow(
        component=row["component"],
        pattern=row["pattern"],
        sizes=row["sizes"],
        options=row["options"],
        row=row["row"],
        nodes=int(row["nodes"]),
        model=float(row["model"]),
        simulated=float(row["simulated"]),
        oldest_first=_number(row["oldest_first"]),
        bound=_number(row["bound"]),
    )


def _number(text: str) -> float | None:
    return float(text) if text else None


def error_simulated_here(component: str, pattern: str) -> RelativeError | None:
    """Return the mean error of a bandwidth over the machines simulated here; None where there are none.

    Parameters
    ----------
    component, pattern : str
        In the slots ``topology`` and ``pattern``.
    """
    rows = _rows_by_pair().get((component, _UNIFORM.get(pattern, pattern)), [])
    if not rows:
        return None
    errors, nodes = [abs(row.ratio - 1.0) for row in rows], [row.nodes for row in rows]
    machines = "1 machine" if len(errors) == 1 else f"{len(errors)} machines"
    of = f"packets simulated here on {machines} of {min(nodes):,} to {max(nodes):,} nodes (spaces/{FILE})"
    return RelativeError(
        mean=round(sum(errors) / len(errors), 4),
        of=of,
        published=False,
        is_upper_bound=all(row.ratio > 1.0 - _SAME for row in rows),
    )


@lru_cache(maxsize=1)
def _rows_by_pair() -> dict[tuple[str, str], list[SimulatedRow]]:
    by_pair: dict[tuple[str, str], list[SimulatedRow]] = {}
    for row in rows_simulated_here():
        by_pair.setdefault((row.component, row.pattern), []).append(row)
    return by_pair
