"""Design-space exploration for large computer systems: exact Pareto frontiers from composable analytic models."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.declaration import RelativeError as RelativeError
    from dse.declaration import assumption as assumption
    from dse.declaration import parameter as parameter
    from dse.declaration import quantities as quantities
    from dse.declaration import quantity as quantity
    from dse.enumerations import Enumerated as Enumerated
    from dse.enumerations import enumeration as enumeration
    from dse.frontier import pareto_mask as pareto_mask
    from dse.lookups import lookup as lookup
    from dse.run import Run as Run
    from dse.study import Study as Study

__version__ = "0.1.0"

_HOMES = {
    "Enumerated": "dse.enumerations",
    "RelativeError": "dse.declaration",
    "Run": "dse.run",
    "Study": "dse.study",
    "assumption": "dse.declaration",
    "enumeration": "dse.enumerations",
    "lookup": "dse.lookups",
    "parameter": "dse.declaration",
    "pareto_mask": "dse.frontier",
    "quantities": "dse.declaration",
    "quantity": "dse.declaration",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: the library itself starts in an instant."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dse' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
