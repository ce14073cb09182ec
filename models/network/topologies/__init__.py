"""The topologies: the list of them is made from the folders that are here, each of which says what it is.

A topology is a folder ``<name>/`` with

* ``component.py``: ``PLACE`` (its place in the list), ``COMPONENTS`` (what the slot ``topology`` may take, see
  `dse.models.network.graphs.component.Component`), its parameters and, if it has any, ``PICTURES``;
* ``closed_form.py``: its sizes, links, parts and the closed forms of its bandwidths, each in the docstring of the
  function that computes it (see `dse.models.network.graphs.topology.Topology`); uniform traffic needs one, since
  Valiant routing rests on it;
* ``route.py``, where not every pattern has a closed form: which links a flow crosses;
* ``printed.py`` and ``picture.py``, where the thesis prints formulas of it, and where it can be drawn.

A topology imports no other, and nothing of the family that knows the list (`bandwidth`, `routing`, `components`).
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

from dse.authoring.declare.declaration import declarations
from dse.authoring.picture import Picture
from dse.errors import InputError
from dse.models.network.graphs.component import Component
from dse.models.network.graphs.topology import Topology

__all__ = ["COMPONENTS", "PARAMETERS", "PICTURES", "TOPOLOGIES", "topology_named"]


def _folders() -> list[ModuleType]:
    """Return the ``component.py`` of every folder, by their places in the list."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.ispkg]
    return sorted((importlib.import_module(f"{__name__}.{name}.component") for name in names), key=_place)


def _place(folder: ModuleType) -> tuple[int, str]:
    return folder.PLACE, folder.__name__


def _later(component: Component) -> tuple[bool, bool]:
    """Return what puts variants behind all topologies: other routings first, then the printed equations."""
    return component.equations == "printed", component.routing != component.topology.routings[0]


_FOLDERS = _folders()

COMPONENTS: tuple[Component, ...] = tuple(
    sorted((component for folder in _FOLDERS for component in folder.COMPONENTS), key=_later)
)
"""Every component of the slot ``topology``."""

TOPOLOGIES: dict[str, Topology] = {component.topology.name: component.topology for component in COMPONENTS}
"""Every topology by name."""

PARAMETERS: dict[str, Any] = declarations(*_FOLDERS)
"""What a study gives single topologies."""

PICTURES: dict[str, Picture] = {
    picture.name: picture for folder in _FOLDERS for picture in getattr(folder, "PICTURES", ())
}
"""What draws them, by name."""


def topology_named(name: str) -> Topology:
    """Return a topology, or say which ones there are."""
    if not isinstance(name, str) or name not in TOPOLOGIES:
        raise InputError(f"unknown topology '{name}'", allowed=list(TOPOLOGIES), wrong=str(name), candidates=TOPOLOGIES)
    return TOPOLOGIES[name]
