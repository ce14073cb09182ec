"""Classes of designs: which have a quantity from the same numbers by the same functions, so that it is always equal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from dse.evaluation.affected import AffectedDesigns
from dse.evaluation.unknowns import UncertainProblem, Unknown

__all__ = ["design_classes", "is_open", "numbered", "row_codes", "same_numbers"]


def design_classes(
    unknown: UncertainProblem, designs: Sequence[AffectedDesigns], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the class of each design in each objective, and which rows with unknowns of their own it has.

    Returns
    -------
    ((n, d), (n,)) ndarray of int
        Designs of one class compute an objective by the same functions from the same numbers; -1 where a design has
        errors of its own, which nothing shares, or no unknown at all: its numbers are compared as they are.
    """
    objectives = unknown.problem.objectives
    classes = np.full((count, len(objectives)), -1)
    axes = list(dict.fromkeys(entry.axis for entry in unknown.unknowns if entry.scope == "each"))
    rows = numbered([row_codes(designs, axis, count) for axis in axes], count)
    for place, objective in enumerate(objectives):
        alike: list[tuple[AffectedDesigns, Sequence[str], np.ndarray]] = []
        for own in designs:
            below = own.graph.below([objective.quantity])
            entering = [at for name, ats in unknown.entering(own.index).items() if name in below for at in ats]
            scopes = {unknown.unknowns[at].scope for at in entering if is_open(unknown.unknowns[at])}
            if "design" in scopes or not entering:
                continue
            mine = rows[own.positions] if "each" in scopes else np.zeros(len(own), dtype=np.int64)
            alike.append((own, [objective.quantity], mine))
        classes[:, place] = same_numbers(alike, count)
    return classes, rows


def same_numbers(alike: Sequence[tuple[AffectedDesigns, Sequence[str], np.ndarray]], count: int) -> np.ndarray:
    """Return the class of each of so many designs in some quantities; -1 of those that are not named.

    Parameters
    ----------
    alike : sequence of (AffectedDesigns, names, rows)
        Designs of a product, the quantities, and a number by which designs differ in any case.
    count : int
    """
    classes = np.full(count, -1)
    parts: dict[tuple, list[tuple[np.ndarray, np.ndarray]]] = {}
    for own, names, rows in alike:
        below = own.graph.below(names)
        made = tuple(function.label for function in own.again if not below.isdisjoint(function.gives))
        columns = [*(_codes(own.base[name], len(own)) for name in own.boundary_of(names)), rows]
        parts.setdefault((made, len(columns)), []).append((own.positions, np.stack(columns, axis=1)))
    first = 0
    for several in parts.values():
        _, which = np.unique(np.concatenate([bits for _, bits in several]), axis=0, return_inverse=True)
        classes[np.concatenate([positions for positions, _ in several])] = which.reshape(-1) + first
        first += int(which.max()) + 1
    return classes


def row_codes(designs: Sequence[AffectedDesigns], axis: str, count: int) -> np.ndarray:
    """Return a number for the label each design has on an axis; 0 without the axis."""
    codes = np.zeros(count, dtype=np.int64)
    for own in designs:
        labels = own.row_labels(axis)
        if labels is not None:
            codes[own.positions] = _codes(labels, len(own))
    return codes


def _codes(values: object, count: int) -> np.ndarray:
    """Return whole numbers that are equal where values are: the bits of numbers, a digest of texts."""
    if not isinstance(values, np.ndarray):  # a table, the same for all designs
        return np.zeros(count, dtype=np.int64)
    flat = values.reshape(-1)
    if flat.dtype.kind in "fiub":
        bits = np.ascontiguousarray(flat.astype(float) + 0.0).view(np.int64)
    else:
        texts, which = np.unique(flat.astype(str), return_inverse=True)
        digests = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts]
        bits = np.array(digests, dtype=np.uint64).view(np.int64)[which]
    return np.broadcast_to(bits, count)


def numbered(columns: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Return a number for each different row of some columns of so many entries."""
    if not columns:
        return np.zeros(count, dtype=np.int64)
    return np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def is_open(entry: Unknown) -> bool:
    """Tell whether an unknown has any width."""
    return entry.low < entry.high or any(low < high for low, high in entry.rows.values())
