"""At which place of a study an error arose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dse.errors import InputError

__all__ = ["at", "of_alternative", "reading"]


@contextmanager
def at(key: str) -> Iterator[None]:
    """Say at which key of the study an error arose."""
    try:
        yield
    except InputError as error:
        raise error.within(key=key) from None
    except OverflowError:
        raise InputError("a number is too large, or a step too small", key=key) from None


@contextmanager
def reading() -> Iterator[None]:
    """Make the place inside a table a part of the message: file and key are those of the study."""
    try:
        yield
    except InputError as error:
        error.problem = ": ".join([*(place for place in (error.file, error.key) if place), error.problem])
        error.file = error.key = None
        raise error.within() from None


def of_alternative(name: str) -> str:
    """Return the key that an alternative of the space stands under; the space itself where it has none."""
    return f"space.alternatives.{name}" if name else "space"
