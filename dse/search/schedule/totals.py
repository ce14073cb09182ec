"""The counts of a search: what its chunks have evaluated, excluded and left out."""

from __future__ import annotations

from dse.evaluation.problem import Problem
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.worker import Chunk
from dse.search.proof.evidence import Excluded

__all__ = ["Totals"]


class Totals:
    """The counts of all chunks.

    Attributes
    ----------
    parts : dict of int to list of Excluded
        The evidence of the chunks, by product.
    """

    def __init__(self, problem: Problem) -> None:
        self.evaluated = self.excluded = self.calls = self.passed = 0
        self.left_out = False
        self.feasible: int | None = 0
        texts = dict.fromkeys(c.text for system in problem.systems for c in system.constraints)
        self.infeasible: dict[str, int] = dict.fromkeys(texts, 0)
        self.parts: dict[int, list[Excluded]] = {}

    def add(self, result: ChunkResult, chunk: Chunk) -> None:
        """Add those of a chunk."""
        if result.evidence is not None:
            self.parts.setdefault(chunk[0], []).append(result.evidence)
        self.left_out |= result.left_out
        self.evaluated += result.evaluated
        self.excluded += result.excluded
        self.calls += result.calls
        self.passed += result.passed
        if result.feasible is None or self.feasible is None:
            self.feasible = None
            return
        self.feasible += result.feasible
        for text, count in (result.infeasible or {}).items():
            self.infeasible[text] += count
