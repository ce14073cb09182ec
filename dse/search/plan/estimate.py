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
from dse.search.evolve.evolve import evolve_seconds, whole_seconds
from dse.search.plan.slow_functions import slow_functions
from dse.search.plan.strategy import SearchOptions, Strategy, worthwhile_jobs
from dse.search.plan.worker import Seeds, Worker

__all__ = ["estimate_problem", "estimate_searches"]

_PRODUCTS = 8
_BOUNDED = 2
"""Products that are planned where groups will be reduced: what they take without that is no more than a bound."""
_SECONDS = 0.25  # for the sample of one product
_WHOLE = 20_000_000  # bytes of an archive, its filter and blocks


def estimate_problem(problem: Problem, options: SearchOptions) -> Estimate:
    """Estimate the search of a problem before anything is searched.

    Notes
    -----
    Of several alternatives some are planned, from the smallest to the largest, one after the other: the tables of
    one are held at a time. Groups of axes are not reduced, which
    may take as long as the search: where it would reduce them, the estimate is a bound. Where a function is slow, so
    that a plan alone would take long, nothing is planned (`dse.search.plan.slow_functions`).
    """
    sizes = [product.size for product in problem.space.products]
    if options.method == "evolve":
        seconds, designs, jobs = evolve_seconds(problem, options.evaluations, options.jobs)
        whole = whole_seconds(problem, seconds, options.evaluations)
        return Estimate(seconds, _peak(), False, designs, jobs, whole=whole)
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
    chosen = _some(sizes, _BOUNDED if groups else _PRODUCTS)
    passed, planned = elapsed(), 0.0
    whole = len(chosen) == len(sizes)
    worker = Worker(problem, strategy, "sampled" if whole else None)
    samples = []
    for index in chosen:
        search = worker.search(index)
        planned += passed()
        samples.append(_Sample.of(search, worker.seeds))
        if not whole:
            worker.forget(index)
        passed = elapsed()
    measured = _measured(samples, sizes)
    bounded = any(sample.method != "exhaustive" for sample in samples)
    planned *= len(sizes) / len(chosen)
    estimate = _estimate(measured, planned, options, strategy.method, sum(sizes), at_most=groups or bounded)
    return replace(estimate, fallbacks=tuple(worker.fallbacks), chunks=_chunks(samples, len(sizes)))


def estimate_searches(worker: Worker, options: SearchOptions) -> Estimate:
    """Estimate the search of what a worker has planned and not ended, its groups reduced."""
    searches = worker.open_searches
    sizes = [search.evaluator.size for search in searches]
    samples = [_Sample.of(searches[index], worker.seeds) for index in _some(sizes, _PRODUCTS)]
    measured = _measured(samples, sizes)
    estimate = _estimate(measured, 0.0, options, worker.method, worker.problem.space.size, at_most=False)
    chunks = sum(len(search) for search in searches)
    return replace(estimate, fallbacks=tuple(worker.fallbacks), chunks=chunks)


@dataclass(frozen=True)
class _Sample:
    """What was measured of one product."""

    seconds: float
    evaluated: int
    designs: int
    tables: int
    chunks: int
    method: str

    @classmethod
    def of(cls, search: ProductSearch, seeds: Seeds) -> _Sample:
        """Measure a product."""
        seconds, evaluated = search.expected(seeds, _SECONDS)
        evaluator = search.evaluator
        return cls(seconds, evaluated, evaluator.size, evaluator.table_bytes, len(search), search.method)


def _chunks(samples: Sequence[_Sample], products: int) -> int:
    """Return about how many chunks there are, of those of some products."""
    return round(sum(sample.chunks for sample in samples) * products / len(samples))


@dataclass(frozen=True)
class _Measured:
    """Seconds of all products, bytes of the tables of those that were not planned, and designs evaluated."""

    seconds: float
    tables: float
    designs: int


def _some(sizes: Sequence[int], most: int) -> list[int]:
    """Return some products, from the smallest to the largest, the largest among them."""
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    places = np.linspace(len(order) - 1, 0, min(len(order), most)).round().astype(int)
    return [order[place] for place in places[::-1]]


def _measured(samples: Sequence[_Sample], sizes: Sequence[int]) -> _Measured:
    """Return what all products take; those that were not measured are taken to cost the same per design."""
    seconds, own = sum(sample.seconds for sample in samples), sum(sample.designs for sample in samples)
    remaining = len(sizes) / len(samples) - 1.0
    tables = sum(sample.tables for sample in samples) * remaining
    return _Measured(seconds * sum(sizes) / own, tables, sum(sample.evaluated for sample in samples))


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
