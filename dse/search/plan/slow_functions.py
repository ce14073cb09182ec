"""Functions of a model so slow that a sample of a search would take minutes: found on single designs first.

What a plan is measured on (`dse.search.plan.estimate`) are tables and whole blocks of designs. A function that asks
another program, or that computes for milliseconds on each design, would hold that up: what it takes is then said from a
few designs, each function called once for every combination of the axes it reads.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import flat_inputs
from dse.graph.graph import call

__all__ = ["Slow", "slow_functions"]

_DESIGNS = (1, 2, 16, 128, 1_024, 8_192)  # the first call may load what later ones find
_ENOUGH = 0.3  # seconds of a round after which no larger one is begun
_BLOCK = 4_000_000  # combinations that a plan may ask for at once
_SLOW = 3.0  # seconds of such a block


@dataclass(frozen=True)
class Slow:
    """What a search takes of which a function is slow: seconds at most, and how many designs tell."""

    seconds: float
    designs: int


def slow_functions(problem: Problem) -> Slow | None:
    """Return what a search takes where a function is slow, and None where none is.

    Parameters
    ----------
    problem : Problem
        Its largest alternative is looked at; the others are taken to cost the same per design.

    Raises
    ------
    InputError, ModelError
        A function refuses a design, or fails.
    """
    sizes = [product.size for product in problem.space.products]
    index = max(range(len(sizes)), key=lambda place: sizes[place])
    combinations = _combinations(problem, index)
    each, designs = _seconds(problem, index, combinations)
    if all(each[place] * min(count, _BLOCK) <= _SLOW for place, count in combinations.items()):
        return None
    seconds = sum(each[place] * count for place, count in combinations.items())
    return Slow(seconds * sum(sizes) / sizes[index], designs)


def _combinations(problem: Problem, index: int) -> dict[int, int]:
    """Return, by position of each function the search needs, how many rows the axes it depends on have together."""
    product, system = problem.space.products[index], problem.systems[index]
    wanted = [*(o.quantity for o in problem.objectives), *(c.quantity for c in system.constraints)]
    needed = system.graph.below(wanted)
    axes = {name: {place} for place, axis in enumerate(product.axes) for name in axis.columns}
    rows: dict[int, int] = {}
    for position, function in enumerate(system.graph.functions):
        own: set[int] = set().union(*(axes.get(name, set()) for name in function.needs))
        axes.update(dict.fromkeys(function.gives, own))
        if any(name in needed for name in function.gives):
            rows[position] = prod(product.shape[place] for place in own)
    return rows


def _seconds(problem: Problem, index: int, wanted: Mapping[int, int]) -> tuple[dict[int, float], int]:
    """Return seconds per design of each function, from more and more random designs, and how many were looked at."""
    product, system = problem.space.products[index], problem.systems[index]
    rng = np.random.default_rng(problem.seed)
    each: dict[int, float] = {}
    for designs in _DESIGNS:
        rows = [rng.integers(0, count, designs) for count in product.shape]
        values = flat_inputs(system.graph, product, system.assumptions, rows)
        begun = last = time.perf_counter()
        with np.errstate(all="ignore"):
            for position in wanted:
                values.update(call(system.graph.functions[position], values))
                now = time.perf_counter()
                each[position], last = (now - last) / designs, now
        if designs > 1 and last - begun >= _ENOUGH:
            break
    return each, designs
