"""Searches against brute force: what the engine says of a made-up study must be what plain floats say, to the bit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.attack.made_up_studies import BruteDesign, MadeUpStudy
from dse import Run, Study
from dse.errors import InputError
from dse.search.account.certificate import TIES

__all__ = ["differences"]

_METHODS = ("auto", "exhaustive", "bundles", "groups")


def differences(made: MadeUpStudy, rng: random.Random, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield, for each feature that is tried, its name and what is wrong of it; an empty text where nothing is.

    Parameters
    ----------
    made : MadeUpStudy
    rng : Random
    folder : Path
        For what is stopped and gone on with.
    """
    study = Study.from_text(made.text)
    frontier = made.frontier()
    for method in rng.sample(_METHODS, 2):
        counted = method in ("auto", "exhaustive") and rng.random() < 0.3
        run = study.run(method=method, count_infeasible=counted)
        yield f"method {method}", _frontier(made, frontier, run)
    for name in sorted(made.features):
        yield name, ""
    yield from _stopped(made, frontier, study, rng, folder)
    yield from _tolerance(made, study, rng)
    if frontier:
        yield "pick with a limit", _picked(made, study, rng)
    if made.uncertain and frontier and made.size <= 1500:
        yield "certain and possible", _uncertain(made, study)
    if rng.random() < 0.3:
        yield "evolve", _evolved(made, study)


def _rows(made: MadeUpStudy, run: Run) -> dict[int, tuple[float, ...]]:
    """Return the objectives of a frontier, to be minimised, by design number."""
    columns = [run.frontier[name].tolist() for name, _ in made.objectives]
    signs = [1.0 if sense == "min" else -1.0 for _, sense in made.objectives]
    points = (tuple(sign * value for sign, value in zip(signs, row, strict=True)) for row in zip(*columns, strict=True))
    return dict(zip(run.frontier["design"].tolist(), points, strict=True))


def _frontier(made: MadeUpStudy, brute: list[BruteDesign], run: Run) -> str:
    if not run.exact:
        return f"not exact: {run.headline}"
    found, wanted = _rows(made, run), {design.number: made.points(design) for design in brute}
    if run.manifest.certificate.ties == TIES:
        if found != wanted:
            return f"frontier {sorted(found)[:5]}…, by brute force {sorted(wanted)[:5]}…"
    elif set(found.values()) != set(wanted.values()) or not found.items() <= wanted.items():
        return f"objectives differ: {len(found)} found, {len(wanted)} by brute force"
    by_number = {design.number: design for design in brute}
    for row in run.frontier.to_dict("records"):
        design = by_number[row["design"]]
        shown = {**design.axes, **design.quantities}
        wrong = [name for name, value in shown.items() if name in row and row[name] != value]
        if wrong or row.get("alternative", "") != design.alternative:
            return f"design {design.number}: {', '.join(wrong) or 'alternative'} differs"
    certificate = run.manifest.certificate
    if certificate.feasible is not None and certificate.evaluated == made.size:
        feasible = sum(design.feasible for design in made.designs())
        if certificate.feasible != feasible:
            return f"{certificate.feasible} feasible, {feasible} by brute force"
    return ""


def _stopped(
    made: MadeUpStudy, brute: list[BruteDesign], study: Study, rng: random.Random, folder: Path
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong of a search that is stopped at once, and of the same that goes on."""
    shutil.rmtree(folder, ignore_errors=True)
    method = rng.choice(["bundles", "exhaustive"])
    first = study.run(folder, method=method, budget=1e-9)
    every = {design.number: design for design in made.designs()}
    best = {design.number for design in brute}
    wrong = [n for n, point in _rows(made, first).items() if not every[n].feasible or made.points(every[n]) != point]
    gap = first.manifest.certificate.gap
    if gap is not None:
        wrong += [number for number in gap["proved"] if number not in best]
        cover = gap["cover"]
        if cover is not None and brute:
            wrong += _uncovered(made, first, brute, cover)
    yield "stopped", f"designs {wrong[:5]}" if wrong else ""
    yield "gone on with", _frontier(made, brute, study.run(folder, method=method))


def _uncovered(made: MadeUpStudy, run: Run, brute: list[BruteDesign], share: float) -> list[int]:
    """Return the designs of a frontier that no design of a run covers within a share."""
    rows = [*_rows(made, run).values()]

    def covered(point: tuple[float, ...]) -> bool:
        limits = [x * (1 + share) if x > 0 else x / (1 + share) for x in point]
        return any(all(a <= b + 1e-12 * abs(b) for a, b in zip(row, limits, strict=True)) for row in rows)

    return [design.number for design in brute if not covered(made.points(design))]


def _tolerance(made: MadeUpStudy, study: Study, rng: random.Random) -> Iterator[tuple[str, str]]:
    share = rng.choice([0.01, 0.1, 0.5])
    try:
        run = study.run(tolerance=f"{100 * share:g} %", method=rng.choice(["bundles", "groups", "exhaustive"]))
    except InputError as error:
        if "may be 0, a share means nothing" not in str(error):
            raise
        return
    brute = made.frontier()
    left = _uncovered(made, run, brute, share)
    known = {design.number: made.points(design) for design in made.designs() if design.feasible}
    foreign = [number for number, point in _rows(made, run).items() if known.get(number) != point]
    yield "tolerance", f"not covered {left[:5]}, foreign {foreign[:5]}" if left or foreign else ""


def _picked(made: MadeUpStudy, study: Study, rng: random.Random) -> str:
    """Compare a pick by any quantity, within a limit of another, with the least by brute force."""
    names = [*made.quantities]
    by, limited = rng.choice(names), rng.choice(names)
    feasible = [design for design in made.designs() if design.feasible]
    limit = rng.choice(feasible).quantities[limited]
    least = min(design.quantities[by] for design in feasible if design.quantities[limited] <= limit)
    choice = study.run().pick(minimize=by, where=f"{limited} <= {limit!r}")
    picked = {record[by] for record in choice.designs}
    return "" if picked == {least} else f"least {by} with {limited} <= {limit!r} is {least!r}, picked {picked}"


def _uncertain(made: MadeUpStudy, study: Study) -> str:
    """Compare certain and possible designs with frontiers at values of what is not known."""
    trust = study.run().trust(draws=20)
    at = [{design.number for design in made.frontier(4.0 * (0.8 + 0.4 * place / 16))} for place in range(17)]
    wrong = sorted(set(trust.certain) - set.intersection(*at))
    if wrong:
        return f"certain, and not on every frontier: {wrong[:5]}"
    missing = sorted(set.union(*at) - set(trust.possible))
    return f"on some frontier, and not possible: {missing[:5]}" if trust.complete and missing else ""


def _evolved(made: MadeUpStudy, study: Study) -> str:
    run = study.run(method="evolve", evaluations=min(200, made.size))
    known = {design.number: made.points(design) for design in made.designs() if design.feasible}
    rows = _rows(made, run)
    foreign = [number for number, point in rows.items() if known.get(number) != point]
    if foreign or run.exact:
        return f"designs {foreign[:5]}, exact {run.exact}"
    return ""
