"""Functions whose modules are imported when they are first called: `dse --help` shall load no NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

__all__ = ["later"]


def later(module: str, *names: str) -> list[Callable[..., object]]:
    """Return functions of a module that is imported by the first call of one of them.

    Types are those of an import under ``TYPE_CHECKING``, which stands beside.
    """
    return [partial(_called, module, name) for name in names]


def _called(module: str, name: str, /, *arguments: object, **options: object) -> object:
    return getattr(import_module(module), name)(*arguments, **options)
