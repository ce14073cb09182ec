"""What a study does not know: its section ``[uncertain]``, and what real machines say of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.evaluation.reference_systems import ReferenceSystem
from dse.evaluation.unknowns import ALTERNATIVE, Unknown
from dse.study.build.declarations import Declarations
from dse.study.build.places import at
from dse.study.file.schema import StudySpec, UncertainSpec
from dse.study.uncertain.bands import bands_of
from dse.study.uncertain.law_errors import law_errors, law_unknowns
from dse.study.uncertain.machine_errors import machine_errors
from dse.study.uncertain.part_errors import part_errors
from dse.study.uncertain.published_errors import AlongAxis, published_error
from dse.study.uncertain.stated_errors import stated_errors
from dse.units import TEXT, parse_quantity

__all__ = ["Unknowns", "refuse_wrong", "unknowns_of"]

_PERCENT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*%\s*")
_CUT = 4.0  # standard deviations at which a normal distribution ends


@dataclass(frozen=True)
class Unknowns:
    """What is not known.

    Attributes
    ----------
    every : tuple of Unknown
    notes : tuple of str
        What is to be told of them: what was taken, what was left out.
    missing : tuple of str
        Objectives of which no error is known.
    """

    every: tuple[Unknown, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...] = ()


def unknowns_of(
    spec: StudySpec,
    declarations: Declarations,
    problem: Problem,
    references: Callable[[], Sequence[ReferenceSystem]],
    *,
    variant: bool,
) -> Unknowns:
    """Return what is not known in a study.

    Parameters
    ----------
    spec, declarations, problem
        The study.
    references : callable
        Gives the systems beside its space, which are evaluated only where parts name them.
    variant : bool
        Whether it is a variant, in which what no longer fits is left out and told.

    Raises
    ------
    InputError
        As `Study.unknowns`.
    """
    notes: list[str] = []
    unknowns: list[Unknown] = []
    idle = {*declarations.computed, *declarations.units, *spec.quantities}
    for name, own in spec.uncertain.items():
        try:
            with at(f"uncertain.{name}"):
                if name not in problem.units and name in idle:
                    _refuse_idle(name)
                unknowns += _Entry(problem, declarations, name, own).unknowns(notes)
        except InputError as error:
            if not variant:
                raise
            notes.append(f"{name} is left out of this variant: {error.problem}")
    if not spec.trust.machines:
        left_out = [error.law for _, error in law_errors(problem, declarations)]
        if left_out:
            notes.append(f"errors of laws are left out by [trust] machines = false: {', '.join(left_out)}")
    if spec.trust.machines and spec.references:
        taken = {unknown.quantity for unknown in unknowns}
        measured = [unknown for unknown in machine_errors(problem.space, references) if unknown.quantity not in taken]
        reaching = [unknown for unknown in measured if _reaches(problem, unknown.quantity)]
        unknowns += reaching
        if reaching:
            names = ", ".join(unknown.quantity for unknown in reaching)
            notes.append(f"not said by the study, but by real machines: {names} (off by [trust] machines = false)")
    if spec.trust.machines:
        of_laws = law_unknowns(problem, declarations, {unknown.quantity for unknown in unknowns})
        unknowns += of_laws
        if of_laws:
            spreads = ", ".join(f"{unknown.quantity} {100 * unknown.spread:.0f} %" for unknown in of_laws)
            notes.append(
                f"errors of laws, lognormal, one standard deviation: {spreads} (off by [trust] machines = false)"
            )
    missing: tuple[str, ...] = ()
    if spec.trust.machines:
        unknowns += _of_parts(problem, unknowns, notes)
        stated = stated_errors(problem, unknowns)
        unknowns += stated.unknowns
        missing = stated.missing
        if stated.unknowns:
            names = ", ".join(unknown.quantity for unknown in stated.unknowns)
            notes.append(f"not said by the study, but by the laws: {names} (off by [trust] machines = false)")
    plain = [unknown.quantity for unknown in unknowns if unknown.distribution == "uniform"]
    if plain:
        notes.append(f"taken as uniform: {', '.join(dict.fromkeys(plain))}")
    return Unknowns(tuple(unknowns), tuple(notes), missing)


def _of_parts(problem: Problem, known: Sequence[Unknown], notes: list[str]) -> list[Unknown]:
    """Return what files of errors beside catalogues say of columns of which nothing is said yet."""
    taken = {unknown.quantity for unknown in known}
    unknowns = [unknown for unknown in part_errors(problem.space) if unknown.quantity not in taken]
    reaching = [unknown for unknown in unknowns if _reaches(problem, unknown.quantity)]
    if reaching:
        names = ", ".join(unknown.quantity for unknown in reaching)
        notes.append(f"not said by the study, but of its parts: {names} (off by [trust] machines = false)")
    return reaching


def _reaches(problem: Problem, name: str) -> bool:
    return any(name in system.graph.below(problem.results(index)) for index, system in enumerate(problem.systems))


def _refuse_idle(name: str) -> NoReturn:
    raise InputError(f"no objective and no limit depends on '{name}'", allowed="what decides something")


def refuse_wrong(spec: StudySpec, declarations: Declarations, problem: Problem, names: Iterable[str]) -> None:
    """Refuse what some entries of ``[uncertain]`` say where it cannot be: a name, a value, what reaches nothing."""
    for name in names:
        if name in spec.uncertain:
            with at(f"uncertain.{name}"):
                for _ in _Entry(problem, declarations, name, spec.uncertain[name]).unknowns([]):
                    pass


class _Entry:
    """One entry of ``[uncertain]``."""

    def __init__(self, problem: Problem, declarations: Declarations, name: str, spec: UncertainSpec) -> None:
        self.problem, self.declarations, self.name, self.spec = problem, declarations, name, spec

    def unknowns(self, notes: list[str]) -> Iterator[Unknown]:
        self._refuse_unknown()
        if self.spec.each is not None:
            self._refuse_no_axis(self.spec.each)
        if self.spec.error is not None:
            yield from self._error(notes)
        elif self.spec.from_ is not None:
            low, high = self._value(self.spec.from_, "from"), self._value(self.spec.to, "to")
            yield self._between(low, high)
        else:
            yield self._within(notes)

    def _refuse_unknown(self) -> None:
        units = self.problem.units
        known = [name for name, unit in units.items() if unit not in (TEXT, "table", "bool")]
        known = [name for name in known if not name.startswith("constraint_")]
        if self.name not in known:
            what = "is no number" if self.name in units else "is no quantity of the study"
            raise InputError(
                f"'{self.name}' {what}",
                allowed="a quantity that it computes, sets or assumes, or a column of a part",
                wrong=self.name,
                candidates=known,
            )
        if not _reaches(self.problem, self.name):
            _refuse_idle(self.name)

    def _refuse_no_axis(self, axis: str) -> None:
        every = [entry for product in self.problem.space.products for entry in product.axes]
        axes = list(dict.fromkeys(name for entry in every for name in (entry.name, entry.joined) if name))
        if axis not in axes:
            raise InputError(f"no axis '{axis}'", key="each", allowed=axes, wrong=axis, candidates=axes)

    @property
    def _unit(self) -> str:
        return self.problem.units[self.name]

    def _value(self, value: object, key: str) -> float:
        with at(key):
            return parse_quantity(value, self._unit)

    def _fixed(self) -> list[float]:
        """Return the values that the study sets or assumes, of all alternatives; none of what is computed or varied."""
        values = []
        for product, system in zip(self.problem.space.products, self.problem.systems, strict=True):
            if self.name not in system.graph.inputs:
                continue
            if any(self.name in axis.columns for axis in product.axes):
                return []
            value = product.fixed.get(self.name, system.assumptions.get(self.name))
            if value is not None:
                values.append(float(value))
        computed = any(self.name in system.graph.providers for system in self.problem.systems)
        return [] if computed else values

    def _between(self, low: float, high: float) -> Unknown:
        values = self._fixed()
        if not values:
            raise InputError(
                f"'{self.name}' has no single value: it is computed, or a column of an axis",
                allowed='within = "10 %", or error = "10 %"',
            )
        if not low < high:
            raise InputError(f"from {low:g} to {high:g} {self._unit} is no interval", allowed="from below to")
        for value in values:
            if not low <= value <= high:
                raise InputError(
                    f"the study computes with {value:g} {self._unit}, which is not from {low:g} to {high:g}",
                    allowed="an interval that holds the value",
                )
        declared = self.declarations.of_input(self.name)
        if declared is not None:
            declared.check(np.array([low, high]))
        return Unknown(
            self.name,
            low,
            high,
            relative=False,
            distribution=self.spec.distribution or "uniform",
            nominal=values[0],
            source=self.spec.source,
        )

    def _within(self, notes: list[str]) -> Unknown:
        share = _share(self.spec.within)
        distribution = self.spec.distribution or "uniform"
        if share is None:
            width = self._value(self.spec.within, "within")
            values = self._fixed()
            if self.spec.each is not None or distribution != "uniform" or not values or len(set(values)) > 1:
                raise InputError(
                    f"'{self.spec.within}' is a width in {self._unit or '1'}, which only one shared value has",
                    key="within",
                    allowed='a share, such as "10 %"',
                )
            return self._between(values[0] - width, values[0] + width)
        return self._deviating(share, notes, scope="shared" if self.spec.each is None else "each")

    def _deviating(
        self,
        share: float,
        notes: list[str],
        scope: str,
        weight: float = 1.0,
        source: str = "",
        ends: tuple[float, float] | None = None,
    ) -> Unknown:
        distribution = self.spec.distribution or "uniform"
        (low, high), spread = ends or (-share, share), 0.0
        if distribution == "normal":
            low, high, spread = -_CUT * share, _CUT * share, share
        elif distribution == "lognormal":
            low, high, spread = np.expm1(-_CUT * share), np.expm1(_CUT * share), share
        if spread:
            notes.append(f"{self.name}: {distribution}, cut at {_CUT:g} standard deviations of {100 * share:g} %")
        if not share > 0.0:
            raise InputError("a width of 0 is no interval", allowed='more, such as "10 %"')
        if low <= -1.0:
            raise InputError(
                f"deviations down to {100 * low:g} % make '{self.name}' 0 or negative", allowed="less than 100 %"
            )
        declared = self.declarations.of_input(self.name)
        for value in self._fixed() if declared is not None else ():
            assert declared is not None
            declared.check(np.array([value * (1.0 + low), value * (1.0 + high)]))
        return Unknown(
            self.name,
            float(low),
            float(high),
            scope="each" if scope == "each" else "design" if scope == "design" else "shared",
            axis=self.spec.each or "",
            weight=weight,
            distribution=distribution,
            spread=spread,
            source=source or self.spec.source,
        )

    def _error(self, notes: list[str]) -> Iterator[Unknown]:
        source = self.spec.source
        along: tuple[AlongAxis, ...] = ()
        ends: tuple[float, float] | None = None
        if self.spec.error == "model":
            published = published_error(self.problem, self.name)
            share, of, ends = published.widest.mean, published.widest.of, published.widest.ends
            # Cut distributions have one width, so they keep the widest for all.
            if self.spec.distribution in (None, "uniform", "triangular"):
                along = published.along
            whose = "published error of the model" if published.widest.published else "error of the model"
            source = f"{whose}: {of}" if of else whose
            notes.append(f"{self.name}: {'up to ' if along else ''}{100 * share:g} %, {source}")
        else:
            given = _share(self.spec.error)
            if given is None:
                raise InputError(f"{self.spec.error!r} is no share", key="error", allowed='"8 %", or "model"')
            share = given
        shared = self.spec.shared or 0.0
        if shared > 0.0:
            yield self._deviating(share, notes, "shared", shared, source, ends)
        if shared < 1.0 and along:
            yield from (self._by_rows(axis, 1.0 - shared) for axis in along)
        elif shared < 1.0:
            yield self._deviating(share, notes, "design", 1.0 - shared, source, ends)
        if self.spec.error == "model":
            yield from self._band(notes)

    def _band(self, notes: list[str]) -> Iterator[Unknown]:
        """Yield beside the error of the model what its inputs are not sure of, by alternative."""
        bands = bands_of(self.problem, self.name)
        if not bands:
            return
        low, high = min(low for low, _ in bands.values()), max(high for _, high in bands.values())
        notes.append(f"{self.name}: {100 * low:+.3g} to {100 * high:+.3g} % as its inputs are not sure, by alternative")
        yield Unknown(
            self.name,
            low,
            high,
            scope="each",
            axis=ALTERNATIVE,
            rows={product.name: bands.get(product.name, (0.0, 0.0)) for product in self.problem.space.products},
            distribution=self.spec.distribution or "uniform",
            source="band of what the model reads: laws that fit alike",
        )

    def _by_rows(self, along: AlongAxis, weight: float) -> Unknown:
        """Return deviations with an interval of its own at each row of an axis; its designs share them."""
        for label, (low, _) in along.rows.items():
            if low <= -1.0:
                raise InputError(
                    f"the {along.of} reaches 0 at {along.axis} = {label}",
                    key="error",
                    allowed="an axis without what is so far from the runs",
                )
        return Unknown(
            self.name,
            min(low for low, _ in along.rows.values()),
            max(high for _, high in along.rows.values()),
            scope="each",
            axis=along.axis,
            rows=along.rows,
            weight=weight,
            distribution=self.spec.distribution or "uniform",
            source=f"published error of the model: {along.of}, at each row of {along.axis}",
        )


def _share(value: object) -> float | None:
    """Return a share of 1 that is written as "10 %"; None of anything else."""
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else float(match[1]) / 100.0
