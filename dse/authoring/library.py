"""The models a study can name: those that come with the project, installed packages, and a user's own Python files."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from dse.authoring.declaration import Assumption, DocumentParameter, ModelFunction, Parameter, TableParameter, named
from dse.authoring.enumerations import Enumeration
from dse.authoring.picture import Picture
from dse.errors import InputError

__all__ = ["Model", "available_models", "enumerations_with", "find_enumeration", "load_model", "model_of"]


@dataclass(frozen=True, eq=False)
class Model:
    """A module's model functions, parameters, assumptions, tables and enumerations, by name, and its pictures."""

    name: str
    doc: str
    functions: tuple[ModelFunction, ...]
    parameters: dict[str, Parameter]
    assumptions: dict[str, Assumption]
    tables: dict[str, TableParameter | DocumentParameter]
    files: tuple[Path, ...]
    pictures: tuple[Picture, ...] = ()
    enumerations: dict[str, Enumeration] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of the source files, so that a run can tell whether a model changed."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(file.read_bytes())
        return digest.hexdigest()


def model_of(module: ModuleType, name: str | None = None) -> Model:
    """Collect the declarations in a module's namespace."""
    label = name or module.__name__.removeprefix("dse.models.")
    home = label.removesuffix(".py") if label.endswith(".py") else module.__name__
    functions: dict[int, ModelFunction] = {}
    parameters: dict[str, Parameter] = {}
    assumptions: dict[str, Assumption] = {}
    tables: dict[str, TableParameter | DocumentParameter] = {}
    pictures: dict[int, Picture] = {}
    enumerations: dict[str, Enumeration] = {}
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
        elif isinstance(item, Enumeration):
            enumerations[attribute] = replace(item, module=home) if item.module == module.__name__ != home else item
    doc = (module.__doc__ or "").strip()
    given = (tuple(functions.values()), parameters, assumptions, tables)
    return Model(label, doc, *given, tuple(_files(module)), tuple(pictures.values()), enumerations)


def load_model(name: str, folder: Path | None = None) -> Model:
    """Load a model by name.

    Parameters
    ----------
    name : str
        A model of the library ("hybrid"), a Python file ("my_models.py", relative to `folder`), an entry point of
        group ``dse.models`` or an importable module of an installed package ("package.module").
    folder : Path, optional
        Where the study file stands.
    """
    if name.endswith(".py"):
        return _from_file((folder or Path()) / name, name)
    inside = f"dse.models.{name}"
    if all(part.isidentifier() for part in name.split(".")):
        if _exists(inside):
            return _checked(model_of(importlib.import_module(inside), name))
        for entry in entry_points(group="dse.models"):
            if entry.name == name:
                return _checked(model_of(entry.load(), name))
        if "." in name and _exists(name):
            return _checked(model_of(importlib.import_module(name), name))
    raise InputError(
        f"unknown model '{name}'", allowed=list(available_models()), wrong=name, candidates=available_models()
    )


@lru_cache(maxsize=1)
def available_models() -> dict[str, str]:
    """Return the models of the library and of installed packages: name and first line of the documentation."""
    import dse.models

    found: dict[str, str] = {}
    for module_name in _walk(dse.models):
        module = importlib.import_module(module_name)
        model = model_of(module)
        package = module_name.rpartition(".")[0].removeprefix("dse.models").lstrip(".")
        if model.functions and package not in found:
            found[model.name] = model.doc.split("\n")[0]
    for entry in entry_points(group="dse.models"):
        found[entry.name] = f"installed: {entry.value}"
    return found


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
    known = [one for model in models for one in model.enumerations] + list(_enumerations())
    raise InputError(f"unknown enumeration '{name}'", allowed=known, wrong=name.replace("-", "_"), candidates=known)


def enumerations_with(model: Model) -> dict[str, Enumeration]:
    """Return the enumerations of a model and those of its family in `dse.spaces`, by the name that a study writes."""
    shapes = {name: item for name, item in _enumerations().items() if name.partition(".")[0] == model.name}
    return {**model.enumerations, **shapes}


def _enumerations() -> dict[str, Enumeration]:
    """Return the enumerations that come with the project, by family and name."""
    found: dict[str, Enumeration] = {}
    for path in sorted(Path(str(files("dse.spaces"))).glob("*/shapes.py")):
        family = path.parent.name
        module = importlib.import_module(f"dse.spaces.{family}.shapes")
        found |= {f"{family}.{name}": item for name, item in vars(module).items() if isinstance(item, Enumeration)}
    return found


def _walk(package: ModuleType) -> Iterator[str]:
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        depth = info.name.removeprefix(f"{package.__name__}.").count(".")
        if depth <= 1 and not info.name.rpartition(".")[2].startswith("_"):
            yield info.name


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _from_file(path: Path, name: str) -> Model:
    if not path.is_file():
        raise InputError(f"no such model file '{name}'", allowed="a Python file beside the study, or a model's name")
    module_name = f"_dse_model_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"'{name}' cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        told = f"{type(error).__name__}: {error}".replace(module_name, Path(name).stem)
        raise InputError(f"the model file '{name}' fails on import: {told}") from error
    return _checked(model_of(module, name))


def _checked(model: Model) -> Model:
    if not model.functions and not model.pictures and not model.enumerations:
        raise InputError(f"the model '{model.name}' has no functions marked with @quantity")
    return model


def _files(module: ModuleType) -> Iterator[Path]:
    file = getattr(module, "__file__", None)
    if file is None:
        return
    path = Path(file)
    if path.name == "__init__.py":
        yield from sorted(path.parent.rglob("*.py"))
    else:
        yield path
