"""A search without a bound is one piece: its generations are bred here, and evaluated here or by several processes."""

from __future__ import annotations

from dse.evaluation.problem import Problem
from dse.search.evolve.evolve import evolve, worthwhile_processes
from dse.search.plan.strategy import SearchOptions
from dse.search.schedule.pool import evaluating_processes
from dse.search.schedule.resources import Resources
from dse.search.schedule.search_account import GenerationsAccount

__all__ = ["search_by_generations"]


def search_by_generations(problem: Problem, options: SearchOptions, resources: Resources) -> GenerationsAccount:
    """Look for good designs; nobody can go on with it, so there is nothing for a ledger."""
    factory, progress, stop = resources.factory, resources.progress, resources.stop
    jobs = (options.jobs or worthwhile_processes(problem)) if factory is not None else 1
    if factory is None or jobs == 1:
        evolved = evolve(problem, options.evaluations, progress, stop)
        return GenerationsAccount(problem=problem, evolved=evolved, jobs=1)
    with evaluating_processes(factory, jobs) as look_at:
        evolved = evolve(problem, options.evaluations, progress, stop, look_at)
    return GenerationsAccount(problem=problem, evolved=evolved, jobs=jobs)
