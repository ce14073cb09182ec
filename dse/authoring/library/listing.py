"""The models that come with the project, with what each says it gives, read from their texts: nothing is imported.

What a module declares is told by its text: a function under ``@quantity`` or ``@quantities``, a call of
`declarations`, or an import of such a function from its own family. A test compares this with what importing tells.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

from dse.authoring.houses import LIBRARY, families, label_of
from dse.authoring.library.model_files import is_aside

__all__ = ["available_models", "declares", "listed_models"]

_MARKED = re.compile(r"^@(?:\w+\.)?quantit(?:y|ies)\(.*?^def (\w+)\(", re.MULTILINE | re.DOTALL)
_IMPORTED = re.compile(r"^from (dse\.models\.[\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)
_TOGETHER = re.compile(r"^\W*(?:\w+ = |globals\(\)\.update\()\s*declarations\(", re.MULTILINE)


@lru_cache(maxsize=1)
def available_models() -> dict[str, str]:
    """Return the models of the library and of installed packages: name and first line of the documentation.

    A family is a folder of `dse.models`, or of a house in it (`houses`). Where it declares nothing itself, each of its
    modules that does is a model.
    """
    listed = listed_models()
    for entry in entry_points(group="dse.models"):
        listed[entry.name] = f"installed: {entry.value}"
    return listed


def listed_models() -> dict[str, str]:
    """Return the first line of the documentation of each model of the library, by name.

    A family is a model where it declares a function; else each of its modules that does is one.
    """
    listed: dict[str, str] = {}
    for family in families().values():
        for module, path in _models_of(family):
            listed[label_of(module)] = _first_line(path)
    return listed


def _models_of(family: str) -> Iterator[tuple[str, Path]]:
    """Yield a family, or those of its modules that declare functions where it does not itself."""
    package = _file(family)
    if declares(package):
        yield family, package
        return
    for path in sorted(package.parent.glob("*.py")):
        if not path.name.startswith("_") and not is_aside(path.stem) and declares(path):
            yield f"{family}.{path.stem}", path


def declares(path: Path) -> bool:
    """Tell whether a module of a family has a function of a model: its own, or one that it imports."""
    text = path.read_text(encoding="utf-8")
    if _MARKED.search(text) or _TOGETHER.search(text):
        return True
    for module, names in _IMPORTED.findall(text):
        source = _file(module)
        marked = _MARKED.findall(source.read_text(encoding="utf-8")) if source.is_file() else ()
        if not set(marked).isdisjoint(re.findall(r"\w+", names)):
            return True
    return False


def _file(module: str) -> Path:
    """Return where a module of the library stands, or would stand."""
    path = _folder().joinpath(*module.removeprefix(LIBRARY).split("."))
    return path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")


@lru_cache(maxsize=1)
def _folder() -> Path:
    return Path(str(files("dse.models")))


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_bytes()), clean=False) or "").strip().split("\n")[0]
