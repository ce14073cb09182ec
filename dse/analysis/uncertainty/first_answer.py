"""How sure an answer is, within the time of its search: candidates by bounds, thinned within rows, then draws.

Bounds miss nothing (`dse.search.uncertain.possible`), rows nothing that is proved (`dse.search.uncertain.rows`), and
draws have their own error. Where that is not in time there is no probability: what is near the frontier is no
substitute, as most of those that win in some draw miss a limit at the values the study computes with. Where errors of
laws leave about every design possible, bounds are never in time, and candidates are an estimate
(`dse.analysis.uncertainty.estimated`), which takes longer and says so.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.uncertainty.at_values import shared_alone
from dse.analysis.uncertainty.decision_table import decision_table
from dse.analysis.uncertainty.estimated import estimated_candidates
from dse.analysis.uncertainty.tally import tally
from dse.errors import InputError, ModelError, RunFolderError
from dse.evaluation.unknowns import UncertainProblem, Unknown, uncertain_problem
from dse.run.result.how_sure import HowSure, digest_of, write_how_sure
from dse.run.result.uncertainty_account import UnknownAccount
from dse.search.account.deadline import Deadline, Late
from dse.search.uncertain.possible import PointsOnly, search_possible, unreached
from dse.search.uncertain.rows import proved_rows, rows_kept

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.search.bundles.product_search import ProductSearch
    from dse.study.study import Study

__all__ = ["draws_for", "far_reaching", "few_of", "first_answer", "tables_wanted", "thinned", "time_for"]

_SHARE, _LEAST = 0.5, 3.0  # of the time of the search, and seconds
_MANY, _FEW = 4_000, 1_000  # draws
_WORK = 4_000_000  # designs × draws, up to which there are many draws
_FAR = 1_000_000_000  # designs that errors of laws reach, with which bounds are never in time
_LONGER = 3.0  # times the time, for an estimate in place of bounds
_KEPT = 20_000  # candidates that are kept with the run
_WHOLE = 5_000  # designs of a space that are all candidates where no bounds can be had


def time_for(searched: float) -> float:
    """Return the seconds that are taken for how sure an answer is, of a search that took so many."""
    return max(_LEAST, _SHARE * searched)


def draws_for(study: Study, candidates: int) -> int:
    """Return how many draws there are: those the study asks for, else by how many candidates there are."""
    asked = study.spec.trust
    if "draws" in asked.model_fields_set:
        return asked.draws
    return _MANY if candidates * _MANY <= _WORK else _FEW


def first_answer(run: Run, seconds: float, searches: Mapping[int, ProductSearch] | None = None) -> HowSure | None:
    """Say how sure a run is as far as that is in time, and keep it with the run; None where the frontier is not exact.

    Parameters
    ----------
    run : Run
    seconds : float
        The time there is.
    searches : mapping of int to ProductSearch, optional
        Searches that still have their tables, of products that no unknown reaches.
    """
    if not run.exact or not len(run.frontier):
        return None
    study = run.study
    unknowns = study.unknowns
    known = {
        "unknowns": [UnknownAccount.of(entry) for entry in unknowns.every],
        "seed": study.spec.trust.seed,
        "missing": missing_of(run, unknowns.missing),
        "few": few_of(run, unknowns.every),
    }
    if not unknowns.every:
        answer = HowSure.model_validate(known)
    else:
        try:
            unknown = uncertain_problem(study.compiled, unknowns.every)
            if far_reaching(unknown):
                answer = _estimated(run, unknown, Deadline(_LONGER * seconds), searches or {}, known)
            else:
                answer = _in_time(run, unknown, Deadline(seconds), searches or {}, known)
        except Late as late:
            answer = HowSure.model_validate({**known, "late": True, "seconds": late.seconds})
        except (InputError, ModelError) as error:
            answer = HowSure.model_validate({**known, "refused": getattr(error, "problem", str(error))})
    try:
        write_how_sure(run, answer)
    except (OSError, RunFolderError) as error:  # the answer is there, and the frontier is kept
        sys.stderr.write(f"note: how sure it is was not kept: {error}\n")
    return answer


def missing_of(run: Run, names: Sequence[str]) -> list[str]:
    """Return the objectives of which no error is known, but for counts: nodes and switches are what they are."""
    return [
        name
        for name in names
        if run.units.get(name) != "1" or (np.mod(run.frontier[name].to_numpy(dtype=float), 1.0) != 0.0).any()
    ]


def few_of(run: Run, unknowns: Sequence[Unknown]) -> dict[str, dict[str, int]]:
    """Return, by quantity, the parts of the frontier whose law rests on few measurements, with how many."""
    few: dict[str, dict[str, int]] = {}
    for unknown in unknowns:
        if unknown.few and unknown.axis in run.frontier.columns:
            used = {str(label) for label in run.frontier[unknown.axis].unique()}
            own = {label: count for label, count in unknown.few.items() if label in used}
            if own:
                few.setdefault(unknown.quantity, {}).update(own)
    return few


def _estimated(
    run: Run, unknown: UncertainProblem, deadline: Deadline, searches: Mapping[int, ProductSearch], known: dict
) -> HowSure:
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    estimated = estimated_candidates(unknown, frontier, searches, deadline)
    answer = _counted(run, unknown, estimated.numbers, deadline, known)
    account = {"way": "estimated", "complete": False, "origin": estimated.words, "took": deadline.passed}
    return answer.model_copy(update=account)


def _in_time(
    run: Run, unknown: UncertainProblem, deadline: Deadline, searches: Mapping[int, ProductSearch], known: dict
) -> HowSure:
    study = run.study
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    proved: list[int] = []
    try:
        bounds = search_possible(unknown, frontier, searches=searches, deadline=deadline)
    except PointsOnly:
        if study.space.size > _WHOLE:
            raise
        numbers, possible, complete = np.arange(study.space.size, dtype=np.int64), study.space.size, True
        way = "frontier"
    else:
        deadline.check()
        possible, way = len(bounds.numbers), "bounds and rows"
        numbers, complete = thinned(unknown, bounds.numbers, frontier, deadline)
        if complete and bounds.ties_complete and len(numbers) <= _KEPT:
            proved = numbers.tolist()
    account = {"way": way, "possible": possible, "complete": complete, "numbers": proved}
    return _counted(run, unknown, numbers, deadline, known).model_copy(update=account)


def _counted(run: Run, unknown: UncertainProblem, numbers: np.ndarray, deadline: Deadline, known: dict) -> HowSure:
    """Return what draws say of candidates."""
    study = run.study
    draws, seed = draws_for(study, len(numbers)), study.spec.trust.seed
    counted = tally(unknown, numbers, draws, seed, deadline)
    on = dict(zip(numbers.tolist(), counted.frontier.tolist(), strict=True))
    return HowSure.model_validate(
        {
            **known,
            "draws": draws,
            "candidates": len(numbers),
            "possible": len(numbers),
            "decided": decision_table(study, unknown, numbers, counted, draws, seed),
            "frontier": {str(number): on[number] for number in run.frontier["design"].tolist()},
            "of": digest_of(known["unknowns"]),
        }
    )


def far_reaching(unknown: UncertainProblem) -> bool:
    """Tell whether errors of laws reach so many designs that bounds are never in time."""
    return designs_of_laws(unknown) > _FAR


def tables_wanted(unknown: UncertainProblem) -> frozenset[int]:
    """Return the products whose tables are needed again after a search."""
    return shared_alone(unknown) if far_reaching(unknown) else unreached(unknown)


def designs_of_laws(unknown: UncertainProblem) -> int:
    """Return how many designs errors of laws reach, which leave about all of them possible."""
    return sum(
        product.size
        for index, product in enumerate(unknown.problem.space.products)
        if any(unknown.unknowns[at].of_law for places in unknown.entering(index).values() for at in places)
    )


def thinned(
    unknown: UncertainProblem, numbers: np.ndarray, frontier: np.ndarray, deadline: Deadline | None = None
) -> tuple[np.ndarray, bool]:
    """Return the possible designs that their rows leave, with the frontier, and whether nothing can be missing."""
    proved, whole = proved_rows(unknown, numbers)
    numbers = numbers[proved | np.isin(numbers, frontier)]
    if whole:
        return numbers, True
    kept = rows_kept(unknown, numbers, deadline) | np.isin(numbers, frontier)
    return numbers[kept], bool(kept.all())
