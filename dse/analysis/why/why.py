"""Why a part of a space is not on the frontier, and what decides: the answers of `dse why`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

import numpy as np

from dse.analysis.choose.best_design import kinds_of
from dse.analysis.why.beaten_by import Beating, BeatingRecord, beaten_by
from dse.analysis.why.break_even import BreakEven, BreakEvenRecord, break_even
from dse.analysis.why.break_even_map import BreakEvenMap, BreakEvenMapRecord, break_even_map
from dse.analysis.why.distance import Distance, Single, distance
from dse.analysis.why.infeasible_part import Infeasible, infeasible_part
from dse.analysis.why.membership import Membership, MembershipRecord, membership
from dse.analysis.why.parameter_place import parameter_place
from dse.analysis.why.space_part import SpacePart, own_frontier, part_of
from dse.analysis.why.space_sensitivity import SensitivityRecord, SpaceSensitivity, space_sensitivity
from dse.errors import InputError
from dse.run.result.design_names import row_named
from dse.run.result.run import Run
from dse.study.study import Study

__all__ = ["Absence", "Decisive", "absence", "decisive", "sensitivity_of"]

Told = Callable[[str, int, int], None]


class AbsenceRecord(TypedDict):
    """An `Absence` as plain values; what was not asked, and what does not apply, is not there."""

    part: str
    designs: int
    feasible: int | None
    own_frontier: int
    on_frontier: int
    factor: float | None
    design: int | None
    single: dict[str, Single]
    infeasible: NotRequired[Infeasible]
    beating: NotRequired[BeatingRecord]
    limits: NotRequired[dict[str, int]]
    break_even: NotRequired[BreakEvenRecord]
    map: NotRequired[BreakEvenMapRecord]
    named: dict[str, dict[str, str]]


class DecisiveRecord(TypedDict):
    """A `Decisive` as plain values."""

    sensitivity: SensitivityRecord
    sensitivity_of_logarithms: SensitivityRecord
    membership: MembershipRecord
    absent: list[AbsenceRecord]


@dataclass(frozen=True)
class Absence:
    """How far a part is from the frontier.

    Attributes
    ----------
    part : str
    designs : int
    feasible : int or None
        None where it is not known.
    own : int
        Designs of its own frontier.
    on_frontier : int
        Designs of it that are on the frontier.
    distance : Distance or None
        None where nothing is feasible.
    infeasible : Infeasible or None
        Where nothing is.
    break_even : BreakEven or None
    map : BreakEvenMap or None
        Where two numbers were asked for.
    named : dict of int to dict
        The designs that are named, as a person writes them.
    beating : Beating or None
        What beats its best designs that are not on the frontier; None where nothing does, or a whole space is told of.
    limits : dict of str to int
        How many of its designs break each limit; empty where that was not counted.
    """

    part: str
    designs: int
    feasible: int | None
    own: int
    on_frontier: int
    distance: Distance | None
    infeasible: Infeasible | None
    break_even: BreakEven | None
    named: Mapping[int, Mapping[str, str]]
    map: BreakEvenMap | None = None
    beating: Beating | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> AbsenceRecord:
        """Return it as plain values."""
        document: AbsenceRecord = {
            "part": self.part,
            "designs": self.designs,
            "feasible": self.feasible,
            "own_frontier": self.own,
            "on_frontier": self.on_frontier,
            "factor": self.distance["factor"] if self.distance else None,
            "design": self.distance["design"] if self.distance else None,
            "single": self.distance["single"] if self.distance else {},
            "named": {str(number): dict(named) for number, named in self.named.items()},
        }
        if self.infeasible is not None:
            document["infeasible"] = self.infeasible
        if self.beating is not None:
            document["beating"] = self.beating.as_dict()
        if self.limits:
            document["limits"] = dict(self.limits)
        if self.break_even is not None:
            document["break_even"] = self.break_even.as_dict()
        if self.map is not None:
            document["map"] = self.map.as_dict()
        return document


@dataclass(frozen=True)
class Decisive:
    """What decides in a space.

    Attributes
    ----------
    values, logarithms : SpaceSensitivity
        Effects on the objectives and on their logarithms.
    membership : Membership
    absent : list of Absence
        Of each alternative without a design on the frontier.
    """

    values: SpaceSensitivity
    logarithms: SpaceSensitivity
    membership: Membership
    absent: list[Absence]

    def as_dict(self) -> DecisiveRecord:
        """Return it as plain values, as it may stand in ``trust.json`` under ``why``."""
        return {
            "sensitivity": self.values.as_dict(),
            "sensitivity_of_logarithms": self.logarithms.as_dict(),
            "membership": self.membership.as_dict(),
            "absent": [part.as_dict() for part in self.absent],
        }


def absence(
    run: Run, text: str, *, parameter: str | Sequence[str] | None = None, progress: Told | None = None
) -> Absence:
    """Return how far a part of the space is from the frontier of a run, and at which value of a number it is on it.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    text : str
        ``"alternative = NAME"``, ``"CHOICE = MEMBER"``, ``"AXIS = VALUE"`` or ``"design = NUMBER"``.
    parameter : str or two of them, optional
        A value that the study sets, an assumption, or ``COLUMN[PART]``. Of two: break-evens of the second at values of
        the first.
    progress : callable, optional
        Called with ("searches", how many are done, of about how many).

    Raises
    ------
    InputError
        A run that is not exact, no such part, no such number.
    """
    study = _exact_study(run)
    part = part_of(study, _by_number(run, text))
    names = [parameter] if isinstance(parameter, str) else list(parameter or ())
    if len(names) > 2:
        raise InputError(f"{len(names)} numbers are varied", key="--parameter", allowed="one, or two for a map")
    places = [parameter_place(study, name, part.rows) for name in names]
    own, designs = _absence(run, study, part, closely=True)
    if not places:
        return own
    if len(places) == 2:
        return replace(own, map=break_even_map(part, *places, progress=progress))
    even = break_even(part, places[0], progress)
    named = dict(designs)
    if even.design is not None:
        named[even.design] = study.space.parameters(even.design)
    return replace(own, break_even=even, named=named)


def decisive(run: Run, *, seed: int = 0, progress: Told | None = None) -> Decisive:
    """Return what decides in the space of a run: effects of axes, values of the frontier, absent alternatives.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    seed : int
        Of the designs of estimates.
    progress : callable, optional
        Called with (what is done, how much of it, of how much).
    """
    study = _exact_study(run)
    problem = study.compiled
    say = progress or (lambda what, done, of: None)
    count = len(problem.space.products)
    done = 0

    def tick(_: int) -> None:
        nonlocal done
        done += 1
        say("alternatives", done, 2 * count)

    plain = space_sensitivity(problem, seed=seed, progress=tick)
    logs = space_sensitivity(problem, log=True, seed=seed, progress=tick)
    values, numbers = _frontier(run)
    near = membership(problem, numbers, values)
    absent = []
    present = {problem.space.product_of(int(number)) for number in numbers}
    missing = [index for index in range(count) if index not in present]
    for place, index in enumerate(missing):
        rows = {index: tuple(np.arange(len(axis)) for axis in problem.space.products[index].axes)}
        part = SpacePart(f"alternative = {problem.space.products[index].name}", problem, rows)
        absent.append(_absence(run, study, part)[0])
        say("absent alternatives", place + 1, len(missing))
    return Decisive(plain, logs, near, absent)


def sensitivity_of(run: Run, *, log: bool = False, seed: int = 0) -> SpaceSensitivity:
    """Return the effects of the axes of a run's space on its objectives; the frontier is not looked at."""
    return space_sensitivity(run.study.compiled, log=log, seed=seed)


def _by_number(run: Run, text: str) -> str:
    """Return a part of the space with the number of a design for its name."""
    named = re.fullmatch(r"\s*design\s*=\s*([Aa][0-9]+)\s*", text)
    if named is None:
        return text
    return f"design = {int(run.frontier['design'].iloc[row_named(run, named[1])])}"


def _exact_study(run: Run) -> Study:
    if not run.promises_all:
        raise InputError(
            f"the frontier of '{run.name}' is not exact ({run.headline}), so it is not known what is absent",
            allowed="an exact run",
        )
    return run.study


def _frontier(run: Run) -> tuple[np.ndarray, np.ndarray]:
    names = [objective["quantity"] for objective in run.objectives]
    values = run.frontier[names].to_numpy(dtype=float)
    return values, run.frontier["design"].to_numpy(dtype=np.int64)


def _absence(
    run: Run, study: Study, part: SpacePart, *, closely: bool = False
) -> tuple[Absence, dict[int, dict[str, str]]]:
    """Return how far a part is from the frontier, `closely` with what beats it, and the designs that are named."""
    values, numbers = _frontier(run)
    own = own_frontier(part)
    on_frontier = int(part.holds(numbers).sum())
    if not len(own.numbers):
        why = infeasible_part(part)
        designs = [why["design"], *(limit["design"] for limit in why["limits"] if limit["design"] is not None)]
        named = {int(number): study.space.parameters(int(number)) for number in dict.fromkeys(designs)}
        return Absence(part.text, own.designs, 0, 0, on_frontier, None, why, None, named), named
    far = distance(own.values, own.numbers, values, part.whole.objectives)
    nearest = [far["design"], *(design["design"] for design in far["single"].values())]
    named = {design: study.space.parameters(design) for design in dict.fromkeys(nearest) if design is not None}
    outcome = Absence(part.text, own.designs, own.feasible, len(own.numbers), on_frontier, far, None, None, named)
    if not closely:
        return outcome, named
    beating = beaten_by(own.values, own.numbers, values, numbers, part.whole.objectives, _kind(study, part))
    for pair in beating.pairs if beating is not None else ():
        named.setdefault(pair.design, study.space.parameters(pair.design))
    limits = {text: count for text, count in own.infeasible.items() if count}
    return replace(outcome, beating=beating, limits=limits, named=named), named


def _kind(study: Study, part: SpacePart) -> Callable[[int], str]:
    """Return what tells a design of the frontier from a part: its value of the axis, its member, its alternative."""
    name = part.text.partition(" = ")[0]
    space, kinds = study.space, kinds_of(study)

    def kind(number: int) -> str:
        index, rows = space.rows_of(number)
        product = space.products[index]
        for axis, row in zip(product.axes, rows, strict=True):
            if name == axis.name:
                return f"{name} = {axis.label(row)}"
            if name == axis.joined:
                return f"{name} = {axis.parts[row]}"
        own = {"alternative": product.name, **kinds[product.name]}.get(name, "")
        return f"{name} = {own}" if own else ""

    return kind
