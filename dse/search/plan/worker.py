"""A worker: prepares the products of a problem when they are first needed, cuts them into pieces, and runs these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from dse.evaluation.memory import keep_memory
from dse.evaluation.problem import Problem
from dse.search.account.progress import PRUNING, TABLES, Progress
from dse.search.bundles.bundles import BundleProduct, NoRangeForm
from dse.search.bundles.design_search import LARGE, ChunkResult
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.bundles.product_search import ProductSearch
from dse.search.frontier.cover import of_designs, thinned_start
from dse.search.groups.groups import GroupProduct, Refused
from dse.search.plan.strategy import Strategy
from dse.search.plan.work import counted_work, least_of_all_designs, of_proofs
from dse.search.start.warm_start import warm_start

__all__ = ["Chunk", "Seeds", "Worker"]

Chunk = tuple[int, int]
"""A product and a piece of it."""

Seeds = tuple[np.ndarray, np.ndarray] | None
"""A first frontier: points to be minimised and design numbers."""

_LARGEST_FORCED = 4_000_000
_FAR_MORE = 30.0  # times the work of proofs, at which nothing else needs to be counted
_SAMPLED_FROM = 4.0  # times the work of making bundles: of less work, they are not made to be sampled


class Worker:
    """Searches the chunks of a problem, in this process.

    Parameters
    ----------
    problem : Problem
    strategy : Strategy
    seeds : optional
        What every chunk starts from. Default: sampled here, which needs all products; other processes are sent theirs.
    progress : Progress, optional
        Told what is planned, and how many designs are pruned with it.

    kept : frozenset of int, optional
        Products whose tables are kept when their search has ended, as somebody searches them again.

    Attributes
    ----------
    fallbacks : list of str
        In words, why a product is not searched as the strategy would have it.
    """

    def __init__(
        self,
        problem: Problem,
        strategy: Strategy,
        seeds: Seeds | Literal["sampled"] = "sampled",
        *,
        progress: Progress | None = None,
        kept: frozenset[int] = frozenset(),
    ) -> None:
        keep_memory()
        self.progress, self.kept = progress or Progress(), kept
        self.problem, self.strategy = problem, strategy
        self.fallbacks: list[str] = []
        self._searches: dict[int, ProductSearch] = {}
        self._grouped: dict[int, GroupProduct] = {}
        self._ended: set[int] = set()
        self._hull: list[tuple[float, float]] = []
        self.seeds: Seeds = None if isinstance(seeds, str) else seeds
        if isinstance(seeds, str):
            self.sample(range(len(problem.space.products)))

    def sample(self, products: Sequence[int], known: Seeds = None) -> None:
        """Sample what every chunk starts from, and settle by it how products are cut.

        `known` is the frontier of the products searched before these.
        """
        exact = self.strategy.tolerance is None  # a cover depends on what it starts from, a frontier does not
        self.seeds = warm_start(self.problem, [self.search(index) for index in products], known, closed=exact)
        if self.seeds is not None and self.strategy.tolerance is not None:
            large = max(self.problem.space.products[index].size for index in products) > LARGE
            tolerance = of_designs(self.strategy.tolerance) if large else self.strategy.tolerance
            self.seeds = thinned_start(tolerance, self.seeds, known)
        single = [index for index in products if self.search(index).settle(self.seeds)]
        if single:
            self.strategy = replace(self.strategy, single_rows=(*self.strategy.single_rows, *single))

    @property
    def searches(self) -> list[ProductSearch]:
        """The searches of all products."""
        return [self.search(index) for index in range(len(self.problem.space.products))]

    @property
    def open_searches(self) -> list[ProductSearch]:
        """The searches of the products that have not ended."""
        return [self.search(index) for index in range(len(self.problem.space.products)) if index not in self._ended]

    def end(self, products: Iterable[int]) -> None:
        """Give the tables of products back whose search has ended."""
        for index in products:
            self._ended.add(index)
            if index not in self.kept:
                self.search(index).release()

    def forget(self, index: int) -> None:
        """Let go of all that is planned of a product; it is made anew when it is needed again."""
        self._searches.pop(index, None)
        self._grouped.pop(index, None)

    @property
    def grouped(self) -> list[GroupProduct]:
        """The searches of products whose groups were reduced, as far as they were needed."""
        return [self._grouped[index] for index in sorted(self._grouped)]

    @property
    def prepared(self) -> dict[int, ProductSearch]:
        """The searches that were needed so far, by product: all, when a search has ended."""
        return {index: self._searches[index] for index in sorted(self._searches)}

    @property
    def method(self) -> str:
        """The strongest method that any product is searched by."""
        return self.method_of(self.prepared)

    def method_of(self, products: Iterable[int]) -> str:
        """Return the strongest method that any of some products is searched by."""
        taken = {self.search(index).method for index in products}
        return next(method for method in ("groups", "bundles", "exhaustive") if method in taken)

    def chunks(self, products: Iterable[int] | None = None) -> list[Chunk]:
        """Return the chunks of some products, of all where none are named; they depend on the space alone."""
        chosen = range(len(self.problem.space.products)) if products is None else products
        return [(index, piece) for index in chosen for piece in range(len(self.search(index)))]

    def run(
        self,
        chunk: Chunk,
        tick: Callable[[int], None] | None = None,
        grew: Callable[[int], None] | None = None,
    ) -> ChunkResult:
        """Search one chunk; `tick` is told how many designs are done, `grew` how many its frontier has so far."""
        index, piece = chunk
        search = self.search(index)
        search.grew = grew
        return search.run(piece, self.seeds, tick)

    def search(self, index: int) -> ProductSearch:
        """Return the search of one product, made when it is first needed."""
        if index not in self._searches:
            search = self._searches[index] = self._made(index)
            self._accept(search)
            if index in self.strategy.single_rows:
                search.split_rows()
            self.progress.decided(search.pruned)
        return self._searches[index]

    def _accept(self, search: ProductSearch) -> None:
        """Give a search its tolerance; refuse a relative one where an objective may be 0, in all products together."""
        search.tolerance = self.strategy.tolerance
        if search.tolerance is None:
            return
        known = self._hull or [(np.nan, np.nan)] * len(self.problem.objectives)
        own = search.hull()
        self._hull = [
            (float(np.fmin(low, a)), float(np.fmax(high, b))) for (low, high), (a, b) in zip(known, own, strict=True)
        ]
        for place, ((low, high), sign) in enumerate(zip(self._hull, self.problem.signs, strict=True)):
            search.tolerance.refuse_around_zero(place, *((low, high) if sign > 0 else (-high, -low)))

    def _made(self, index: int) -> ProductSearch:
        problem, block, size = self.problem, self.strategy.block, self.problem.space.products[index].size
        self.progress.phase(TABLES)
        if not self.strategy.bundles(size):
            return ExhaustiveProduct(problem, index, block=block)
        chosen = self._of_least_work(index) if self.strategy.by_work else None
        if chosen is not None:
            return chosen
        if self.strategy.reduces(size):
            self.progress.phase(PRUNING)
            try:
                grouped = self._grouped[index] = GroupProduct(problem, index, block=block)
                return grouped
            except Refused as refusal:
                self.fallbacks.append(f"nothing was pruned{self._where(index)}: {refusal}")
        return self._by_bundles(index)

    def _of_least_work(self, index: int) -> ProductSearch | None:
        """Return the search of an alternative that is less work than what its size suggests; None where none is.

        It follows from counts and from a sample of this alternative alone, so that everybody chooses alike.
        """
        problem, size = self.problem, self.problem.space.products[index].size
        reduces = self.strategy.reduces(size)
        if reduces and least_of_all_designs(size) > _FAR_MORE * of_proofs(problem, index):
            return None
        work = counted_work(problem, index)
        other = min(work.all_designs, work.proofs) if reduces else work.all_designs
        if _SAMPLED_FROM * work.levels <= other:
            fallbacks = len(self.fallbacks)
            search = self._by_bundles(index)
            if isinstance(search, BundleProduct):
                seeds = warm_start(problem, [search], closed=False)
                if work.of_bundles(search.expected_work(seeds)) <= other:
                    return search
            elif not reduces:
                return search
            del self.fallbacks[fallbacks:]
        if reduces and work.proofs < work.all_designs:
            return None
        return ExhaustiveProduct(problem, index, block=self.strategy.block)

    def _by_bundles(self, index: int) -> ProductSearch:
        """Return the search of a product by bundles, or of all its designs where ranges have no form."""
        problem, block = self.problem, self.strategy.block
        evaluator = problem.evaluator(index)
        forced: frozenset[int] = frozenset()
        while True:
            try:
                return BundleProduct(problem, index, evaluator=evaluator, take_tables=True)
            except NoRangeForm as error:
                rows = problem.table_rows(index, error.position)
                if rows > _LARGEST_FORCED or error.position in forced:
                    self.fallbacks.append(f"every design was evaluated{self._where(index)}, because {error}")
                    return ExhaustiveProduct(problem, index, block=block, evaluator=evaluator)
                forced = forced | {error.position}
                evaluator = problem.evaluator(index, forced)

    def _where(self, index: int) -> str:
        name = self.problem.space.products[index].name
        return f" in '{name}'" if name else ""
