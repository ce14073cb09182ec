"""The configurations of a table of measurements, and what the models of a study give for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dse.analysis.explain.explain import explain_values
from dse.analysis.explain.explanation import Breakdown
from dse.analysis.measured.columns import ALTERNATIVE, SLOT, number_of
from dse.analysis.measured.file import MeasuredFile
from dse.errors import InputError, ModelError
from dse.evaluation.problem import Problem, System
from dse.evaluation.product_evaluator import flat_inputs
from dse.space.axes import Axis, values_axis
from dse.study.study import Study
from dse.units import TEXT

__all__ = ["Computed", "Configuration", "Configurations"]

_CHUNK = 4_096  # configurations that are evaluated at once, with all their quantities


@dataclass(frozen=True)
class Configuration:
    """What one row sets.

    Attributes
    ----------
    product : int
        Which alternative.
    use : tuple of (str, str)
        Slots and their components, where they are not those of the study.
    inputs : dict of str to float or str
        What the row sets: SI, texts, names of parts.
    outside : tuple of str
        Axes whose value the space does not have.
    """

    product: int
    use: tuple[tuple[str, str], ...]
    inputs: dict[str, float | str]
    outside: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal for rows that set the same."""
        return self.product, self.use, tuple(sorted(self.inputs.items()))


@dataclass(frozen=True)
class Computed:
    """What the models give for a configuration: quantities in SI, what is extrapolated, limits it breaks, or why none.

    `values` has those that were measured; empty where `reason` says why nothing was computed.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    extrapolated: Sequence[str] = ()
    broken: Sequence[str] = ()
    reason: str = ""


class Configurations:
    """The configurations of a table.

    Parameters
    ----------
    study : Study
        Whose graphs give all quantities that are compared.
    table : MeasuredFile
    given : sequence of str
        The columns that set something.
    wanted : collection of str
        The quantities that are kept.
    """

    def __init__(self, study: Study, table: MeasuredFile, given: Sequence[str], wanted: Collection[str]) -> None:
        self.study, self.table, self.given, self.wanted = study, table, list(given), set(wanted)
        self._read: dict[tuple[int, str, object], tuple[float | str, bool]] = {}
        self._whole: dict[tuple[int, str], Axis] = {}
        self._studies: dict[tuple[tuple[str, str], ...], Study] = {(): study}

    def row(self, row: int) -> Configuration | str:
        """Return what a row sets, or why the models have no such configuration.

        Raises
        ------
        InputError
            A value that cannot be read, an axis without a value, an unknown part, component or alternative.
        """
        texts = {name: self.table.cells[name][row] for name in self.given}
        cells = {name: cell for name, cell in texts.items() if cell is not None}
        product, use = self._alternative(row, cells)
        axes = {axis.name: axis for axis in self.study.space.products[product].axes}
        system = self._system(use, product)
        inputs: dict[str, float | str] = {
            name: str(cell) for name, cell in cells.items() if name in self._choosing or name.startswith(SLOT)
        }
        outside = []
        for name, axis in axes.items():
            if name not in cells:
                if len(axis) > 1:
                    labels = [axis.label(place) for place in range(len(axis))]
                    raise self._at(row, name, InputError(f"the axis '{name}' has no value", allowed=labels))
                continue
            try:
                known = (product, name, cells[name])
                if known not in self._read:
                    self._read[known] = self._on_axis(product, axis, cells[name])
                inputs[name], inside = self._read[known]
            except InputError as error:
                if axis.enumerated is not None:
                    return str(error.problem)
                raise self._at(row, name, error) from None
            if not inside:
                outside.append(name)
        columns = {column for axis in axes.values() if axis.is_part for column in axis.columns}
        for name, cell in cells.items():
            if name in inputs or name in axes:
                continue
            try:
                inputs[name] = self._input(system, name, cell, columns)
            except InputError as error:
                raise self._at(row, name, error) from None
        return Configuration(product, use, inputs, tuple(outside))

    def computed(self, configurations: Sequence[Configuration]) -> list[Computed]:
        """Return what the models give for each configuration; those of one graph are evaluated together."""
        answers: list[Computed] = [Computed()] * len(configurations)
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, configuration in enumerate(configurations):
            groups.setdefault(
                (configuration.product, configuration.use, tuple(sorted(configuration.inputs))), []
            ).append(place)
        for places in groups.values():
            for begin in range(0, len(places), _CHUNK):
                chunk = places[begin : begin + _CHUNK]
                for place, computed in zip(
                    chunk, self._together([configurations[place] for place in chunk]), strict=True
                ):
                    answers[place] = computed
        return answers

    def breakdowns(self, configuration: Configuration) -> list[Breakdown]:
        """Return every quantity of a configuration that is the sum of others, with its parts, largest first."""
        problem, values, _ = self._arrays([configuration])
        values_of_design = {
            name: _plain(array.reshape(-1)[0]) for name, array in values.items() if isinstance(array, np.ndarray)
        }
        return explain_values(problem, values_of_design, problem.space.products[configuration.product].name)[0]

    # ---- what a row sets ---------------------------------------------------------------------------------------------

    @cached_property
    def _choosing(self) -> set[str]:
        return {ALTERNATIVE, *self.study.spec.space.choices}

    def _alternative(self, row: int, cells: Mapping[str, object]) -> tuple[int, tuple[tuple[str, str], ...]]:
        """Return the product a row means, and the components of slots that choose no product."""
        products = self.study.space.products
        remaining = list(range(len(products)))
        asked = {name: str(cell) for name, cell in cells.items() if name in self._choosing or name.startswith(SLOT)}
        use: list[tuple[str, str]] = []
        for name, wanted in asked.items():
            having = [self._kind(name, place) for place in range(len(products))]
            slot = name.removeprefix(SLOT)
            own = name.startswith(SLOT) and len({kind for kind in having if kind is not None}) < 2
            if own:
                self._refuse_component(row, name, slot, wanted)
                if any(kind != wanted for kind in having):
                    use.append((slot, wanted))
                continue
            kinds = list(dict.fromkeys(kind for kind in having if kind))
            if wanted not in kinds:
                fault = InputError(f"there is no '{wanted}'", allowed=kinds, wrong=wanted, candidates=kinds)
                raise self._at(row, name, fault)
            remaining = [place for place in remaining if having[place] == wanted]
        if len(remaining) != 1:
            reason = f"no alternative has {asked}" if not remaining else "the space has several alternatives"
            names = [products[place].name for place in remaining] or [product.name for product in products]
            raise self._at(row, ALTERNATIVE, InputError(reason, allowed=names))
        return remaining[0], tuple(sorted(use))

    def _kind(self, name: str, place: int) -> str | None:
        product = self.study.space.products[place]
        if name == ALTERNATIVE:
            return product.name
        if name.startswith(SLOT):
            chosen = self.study.compiled.systems[place].graph.slots.get(name.removeprefix(SLOT))
            return chosen[0] if chosen is not None else None
        return self._members[product.name].get(name)

    @cached_property
    def _members(self) -> dict[str, dict[str, str]]:
        from dse.analysis.choose.best_design import kinds_of

        return kinds_of(self.study)

    def _refuse_component(self, row: int, name: str, slot: str, wanted: str) -> None:
        functions = (function for model in self.study.models for function in model.functions if function.slot == slot)
        known = sorted({str(function.provider) for function in functions})
        if wanted not in known:
            fault = InputError(f"the slot has no component '{wanted}'", allowed=known, wrong=wanted, candidates=known)
            raise self._at(row, name, fault)

    def _on_axis(self, product: int, axis: Axis, cell: object) -> tuple[float | str, bool]:
        """Return a value of an axis, and whether the space has it."""
        if axis.is_part:
            text = f"{cell:.12g}" if isinstance(cell, float) else str(cell)
            whole = self._all_rows(product, axis)
            label = whole.label(whole.row_of(text))
            return label, label in (axis.labels or ())
        unit = axis.units[axis.name]
        if unit == TEXT:
            return str(cell), str(cell) in axis.columns[axis.name]
        assert isinstance(cell, (str, float))
        value, _ = number_of(cell, unit, self.table.units[axis.name])
        same = axis.columns[axis.name][np.isclose(axis.columns[axis.name], value, rtol=1e-12, atol=0.0)]
        return (float(same[0]), True) if len(same) else (value, False)

    def _all_rows(self, product: int, axis: Axis) -> Axis:
        """Return a part axis with the rows that the study leaves out, too."""
        known = (product, axis.name)
        if known not in self._whole:
            builder = self.study.builder
            spec = builder.alternatives[product].own.axes.get(axis.name) or builder.spec.space.axes[axis.name]
            every = spec.model_copy(update={"only": None, "without": []})
            self._whole[known] = builder.axes.axis(axis.name, every, f"space.axes.{axis.name}")
        return self._whole[known]

    def _input(self, system: System, name: str, cell: object, columns: set[str]) -> float | str:
        if name in columns:
            raise InputError(f"'{name}' comes with a part", allowed="the part instead")
        if name not in system.graph.inputs:
            known = [input_name for input_name, item in system.graph.inputs.items() if item.kind != "table"]
            raise InputError(f"'{name}' has no effect here", allowed="an empty cell", wrong=name, candidates=known)
        unit = system.graph.inputs[name].unit
        if unit == TEXT:
            return str(cell)
        assert isinstance(cell, (str, float))
        return number_of(cell, unit, self.table.units[name])[0]

    def _at(self, row: int, name: str, error: InputError) -> InputError:
        error.key = None
        return error.within(file=self.table.name, key=f"{self.table.places[row]}, {name}")

    # ---- what the models give ----------------------------------------------------------------------------------------

    def _with(self, use: tuple[tuple[str, str], ...]) -> Study:
        if use not in self._studies:
            document = self.study.document
            self._studies[use] = self.study.edited(use={**dict(document.get("use", {})), **dict(use)})
        return self._studies[use]

    def _system(self, use: tuple[tuple[str, str], ...], product: int) -> System:
        return self._with(use).compiled.systems[product]

    def _together(self, group: Sequence[Configuration]) -> list[Computed]:
        """Evaluate configurations of one graph; where that fails, those in which it does not."""
        try:
            return self._evaluated(group)
        except (InputError, ModelError) as error:
            if len(group) == 1:
                return [Computed(reason=str(error))]
            half = len(group) // 2
            return [*self._together(group[:half]), *self._together(group[half:])]

    def _evaluated(self, group: Sequence[Configuration]) -> list[Computed]:
        problem, values, system = self._arrays(group)
        outside = problem.outside_validity(group[0].product, values, len(group))
        names = {constraint.text: constraint.quantity for constraint in system.constraints}
        kept = self.wanted | set(names.values())
        columns = {
            name: np.broadcast_to(value.reshape(-1), len(group))
            for name, value in values.items()
            if name in kept and isinstance(value, np.ndarray)
        }
        return [
            Computed(
                {name: _plain(columns[name][place]) for name in self.wanted & columns.keys()},
                outside.of(place),
                [text for text, quantity in names.items() if not columns[quantity][place]],
            )
            for place in range(len(group))
        ]

    def _arrays(self, group: Sequence[Configuration]) -> tuple[Problem, dict[str, object], System]:
        """Evaluate every quantity of configurations of one graph."""
        study = self._with(group[0].use)
        problem = study.compiled
        product, system = problem.space.products[group[0].product], problem.systems[group[0].product]
        axes = [self._chosen(group, axis) for axis in product.axes]
        set_: dict[str, np.ndarray] = {}
        own = {axis.name for axis in product.axes}
        for name in group[0].inputs:
            if name in system.graph.inputs and name not in own:
                given = [configuration.inputs[name] for configuration in group]
                declared = study.declarations.of_input(name)
                if declared is not None and declared.unit != TEXT:
                    declared.check(np.array(given, dtype=float))
                set_[name] = np.array(given, dtype=object if isinstance(given[0], str) else float)
        here = replace(product, axes=tuple(axis for axis, _ in axes))
        inputs = flat_inputs(system.graph, here, system.assumptions, [rows for _, rows in axes])
        with np.errstate(all="ignore"):
            return problem, system.graph.evaluate({**inputs, **set_}), system

    def _chosen(self, group: Sequence[Configuration], axis: Axis) -> tuple[Axis, np.ndarray]:
        """Return an axis that has the values of all configurations, and the row of each."""
        if axis.name not in group[0].inputs:
            return axis, np.zeros(len(group), dtype=np.int64)
        values = [configuration.inputs[axis.name] for configuration in group]
        if axis.is_part:
            whole = self._all_rows(group[0].product, axis)
            place = {label: row for row, label in enumerate(whole.labels or ())}
            return whole, np.array([place[str(value)] for value in values], dtype=np.int64)
        unit = axis.units[axis.name]
        distinct = list(dict.fromkeys(values))
        if unit == TEXT:
            made = values_axis(axis.name, distinct, unit)
        else:
            column = np.array(distinct, dtype=float)
            declared = self.study.declarations.of_input(axis.name)
            if declared is not None:
                declared.check(column)
            made = Axis(axis.name, {axis.name: column}, axis.units, "the table")
        row_of = {value: row for row, value in enumerate(distinct)}
        return made, np.array([row_of[value] for value in values], dtype=np.int64)


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value
