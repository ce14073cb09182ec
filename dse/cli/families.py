"""Commands that families of models bring: the files `cli/*commands.py` of a family, and entry points ``dse.commands``.

Such a module has a function ``register(app)``. It imports typer and `dse.cli` and nothing of its family before a
command runs, so that ``dse --help`` loads no model.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import typer

__all__ = ["FitKind", "command_group", "kinds_of_fits", "register_families", "schemas"]


class FitKind(NamedTuple):
    """A kind of model that ``dse fit --kind`` fits: ``FITS`` of a module of commands has them by name.

    Attributes
    ----------
    fit : callable
        Takes a file first, and by keyword those of the options of ``dse fit`` that it knows, `json` among them;
        ``at`` are numbers.
    parameter : str
        What ``--at`` calls the numbers.
    """

    fit: Callable[..., None]
    parameter: str


def command_group(app: typer.Typer, name: str, text: str = "") -> typer.Typer:
    """Return a group of commands by its name, such as ``dse profile``, which several families may add to.

    The family that comes first says what the group is for.
    """
    for group in app.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    made = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=text)
    app.add_typer(made, name=name)
    return made


def register_families(app: typer.Typer) -> None:
    """Add the commands of all families of models, then those of other packages.

    A package whose commands cannot be loaded is named on the error stream; all others work.
    """
    for module in _of_families():
        module.register(app)
    for entry in sorted(entry_points(group="dse.commands"), key=lambda entry: entry.name):
        try:
            entry.load().register(app)
        except Exception as error:
            sys.stderr.write(
                f"warning: the commands of '{entry.value}' are left out: {type(error).__name__}: {error}\n"
            )


def kinds_of_fits() -> dict[str, FitKind]:
    """Return the kinds of models that families fit, by name."""
    return {name: kind for module in _of_families() for name, kind in getattr(module, "FITS", {}).items()}


def schemas() -> dict[str, Callable[[], dict[str, object]]]:
    """Return what makes the JSON Schemas of the documents that families read, by the kind of document."""
    return {name: made for module in _of_families() for name, made in getattr(module, "SCHEMAS", {}).items()}


def _of_families() -> list[ModuleType]:
    """Return the modules of commands of the families, by the place they ask for (``PLACE``) and their name."""
    models = Path(str(files("dse") / "models"))
    paths = sorted(models.glob("*/cli/*commands.py"))
    names = [".".join(path.relative_to(models).with_suffix("").parts) for path in paths]
    modules = [_loaded(f"dse.models.{name}", path) for name, path in zip(names, paths, strict=True)]
    return sorted(modules, key=lambda module: getattr(module, "PLACE", len(modules)))


def _loaded(name: str, file: Path) -> ModuleType:
    """Import a module without its package, whose import would load the models."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
