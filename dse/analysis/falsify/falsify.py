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
from dse.analysis.choose.constant_limits import ConstantLimit, constant_limits
from dse.analysis.falsify.as_measured import AsMeasured, as_measured
from dse.analysis.falsify.nearest import nearest_design
from dse.analysis.falsify.verdict import CONTRADICTS, SILENT, class_factor, excess, verdict
from dse.errors import InputError
from dse.evaluation.reference_systems import MeasuredFigure, ReferenceSystem, evaluate_references
from dse.run.result.falsification_account import FalsificationAccount, MeasuredSystem
from dse.study.build.references import build_references
from dse.study.file.schema import ClassSpec, ReferenceSpec
from dse.study.uncertain.law_errors import law_errors

if TYPE_CHECKING:
    from dse.run.result.run import Run
    from dse.study.study import Study

__all__ = ["falsification_of", "has_classes"]

_TABLE = "table"  # the option of an enumeration that takes rows of a user's file
_BESIDE = "a reference of the study"


def has_classes(study: Study) -> bool:
    """Tell whether a study says of what classes its references are."""
    return any(spec.classes for spec in study.spec.references.values())


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
    if not has_classes(study):
        raise InputError(
            "the study does not say of what classes its references are",
            file=study.file,
            key="references",
            allowed="[references.NAME.classes] with measured figures",
        )
    judge = _Judge(run, study)
    systems = [judge.system(system, _BESIDE) for system in study.references if system.measured]
    if measured is not None:
        own = {system.name for system in _of_table(study, measured)}
        systems = [system for system in systems if system.name not in own]
        systems += [judge.system(system, str(measured)) for system in _of_table(study, measured) if system.measured]
    classes = list(dict.fromkeys(system.of_class for system in systems if system.word == CONTRADICTS))
    return FalsificationAccount(
        systems=[system for system in systems if system.of_class],
        withdrawn=[name for name in classes if name],
        file="" if measured is None else str(measured),
        digest=run.manifest.digest,
    )


def _of_table(study: Study, file: Path) -> Sequence[ReferenceSystem]:
    """Return the systems of a user's table, as references of the study."""
    if not file.is_file():
        raise InputError("no such file", file=file, key="--measured")
    groups: dict[str, ReferenceSpec] = {}
    for name, spec in study.spec.references.items():
        axes = {
            axis: entry.model_copy(update={"given": {**entry.given, _TABLE: str(file)}})
            for axis, entry in spec.axes.items()
            if entry.enumerate is not None
        }
        if spec.classes and axes:
            groups[name] = spec.model_copy(update={"axes": {**spec.axes, **axes}})
    builder = replace(study.builder, spec=study.spec.model_copy(update={"references": groups}))
    return evaluate_references(build_references(builder, study.compiled), study.compiled.constraints)


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
        self.errors = dict(law_errors(self.problem, study.declarations))

    def system(self, system: ReferenceSystem, source: str) -> MeasuredSystem:
        """Judge one system."""
        spec = self.study.spec.references[system.group.name]
        name, of_class = self._class(system, spec)
        limits = constant_limits(self.study, set(system.measured))
        actual = as_measured(self.problem, system, limits)
        counted = self._counted(system)
        values = [value if count else math.nan for value, count in zip(actual.objectives, counted, strict=True)]
        present = bool(self._members(of_class).any())
        beyond = math.nan if actual.scale is None else excess(self.front, values)
        factor = 1.0 if present else self._factor(system, limits, counted)
        law = self._law_error(of_class, counted) or float(_number(system, spec.law_error) or math.nan)
        own = float(_number(system, spec.system_error) or 0.0)
        doubted = bool(_number(system, spec.doubted))
        judged = verdict(beyond, present=present, factor=factor, law_error=law, system_error=own)
        word = SILENT if doubted else judged.word
        return MeasuredSystem(
            name=system.name,
            source=source,
            of_class=name,
            present=present,
            word=word,
            excess=_finite(judged.excess),
            factor=judged.factor,
            standard_errors=_finite(judged.standard_errors),
            scale=actual.scale,
            limit=actual.why,
            objectives=self._told(actual, counted),
            model_over_measured=_ratios(system),
            law_error=_finite(law),
            doubted=doubted,
            nearest=nearest_design(self.problem, self._products(of_class), system, spec.like),
        )

    def _class(self, system: ReferenceSystem, spec: ReferenceSpec) -> tuple[str, ClassSpec | None]:
        for name, own in spec.classes.items():
            value = system.values.get(own.quantity)
            least, most = (end if end is not None else math.nan for end in (own.least, own.most))
            if isinstance(value, float) and not value < least and not value > most:
                return name, own
        return "", None

    def _products(self, of_class: ClassSpec | None) -> list[int]:
        """Return the products of the space whose designs are of a class."""
        if of_class is None or not of_class.of:
            return []
        return [
            index
            for index, product in enumerate(self.problem.space.products)
            if all(self.kinds[product.name].get(choice) in members for choice, members in of_class.of.items())
        ]

    def _members(self, of_class: ClassSpec | None) -> np.ndarray:
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
        return [not set(system.measured).isdisjoint(graph.below([goal.quantity])) for goal in self.problem.objectives]

    def _factor(self, system: ReferenceSystem, limits: Sequence[ConstantLimit], counted: Sequence[bool]) -> float:
        """Return how many times the laws have an absent class worse: the system itself, by what is computed of it."""
        computed: dict[str, MeasuredFigure] = {
            name: {"value": value, "column": figure["column"], "source": figure["source"]}
            for name, figure in system.measured.items()
            if isinstance(value := system.values.get(name), float)
        }
        model = as_measured(self.problem, replace(system, measured=computed), limits)
        pairs = zip(model.objectives, counted, strict=True)
        values = np.array([value if count else math.nan for value, count in pairs])
        known = np.isfinite(values)
        if not known.any():
            return 1.0
        return max(class_factor(self.front[:, known], values[None, known]), 1.0)

    def _law_error(self, of_class: ClassSpec | None, counted: Sequence[bool]) -> float:
        """Return the standard deviation that the laws of a class have in the objective that they move most; 0: none."""
        largest = 0.0
        for index in self._products(of_class):
            graph = self.problem.systems[index].graph
            for objective, count in zip(self.problem.objectives, counted, strict=True):
                below = graph.below([objective.quantity])
                spreads = [error.spread for name, error in self.errors.items() if name in below]
                largest = max(largest, math.hypot(*spreads) if count and spreads else 0.0)
        return largest

    def _told(self, actual: AsMeasured, counted: Sequence[bool]) -> dict[str, float]:
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


def _number(system: ReferenceSystem, quantity: str | None) -> float | None:
    value: Mapping[str, float | str] = system.values
    number = value.get(quantity) if quantity else None
    return number if isinstance(number, float) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
