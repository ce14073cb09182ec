"""The OTF2 library, which is an extra: loaded where an archive is read or written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from dse.errors import InputError

__all__ = ["high_level", "low_level", "silenced"]

_INSTALL = "pip install 'dse-frontier[formats]'"


def low_level() -> ModuleType:
    """Return the binding of the C library: archives whose definitions the classes refuse are read by it."""
    try:
        import _otf2
    except ImportError:
        raise _missing() from None
    library: ModuleType = _otf2
    return library


def high_level() -> ModuleType:
    """Return the classes of the library, for writing."""
    try:
        import otf2
    except ImportError:
        raise _missing() from None
    library: ModuleType = otf2
    return library


def _missing() -> InputError:
    return InputError("an OTF2 archive needs the package otf2, which is not installed", allowed=_INSTALL)


@contextmanager
def silenced() -> Iterator[None]:
    """Keep what the C library writes to standard error off the screen: its faults come as exceptions, too."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
