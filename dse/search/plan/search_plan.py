"""What a search will do, before it does it: method, stages, who takes part, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

from dse.evaluation.problem import Problem
from dse.search.account.estimate import Estimate, time_text
from dse.search.plan.strategy import SearchOptions, Strategy
from dse.units import format_number

__all__ = ["CLUSTER_PAYS", "SearchPlan", "Stage", "plan_search"]

CLUSTER_PAYS = 600.0
"""Seconds of work from which a cluster pays: its workers make the study's tables anew, and tasks take milliseconds."""

_GAIN = 0.8  # of the time that is left with all processors, to be worth a word
_SHORT = 5.0  # seconds that nobody would start processes for
_CLUSTER = 100  # workers of an example
_WAYS = {
    "exhaustive": "design by design",
    "bundles": "by bundles",
    "groups": "by groups, then bundles",
}
_TOLD = 2


class StageRecord(TypedDict):
    """A `Stage` as plain values."""

    alternatives: int
    designs: int
    ways: dict[str, int]


class SearchPlanRecord(TypedDict):
    """A `SearchPlan` as plain values."""

    asked: str
    method: str
    reason: str
    stages: list[StageRecord]
    fallbacks: list[str]
    processes: int
    workers: str
    evolve: str


@dataclass(frozen=True)
class Stage:
    """Alternatives that are searched from the same first frontier.

    Attributes
    ----------
    products : tuple of int
        The alternatives, by their numbers; their pieces follow from these when they are prepared.
    designs : int
    ways : dict of str to int
        How many alternatives are searched by which method.
    """

    products: tuple[int, ...]
    designs: int
    ways: dict[str, int]

    @property
    def alternatives(self) -> int:
        """How many there are."""
        return len(self.products)

    def as_dict(self) -> StageRecord:
        """Return it as plain values for JSON."""
        return {"alternatives": self.alternatives, "designs": self.designs, "ways": dict(self.ways)}

    @property
    def as_text(self) -> str:
        """Return it in words: ``5 alternatives, 740 544 designs, by bundles``."""
        count = f"{self.alternatives} alternatives, " if self.alternatives > 1 else ""
        ways = [_WAYS[way] + (f" ({count})" if len(self.ways) > 1 else "") for way, count in self.ways.items()]
        return f"{count}{format_number(self.designs)} designs, {' or '.join(ways)}"


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """What will be done.

    Attributes
    ----------
    asked, method : str
        The method that is asked for, and the one that is taken.
    reason : str
    stages : tuple of Stage
        In their order; the frontier of one starts the next.
    fallbacks : tuple of str
        Why some alternatives are not searched as the method would have it.
    processes : int
    workers : str
        What more processes, or the workers of a cluster, would help; their memory.
    evolve : str
        Why a search without a bound is offered; nothing where it is not.
    strategy : Strategy or None
        The method as values that can be sent to another process; None where no method bounds anything ("evolve").
    """

    asked: str
    method: str
    reason: str
    stages: tuple[Stage, ...] = ()
    fallbacks: tuple[str, ...] = ()
    processes: int = 1
    workers: str = ""
    evolve: str = ""
    strategy: Strategy | None = None

    @property
    def lines(self) -> list[str]:
        """Return it in words, a line for each thing."""
        return [*self._lines()]

    def _lines(self) -> Iterator[str]:
        taken = f"auto takes {self.method}" if self.asked == "auto" else self.method
        yield f"method: {taken} ({self.reason})"
        if len(self.stages) > 1 or any(len(stage.ways) > 1 for stage in self.stages):
            yield f"stages: {'; then '.join(stage.as_text for stage in self.stages)}"
        yield from self.fallbacks[:_TOLD]
        if len(self.fallbacks) > _TOLD:
            yield f"… {len(self.fallbacks) - _TOLD} more alternatives like that"
        if self.workers:
            yield f"workers: {self.workers}"
        if self.evolve:
            yield self.evolve

    def as_dict(self) -> SearchPlanRecord:
        """Return it as plain values for JSON."""
        return {
            "asked": self.asked,
            "method": self.method,
            "reason": self.reason,
            "stages": [stage.as_dict() for stage in self.stages],
            "fallbacks": list(self.fallbacks),
            "processes": self.processes,
            "workers": self.workers,
            "evolve": self.evolve,
        }


def plan_search(problem: Problem, options: SearchOptions, estimate: Estimate | None = None) -> SearchPlan:
    """Return what a search will do.

    Parameters
    ----------
    problem : Problem
    options : SearchOptions
    estimate : Estimate, optional
        What it is expected to take (`dse.search.plan.estimate`), without which nothing is said of workers.
    """
    if options.method == "evolve":
        return SearchPlan(
            asked="evolve",
            method="evolve",
            reason="asked for: good designs, and no bound is known of how far the frontier is away",
            processes=max(1, options.jobs),
            workers="" if estimate is None else _evaluating(estimate),
            evolve="" if estimate is None else _whole_instead(problem, estimate),
        )
    sizes = [product.size for product in problem.space.products]
    strategy = Strategy.choose(options, sizes)
    stages = []
    for products in strategy.stages(sizes):
        ways = [_way(strategy, sizes[index]) for index in products]
        counts = {way: ways.count(way) for way in _WAYS if way in ways}
        stages.append(Stage(tuple(products), sum(sizes[index] for index in products), counts))
    return SearchPlan(
        asked=options.method,
        method=strategy.method,
        reason=strategy.reason,
        stages=tuple(stages),
        fallbacks=() if estimate is None else tuple(text.replace(" was ", " is ", 1) for text in estimate.fallbacks),
        processes=1 if estimate is None else estimate.processes,
        workers="" if estimate is None else _workers(estimate),
        evolve="" if estimate is None else _evolve(estimate),
        strategy=strategy,
    )


def _way(strategy: Strategy, size: int) -> str:
    if strategy.reduces(size):
        return "groups"
    return "bundles" if strategy.bundles(size) else "exhaustive"


def _workers(estimate: Estimate) -> str:
    """Say what more processes, or a cluster, would help."""
    most = "at most" if estimate.at_most else "about"
    here, processors = estimate.seconds, os.cpu_count() or 1
    texts = [f"{estimate.processes} process{'es' if estimate.processes > 1 else ''}"]
    every = estimate.with_workers(processors)
    if estimate.processes < processors and here >= _SHORT and every < _GAIN * here:
        memory = "" if estimate.memory is None else f", {1 + processors} times the memory"
        texts.append(f"{processors} would take {most} {time_text(every)}{memory} (--jobs {processors})")
    elif estimate.processes < processors:
        alone = here >= _SHORT and estimate.shared_by(processors) == 1
        texts.append("there is one piece, which others cannot share" if alone else "others would not make it quicker")
    if here * estimate.processes >= CLUSTER_PAYS and estimate.shared_by(_CLUSTER) > processors:
        shorter = time_text(estimate.with_workers(_CLUSTER))
        texts.append(f"{_CLUSTER} workers of a cluster {most} {shorter} (--cluster tcp://HOST:PORT)")
    return "; ".join(texts)


def _evaluating(estimate: Estimate) -> str:
    """Say what more processes would help a search without a bound."""
    if estimate.processes > 1:
        return f"{estimate.processes} processes evaluate the designs of each generation"
    return (
        "1 process; where a design takes a millisecond and more, --jobs N evaluates those of a generation side by side"
    )


def _whole_instead(problem: Problem, estimate: Estimate) -> str:
    """Say so where the whole space can be looked at in the time of a search without a bound."""
    if estimate.whole is None or estimate.whole > estimate.seconds:
        return ""
    return (
        f"all {format_number(problem.space.size)} designs can be looked at in that time (about "
        f"{time_text(estimate.whole)}): without --method evolve the answer is exact"
    )


def _evolve(estimate: Estimate) -> str:
    """Say why a search without a bound is offered."""
    if estimate.hopeless:
        return ""  # told with the time
    if estimate.long and estimate.fallbacks:
        return "every design is evaluated where ranges have no form: --method evolve looks at some, without a bound"
    return ""
