"""Functions given one by one, such as those of a notebook cell, as a model."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dse.authoring.declare.declaration import Assumption, ModelFunction, Parameter, TableParameter, named
from dse.authoring.declare.requirement import Requirement
from dse.authoring.library.library import Model
from dse.authoring.library.source_text import source_text
from dse.errors import InputError

__all__ = ["FunctionsModel", "Input", "model_of_functions"]

Input = Parameter | Assumption | TableParameter
"""What a function reads that a study gives."""


@dataclass(frozen=True, eq=False)
class FunctionsModel(Model):
    """A model of functions that were given as objects.

    Attributes
    ----------
    declared : dict of str to declaration
        Functions, inputs and requirements, by the name each has in the file they would be written to.
    """

    declared: Mapping[str, ModelFunction | Input | Requirement] = field(default_factory=dict)
    _unknown: str = field(default_factory=lambda: secrets.token_hex(32))

    @property
    def text(self) -> str:
        """The text of a file that declares the same.

        Raises
        ------
        InputError
            It cannot be had, or uses what cannot be written.
        """
        return source_text(self.declared, self.doc)

    @property
    def text_or_nothing(self) -> str:
        """The text, empty where it cannot be had."""
        try:
            return self.text
        except InputError:
            return ""

    @property
    def sha256(self) -> str:
        """Hash of the text, which is that of the file it may be written to.

        Where there is no text nobody could tell whether the functions are the same again: it is one that no other model
        has.
        """
        text = self.text_or_nothing
        return hashlib.sha256(text.encode()).hexdigest() if text else self._unknown


def model_of_functions(
    name: str, functions: Sequence[object], inputs: Mapping[str, object], doc: str = ""
) -> FunctionsModel:
    """Make a model of functions.

    Parameters
    ----------
    name : str
        The file it may be written to: ``mine.py``.
    functions : sequence of ModelFunction or Requirement
        Under `quantity` or `quantities`. Inputs they read are found by their names where the functions were defined.
    inputs : dict of str to Parameter, Assumption or TableParameter
        Further ones, or others, by name.
    doc : str
        What the model is, in one line.

    Raises
    ------
    InputError
        An entry of another kind, two functions of a name.
    """
    home = name.removesuffix(".py")
    declared: dict[str, ModelFunction | Input | Requirement] = {}
    for position, item in enumerate(functions):
        key = f"functions[{position}]"
        if isinstance(item, Requirement):
            attribute = item.name or f"requirement_{position}"
            item = named(item, attribute, home)
        elif isinstance(item, ModelFunction):
            attribute = item.name
        else:
            raise _of_another_kind(item, key)
        if attribute in declared:
            raise InputError(f"'{attribute}' stands twice", key=key, allowed="one function of a name")
        declared[attribute] = item
    given = [item for item in declared.values() if isinstance(item, ModelFunction)]
    declared_inputs = {name: item for function in given for name, item in _inputs_of(function).items()} | _checked(
        inputs
    )
    for attribute in declared_inputs:
        if attribute in declared:
            raise InputError(f"'{attribute}' is the name of a function too", key=f"inputs.{attribute}")
    inputs_named = {name: named(item, name, home) for name, item in declared_inputs.items()}
    return FunctionsModel(
        name,
        doc,
        tuple(_of_module(item, home) for item in given),
        {name: item for name, item in inputs_named.items() if isinstance(item, Parameter)},
        {name: item for name, item in inputs_named.items() if isinstance(item, Assumption)},
        {name: item for name, item in inputs_named.items() if isinstance(item, TableParameter)},
        (),
        requirements={item.name: item for item in declared.values() if isinstance(item, Requirement)},
        declared={**declared_inputs, **declared},
    )


def _of_module(function: ModelFunction, home: str) -> ModelFunction:
    return replace(function, module=home)


def _inputs_of(function: ModelFunction) -> dict[str, Input]:
    """Return the inputs a function reads, as they are declared where it was defined."""
    around = function.function.__globals__
    return {name: around[name] for name in function.needs if isinstance(around.get(name), Input)}


def _checked(inputs: Mapping[str, object]) -> dict[str, Input]:
    checked: dict[str, Input] = {}
    for name, item in inputs.items():
        if not isinstance(item, Input):
            raise InputError(
                f"{type(item).__name__} is no input", key=f"inputs.{name}", allowed="parameter(…), assumption(…)"
            )
        if not name.isidentifier():
            raise InputError(f"'{name}' is no name of a quantity", key="inputs", allowed="letters, digits and '_'")
        checked[name] = item
    return checked


def _of_another_kind(item: object, key: str) -> InputError:
    if isinstance(item, Input):
        return InputError(f"{type(item).__name__} is no function", key=key, allowed="inputs={'name': …} for inputs")
    if callable(item):
        called = getattr(item, "__name__", type(item).__name__)
        marked = '@quantity(unit="…", source="…") above it'
        return InputError(f"'{called}' is not marked as a quantity", key=key, allowed=marked)
    return InputError(f"{item!r} is no function", key=key, allowed="functions under @quantity or @quantities")
