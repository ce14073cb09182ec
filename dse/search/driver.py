"""Running a search: its chunks, here or on several processes, and the account of it all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np

from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem
from dse.search.archive import Archive
from dse.search.certificate import COVERED, MET, TIES, VECTORS, Certificate
from dse.search.estimate import Estimate, estimate_searches
from dse.search.evidence import KEPT, Evidence, Excluded, who_excluded
from dse.search.evolve import Evolved, evolve, taken_over, worthwhile_processes
from dse.search.gap import Left, gap_told
from dse.search.pool import Factory, Processes, evaluating_processes
from dse.search.prefilter import Prefilter
from dse.search.product import ChunkResult
from dse.search.progress import EXCLUDING, SEARCHING, Progress
from dse.search.rounds import RoundsLedger, left_unprepared, search_by_rounds
from dse.search.stopping import BUDGET, INTERRUPT, Stop
from dse.search.strategy import SearchOptions, Strategy, worthwhile_jobs
from dse.search.totals import Totals
from dse.search.worker import Chunk, Worker
from dse.search.workers import ThisProcess, Workers

__all__ = ["Factory", "Ledger", "SearchOptions", "SearchResult", "search", "with_better"]

_ESTIMATED_FROM = 1_000_000


class Ledger(RoundsLedger, Protocol):
    """Where finished chunks are kept, so that a killed run can go on."""

    def store(self, chunk: Chunk, result: ChunkResult) -> None:
        """Keep a finished chunk."""


@dataclass(frozen=True)
class SearchResult:
    """The frontier: design numbers in rising order, objective values as the models give them, and the certificate.

    `evidence` is there where a ledger can keep it.
    """

    numbers: np.ndarray
    values: np.ndarray
    certificate: Certificate
    counters: dict[str, int] = field(default_factory=dict)
    evidence: Evidence | None = None


def search(
    problem: Problem,
    options: SearchOptions | None = None,
    *,
    factory: Factory | None = None,
    progress: Callable[[int, int], None] | None = None,
    phase: Callable[[str], None] | None = None,
    estimated: Callable[[Estimate], None] | None = None,
    ledger: Ledger | None = None,
    workers: Workers | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Find the exact frontier of a problem; with the method "evolve", good designs without a bound.

    Parameters
    ----------
    problem : Problem
    options : SearchOptions
    factory : Factory, optional
        Needed for more than one process: it is sent to the workers, which make the problem anew.
    progress : callable, optional
        Called with (designs decided, frontier designs found so far) as the search goes on: evaluated, excluded and
        pruned ones count.
    phase : callable, optional
        Called with the name of what is done next (`dse.search.progress`).
    estimated : callable, optional
        Called, where the space is not small, with what the search is expected to take, when all is planned.
    ledger : Ledger, optional
        Keeps finished chunks.
    workers : Workers, optional
        Run the chunks. Default: this process, or as many of this computer as the options say.
    stop : Stop, optional
        Tells when to stop before the end.

    Returns
    -------
    SearchResult

    Notes
    -----
    The space is cut into chunks that depend on the space alone; each starts from the same seeds. So the result, and
    every count, is the same for any number of processes and after any interruption. With a budget, and where a search
    that had one goes on, the space is searched in rounds instead (`dse.search.rounds`), here alone.
    """
    options, stop = options or SearchOptions(), stop or Stop()
    stop.within(options.budget)
    sizes = [product.size for product in problem.space.products]
    told = Progress(progress, phase)
    if options.method == "evolve":  # one chunk that nobody can go on with: there is nothing for a ledger
        return _evolved(problem, *_evolve(problem, options, factory, told, stop))
    strategy = Strategy.choose(options, sizes)
    worker = Worker(problem, strategy, None, progress=told)
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives)))
    totals = Totals(problem)
    count, most = 0, 1
    stages = strategy.stages(sizes)
    stopped: str | None = None
    left: Left | None = None
    in_rounds = options.budget is not None or (ledger is not None and ledger.load_rounds() is not None)
    if in_rounds and workers is not None:
        raise InputError(
            "this search had a budget before: it goes on in rounds, here alone",
            key="cluster",
            allowed="the same command without a cluster, or a fresh run",
        )
    if in_rounds:
        most = options.jobs or worthwhile_jobs(strategy.method, problem.space.size)
        most = most if factory is not None else 1
        stopped, left = search_by_rounds(
            worker, stages, archive, totals, ledger=ledger, told=told, stop=stop, factory=factory, jobs=most
        )
    for place, stage in enumerate(() if in_rounds else stages):
        known = archive.result()
        try:
            worker.sample(stage, known if len(known[1]) else None)
        except KeyboardInterrupt:
            if not stop.interruptible or not len(known[1]):
                raise
            stopped = INTERRUPT
            left = left_unprepared(worker, [index for after in stages[place:] for index in after])
            break
        if strategy.tolerance is not None and worker.seeds is not None:
            archive.add(*worker.seeds)  # whatever becomes of them in a piece, what they cover stays covered
        chunks = worker.chunks(stage)
        count += len(chunks)
        method = worker.method_of(stage)
        jobs = options.jobs or worthwhile_jobs(method, sum(sizes[index] for index in stage))
        jobs = min(jobs, len(chunks)) if factory is not None else 1
        most = max(most, jobs if workers is None else workers.count)
        missing = []
        for chunk in chunks:
            kept = ledger.load(chunk) if ledger is not None else None
            if kept is None:
                missing.append(chunk)
            else:
                totals.add(kept, chunk)
                archive.add(kept.points, kept.numbers, merged=True)
                told.joined(len(archive.numbers))
                told.decided(kept.designs)
        if estimated is not None and missing and stage is stages[-1] and problem.space.size >= _ESTIMATED_FROM:
            with contextlib.suppress(InputError, ModelError):  # the search will meet the fault, and tell it
                estimated(estimate_searches(worker, options))
        told.phase(SEARCHING if method == "exhaustive" else EXCLUDING)
        running: Workers = ThisProcess(worker, told)
        if len(missing) > 1 and workers is not None:
            running = workers
        elif len(missing) > 1 and factory is not None and jobs > 1:
            running = Processes(factory, jobs)
        finished = partial(_finished, ledger, None if isinstance(running, ThisProcess) else told)
        results = running.map(strategy, worker.seeds, missing, finished)
        with stop.heard():
            done = 0
            try:
                for done, (chunk, result) in enumerate(results, 1):
                    totals.add(result, chunk)
                    archive.add(result.points, result.numbers, merged=True)
                    told.joined(len(archive.numbers))
                    stopped = stop.reason if done < len(missing) or stage is not stages[-1] else None
                    if stopped is not None:
                        if isinstance(results, Generator):
                            results.close()
                        break
            except Exception:
                # Whoever asked this process to stop may have asked its workers too, which then are gone.
                if stop.reason != INTERRUPT or isinstance(running, ThisProcess):
                    raise
                stopped = INTERRUPT
            if stopped is not None:
                left = _left(worker, totals, len(missing) - done + sum(map(len, stages[place + 1 :])))
        if stopped is not None:
            break
        worker.end(stage)
    points, numbers = archive.result()
    complete = True
    for equals in _equal_designs(worker, numbers) if not totals.left_out and stopped is None else ():
        complete = complete and equals is not None
        if equals is not None:
            archive.add(*equals)
    if worker.method == "groups" and not totals.left_out and stopped is None:
        points, numbers = archive.result()
    certificate = _certificate(worker, totals, left, ties_complete=complete)
    if left is not None:
        gap = gap_told(problem, points, numbers, left, strategy.tolerance if totals.left_out else None)
        certificate = replace(certificate, exact=False, stopped=stopped, gap=gap)
    counters = {"jobs": most, "chunks": count, "calls": totals.calls, "passed": totals.passed}
    evidence = _evidence(worker, totals.parts, points, numbers) if ledger is not None else None
    return SearchResult(numbers, points * problem.signs + 0.0, certificate, counters, evidence)


def _finished(ledger: Ledger | None, told: Progress | None, chunk: Chunk, result: ChunkResult) -> None:
    """Keep a chunk that is finished, and tell of one that was run elsewhere: this process tells as it goes."""
    if ledger is not None:
        ledger.store(chunk, result)
    if told is not None:
        told.decided(result.designs)


def _evolve(
    problem: Problem, options: SearchOptions, factory: Factory | None, told: Progress, stop: Stop
) -> tuple[Evolved, int]:
    """Search without a bound; return what was found, and how many processes evaluated designs."""
    jobs = (options.jobs or worthwhile_processes(problem)) if factory is not None else 1
    if factory is None or jobs == 1:
        return evolve(problem, options.evaluations, told, stop), 1
    with evaluating_processes(factory, jobs) as look_at:
        return evolve(problem, options.evaluations, told, stop, look_at), jobs


def _left(worker: Worker, totals: Totals, pieces: int) -> Left:
    """Return what a search that goes from piece to piece has left, of which it has no bound."""
    decided = totals.evaluated + totals.excluded + sum(product.pruned for product in worker.grouped)
    return Left(pieces, worker.problem.space.size - decided, None)


def _evolved(problem: Problem, found: Evolved, jobs: int) -> SearchResult:
    """Return what a search without a bound has found, with its certificate."""
    account = found.account
    warnings = []
    if account.not_finite:
        warnings.append(f"{account.not_finite} designs have an objective that is not finite; they count as infeasible")
    if account.evaluations == problem.space.size:
        warnings.append("every design of the space was looked at: method = 'exhaustive' would call this exact")
    certificate = Certificate(
        method="evolve",
        exact=False,
        designs=problem.space.size,
        evaluated=account.evaluations,
        excluded_by_bound=0,
        feasible=None,
        infeasible=None,
        ties=MET,
        reason="asked for",
        warnings=tuple(warnings),
        evolution=account,
        stopped=account.ended if account.ended in (BUDGET, INTERRUPT) else None,
    )
    return SearchResult(found.numbers, found.points * problem.signs + 0.0, certificate, {"jobs": jobs, "chunks": 1})


def with_better(problem: Problem, result: SearchResult, better: np.ndarray) -> SearchResult:
    """Return the result of a search without a bound with designs that beat some of it, the frontier closed again."""
    points, numbers = taken_over(problem, result.numbers, better)
    return replace(result, numbers=numbers, values=points * problem.signs + 0.0)


def _evidence(worker: Worker, parts: dict[int, list[Excluded]], points: np.ndarray, numbers: np.ndarray) -> Evidence:
    """Thin out what the pieces kept, and say what stands against each: the design that beats it, the row instead."""
    evidence = Evidence()
    joined = {index: Excluded.joined(some) for index, some in parts.items()}
    keys = np.concatenate([np.empty(0), *(some.keys for some in joined.values())])
    share = min(1.0, KEPT / max(1, len(keys)))
    for index, some in joined.items():
        if not worker.search(index).orders:  # of boxes whose designs cannot be told nothing is kept
            continue
        excluded = some.least(max(1, round(share * len(some.keys))))
        evidence.excluded[index] = excluded
        evidence.by[index] = who_excluded(excluded, points, numbers, worker.strategy.tolerance)
        evidence.orders[index] = worker.search(index).orders
    for product in worker.grouped:
        evidence.groups[product.index] = product.evidence(-(-KEPT // len(worker.grouped)))
    return evidence


def _equal_designs(worker: Worker, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray] | None]:
    """Look up the designs of grouped products that equal some of the frontier and were pruned."""
    space = worker.problem.space
    for product in worker.grouped:
        first, size = space.offsets[product.index], space.products[product.index].size
        here = numbers[(numbers >= first) & (numbers < first + size)]
        if len(here):
            yield product.equal_designs(here)


# ---- the certificate ------------------------------------------------------------------------------------------------


def _certificate(worker: Worker, totals: Totals, left: Left | None, *, ties_complete: bool) -> Certificate:
    size = worker.problem.space.size
    pruned = sum(product.pruned for product in worker.grouped)
    open_designs = left.designs if left is not None else 0
    whole = Certificate.adds_up(size, totals.evaluated, totals.excluded, pruned + open_designs)
    counted = totals.feasible if left is None else None  # of designs that were not looked at nobody knows
    tolerance = worker.strategy.tolerance
    warnings = [*_warnings(worker)]
    if not whole:
        warnings.append("evaluated, excluded and pruned designs do not add up to the space: please report it")
    return Certificate(
        method=worker.method,
        exact=whole and not totals.left_out,
        designs=size,
        evaluated=totals.evaluated,
        excluded_by_bound=totals.excluded,
        feasible=counted,
        infeasible=dict(totals.infeasible) if counted is not None else None,
        pruned_by_group=pruned,
        groups=tuple(_groups_in_words(worker)),
        not_pruned=tuple(_not_pruned(worker)),
        ties=COVERED if totals.left_out else MET if left is not None else TIES if ties_complete else VECTORS,
        reason="; ".join([worker.strategy.reason, *worker.fallbacks]),
        warnings=tuple(warnings),
        tolerance=tolerance.as_dict() if tolerance is not None else None,
    )


def _groups_in_words(worker: Worker) -> Iterator[str]:
    """Return each group, after the name of the alternative."""
    for product in worker.grouped:
        name = worker.problem.space.products[product.index].name
        for text in product.told:
            yield f"{name}: {text}" if name else text


def _not_pruned(worker: Worker) -> list[str]:
    """Return the quantities that kept rows from being compared, each once, with a reason."""
    reasons: dict[str, str] = {}
    for product in worker.grouped:
        for text in product.not_pruned:
            reasons.setdefault(text.partition(":")[0], text)
    return list(reasons.values())


def _warnings(worker: Worker) -> Iterator[str]:
    """Yield what the result rests on beside arithmetic: functions that differ between processors, assumed monotony."""
    named: dict[str, set[str]] = {}
    for product in worker.prepared.values():
        evaluator = product.evaluator
        for position in evaluator.plan.joined:
            if evaluator.structure.inexact[position]:
                label = evaluator.graph.functions[position].label
                named.setdefault(label, set()).update(evaluator.structure.inexact[position])
    if named:
        labels = ", ".join(named)
        names = ", ".join(sorted(frozenset().union(*named.values())))
        yield (
            f"{labels} {'is' if len(named) == 1 else 'are'} computed per block with {names}, whose last bit may depend "
            "on the processor: near-ties may fall differently elsewhere"
        )
    assumed = sorted(frozenset().union(*(product.assumed for product in worker.grouped)))
    if assumed:
        yield f"what was pruned by group rests on {', '.join(assumed)} being monotone to the last bit"
