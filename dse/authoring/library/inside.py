"""Files that a study names: inside its folder or among the catalogues, wherever symbolic links lead."""

from __future__ import annotations

from pathlib import Path

from dse.errors import InputError

__all__ = ["refuse_outside"]


def refuse_outside(file: Path, name: str, *folders: Path) -> None:
    """Refuse a file whose resolved path lies in none of some folders."""
    try:
        resolved = file.resolve()
        inside = any(resolved.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, RuntimeError):  # links that lead in a circle
        inside = False
    if not inside:
        raise InputError(
            f"'{name}' is a link out of the folder of the study", allowed="a file inside it, or a catalogue of dse"
        )
