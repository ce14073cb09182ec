"""Design-space exploration for large computer systems: exact Pareto frontiers from composable analytic models."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from dse.version import __version__ as __version__

if TYPE_CHECKING:
    from dse.api import Run as Run
    from dse.api import Study as Study
    from dse.arithmetic.lookup import lookup as lookup
    from dse.authoring.declare.declaration import RelativeError as RelativeError
    from dse.authoring.declare.declaration import assumption as assumption
    from dse.authoring.declare.declaration import parameter as parameter
    from dse.authoring.declare.declaration import quantities as quantities
    from dse.authoring.declare.declaration import quantity as quantity
    from dse.authoring.declare.enumerations import Enumerated as Enumerated
    from dse.authoring.declare.enumerations import enumeration as enumeration
    from dse.authoring.declare.requirement import requirement as requirement
    from dse.search.frontier.pareto import pareto_mask as pareto_mask
    from dse.study.build.objects import alternative as alternative
    from dse.study.build.objects import enumerated as enumerated
    from dse.study.build.objects import linspace as linspace
    from dse.study.build.objects import maximize as maximize
    from dse.study.build.objects import minimize as minimize
    from dse.study.build.objects import part as part
    from dse.study.build.objects import powers_of_two as powers_of_two
    from dse.study.build.objects import range_of as range_of
    from dse.study.build.objects import values as values

_HOMES = {
    "Enumerated": "dse.authoring.declare.enumerations",
    "RelativeError": "dse.authoring.declare.declaration",
    "Run": "dse.api",
    "Study": "dse.api",
    "assumption": "dse.authoring.declare.declaration",
    "enumeration": "dse.authoring.declare.enumerations",
    "lookup": "dse.arithmetic.lookup",
    "parameter": "dse.authoring.declare.declaration",
    "pareto_mask": "dse.search.frontier.pareto",
    "quantities": "dse.authoring.declare.declaration",
    "quantity": "dse.authoring.declare.declaration",
    "requirement": "dse.authoring.declare.requirement",
    **dict.fromkeys(("alternative", "enumerated", "linspace", "maximize", "minimize"), "dse.study.build.objects"),
    **dict.fromkeys(("part", "powers_of_two", "range_of", "values"), "dse.study.build.objects"),
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import the public names when they are first used: the library itself starts in an instant."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dse' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
