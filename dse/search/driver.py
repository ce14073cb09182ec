"""Running a search: method, chunks, processes, and the account of it all."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from dse.errors import InputError
from dse.evaluation.memory import keep_memory
from dse.evaluation.problem import Problem
from dse.search.archive import Archive
from dse.search.bundles import BundleProduct, NoRangeForm
from dse.search.certificate import TIES, VECTORS, Certificate
from dse.search.exhaustive import ExhaustiveProduct
from dse.search.groups import GroupProduct, Refused
from dse.search.prefilter import Prefilter
from dse.search.product import ChunkResult
from dse.search.seeds import sample_seeds

__all__ = ["Ledger", "SearchOptions", "SearchResult", "search"]

METHODS = ("auto", "exhaustive", "bundles", "groups")
_BUNDLES_FROM = 5_000_000
_GROUPS_FROM = 500_000_000
_LARGEST_FORCED = 4_000_000
_PARALLEL_FROM = {"exhaustive": 500_000_000, "bundles": 100_000_000_000, "groups": 10_000_000_000_000}


class Factory(Protocol):
    """Something that can be sent to another process and makes the problem there."""

    def problem(self) -> Problem:
        """Return the problem."""


class Ledger(Protocol):
    """Where finished chunks are kept, so that a killed run can go on."""

    def load(self, chunk: tuple[int, int]) -> ChunkResult | None:
        """Return a finished chunk."""

    def store(self, chunk: tuple[int, int], result: ChunkResult) -> None:
        """Keep a finished chunk."""


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    Attributes
    ----------
    method : {"auto", "exhaustive", "bundles", "groups"}
        "auto" takes bundles for large spaces, unless infeasible designs are to be counted, and groups for alternatives
        of 5·10⁸ designs and more.
    jobs : int
        Processes; 0 means one per processor where the space is large enough to pay for starting them. The result does
        not depend on it.
    count_infeasible : bool
        Count the designs that violate each constraint, which needs a look at every design.
    block : int, optional
        Designs per block; chosen for the cache by default. The result does not depend on it.
    """

    method: str = "auto"
    jobs: int = 1
    count_infeasible: bool = False
    block: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"unknown method '{self.method}'",
                key="search.method",
                allowed=METHODS,
                wrong=self.method,
                candidates=METHODS,
            )
        if self.count_infeasible and self.method in ("bundles", "groups"):
            raise InputError(
                f"{self.method} skip designs, so infeasible ones cannot be counted",
                key="search.count_infeasible",
                allowed="method = 'exhaustive' or 'auto'",
            )


@dataclass(frozen=True)
class SearchResult:
    """The frontier: design numbers in rising order, objective values as the models give them, and the certificate."""

    numbers: np.ndarray
    values: np.ndarray
    certificate: Certificate
    counters: dict[str, Any] = field(default_factory=dict)


def search(
    problem: Problem,
    options: SearchOptions | None = None,
    *,
    factory: Factory | None = None,
    progress: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
) -> SearchResult:
    """Find the exact frontier of a problem.

    Parameters
    ----------
    problem : Problem
    options : SearchOptions
    factory : Factory, optional
        Needed for more than one process: it is sent to the workers, which make the problem anew.
    progress : callable, optional
        Called with (designs done, frontier designs found so far) as the search goes on.
    ledger : Ledger, optional
        Keeps finished chunks.

    Returns
    -------
    SearchResult

    Notes
    -----
    The space is cut into chunks that depend on the space alone; each starts from the same seeds. So the result, and
    every count, is the same for any number of processes and after any interruption.
    """
    options = options or SearchOptions()
    walker = _Walker(problem, options)
    jobs = options.jobs or _worthwhile_jobs(walker)
    chunks = walker.chunks()
    jobs = min(jobs, len(chunks)) if factory is not None else 1
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives)))
    totals = _Totals(problem)
    done = 0

    def report(designs: int) -> None:
        nonlocal done
        done += designs
        if progress is not None:
            progress(done, len(archive.numbers))

    missing = []
    for chunk in chunks:
        kept = ledger.load(chunk) if ledger is not None else None
        if kept is None:
            missing.append(chunk)
        else:
            totals.add(kept)
            archive.add(kept.points, kept.numbers)
            report(kept.designs)
    if jobs > 1 and len(missing) > 1:
        results = _parallel(walker, missing, jobs, factory)
    else:
        results = ((chunk, walker.run(chunk, report)) for chunk in missing)
    for chunk, result in results:
        totals.add(result)
        archive.add(result.points, result.numbers)
        if ledger is not None:
            ledger.store(chunk, result)
        if jobs > 1:
            report(result.designs)
    points, numbers = archive.result()
    complete = True
    for extra in walker.equal_designs(numbers):
        complete = complete and extra is not None
        if extra is not None:
            archive.add(*extra)
    if walker.method == "groups":
        points, numbers = archive.result()
    pruned = sum(product.pruned for product in walker.grouped)
    counted = totals.feasible is not None
    certificate = Certificate(
        method=walker.method,
        exact=True,
        designs=problem.space.size,
        evaluated=totals.evaluated,
        excluded_by_bound=problem.space.size - totals.evaluated - pruned,
        feasible=totals.feasible,
        infeasible=dict(totals.infeasible) if counted else None,
        pruned_by_group=pruned,
        groups=tuple(walker.told()),
        not_pruned=tuple(walker.not_pruned()),
        ties=TIES if complete else VECTORS,
        reason=walker.reason,
        warnings=tuple(walker.warnings()),
    )
    counters = {"jobs": jobs, "chunks": len(chunks), "calls": totals.calls, "passed": totals.passed}
    return SearchResult(numbers, points * problem.signs + 0.0, certificate, counters)


def _worthwhile_jobs(walker: _Walker) -> int:
    """Return one process where starting more would take longer than the search, else one per processor."""
    large = _PARALLEL_FROM[walker.method]
    return (os.cpu_count() or 1) if walker.problem.space.size >= large else 1


class _Totals:
    def __init__(self, problem: Problem) -> None:
        self.evaluated = self.calls = self.passed = 0
        self.feasible: int | None = 0
        texts = dict.fromkeys(c.text for system in problem.systems for c in system.constraints)
        self.infeasible: dict[str, int] = dict.fromkeys(texts, 0)

    def add(self, result: ChunkResult) -> None:
        self.evaluated += result.evaluated
        self.calls += result.calls
        self.passed += result.passed
        if result.feasible is None or self.feasible is None:
            self.feasible = None
            return
        self.feasible += result.feasible
        for text, count in (result.infeasible or {}).items():
            self.infeasible[text] += count


class _Walker:
    """Knows the method, makes the searches of the products, and the seeds."""

    def __init__(self, problem: Problem, options: SearchOptions) -> None:
        keep_memory()
        self.problem, self.options = problem, options
        self.reason = ""
        self.method = self._choose()
        self.evaluators = [problem.evaluator(index) for index in range(len(problem.space.products))]
        self.products: list[Any] = [None] * len(self.evaluators)
        for index in range(len(self.evaluators)):
            self.products[index] = self._product(index)
        taken = {product.method for product in self.products}
        self.method = next(method for method in ("groups", "bundles", "exhaustive") if method in taken)
        self.seeds = sample_seeds(problem, [product.whole for product in self.products])

    def _choose(self) -> str:
        method, size = self.options.method, self.problem.space.size
        if method != "auto":
            self.reason = "asked for"
            return method
        if self.options.count_infeasible:
            self.reason = "infeasible designs are to be counted"
            return "exhaustive"
        if size < _BUNDLES_FROM:
            self.reason = f"{size:,} designs are quickly looked at one by one".replace(",", " ")
            return "exhaustive"
        self.reason = f"{size:,} designs: bundles of alike designs are excluded by bounds".replace(",", " ")
        if any(map(self._is_huge, range(len(self.problem.space.products)))):
            self.reason += ", after rows that others beat were pruned from groups of axes"
            return "groups"
        return "bundles"

    @property
    def grouped(self) -> list[GroupProduct]:
        """The searches of products whose groups were reduced."""
        return [product for product in self.products if isinstance(product, GroupProduct)]

    def told(self) -> Iterator[str]:
        """Return each group in words, after the name of the alternative."""
        for product in self.grouped:
            name = self.problem.space.products[product.index].name
            for text in product.told:
                yield f"{name}: {text}" if name else text

    def not_pruned(self) -> list[str]:
        """Return the quantities that kept rows from being compared, each once, with a reason."""
        found: dict[str, str] = {}
        for product in self.grouped:
            for text in product.not_pruned:
                found.setdefault(text.partition(":")[0], text)
        return list(found.values())

    def equal_designs(self, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray] | None]:
        """Look up the designs of grouped products that equal some of the frontier and were pruned."""
        for product in self.grouped:
            first, size = self.problem.space.offsets[product.index], self.problem.space.products[product.index].size
            here = numbers[(numbers >= first) & (numbers < first + size)]
            if len(here):
                yield product.equal_designs(here)

    def _product(self, index: int) -> Any:
        if self.method == "exhaustive":
            return ExhaustiveProduct(self.problem, index, block=self.options.block, evaluator=self.evaluators[index])
        if self.method == "groups" and (self.options.method == "groups" or self._is_huge(index)):
            try:
                return GroupProduct(self.problem, index, whole=self.evaluators[index], block=self.options.block)
            except Refused as refusal:
                name = self.problem.space.products[index].name
                where = f" in '{name}'" if name else ""
                self.reason += f"; nothing was pruned{where}: {refusal}"
        forced: frozenset[int] = frozenset()
        evaluator = self.evaluators[index]
        while True:
            try:
                return BundleProduct(self.problem, index, evaluator=evaluator)
            except NoRangeForm as error:
                rows = self.problem.table_rows(index, error.position)
                if rows > _LARGEST_FORCED or error.position in forced:
                    name = self.problem.space.products[index].name
                    where = f" in '{name}'" if name else ""
                    self.reason += f"; every design was evaluated{where}, because {error}"
                    return ExhaustiveProduct(self.problem, index, block=self.options.block, evaluator=evaluator)
                forced = forced | {error.position}
                evaluator = self.problem.evaluator(index, forced)

    def _is_huge(self, index: int) -> bool:
        return self.problem.space.products[index].size >= _GROUPS_FROM

    def chunks(self) -> list[tuple[int, int]]:
        return [(index, piece) for index, product in enumerate(self.products) for piece in range(len(product))]

    def run(self, chunk: tuple[int, int], tick: Callable[[int], None] | None = None) -> ChunkResult:
        index, piece = chunk
        result: ChunkResult = self.products[index].run(piece, self.seeds, tick)
        return result

    def warnings(self) -> Iterator[str]:
        named: dict[str, set[str]] = {}
        for product in self.products:
            evaluator = product.evaluator
            for position in evaluator.plan.joined:
                if evaluator.structure.inexact[position]:
                    label = evaluator.graph.functions[position].label
                    named.setdefault(label, set()).update(evaluator.structure.inexact[position])
        if named:
            labels = ", ".join(named)
            one = len(named) == 1
            names = ", ".join(sorted(frozenset().union(*named.values())))
            yield (
                f"{labels} {'is' if one else 'are'} computed per block with {names}, whose last bit may depend on the "
                "processor: near-ties may fall differently elsewhere"
            )
        assumed = sorted(frozenset().union(*(product.assumed for product in self.grouped)))
        if assumed:
            yield f"what was pruned by group rests on {', '.join(assumed)} being monotone to the last bit"


_WALKERS: dict[Any, _Walker] = {}
_SEARCHES = itertools.count()


def _work(key: Any, factory: Factory, options: SearchOptions, chunk: tuple[int, int], seeds: Any) -> ChunkResult:
    """Search one chunk in a worker, which keeps its tables between chunks."""
    if key not in _WALKERS:
        _WALKERS.clear()
        walker = _Walker.__new__(_Walker)
        walker.problem, walker.options = factory.problem(), options
        walker.reason, walker.seeds = "", seeds
        walker.method = walker._choose()
        walker.evaluators = [None] * len(walker.problem.space.products)  # type: ignore[list-item]
        walker.products = [None] * len(walker.evaluators)
        _WALKERS[key] = walker
    walker = _WALKERS[key]
    if walker.products[chunk[0]] is None:
        walker.evaluators[chunk[0]] = walker.problem.evaluator(chunk[0])
        walker.products[chunk[0]] = walker._product(chunk[0])
    return walker.run(chunk)


def _parallel(
    walker: _Walker, chunks: list[tuple[int, int]], jobs: int, factory: Any
) -> Iterator[tuple[tuple[int, int], ChunkResult]]:
    import joblib

    key = (os.getpid(), next(_SEARCHES))
    tasks = (joblib.delayed(_work)(key, factory, walker.options, chunk, walker.seeds) for chunk in chunks)
    with joblib.Parallel(n_jobs=jobs, backend="loky", return_as="generator", pre_dispatch="2*n_jobs") as pool:
        with _without_interrupts():
            results = pool(tasks)
        yield from zip(chunks, results, strict=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers start: they inherit that, so that the parent alone answers it later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
