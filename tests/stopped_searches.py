"""Searches that are stopped after some rounds, and what they say then, looked at by brute force."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cover_problems import Known, allowed
from engine_problems import same_bits

from dse.evaluation.problem import Problem
from dse.run.disk.kept_rounds import packed_rounds, unpacked_rounds
from dse.search.account.stopping import BUDGET, Stop
from dse.search.account.tolerance import Tolerance
from dse.search.bundles.design_search import ChunkResult
from dse.search.driver import SearchOptions, SearchResult, search
from dse.search.plan.worker import Chunk
from dse.search.schedule.gap import relative
from dse.search.schedule.ledger import KeptRounds

__all__ = ["Looks", "MemoryLedger", "stops", "untrue"]


class Looks(Stop):
    """Stops after so many looks, whatever the clock says."""

    def __init__(self, looks, reason=BUDGET):
        super().__init__()
        self.looks, self.why = looks, reason

    @property
    def reason(self):
        self.looks -= 1
        return self.why if self.looks < 0 else None


class MemoryLedger:
    """Keeps what a search stores as a file would, packed."""

    def __init__(self):
        self.chunks: dict[Chunk, ChunkResult] = {}
        self.rounds, self.stored = None, 0

    def load(self, chunk: Chunk) -> ChunkResult | None:
        return self.chunks.get(chunk)

    def store(self, chunk: Chunk, result: ChunkResult) -> None:
        self.chunks[chunk] = result

    def load_rounds(self) -> KeptRounds | None:
        return None if self.rounds is None else unpacked_rounds(self.rounds)

    def store_rounds(self, kept: KeptRounds) -> None:
        self.rounds, self.stored = packed_rounds(kept), self.stored + 1


def stops(
    problem: Problem, options: SearchOptions, *, looks: int = 0, most: int = 1_000, factory=None
) -> Iterator[SearchResult]:
    """Stop a search after every `looks` + 1 rounds and go on with it; yield what each stop told, and the end."""
    ledger = MemoryLedger()
    for _ in range(most):
        result = search(problem, options, ledger=ledger, stop=Looks(looks), factory=factory)
        yield result
        if result.certificate.stopped is None:
            return
    raise AssertionError("it never ends")


def untrue(known: Known, problem: Problem, result: SearchResult, tolerance: Tolerance | None = None) -> Iterator[str]:
    """What a stopped search says that is not so."""
    certificate, points = result.certificate, result.values * problem.signs + 0.0
    claims, names = certificate.gap, [objective.quantity for objective in problem.objectives]
    assert claims is not None
    assert certificate.exact is False
    assert not any("add up" in warning for warning in certificate.warnings)
    assert claims["open"]["share"] == claims["open"]["designs"] / problem.space.size
    known_rows = np.searchsorted(known.numbers, result.numbers)
    assert np.isin(result.numbers, known.numbers).all()
    assert same_bits(points, known.points[known_rows])
    if claims["cover"] is not None:
        within = allowed(known.points, relative(names, claims["cover"]))
        if tolerance is not None and "absolute" in tolerance.kinds:  # which stands beside it
            within = np.maximum(within, allowed(known.points, tolerance))
        covered = np.zeros(len(within), dtype=bool)
        for point in points:
            covered |= (point <= within).all(axis=1)
        if not covered.all():
            yield "cover"
    for place, (name, sign) in enumerate(zip(names, problem.signs, strict=True)):
        possible, best = claims["objectives"][name]["possible"], claims["objectives"][name]["found"]
        assert best == (None if not len(points) else points[:, place].min() * sign)
        if possible is not None and len(known.points) and possible * sign > known.points[:, place].min():
            yield "possible"
    if "waiting" in claims:
        waiting = {int(name.removeprefix("alternative ")) - 1 for name in claims["waiting"]}
        begun = np.array([problem.space.product_of(int(own)) not in waiting for own in known.numbers])
        for place, (name, sign) in enumerate(zip(names, problem.signs, strict=True)):
            bound = claims["begun"][name]
            if bound is not None and begun.any() and bound * sign > known.points[begun, place].min():
                yield "begun"
    if not np.isin(claims["proved"], known.numbers[known.best]).all():
        yield "proved"
