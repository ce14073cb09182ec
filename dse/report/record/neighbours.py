"""One step along each axis from the designs of the page: what it would change, computed for all in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.run.result.self_check import evaluate_flat

if TYPE_CHECKING:
    from dse.evaluation.problem import Problem
    from dse.space.axes import Axis
    from dse.space.design_space import Product

__all__ = ["Neighbours", "collect_neighbours"]

DESIGNS = 2_000  # designs of the page with neighbours
BYTES = 750_000  # of all steps together, before they are written as text
_STEP_BYTES = 7  # of a step beside its objectives
_ROUNDING = 1e-12  # a model with exp, log or powers may give a design other last bits at another place of an array


class Neighbours(NamedTuple):
    """The designs one step away from some rows of the page.

    Steps stand in the order of `rows`, for each in the order of the axes, down before up.

    Attributes
    ----------
    rows : (n,) ndarray
        Rows of the page that have neighbours here, rising.
    counts : (n,) ndarray
        How many steps each of them has.
    axes : tuple of str
        Names of the axes.
    strides : dict of int to dict of str to str
        By alternative, of those with steps: what one step along each axis adds to the number of a design, as digits.
    labels : tuple of str
        The values that steps lead to, as a person writes them.
    axis, label, up : (m,) ndarray
        Of each step: its axis and its label (places in these lists), and whether it leads to the next value.
    place : (m,) ndarray
        The row of the page the step leads to, -1 where that design is not on it.
    broken : (m,) ndarray
        The first constraint that the design there violates, -1 for none.
    differences : (m, d) ndarray
        What the step adds to each objective, SI.
    """

    rows: np.ndarray
    counts: np.ndarray
    axes: tuple[str, ...]
    strides: dict[int, dict[str, str]]
    labels: tuple[str, ...]
    axis: np.ndarray
    label: np.ndarray
    up: np.ndarray
    place: np.ndarray
    broken: np.ndarray
    differences: np.ndarray


class _Steps(NamedTuple):
    """Steps from the designs of one alternative along one axis, one way: rows of the page, and where they lead."""

    row: np.ndarray
    product: int
    position: int
    up: bool
    axis: Axis
    entry: np.ndarray
    number: np.ndarray


def collect_neighbours(
    problem: Problem, numbers: np.ndarray, kinds: np.ndarray, *, designs: int = DESIGNS, size: int = BYTES
) -> Neighbours | None:
    """Evaluate the one-step neighbours of the designs of a page.

    Parameters
    ----------
    problem : Problem
    numbers, kinds : (n,) ndarray
        By row of the page: design number; 0 frontier, 1 dominated, 2 infeasible.
    designs : int
        Designs that get neighbours at most: the frontier's first, then feasible ones, then others.
    size : int
        Bytes of all steps at most.

    Returns
    -------
    Neighbours or None
        None where no design has any.
    """
    longest = max(len(product.axes) for product in problem.space.products)
    if not len(numbers) or not longest:
        return None
    each = 2 * longest * (4 * len(problem.objectives) + _STEP_BYTES)
    rows = _chosen(kinds, min(designs, size // each))
    moved = [steps for steps in _steps(problem, numbers, rows) if len(steps.row)]
    if not moved:
        return None
    names = tuple(dict.fromkeys(steps.axis.name for steps in moved))
    label_of: dict[str, int] = {}
    axis = [np.full(len(steps.row), names.index(steps.axis.name)) for steps in moved]
    label = [_labels(steps, label_of) for steps in moved]
    row = np.concatenate([steps.row for steps in moved])
    position = np.concatenate([np.full(len(steps.row), steps.position) for steps in moved])
    up = np.concatenate([np.full(len(steps.row), steps.up) for steps in moved])
    number = np.concatenate([steps.number for steps in moved])
    order = np.lexsort((up, position, row))
    row, number = row[order], number[order]
    differences, broken = _changes(problem, numbers[row], number)
    return Neighbours(
        rows,
        np.bincount(np.searchsorted(rows, row), minlength=len(rows)),
        names,
        {index: _strides(problem.space.products[index]) for index in dict.fromkeys(steps.product for steps in moved)},
        tuple(label_of),
        np.concatenate(axis)[order],
        np.concatenate(label)[order],
        up[order],
        _places(numbers, number),
        broken,
        differences,
    )


def _chosen(kinds: np.ndarray, most: int) -> np.ndarray:
    """Return the rows that get neighbours, rising: of each kind as many as there is room for, spread over the page."""
    kept: list[np.ndarray] = []
    for kind in range(3):
        rows = np.flatnonzero(kinds == kind)
        room = most - sum(len(chosen) for chosen in kept)
        if kind and len(rows) > room:
            rows = rows[np.linspace(0, len(rows) - 1, max(room, 0)).astype(np.int64)]
        kept.append(rows[: max(room, 0)])
    return np.sort(np.concatenate(kept))


def _steps(problem: Problem, numbers: np.ndarray, rows: np.ndarray) -> list[_Steps]:
    steps = []
    for index, here in problem.space.by_product(numbers[rows]):
        product, at = problem.space.products[index], rows[here]
        entries = problem.space.decode(index, numbers[at])
        for position, (axis, entry, stride) in enumerate(zip(product.axes, entries, product.strides, strict=True)):
            low, high = entry > 0, entry < len(axis) - 1
            steps.append(_Steps(at[low], index, position, False, axis, entry[low] - 1, numbers[at[low]] - stride))
            steps.append(_Steps(at[high], index, position, True, axis, entry[high] + 1, numbers[at[high]] + stride))
    return steps


def _strides(product: Product) -> dict[str, str]:
    return {axis.name: str(stride) for axis, stride in zip(product.axes, product.strides, strict=True)}


def _labels(steps: _Steps, label_of: dict[str, int]) -> np.ndarray:
    """Return the place of each step's label in the list of labels, which grows by those that are new."""
    used, back = np.unique(steps.entry, return_inverse=True)
    codes = []
    for entry in used.tolist():
        sure = steps.axis.confidence(entry) if steps.axis.confidences else ""
        label = f"{steps.axis.label(entry)} · {sure}" if sure else steps.axis.label(entry)
        codes.append(label_of.setdefault(label, len(label_of)))
    return np.array(codes, dtype=np.int64)[back]


def _changes(problem: Problem, here: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each step adds to the objectives, and what is violated where it leads; each design once."""
    every = evaluate_flat(problem, np.unique(np.concatenate([here, there])), once=True)
    of, at = np.searchsorted(every.numbers, here), np.searchsorted(every.numbers, there)
    with np.errstate(all="ignore"):
        differences = every.values[at] - every.values[of]
        differences[np.abs(differences) <= _ROUNDING * np.abs(every.values[of])] = 0.0
    return differences, every.violated[at].astype(np.int64)


def _places(numbers: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the rows of the page that hold some designs, -1 for those it does not show."""
    order = np.argsort(numbers, kind="stable")
    at = np.minimum(np.searchsorted(numbers[order], wanted), len(numbers) - 1)
    return np.where(numbers[order][at] == wanted, order[at], -1)
