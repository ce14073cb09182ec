"""From a checked study to a problem: models, tables, axes, graphs, objectives and constraints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.declaration import Assumption, Column, DocumentParameter, ModelFunction, Parameter
from dse.authoring.library import Model, find_enumeration
from dse.authoring.table import Table, read_table
from dse.errors import InputError, MissingQuantityError
from dse.evaluation.problem import Constraint, Objective, Problem, System
from dse.graph.expression import Expression, names_in, parse
from dse.graph.graph import Graph, Input
from dse.graph.index_sets import IndexSet, base_name, expand_models, member_name
from dse.graph.resolve import resolve
from dse.space.axes import Axis, enumerated_axis, linspace_axis, part_axis, powers_of_two_axis, range_axis, values_axis
from dse.space.product import Product, Space
from dse.study.schema import AlternativeSpec, AxisSpec, ObjectiveSpec, StudySpec, TableSpec
from dse.units import TEXT, parse_quantity

__all__ = ["Builder"]

RESERVED = ("design", "alternative", "extrapolated", "feasible", "violated")


@contextmanager
def _at(key: str) -> Iterator[None]:
    """Say at which key of the study an error arose."""
    try:
        yield
    except InputError as error:
        raise error.within(key=key) from None
    except OverflowError:
        raise InputError("a number is too large, or a step too small", key=key) from None


@contextmanager
def _reading() -> Iterator[None]:
    """Make the place inside a table a part of the message: file and key are those of the study."""
    try:
        yield
    except InputError as error:
        error.problem = ": ".join([*(place for place in (error.file, error.key) if place), error.problem])
        error.file = error.key = None
        raise error.within() from None


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
    used_files, used_enumerations : dict of str to Path
        What the tables and the enumerated axes were made of.
    rows_of : dict of str to str
        Hash of the rows of each enumerated axis, by its key.
    """

    spec: StudySpec
    models: tuple[Model, ...]
    folder: Path
    file: str | None = None
    tables: dict[tuple, Any] = field(default_factory=dict)
    used_files: dict[str, Path] = field(default_factory=dict)
    used_enumerations: dict[str, Path] = field(default_factory=dict)
    rows_of: dict[str, str] = field(default_factory=dict)

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
        objectives = tuple(_objective(o) for o in spec.objectives)
        names = [objective.quantity for objective in objectives]
        self._refuse_members_of_two_sets()
        for position, name in enumerate(names):
            if name in names[:position]:
                raise InputError(f"'{name}' stands twice", key=f"objectives[{position}]", allowed="each quantity once")
        self._refuse_reserved()
        products = tuple(self._products())
        self._refuse_confidences(products, names)
        space = Space(products)
        graphs: dict[tuple, System] = {}
        systems = []
        for product in products:
            key = _system_key(product)
            if key not in graphs:
                own = spec.space.alternatives.get(product.name, AlternativeSpec())
                graphs[key] = self.system(product, objectives, own, f"space.alternatives.{product.name}")
            systems.append(graphs[key])
        self._refuse_unused(products, systems)
        return Problem(space, tuple(systems), objectives, seed=spec.search.seed)

    def _refuse_members_of_two_sets(self) -> None:
        seen: dict[str, str] = {}
        for index, members in self.spec.index.items():
            for member, own in members.items():
                key = f"index.{index}.{member}"
                if member in seen:
                    raise InputError(f"'{member}' is a member of '{seen[member]}' too", key=key, allowed="another name")
                if not own.set and not own.tables:
                    raise InputError(f"'{member}' has nothing of its own", key=key, allowed="set = {…} or tables = {…}")
                seen[member] = index

    def _refuse_reserved(self) -> None:
        """Refuse names that the tables of a run need for themselves."""
        spec = self.spec
        places = {f"space.axes.{name}": name for name in spec.space.axes}
        for alternative, own in spec.space.alternatives.items():
            places |= {f"space.alternatives.{alternative}.axes.{name}": name for name in own.axes}
        places |= {f"objectives[{i}]": str(o.minimize or o.maximize) for i, o in enumerate(spec.objectives)}
        places |= {f"also[{i}]": name for i, name in enumerate(spec.also)}
        places |= {f"quantities.{name}": name for name in spec.quantities}
        for key, name in places.items():
            if name in RESERVED or re.fullmatch(r"constraint_\d+", name):
                raise InputError(f"the name '{name}' is one of dse itself", key=key, allowed="another name")

    def _refuse_confidences(self, products: Sequence[Product], objectives: Sequence[str]) -> None:
        """Refuse names that stand for the confidence of a part."""
        axes = [axis for product in products for axis in product.axes]
        shown = {axis.name for axis in axes} | {*objectives, *self.spec.also}
        for axis in axes:
            if axis.confidences and axis.confidence_name in shown:
                raise InputError(
                    f"'{axis.confidence_name}' is what the confidence of the part axis '{axis.name}' is called",
                    key="space",
                    allowed="another name for the axis",
                )

    # ---- declarations -------------------------------------------------------------------------------------------

    def declared(self, name: str) -> Parameter | Assumption | None:
        """Return the declaration of a quantity that a study can give, or that a member of an index set has."""
        name = base_name(name)
        for model in self.models:
            found = model.parameters.get(name) or model.assumptions.get(name)
            if found is not None:
                return found
        return None

    def _known_inputs(self) -> set[str]:
        return {name for model in self.models for name in [*model.parameters, *model.assumptions, *model.tables]}

    # ---- products -----------------------------------------------------------------------------------------------

    def _products(self) -> Iterator[Product]:
        spec = self.spec
        common = {name: self.axis(name, axis, f"space.axes.{name}") for name, axis in spec.space.axes.items()}
        alternatives = spec.space.alternatives or {"": AlternativeSpec()}
        for name, alternative in alternatives.items():
            place = f"space.alternatives.{name}" if name else "space"
            axes = dict(common)
            for axis_name, axis in alternative.axes.items():
                key = f"{place}.axes.{axis_name}"
                if axis_name in common:
                    raise InputError("the axis is among the common axes too", key=key, allowed="an axis in one place")
                axes[axis_name] = self.axis(axis_name, axis, key)
            if not axes:
                raise InputError("the space has no axes", key=f"{place}.axes" if name else "space.axes")
            fixed, units = self._fixed(alternative, place)
            yield self._product(name, axes, fixed, units, alternative, place)

    def _product(
        self,
        name: str,
        axes: Mapping[str, Axis],
        fixed: dict[str, Any],
        units: dict[str, str],
        own: AlternativeSpec,
        place: str,
    ) -> Product:
        axes = self._described(axes)
        self._refuse_clashes(axes, fixed, place)
        tables = {}
        for table_name, table in {**self.spec.tables, **own.tables}.items():
            key = f"{place}.tables.{table_name}" if table_name in own.tables else f"tables.{table_name}"
            tables[table_name] = self._table(table_name, table, key)
        self._add_members(fixed, units, tables)
        return Product(name, tuple(axes.values()), fixed, units, tables, {**self.spec.use, **own.use})

    def product_beside(self, axes: Mapping[str, Axis], own: AlternativeSpec, place: str) -> Product:
        """Return a product that is not one of the space: what its axes give stands instead of the common [set]."""
        given = {column for axis in axes.values() for column in axis.columns} - set(own.set)
        fixed, units = self._fixed(own, place)
        fixed = {name: value for name, value in fixed.items() if name not in given}
        return self._product("", axes, fixed, units, own, place)

    def _add_members(self, fixed: dict[str, Any], units: dict[str, str], tables: dict[str, Any]) -> None:
        """Add what each member of the index sets has of its own, under its name."""
        for index, members in self.spec.index.items():
            for member, own in members.items():
                place = f"index.{index}.{member}"
                for name, value in own.set.items():
                    with _at(f"{place}.set.{name}"):
                        full = member_name(name, member)
                        fixed[full], units[full] = self.fixed_value(name, value)
                for name, table in own.tables.items():
                    tables[member_name(name, member)] = self._table(name, table, f"{place}.tables.{name}")

    def _index_sets(self) -> list[IndexSet]:
        return [
            IndexSet(index, {member: frozenset({*own.set, *own.tables}) for member, own in members.items()})
            for index, members in self.spec.index.items()
        ]

    def _described(self, axes: Mapping[str, Axis]) -> dict[str, Axis]:
        """Return the axes of an alternative without the columns that only describe the parts of several of them.

        Two catalogues may both have a name and a year; as no model declares these, they are not the same quantity.
        """
        counts = Counter(column for axis in axes.values() if axis.is_part for column in axis.columns)
        known = {name for model in self.models for function in model.functions for name in function.gives}
        shared = {c for c, count in counts.items() if count > 1 and c not in known and self.declared(c) is None}
        found = {}
        for name, axis in axes.items():
            if axis.is_part and not shared.isdisjoint(axis.columns):
                kept = {column: values for column, values in axis.columns.items() if column not in shared}
                axis = replace(axis, columns=kept, units={column: axis.units[column] for column in kept})
            found[name] = axis
        return found

    def _refuse_clashes(self, axes: Mapping[str, Axis], fixed: Mapping[str, Any], place: str) -> None:
        origin: dict[str, str] = dict.fromkeys(fixed, "[set]")
        for axis in axes.values():
            for column in axis.columns:
                if column in origin:
                    key = f"{place}.axes.{axis.name}" if place != "space" else f"space.axes.{axis.name}"
                    raise InputError(
                        f"two providers of '{column}': the axis '{axis.name}' and {origin[column]}", key=key
                    )
                origin[column] = f"the axis '{axis.name}'"

    def _fixed(self, alternative: AlternativeSpec, place: str) -> tuple[dict[str, Any], dict[str, str]]:
        fixed: dict[str, Any] = {}
        units: dict[str, str] = {}
        for values, key in ((self.spec.set, "set"), (alternative.set, f"{place}.set")):
            for name, value in values.items():
                with _at(f"{key}.{name}"):
                    fixed[name], units[name] = self.fixed_value(name, value)
        return fixed, units

    def fixed_value(self, name: str, value: Any) -> tuple[Any, str]:
        """Return a value a study fixes, in SI, and its unit."""
        declared = self.declared(name)
        if declared is None:
            if any(name in function.gives for model in self.models for function in model.functions):
                raise InputError(
                    f"'{name}' is computed by the models, so it cannot be set", allowed=sorted(self._known_inputs())
                )
            known = self._known_inputs()
            raise InputError(f"no model has '{name}'", allowed=sorted(known), wrong=name, candidates=known)
        if declared.unit == TEXT:
            return str(value), TEXT
        number = parse_quantity(value, declared.unit)
        check_limits(declared, np.array([number]))
        return number, declared.unit

    def axis(self, name: str, spec: AxisSpec, key: str, *, empty: bool = False) -> Axis:
        """Return an axis that stands under a key of the study; `empty` allows parts without some of their figures."""
        with _at(key):
            if spec.part is not None:
                return self._part(name, spec, empty)
            if spec.enumerate is not None:
                return self._enumerated(name, spec, key, empty)
            unit = self._axis_unit(name, spec)
            axis = self._value_axis(name, spec, unit)
            declared = self.declared(name)
            if declared is not None and unit != TEXT:
                check_limits(declared, axis.columns[name])
            return axis

    def _axis_unit(self, name: str, spec: AxisSpec) -> str:
        declared = self.declared(name)
        if spec.unit is not None:
            from dse.units import base_unit, factor

            with _at("unit"):
                base = declared.unit if declared is not None else base_unit(spec.unit)
                if base != TEXT:
                    factor(spec.unit, base)
            return base
        if declared is not None:
            return declared.unit
        given = [f.gives[name] for model in self.models for f in model.functions if name in f.gives]
        if given:
            return given[0]
        if spec.values is not None and any(isinstance(value, str) for value in spec.values):
            with _at("unit"):
                raise InputError(
                    f"no model declares '{name}', so its unit must be written", allowed='unit = "W", unit = "text", …'
                )
        return "1"

    def _value_axis(self, name: str, spec: AxisSpec, unit: str) -> Axis:
        def united(value: Any) -> Any:
            if spec.unit in (None, TEXT) or isinstance(value, str):
                return value
            return f"{value!r} {spec.unit}"

        if spec.values is not None:
            for position, value in enumerate(spec.values):
                if isinstance(value, bool):
                    raise InputError(f"{value} is not a number", key=f"values[{position}]", allowed="0 or 1")
            if not spec.values:
                raise InputError("the axis has no values", key="values", allowed="at least one value")
            return values_axis(name, [united(value) for value in spec.values], unit)
        if unit == TEXT:
            raise InputError(f"'{name}' is a text", allowed='values = ["…"]')
        if spec.range is not None:
            with _at("range"):
                return range_axis(
                    name,
                    united(spec.range[0]),
                    united(spec.range[1]),
                    united(spec.step) if spec.step is not None else None,
                    unit,
                )
        if spec.powers_of_two is not None:
            with _at("powers_of_two"):
                return powers_of_two_axis(name, united(spec.powers_of_two[0]), united(spec.powers_of_two[1]), unit)
        assert spec.linspace is not None
        with _at("linspace"):
            return linspace_axis(name, united(spec.linspace[0]), united(spec.linspace[1]), spec.linspace[2], unit)

    def _part(self, name: str, spec: AxisSpec, empty: bool) -> Axis:
        assert spec.part is not None
        units = {name: p.unit for model in self.models for name, p in model.parameters.items()}
        units |= {name: a.unit for model in self.models for name, a in model.assumptions.items()}
        columns = {name: Column(unit, optional=True) for name, unit in units.items()}
        table = self._read(spec.part, columns, "part", None, empty)
        if spec.where:
            with _at("where"), _reading():
                table = table.where(**spec.where)
        with _reading():
            axis = part_axis(name, table, spec.label)
        self._refuse_names(axis)
        with _reading():
            try:
                self._check_columns(axis)
            except InputError as error:
                raise error.within(file=table.name) from None
        return axis

    def _enumerated(self, name: str, spec: AxisSpec, key: str, empty: bool) -> Axis:
        assert spec.enumerate is not None
        with _at("enumerate"):
            found = find_enumeration(spec.enumerate, self.models)
        units = {name: item.unit for model in self.models for name, item in model.assumptions.items()}
        units |= {name: item.unit for model in self.models for name, item in model.parameters.items()}
        with _at("given"):
            axis = enumerated_axis(name, found, spec.given, spec.enumerate, units, empty=empty)
        self._refuse_names(axis)
        self._check_columns(axis)
        self.used_enumerations[spec.enumerate] = found.file
        assert axis.enumerated is not None
        self.rows_of[key] = axis.enumerated.sha256
        return axis

    def _refuse_names(self, axis: Axis) -> None:
        """Refuse an axis of parts or shapes that has the name of a quantity."""
        name, kind = axis.name, "part" if axis.enumerated is None else "enumerated"
        for model in self.models:
            for function in model.functions:
                if name in function.gives:
                    raise InputError(
                        f"the {kind} axis has the name of a quantity of the model '{model.name}'",
                        allowed="another name for the axis",
                    )
        if name in axis.columns:
            raise InputError(
                f"the {kind} axis has the name of its column '{name}'", allowed="another name for the axis"
            )

    def _check_columns(self, axis: Axis) -> None:
        for column, values in axis.columns.items():
            declared = self.declared(column)
            if declared is not None and declared.unit != TEXT:
                check_limits(declared, values[~np.isnan(values)])

    # ---- tables -------------------------------------------------------------------------------------------------

    def _table(self, name: str, spec: TableSpec, key: str) -> Any:
        declared = next((m.tables[name] for m in self.models if name in m.tables), None)
        with _at(key):
            if declared is None:
                known = [table for model in self.models for table in model.tables]
                raise InputError(
                    f"no model reads a table '{name}'", allowed=known or "none", wrong=name, candidates=known
                )
            if isinstance(declared, DocumentParameter):
                return self._document(spec, declared)
            table = self._read(spec.file, declared.columns, "file", spec.synthetic)
            if spec.where:
                with _at("where"), _reading():
                    table = table.where(**spec.where)
            return table

    def _document(self, spec: TableSpec, declared: DocumentParameter) -> Any:
        cached = (spec.file, declared.name)
        if cached not in self.tables:
            with _at("file"):
                path = self.find_file(spec.file)
            self.used_files[spec.file] = path
            with _reading():
                self.tables[cached] = declared.read(path)
        document = self.tables[cached]
        if spec.synthetic is not None or (spec.where and not hasattr(document, "where")):
            raise InputError("a document has no rows to choose or to mark", allowed="file alone")
        if spec.where:
            with _at("where"):
                return document.where(**spec.where)
        return document

    def _read(
        self, name: str, columns: Mapping[str, Column], key: str, synthetic: bool | None, empty: bool = False
    ) -> Table:
        cached = (name, tuple(sorted(columns)), synthetic, empty)
        if cached not in self.tables:
            with _at(key):
                path = self.find_file(name)
            self.used_files[name] = path
            with _reading():
                self.tables[cached] = read_table(path, columns=columns, name=name, synthetic=synthetic, empty=empty)
        return self.tables[cached]

    def find_file(self, name: str) -> Path:
        """Return the file of a catalogue or table: beside the study, else among those of the project."""
        relative = Path(name)
        if relative.is_absolute() or ".." in relative.parts or not relative.parts or "\0" in name:
            raise InputError(
                f"'{name}' leaves the folder of the study", allowed="a file inside it, or a catalogue of dse"
            )
        spaces = Path(str(files("dse.spaces")))
        for folder in (self.folder, spaces):
            if (folder / relative).is_file():
                return folder / relative
        ending = relative.suffix if relative.suffix == ".json" else ".csv"
        known = [str(path.relative_to(spaces)) for path in sorted(spaces.rglob(f"*{ending}"))]
        known += [str(path.relative_to(self.folder)) for path in sorted(self.folder.glob(f"*{ending}"))]
        raise InputError(f"no such file '{name}'", allowed=known, wrong=name, candidates=known)

    # ---- systems ------------------------------------------------------------------------------------------------

    def supplied(self, product: Product) -> dict[str, Input]:
        """Return what a product gives its graph."""
        found: dict[str, Input] = {}
        for axis in product.axes:
            for column, unit in axis.units.items():
                if column in axis.columns:
                    doc = self._doc(column)
                    origin = f"axis '{axis.name}'" + (f" of {axis.source}" if axis.is_part else "")
                    found[column] = Input(column, unit, "axis", origin, doc)
        for name in product.fixed:
            found[name] = Input(name, product.fixed_units[name], "set", "set by the study", self._doc(name))
        for name, table in product.tables.items():
            found[name] = Input(name, "table", "table", f"{table.name}: {'; '.join(table.sources)}", self._doc(name))
        return found

    def _doc(self, name: str) -> str:
        declared = self.declared(name)
        if declared is not None:
            return declared.doc
        name = base_name(name)
        return next((m.tables[name].doc for m in self.models if name in m.tables), "")

    def system(
        self,
        product: Product,
        objectives: Sequence[Objective],
        own: AlternativeSpec,
        place: str,
        wanted: Sequence[str] = (),
        missing: MutableMapping[str, str] | None = None,
    ) -> System:
        """Return the graph of a product, with objectives, constraints and what is shown as targets.

        Parameters
        ----------
        product : Product
        objectives : sequence of Objective
        own : AlternativeSpec
            What it was made from, beside what is common.
        place : str
            The key `own` stands under.
        wanted : sequence of str
            Further targets.
        missing : dict of str to str, optional
            Where given, a target that nothing gives is noted here with the reason, and is no error.
        """
        supplied = self.supplied(product)
        models, derived, extra, constraints = self._expressions(product, supplied, missing)
        self._check_components(product, supplied, own, place)
        targets = [
            *((f"objectives[{i}]", o.quantity) for i, o in enumerate(objectives)),
            *((f"also[{i}]", name) for i, name in enumerate(self.spec.also)),
            *((f"constraints[{self.spec.constraints.index(c.text)}]", c.quantity) for c in constraints),
            *((place, name) for name in wanted),
        ]
        names = []
        for key, target in targets:
            try:
                self._resolve([target], supplied, product, models, extra if key.startswith("constraints") else derived)
                names.append(target)
            except InputError as error:  # a slot without a component is no fault of the objective
                if missing is None or not isinstance(error, MissingQuantityError):
                    raise error if error.key else error.within(key=key) from None
                missing.setdefault(target, error.problem)
        graph = self._resolve(names, supplied, product, models, extra)
        graph = self._with_parts(graph, names, supplied, product, models, extra)
        for position, objective in enumerate(objectives):
            if graph.units.get(objective.quantity) in (TEXT, "table"):
                raise InputError(
                    f"'{objective.quantity}' is a text",
                    key=f"objectives[{position}]",
                    allowed="a quantity with a number",
                )
        assumptions = {
            name: item.value
            for model in self.models
            for name, item in model.assumptions.items()
            if name in graph.inputs and graph.inputs[name].kind == "assumption"
        }
        return System(graph, assumptions, tuple(c for c in constraints if c.quantity in graph.units))

    def _expressions(
        self, product: Product, supplied: Mapping[str, Input], missing: MutableMapping[str, str] | None
    ) -> tuple[tuple[Model, ...], tuple[ModelFunction, ...], list[ModelFunction], list[Constraint]]:
        """Return the models, the quantities of the study, these with the constraints, and the constraints."""
        spec = self.spec
        units = {name: a.unit for model in self.models for name, a in model.assumptions.items()}
        units |= {name: unit for model in self.models for f in model.functions for name, unit in f.gives.items()}
        sets = self._index_sets()
        models, _ = expand_models(self.models, (), sets, product.use)
        units |= {name: unit for model in models for f in model.functions for name, unit in f.gives.items()}
        units |= {name: item.unit for name, item in supplied.items() if item.kind != "table"}
        extra: list[ModelFunction] = []
        for name, text in spec.quantities.items():
            with _at(f"quantities.{name}"):
                if name in units:
                    raise InputError(f"two providers of '{name}': the models or axes give it too")
                if _noted(missing, name, text, units):
                    continue
                expression = parse(text, units)
                units[name] = "1" if expression.unit == "bool" else expression.unit
                units |= {member_name(name, member): units[name] for index in sets for member in index.members}
                extra.append(_from_expression(name, expression, units[name]))
        models, extra = expand_models(self.models, extra, sets, product.use)
        derived = tuple(extra)
        constraints = []
        for position, text in enumerate(spec.constraints):
            name = f"constraint_{position}"
            with _at(f"constraints[{position}]"):
                if _noted(missing, name, text, units):
                    continue
                expression = parse(text, units)
                if expression.unit != "bool":
                    raise InputError(f"'{text}' is no condition", allowed="such as 'power <= 20 MW'")
                if not expression.needs:
                    raise InputError(f"'{text}' reads no quantity", allowed="such as 'power <= 20 MW'")
            constraints.append(Constraint(text, name, expression))
            extra.append(_from_expression(name, expression, "1"))
        return models, derived, extra, constraints

    def _check_components(
        self, product: Product, supplied: Mapping[str, Input], own: AlternativeSpec, place: str
    ) -> None:
        """Check the slots and components that are named, with the key they stand under."""
        try:
            self._resolve([], supplied, product, self.models, [])
        except InputError as error:
            if any(f"'{word}'" in error.problem for item in own.use.items() for word in item):
                raise error.within(key=place) from None
            raise

    def _with_parts(
        self,
        graph: Graph,
        names: list[str],
        supplied: Mapping[str, Input],
        product: Product,
        models: Sequence[Model],
        extra: Sequence[ModelFunction],
    ) -> Graph:
        """Return the graph with the parts of its sums and maxima, which breakdowns show though no objective reads them.

        The parts of a published total can stand beside the formula that gives it; a search never computes them.
        """
        parts = dict.fromkeys(part for function in graph.functions for part in (*function.sum_of, *function.max_of))
        for part in parts:
            if part not in graph.units:
                try:
                    graph = self._resolve([*names, part], supplied, product, models, extra)
                    names = [*names, part]
                except InputError:
                    continue  # a part that this study gives no inputs for has no breakdown
        return graph

    def _resolve(
        self,
        targets: list[str],
        supplied: Mapping[str, Input],
        product: Product,
        models: Sequence[Model],
        extra: Sequence[ModelFunction],
    ) -> Graph:
        return resolve(targets, models=models, supplied=supplied, use=product.use, extra=extra)

    def _refuse_unused(self, products: Sequence[Product], systems: Sequence[System]) -> None:
        """Refuse an axis, a fixed value or a table that no quantity of its alternative reads."""
        for product, system in zip(products, systems, strict=True):
            inputs = system.graph.inputs
            place = f"space.alternatives.{product.name}" if product.name else "space"
            for axis in product.axes:
                if not any(column in inputs for column in axis.columns):
                    common = axis.name in self.spec.space.axes
                    key = f"space.axes.{axis.name}" if common else f"{place}.axes.{axis.name}"
                    needed = sorted(name for name in self._known_inputs() if name not in inputs)
                    raise InputError(
                        f"nothing depends on '{axis.name}'",
                        key=key,
                        allowed=_choices(inputs),
                        wrong=axis.name,
                        candidates=[name for name in [*inputs, *needed] if name != axis.name],
                    )
            for name in product.fixed:
                if name not in inputs and not any(name in other.graph.inputs for other in systems):
                    key = f"set.{name}" if name in self.spec.set else f"{place}.set.{name}"
                    key = self._member_key(name, "set") or key
                    raise InputError(
                        f"nothing depends on '{base_name(name)}'",
                        key=key,
                        allowed=_choices(inputs),
                        wrong=name,
                        candidates=set(inputs) - {name},
                    )
            for name in product.tables:
                if name not in inputs and not any(name in other.graph.inputs for other in systems):
                    key = self._member_key(name, "tables") or f"tables.{name}"
                    raise InputError(f"nothing reads the table '{base_name(name)}'", key=key)

    def _member_key(self, name: str, kind: str) -> str | None:
        """Return where a member of an index set says what it has of its own."""
        base, _, member = name.partition("@")
        index = next((index for index, members in self.spec.index.items() if member in members), None)
        return None if index is None else f"index.{index}.{member}.{kind}.{base}"


def _choices(inputs: Mapping[str, Input]) -> list[str]:
    return sorted(name for name, item in inputs.items() if item.kind != "table")


def _system_key(product: Product) -> tuple:
    axes = tuple((axis.name, tuple(axis.units.items()), axis.source) for axis in product.axes)
    tables = tuple((name, table.name, tuple(table.sources)) for name, table in product.tables.items())
    return axes, tuple(product.fixed_units.items()), tables, tuple(sorted(product.use.items()))


def _objective(spec: ObjectiveSpec) -> Objective:
    return Objective(spec.minimize, "min") if spec.minimize is not None else Objective(str(spec.maximize), "max")


def _from_expression(name: str, expression: Expression, unit: str) -> ModelFunction:
    return ModelFunction(
        name=name, function=expression, needs=expression.needs, gives={name: unit}, source=f"study: {expression.text}"
    )


def _noted(missing: MutableMapping[str, str] | None, name: str, text: str, units: Mapping[str, str]) -> bool:
    """Note that an expression reads what is not there, where that is no error."""
    unknown = [need for need in names_in(text) if need not in units] if missing is not None else []
    if missing is not None and unknown:
        missing[name] = f"nothing gives '{unknown[0]}'"
    return bool(unknown)


def check_limits(declared: Parameter | Assumption, values: np.ndarray) -> None:
    """Refuse values outside what the model declares meaningful."""
    unit = "" if declared.unit == "1" else f" {declared.unit}"
    rules = []
    if declared.minimum is not None:
        rules.append((values < declared.minimum, f">= {declared.minimum:g}{unit}"))
    if declared.maximum is not None:
        rules.append((values > declared.maximum, f"<= {declared.maximum:g}{unit}"))
    if declared.above is not None:
        rules.append((values <= declared.above, f"> {declared.above:g}{unit}"))
    if declared.integer:
        rules.append((values != np.round(values), "whole numbers"))
    for wrong, allowed in rules:
        if wrong.any():
            raise InputError(f"'{declared.name}' is {values[wrong][0]:g}{unit}", allowed=allowed)
