"""Families of models, and houses of several: a folder of `dse.models` with a file ``families.toml``.

Each line of it names a family and the sub-room that it is: ``energy_scaling = "kinds/energy"``. Studies, `dse models`,
`dse validate` and the labels of functions know such a family by its name alone, as any other one, wherever it stands;
the house itself is none. Nothing is imported here.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

__all__ = ["LIBRARY", "families", "label_of", "module_of"]

LIBRARY = "dse.models."


@lru_cache(maxsize=1)
def families() -> dict[str, str]:
    """Return the families that come with the project, by name: the package of each."""
    listed: dict[str, str] = {}
    for package in Path(str(files("dse.models"))).glob("*/__init__.py"):
        folder = package.parent
        house = folder / "families.toml"
        if house.is_file():
            rooms = tomllib.loads(house.read_text(encoding="utf-8"))
            listed |= {name: f"{LIBRARY}{folder.name}.{room.replace('/', '.')}" for name, room in rooms.items()}
        else:
            listed[folder.name] = f"{LIBRARY}{folder.name}"
    return dict(sorted(listed.items()))


def label_of(module: str) -> str:
    """Return how a module of a family is called: ``energy_scaling.laws``, whatever house that family stands in."""
    if not module.startswith(LIBRARY):
        return module
    for name, package in _of_houses():
        if module == package or module.startswith(f"{package}."):
            return name + module.removeprefix(package)
    return module.removeprefix(LIBRARY)


def module_of(label: str) -> str | None:
    """Return the module that a study calls ``FAMILY`` or ``FAMILY.MODULE``, whether there is one or not.

    None where there is no such family, or the name is a longer one.
    """
    family, *modules = label.split(".")
    package = families().get(family)
    return ".".join([package, *modules]) if package is not None and len(modules) <= 1 else None


@lru_cache(maxsize=1)
def _of_houses() -> tuple[tuple[str, str], ...]:
    """Return the families whose package is not called as they are, with it."""
    return tuple((name, package) for name, package in families().items() if package != f"{LIBRARY}{name}")
