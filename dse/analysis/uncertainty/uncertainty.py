"""How sure a frontier is: which designs are on it for certain, which possibly, how probably, and what decides.

Certain and possible designs are brackets that cannot err (`dse.search.uncertain.cells`); probabilities are shares of
draws, told with their standard error (`dse.analysis.uncertainty.draws`). What is not known changes nothing in the run
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.uncertainty.decision import decide
from dse.analysis.uncertainty.decision_table import decision_table
from dse.analysis.uncertainty.draws import batches, frontiers
from dse.analysis.uncertainty.first_answer import far_reaching, few_of, missing_of
from dse.analysis.uncertainty.queries import Query, queries_of
from dse.analysis.uncertainty.sampled import sampled_candidates
from dse.analysis.uncertainty.tally import Tally, tally
from dse.errors import InputError
from dse.evaluation.unknowns import UncertainProblem, Unknown, uncertain_problem
from dse.run.result.how_sure import HowSure, digest_of, read_how_sure, write_how_sure
from dse.run.result.uncertainty_account import Decision, UncertaintyAccount, UnknownAccount
from dse.search.account.deadline import Deadline, Late
from dse.search.driver import search
from dse.search.start.neighbours import one_step_neighbours
from dse.search.uncertain.cells import Brackets, refine
from dse.search.uncertain.possible import PointsOnly, TooManyPossible, bounded, search_possible
from dse.search.uncertain.rows import proved_rows, rows_kept

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.study.study import Study
    from dse.study.uncertain.uncertain import Unknowns

__all__ = ["Candidates", "candidates", "decide_run", "proved_designs", "uncertainty_of_run", "unknowns_of_run"]

_TRIED = 64  # draws that close the brackets from inside, before cells are cut
_WHOLE = 50_000  # designs of a space that are all candidates where no bounds can be had
_ROBUST = 0.5
_MOST = 200_000  # possible designs that are compared in cells
_TOO_MANY = "too many may be possible at some value of what is not known"
_BOUNDED_IN = 10.0  # seconds, where errors of laws are among what is not known


@dataclass(frozen=True)
class Candidates:
    """Designs that may be on the frontier, and what is decided of them; `brackets` None where nothing can be.

    `origin` says who they are where they are neither all possible designs nor the frontier's neighbours.
    """

    unknown: UncertainProblem
    numbers: np.ndarray
    brackets: Brackets | None
    refused: str
    complete: bool
    classes: int
    origin: str = ""


def uncertainty_of_run(
    run: Run,
    *,
    draws: int | None = None,
    seed: int | None = None,
    cells: int | None = None,
    progress: Callable[[str], None] | None = None,
    met: Callable[[Candidates], None] | None = None,
) -> UncertaintyAccount:
    """Say how sure a run is.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    draws, seed, cells : optional
        Instead of those of ``[trust]`` in the study.
    progress : callable, optional
        Told what is done next.
    met : callable, optional
        Told the candidates, which others need as well.

    Raises
    ------
    InputError
        Nothing is uncertain; the run is not exact.
    """
    study, listener = run.study, progress or (lambda words: None)
    asked, given = study.spec.trust, unknowns_of_run(run)
    draws, seed = asked.draws if draws is None else draws, asked.seed if seed is None else seed
    cells = asked.cells if cells is None else cells
    queries = queries_of(run, None)
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    listener("certain and possible designs")
    contenders = candidates(study, given.every, frontier, cells, seed, among=proved_designs(run, given))
    if met is not None:
        met(contenders)
    listener("draws")
    here = np.isin(contenders.numbers, frontier)
    counted = tally(contenders.unknown, contenders.numbers, draws, seed)
    share = counted.frontier
    _keep_how_sure(run, contenders, counted, draws, seed)
    listener("decisions")
    decisions = [_decision(study, given.every, contenders, query, draws, seed, asked.meets, cells) for query in queries]
    listener("shared and independent errors")
    ends = _ends(study, given.every, frontier, cells, seed)
    listener("")
    brackets = contenders.brackets
    certain, possible = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    undecided = {"certain": 0, "possible": 0}
    if brackets is not None:
        always = share == 1.0
        certain, possible = contenders.numbers[brackets.certain], contenders.numbers[brackets.possible]
        undecided = {
            "certain": int((here & always & ~brackets.seen_missing & ~brackets.certain).sum()),
            "possible": int((brackets.possible & ~brackets.seen_possible & (share == 0)).sum()),
        }
    ever = share > 0
    return UncertaintyAccount(
        unknowns=[UnknownAccount.of(unknown) for unknown in given.every],
        certain=certain.tolist(),
        possible=possible.tolist(),
        undecided=undecided,
        cells=0 if brackets is None else brackets.cells,
        stopped="" if brackets is None else brackets.stopped,
        refused=contenders.refused,
        seen={"ever": int(ever.sum()), "always": int((share == 1.0).sum())},
        probability={str(number): float(p) for number, p in zip(contenders.numbers[ever], share[ever], strict=True)},
        error=float(np.sqrt(share * (1.0 - share) / draws).max(initial=0.0)),
        draws=draws,
        seed=seed,
        candidates=len(contenders.numbers),
        complete=contenders.complete,
        ends=ends,
        classes=contenders.classes,
        origin=contenders.origin,
        robust={
            "half": contenders.numbers[share >= _ROBUST].tolist(),
            "holding": decisions[0].holding if decisions else [],
        },
        decisions=decisions,
        notes=list(given.notes),
        digest=run.manifest.digest,
    )


def proved_designs(run: Run, given: Unknowns) -> np.ndarray | None:
    """Return the designs among which every possible one is, where the run keeps them for the same unknowns."""
    kept = read_how_sure(run)
    if (
        kept is None
        or not kept.numbers
        or kept.of != digest_of([UnknownAccount.of(unknown) for unknown in given.every])
    ):
        return None
    numbers = np.array(sorted({*kept.numbers, *run.frontier["design"].tolist()}), dtype=np.int64)
    return numbers if numbers[0] >= 0 and numbers[-1] < run.study.space.size else None


def _keep_how_sure(run: Run, known: Candidates, counted: Tally, draws: int, seed: int) -> None:
    """Keep the decision table of these draws with the run, in place of that of fewer."""
    before = read_how_sure(run) or HowSure()
    unknowns = [UnknownAccount.of(unknown) for unknown in known.unknown.unknowns]
    if before.complete and before.draws > draws and before.seed == seed and before.unknowns == unknowns:
        return
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    on = dict(zip(known.numbers.tolist(), counted.frontier.tolist(), strict=True))
    full = {
        "way": "in full" if known.complete else "sampled" if known.origin else "frontier",
        "origin": known.origin,
        "draws": draws,
        "seed": seed,
        "candidates": len(known.numbers),
        "possible": len(known.numbers),
        "complete": known.complete,
        "decided": decision_table(run.study, known.unknown, known.numbers, counted, draws, seed),
        "frontier": {str(number): on.get(number, 0.0) for number in frontier.tolist()},
        "unknowns": unknowns,
        "missing": missing_of(run, run.study.unknowns.missing),
        "few": few_of(run, known.unknown.unknowns),
        "late": False,
        "seconds": None,
        "refused": "",
    }
    write_how_sure(run, before.model_copy(update=full))


def decide_run(
    run: Run, rule: Mapping[str, object] | None, where: Sequence[str] = (), *, meets: float | None = None
) -> list[Decision]:
    """Say what a rule decides, draw by draw.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    rule : mapping, optional
        As in `dse.analysis.choose.rules`, with its limits. Default: the study's pick, else each objective.
    where : sequence of str
        Further limits of the default.
    meets : float, optional
        Instead of that of ``[trust]`` in the study.

    Raises
    ------
    InputError
        As `uncertainty_of_run`; and a rule that has no best design of its own in a draw.
    """
    study, given = run.study, unknowns_of_run(run)
    asked = study.spec.trust
    queries = queries_of(run, rule, where)
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    share = asked.meets if meets is None else meets
    needed = any(not query.searched_again for query in queries)
    known = candidates(study, given.every, frontier, asked.cells, asked.seed) if needed else None
    return [
        _decision(study, given.every, known, query, asked.draws, asked.seed, share, asked.cells) for query in queries
    ]


def unknowns_of_run(run: Run) -> Unknowns:
    """Return what is not known in the study of a run."""
    if not run.promises_all:
        raise InputError(f"the frontier is {run.headline}", allowed="an exact run: the same study without a tolerance")
    given = run.study.unknowns
    if not given.every:
        raise InputError(
            f"nothing is uncertain in '{run.name}'",
            allowed='[uncertain] in the study, such as: switch_power = { within = "10 %" }',
        )
    return given


def candidates(
    study: Study,
    unknowns: Sequence[Unknown],
    frontier: np.ndarray,
    cells: int,
    seed: int,
    *,
    among: np.ndarray | None = None,
) -> Candidates:
    """Return the designs that may be possible, with what cells decide of them.

    Parameters
    ----------
    study : Study
    unknowns : sequence of Unknown
    frontier : (n,) ndarray of int64
        The designs of its frontier.
    cells, seed : int
        Into how many parts values are cut at most, and the seed of the draws that close the brackets from inside.
    among : ndarray of int64, optional
        Designs that are known to hold every possible one.
    """
    unknown = uncertain_problem(study.compiled, unknowns)
    of_laws = any(entry.of_law for entry in unknowns)
    # Errors of laws reach far: where bounds take long they leave too many designs in the end.
    deadline = Deadline(_BOUNDED_IN) if of_laws else None
    try:
        if among is None and far_reaching(unknown):
            raise Late
        start = search_possible(unknown, frontier, deadline=deadline) if among is None else bounded(unknown, among)
    except PointsOnly as error:
        numbers = _without_bounds(study, frontier)
        complete = len(numbers) == study.space.size
        return Candidates(unknown, numbers, None, error.problem, complete, 0)
    except (TooManyPossible, Late) as error:
        sampled = sampled_candidates(unknown, frontier) if of_laws else None
        if sampled is not None:
            return Candidates(unknown, sampled.numbers, None, _TOO_MANY, False, 0, sampled.words)
        if isinstance(error, TooManyPossible) and not of_laws:
            raise
        why = getattr(error, "problem", _TOO_MANY)
        return Candidates(unknown, _without_bounds(study, frontier), None, why, False, 0)
    start = start.chosen(proved_rows(unknown, start.numbers)[0] | np.isin(start.numbers, frontier))
    if len(start.numbers) > _MOST:
        return _by_rows(unknown, start.numbers, frontier)
    possible, missing = np.zeros(len(start.numbers), dtype=bool), np.zeros(len(start.numbers), dtype=bool)
    possible |= np.isin(start.numbers, frontier)  # at the values the study computes with
    for batch in batches(unknown, start.numbers, _TRIED, seed):
        on = frontiers(batch)
        possible, missing = possible | on.any(axis=1), missing | ~on.all(axis=1)
    brackets = refine(unknown, start.numbers, np.isin(start.numbers, frontier), possible, missing, cells)
    kept = brackets.possible
    left = replace(
        brackets,
        **{name: getattr(brackets, name)[kept] for name in ("possible", "certain", "seen_possible", "seen_missing")},
    )
    bounds = start.chosen(kept)
    vectors = np.unique(np.concatenate([bounds.low, bounds.high], axis=1), axis=0)
    return Candidates(unknown, bounds.numbers, left, "", True, len(vectors))


def _by_rows(unknown: UncertainProblem, numbers: np.ndarray, frontier: np.ndarray) -> Candidates:
    """Return candidates where too many may be possible: those that no other of their row beats at some value."""
    kept = numbers[rows_kept(unknown, numbers) | np.isin(numbers, frontier)]
    if len(kept) > _MOST:
        raise InputError(
            f"more than {_MOST} designs may be on the frontier at some value of what is not known",
            key="uncertain",
            allowed="narrower intervals, errors that designs share, or more constraints",
        )
    why = (
        f"{len(numbers)} designs may be possible; {len(kept)} are left of those that share their unknowns, "
        "by the values that were looked at"
    )
    return Candidates(unknown, kept, None, why, False, 0)


def _without_bounds(study: Study, frontier: np.ndarray) -> np.ndarray:
    """Return candidates where no bounds can be had: the space if it is small, else the frontier's neighbours."""
    if study.space.size <= _WHOLE:
        return np.arange(study.space.size, dtype=np.int64)
    return one_step_neighbours(study.space, frontier)


def _decision(
    study: Study,
    unknowns: Sequence[Unknown],
    known: Candidates | None,
    query: Query,
    draws: int,
    seed: int,
    meets: float,
    cells: int,
) -> Decision:
    """Return what is decided by a query, with candidates of its own where the frontier's cannot answer it."""
    if not query.searched_again and known is not None:
        return decide(study, known.unknown, known.numbers, query, draws, seed, meets)
    wanted = {str(name) for objective in query.objectives for name in objective.values()}
    names = [*(objective.quantity for objective in study.compiled.objectives), *study.spec.also]
    also = [name for name in dict.fromkeys(names) if name not in wanted]
    edited = study.edited(objectives=query.objectives, also=also, uncertain={}, trust={"machines": False}, answer={})
    nominal = search(edited.compiled)
    own = candidates(edited, unknowns, nominal.numbers, cells, seed)
    return decide(edited, own.unknown, own.numbers, query, draws, seed, meets)


def _ends(
    study: Study, unknowns: Sequence[Unknown], frontier: np.ndarray, cells: int, seed: int
) -> dict[str, dict[str, int]]:
    """Return how many designs are certain and possible where all designs share their errors, and where none do."""
    quantities = {unknown.quantity for unknown in unknowns if unknown.scope == "design"}
    if not quantities:
        return {}
    ends: dict[str, dict[str, int]] = {}
    for end, scope in (("shared", "shared"), ("independent", "design")):
        changed: dict[str, Unknown] = {}
        for place, unknown in enumerate(unknowns):
            if unknown.quantity in quantities and unknown.scope in ("shared", "design"):
                changed[unknown.quantity] = replace(
                    unknown, scope="shared" if scope == "shared" else "design", weight=1.0
                )
            else:
                changed[f"{unknown.quantity} {place}"] = unknown
        try:
            own = candidates(study, list(changed.values()), frontier, cells, seed)
        except InputError:  # more designs than can be told of
            continue
        if own.brackets is not None:
            ends[end] = {"certain": int(own.brackets.certain.sum()), "possible": int(own.brackets.possible.sum())}
    return ends
