"""Sizes: what laws are functions of, derived from the parameters of a program, and whether they are enough.

The counts of one rank of a grid program depend on its own cells alone. A size such as ``cells = n**3 / processes`` says
so, and runs that have equal sizes and other parameters prove it: their instructions *collapse* to one value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dse.errors import InputError
from dse.graph.expression import Expression, names_in, parse

__all__ = ["COLLAPSES", "Collapse", "Size", "collapse_of", "column_of", "proposed_sizes", "read_size"]

COLLAPSES = 0.01
"""Relative difference of instructions at equal sizes, below which the sizes say all."""

_EQUAL = 1e-9
_FORMS = ("{0} / processes", "{0}**2 / processes", "{0}**3 / processes", "{0}**(1/2) / processes")


@dataclass(frozen=True)
class Size:
    """A size of laws.

    Attributes
    ----------
    name : str
    text : str
        Expression of the parameters of the program, `processes` and `threads`.
    """

    name: str
    text: str

    @cached_property
    def expression(self) -> Expression:
        """The expression, all of whose names are plain numbers."""
        return parse(self.text, dict.fromkeys(names_in(self.text), "1"))

    @property
    def needs(self) -> tuple[str, ...]:
        """The parameters it reads."""
        return tuple(self.expression.needs)

    def at(self, values: Mapping[str, float]) -> float:
        """Return the size for parameters by name."""
        given = (np.array([float(values[name])]) for name in self.needs)
        with np.errstate(all="ignore"):
            return float(np.asarray(self.expression(*given)).reshape(-1)[0])


def read_size(text: str, known: Sequence[str]) -> Size:
    """Read ``NAME = EXPRESSION`` of the parameters of a program.

    Raises
    ------
    InputError
        No such form, an unknown parameter, a condition or a unit, or an expression without any parameter.
    """
    name, equals, expression = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier() or not expression:
        raise InputError(f"'{text}'", key="--size", allowed='NAME = EXPRESSION, such as "cells = n**3 / processes"')
    try:
        parsed = parse(expression, dict.fromkeys(known, "1"))
    except InputError as error:
        unknown = next((word for word in _words(expression) if word not in known), None)
        problem = f"'{unknown}' is no parameter of these runs" if unknown else f"'{text}': {error.problem}"
        raise InputError(problem, key="--size", allowed=list(known), wrong=unknown, candidates=known) from None
    if parsed.unit != "1":
        raise InputError(f"'{text}' is no plain number", key="--size", allowed="numbers without a unit")
    if not parsed.needs:
        raise InputError(f"'{text}' is constant: it reads no parameter", key="--size", allowed=list(known))
    return Size(name, expression)


def _words(expression: str) -> Iterable[str]:
    try:
        return names_in(expression)
    except InputError:  # it is no expression, which is the fault to tell
        return ()


def column_of(size: Size, runs: Sequence[Mapping[str, float]]) -> tuple[float, ...]:
    """Return a size in each run.

    Raises
    ------
    InputError
        One that is zero, negative or no number, or the same in every run.
    """
    column = tuple(size.at(run) for run in runs)
    for value, run in zip(column, runs, strict=True):
        if not (math.isfinite(value) and value > 0.0):
            run_text = ", ".join(f"{name} = {run[name]:g}" for name in size.needs)
            raise InputError(
                f"{size.name} is {value:g} at {run_text}", key="--size", allowed="a size above 0 in every run"
            )
    if max(column) <= min(column) * (1.0 + _EQUAL):
        raise InputError(
            f"{size.name} is {column[0]:g} in every run, so nothing says how it matters",
            key="--size",
            allowed="an expression that differs between the runs",
        )
    return column


@dataclass(frozen=True)
class Collapse:
    """What runs of equal sizes say.

    Attributes
    ----------
    groups : int
        Groups of two or more runs with equal sizes and other parameters.
    spread : float
        The largest difference of instructions in one group, over the least of them; 0 without a group.
    """

    groups: int
    spread: float

    @property
    def proved(self) -> bool:
        """Whether equal sizes give equal instructions."""
        return self.groups > 0 and self.spread <= COLLAPSES

    def told(self, names: Iterable[str]) -> str:
        """Say it."""
        sizes = " and ".join(names)
        if not self.groups:
            return f"no two runs have equal {sizes}, so nothing proves that these say all"
        percent = float(f"{100 * self.spread:.1g}")
        word = "group" if self.groups == 1 else "groups"
        return f"{self.groups} {word} of runs with equal {sizes}, instructions differ by at most {percent:g} %"


def collapse_of(columns: Sequence[Sequence[float]], instructions: Sequence[float]) -> Collapse:
    """Compare the instructions of runs whose sizes are equal."""
    groups: dict[tuple[int, ...], list[float]] = {}
    for place, count in enumerate(instructions):
        key = tuple(round(math.log(column[place]) / _EQUAL) for column in columns)
        near = next((known for known in groups if all(abs(a - b) <= 1 for a, b in zip(known, key, strict=True))), key)
        groups.setdefault(near, []).append(count)
    several = [counts for counts in groups.values() if len(counts) > 1]
    spread = max((max(counts) / min(counts) - 1.0 for counts in several), default=0.0)
    return Collapse(len(several), spread)


def proposed_sizes(
    runs: Sequence[Mapping[str, float]], names: Sequence[str], instructions: Sequence[float]
) -> list[tuple[Size, Collapse]]:
    """Return the sizes n^k / processes, k = 1, 2, 3 and 1/2, that collapse within 1 %, the best first."""
    proposed = []
    for name in names:
        if name in ("processes", "threads"):
            continue
        for form in _FORMS:
            size = Size("cells" if "**" in form else "size", form.format(name))
            try:
                collapse = collapse_of([column_of(size, runs)], instructions)
            except InputError:
                continue
            if collapse.proved:
                proposed.append((size, collapse))
    return sorted(proposed, key=lambda pair: (-pair[1].groups, pair[1].spread))
