"""Commands that families of models bring: the file `commands.py` of a family, and entry points ``dse.commands``.

Such a module has a function ``register(app)``. It imports typer and `dse.cli` and nothing of its family before a
command runs, so that ``dse --help`` loads no model.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import typer

__all__ = ["PROFILE", "command_group", "register_families"]

PROFILE = "Show a workload profile, import one from another tool, or extrapolate one from small runs."


def command_group(app: typer.Typer, name: str, text: str) -> typer.Typer:
    """Return a group of commands by its name, such as ``dse profile``, which several families may add to."""
    for group in app.registered_groups:
        if group.name == name and group.typer_instance is not None:
            return group.typer_instance
    made = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=text)
    app.add_typer(made, name=name)
    return made


def register_families(app: typer.Typer) -> None:
    """Add the commands of all families of models."""
    for module in _modules():
        module.register(app)


def _modules() -> Iterator[ModuleType]:
    for file in sorted(Path(str(files("dse") / "models")).glob("*/commands.py")):
        yield _loaded(f"dse.models.{file.parent.name}.commands", file)
    for entry in sorted(entry_points(group="dse.commands"), key=lambda entry: entry.name):
        yield entry.load()


def _loaded(name: str, file: Path) -> ModuleType:
    """Import a module without its package, whose import would load the models."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
