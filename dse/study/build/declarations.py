"""What the models of a study declare: looked up by the names a study writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dse.authoring.declare.declaration import Assumption, DocumentParameter, Parameter, TableParameter
from dse.authoring.library.library import Model
from dse.errors import InputError
from dse.graph.indexed_names import base_name
from dse.units import TEXT, parse_quantity

__all__ = ["Declarations"]


@dataclass(frozen=True, eq=False)
class Declarations:
    """The declarations of some models. A member of an index set (``work@halo``) has that of its quantity."""

    models: tuple[Model, ...]

    def of_input(self, name: str) -> Parameter | Assumption | None:
        """Return the declaration of a quantity that a study can give."""
        name = base_name(name)
        for model in self.models:
            declared = model.parameters.get(name) or model.assumptions.get(name)
            if declared is not None:
                return declared
        return None

    def signed(self, name: str) -> bool:
        """Tell whether an input may be negative whatever its unit."""
        declared = self.of_input(name)
        return declared is not None and declared.signed

    def of_table(self, name: str) -> TableParameter | DocumentParameter | None:
        """Return the declaration of a table or document."""
        return next((model.tables[name] for model in self.models if name in model.tables), None)

    def doc(self, name: str) -> str:
        """Return what an input or a table is, in words."""
        declared = self.of_input(name)
        if declared is not None:
            return declared.doc
        table = self.of_table(base_name(name))
        return table.doc if table is not None else ""

    def label(self, name: str) -> str:
        """Return what people read instead of the name of a quantity, empty where no model says it."""
        declared = self.of_input(name)
        return (declared.label if declared is not None else "") or self._labels.get(base_name(name), "")

    @cached_property
    def _labels(self) -> dict[str, str]:
        functions = [function for model in self.models for function in model.functions]
        labels: dict[str, str] = {}
        for name, label in [pair for function in functions for pair in function.labels.items()]:
            labels.setdefault(name, label)
        return labels

    @cached_property
    def computed(self) -> dict[str, str]:
        """Units of the quantities that functions give; of several, the first."""
        units: dict[str, str] = {}
        for name, unit, _ in self._given():
            units.setdefault(name, unit)
        return units

    def model_of(self, name: str) -> str | None:
        """Return the name of the first model that computes a quantity."""
        return next((model.name for given, _, model in self._given() if given == name), None)

    def _given(self) -> Iterator[tuple[str, str, Model]]:
        for model in self.models:
            for function in model.functions:
                for name, unit in function.gives.items():
                    yield name, unit, model

    @property
    def inputs(self) -> set[str]:
        """Names of all parameters, assumptions and tables."""
        return {name for model in self.models for name in [*model.parameters, *model.assumptions, *model.tables]}

    @property
    def tables(self) -> list[str]:
        """Names of all tables."""
        return [name for model in self.models for name in model.tables]

    @property
    def units(self) -> dict[str, str]:
        """Units of all parameters and assumptions."""
        units = {name: item.unit for model in self.models for name, item in model.parameters.items()}
        return units | {name: item.unit for model in self.models for name, item in model.assumptions.items()}

    def fixed_value(self, name: str, value: object) -> tuple[float | str, str]:
        """Return a value that a study fixes, in SI, and its unit."""
        declared = self.of_input(name)
        if declared is None:
            known = self.inputs
            if name in self.computed:
                raise InputError(f"'{name}' is computed by the models, so it cannot be set", allowed=sorted(known))
            raise InputError(f"no model has '{name}'", allowed=sorted(known), wrong=name, candidates=known)
        if declared.unit == TEXT:
            return str(value), TEXT
        number = parse_quantity(value, declared.unit)
        declared.check(np.array([number]))
        return number, declared.unit

    def check_columns(self, columns: Mapping[str, np.ndarray]) -> None:
        """Refuse figures of parts outside what the models declare meaningful; missing ones (NaN) are no fault."""
        for name, values in columns.items():
            declared = self.of_input(name)
            if declared is not None and declared.unit != TEXT:
                declared.check(values[~np.isnan(values)])
