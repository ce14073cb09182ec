"""The versions a result depends on."""

from __future__ import annotations

import hashlib
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import dse

__all__ = ["engine_identity", "versions"]

_LIBRARIES = ("numpy", "moocore", "pandas", "pyarrow", "pint", "pydantic", "joblib")
_ENGINE = ("*.py", "evaluation/*.py", "search/*.py")


def versions() -> dict[str, str]:
    """Return the versions a result depends on."""
    found = {"dse": dse.__version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


@lru_cache(maxsize=1)
def engine_identity() -> dict[str, str]:
    """Return what the chunks of an unfinished search depend on beside its study: the engine and its libraries."""
    folder = Path(dse.__file__).parent
    digest = hashlib.sha256()
    for pattern in _ENGINE:
        for file in sorted(folder.glob(pattern)):
            digest.update(file.read_bytes())
    found = versions()
    return {
        "engine": digest.hexdigest(),
        "numpy": found["numpy"],
        "moocore": found["moocore"],
        "machine": found["machine"],
    }
