"""Ties of a map of winners: the designs that win elsewhere, evaluated in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dse.analysis.choose.best_design import BestDesign, choices_of
from dse.analysis.sweep.winner_map import Cell
from dse.evaluation.problem import Problem
from dse.run.describe.margins import published_error

__all__ = ["error_of_best", "with_close"]


def error_of_best(search: BestDesign, cells: Sequence[Cell]) -> float | None:
    """Return the largest published error of what is best, over the alternatives."""
    if search.quantity is None or not cells:
        return None
    systems = search.study.with_(also=search.quantity, name="step").compiled.systems
    errors = [published_error(system, search.quantity) for system in systems]
    return max((error.mean for error in errors if error is not None), default=None)


def with_close(
    search: BestDesign, names: tuple[str, str], cells: Sequence[Cell], quantity: str, error: float
) -> Iterator[Cell]:
    """Return the cells with the winners of others that are as good within the error.

    The designs that win anywhere are evaluated in each cell; others with the same parts might be closer still.
    """
    choices = list(choices_of(search.study, names))
    candidates: dict[tuple[object, ...], Cell] = {}
    for cell in cells:
        if cell.design is not None:
            candidates.setdefault((cell.winner, *(str(cell.design.get(name)) for name in choices)), cell)
    rivals = list(candidates.values())
    for cell in cells:
        if cell.design is None or len(rivals) < 2:
            yield cell
            continue
        problem = search.variant({names[0]: cell.x, names[1]: cell.y}).compiled
        best = float(cell.design[quantity])  # type: ignore[arg-type]
        others = [rival for rival in rivals if rival.winner != cell.winner]
        values = _values(problem, others, quantity, names)
        worse = (best - values if search.most else values - best) <= error * abs(best)
        close = dict.fromkeys(str(rival.winner) for rival, near in zip(others, worse, strict=True) if near)
        yield replace(cell, close=list(close))


def _values(problem: Problem, rivals: Sequence[Cell], quantity: str, names: tuple[str, str]) -> np.ndarray:
    """Return a quantity of designs that win elsewhere; not a number where they are not there or not feasible."""
    values = np.full(len(rivals), np.nan)
    known = [place for place, rival in enumerate(rivals) if _is_there(problem, rival, names)]
    numbers = [int(rivals[place].design["design"]) for place in known]  # type: ignore[index, arg-type]
    for record in problem.quantities(numbers) if numbers else ():
        here = [known[position] for position in record["positions"]]
        met = np.ones(len(here), dtype=bool)
        for constraint in problem.systems[record["product"]].constraints:
            met &= np.broadcast_to(record["values"][constraint.quantity].reshape(-1), len(here)).astype(bool)
        candidates = np.broadcast_to(record["values"][quantity].reshape(-1), len(here))
        values[here] = np.where(met, candidates, np.nan)
    return values


def _is_there(problem: Problem, rival: Cell, names: tuple[str, str]) -> bool:
    """Tell whether a design has its number here too: an enumeration may have other rows where its inputs differ."""
    if rival.design is None or int(rival.design["design"]) >= problem.space.size:  # type: ignore[arg-type]
        return False
    index, rows = problem.space.rows_of(int(rival.design["design"]))  # type: ignore[arg-type]
    product = problem.space.products[index]
    if product.name != (rival.design.get("alternative") or ""):
        return False
    for axis, row in zip(product.axes, rows, strict=True):
        cell = axis.label(row) if axis.is_part else axis.columns[axis.name][row]
        if axis.name not in names and cell != rival.design.get(axis.name):
            return False
    return True
