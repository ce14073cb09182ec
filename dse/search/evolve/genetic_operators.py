"""What NSGA-II of pymoo works with here: genomes of whole numbers, changed by rows, equal where the design is.

Imported only where a search without a bound begins, as pymoo takes a while to load.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.evaluator import Evaluator
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.problem import Problem as PymooProblem
from pymoo.core.termination import NoTermination
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.problems.static import StaticProblem

from dse.search.evolve.genome import Genome

__all__ = ["Generations"]


class Generations:
    """Generations of NSGA-II (Deb et al. 2002), asked for and told one by one.

    Parameters
    ----------
    genome : Genome
    objectives : int
    first : (population, genes) ndarray of int64
        What it begins with.
    size : int
        Genomes of a generation.
    seed : int
    """

    def __init__(self, genome: Genome, objectives: int, first: np.ndarray, size: int, seed: int) -> None:
        self._problem = PymooProblem(
            n_var=len(genome.ranges), n_obj=objectives, n_ieq_constr=1, xl=0, xu=genome.ranges - 1
        )
        self._algorithm = NSGA2(
            pop_size=size,
            sampling=first,
            selection=TournamentSelection(func_comp=_better_of_two),
            crossover=UniformCrossover(),
            mutation=_RowMutation(genome),
            eliminate_duplicates=_SameDesign(genome),
        )
        self._algorithm.setup(self._problem, seed=seed, termination=NoTermination())
        self._asked: Any = None

    def ask(self) -> np.ndarray | None:
        """Return the genomes of the next generation; None when no new design comes of mating."""
        self._asked = self._algorithm.ask()
        return None if self._asked is None else np.asarray(self._asked.get("X"), dtype=np.int64)

    def tell(self, points: np.ndarray, amounts: np.ndarray) -> None:
        """Take note of the points of a generation, and by how much it misses limits."""
        evaluated = StaticProblem(self._problem, F=points, G=amounts[:, None])
        Evaluator().eval(evaluated, self._asked)
        self._algorithm.tell(infills=self._asked)


class _RowMutation(Mutation):
    """Changes genes by `Genome.mutate`."""

    def __init__(self, genome: Genome) -> None:
        super().__init__()
        self._genome = genome

    def _do(
        self, problem: object, X: np.ndarray, *args: object, random_state: Any = None, **rest: object
    ) -> np.ndarray:
        return self._genome.mutate(np.asarray(X, dtype=np.int64), random_state)


class _SameDesign(DuplicateElimination):
    """Genomes are the same when their designs are: genes that stand for no axis do not count."""

    def __init__(self, genome: Genome) -> None:
        super().__init__()
        self._genome = genome

    def _do(self, pop: Population, other: Population | None, is_duplicate: np.ndarray) -> np.ndarray:
        numbers = self._numbers(pop)
        if other is not None:
            return np.asarray(np.isin(numbers, self._numbers(other)))
        repeated = np.ones(len(numbers), dtype=bool)
        repeated[np.unique(numbers, return_index=True)[1]] = False
        return repeated

    def _numbers(self, pop: Population) -> np.ndarray:
        return self._genome.decode(np.asarray(pop.get("X"), dtype=np.int64))


def _better_of_two(pop: Population, pairs: np.ndarray, **rest: object) -> np.ndarray:
    """Return the better of each pair, (n, 1): less violation, then the lower rank, then more room around it.

    The crowded comparison of Deb et al. 2002, on all pairs at once.
    """
    amount = pop.get("CV").reshape(-1)
    rank, room = (np.array(pop.get(name), dtype=float) for name in ("rank", "crowding"))
    first, second = pairs.T
    higher = (rank[second] < rank[first]) | ((rank[second] == rank[first]) & (room[second] > room[first]))
    wins = (amount[second] < amount[first]) | ((amount[second] == amount[first]) & higher)
    result: np.ndarray = np.where(wins, second, first)[:, None]
    return result
