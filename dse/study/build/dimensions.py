"""Dimensions of model functions, found by running them: scaled base units must scale the result as its unit says.

A function of Python is run at the values of a design, and again with one base unit (second, metre, byte, …) a quarter
as large, so that all numbers that have it grow. A sum of seconds and bytes, the logarithm of a length or a constant
that hides a unit do not scale; what does, need not be right. Four has an exact root.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.graph.graph import call
from dse.units import TEXT, dimensions_of

__all__ = ["DimensionFault", "dimension_faults", "fault_of"]

_NEAR = 1e-9
_FACTOR = 4.0
_DESIGNS = 3
_UNSCALED = frozenset([TEXT, "table", "bool"])


class DimensionFault(NamedTuple):
    """A function whose result does not scale as its unit: by how much it should and does, and which input moves it."""

    function: str
    quantity: str
    unit: str
    expected: float
    found: float
    base: str

    @property
    def text(self) -> str:
        """What is told of it."""
        return (
            f"{self.function}: the unit of '{self.quantity}' ({self.unit}) does not fit: in a unit of "
            f"{self.base.strip('[]')} {_FACTOR:g} times as small it should read {self.expected:.4g} times as much, "
            f"and reads {self.found:.4g} times as much"
        )


def dimension_faults(problem: Problem) -> list[DimensionFault]:
    """Return the functions of a problem that do not scale as their units say, each once.

    Parameters
    ----------
    problem : Problem
    """
    faults: dict[str, DimensionFault] = {}
    seen: set[int] = set()
    for index, system in enumerate(problem.systems):
        functions = [own for own in system.graph.functions if id(own) not in seen and _checked(own, system.graph.units)]
        if not functions:
            continue
        seen.update(map(id, functions))
        for values in _values(problem, index):
            for function in functions:
                if function.label not in faults:
                    fault = fault_of(function, values, system.graph.units)
                    if fault is not None:
                        faults[function.label] = fault
    return list(faults.values())


def fault_of(function: ModelFunction, values: Mapping[str, object], units: Mapping[str, str]) -> DimensionFault | None:
    """Return how a function does not scale at some values; None where it does, or cannot be run.

    Parameters
    ----------
    function : ModelFunction
    values : mapping of str to array
        Of what it needs, SI.
    units : mapping of str to str
        Of these.
    """
    given = {need: values[need] for need in function.needs if need in values}
    if len(given) < len(function.needs):
        return None
    written = [*(units[need] for need in function.needs), *function.gives.values()]
    bases = {base for unit in written if unit not in _UNSCALED for base in _powers(unit)}
    with np.errstate(all="ignore"):
        try:
            plain = call(function, given)
            for base in sorted(bases):
                scaled = {
                    need: value if units[need] in _UNSCALED else value * _FACTOR ** _powers(units[need]).get(base, 0.0)
                    for need, value in given.items()
                }
                moved = call(function, scaled)
                for name, unit in function.gives.items():
                    fault = _compared(function, name, unit, plain[name], moved[name], base)
                    if fault is not None:
                        return fault
        except (ModelError, InputError, TypeError, ValueError, ArithmeticError, LookupError):
            return None
    return None


def _compared(
    function: ModelFunction, name: str, unit: str, plain: object, moved: object, base: str
) -> DimensionFault | None:
    if unit in _UNSCALED:
        return None
    first, second = np.broadcast_arrays(np.asarray(plain, dtype=float), np.asarray(moved, dtype=float))
    known = np.isfinite(first) & np.isfinite(second) & (first != 0.0)
    if not known.any():
        return None
    expected = _FACTOR ** _powers(unit).get(base, 0.0)
    growth = second[known] / first[known]
    wrong = np.abs(growth / expected - 1.0) > _NEAR
    if not wrong.any():
        return None
    return DimensionFault(function.label, name, unit, expected, float(growth[wrong][0]), base)


def _checked(function: ModelFunction, units: Mapping[str, str]) -> bool:
    """Tell whether a function can be asked: it reads no table, and does not say that it has no dimensions."""
    python = bool(function.module) and not function.undimensional  # formulas of a study are checked when they are read
    return python and not any(units.get(need) == "table" for need in function.needs)


def _values(problem: Problem, index: int) -> Iterator[dict[str, object]]:
    product, first = problem.space.products[index], problem.space.offsets[index]
    rng = np.random.default_rng(index)
    numbers = np.unique(first + rng.integers(0, product.size, _DESIGNS))
    try:
        for record in problem.quantities(numbers):
            yield record["values"]
    except (InputError, ModelError):
        return


@cache
def _powers(unit: str) -> dict[str, float]:
    return dimensions_of(unit)
