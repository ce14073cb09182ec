"""A search in three words: it is planned, carried out by a schedule, and certified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dse.evaluation.problem import Problem
from dse.search.account.certificate import Certificate
from dse.search.account.progress import Progress, SearchListener
from dse.search.account.stopping import Stop
from dse.search.bundles.product_search import ProductSearch
from dse.search.certify import certify
from dse.search.evolve.evolve import taken_over
from dse.search.plan.search_plan import plan_search
from dse.search.plan.strategy import SearchOptions
from dse.search.proof.evidence import Evidence
from dse.search.schedule.ledger import Ledger
from dse.search.schedule.resources import Resources
from dse.search.schedule.schedule import carry_out
from dse.search.schedule.search_account import GenerationsAccount
from dse.search.schedule.workers import Factory, Workers

__all__ = ["Factory", "Ledger", "SearchOptions", "SearchResult", "search", "with_better"]


@dataclass(frozen=True)
class SearchResult:
    """The frontier: design numbers in rising order, objective values as the models give them, and the certificate.

    `evidence` is there where a ledger can keep it; `searches` are those of the products, some of which still have
    their tables.
    """

    numbers: np.ndarray
    values: np.ndarray
    certificate: Certificate
    counters: dict[str, int] = field(default_factory=dict)
    evidence: Evidence | None = None
    searches: Mapping[int, ProductSearch] = field(default_factory=dict, repr=False)


def search(
    problem: Problem,
    options: SearchOptions | None = None,
    *,
    factory: Factory | None = None,
    listener: SearchListener | None = None,
    ledger: Ledger | None = None,
    workers: Workers | None = None,
    stop: Stop | None = None,
    kept: frozenset[int] = frozenset(),
) -> SearchResult:
    """Find the exact frontier of a problem; with the method "evolve", good designs without a bound.

    Parameters
    ----------
    problem : Problem
    options : SearchOptions
    factory : Factory, optional
        Needed for more than one process: it is sent to the workers, which make the problem anew.
    listener : SearchListener, optional
        Told how the search goes on. Default: nobody.
    ledger : Ledger, optional
        Keeps what is finished.
    workers : Workers, optional
        Run the pieces. Default: this process, or as many of this computer as the options say.
    stop : Stop, optional
        Tells when to stop before the end.
    kept : frozenset of int, optional
        Products whose tables are not given back when their search has ended.
    """
    options, stop, progress = options or SearchOptions(), stop or Stop(), Progress(listener)
    stop.within(options.budget)
    progress.listener.started(problem.space.size)
    plan = plan_search(problem, options)
    resources = Resources(factory=factory, ledger=ledger, workers=workers, stop=stop, progress=progress, kept=kept)
    account = carry_out(problem, plan, options, resources)
    certificate, evidence = certify(account)
    progress.listener.ended(certificate)
    points, numbers = account.frontier
    prepared = {} if isinstance(account, GenerationsAccount) else account.worker.prepared
    return SearchResult(numbers, points * problem.signs + 0.0, certificate, account.counters, evidence, prepared)


def with_better(problem: Problem, result: SearchResult, better: np.ndarray) -> SearchResult:
    """Return the result of a search without a bound with designs that beat some of it, the frontier closed again."""
    points, numbers = taken_over(problem, result.numbers, better)
    return replace(result, numbers=numbers, values=points * problem.signs + 0.0)
