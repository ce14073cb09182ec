"""What the search of an alternative takes by each method, counted before it is made: the same on every machine.

The unit is an operation on one number, about a nanosecond where it was measured; no clock is asked.

    design by design   each function of the loop on the rows of the atoms it reads, and a look at every design
    bundles            the tables in all levels; then boxes and designs, of which a sample tells how many are left
    groups             proofs: every quantity a candidate shows, through every function
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from dse.evaluation.problem import Problem

__all__ = ["Work", "counted_work", "least_of_all_designs", "of_proofs"]

_LOOK = 25.0  # of a design beside the functions: limits, and the filter of the frontier
_LEVELS, _ENTRY = 3e7, 50.0  # of making bundles, and of each entry of their tables
_BOUND = 150.0  # of a design beside the functions, where rows are gathered and boxes are bounded
_PROOFS, _PAIR = 1.5e8, 5e3  # of proofs, and of each pair of a function and an operation that they may go through


@dataclass(frozen=True)
class Work:
    """Operations that the search of an alternative takes.

    Attributes
    ----------
    all_designs : float
        To look at every design.
    levels : float
        To make bundles.
    proofs : float
        To prove and reduce groups.
    joined : float
        Of the functions of the loop, on one design.
    """

    all_designs: float
    levels: float
    proofs: float
    joined: float

    def of_bundles(self, designs: float) -> float:
        """Return what a search by bundles takes from its boxes and designs, in designs that are evaluated."""
        return designs * (_BOUND + self.joined)


def least_of_all_designs(size: int) -> float:
    """Return what looking at so many designs takes, whatever the functions are."""
    return _LOOK * size


def of_proofs(problem: Problem, index: int) -> float:
    """Return what proofs of groups take in an alternative."""
    graph, operations = problem.systems[index].graph, problem.structure(index).operations
    wanted = graph.below(problem.results(index))
    needed = [place for place, function in enumerate(graph.functions) if not wanted.isdisjoint(function.gives)]
    return _PROOFS + _PAIR * len(needed) * sum(operations[place] for place in needed)


def counted_work(problem: Problem, index: int) -> Work:
    """Count what the search of an alternative takes, from its plan; no table is made."""
    structure, plan = problem.structure(index), problem.plan(index)
    graph, shape = problem.systems[index].graph, problem.space.products[index].shape or (1,)
    lengths = [prod(shape[axis] for axis in atom) for atom in plan.atoms]

    def rows(names: Iterable[str]) -> int:
        axes: frozenset[int] = frozenset().union(*(structure.axes.get(name, frozenset()) for name in names))
        return prod(count for atom, count in zip(plan.atoms, lengths, strict=True) if not axes.isdisjoint(atom))

    loop = sum(structure.operations[place] * rows(graph.functions[place].gives) for place in plan.joined)
    return Work(
        all_designs=least_of_all_designs(prod(shape)) + loop,
        levels=_LEVELS + _ENTRY * sum(rows([name]) for name in plan.cut),
        proofs=of_proofs(problem, index),
        joined=float(sum(structure.operations[place] for place in plan.joined)),
    )
