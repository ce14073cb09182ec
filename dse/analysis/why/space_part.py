"""A part of a space: designs with a value of an axis, a member of a choice, an alternative, or one design.

It is searched as a problem of its own, by the graphs of the whole; the numbers of its designs are told as those of the
whole space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dse.analysis.choose.best_design import kinds_of
from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Space
from dse.study.study import Study
from dse.units import TEXT

__all__ = ["Own", "SpacePart", "complement_of", "own_frontier", "part_of"]

ALTERNATIVE, DESIGN = "alternative", "design"
_COUNTED = 1_000_000  # designs of a part up to which the feasible ones are counted

Rows = Mapping[int, tuple[np.ndarray, ...]]
"""By product of the whole space, the rows of each axis that a part has."""


@dataclass(frozen=True)
class SpacePart:
    """Some products of a space, with some of the rows of their axes.

    Attributes
    ----------
    text : str
        How it is called: "device = MI250X".
    whole : Problem
    rows : dict of int to tuple of ndarray
    axis : str
        The axis whose value it is; empty for alternatives and designs.
    """

    text: str
    whole: Problem
    rows: Rows
    axis: str = ""

    @cached_property
    def problem(self) -> Problem:
        """The part as a problem of its own."""
        return self.restricted(self.whole)

    def restricted(self, whole: Problem) -> Problem:
        """Return the part of a problem that has the same products and axes."""
        products = []
        for index, rows in self.rows.items():
            product = whole.space.products[index]
            axes = tuple(
                axis if len(own) == len(axis) else axis.with_rows(own.tolist())
                for axis, own in zip(product.axes, rows, strict=True)
            )
            products.append(replace(product, axes=axes))
        systems = tuple(whole.systems[index] for index in self.rows)
        return Problem(Space(tuple(products)), systems, whole.objectives, seed=whole.seed)

    @property
    def size(self) -> int:
        """Number of designs."""
        return self.problem.space.size

    def numbers(self, own: np.ndarray) -> np.ndarray:
        """Return the numbers that designs of the part have in the whole space."""
        whole_numbers = np.zeros(len(own), dtype=np.int64)
        for place, (index, rows) in enumerate(self.rows.items()):
            product = self.whole.space.products[index]
            begin = self.problem.space.offsets[place]
            here = np.flatnonzero((own >= begin) & (own < begin + self.problem.space.products[place].size))
            if len(here):
                chosen = self.problem.space.decode(place, own[here])
                whole_numbers[here] = self.whole.space.offsets[index]
                for axis, row, stride in zip(rows, chosen, product.strides, strict=True):
                    whole_numbers[here] += axis[row] * stride
        return whole_numbers

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        """Tell which designs of the whole space are in the part."""
        held = np.zeros(len(numbers), dtype=bool)
        for index, positions in self.whole.space.by_product(np.asarray(numbers, dtype=np.int64)):
            if index in self.rows:
                chosen = self.whole.space.decode(index, np.asarray(numbers)[positions])
                inside = [np.isin(row, own) for row, own in zip(chosen, self.rows[index], strict=True)]
                held[positions] = np.logical_and.reduce(inside) if inside else True
        return held


@dataclass(frozen=True)
class Own:
    """The frontier of a part by itself: values as the models give them, numbers of the whole space, the account."""

    values: np.ndarray
    numbers: np.ndarray
    designs: int
    feasible: int | None
    infeasible: Mapping[str, int]


def own_frontier(part: SpacePart, problem: Problem | None = None) -> Own:
    """Search a part by itself, exactly.

    Parameters
    ----------
    part : SpacePart
    problem : Problem, optional
        The part of a problem with other values of its parameters (`SpacePart.restricted`). Default: as it is.
    """
    own = part.problem if problem is None else problem
    result = search(own, SearchOptions(count_infeasible=problem is None and own.space.size <= _COUNTED))
    account = result.certificate
    return Own(
        np.asarray(result.values, dtype=float).reshape(len(result.numbers), len(own.objectives)),
        part.numbers(result.numbers),
        own.space.size,
        account.feasible,
        dict(account.infeasible or {}),
    )


def part_of(study: Study, text: str) -> SpacePart:
    """Return the part of a space that is asked for.

    Parameters
    ----------
    study : Study
    text : str
        ``"alternative = NAME"``, ``"CHOICE = MEMBER"``, ``"AXIS = VALUE"`` (a value with its unit, the name of a part)
        or ``"design = NUMBER"``.

    Raises
    ------
    InputError
        No such axis, choice or value.
    """
    name, equals, value = (side.strip() for side in text.partition("="))
    problem, products = study.compiled, study.space.products
    if not equals or not name or not value:
        known = ['"alternative = NAME"', '"AXIS = VALUE"', '"design = NUMBER"']
        raise InputError(f"'{text}' is no part of the space", allowed=known)
    axes = {name for product in products for axis in product.axes for name in (axis.name, axis.joined) if name}
    if name in axes:
        return _of_axis(problem, name, value)
    kinds = {product.name: {ALTERNATIVE: product.name} for product in products}
    for product, own in kinds_of(study).items():
        kinds[product] |= own
    if name == DESIGN:
        return _of_design(problem, value)
    having = {index: kinds[product.name].get(name) for index, product in enumerate(products)}
    known = list(dict.fromkeys(kind for kind in having.values() if kind))
    if not known or (name == ALTERNATIVE and len(products) == 1):
        names = [*([ALTERNATIVE] if len(products) > 1 else []), *study.spec.space.choices, *sorted(axes), DESIGN]
        raise InputError(f"the space has no '{name}'", allowed=names, wrong=name, candidates=names)
    if value not in known:
        raise InputError(f"'{name}' has no '{value}'", allowed=known, wrong=value, candidates=known)
    rows = {index: _all(problem, index) for index, kind in having.items() if kind == value}
    return SpacePart(f"{name} = {value}", problem, rows)


def complement_of(part: SpacePart) -> SpacePart | None:
    """Return what the space has beside a part; None where nothing is left, or it is no product."""
    rows: dict[int, tuple[np.ndarray, ...]] = {}
    for index, product in enumerate(part.whole.space.products):
        if index not in part.rows:
            rows[index] = _all(part.whole, index)
            continue
        cut = [
            place
            for place, (axis, own) in enumerate(zip(product.axes, part.rows[index], strict=True))
            if len(own) < len(axis)
        ]
        if len(cut) > 1:
            return None
        if cut:
            own = list(_all(part.whole, index))
            own[cut[0]] = np.setdiff1d(own[cut[0]], part.rows[index][cut[0]])
            rows[index] = tuple(own)
    return SpacePart(f"not {part.text}", part.whole, rows) if rows else None


def _all(problem: Problem, index: int) -> tuple[np.ndarray, ...]:
    return tuple(np.arange(len(axis)) for axis in problem.space.products[index].axes)


def _of_axis(problem: Problem, name: str, value: str) -> SpacePart:
    rows: dict[int, tuple[np.ndarray, ...]] = {}
    faults: list[InputError] = []
    label = value
    for index, product in enumerate(problem.space.products):
        for place, axis in enumerate(product.axes):
            if axis.names(name) is not None:
                try:
                    chosen = axis.rows_named(name, value)
                except InputError as error:
                    faults.append(error)
                    continue
                own = list(_all(problem, index))
                own[place] = np.array(chosen)
                rows[index], label = tuple(own), (axis.names(name) or [])[chosen[0]]
    if not rows:
        raise next((fault for fault in faults if fault.nearest), faults[0])
    return SpacePart(f"{name} = {label}", problem, rows, name)


def _of_design(problem: Problem, value: str) -> SpacePart:
    space = problem.space
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 20 else -1
    if not 0 <= number < space.size:
        raise InputError(f"there is no design {value}", allowed=f"0 to {space.size - 1}")
    index, rows = space.rows_of(number)
    return SpacePart(f"{DESIGN} = {number}", problem, {index: tuple(np.array([row]) for row in rows)})


def choices_by_name(study: Study) -> dict[str, Sequence[str]]:
    """Return what a part may be called: by axis, choice or "alternative", its values."""
    choices: dict[str, list[str]] = {}
    products = study.space.products
    if len(products) > 1:
        choices[ALTERNATIVE] = [product.name for product in products]
        for own in kinds_of(study).values():
            for name, kind in own.items():
                choices.setdefault(name, []).append(kind)
    for product in products:
        for axis in product.axes:
            if len(axis) > 1 and (axis.is_part or axis.units.get(axis.name) == TEXT):
                for name in filter(None, (axis.name, axis.joined)):
                    choices.setdefault(name, []).extend(axis.names(name) or [])
    return {name: list(dict.fromkeys(values)) for name, values in choices.items()}
