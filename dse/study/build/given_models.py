"""The models of a study that are given as objects: modules, models, and functions one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from dse.authoring.library.functions import model_of_functions
from dse.authoring.library.library import Model, model_of
from dse.errors import InputError

__all__ = ["models_of"]


def models_of(
    models: Sequence[object], functions: Sequence[object], inputs: Mapping[str, object], study: str
) -> list[str | Model]:
    """Return the models of a study: names as they are, modules as models, and last that of the functions.

    Parameters
    ----------
    models : sequence of str, module or Model
    functions, inputs
        As of `dse.authoring.library.functions.model_of_functions`.
    study : str
        Name of the study, after which the model of the functions is called.
    """
    if isinstance(models, (str, ModuleType, Model)):
        models = [models]
    named: list[str | Model] = []
    for position, model in enumerate(models):
        if isinstance(model, ModuleType):
            model = model_of(model)
        if not isinstance(model, (str, Model)):
            raise InputError(
                f"{model!r} is no model",
                key=f"models[{position}]",
                allowed="the name of a model, a Python file, a module; functions=[…] for functions",
            )
        named.append(model)
    if functions or inputs:
        if not isinstance(functions, Sequence) or isinstance(functions, str):
            functions = [functions]
        taken = {model if isinstance(model, str) else model.name for model in named}
        name = f"{study}.py" if f"{study}.py" not in taken else f"{study}-functions.py"
        named.append(model_of_functions(name, functions, inputs, f"The functions of the study {study}."))
    return named
