"""Errors that the laws of a study state, for what nothing else says anything of; and results whose laws state none.

Where something else that is not known reaches an objective, nothing is added. Else the first laws on the way to it that
state an error make it uncertain: one for each design, or, where alternatives have laws of their own, one for each
alternative. An objective that is computed and that no error reaches is *missing*: a probability does not hold what it
may be off by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dse.authoring.declare.declaration import RelativeError
from dse.evaluation.problem import Problem
from dse.evaluation.unknowns import ALTERNATIVE, Unknown

__all__ = ["StatedErrors", "stated_errors"]

_WIDEST = 0.95  # a deviation is less than 100 %


@dataclass(frozen=True)
class StatedErrors:
    """The unknowns of stated errors, and the results of which no error is known."""

    unknowns: tuple[Unknown, ...]
    missing: tuple[str, ...]


def stated_errors(problem: Problem, known: Sequence[Unknown]) -> StatedErrors:
    """Return what the laws of a study state where nothing else is said.

    Parameters
    ----------
    problem : Problem
    known : sequence of Unknown
        What is not known already.
    """
    taken = {unknown.quantity for unknown in known}
    added: dict[str, Unknown] = {}
    missing = []
    for objective in problem.objectives:
        name = objective.quantity
        below = [system.graph.below([name]) for system in problem.systems]
        if any(not taken.isdisjoint(names) for names in below):
            continue
        laws = _laws(problem, name)
        for quantity, by_product in laws.items():
            if quantity not in added:
                added[quantity] = _unknown(problem, quantity, by_product)
        if not laws and any(name in system.graph.providers for system in problem.systems):
            missing.append(name)
    return StatedErrors(tuple(added.values()), tuple(missing))


def _laws(problem: Problem, result: str) -> dict[str, dict[int, RelativeError]]:
    """Return the first quantities on the way to a result whose laws state an error, by product."""
    laws: dict[str, dict[int, RelativeError]] = {}
    for index, system in enumerate(problem.systems):
        for quantity, error in _first(system.graph.providers, result):
            laws.setdefault(quantity, {})[index] = error
    return laws


def _first(providers: Mapping, result: str) -> Iterator[tuple[str, RelativeError]]:
    waiting, seen = [result], {result}
    while waiting:
        name = waiting.pop()
        function = providers.get(name)
        if function is None:
            continue
        error = function.error.get(name) if isinstance(function.error, Mapping) else function.error
        if isinstance(error, RelativeError):
            yield name, error
            continue
        waiting += [need for need in function.needs if need not in seen]
        seen.update(function.needs)


def _cut(error: RelativeError) -> tuple[float, float]:
    low, high = error.ends
    return max(-_WIDEST, low), min(_WIDEST, high)


def _unknown(problem: Problem, quantity: str, by_product: Mapping[int, RelativeError]) -> Unknown:
    widest = max(by_product.values(), key=lambda error: error.mean)
    source = f"error that the law states: {widest.of}" if widest.of else "error that the law states"
    products = problem.space.products
    if len({error.ends for error in by_product.values()}) == 1 and len(by_product) == len(products):
        return Unknown(quantity, *_cut(widest), scope="design", source=source)
    rows = {product.name: (0.0, 0.0) for product in products}
    rows |= {products[index].name: _cut(error) for index, error in by_product.items()}
    low, high = min(low for low, _ in rows.values()), max(high for _, high in rows.values())
    return Unknown(quantity, low, high, scope="each", axis=ALTERNATIVE, rows=rows, source=f"{source}, each its own")
