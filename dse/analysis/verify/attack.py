"""Attacking a frontier: random designs and all one-step neighbours are thrown at it, and none may beat it.

The designs are evaluated through the plain graph, not through the tables and bounds of the search
(`dse.run.result.self_check`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from dse.errors import RunFolderError
from dse.evaluation.problem import Problem
from dse.run.disk.folder import FRONTIER
from dse.run.result.run import Run
from dse.run.result.self_check import evaluate_flat, neighbours, tolerance_of, unbeaten
from dse.run.result.tables import frontier_table
from dse.search.account.certificate import TIES
from dse.search.account.tolerance import Tolerance
from dse.search.frontier.pareto import nondominated, to_minimise

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Beating", "Verification", "verify_frontier", "verify_run"]

_PIECE = 50_000
_SHOWN = 20


class Beating(TypedDict):
    """A design that should be on the frontier."""

    design: int
    parameters: dict[str, str]


@dataclass(frozen=True)
class Verification:
    """What an attack on a frontier found.

    Attributes
    ----------
    passed : bool
    frontier, random, neighbours : int
        Designs on the frontier, and thrown at it.
    whole_space : bool
        Whether every design was thrown.
    values_differ : list of int
        Designs of the frontier that stand twice, or of which a column does not recompute to 1e-12.
    infeasible : list of int
        Designs of the frontier that break a constraint.
    beaten_by, beaten_by_count
        Designs that should be on it (the first), and how many.
    bound : bool
        Whether the search promises that none beats it; where it does not, being beaten is no fault.
    """

    passed: bool
    frontier: int
    random: int
    whole_space: bool
    neighbours: int
    values_differ: list[int]
    infeasible: list[int]
    beaten_by: list[Beating]
    beaten_by_count: int
    bound: bool = True

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


def verify_run(
    run: Run, *, designs: int = 200_000, seed: int = 1, progress: Callable[[int, int], None] | None = None
) -> Verification:
    """Try to beat the frontier of a run (`verify_frontier`)."""
    study, certificate = run.study, run.manifest.certificate
    tolerance = tolerance_of(study.compiled, certificate)
    try:
        return verify_frontier(
            study.compiled,
            run.frontier,
            study.spec.also,
            designs=designs,
            seed=seed,
            ties=certificate.ties == TIES,
            bound=certificate.evolution is None and (certificate.gap is None or tolerance is not None),
            tolerance=tolerance,
            progress=progress,
        )
    except RunFolderError as error:
        raise error.within(file=run.folder) from None


def verify_frontier(
    problem: Problem,
    frontier: pd.DataFrame,
    also: Sequence[str] = (),
    *,
    designs: int = 200_000,
    seed: int = 1,
    ties: bool = True,
    bound: bool = True,
    tolerance: Tolerance | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verification:
    """Try to beat a frontier.

    Parameters
    ----------
    problem : Problem
    frontier : DataFrame
        As `dse.run.result.tables.frontier_table` makes it.
    also : sequence of str
        What it shows beside the objectives.
    designs : int
        Random designs to throw; all of a smaller space.
    seed : int
    ties : bool
        Whether it promises every design that equals one of it.
    bound : bool
        Whether it promises that no design beats it.
    tolerance : Tolerance, optional
        Within which one of it stands for every design.
    progress : callable, optional
        Called with (designs thrown, designs in all).
    """
    names = [o.quantity for o in problem.objectives]
    senses = [o.sense for o in problem.objectives]
    numbers = frontier["design"].to_numpy(dtype=np.int64)
    points = to_minimise(frontier[names].to_numpy(dtype=float), senses)
    size = problem.space.size
    foreign = [int(number) for number in numbers if not 0 <= number < size]
    if foreign:
        raise RunFolderError(f"{FRONTIER}: there is no design {foreign[0]} in the space", allowed=f"0 to {size - 1}")
    feasible = evaluate_flat(problem, numbers).feasible
    differ = np.flatnonzero(_differs(problem, frontier, also))
    if designs >= size:
        chosen = np.arange(size, dtype=np.int64)
    else:
        chosen = np.random.default_rng(seed).integers(0, size, designs, dtype=np.int64)
    around = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *neighbours(problem, numbers)]))
    todo = np.concatenate([chosen, around])
    beaten = [int(number) for number in numbers[~nondominated(points)]]
    own = len(beaten)
    for start in range(0, len(todo), _PIECE):
        piece = todo[start : start + _PIECE]
        fresh = evaluate_flat(problem, piece[~np.isin(piece, numbers)])
        fresh = fresh.take(np.flatnonzero(fresh.feasible))
        better = unbeaten(problem, points, fresh.points(problem), ties=ties, tolerance=tolerance)
        beaten += [int(number) for number in fresh.numbers[better]]
        if progress is not None:
            progress(min(start + _PIECE, len(todo)), len(todo))
    beaten = sorted(set(beaten))
    shown = beaten[:_SHOWN]
    return Verification(
        passed=not (len(differ) or (beaten if bound else own) or not feasible.all()),
        frontier=len(numbers),
        random=len(chosen),
        whole_space=designs >= size,
        neighbours=len(around),
        values_differ=[int(numbers[row]) for row in differ[:_SHOWN]],
        infeasible=[int(number) for number in numbers[~feasible][:_SHOWN]],
        beaten_by=[{"design": number, "parameters": problem.space.parameters(number)} for number in shown],
        beaten_by_count=len(beaten),
        bound=bound,
    )


def _differs(problem: Problem, frame: pd.DataFrame, also: Sequence[str]) -> np.ndarray:
    """Mark the rows of the frontier that stand twice, or of which any column does not recompute."""
    differs = frame["design"].duplicated(keep="first").to_numpy(copy=True)
    for begin in range(0, len(frame), _PIECE):
        piece = slice(begin, begin + _PIECE)
        differs[piece] |= _differ(problem, frame.iloc[piece], also)
    result: np.ndarray = differs
    return result


def _differ(problem: Problem, frame: pd.DataFrame, also: Sequence[str]) -> np.ndarray:
    numbers = frame["design"].to_numpy(dtype=np.int64)
    names = [objective.quantity for objective in problem.objectives]
    computed = {name: np.full(len(frame), np.nan) for name in names}
    for record in problem.quantities(numbers):
        for name, column in computed.items():
            value = np.asarray(record["values"][name], dtype=float).reshape(-1)
            column[record["positions"]] = np.broadcast_to(value, len(record["positions"]))
    again = frontier_table(problem, also, numbers, np.column_stack(list(computed.values())))
    differs = np.zeros(len(frame), dtype=bool)
    for name in again.columns:
        old, new = frame[name].to_numpy(), again[name].to_numpy()
        if new.dtype.kind == "f" and old.dtype.kind in "fiu":
            differs |= ~((np.abs(new - old) <= 1e-12 * np.abs(new)) | (np.isnan(new) & np.isnan(old.astype(float))))
        else:
            differs |= old.astype(object) != new.astype(object)
    for name in problem.marks:  # a table in which no design is marked has no such column
        if name in frame.columns and name not in again.columns:
            differs |= frame[name].to_numpy(dtype=float) != 0.0
    return differs
