"""From the references of a checked study to groups of systems that can be evaluated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dse.errors import InputError
from dse.evaluation.problem import Problem, System
from dse.evaluation.reference_systems import Measured, ReferenceGroup
from dse.space.axes import Axis
from dse.space.design_space import Product
from dse.study.build.alternatives import Alternative
from dse.study.build.building import Builder
from dse.study.file.schema import ReferenceSpec
from dse.units import TEXT, factor, same_dimension

__all__ = ["LARGEST", "build_references"]

LARGEST = 500  # references of a study


def build_references(builder: Builder, problem: Problem) -> tuple[ReferenceGroup, ...]:
    """Build the references of a study.

    Parameters
    ----------
    builder : Builder
        Of the study.
    problem : Problem
        What it built, whose quantities the references are compared in.

    Raises
    ------
    InputError
        Any fault of them, with its key path.
    """
    try:
        groups = []
        remaining = LARGEST
        for name, spec in builder.spec.references.items():
            try:
                groups.append(_Group(builder, problem, name, spec).build(remaining))
            except InputError as error:
                place = f"references.{name}"
                if not (error.key or "").startswith(place):  # a common key, which is no fault of the space
                    error.problem = f"{error.key}: {error.problem}" if error.key else error.problem
                    error.key = place
                raise error.within() from None
            remaining -= groups[-1].product.size
        return _told_apart(groups)
    except InputError as error:
        raise error.within(file=builder.file) from None


def _told_apart(groups: Iterable[ReferenceGroup]) -> tuple[ReferenceGroup, ...]:
    """Return the groups with the name of the group after each label that stands in several."""
    counts = Counter(label for group in groups for label in group.labels)
    named = [
        replace(
            group, labels=tuple(f"{label} ({group.name})" if counts[label] > 1 else label for label in group.labels)
        )
        for group in groups
    ]
    seen: set[str] = set()
    for group in named:
        for label in group.labels:
            if label in seen:
                raise InputError(f"two references are called '{label}'", key=f"references.{group.name}")
            seen.add(label)
    return tuple(named)


@dataclass
class _Group:
    builder: Builder
    problem: Problem
    name: str
    spec: ReferenceSpec

    @property
    def place(self) -> str:
        return f"references.{self.name}"

    def build(self, most: int) -> ReferenceGroup:
        if not self.spec.axes:
            raise InputError("has no axes", key=f"{self.place}.axes", allowed='machine = { part = "machines.csv" }')
        axes = {
            name: self.builder.axes.axis(name, axis, f"{self.place}.axes.{name}", empty=True)
            for name, axis in self.spec.axes.items()
        }
        product = Product("", tuple(axes.values()))
        if product.size > most:
            raise InputError(
                f"has {product.size} systems" + (f", and those before it {LARGEST - most}" if most < LARGEST else ""),
                key=self.place,
                allowed=f"at most {LARGEST} references in all; 'where' chooses rows",
            )
        labels = tuple(self._label(product, number) for number in range(product.size))
        measured = self._measured(axes)
        beside = Alternative("", self.spec, self.place, {})
        product = self.builder.product_beside(
            {name: _without(axis, measured, place) for place, (name, axis) in enumerate(axes.items())}, beside
        )
        missing: dict[str, str] = {}
        shared = self._axes_of_the_space()
        objectives = self.problem.objectives
        wanted = [*dict.fromkeys([*measured, *shared, *self._held_against()])]
        try:
            system = self.builder.systems.system(product, objectives, beside, wanted, missing, self.builder.required)
        except InputError as error:
            for column in (column for axis in product.axes if axis.is_part for column in axis.columns):
                if f"two providers of '{column}'" in error.problem:
                    error.allowed = f'measured = {{ {column} = "{column}" }}, to compare the two'
            raise
        self._refuse_other_units(system)
        if not any(o.quantity in system.graph.units or o.quantity in measured for o in objectives):
            first = objectives[0].quantity
            raise InputError(f"no objective is known of any of them; {first}: {missing[first]}", key=self.place)
        self._refuse_unused(product, system, measured)
        units = system.graph.units
        return ReferenceGroup(
            self.name,
            self.spec.description,
            product,
            system,
            labels,
            measured,
            {name: why for name, why in missing.items() if name not in shared},
            tuple(name for name in shared if name in units),
        )

    def _held_against(self) -> list[str]:
        """Return the quantities by which the systems are held against the frontier."""
        named = (self.spec.law_error, self.spec.system_error, self.spec.doubted)
        left_out = [name for own in self.spec.left_out.values() for name in (own.ratio, own.errors)]
        classes = [own.quantity for own in self.spec.classes.values()]
        return [*self.spec.like, *classes, *left_out, *filter(None, named)]

    def _label(self, product: Product, number: int) -> str:
        """Return the parts a system is made of, and the values that vary; else the name of the group."""
        rows = [number // stride % count for stride, count in zip(product.strides, product.shape, strict=True)]
        pairs = list(zip(product.axes, rows, strict=True))
        parts = [axis.label(row) for axis, row in pairs if axis.is_part]
        varied = [f"{axis.name} {axis.label(row)}" for axis, row in pairs if not axis.is_part and len(axis) > 1]
        return ", ".join([*(parts or [self.name]), *varied])

    def _units(self) -> dict[str, str]:
        """Return the unit of every number of the space."""
        units = {name: unit for system in self.problem.systems for name, unit in system.graph.units.items()}
        return {
            name: unit
            for name, unit in units.items()
            if unit not in (TEXT, "table", "bool") and not name.startswith("constraint_")
        }

    def _measured(self, axes: Mapping[str, Axis]) -> dict[str, Measured]:
        units, measured = self._units(), {}
        for quantity, column in self.spec.measured.items():
            key = f"{self.place}.measured.{quantity}"
            if quantity not in units:
                raise InputError(
                    f"unknown quantity '{quantity}'", key=key, allowed=sorted(units), wrong=quantity, candidates=units
                )
            having = [
                (place, axis) for place, axis in enumerate(axes.values()) if axis.is_part and column in axis.columns
            ]
            known = [name for axis in axes.values() if axis.is_part for name in axis.columns]
            if len(having) != 1:
                raise InputError(
                    f"{'several parts have' if having else 'no part has'} a column '{column}'",
                    key=key,
                    allowed=known or "none, there is no part",
                    wrong=column,
                    candidates=known,
                )
            ((place, axis),) = having
            try:
                if axis.units[column] == TEXT:
                    raise InputError(f"the column '{column}' is a text", allowed="a column of numbers")
                factor(axis.units[column], units[quantity])
            except InputError as error:
                raise error.within(key=key) from None
            measured[quantity] = Measured(column, place, axis.columns[column])
        return measured

    def _axes_of_the_space(self) -> list[str]:
        """Return the axes of the space that are numbers, so that systems of any kind can stand over them in a plot."""
        axes = [axis for product in self.problem.space.products for axis in product.axes if not axis.is_part]
        return list(dict.fromkeys(axis.name for axis in axes if axis.units[axis.name] != TEXT))

    def _refuse_other_units(self, system: System) -> None:
        known = self._units()
        for name, unit in system.graph.units.items():
            if name in known and not same_dimension(unit, known[name]):
                raise InputError(
                    f"unit mismatch for '{name}': here in '{unit}', in the space in '{known[name]}'", key=self.place
                )

    def _refuse_unused(self, product: Product, system: System, measured: Mapping[str, Measured]) -> None:
        inputs = system.graph.inputs
        for place, axis in enumerate(product.axes):
            shown = any(column.axis == place for column in measured.values())
            if not shown and not any(column in inputs for column in axis.columns):
                raise InputError(
                    f"nothing depends on '{axis.name}'",
                    key=f"{self.place}.axes.{axis.name}",
                    wrong=axis.name,
                    candidates=inputs,
                )
        for kind, own in (("set", self.spec.set), ("tables", self.spec.tables)):
            for name in own:
                if name not in inputs:
                    raise InputError(
                        f"nothing depends on '{name}'", key=f"{self.place}.{kind}.{name}", wrong=name, candidates=inputs
                    )


def _without(axis: Axis, measured: Mapping[str, Measured], place: int) -> Axis:
    """Return an axis without its measured columns: they are to be compared with what is computed, not to go into it."""
    taken = {column.column for column in measured.values() if column.axis == place}
    columns = {name: values for name, values in axis.columns.items() if name not in taken}
    return replace(axis, columns=columns, units={name: axis.units[name] for name in columns})
