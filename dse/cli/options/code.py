"""Studies named on the command line may run the Python files beside them: which ones is told, once for each content."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from dse.errors import visible
from dse.run.disk.seal import data_folder

if TYPE_CHECKING:
    from pathlib import Path

    from dse.api import Run, Study

__all__ = ["named_study", "remember", "stored_run"]

_TOLD = "told"


def named_study(name: str) -> Study:
    """Return the study that stands on the command line; says on the error stream which Python files it runs."""
    from dse.api import Study

    study = Study.load(name)
    files = {file: digest for file, digest in study.model_files.items() if digest is not None}
    known = _known()
    fresh = [file for file, digest in files.items() if digest not in known]
    if fresh:
        sys.stderr.write(visible(f"note: {study.file} runs the Python files it names: {', '.join(fresh)}\n"))
        remember([files[file] for file in fresh])
    return study


def stored_run(folder: str | Path, *, allow_code: bool = False) -> Run:
    """Return the run of a folder; `allow_code`: its Python files may be run, though it was not made here."""
    from dse.api import Run

    return Run.load(folder, allow_code=allow_code)


def _known() -> set[str]:
    """Return the digests that were told before."""
    folder = data_folder()
    if folder is None:
        return set()
    try:
        return set((folder / _TOLD).read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return set()


def remember(digests: list[str]) -> None:
    """Note that files with these digests were told."""
    folder = data_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):  # then it is told again
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (folder / _TOLD).open("a", encoding="ascii") as file:
            file.write("".join(f"{digest}\n" for digest in digests))
