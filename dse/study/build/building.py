"""From a checked study to a problem: products of axes, fixed values and tables, and a system for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from dse.authoring.declare.enumerations import NO_SHAPE
from dse.authoring.declare.requirement import Requirement
from dse.authoring.library.library import Model
from dse.errors import InputError, MissingQuantityError
from dse.evaluation.problem import Objective, Problem, System
from dse.graph.expression import names_in
from dse.graph.index_sets import member_name
from dse.space.axes import Axis
from dse.space.design_space import Product, Space
from dse.study.build import refusals
from dse.study.build.alternatives import LARGEST, Alternative, alternatives_of
from dse.study.build.axes import AxisMaker
from dse.study.build.declarations import Declarations
from dse.study.build.files import StudyFiles
from dse.study.build.labels import refuse_unknown_labels
from dse.study.build.missing import LeftOut, with_providers, with_way_out
from dse.study.build.picks import refuse_bad_pick
from dse.study.build.places import at
from dse.study.build.requirements import HELD, LIFTED, NOT_CHECKED, RequirementState, requirement_states
from dse.study.build.split import part_axes, parts_of, values_without_rows
from dse.study.build.systems import SystemMaker
from dse.study.file.schema import AxisSpec, StudySpec

__all__ = ["Builder"]


@dataclass
class Builder:
    """Builds the problem of a study.

    Attributes
    ----------
    spec : StudySpec
    models : tuple of Model
    folder : Path
        Where files are looked for first; then among the catalogues that come with the project.
    file : str or None
        The study file, for messages.
    declarations, files, axes, systems
        What the models declare, what was read, and the makers of axes and systems.
    made : dict of str to Axis
        The axes of the space, by their key.
    requirements : dict of str to RequirementState
        Those of the models, by name, and what became of them.
    split_off : dict of str to str
        By alternative, what a split left out: values, or the whole, without a shape.
    """

    spec: StudySpec
    models: tuple[Model, ...]
    folder: Path
    file: str | None = None
    declarations: Declarations = field(init=False)
    files: StudyFiles = field(init=False)
    axes: AxisMaker = field(init=False)
    systems: SystemMaker = field(init=False)
    made: dict[str, Axis] = field(default_factory=dict, init=False)
    requirements: dict[str, RequirementState] = field(default_factory=dict, init=False)
    split_off: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.declarations = Declarations(self.models)
        self.files = StudyFiles(self.folder)
        self.axes = AxisMaker(self.declarations, self.files)
        self.systems = SystemMaker(self.spec, self.declarations)

    def problem(self) -> Problem:
        """Build the problem.

        Raises
        ------
        InputError
            Any fault of the study, with its key path.
        """
        try:
            return self._problem()
        except InputError as error:
            if isinstance(error, MissingQuantityError):
                error = with_way_out(error, self._text_axes, self.spec.space.choices)
            if isinstance(error, MissingQuantityError):
                error = with_providers(error, self.models)
            raise error.within(file=self.file) from None

    def _problem(self) -> Problem:
        spec = self.spec
        objectives = tuple(Objective(own.quantity, own.sense) for own in spec.objectives)
        names = [objective.quantity for objective in objectives]
        refusals.refuse_members_of_two_sets(spec)
        for position, name in enumerate(names):
            if name in names[:position]:
                raise InputError(f"'{name}' stands twice", key=f"objectives[{position}]", allowed="each quantity once")
        refusals.refuse_reserved(spec, self.alternatives)
        products = tuple(self._products())
        refusals.refuse_words_of_parts(spec, products, names)
        space = Space(products)
        self._check_requirements(products)
        known: dict[tuple[object, ...], System | None] = {}
        left_out = LeftOut()
        made = []
        for alternative, product in zip(self.alternatives, products, strict=True):
            key = _system_key(product)
            if key not in known:
                make = partial(self.systems.system, product, objectives, alternative, required=self.required)
                known[key] = left_out.made(alternative.name, make)
            made.append(known[key])
        left_out.refuse([alternative.name for alternative in self.alternatives])
        systems = [system for system in made if system is not None]
        refusals.refuse_unused(spec, self.declarations, self.alternatives, products, systems, self._lifted)
        problem = Problem(space, tuple(systems), objectives, seed=spec.search.seed)
        refuse_unknown_labels(spec, self.declarations, problem.units)
        refuse_bad_pick(spec, self.declarations, problem)
        return problem

    def _check_requirements(self, products: Sequence[Product]) -> None:
        """Find out which requirements of the models can be checked, and where."""
        self.requirements = requirement_states(self.spec, self.models)
        asked = [state for state in self.requirements.values() if state.state == NOT_CHECKED]
        known: dict[tuple[object, ...], dict[str, str]] = {}
        for product in products if asked else ():
            key = _system_key(product)
            if key not in known:
                known[key] = self.systems.lacking(product, [state.requirement for state in asked])
            for state in asked:
                state.note(product.name, known[key][state.requirement.label])

    @property
    def _lifted(self) -> set[str]:
        """What the requirements read that the study lifts."""
        lifted = [state.requirement for state in self.requirements.values() if state.state == LIFTED]
        return {name for item in lifted for name in names_in(item.condition)}

    @property
    def axis_names(self) -> list[str]:
        """The names of the axes of all alternatives, each once."""
        own = (name for alternative in self.alternatives for name in alternative.own.axes)
        return list(dict.fromkeys([*self.spec.space.axes, *own]))

    @property
    def _text_axes(self) -> list[str]:
        """The names of the axes of parts and of shapes, which no condition can read."""
        own = [self.spec.space.axes, *(alternative.own.axes for alternative in self.alternatives)]
        return [name for axes in own for name, axis in axes.items() if axis.part or axis.enumerate]

    @property
    def required(self) -> tuple[Requirement, ...]:
        """The requirements that are constraints in one alternative at least, in the order of their places."""
        return tuple(state.requirement for state in self.requirements.values() if state.state == HELD)

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """The alternatives of the space; where the study splits it, their parts."""
        written = alternatives_of(self.spec.space)
        return self._parts(written) if self.spec.space.split else written

    def _parts(self, written: Sequence[Alternative]) -> tuple[Alternative, ...]:
        """Take each alternative apart; one without any shape is no part, and counted."""
        parts: list[Alternative] = []
        empty: InputError | None = None
        for alternative in written:
            try:
                axes = self._axes_of(alternative)
            except InputError as error:
                if not error.problem.startswith(NO_SHAPE):
                    raise
                empty = empty or error
                self.split_off[alternative.name] = error.problem
                continue
            fixed, units = self._fixed(alternative)
            product = self._product(axes, fixed, units, alternative)
            with at("space.split"):
                decided = {name: self.systems.decided(name, product) for name in self.spec.space.split}
            parts += parts_of(alternative, decided)
            for name, (_, values) in decided.items():
                own = [*self.spec.space.axes.values(), *alternative.own.axes.values()]
                missing = values_without_rows(name, own, np.unique(values).tolist())
                if missing:
                    self.split_off[alternative.name] = f"{missing} values of {name} have no shape"
        if not parts and empty is not None:
            raise empty
        if len(parts) > LARGEST:
            raise InputError(f"the space has {len(parts)} parts", key="space.split", allowed=f"at most {LARGEST}")
        return tuple(parts)

    def _axes_of(self, alternative: Alternative) -> dict[str, Axis]:
        axes = {name: self._axis(name, axis, f"space.axes.{name}") for name, axis in self.spec.space.axes.items()}
        for name, axis in alternative.own.axes.items():
            key = alternative.key("axes", name)
            if name in axes:
                raise InputError("the axis is among the common axes too", key=key, allowed="an axis in one place")
            axes[name] = self._axis(name, axis, key)
        if not axes:
            what = f"the alternative '{alternative.name}'" if alternative.name else "the space"
            raise InputError(f"{what} has no axes", key=f"{alternative.place}.axes")
        return axes

    def _products(self) -> Iterator[Product]:
        for alternative in self.alternatives:
            axes = part_axes(self._axes_of(alternative), alternative)
            fixed, units = self._fixed(alternative)
            # An axis of that column alone stays, with its one row.
            columns = {column for axis in axes.values() for column in axis.columns}
            fixed |= {name: value for name, value in alternative.split.items() if name not in columns}
            units |= {name: self.declarations.computed.get(name, "1") for name in fixed if name in alternative.split}
            yield self._product(axes, fixed, units, alternative)

    def _axis(self, name: str, axis: AxisSpec, key: str) -> Axis:
        """Return an axis of the space, made once though several alternatives have it."""
        if key not in self.made:
            self.made[key] = self.axes.axis(name, axis, key)
        return self.made[key]

    def product_beside(self, axes: Mapping[str, Axis], beside: Alternative) -> Product:
        """Return a product that is not one of the space: what its axes give stands instead of the common [set]."""
        given = {column for axis in axes.values() for column in axis.columns} - set(beside.own.set)
        fixed, units = self._fixed(beside)
        fixed = {name: value for name, value in fixed.items() if name not in given}
        return self._product(axes, fixed, units, beside)

    def _product(
        self, axes: Mapping[str, Axis], fixed: dict[str, float | str], units: dict[str, str], alternative: Alternative
    ) -> Product:
        own = alternative.own
        axes = self._described(axes)
        refusals.refuse_clashes(axes, fixed, alternative)
        tables = {}
        for name, table in {**self.spec.tables, **own.tables}.items():
            key = alternative.key("tables", name) if name in own.tables else f"tables.{name}"
            tables[name] = self.files.table(name, table, key, self.declarations)
        self._add_members(fixed, units, tables)
        use = {**self.spec.use, **own.use}
        return Product(alternative.name, tuple(axes.values()), fixed, units, tables, use, tuple(alternative.split))

    def _fixed(self, alternative: Alternative) -> tuple[dict[str, float | str], dict[str, str]]:
        fixed: dict[str, float | str] = {}
        units: dict[str, str] = {}
        values = [(f"set.{name}", name, value) for name, value in self.spec.set.items()]
        values += [(alternative.key("set", name), name, value) for name, value in alternative.own.set.items()]
        for key, name, value in values:
            with at(key):
                fixed[name], units[name] = self.declarations.fixed_value(name, value)
        return fixed, units

    def _add_members(self, fixed: dict[str, float | str], units: dict[str, str], tables: dict[str, object]) -> None:
        """Add what each member of the index sets has of its own, under its name."""
        for index, members in self.spec.index.items():
            for member, own in members.items():
                place = f"index.{index}.{member}"
                for name, value in own.set.items():
                    with at(f"{place}.set.{name}"):
                        full = member_name(name, member)
                        fixed[full], units[full] = self.declarations.fixed_value(name, value)
                for name, table in own.tables.items():
                    key = f"{place}.tables.{name}"
                    tables[member_name(name, member)] = self.files.table(name, table, key, self.declarations)

    def _described(self, axes: Mapping[str, Axis]) -> dict[str, Axis]:
        """Return the axes of an alternative without the columns that only describe the parts of several of them.

        Two catalogues may both have a name and a year; as no model declares these, they are not the same quantity.
        """
        counts = Counter(column for axis in axes.values() if axis.is_part for column in axis.columns)
        known = self.declarations.computed
        shared = {
            column
            for column, count in counts.items()
            if count > 1 and column not in known and self.declarations.of_input(column) is None
        }
        described = {}
        for name, axis in axes.items():
            if axis.is_part and not shared.isdisjoint(axis.columns):
                kept = {column: values for column, values in axis.columns.items() if column not in shared}
                axis = replace(axis, columns=kept, units={column: axis.units[column] for column in kept})
            described[name] = axis
        return described


def _system_key(product: Product) -> tuple[object, ...]:
    axes = tuple((axis.name, tuple(axis.units.items()), axis.source) for axis in product.axes)
    tables = tuple((name, table.name, tuple(table.sources)) for name, table in product.tables.items())
    return axes, tuple(product.fixed_units.items()), tables, tuple(sorted(product.use.items())), product.split
