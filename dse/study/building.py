"""From a checked study to a problem: products of axes, fixed values and tables, and a system for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dse.authoring.library import Model
from dse.errors import InputError
from dse.evaluation.problem import Objective, Problem, System
from dse.graph.index_sets import member_name
from dse.space.axes import Axis
from dse.space.product import Product, Space
from dse.study import refusals
from dse.study.axes import AxisMaker
from dse.study.declarations import Declarations
from dse.study.files import StudyFiles
from dse.study.places import at, of_alternative
from dse.study.schema import AlternativeSpec, ObjectiveSpec, StudySpec
from dse.study.systems import SystemMaker

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
    """

    spec: StudySpec
    models: tuple[Model, ...]
    folder: Path
    file: str | None = None
    declarations: Declarations = field(init=False)
    files: StudyFiles = field(init=False)
    axes: AxisMaker = field(init=False)
    systems: SystemMaker = field(init=False)

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
            if error.file is None and self.file is not None:
                raise error.within(file=self.file) from None
            raise

    def _problem(self) -> Problem:
        spec = self.spec
        objectives = tuple(_objective(objective) for objective in spec.objectives)
        names = [objective.quantity for objective in objectives]
        refusals.refuse_members_of_two_sets(spec)
        for position, name in enumerate(names):
            if name in names[:position]:
                raise InputError(f"'{name}' stands twice", key=f"objectives[{position}]", allowed="each quantity once")
        refusals.refuse_reserved(spec)
        products = tuple(self._products())
        refusals.refuse_words_of_parts(spec, products, names)
        space = Space(products)
        known: dict[tuple, System] = {}
        systems = []
        for product in products:
            key = _system_key(product)
            if key not in known:
                own = spec.space.alternatives.get(product.name, AlternativeSpec())
                place = f"space.alternatives.{product.name}"
                known[key] = self.systems.system(product, objectives, own, place)
            systems.append(known[key])
        refusals.refuse_unused(spec, self.declarations, products, systems)
        return Problem(space, tuple(systems), objectives, seed=spec.search.seed)

    def _products(self) -> Iterator[Product]:
        spec = self.spec
        common = {name: self.axes.axis(name, axis, f"space.axes.{name}") for name, axis in spec.space.axes.items()}
        alternatives = spec.space.alternatives or {"": AlternativeSpec()}
        for name, alternative in alternatives.items():
            place = of_alternative(name)
            axes = dict(common)
            for axis_name, axis in alternative.axes.items():
                key = f"{place}.axes.{axis_name}"
                if axis_name in common:
                    raise InputError("the axis is among the common axes too", key=key, allowed="an axis in one place")
                axes[axis_name] = self.axes.axis(axis_name, axis, key)
            if not axes:
                raise InputError("the space has no axes", key=f"{place}.axes")
            fixed, units = self._fixed(alternative, place)
            yield self._product(name, axes, fixed, units, alternative, place)

    def product_beside(self, axes: Mapping[str, Axis], own: AlternativeSpec, place: str) -> Product:
        """Return a product that is not one of the space: what its axes give stands instead of the common [set]."""
        given = {column for axis in axes.values() for column in axis.columns} - set(own.set)
        fixed, units = self._fixed(own, place)
        fixed = {name: value for name, value in fixed.items() if name not in given}
        return self._product("", axes, fixed, units, own, place)

    def _product(
        self,
        name: str,
        axes: Mapping[str, Axis],
        fixed: dict[str, float | str],
        units: dict[str, str],
        own: AlternativeSpec,
        place: str,
    ) -> Product:
        axes = self._described(axes)
        refusals.refuse_clashes(axes, fixed, place)
        tables = {}
        for table_name, table in {**self.spec.tables, **own.tables}.items():
            key = f"{place}.tables.{table_name}" if table_name in own.tables else f"tables.{table_name}"
            tables[table_name] = self.files.table(table_name, table, key, self.declarations)
        self._add_members(fixed, units, tables)
        return Product(name, tuple(axes.values()), fixed, units, tables, {**self.spec.use, **own.use})

    def _fixed(self, alternative: AlternativeSpec, place: str) -> tuple[dict[str, float | str], dict[str, str]]:
        fixed: dict[str, float | str] = {}
        units: dict[str, str] = {}
        for values, key in ((self.spec.set, "set"), (alternative.set, f"{place}.set")):
            for name, value in values.items():
                with at(f"{key}.{name}"):
                    fixed[name], units[name] = self.declarations.fixed_value(name, value)
        return fixed, units

    def _add_members(self, fixed: dict[str, float | str], units: dict[str, str], tables: dict[str, Any]) -> None:
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


def _system_key(product: Product) -> tuple:
    axes = tuple((axis.name, tuple(axis.units.items()), axis.source) for axis in product.axes)
    tables = tuple((name, table.name, tuple(table.sources)) for name, table in product.tables.items())
    return axes, tuple(product.fixed_units.items()), tables, tuple(sorted(product.use.items()))


def _objective(spec: ObjectiveSpec) -> Objective:
    return Objective(spec.minimize, "min") if spec.minimize is not None else Objective(str(spec.maximize), "max")
