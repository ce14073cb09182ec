"""How far laws of classes may be off: what is not known of every design that a law with a declared error reaches.

A model declares the error at the input that carries it, a factor of 1 or a constant of the law (`LawError`). It is an
unknown of every study whose answer depends on that input, one for all designs, unless the study says itself what is
not known of the input or of a quantity that it is a factor of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from dse.authoring.declare.declaration import Assumption, LawError
from dse.evaluation.problem import Problem
from dse.evaluation.unknowns import Unknown
from dse.space.design_space import Product
from dse.study.build.declarations import Declarations

__all__ = ["CUT", "law_errors", "law_unknowns"]

CUT = 4.0
"""Standard deviations at which the distribution of an error ends, as others end."""


def law_unknowns(problem: Problem, declarations: Declarations, named: Collection[str]) -> list[Unknown]:
    """Return an unknown for each law whose error reaches an objective or a limit.

    Parameters
    ----------
    problem : Problem
    declarations : Declarations
        Of the models of the study.
    named : collection of str
        Quantities of which the study says itself what is not known.
    """
    return [
        Unknown(
            name,
            float(np.expm1(-CUT * error.spread)),
            float(np.expm1(CUT * error.spread)),
            distribution="lognormal",
            spread=error.spread,
            of_law=True,
            source=f"error of the law of {error.law}" + (f" ({error.source})" if error.source else ""),
        )
        for name, error in law_errors(problem, declarations)
        if not {name, *error.of} & set(named)
    ]


def law_errors(problem: Problem, declarations: Declarations) -> Iterator[tuple[str, LawError]]:
    """Yield the inputs that carry the error of a law and that an objective or a limit depends on."""
    axes = {column for product in problem.space.products for axis in product.axes for column in axis.columns}
    for index, system in enumerate(problem.systems):
        reached = system.graph.below(problem.results(index))
        for name in system.graph.inputs:
            declared = declarations.of_input(name)
            if not isinstance(declared, Assumption) or declared.law_error is None:
                continue
            if name in reached and name not in axes and not _before(problem, declarations, index, name):
                yield name, _as_offered(problem, name, declared.law_error)


def _as_offered(problem: Problem, name: str, error: LawError) -> LawError:
    """Return the error of a law with the spread that holds where something is offered that it was not fitted on."""
    if error.unlisted is None:
        return error
    for index, system in enumerate(problem.systems):
        if name in system.graph.inputs and name in system.graph.below(problem.results(index)):
            values = _values(problem.space.products[index], error.unlisted.quantity)
            if not np.isclose(values[:, None], np.array(error.unlisted.values), rtol=1e-6, atol=0.0).any(axis=1).all():
                return replace(error, spread=error.unlisted.spread)
    return error


def _values(product: Product, quantity: str) -> np.ndarray:
    """Return the values that a product has of an input; none where it has no such input."""
    for axis in product.axes:
        if quantity in axis.columns:
            return np.unique(np.asarray(axis.columns[quantity].take(np.arange(len(axis))), dtype=float))
    fixed = product.fixed.get(quantity)
    return np.array([fixed] if isinstance(fixed, float) else [], dtype=float)


def _before(problem: Problem, declarations: Declarations, index: int, name: str) -> bool:
    """Tell whether an earlier product has the input too, so that it is yielded once."""
    return any(
        name in system.graph.inputs and name in system.graph.below(problem.results(earlier))
        for earlier, system in enumerate(problem.systems[:index])
    )
