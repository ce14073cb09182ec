"""The versions a result depends on."""

from __future__ import annotations

import hashlib
import platform
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from dse.version import __version__

__all__ = ["code_identity", "engine_files", "engine_identity", "engine_version", "versions"]

_LIBRARIES = ("numpy", "moocore", "pandas", "pyarrow", "pint", "pydantic", "joblib")
_ENGINE = ("errors.py", "units.py", "version.py")
_ENDINGS = (".py", ".lark")
_MODEL_ENDINGS = (*_ENDINGS, ".csv", ".json", ".toml")
_FLOORS = ("arithmetic", "authoring", "graph", "space", "evaluation", "search", "study")


def versions() -> dict[str, str]:
    """Return the versions a result depends on."""
    own_versions = {"dse": __version__, "python": platform.python_version(), "machine": platform.machine()}
    return own_versions | {name: _installed(name) for name in _LIBRARIES}


@cache
def _installed(name: str) -> str:
    """Return the version of a library, which its folder tells slowly and a process loads once."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def engine_files() -> list[Path]:
    """Return the files a search depends on: the floors below `dse.run`."""
    folder = Path(__file__).parents[2]
    inside = [file for floor in _FLOORS for file in sorted((folder / floor).rglob("*")) if file.suffix in _ENDINGS]
    return [folder / name for name in _ENGINE] + inside


@lru_cache(maxsize=1)
def engine_identity() -> dict[str, str]:
    """Return what the chunks of an unfinished search depend on beside its study: the engine and its libraries."""
    folder = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for file in engine_files():
        digest.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    current = versions()
    return {
        "engine": digest.hexdigest(),
        "numpy": current["numpy"],
        "moocore": current["moocore"],
        "machine": current["machine"],
    }


@lru_cache(maxsize=1)
def code_identity() -> str:
    """Return the digest of what a model of the project computes with: its code and data, the libraries, the processor.

    NumPy takes other instructions on other processors, whose last bits may differ.
    """
    digest = hashlib.sha256(repr((sorted(engine_identity().items()), versions()["python"])).encode())
    digest.update(repr(np.show_config(mode="dicts").get("SIMD Extensions")).encode())
    models = Path(__file__).parents[2] / "models"
    for file in sorted(models.rglob("*")):
        if file.suffix in _MODEL_ENDINGS:
            digest.update(file.relative_to(models).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()


def engine_version() -> str:
    """Return the engine as a manifest names it: the beginning of the hash of its files."""
    return engine_identity()["engine"][:12]
