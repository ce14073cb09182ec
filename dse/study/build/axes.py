"""From the axes of a study to axes in SI: values united with their unit, parts of catalogues, enumerated shapes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from dse.authoring.declare.declaration import Column
from dse.authoring.library.library import find_enumeration
from dse.authoring.table_join import joined
from dse.errors import InputError
from dse.space.axes import Axis, enumerated_axis, linspace_axis, part_axis, powers_of_two_axis, range_axis, values_axis
from dse.study.build.declarations import Declarations
from dse.study.build.files import StudyFiles
from dse.study.build.places import at, reading
from dse.study.file.schema import AxisSpec
from dse.units import TEXT, base_unit, factor, parse_quantity

__all__ = ["AxisMaker", "rows_of_part"]


@dataclass
class AxisMaker:
    """Makes the axes of a study.

    Attributes
    ----------
    declarations : Declarations
    files : StudyFiles
    used_enumerations : dict of str to Path
        The files of the enumerations in use, by the names the study writes.
    rows_of : dict of str to str
        Hash of the rows of each enumerated axis, by its key.
    """

    declarations: Declarations
    files: StudyFiles
    used_enumerations: dict[str, Path] = field(default_factory=dict)
    rows_of: dict[str, str] = field(default_factory=dict)

    def axis(self, name: str, spec: AxisSpec, key: str, *, empty: bool = False) -> Axis:
        """Return an axis that stands under a key of the study; `empty` allows parts without some of their figures."""
        with at(key):
            return _chosen(self._whole(name, spec, key, empty), spec)

    def _whole(self, name: str, spec: AxisSpec, key: str, empty: bool) -> Axis:
        """Return an axis with all its rows."""
        if spec.part is not None:
            return self._of_parts(name, spec, empty)
        if spec.enumerate is not None:
            return self._of_shapes(name, spec, key, empty)
        unit = self._unit(name, spec)
        axis = _of_values(name, _united(spec), unit)
        declared = self.declarations.of_input(name)
        if declared is not None and unit != TEXT:
            declared.check(axis.columns[name])
        return axis

    def _unit(self, name: str, spec: AxisSpec) -> str:
        """Return the SI unit of an axis of values."""
        declared = self.declarations.of_input(name)
        if spec.unit is not None:
            with at("unit"):
                base = declared.unit if declared is not None else base_unit(spec.unit)
                if base != TEXT:
                    factor(spec.unit, base)
            return base
        if declared is not None:
            return declared.unit
        if name in self.declarations.computed:
            return self.declarations.computed[name]
        if spec.values is not None and any(isinstance(value, str) for value in spec.values):
            with at("unit"):
                raise InputError(
                    f"no model declares '{name}', so its unit must be written", allowed='unit = "W", unit = "text", …'
                )
        return "1"

    def _of_parts(self, name: str, spec: AxisSpec, empty: bool) -> Axis:
        assert spec.part is not None
        columns = {name: Column(unit, optional=True) for name, unit in self.declarations.units.items()}
        table = self.files.catalogue(spec.part, columns, "part", None, empty=empty)
        if spec.where:
            with at("where"), reading():
                table = table.where(**spec.where)
        for column, catalogue in spec.join.items():
            with at(f"join.{column}"):
                other = self.files.catalogue(catalogue, columns, f"join.{column}", None, empty=empty)
                table = joined(table, column, other)
        with reading():
            axis = part_axis(name, table, spec.label)
        if spec.join:
            (column,) = spec.join
            axis = replace(axis, joined=column, parts=tuple(str(part) for part in table[column]))
        self._refuse_names(axis)
        with reading():
            try:
                self.declarations.check_columns(axis.columns)
            except InputError as error:
                raise error.within(file=table.name) from None
        return self._with_numbers(axis, spec) if spec.set else axis

    def _with_numbers(self, axis: Axis, spec: AxisSpec) -> Axis:
        """Return an axis of parts with the numbers that the study gives some rows instead of the catalogue's."""
        columns, sources = dict(axis.columns), list(axis.sources)
        numbers = [name for name in axis.columns if axis.units.get(name) != TEXT]
        for column, given in spec.set.items():
            with at(f"set.{column}"):
                if column not in numbers:
                    raise InputError(
                        f"no part has a number '{column}'", allowed=numbers, wrong=column, candidates=numbers
                    )
                values = columns[column].copy()
                for label, value in given.items():
                    rows = rows_of_part(axis, label)
                    with at(label):
                        values[rows] = parse_quantity(value, axis.units[column])
                        declared = self.declarations.of_input(column)
                        if declared is not None:
                            declared.check(values[rows])
                    for row in rows:
                        sources[row] += f"; {column} set by the study"
                columns[column] = values
        return replace(axis, columns=columns, sources=tuple(sources))

    def _of_shapes(self, name: str, spec: AxisSpec, key: str, empty: bool) -> Axis:
        assert spec.enumerate is not None
        with at("enumerate"):
            enumeration = find_enumeration(spec.enumerate, self.declarations.models)
        with at("given"):
            axis = enumerated_axis(name, enumeration, spec.given, spec.enumerate, self.declarations.units, empty=empty)
        self._refuse_names(axis)
        self.declarations.check_columns(axis.columns)
        self.used_enumerations[spec.enumerate] = enumeration.file
        assert axis.enumerated is not None
        self.rows_of[key] = axis.enumerated.sha256
        return axis

    def _refuse_names(self, axis: Axis) -> None:
        """Refuse an axis of parts or shapes that has the name of a quantity."""
        name, kind = axis.name, "part" if axis.enumerated is None else "enumerated"
        model = self.declarations.model_of(name)
        if model is not None:
            problem = f"the {kind} axis has the name of a quantity of the model '{model}'"
        elif name in axis.columns:
            problem = f"the {kind} axis has the name of its column '{name}'"
        else:
            return
        raise InputError(problem, allowed="another name for the axis")


def rows_of_part(axis: Axis, label: str) -> list[int]:
    """Return the rows of an axis of parts that are called so, by their own name or that of the part they are joined to.

    Raises
    ------
    InputError
        None is.
    """
    own = [row for row in range(len(axis)) if axis.label(row) == label]
    if rows := own or [row for row, part in enumerate(axis.parts) if part == label]:
        return rows
    known = list(dict.fromkeys([*(axis.label(row) for row in range(len(axis))), *axis.parts]))
    raise InputError(f"there is no part '{label}'", allowed=known, wrong=label, candidates=known)


def _chosen(axis: Axis, spec: AxisSpec) -> Axis:
    """Return the axis with the rows that `only` keeps and `without` does not leave out."""
    if spec.only is None and not spec.without:
        return axis
    rows: dict[str, list[int]] = {"only": [], "without": []}
    for key, values in (("only", spec.only or []), ("without", spec.without)):
        for position, value in enumerate(values):
            with at(f"{key}[{position}]"):
                row = axis.row_of(value if axis.is_part else _with_unit(value, spec.unit))
                if row in rows[key]:
                    raise InputError(f"'{axis.label(row)}' stands twice", allowed="each value once")
                rows[key].append(row)
    kept = [row for row in (sorted(rows["only"]) if spec.only else range(len(axis))) if row not in rows["without"]]
    if not kept:
        raise InputError("nothing is left of the axis", key="without", allowed="to leave at least one value")
    return axis.with_rows(kept)


def _with_unit(value: object, unit: str | None) -> object:
    """Return a bare number with the unit of its axis behind it."""
    bare = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value!r} {unit}" if bare and unit not in (None, TEXT) else value


def _united(spec: AxisSpec) -> AxisSpec:
    """Return the axis with its unit written behind each bare number."""

    def united(value: object) -> object:
        return _with_unit(value, spec.unit)

    if spec.unit in (None, TEXT):
        return spec
    changes: dict[str, object] = {}
    if spec.values is not None:
        changes["values"] = [united(value) for value in spec.values]
    for kind, ends in (("range", spec.range), ("powers_of_two", spec.powers_of_two)):
        if ends is not None:
            changes[kind] = tuple(united(value) for value in ends)
    if spec.step is not None:
        changes["step"] = united(spec.step)
    if spec.linspace is not None:
        changes["linspace"] = (united(spec.linspace[0]), united(spec.linspace[1]), spec.linspace[2])
    return spec.model_copy(update=changes)


def _of_values(name: str, spec: AxisSpec, unit: str) -> Axis:
    """Return an axis of values whose units are written, by its kind."""
    if spec.values is not None:
        for position, value in enumerate(spec.values):
            if isinstance(value, bool):
                raise InputError(f"{value} is not a number", key=f"values[{position}]", allowed="0 or 1")
        if not spec.values:
            raise InputError("the axis has no values", key="values", allowed="at least one value")
        return values_axis(name, spec.values, unit)
    if unit == TEXT:
        raise InputError(f"'{name}' is a text", allowed='values = ["…"]')
    if spec.range is not None:
        with at("range"):
            return range_axis(name, *spec.range, spec.step, unit)
    if spec.powers_of_two is not None:
        with at("powers_of_two"):
            return powers_of_two_axis(name, *spec.powers_of_two, unit)
    assert spec.linspace is not None
    with at("linspace"):
        return linspace_axis(name, *spec.linspace, unit)
