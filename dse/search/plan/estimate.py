"""How long a search takes, from the cost per design measured on a small sample of its plan.

Where every design is looked at, some blocks are evaluated and the rest is taken to cost the same. Where bundles are
excluded, a few boxes are followed down to single designs: what is left of a random part of the boxes of one level says
how many there are on the next (D. E. Knuth, Estimating the efficiency of backtrack programs, 1975).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dse.evaluation.problem import Problem
from dse.search.account.elapsed import elapsed
from dse.search.account.estimate import Estimate
from dse.search.bundles.product_search import ProductSearch
from dse.search.evolve.evolve import evolve_seconds
from dse.search.plan.slow_functions import slow_functions
from dse.search.plan.strategy import SearchOptions, Strategy, worthwhile_jobs
from dse.search.plan.worker import Seeds, Worker

__all__ = ["estimate_problem", "estimate_searches"]

_PRODUCTS = 8
_SECONDS = 0.25  # for the sample of one product
_WHOLE = 20_000_000  # bytes of an archive, its filter and blocks


def estimate_problem(problem: Problem, options: SearchOptions) -> Estimate:
    """Estimate the search of a problem before anything is searched.

    Notes
    -----
    Of several alternatives some are planned, from the smallest to the largest. Groups of axes are not reduced, which
    may take as long as the search: where it would reduce them, the estimate is a bound. Where a function is slow, so
    that a plan alone would take long, nothing is planned (`dse.search.plan.slow_functions`).
    """
    sizes = [product.size for product in problem.space.products]
    if options.method == "evolve":
        seconds, designs, jobs = evolve_seconds(problem, options.evaluations, options.jobs)
        return Estimate(seconds, _peak(), False, designs, jobs)
    strategy = Strategy.choose(options, sizes)
    slow = slow_functions(problem)
    if slow is not None:
        measured = _Measured(slow.seconds, 0.0, slow.designs)
        estimate = _estimate(
            measured, 0.0, options, strategy.method, sum(sizes), at_most=strategy.method != "exhaustive"
        )
        return replace(estimate, chunks=1)  # its tables, which every process would make anew
    groups = strategy.method == "groups"
    if groups:
        strategy = Strategy("bundles", strategy.reason, strategy.block, bundles_from=strategy.bundles_from)
    passed = elapsed()
    chosen = _some(sizes)
    whole = len(chosen) == len(sizes)
    worker = Worker(problem, strategy, "sampled" if whole else None)
    searches = [worker.search(index) for index in chosen]
    planned = passed() / len(chosen) * len(sizes)
    measured = _measured(searches, sizes, worker.seeds)
    bounded = any(search.method != "exhaustive" for search in searches)
    estimate = _estimate(measured, planned, options, strategy.method, sum(sizes), at_most=groups or bounded)
    return replace(estimate, fallbacks=tuple(worker.fallbacks), chunks=_chunks(searches, len(sizes)))


def estimate_searches(worker: Worker, options: SearchOptions) -> Estimate:
    """Estimate the search of what a worker has planned and not ended, its groups reduced."""
    searches = worker.open_searches
    sizes = [search.evaluator.size for search in searches]
    measured = _measured([searches[index] for index in _some(sizes)], sizes, worker.seeds)
    estimate = _estimate(measured, 0.0, options, worker.method, worker.problem.space.size, at_most=False)
    return replace(estimate, fallbacks=tuple(worker.fallbacks), chunks=_chunks(searches, len(searches)))


def _chunks(searches: Sequence[ProductSearch], products: int) -> int:
    """Return about how many chunks there are, of those of some products."""
    return round(sum(len(search) for search in searches) * products / len(searches))


@dataclass(frozen=True)
class _Measured:
    """Seconds of all products, bytes of the tables of those that were not planned, and designs evaluated."""

    seconds: float
    tables: float
    designs: int


def _some(sizes: Sequence[int]) -> list[int]:
    """Return some products, from the smallest to the largest, the largest among them."""
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    places = np.linspace(0, len(order) - 1, min(len(order), _PRODUCTS)).round().astype(int)
    return [order[place] for place in places]


def _measured(searches: Sequence[ProductSearch], sizes: Sequence[int], seeds: Seeds) -> _Measured:
    """Measure some products; the others are taken to cost the same per design."""
    seconds, tables, designs, own = 0.0, 0.0, 0, 0
    for search in searches:
        expected, evaluated = search.expected(seeds, _SECONDS)
        seconds, designs, own = seconds + expected, designs + evaluated, own + search.evaluator.size
        tables += search.evaluator.table_bytes
    left = len(sizes) / len(searches) - 1.0
    return _Measured(seconds * sum(sizes) / own, tables * left, designs)


def _estimate(
    measured: _Measured, planned: float, options: SearchOptions, method: str, size: int, *, at_most: bool
) -> Estimate:
    jobs = options.jobs or worthwhile_jobs(method, size)
    peak = _peak()
    memory = None if peak is None else peak + measured.tables + _WHOLE
    if memory is not None and jobs > 1:
        memory *= 1 + jobs
    return Estimate(float(planned + measured.seconds / jobs), memory, at_most, measured.designs, jobs, planned)


def _peak() -> float | None:
    """Return the most memory this process has held, in bytes."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
