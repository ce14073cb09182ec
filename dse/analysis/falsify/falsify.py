"""Every measured system beside a space, and those of a user's file, held against the frontier of a run.

Nothing is searched for it. A study says in ``[references.NAME]`` what classes its systems are of, which designs are of
which class, and where the errors of laws stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.best_design import kinds_of
from dse.analysis.choose.constant_limits import constant_limits
from dse.analysis.falsify.as_measured import AsMeasured, as_measured
from dse.analysis.falsify.best_of_class import BestOfClass, ClassFactor
from dse.analysis.falsify.law_spreads import law_spreads
from dse.analysis.falsify.nearest import nearest_designs
from dse.analysis.falsify.verdict import CONTRADICTS, WEAKENS, Verdict, better_to_change, excess, verdict
from dse.errors import InputError
from dse.evaluation.reference_systems import ReferenceSystem, evaluate_references
from dse.run.result.falsification_account import (
    FalsificationAccount,
    JudgedClass,
    LeftOut,
    MeasuredSystem,
    NearestDesign,
    NextVerdict,
)
from dse.study.build.references import build_references
from dse.study.file.schema import ClassSpec, ReferenceSpec

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.study.study import Study

__all__ = ["falsification_of", "has_classes", "is_held_against", "measured_systems"]

_TABLE, _NAMES = "table", "names"  # options of an enumeration: rows of a user's file, and which of its own it takes
_BESIDE = "a reference of the study"


def has_classes(study: Study) -> bool:
    """Tell whether a study says of what classes its references are."""
    return any(spec.classes for spec in study.spec.references.values())


def is_held_against(run: Run) -> bool:
    """Tell whether systems are held against a run: they are of classes, and its frontier is a whole one, with a bound.

    A system beyond what a search has seen refutes nothing.
    """
    if not len(run.frontier) or not has_classes(run.study):
        return False
    return run.promises_all or (run.within and not run.stopped)


def falsification_of(run: Run, measured: Path | None = None) -> FalsificationAccount:
    """Hold every measured system against the frontier of a run.

    Parameters
    ----------
    run : Run
    measured : Path, optional
        A table with further systems, in the columns that the references of the study take.

    Raises
    ------
    InputError
        The study does not say of what classes its references are, or what is wrong with the table.
    """
    study = run.study
    _refuse_without_classes(study)
    own = [] if measured is None else measured_systems(study, measured)
    replaced = {system.name for system in own}
    beside = [system for system in study.references if system.measured and system.name not in replaced]
    judge = _Judge(run, study)
    systems = judge.systems([(system, _BESIDE) for system in beside] + [(system, str(measured)) for system in own])
    classes = judge.classes(systems)
    return FalsificationAccount(
        systems=systems,
        classes=classes,
        withdrawn=[judged.name for judged in classes if judged.word == CONTRADICTS],
        file="" if measured is None else str(measured),
        digest=run.manifest.digest,
    )


def _without_names(given: Mapping[str, object]) -> dict[str, object]:
    return {option: value for option, value in given.items() if option != _NAMES}


def _refuse_without_classes(study: Study) -> None:
    if not has_classes(study):
        raise InputError(
            "the study does not say of what classes its references are",
            file=study.file,
            key="references",
            allowed="[references.NAME.classes] with measured figures",
        )


def measured_systems(study: Study, file: Path) -> list[ReferenceSystem]:
    """Return the systems of a user's table as references of the study; those without measured figures say nothing.

    Raises
    ------
    InputError
        The study does not say of what classes its references are, or what is wrong with the table.
    """
    _refuse_without_classes(study)
    if not file.is_file():
        raise InputError("no such file", file=file, key="--measured")
    groups: dict[str, ReferenceSpec] = {}
    for name, spec in study.spec.references.items():
        axes = {
            axis: entry.model_copy(update={"given": {**_without_names(entry.given), _TABLE: str(file)}})
            for axis, entry in spec.axes.items()
            if entry.enumerate is not None
        }
        if spec.classes and axes:
            groups[name] = spec.model_copy(update={"axes": {**spec.axes, **axes}})
    builder = replace(study.builder, spec=study.spec.model_copy(update={"references": groups}))
    return list(evaluate_references(build_references(builder, study.compiled), study.compiled.constraints))


class _Judge:
    """Judges systems against one frontier."""

    def __init__(self, run: Run, study: Study) -> None:
        self.run, self.study, self.problem = run, study, study.compiled
        self.kinds = kinds_of(study)
        self.front = np.column_stack(
            [
                run.frontier[goal.quantity].to_numpy(dtype=float) ** (1.0 if goal.sense == "min" else -1.0)
                for goal in self.problem.objectives
            ]
        )
        self.positive = (np.isfinite(self.front) & (self.front > 0.0)).all(axis=0)
        self.errors = law_spreads(self.problem, study)
        systems = enumerate(self.problem.systems)
        self.below = [system.graph.below(self.problem.results(index)) for index, system in systems]
        self.best: dict[str, BestOfClass] = {}
        self.factors: dict[str, ClassFactor] = {}

    def systems(self, systems: Sequence[tuple[ReferenceSystem, str]]) -> list[MeasuredSystem]:
        """Judge the systems that are of a class."""
        judged: list[MeasuredSystem] = []
        for name, of_class in self._every_class():
            own = [(system, source) for system, source in systems if self._class(system) == name]
            like = [spec.like for spec in self.study.spec.references.values() if name in spec.classes]
            wanted = list(dict.fromkeys(quantity for names in like for quantity in names))
            nearest = nearest_designs(self.problem, self._products(of_class), [system for system, _ in own], wanted)
            pairs = zip(own, nearest, strict=True)
            judged += [self._system(system, source, name, of_class, near) for (system, source), near in pairs]
        order = {system.name: place for place, (system, _) in enumerate(systems)}
        return sorted(judged, key=lambda system: order[system.name])

    def classes(self, systems: Sequence[MeasuredSystem]) -> list[JudgedClass]:
        """Return what is left to say of each class."""
        judged = []
        for name, of_class in self._every_class():
            own = [system for system in systems if system.of_class == name]
            word = next((word for word in (CONTRADICTS, WEAKENS) if any(system.word == word for system in own)), "")
            best = self.factors.get(name)
            judged.append(
                JudgedClass(
                    name=name,
                    of=of_class.of,
                    designs=int(self._members(of_class).sum()),
                    offered=bool(self._products(of_class)),
                    factor=None if best is None else best.factor,
                    exact=best is not None and best.exact,
                    best=None if best is None else best.design,
                    law_error=self._law_error(of_class, [True] * len(self.problem.objectives)) or None,
                    taken_as_exact=self._taken_as_exact(of_class),
                    word=word,
                    by=[system.name for system in own if word and system.word == word],
                )
            )
        return judged

    def _system(
        self, system: ReferenceSystem, source: str, name: str, of_class: ClassSpec, nearest: NearestDesign | None
    ) -> MeasuredSystem:
        spec = self.study.spec.references[system.group.name]
        actual = as_measured(self.problem, system, constant_limits(self.study, set(spec.measured)))
        counted = self._counted(system)
        values = [value if count else math.nan for value, count in zip(actual.objectives, counted, strict=True)]
        present = bool(self._members(of_class).any())
        doubted = bool(_number(system, spec.doubted))
        beyond = math.nan if actual.scale is None or doubted else excess(self.front, values)
        law = self._law_error(of_class, counted) or float(_number(system, spec.law_error) or math.nan)
        own = float(_number(system, spec.system_error) or 0.0)
        judged = verdict(beyond, present=present, law_error=law, system_error=own)
        if not present and math.isfinite(beyond):
            judged = self._of_absent(name, of_class, beyond, law, own)
        change = better_to_change(judged, present=present, law_error=law, system_error=own)
        return MeasuredSystem(
            name=system.name,
            source=source,
            of_class=name,
            present=present,
            word=judged.word,
            excess=_finite(judged.excess),
            factor=judged.factor,
            standard_errors=_finite(judged.standard_errors),
            scale=actual.scale,
            limit=actual.why,
            objectives=self._as_given(actual, counted),
            model_over_measured=_ratios(system),
            left_out=_left_out(system, spec),
            law_error=_finite(law),
            doubted=doubted,
            nearest=nearest,
            next=None if change is None else NextVerdict(word=change.word, times_better=change.times_better),
        )

    def _every_class(self) -> list[tuple[str, ClassSpec]]:
        """Return the classes of all references; of one name the first stands."""
        classes: dict[str, ClassSpec] = {}
        for spec in self.study.spec.references.values():
            for name, own in spec.classes.items():
                classes.setdefault(name, own)
        return list(classes.items())

    def _class(self, system: ReferenceSystem) -> str:
        """Return the first class that a system is of."""
        for name, own in self.study.spec.references[system.group.name].classes.items():
            value = system.values.get(own.quantity)
            least, most = (end if end is not None else math.nan for end in (own.least, own.most))
            if isinstance(value, float) and not value < least and not value > most:
                return name
        return ""

    def _products(self, of_class: ClassSpec) -> list[int]:
        """Return the products of the space whose designs are of a class."""
        if not of_class.of:
            return []
        return [
            index
            for index, product in enumerate(self.problem.space.products)
            if all(self.kinds[product.name].get(choice) in members for choice, members in of_class.of.items())
        ]

    def _members(self, of_class: ClassSpec) -> np.ndarray:
        """Return which designs of the frontier are of a class."""
        products = self._products(of_class)
        held = np.zeros(len(self.front), dtype=bool)
        numbers = self.run.frontier["design"].to_numpy(dtype=np.int64)
        for index, places in self.problem.space.by_product(numbers):
            if index in products:
                held[places] = True
        return held

    def _counted(self, system: ReferenceSystem) -> list[bool]:
        """Return which objectives a measured figure enters; others are the law's alone."""
        graph = system.group.system.graph
        return [
            bool(positive) and not set(system.measured).isdisjoint(graph.below([goal.quantity]))
            for goal, positive in zip(self.problem.objectives, self.positive, strict=True)
        ]

    def _of_absent(self, name: str, of_class: ClassSpec, beyond: float, law: float, own: float) -> Verdict:
        """Judge a system of an absent class, which is searched where the verdict hangs on its factor, or refutes."""

        def judged(factor: float | None) -> Verdict:
            return verdict(beyond, present=False, factor=factor, law_error=law, system_error=own)

        if name not in self.best:
            products = self._products(of_class) if self.positive.all() else []
            self.best[name] = BestOfClass(self.problem, products, self.front)
        best = self.best[name]
        factor = self.factors.get(name) or best.bound
        hangs = factor is None or judged(1.0).word != judged(factor.factor).word
        if hangs or (factor is not None and not factor.exact and judged(factor.factor).word == CONTRADICTS):
            factor = best.exact
        if factor is None:  # nothing of the class is feasible, or that is not known
            return judged(None)
        self.factors[name] = factor
        return judged(factor.factor)

    def _taken_as_exact(self, of_class: ClassSpec) -> bool:
        """Tell whether no unknown tells designs of a class from all others: one that all share does not."""
        own = set(self._products(of_class))
        others = set(range(len(self.problem.space.products))) - own
        for unknown in self.study.unknowns.every:
            reached = {index for index, results in enumerate(self.below) if unknown.quantity in results}
            if own & reached and (unknown.scope != "shared" or others - reached):
                return False
        return bool(own)

    def _law_error(self, of_class: ClassSpec, counted: Sequence[bool]) -> float:
        """Return the standard deviation that the laws of a class have in the objective that they move most; 0: none."""
        largest = 0.0
        for index in self._products(of_class):
            graph = self.problem.systems[index].graph
            for objective, count in zip(self.problem.objectives, counted, strict=True):
                below = graph.below([objective.quantity])
                spreads = [spread for name, spread in self.errors.items() if name in below]
                largest = max(largest, math.hypot(*spreads) if count and spreads else 0.0)
        return largest

    def _as_given(self, actual: AsMeasured, counted: Sequence[bool]) -> dict[str, float]:
        return {
            goal.quantity: value if goal.sense == "min" else 1.0 / value
            for goal, value, count in zip(self.problem.objectives, actual.objectives, counted, strict=True)
            if count and math.isfinite(value)
        }


def _ratios(system: ReferenceSystem) -> dict[str, float]:
    """Return what is computed over what was measured, of each measured quantity."""
    return {
        name: value / figure["value"]
        for name, figure in system.measured.items()
        if isinstance(value := system.values.get(name), float)
    }


def _left_out(system: ReferenceSystem, spec: ReferenceSpec) -> dict[str, LeftOut]:
    """Return what laws without a system give, of each law that the study names and that is known of it."""
    pairs = {name: (_number(system, own.ratio), _number(system, own.errors)) for name, own in spec.left_out.items()}
    return {
        name: LeftOut(ratio=ratio, standard_errors=errors)
        for name, (ratio, errors) in pairs.items()
        if ratio is not None and errors is not None
    }


def _number(system: ReferenceSystem, quantity: str | None) -> float | None:
    value: Mapping[str, float | str] = system.values
    number = value.get(quantity) if quantity else None
    return number if isinstance(number, float) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
