"""The folder that a server works in: its runs and studies by their names in addresses, and nothing outside."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pydantic import JsonValue

from dse.errors import InputError, RunFolderError
from dse.run.disk.folder import MANIFEST, PROGRESS, RunFolder
from dse.study.file.headings import bundled_studies, headings
from dse.study.file.reading import find_study, parse_toml, read_toml

__all__ = ["NOTE", "RUNS", "Workspace"]

RUNS = "runs"
NOTE = "note.txt"
"""The file of a run's folder that holds what its user noted."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,@-]{0,199}")
_LONGEST_NOTE = 2000


class Workspace:
    """Runs and studies below a folder, and those that were named when the server began.

    Parameters
    ----------
    root : Path
    runs, studies : tuple of str
        Named on the command line: they may stand elsewhere.
    """

    def __init__(self, root: Path, runs: tuple[str, ...] = (), studies: tuple[str, ...] = ()) -> None:
        self.root = root.resolve()
        self._given_runs, self._given_studies = frozenset(runs), frozenset(studies)

    @property
    def runs(self) -> Path:
        """Where runs are kept."""
        return self.root / RUNS

    def run(self, name: str) -> Path:
        """Return the folder of a run.

        Raises
        ------
        InputError
            It is no folder of a run here.
        """
        if name in self._given_runs:
            return Path(name)
        folder = self.runs / name
        if not _is_name(name) or folder.is_symlink() or not _holds_run(folder):
            known = self.run_names()
            raise InputError(f"there is no run '{name}' in {RUNS}/", allowed=known, wrong=name, candidates=known)
        return Path(RUNS) / name

    def run_names(self) -> list[str]:
        """Return the runs, those that were made last first."""
        try:
            folders = [Path(entry.path) for entry in os.scandir(self.runs) if entry.is_dir(follow_symlinks=False)]
        except OSError:
            folders = []
        held = [folder for folder in folders if _is_name(folder.name) and _holds_run(folder)]
        named = [folder.name for folder in sorted(held, key=_made, reverse=True)]
        return [*(name for name in sorted(self._given_runs)), *named]

    def note(self, name: str, text: str) -> None:
        """Keep a note beside a run; an empty one removes it."""
        if len(text) > _LONGEST_NOTE:
            raise InputError(f"has {len(text)} characters", key="note", allowed=f"at most {_LONGEST_NOTE}")
        folder = self.run(name)
        if text.strip():
            RunFolder(self.root / folder).write_text(NOTE, text.strip() + "\n")
        else:
            (self.root / folder / NOTE).unlink(missing_ok=True)

    def rename(self, name: str, new: str) -> str:
        """Give the folder of a run another name."""
        folder = self.root / self.run(name)
        if name in self._given_runs:
            raise InputError("was named when the server began, so it keeps its name", key="name")
        target = self.runs / new
        if not _is_name(new):
            raise InputError(
                f"'{new}' is no name of a run", key="name", allowed="letters, digits, '.', '_', '+', '=', ',', '-', '@'"
            )
        if target.exists():
            raise RunFolderError("there is one of this name already", file=f"{RUNS}/{new}", allowed="another name")
        folder.rename(target)
        return new

    # ---- studies -----------------------------------------------------------------------------------------------------

    def studies(self) -> JsonValue:
        """Return the studies of the folder, then those that come with dse: their names and questions."""
        own: list[JsonValue] = []
        for file in sorted(file for file in self.root.glob("*.toml") if not file.is_symlink()):
            try:
                _, document = read_toml(file)
            except InputError:
                document = {}
            if isinstance(document.get("models"), list) and "objectives" in document:
                own.append({"study": file.name, "question": str(document.get("question", "")), "own": True})
        bundled: list[JsonValue] = [
            {"study": heading.name, "question": heading.question, "own": False} for heading in headings()
        ]
        given: list[JsonValue] = [
            {"study": name, "question": "", "own": True}
            for name in sorted(self._given_studies)
            if name not in bundled_studies() and not (self.root / name).is_file()
        ]
        return [*given, *own, *bundled]

    def study(self, name: str) -> str:
        """Return a study that may be read here: one that comes with dse, or a file of the folder.

        Raises
        ------
        InputError
            It stands elsewhere, or there is none.
        """
        if name in self._given_studies:
            return name
        path = Path(name)
        if name in bundled_studies() and not path.suffix:
            return name
        file = self.root / name
        if path.suffix != ".toml" or path.name != name or file.is_symlink() or not file.is_file():
            known = [*bundled_studies(), *(other.name for other in self.root.glob("*.toml"))]
            raise InputError(f"there is no study '{name}' here", allowed=known, wrong=name, candidates=known)
        return path.name

    def address_of(self, file: str) -> str:
        """Return what the study of a run that was opened is called here, where it may stand elsewhere."""
        path = Path(file)
        if bundled_studies().get(path.stem) == path:
            return path.stem
        if path.resolve().parent == self.root:
            return path.name
        self._given_studies |= {str(path.resolve())}
        return str(path.resolve())

    def folder_of(self, name: str) -> str:
        """Return the folder in which the tables of a study are looked for; that of the server without one."""
        return str(self._file(name).resolve().parent) if name else str(self.root)

    def _file(self, name: str) -> Path:
        path = Path(self.study(name))
        return self.root / path if path.suffix == ".toml" else find_study(name)

    def study_text(self, name: str) -> JsonValue:
        """Return the text of a study, and whether it may be saved under its name."""
        path = self._file(name)
        text, _ = read_toml(path)
        return {"study": name, "text": text, "own": path.resolve().parent == self.root, "file": path.name}

    def save_text(self, name: str, text: str, before: str | None) -> str:
        """Write the text of a study to a file of the folder.

        Parameters
        ----------
        name : str
            Of the file, ending with ``.toml``.
        text : str
        before : str, optional
            What stood there when it was opened: else somebody has changed it since, and it is not written over.
        """
        path = self.root / name
        if Path(name).name != name or path.suffix != ".toml" or not _NAME.fullmatch(name):
            raise InputError(f"'{name}' is no name of a study file", key="name", allowed="letters and digits, .toml")
        parse_toml(text, name)
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError("is no plain file", file=name)
        now = path.read_text(encoding="utf-8") if path.exists() else None
        if now is not None and now != before:
            raise InputError("was changed by somebody else meanwhile", file=name, allowed="another name")
        RunFolder(self.root).write_text(name, text)
        return name


def _holds_run(folder: Path) -> bool:
    return (folder / MANIFEST).is_file() or (folder / PROGRESS).is_file()


def _made(folder: Path) -> float:
    file = folder / MANIFEST
    try:
        return (file if file.is_file() else folder / PROGRESS).stat().st_mtime
    except OSError:
        return 0.0


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None
