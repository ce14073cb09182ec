"""The models a study can name: those that come with the project, installed packages, and a user's own Python files."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from dse.authoring.declare.declaration import (
    Assumption,
    DocumentParameter,
    ModelFunction,
    Parameter,
    TableParameter,
    named,
    quantities,
    quantity,
)
from dse.authoring.declare.enumerations import Enumeration, enumeration
from dse.authoring.declare.requirement import Requirement, requirement
from dse.authoring.houses import LIBRARY, families, label_of, module_of
from dse.authoring.library.inside import refuse_outside
from dse.authoring.library.listing import available_models
from dse.authoring.library.model_files import digest_of, is_aside, sources_of
from dse.authoring.picture import Picture, picture
from dse.authoring.watch.faults import line_in
from dse.errors import InputError, ModelError, one_of

__all__ = [
    "Model",
    "enumerations_with",
    "find_enumeration",
    "library_models",
    "load_model",
    "model_of",
    "models_giving",
]

_MOST_NAMED = 40  # all models of the library, which a list of choices would cut short


@dataclass(frozen=True, eq=False)
class Model:
    """A module's model functions, parameters, assumptions, tables, enumerations and requirements, and its pictures."""

    name: str
    doc: str
    functions: tuple[ModelFunction, ...]
    parameters: dict[str, Parameter]
    assumptions: dict[str, Assumption]
    tables: dict[str, TableParameter | DocumentParameter]
    files: tuple[Path, ...]
    pictures: tuple[Picture, ...] = ()
    enumerations: dict[str, Enumeration] = field(default_factory=dict)
    requirements: dict[str, Requirement] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of the source files, so that a run can tell whether a model changed."""
        return digest_of(self.files)

    def with_functions(self, *functions: ModelFunction) -> Model:
        """Return the model with functions in place of those of the same name, and beside the others."""
        names = {function.name for function in functions}
        kept = (function for function in self.functions if function.name not in names)
        return replace(self, functions=(*kept, *functions))


def model_of(module: ModuleType, name: str | None = None) -> Model:
    """Collect the declarations in a module's namespace."""
    label = name or label_of(module.__name__)
    home = label.removesuffix(".py") if label.endswith(".py") else module.__name__
    functions: dict[int, ModelFunction] = {}
    parameters: dict[str, Parameter] = {}
    assumptions: dict[str, Assumption] = {}
    tables: dict[str, TableParameter | DocumentParameter] = {}
    pictures: dict[int, Picture] = {}
    enumerations: dict[str, Enumeration] = {}
    requirements: dict[str, Requirement] = {}
    for attribute, item in vars(module).items():
        if isinstance(item, ModelFunction):
            functions[id(item)] = replace(item, module=home) if item.module == module.__name__ != home else item
        elif isinstance(item, Picture):
            pictures[id(item)] = replace(item, module=home) if item.module == module.__name__ != home else item
        elif isinstance(item, Parameter):
            parameters[attribute] = named(item, attribute, home)
        elif isinstance(item, Assumption):
            assumptions[attribute] = named(item, attribute, home)
        elif isinstance(item, (TableParameter, DocumentParameter)):
            tables[attribute] = named(item, attribute, home)
        elif isinstance(item, Requirement):
            item = named(item, item.name or attribute, home)
            if requirements.setdefault(item.name, item).condition != item.condition:
                raise ModelError(f"{home} has two requirements '{item.name}'")
        elif isinstance(item, Enumeration):
            enumerations[attribute] = replace(item, module=home) if item.module == module.__name__ != home else item
    doc = (module.__doc__ or "").strip()
    given = (tuple(functions.values()), parameters, assumptions, tables)
    return Model(label, doc, *given, tuple(_files(module)), tuple(pictures.values()), enumerations, requirements)


def load_model(name: str, folder: Path | None = None, code: Mapping[str, str] | None = None) -> Model:
    """Load a model by name.

    Parameters
    ----------
    name : str
        A model of the library ("hybrid"), a Python file ("my_models.py", relative to `folder`) or an entry point of
        group ``dse.models``. No other module is imported, whatever its name: a study would run any that is installed.
    folder : Path, optional
        Where the study file stands.
    code : dict of str to str, optional
        The Python files that may be run, each with its SHA-256. Default: any.
    """
    if name.endswith(".py"):
        path = (folder or Path()) / name
        if folder is not None and path.is_file():
            refuse_outside(path, name, folder)
        return _from_file(path, name, code)
    if all(part.isidentifier() for part in name.split(".")):
        inside = module_of(name)
        if inside is not None and not is_aside(name) and _exists(inside):
            return _checked(model_of(importlib.import_module(inside), name))
        for entry in entry_points(group="dse.models"):
            if entry.name == name:
                return _checked(model_of(entry.load(), name))
    known = available_models()
    raise InputError(f"unknown model '{name}'", allowed=one_of(known, limit=_MOST_NAMED), wrong=name, candidates=known)


def models_giving(names: Iterable[str], besides: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the models of the library that compute some quantities, by quantity. It loads them all.

    A module of a family is named where the family itself does not compute it. Components count that a slot has without
    being asked for: another one would first have to be chosen.
    """
    giving: dict[str, list[str]] = {}
    wanted = set(names)
    for names_of in (library_models, _modules_alone):
        remaining = wanted - set(giving)
        for model in names_of() if remaining else ():
            if _joins_others(model):
                continue
            with_default = {function.slot for function in model.functions if function.default}
            active = (f for f in model.functions if f.default or f.slot is None or f.slot not in with_default)
            given = {name for function in active for name in function.gives}
            for name in remaining & given if {model.name, model.name.partition(".")[0]}.isdisjoint(besides) else ():
                giving.setdefault(name, []).append(model.name)
    return giving


def _joins_others(model: Model) -> bool:
    """Tell whether a model hands on what other families give: it is no advice for one quantity of theirs."""
    own, known = model.name.partition(".")[0], families()
    return any((family := f.module.partition(".")[0]) != own and family in known for f in model.functions)


def library_models() -> Iterator[Model]:
    """Yield the models that come with the project, as `dse.authoring.library.listing` lists them."""
    for family in families().values():
        model = model_of(importlib.import_module(family))
        if model.functions:
            yield model
            continue
        for module in _modules(family):
            model = model_of(importlib.import_module(module))
            if model.functions:
                yield model


def _modules_alone() -> Iterator[Model]:
    """Yield the modules of families that a study may name, each with what is its own."""
    for family in families().values():
        if _joins_others(model_of(importlib.import_module(family))):
            continue
        for module in _modules(family):
            model = model_of(importlib.import_module(module))
            yield replace(model, functions=tuple(f for f in model.functions if f.module == model.name))


def find_enumeration(name: str, models: Sequence[Model] = ()) -> Enumeration:
    """Find an enumeration.

    Parameters
    ----------
    name : str
        "network.torus" is ``torus`` in the module ``dse.spaces.network.shapes``; a name without a dot stands in one of
        the models. A hyphen counts as an underscore.
    models : sequence of Model
        Those of the study.
    """
    family, dot, function = name.replace("-", "_").rpartition(".")
    if not dot:
        for model in models:
            if function in model.enumerations:
                return model.enumerations[function]
    elif family.isidentifier() and _exists(f"dse.spaces.{family}.shapes"):
        item = vars(importlib.import_module(f"dse.spaces.{family}.shapes")).get(function)
        if isinstance(item, Enumeration):
            return item
    known = [item for model in models for item in model.enumerations] + list(_enumerations())
    raise InputError(f"unknown enumeration '{name}'", allowed=known, wrong=name.replace("-", "_"), candidates=known)


def enumerations_with(model: Model) -> dict[str, Enumeration]:
    """Return the enumerations of a model and those of its family in `dse.spaces`, by the name that a study writes."""
    shapes = {name: item for name, item in _enumerations().items() if name.partition(".")[0] == model.name}
    return {**model.enumerations, **shapes}


def _enumerations() -> dict[str, Enumeration]:
    """Return the enumerations that come with the project, by family and name."""
    enumerations: dict[str, Enumeration] = {}
    for path in sorted(Path(str(files("dse.spaces"))).glob("*/shapes.py")):
        family = path.parent.name
        module = importlib.import_module(f"dse.spaces.{family}.shapes")
        enumerations |= {
            f"{family}.{name}": item for name, item in vars(module).items() if isinstance(item, Enumeration)
        }
    return enumerations


def _modules(family: str) -> Iterator[str]:
    """Name the modules of a family that may be models of their own: none of its folders, and not its commands."""
    for info in pkgutil.iter_modules(importlib.import_module(family).__path__, f"{family}."):
        name = info.name.rpartition(".")[2]
        if not info.ispkg and not name.startswith("_") and not is_aside(name):
            yield info.name


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _from_file(path: Path, name: str, code: Mapping[str, str] | None) -> Model:
    if not path.is_file():
        raise InputError(f"no such model file '{name}'", allowed="a Python file beside the study, or a model's name")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"the model file '{name}' cannot be read: {error.strerror}") from None
    if code is not None and code.get(name) != digest_of(sources_of(path, library=False), {path: text}):
        raise InputError(f"the model file '{name}' is not the one that may be run")
    module_name = f"_dse_model_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"'{name}' cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        # These bytes and no others: a loader would take compiled ones from a folder __pycache__ beside the file.
        exec(compile(text, str(path), "exec", dont_inherit=True), module.__dict__)
    except SystemExit:
        del sys.modules[module_name]
        raise InputError(f"the model '{name}' ends the program on import") from None
    except Exception as error:
        del sys.modules[module_name]
        fault = f"{type(error).__name__}: {error}".replace(module_name, Path(name).stem)
        raise InputError(f"the model file '{name}' fails on import: {fault}{line_in(error, str(path))}") from error
    _refuse_one_name(path, module, name)
    return _checked(model_of(module, name))


def _refuse_one_name(path: Path, module: ModuleType, label: str) -> None:
    """Refuse two functions of one name of which one is marked: the last would take the place of the others unseen."""
    marks = (quantity, quantities, enumeration, picture)
    known = vars(module)
    seen: dict[str, tuple[int, bool]] = {}
    for part in ast.parse(path.read_bytes()).body:
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and _named(part.value, known) is requirement:
            raise InputError(
                f"the model file '{label}' has a requirement in line {part.lineno} that no name stands for",
                allowed="enough_ports = requirement(…)",
            )
        if not isinstance(part, ast.FunctionDef):
            continue
        marked = any(_named(decorator, known) in marks for decorator in part.decorator_list)
        line, before = seen.get(part.name, (0, False))
        if line and (marked or before):
            raise InputError(
                f"the model file '{label}' has two functions '{part.name}', in lines {line} and {part.lineno}",
                allowed="one function of a name; several components give one quantity by name = …",
            )
        seen[part.name] = (part.lineno, marked)


def _named(decorator: ast.expr, known: Mapping[str, object]) -> object:
    """Return what a decorator such as ``@quantity(…)`` or ``@dse.quantity(…)`` names."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return getattr(known.get(called.value.id), called.attr, None)
    return known.get(called.id) if isinstance(called, ast.Name) else None


def _checked(model: Model) -> Model:
    if not model.functions and not model.pictures and not model.enumerations and not model.requirements:
        raise InputError(f"the model '{model.name}' has no functions marked with @quantity")
    return model


def _files(module: ModuleType) -> Iterator[Path]:
    file = getattr(module, "__file__", None)
    if file is None:
        return
    yield from sources_of(Path(file), library=module.__name__.startswith(LIBRARY))
