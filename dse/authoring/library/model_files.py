"""The files of a model: which they are, and their hash; nothing is imported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from dse.authoring.houses import LIBRARY, module_of

__all__ = ["digest_of", "is_aside", "model_digest", "sources_of"]


def model_digest(name: str, folder: Path) -> str | None:
    """Return what `Model.sha256` of a model would be, from its files alone: nothing is imported.

    None where there is no such file, or the model is none of a file or of the library.
    """
    if name.endswith(".py"):
        path = folder / name
    elif all(part.isidentifier() for part in name.split(".")):
        module = module_of(name) or f"{LIBRARY}{name}"
        path = Path(str(files("dse.models"))).joinpath(*module.removeprefix(LIBRARY).split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
    else:
        return None
    return digest_of(sources_of(path, library=not name.endswith(".py"))) if path.is_file() else None


def digest_of(sources: Iterable[Path], known: Mapping[Path, bytes] | None = None) -> str:
    """Return the SHA-256 of files one after another; some of them may have been read."""
    digest = hashlib.sha256()
    for file in sources:
        digest.update((known or {}).get(file) or file.read_bytes())
    return digest.hexdigest()


def sources_of(path: Path, *, library: bool) -> Iterator[Path]:
    """Yield the files that a module is hashed by: itself, or its whole folder."""
    if path.name != "__init__.py":
        yield path
    elif library:
        for source in sorted(path.parent.rglob("*.py")):
            if not is_aside(source.relative_to(path.parent).parts[0].removesuffix(".py")):
                yield source
    else:
        yield from sorted(path.parent.rglob("*.py"))


def is_aside(name: str) -> bool:
    """Say whether a module or folder of a family is no physics: its claims, its commands and what only these need."""
    return name in ("claims", "cli", "commands") or name.startswith("command_")
