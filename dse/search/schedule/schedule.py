"""The schedule: the pieces of a plan are carried out, and what comes of them is written into one account."""

from __future__ import annotations

from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.search.plan.search_plan import SearchPlan
from dse.search.plan.strategy import SearchOptions, worthwhile_jobs
from dse.search.plan.worker import Worker
from dse.search.schedule.generations import search_by_generations
from dse.search.schedule.pieces import search_by_pieces
from dse.search.schedule.resources import Resources
from dse.search.schedule.rounds import search_by_rounds
from dse.search.schedule.search_account import GenerationsAccount, SearchAccount
from dse.search.schedule.totals import Totals

__all__ = ["carry_out"]


def carry_out(
    problem: Problem, plan: SearchPlan, options: SearchOptions, resources: Resources
) -> SearchAccount | GenerationsAccount:
    """Carry out a plan with what there is of processes, ledger and time.

    Parameters
    ----------
    problem : Problem
    plan : SearchPlan
    options : SearchOptions
    resources : Resources

    Returns
    -------
    SearchAccount or GenerationsAccount

    Notes
    -----
    From piece to piece (`dse.search.schedule.pieces`); with a budget, and where a search that had one goes on, in
    rounds (`dse.search.schedule.rounds`), which no cluster can do; without a bound by generations.
    """
    if plan.strategy is None:
        return search_by_generations(problem, options, resources)
    account = SearchAccount(
        worker=Worker(problem, plan.strategy, None, progress=resources.progress, kept=resources.kept),
        archive=Archive(len(problem.objectives), Prefilter(len(problem.objectives))),
        totals=Totals(problem),
        keeps_evidence=resources.ledger is not None,
    )
    stages = [stage.products for stage in plan.stages]
    if _in_rounds(options, resources):
        if resources.workers is not None:
            raise InputError(
                "this search had a budget before: it goes on in rounds, here alone",
                key="cluster",
                allowed="the same command without a cluster, or a fresh run",
            )
        account.jobs = resources.processes(options.jobs or worthwhile_jobs(plan.strategy.method, problem.space.size))
        search_by_rounds(account, stages, resources)
    else:
        search_by_pieces(account, stages, options, resources)
    if account.stopped is None and not account.totals.left_out:
        account.add_equal_designs()
    return account


def _in_rounds(options: SearchOptions, resources: Resources) -> bool:
    ledger = resources.ledger
    return options.budget is not None or (ledger is not None and ledger.load_rounds() is not None)
