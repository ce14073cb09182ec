"""Carrying out a study: search its space, check what was found, and write the run."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from dse.errors import ClusterError, ContradictedError, InputError, RunFolderError, visible
from dse.run.describe.make_manifest import make_manifest
from dse.run.describe.nearest_miss import nearest_miss
from dse.run.disk.folder import EVIDENCE, FRONTIER, SAMPLE, RunFolder, digest
from dse.run.disk.ledger import BlockLedger
from dse.run.disk.versions import versions
from dse.run.result.run import Run
from dse.run.result.self_check import SelfCheck, check_frontier
from dse.run.result.view import update_view
from dse.search.account.certificate import Certificate
from dse.search.account.estimate import Estimate
from dse.search.account.progress import CHECKING, WRITING, SearchListener, Silent
from dse.search.account.stopping import KEY as BUDGET_KEY
from dse.search.account.stopping import Stop, parse_budget
from dse.search.account.tolerance import KEY, Tolerance, parse_tolerance
from dse.search.certify import resting_on
from dse.search.driver import SearchOptions, SearchResult, search, with_better
from dse.search.plan.estimate import estimate_problem
from dse.search.plan.search_plan import SearchPlan, plan_search
from dse.search.schedule.workers import Workers
from dse.study.file.schema import SearchSpec
from dse.study.study import Study

__all__ = ["EXACTLY", "estimate_study", "plan_study", "run_study"]

EXACTLY = "0 %"
"""The tolerance of a search whose answer is to be exact whatever the study asks for."""

_WHOLE_CHECK = 20.0  # seconds of a budget from which the check of what was found takes the time it usually takes
_HURRIED = 0.1

R = TypeVar("R", bound=Run)


def run_study(
    study: Study,
    run_type: type[R],
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    method: str | None = None,
    count_infeasible: bool | None = None,
    evaluations: int | None = None,
    tolerance: str | Mapping[str, object] | None = None,
    budget: str | float | None = None,
    stop: Stop | None = None,
    fresh: bool = False,
    cluster: str | None = None,
    listener: SearchListener | None = None,
    kept: frozenset[int] = frozenset(),
    searched: Callable[[SearchResult, float], None] | None = None,
    accept_ledger: bool = False,
) -> R:
    """Search the space of a study, and write what was found.

    Parameters
    ----------
    study : Study
    run_type : type of Run
        What to return.
    out : path, optional
        Folder to write the run to. Default: it stays in memory.
    jobs, method, count_infeasible, evaluations, tolerance : optional
        Override the study's ``[search]``; ``tolerance="0 %"`` searches exactly.
    budget : str or float, optional
        A time with its unit, or seconds, after which the search is stopped; "none" where the study names one.
    stop : Stop, optional
        Somebody else who may ask the search to stop.
    fresh : bool
        Start over where the folder holds a run already; the old run is moved to ``.old`` beside it.
    cluster : str, optional
        Address of a Dask scheduler whose workers search (`dse.run.execute.cluster`).
    listener : SearchListener, optional
        Told how the search goes on, and what is done after it.
    kept : frozenset of int, optional
        Products whose searches keep their tables.
    searched : callable, optional
        Called with what was found, which has these searches, and the seconds it took; never where the folder holds
        the run already.
    accept_ledger : bool
        Whether a finished run is shown, and finished blocks are gone on with, that bear no seal of this user: what
        comes of it is named in the certificate, is not called exact, and bears no seal either.

    Raises
    ------
    ContradictedError
        Random designs or neighbours beat the frontier: nothing is written.
    ClusterError
        The cluster cannot be used, or was lost: the ledger keeps what was finished.
    """
    options = _overridden(
        study,
        jobs=jobs,
        method=method,
        count_infeasible=count_infeasible,
        evaluations=evaluations,
        tolerance=tolerance,
        budget=budget,
    )
    if cluster is not None:
        _refuse_beside_cluster(options, jobs)
    problem = study.compiled
    _ = study.references  # their faults before the search, not after it
    folder = RunFolder(out) if out is not None else None
    ledger = None
    if folder is not None:
        known = folder.manifest().hashes if folder.readable and not fresh else {}
        accepts = problem.space.size if accept_ledger else None
        ledger = folder.begin(study.hashes(known), options.asked, fresh=fresh, accepts=accepts, note=_note)
        if ledger is None:
            update_view(folder, study)
            return run_type.load(folder.path, study)
    try:
        start = time.perf_counter()
        with _cluster(cluster, study, ledger) as workers:
            result = search(
                problem, options, factory=study, listener=listener, ledger=ledger, workers=workers, stop=stop, kept=kept
            )
        seconds = time.perf_counter() - start
        if searched is not None:
            searched(result, seconds)
        if ledger is not None and ledger.accepted is not None:
            result = replace(result, certificate=resting_on(result.certificate, ledger.accepted))
        return _written(study, run_type, options, result, seconds, folder, ledger, listener or Silent())
    except (RunFolderError, ClusterError):
        raise
    except InputError as error:
        if tolerance is not None and _of_tolerance(error):
            error.key = "tolerance"
            raise error.within() from None
        raise error.within(file=study.file) from None
    finally:
        if ledger is not None:
            ledger.close()  # not before the folder is complete: until then it keeps other processes out


def _overridden(
    study: Study,
    *,
    jobs: int | None,
    method: str | None,
    count_infeasible: bool | None,
    evaluations: int | None,
    tolerance: str | Mapping[str, object] | None,
    budget: str | float | None,
) -> SearchOptions:
    """Return the options that the study names, but for what the caller asks for."""
    given = study.spec.search
    try:
        asked = _tolerance(study, tolerance)
        return SearchOptions(
            method=method if method is not None else given.method,
            jobs=jobs if jobs is not None else given.jobs,
            count_infeasible=count_infeasible if count_infeasible is not None else given.count_infeasible,
            evaluations=evaluations if evaluations is not None else _evaluations(given, method),
            tolerance=asked,
            budget=parse_budget(given.budget if budget is None else budget),
        )
    except InputError as error:
        if any(own is not None for own in (method, count_infeasible, evaluations, tolerance, budget)):
            # Asked for by the caller, not by the file.
            given_keys = {"tolerance": tolerance is not None and _of_tolerance(error)}
            given_keys["budget"] = budget is not None and error.key == BUDGET_KEY
            error.key = next((key for key, own in given_keys.items() if own), None)
            raise error.within() from None
        raise error.within(file=study.file) from None


def _refuse_beside_cluster(options: SearchOptions, jobs: int | None) -> None:
    """Refuse what a cluster cannot do."""
    if options.method == "evolve":
        raise InputError(
            "a search by generations asks again after each of them", key="cluster", allowed="another method, or jobs"
        )
    if options.budget is not None:
        raise InputError(
            "a search with a budget looks at the clock between its rounds, here alone",
            key="budget",
            allowed="budget or cluster",
        )
    if jobs is not None:
        raise InputError("the workers of a cluster are its processes", key="jobs", allowed="jobs or cluster")


def _cluster(
    address: str | None, study: Study, ledger: BlockLedger | None
) -> contextlib.AbstractContextManager[Workers | None]:
    """Return the workers of a cluster, where one is asked for."""
    if address is None:
        return contextlib.nullcontext()
    from dse.run.execute.cluster import Cluster

    return Cluster(address, study, _note, ledger=ledger is not None)


def _note(text: str) -> None:
    sys.stderr.write(visible(f"note: {text}\n"))
    sys.stderr.flush()


def _evaluations(given: SearchSpec, method: str | None) -> int | None:
    """Return the evaluations a study names, unless the caller asks for a method that has no use for them."""
    return given.evaluations if method in (None, "evolve") else None


def estimate_study(study: Study) -> Estimate:
    """Estimate what a run of a study takes, with the options it names (`dse.search.plan.estimate`)."""
    try:
        return estimate_problem(study.compiled, _options(study))
    except InputError as error:
        raise error.within(file=study.file) from None


def plan_study(study: Study, estimate: Estimate | None = None) -> SearchPlan:
    """Return what a run of a study will do, with the options it names (`dse.search.plan.search_plan`)."""
    try:
        return plan_search(study.compiled, _options(study), estimate)
    except InputError as error:
        raise error.within(file=study.file) from None


def _options(study: Study) -> SearchOptions:
    given = study.spec.search
    return SearchOptions(
        method=given.method,
        jobs=given.jobs,
        count_infeasible=given.count_infeasible,
        evaluations=given.evaluations,
        tolerance=_tolerance(study, given.tolerance),
    )


def _tolerance(study: Study, given: str | Mapping[str, object] | None) -> Tolerance | None:
    """Return the tolerance that is asked for, or that the study names."""
    asked = study.spec.search.tolerance if given is None else given
    return parse_tolerance(asked, [objective.quantity for objective in study.compiled.objectives], study.units)


def _of_tolerance(error: InputError) -> bool:
    return bool(error.key and error.key.startswith(KEY))


def _written(
    study: Study,
    run_type: type[R],
    options: SearchOptions,
    result: SearchResult,
    seconds: float,
    folder: RunFolder | None,
    ledger: BlockLedger | None,
    listener: SearchListener,
) -> R:
    """Make the run of a search that has ended, and write it; the manifest comes last."""
    from dse.run.result.tables import frontier_table, sample_table

    listener.phase(CHECKING)
    checked = check_frontier(
        study.compiled,
        result.numbers,
        result.values,
        result.certificate,
        share=_share_checked(result.certificate, options.budget),
    )
    if checked.faults and result.certificate.accepted is not None:
        raise RunFolderError(
            f"what was taken over there is contradicted: {'; '.join(checked.faults)}. Nothing was written",
            file=folder.path if folder is not None else None,
            allowed="the same command without --accept-ledger, which searches anew",
        )
    _refuse_contradicted(study, result, checked)
    if len(checked.better) and result.certificate.evolution is not None:  # no fault, and too good to be left out
        result = with_better(study.compiled, result, checked.better)
    frontier = frontier_table(study.compiled, study.spec.also, result.numbers, result.values)
    listener.phase(WRITING)
    result = replace(result, certificate=replace(result.certificate, checked=checked.counts))
    sample = sample_table(study.compiled, checked.sample)
    manifest = make_manifest(study, options, result, seconds, frontier)
    if not len(frontier) and result.certificate.gap is None:
        miss = nearest_miss(study.compiled, checked.sample.numbers)
        manifest = manifest.model_copy(update={"nearest_miss": miss} if miss is not None else {})
    if folder is None:
        return run_type(frontier, manifest, study=study, sample=sample)
    files = [folder.write_table(FRONTIER, frontier), folder.write_table(SAMPLE, sample)]
    digests = {str(file.relative_to(folder.path).as_posix()): digest(file) for file in files}
    if ledger is not None and result.evidence is not None:
        digests[EVIDENCE] = ledger.keep(result.evidence)
    manifest = manifest.model_copy(update={"files": digests})
    manifest = folder.write_manifest(manifest, sealed=result.certificate.accepted is None)
    run = run_type(frontier, manifest, study=study, folder=folder.path, sample=sample)
    run.searched_here = True  # also where no key can be kept
    return run


def _share_checked(certificate: Certificate, budget: float | None) -> float:
    """Return how much of the usual check a search gets: one that was stopped early no more than goes with its time."""
    if certificate.gap is None:
        return 1.0
    return _HURRIED if budget is None else min(1.0, max(_HURRIED, budget / _WHOLE_CHECK))


def _refuse_contradicted(study: Study, result: SearchResult, checked: SelfCheck) -> None:
    """End a run whose frontier its own check contradicts, and say what is needed to find out why."""
    if not checked.faults:
        return
    now = versions()
    versions_text = ", ".join(f"{name} {now[name]}" for name in ("dse", "python", "numpy", "machine"))
    files = f"the study file {study.file}" if study.file else "the study"
    raise ContradictedError(
        f"the frontier of '{study.name}' is contradicted by its own check: {'; '.join(checked.faults)}. Nothing was "
        f"written. This is a fault of dse, not of the study: please send this message and {files} with the models, "
        f"tables and catalogues it names (method {result.certificate.method}, seed {study.spec.search.seed}, "
        f"{versions_text})"
    )
