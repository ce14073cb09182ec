"""The state of a run's folder: while it is the same, so is all that is told of the run."""

from __future__ import annotations

from pathlib import Path

__all__ = ["state_of"]

_DOCUMENTS = (".json", ".parquet", ".txt")


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, times and sizes of the documents of a run."""
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix in _DOCUMENTS)
        return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    except OSError:
        return ()
