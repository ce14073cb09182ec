"""Certifying a search: what its account proves, and nothing more. Nowhere else is a frontier called exact.

A frontier is exact when every design of the space was evaluated, excluded by a bound or pruned with a row of a group,
each once, when none was left out because of a tolerance alone, and when nothing was open as the search ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dse.search.account.certificate import COVERED, MET, TIES, VECTORS, Certificate
from dse.search.account.stopping import BUDGET, INTERRUPT
from dse.search.plan.worker import Worker
from dse.search.proof.evidence import KEPT, Evidence, Excluded, who_excluded
from dse.search.schedule.gap import describe_gap
from dse.search.schedule.search_account import GenerationsAccount, SearchAccount

__all__ = ["certify", "resting_on"]


def certify(account: SearchAccount | GenerationsAccount) -> tuple[Certificate, Evidence | None]:
    """Return the certificate of a search, and its evidence where somebody keeps it.

    Parameters
    ----------
    account : SearchAccount or GenerationsAccount
        Of a search that has ended or was stopped.
    """
    if isinstance(account, GenerationsAccount):
        return _without_bound(account), None
    return _certificate(account), _evidence(account) if account.keeps_evidence else None


def resting_on(certificate: Certificate, accepted: Mapping[str, int]) -> Certificate:
    """Return the certificate of a search that took over blocks of somebody else: it proves nothing of these."""
    return replace(certificate, exact=False, accepted=accepted)


def _without_bound(account: GenerationsAccount) -> Certificate:
    evolution, size = account.evolved.account, account.problem.space.size
    warnings = []
    if evolution.not_finite:
        warnings.append(
            f"{evolution.not_finite} designs have an objective that is not finite; they count as infeasible"
        )
    if evolution.evaluations == size:
        warnings.append("every design of the space was looked at: method = 'exhaustive' would call this exact")
    return Certificate(
        method="evolve",
        exact=False,
        designs=size,
        evaluated=evolution.evaluations,
        excluded_by_bound=0,
        feasible=None,
        infeasible=None,
        ties=MET,
        reason="asked for",
        warnings=tuple(warnings),
        evolution=evolution,
        stopped=evolution.ended if evolution.ended in (BUDGET, INTERRUPT) else None,
    )


def _certificate(account: SearchAccount) -> Certificate:
    worker, totals, remaining = account.worker, account.totals, account.remaining
    size, tolerance = account.problem.space.size, worker.strategy.tolerance
    still_open = remaining.designs if remaining is not None else 0
    accounted = Certificate.adds_up(size, totals.evaluated, totals.excluded, account.pruned + still_open)
    counted = totals.feasible if remaining is None else None  # of designs that were not looked at nobody knows
    warnings = [*_warnings(worker)]
    if not accounted:
        warnings.append("evaluated, excluded and pruned designs do not add up to the space: please report it")
    gap = None
    if remaining is not None:
        gap = describe_gap(account.problem, *account.frontier, remaining, tolerance if totals.left_out else None)
    return Certificate(
        method=worker.method,
        exact=accounted and not totals.left_out and remaining is None,
        designs=size,
        evaluated=totals.evaluated,
        excluded_by_bound=totals.excluded,
        feasible=counted,
        infeasible=dict(totals.infeasible) if counted is not None else None,
        pruned_by_group=account.pruned,
        groups=tuple(_describe_groups(worker)),
        not_pruned=tuple(_not_pruned(worker)),
        ties=_ties(account),
        reason="; ".join([worker.strategy.reason, *worker.fallbacks]),
        warnings=tuple(warnings),
        tolerance=tolerance.as_dict() if tolerance is not None else None,
        stopped=account.stopped,
        gap=gap,
    )


def _ties(account: SearchAccount) -> str:
    """Return the rule for designs with equal objectives."""
    if account.totals.left_out:
        return COVERED
    if account.remaining is not None:
        return MET
    return TIES if account.ties_complete else VECTORS


def _describe_groups(worker: Worker) -> Iterator[str]:
    """Return each group, after the name of the alternative."""
    for product in worker.grouped:
        name = worker.problem.space.products[product.index].name
        for text in product.descriptions:
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


def _evidence(account: SearchAccount) -> Evidence:
    """Thin out what the pieces kept, and say what stands against each: the design that beats it, the row instead."""
    evidence, worker = Evidence(), account.worker
    joined = {index: Excluded.joined(parts) for index, parts in account.totals.parts.items()}
    keys = np.concatenate([np.empty(0), *(every.keys for every in joined.values())])
    share = min(1.0, KEPT / max(1, len(keys)))
    for index, every in joined.items():
        if not worker.search(index).orders:  # of boxes whose designs cannot be told nothing is kept
            continue
        excluded = every.least(max(1, round(share * len(every.keys))))
        evidence.excluded[index] = excluded
        evidence.by[index] = who_excluded(excluded, *account.frontier, worker.strategy.tolerance)
        evidence.orders[index] = worker.search(index).orders
    for product in worker.grouped:
        evidence.groups[product.index] = product.evidence(-(-KEPT // len(worker.grouped)))
    return evidence
